//! The body of a news article (RFC 5536; MIME of RFC 2045 to 2047).
//!
//! ```text
//! article = 1*header CRLF body
//! header  = name ":" SP value CRLF *( WS value CRLF )
//! ```
//!
//! While an article arrives, its source is shown. Once complete it is decoded: the headers that people read, the texts
//! with quotations and signature separated, a line for each attachment. The decoded lines are octets again, and rows
//! are made from them on demand. Text without a declared charset stays undecoded, so that the page's charset applies to
//! it. Only the beginning of a very long article is decoded; the remainder is shown as source.

mod alternative;
mod armour;
mod decode;
mod document;
mod enriched;
mod fold;
mod head;
mod mime;
mod page;
mod parent;
mod partial;
mod transfer;
mod uu;
mod yenc;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use geomys_wire::text;
use geomys_wire::text::{Charset, Text};
use rfc1738::Url;

use self::decode::{ArticleSection, DecodedArticle};
use self::fold::{ArticleRow, FoldedRuns, RunKind};
use self::page::ArticlePage;
use super::date::Zone;
use super::header;
use super::plain::LineLengths;
use super::raw::LineBuffer;
use super::row::{Kind, Link, Row, RowOrigin, Span};
use super::rows::{RowProvider, RowSource};
use super::text_line::{Around, TextLine, TextLinks};
use crate::archive::member_url;

pub use self::document::{ArticleState, attachment_at};
pub use self::parent::ParentArticle;

pub(crate) use self::mime::Attachment;
pub use self::partial::FoundParts;
pub(super) use self::partial::{MessagePart, joined_message, only_file};
pub(super) use self::transfer::{base64, unquote};
pub(super) use self::uu::joined_uu;
pub use self::uu::uu_line;
pub(crate) use self::uu::{uu_files, uu_start};
pub(super) use self::yenc::{EncodedPart, crc32, yenc_part};

/// The body of an article, empty until the article is complete.
#[derive(Clone, Debug, Default)]
pub(super) struct ArticleBody {
    decoded: Option<Arc<DecodedArticle>>,
    /// The headers that the user selected, in their order; empty for the default ones.
    headers: Arc<[String]>,
    /// True if the named headers are folded at first.
    folds_headers: bool,
    /// The time zone of the displayed date.
    pub(super) zone: Zone,
    /// The folded runs. A folded form feed hides the quotations behind it.
    folded: FoldedRuns,
    cipher: TextCipher,
    /// The columns of the pane that shows the article, once it is known.
    columns: Option<usize>,
    /// The charset that the user chose instead of the declared ones.
    charset: Option<Charset>,
    /// The path of the message inside the article that is to be shown instead, once the article is complete.
    member: VecDeque<String>,
    /// True if the article is a message inside the one of the URL.
    is_member: bool,
    /// The line of the first form feed while the article arrives. Lines behind it are hidden.
    form_feed: Option<usize>,
    /// The first line behind the head of the source; nothing where it has not arrived.
    source_body: Option<usize>,
    /// The number of complete lines that were searched for a form feed and for the end of the head.
    scanned: usize,
}

/// The decoding of the letters in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TextCipher {
    #[default]
    Plain,
    Rot13,
}

impl RowProvider for ArticleBody {
    fn count(&self, source: RowSource<'_>) -> usize {
        match &self.decoded {
            None => {
                let feed = self.form_feed.and_then(|at| {
                    let line = source.raw.piece(at)?;
                    fold::hides_from(line, at)
                });
                let lines = source.raw.pieces();
                feed.map_or(lines, |hidden| hidden.min(lines))
            }
            Some(decoded) => {
                let rest = source.raw.pieces().saturating_sub(decoded.read);
                let lines = decoded.raw.pieces() + rest;
                lines.saturating_sub(self.folded.hidden())
            }
        }
    }

