//! Decoding of a complete article into displayed lines. Flowed text becomes paragraphs (RFC 3676, section 4).
//!
//! ```text
//! flowed-line = *">" [ SP ] text SP CRLF         ; ends with a blank, continues in the next line
//! fixed-line  = *">" [ SP ] text CRLF            ; ends a paragraph; so does a change of depth
//! sig-sep     = *">" [ SP ] "-- " CRLF           ; never flowed
//! ```

use std::collections::HashMap;

use geomys_wire::text;
use geomys_wire::text::Charset;

use super::armour::{SIGNED, without_armour};
use super::fold::{LineRun, RunKind};
use super::mime::{Attachment, DeclaredCharsets, Part, TextCharsets};
use super::page::ArticlePage;
use super::{fold, head, mime};
use crate::document::date::{self, Zone};
use crate::document::header;
use crate::document::header::address;
use crate::document::plain::LineLengths;
use crate::document::raw::{LineBuffer, without_line_end};

/// The number of octets of an article that are decoded, at most.
const DECODED: usize = 16 * 1024 * 1024;

/// The headers shown by default, in this order.
const SHOWN: [&str; 9] = [
    "Subject",
    "From",
    "Date",
    "Reply-To",
    "Organization",
    "Newsgroups",
    "Message-ID",
    "References",
    "Followup-To",
];

/// The column where header values start, unless a name is longer.
const VALUES: usize = 13;

/// The section of an article to which a decoded line belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArticleSection {
    /// The subject.
    Subject,
    /// The author and the date.
    Author,
    /// A header with its name.
    Header,
    /// A web page.
    Page,
    /// Text, quoted or not.
    Text,
    /// The signature, behind `-- `.
    Signature,
    /// A line that this program adds, as for an attachment.
    Note,
    /// An undecoded line.
    Source,
}

/// A decoded article.
#[derive(Debug)]
pub(super) struct DecodedArticle {
    /// The decoded lines.
    pub(super) raw: LineBuffer,
    /// The number of line pieces of the source that were decoded. The pieces behind them are shown as source.
    pub(super) read: usize,
    /// The charset that the user chose instead of the declared ones.
    pub(super) chosen_charset: Option<Charset>,
    /// The columns of the pane for which its web pages are laid out.
    pub(super) columns: Option<usize>,
    /// The lengths of its lines of text.
    pub(super) line_lengths: LineLengths,
    /// The undecoded value of the Subject header.
    pub(super) subject: Option<Vec<u8>>,
    /// The quotations that may be folded.
    pub(super) quotations: Vec<LineRun>,
    /// The runs of lines behind form feeds.
    pub(super) form_feeds: Vec<LineRun>,
    /// The headers with their names, where they are folded.
    pub(super) headers: Option<LineRun>,
    /// The attachments, in their order.
    attachments: Vec<ListedAttachment>,
    /// The number of attachments of each name.
    name_counts: HashMap<String, usize>,
    /// The web pages, in their order.
    pages: Vec<ArticlePage>,
    /// The first line of each section.
    sections: Vec<(usize, ArticleSection)>,
}

/// An attachment among the decoded lines.
#[derive(Debug)]
struct ListedAttachment {
    /// The number of the line that describes it.
    line: usize,
    /// Its name in the path of a URL: unique in the article.
    member_name: String,
    file: Attachment,
}