    fn text_line<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<TextLine<'a>> {
        if let ArticleRow::Run(run) = self.folded.row(number) {
            let (kind, text) = match run.kind {
                RunKind::Quotation => (
                    Kind::Quote(1),
                    format!("[{} lines of quotation]", run.lines),
                ),
                RunKind::FormFeed => (Kind::Plain, behind_form_feed(run.lines)),
                RunKind::Headers => (Kind::Header, more_headers(run.lines)),
            };
            // A folded run leads to the article itself.
            let links = TextLinks::Page(self.title(source).unwrap_or_default());
            return Some(TextLine::new(kind, text.into_bytes(), links));
        }
        let (line, section) = self.line(source, number)?;
        Some(match section {
            ArticleSection::Subject => TextLine::new(Kind::Heading(0), line, TextLinks::Urls),
            ArticleSection::Author => TextLine::new(Kind::Header, line, TextLinks::None),
            ArticleSection::Header if self.continues(source, number) => {
                TextLine::new(Kind::Header, line, TextLinks::None)
            }
            ArticleSection::Header => header_line(line, source.charset),
            ArticleSection::Text => {
                let kind = self.quotation(number);
                let octets = self.decipher(line);
                TextLine {
                    around: match (kind, &octets) {
                        (Kind::Plain, Cow::Borrowed(line)) => {
                            Around::new(line, number, |other| self.plain_text(source, other))
                        }
                        _ => Around::default(),
                    },
                    ..TextLine::new(kind, octets, TextLinks::UrlsAndArticles)
                }
            }
            ArticleSection::Signature => {
                TextLine::new(Kind::Signature, self.decipher(line), TextLinks::Urls)
            }
            ArticleSection::Note => {
                // A line that describes an attachment is a link.
                let label = self.attachment(number).map(Attachment::label);
                TextLine::new(
                    Kind::Plain,
                    line,
                    label.map_or(TextLinks::None, TextLinks::Page),
                )
            }
            ArticleSection::Page => TextLine::new(Kind::Plain, line, TextLinks::None),
            ArticleSection::Source => TextLine::new(Kind::Plain, line, TextLinks::Urls),
        })
    }

    fn row(&self, source: RowSource<'_>, number: usize) -> Option<Row> {
        if let Some((page, line)) = self.page_line(number) {
            return page.row(line);
        }
        let line = self.text_line(source, number)?;
        let hang = match (line.kind, self.folded.row(number)) {
            (Kind::Quote(_), ArticleRow::Line(_)) if !self.continues(source, number) => {
                fold::quote_prefix(&line.octets)
            }
            (_, _) => 0,
        };
        Some(Row {
            hang,
            ..line.row(source.charset)
        })
    }

    fn links(&self, source: RowSource<'_>, number: usize, indices: Range<usize>) -> Vec<Link> {
        match self.page_line(number) {
            Some((page, line)) => page.links(line, source.url, indices),
            None => self
                .text_line(source, number)
                .map(|line| {
                    let attachment = self.attachment_url(source.url, number);
                    let url = attachment.as_ref().unwrap_or(source.url);
                    line.links(url, source.charset, indices)
                })
                .unwrap_or_default(),
        }
    }

    fn link_count(&self, source: RowSource<'_>, number: usize) -> usize {
        match self.page_line(number) {
            Some((page, line)) => page.link_count(line),
            None => self
                .text_line(source, number)
                .map_or(0, |line| line.link_count(source.charset)),
        }
    }

    fn octets<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<&'a [u8]> {
        self.line(source, number).map(|(line, _)| line)
    }

    fn continues(&self, source: RowSource<'_>, number: usize) -> bool {
        match (&self.decoded, self.folded.row(number)) {
            (_, ArticleRow::Run(_)) => false,
            (None, ArticleRow::Line(line)) => source.raw.continues(line),
            (Some(decoded), ArticleRow::Line(line)) => match line.checked_sub(decoded.raw.pieces())
            {
                None => decoded.raw.continues(line),
                Some(rest) => source.raw.continues(decoded.read + rest),
            },
        }
    }

    fn on_append(&mut self, source: RowSource<'_>) {
        let lines = source.raw.pieces();
        let mut new = self.scanned..lines;
        if self.decoded.is_none() && self.source_body.is_none() {
            let mut rest = source.raw.pieces_from(self.scanned);
            let blank = rest.position(<[u8]>::is_empty);
            self.source_body = blank.map(|blank| self.scanned + blank + 1);
        }
        if self.decoded.is_none() && self.form_feed.is_none() {
            self.form_feed = new.find(|&number| {
                let line = source.raw.piece(number).unwrap_or_default();
                fold::hides_from(line, number).is_some()
            });
        }
        // The last line may still be growing.
        self.scanned = lines.saturating_sub(1);
    }

    fn finish(&mut self, source: RowSource<'_>) {
        if self.needs_finish() {
            let chosen = self.charset;
            let view = self.view();
            let shown = (self.headers.as_ref(), &self.zone);
            let decoded =
                DecodedArticle::new(source.raw, source.charset, chosen, shown, self.columns);
            let headers = decoded.headers.filter(|_| self.folds_headers);
            let folded = decoded.form_feeds.iter().copied().chain(headers);
            self.folded = FoldedRuns::new(folded);
            self.decoded = Some(Arc::new(decoded));
            if let Some(view) = view {
                self.set_view(&view);
            }
        }
    }

    fn needs_finish(&self) -> bool {
        let decoded = self.decoded.as_ref();
        decoded.is_none_or(|decoded| decoded.chosen_charset != self.charset) || self.is_resized()
    }

    fn origin(&self, row: usize) -> Option<RowOrigin> {
        Some(RowOrigin::Line(match self.folded.row(row) {
            ArticleRow::Line(line) => line,
            ArticleRow::Run(run) => run.first,
        }))
    }

    fn row_of(&self, origin: RowOrigin) -> Option<usize> {
        origin.line().map(|line| self.folded.row_of(line))
    }

    fn memory(&self) -> usize {
        self.decoded.as_ref().map_or(0, |decoded| decoded.memory())
    }

    fn title(&self, source: RowSource<'_>) -> Option<Text> {
        let subject = self.decoded.as_ref()?.subject.as_deref()?;
        Some(header::text(subject, source.charset)).filter(|title| !title.is_blank())
    }
}

impl ArticleBody {
    /// The body of the article of a URL, whose fragment is the path of a message inside it.
    pub(super) fn new(url: &Url) -> Self {
        let path = url
            .fragment()
            .map(|path| String::from_utf8_lossy(&path.octets()).into_owned());
        let path = path.unwrap_or_default();
        let names = path.split('/').filter(|name| !name.is_empty());
        Self {
            member: names.map(str::to_owned).collect(),
            ..Self::default()
        }
    }

    /// The URL of the attachment that row `number` describes: that of the article, with its name as the fragment.
    fn attachment_url(&self, url: &Url, number: usize) -> Option<Url> {
        let ArticleRow::Line(line) = self.folded.row(number) else {
            return None;
        };
        let name = self.decoded.as_ref()?.member_name(line)?;
        Some(member_url(url, name.as_bytes(), false))
    }

    /// The octets of row `number`, where it is text that is not quoted.
    fn plain_text<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<&'a [u8]> {
        let (line, section) = self.line(source, number)?;
        let is_plain = self.quotation(number) == Kind::Plain;
        (is_plain && matches!(section, ArticleSection::Text)).then_some(line)
    }

    /// The columns of the pane that shows the article, once it is known.
    pub(super) fn pane_columns(&self) -> Option<usize> {
        self.columns
    }

    /// Sets the columns of the pane that shows the article.
    pub(super) fn set_columns(&mut self, columns: usize) {
        self.columns = Some(columns);
    }

    /// Returns true if the pane has other columns than those for which the tables of the article are laid out.
    pub(super) fn is_resized(&self) -> bool {
        let decoded = self.decoded.as_ref();
        decoded.is_some_and(|decoded| decoded.columns != self.columns && decoded.has_tables())
    }

    /// Takes the lines of `other`, which was a clone of this article and is laid out for its columns.
    pub(super) fn adopt(&mut self, other: &Self) {
        if other.decoded.is_some() && !other.is_resized() {
            self.decoded.clone_from(&other.decoded);
            self.folded.clone_from(&other.folded);
        }
    }

    /// The columns of the longest row that is never wrapped.
    pub(super) fn preformatted_columns(&self) -> usize {
        let decoded = self.decoded.as_ref();
        decoded.map_or(0, |decoded| decoded.preformatted_columns())
    }

    /// The lengths of the lines of its text.
    pub(super) fn line_lengths(&self) -> Option<&LineLengths> {
        self.decoded.as_ref().map(|decoded| &decoded.line_lengths)
    }

    /// Toggles ROT13 decoding of the text.
    pub(super) fn toggle_rot13(&mut self) {
        self.cipher = match self.cipher {
            TextCipher::Plain => TextCipher::Rot13,
            TextCipher::Rot13 => TextCipher::Plain,
        };
    }

    /// A line of the text, decoded by ROT13 where that is on.
    fn decipher<'a>(&self, line: &'a [u8]) -> Cow<'a, [u8]> {
        match self.cipher {
            TextCipher::Plain => Cow::Borrowed(line),
            TextCipher::Rot13 => line.iter().copied().map(fold::rot13).collect(),
        }
    }

    /// The web page whose line row `number` shows, and the number of the line there.
    fn page_line(&self, number: usize) -> Option<(&ArticlePage, usize)> {
        match self.folded.row(number) {
            ArticleRow::Line(line) => self.decoded.as_ref()?.page_line(line),
            ArticleRow::Run(_) => None,
        }
    }

    /// The attachment that row `number` describes.
    pub(super) fn attachment(&self, number: usize) -> Option<&Attachment> {
        match self.folded.row(number) {
            ArticleRow::Line(line) => self.decoded.as_ref()?.attachment(line),
            ArticleRow::Run(_) => None,
        }
    }

    /// The first line behind the head of the source, once it has arrived.
    pub(super) fn source_body(&self) -> Option<usize> {
        self.source_body
    }

    /// The first row of the body, once the article is complete.
    pub(super) fn body_row(&self) -> Option<usize> {
        Some(self.folded.row_of(self.decoded.as_ref()?.body()))
    }

    /// The decoded lines, once the article is complete.
    pub(super) fn decoded(&self) -> Option<&LineBuffer> {
        self.decoded.as_ref().map(|decoded| &decoded.raw)
    }

    fn line<'a>(
        &'a self,
        source: RowSource<'a>,
        number: usize,
    ) -> Option<(&'a [u8], ArticleSection)> {
        let Some(decoded) = &self.decoded else {
            return Some((source.raw.piece(number)?, ArticleSection::Source));
        };
        let number = match self.folded.row(number) {
            ArticleRow::Line(line) => line,
            ArticleRow::Run(run) => run.first,
        };
        match number.checked_sub(decoded.raw.pieces()) {
            None => Some((decoded.raw.piece(number)?, decoded.section(number))),
            Some(rest) => Some((
                source.raw.piece(decoded.read + rest)?,
                ArticleSection::Source,
            )),
        }
    }

    /// The quotation depth of row `number` of the decoded text, as a kind.
    fn quotation(&self, number: usize) -> Kind {
        match (&self.decoded, self.folded.row(number)) {
            (Some(decoded), ArticleRow::Line(line)) => {
                let first = decoded.raw.piece(decoded.raw.first_of(line));
                first.map_or(Kind::Plain, fold::quotation)
            }
            (None, _) | (_, ArticleRow::Run(_)) => Kind::Plain,
        }
    }
}