impl DecodedArticle {
    /// Decodes `source`. Headers that are neither UTF-8 nor encoded words are decoded by `charset` where necessary, and
    /// so are texts without a declared charset, or all texts where the user chose a charset. Shows the headers named in
    /// `shown`, or the default ones where it is empty: first the subject, then the author with the date in `zone`.
    pub(super) fn new(
        source: &LineBuffer,
        charset: Charset,
        chosen_charset: Option<Charset>,
        (shown, zone): (&[String], &Zone),
        columns: Option<usize>,
    ) -> Self {
        let (article, read) = beginning(source);
        let mut decoded = Self {
            raw: LineBuffer::default(),
            read,
            chosen_charset,
            columns,
            line_lengths: LineLengths::default(),
            subject: None,
            quotations: Vec::new(),
            form_feeds: Vec::new(),
            headers: None,
            attachments: Vec::new(),
            name_counts: HashMap::new(),
            pages: Vec::new(),
            sections: Vec::new(),
        };
        let head_octets = head::split(&article).0;
        let head = head::unfolded(head_octets);
        if head.is_empty() {
            // Not an article: its source is shown instead.
            decoded.read = 0;
            return decoded;
        }
        decoded.head(&head, charset, (shown, zone));
        if head_octets.len() > head::MAX_HEAD_BYTES {
            let limit = text::octets(head::MAX_HEAD_BYTES as u64);
            decoded.note(&format!("[headers behind the first {limit}, not read]"));
        }
        let charsets = TextCharsets {
            undeclared: chosen_charset.unwrap_or(charset),
            declared: match chosen_charset {
                Some(_) => DeclaredCharsets::Ignored,
                None => DeclaredCharsets::Applied,
            },
        };
        for part in mime::parts(&article, charsets) {
            decoded.part(part);
        }
        decoded.quotations = fold::quotations(&decoded.raw, |line| decoded.section(line));
        decoded.form_feeds = fold::form_feeds(&decoded.raw, |line| decoded.section(line));
        let text = |line: usize| {
            let is_text = decoded.section(line) == ArticleSection::Text;
            decoded.raw.piece(line).filter(|_| is_text)
        };
        let mut line_lengths = LineLengths::default();
        line_lengths.scan(decoded.raw.pieces(), text);
        decoded.line_lengths = line_lengths;
        decoded
    }

    /// The memory use, in octets.
    pub(super) fn memory(&self) -> usize {
        let attachments = self.attachments.iter();
        let attached: usize = attachments.map(|listed| listed.file.octets.len()).sum();
        let pages: usize = self.pages.iter().map(ArticlePage::memory).sum();
        self.raw.memory() + attached + pages
    }

    /// Returns true if lines depend on the columns of the pane: a web page has tables.
    pub(super) fn has_tables(&self) -> bool {
        self.pages.iter().any(ArticlePage::has_tables)
    }

    /// The columns of the longest row that is never wrapped.
    pub(super) fn preformatted_columns(&self) -> usize {
        let pages = self.pages.iter();
        pages
            .map(ArticlePage::preformatted_columns)
            .max()
            .unwrap_or(0)
    }

    /// The web page whose line a decoded line shows, and the number of the line there.
    pub(super) fn page_line(&self, line: usize) -> Option<(&ArticlePage, usize)> {
        let after = self.pages.partition_point(|page| page.first() <= line);
        let page = self.pages.get(after.checked_sub(1)?)?;
        Some((page, page.line_of(line)?))
    }

    /// Returns true if one of the web pages has the character U+FFFD itself.
    pub(super) fn has_replacement(&self) -> bool {
        self.pages.iter().any(ArticlePage::has_replacement)
    }

    /// The section of line `number`.
    pub(super) fn section(&self, number: usize) -> ArticleSection {
        let after = self.sections.partition_point(|(start, _)| *start <= number);
        after
            .checked_sub(1)
            .and_then(|at| self.sections.get(at))
            .map_or(ArticleSection::Source, |(_, section)| *section)
    }

    /// The first line that is not a header.
    pub(super) fn body(&self) -> usize {
        let mut sections = self.sections.iter();
        let is_head = |section| {
            use ArticleSection::{Author, Header, Subject};
            matches!(section, Subject | Author | Header)
        };
        let body = sections.find(|(_, section)| !is_head(*section));
        body.map_or(self.raw.lines(), |(start, _)| *start)
    }

    /// The attachment that line `number` describes.
    pub(super) fn attachment(&self, number: usize) -> Option<&Attachment> {
        self.listed(number).map(|listed| &listed.file)
    }

    /// The name in the path of a URL of the attachment that line `number` describes.
    pub(super) fn member_name(&self, number: usize) -> Option<&str> {
        self.listed(number)
            .map(|listed| listed.member_name.as_str())
    }

    fn listed(&self, number: usize) -> Option<&ListedAttachment> {
        let found = self
            .attachments
            .binary_search_by_key(&number, |listed| listed.line);
        self.attachments.get(found.ok()?)
    }

    /// The attachment with this name in the path of a URL.
    pub(super) fn member(&self, name: &str) -> Option<&Attachment> {
        let mut listed = self.attachments.iter();
        let found = listed.find(|listed| listed.member_name == name)?;
        Some(&found.file)
    }