/// The text of a row that represents folded headers.
fn more_headers(lines: usize) -> String {
    match lines {
        1 => "[1 more header]".to_owned(),
        lines => format!("[{} more headers]", text::count(lines)),
    }
}

/// The text of a row that represents lines hidden by a form feed.
fn behind_form_feed(lines: usize) -> String {
    let lines = match lines {
        1 => "1 line".to_owned(),
        lines => format!("{} lines", text::count(lines)),
    };
    format!("[form feed: {lines} more; Enter or page down]")
}

/// A header line with its links.
fn header_line(line: &[u8], charset: Charset) -> TextLine<'_> {
    let Some((name, value, links)) = split_header(line) else {
        return TextLine::new(Kind::Header, line, TextLinks::None);
    };
    TextLine {
        name: Some(Span::new(Text::new(name, charset))),
        ..TextLine::new(Kind::Header, value, links)
    }
}

/// Splits a header line where its value begins.
fn split_header(line: &[u8]) -> Option<(&[u8], &[u8], TextLinks)> {
    let colon = memchr::memchr(b':', line)?;
    let links = match line.get(..colon)?.to_ascii_lowercase().as_slice() {
        b"newsgroups" | b"followup-to" => TextLinks::Groups,
        b"references" | b"in-reply-to" | b"supersedes" => TextLinks::Articles,
        b"subject" => TextLinks::Urls,
        _ => TextLinks::None,
    };
    let blanks = line
        .get(colon + 1..)?
        .iter()
        .take_while(|&&octet| octet == b' ')
        .count();
    let (name, value) = line.split_at_checked(colon + 1 + blanks)?;
    Some((name, value, links))
}