    fn begin(&mut self, section: ArticleSection) {
        self.sections.push((self.raw.pieces(), section));
    }

    fn head(
        &mut self,
        head: &[(Vec<u8>, Vec<u8>)],
        charset: Charset,
        (shown, zone): (&[String], &Zone),
    ) {
        let value = |header: &str| {
            let mut found = head
                .iter()
                .filter(|(name, _)| name.eq_ignore_ascii_case(header.as_bytes()));
            found.next().map(|(_, value)| value.as_slice())
        };
        self.subject = value("Subject").map(<[u8]>::to_vec);
        let from = value("From").unwrap_or_default();
        // A Reply-To that is the author's address is redundant.
        let is_useful = |name: &str, value: &[u8]| {
            !name.eq_ignore_ascii_case("Reply-To") || address(value) != address(from)
        };
        let chosen: Vec<&str> = if shown.is_empty() {
            SHOWN.to_vec()
        } else {
            shown.iter().map(String::as_str).collect()
        };
        let headers: Vec<(&str, &[u8])> = chosen
            .into_iter()
            .filter_map(|name| Some((name, value(name)?)))
            .filter(|(name, value)| is_useful(name, value))
            .collect();
        let written = |name: &str, value: &[u8]| -> Vec<u8> {
            if name.eq_ignore_ascii_case("Date")
                && let Some(time) = date::time(value)
            {
                return zone.written(time).into_bytes();
            }
            if header::is_encoded(value) {
                header::decode(value, charset).into_bytes()
            } else {
                value.to_vec()
            }
        };
        let (first, named): (Vec<_>, Vec<_>) = headers.into_iter().partition(|(name, _)| {
            let first = ["Subject", "From", "Date"];
            first.iter().any(|other| name.eq_ignore_ascii_case(other))
        });
        let first = |name: &str| {
            let header = first
                .iter()
                .find(|(other, _)| name.eq_ignore_ascii_case(other));
            header.map(|(name, value)| written(name, value))
        };
        if let Some(subject) = first("Subject") {
            self.begin(ArticleSection::Subject);
            self.line(&subject);
        }
        let author: Vec<Vec<u8>> = [first("From"), first("Date")]
            .into_iter()
            .flatten()
            .collect();
        if !author.is_empty() {
            self.begin(ArticleSection::Author);
            self.line(&author.join(b"   ".as_slice()));
        }
        let longest = named.iter().map(|(name, _)| name.len() + 2).max();
        let column = longest.unwrap_or(0).max(VALUES);
        self.begin(ArticleSection::Header);
        let start = self.raw.pieces();
        for (name, value) in named {
            let mut line = format!("{:column$}", format!("{name}:")).into_bytes();
            line.extend(written(name, value));
            self.line(&line);
        }
        let lines = self.raw.pieces() - start;
        self.headers = (lines > 0).then_some(LineRun {
            kind: RunKind::Headers,
            first: start,
            lines,
        });
        self.begin(ArticleSection::Text);
        self.raw.append(b"\n");
    }

    /// Appends a line.
    fn line(&mut self, line: &[u8]) {
        self.raw.append(line);
        self.raw.append(b"\n");
    }

    fn part(&mut self, part: Part) {
        match part {
            Part::Text { octets, flowed } => {
                // A dash that is escaped would hide the mark of a signature.
                let octets = without_armour(&octets);
                match flowed {
                    Some(delsp) => self.text(&unflow(&octets, delsp)),
                    None => self.text(&octets),
                }
            }
            Part::Html(page) => {
                self.begin(ArticleSection::Page);
                let page = ArticlePage::append_to(&mut self.raw, &page, self.columns);
                self.pages.push(page);
            }
            Part::Attachment(file) => {
                let is_signature = file.kind == "application/pgp-signature";
                let name = file.label();
                let name = if name.is_blank() {
                    "without a name".to_owned()
                } else {
                    name.to_string()
                };
                let size = text::octets(file.octets.len() as u64);
                let fault = file.fault.as_deref();
                let fault = fault.map_or(String::new(), |fault| format!("; {fault}"));
                let line = self.raw.pieces();
                let row = if is_signature {
                    SIGNED.to_owned()
                } else {
                    format!("[attachment: {name}, {}, {size}{fault}]", file.kind)
                };
                self.note(&row);
                let name = text::file_name(&file.name, "attachment");
                let count = self.name_counts.entry(name.clone()).or_default();
                *count += 1;
                let member_name = match *count {
                    1 => name,
                    count => format!("{name}~{count}"),
                };
                self.attachments.push(ListedAttachment {
                    line,
                    member_name,
                    file,
                });
            }
            Part::Remark(remark) => self.note(&format!("[{remark}]")),
        }
    }

    /// Appends a text part. The last unquoted `-- ` begins its signature.
    fn text(&mut self, octets: &[u8]) {
        self.begin(ArticleSection::Text);
        let mut at = octets.len();
        let mut signature = None;
        // The search starts at the end, as the signature is short.
        for line in octets.rsplit(|&octet| octet == b'\n') {
            at = at.saturating_sub(line.len());
            if line.strip_suffix(b"\r").unwrap_or(line) == b"-- " {
                signature = Some(at);
                break;
            }
            at = at.saturating_sub(1);
        }
        let end = signature.unwrap_or(octets.len());
        let (body, rest) = octets.split_at_checked(end).unwrap_or((octets, &[]));
        self.raw.append(body);
        if !rest.is_empty() {
            self.begin(ArticleSection::Signature);
            self.raw.append(rest);
        }
        if octets.last().is_some_and(|&octet| octet != b'\n') {
            self.raw.append(b"\n");
        }
    }

    fn note(&mut self, note: &str) {
        self.begin(ArticleSection::Note);
        // Names may contain line ends, but a note is one line.
        self.raw.append(note.replace(['\r', '\n'], " ").as_bytes());
        self.raw.append(b"\n");
    }
}

/// The beginning of the source, up to the limit, and its number of line pieces. It is truncated between lines.
fn beginning(source: &LineBuffer) -> (Vec<u8>, usize) {
    let mut octets = source.beginning(DECODED);
    if octets.len() == source.len() {
        return (octets, source.pieces());
    }
    octets.truncate(memchr::memrchr(b'\n', &octets).map_or(0, |end| end + 1));
    let lines = memchr::memchr_iter(b'\n', &octets).count();
    (octets, source.piece_of(lines))
}

/// The names and values of the headers of an article.
pub(super) fn head_of(source: &LineBuffer) -> Vec<(Vec<u8>, Vec<u8>)> {
    let beginning = source.beginning(head::MAX_HEAD_BYTES);
    head::unfolded(head::split(&beginning).0)
}

/// The maximum length of a paragraph, in octets. A longer one is split, so that a row can show all of it.
const PARAGRAPH: usize = 32 * 1024;

/// Joins each paragraph of `text` to one line. Quoted lines begin with one `>` per level and a blank. With `delsp` the
/// blank at the end of a flowed line is removed.
pub(super) fn unflow(text: &[u8], delsp: bool) -> Vec<u8> {
    let mut paragraphs = Vec::with_capacity(text.len());
    let mut open: Option<usize> = None;
    let mut start = 0;
    for line in text.split_inclusive(|&octet| octet == b'\n') {
        let line = without_line_end(line);
        let depth = line.iter().take_while(|&&octet| octet == b'>').count();
        let content = line.get(depth..).unwrap_or_default();
        let content = content.strip_prefix(b" ").unwrap_or(content);
        let is_signature = content == b"-- " || content == SIGNED.as_bytes();
        if open.is_some()
            && (open != Some(depth) || is_signature || paragraphs.len() - start > PARAGRAPH)
        {
            paragraphs.push(b'\n');
            open = None;
        }
        if open.is_none() {
            start = paragraphs.len();
            if depth > 0 {
                paragraphs.extend(std::iter::repeat_n(b'>', depth));
                paragraphs.push(b' ');
            }
        }
        let before_blank = content.strip_suffix(b" ").filter(|_| !is_signature);
        paragraphs.extend_from_slice(before_blank.filter(|_| delsp).unwrap_or(content));
        open = before_blank.map(|_| depth);
        if open.is_none() {
            paragraphs.push(b'\n');
        }
    }
    if open.is_some() {
        paragraphs.push(b'\n');
    }
    paragraphs
}
