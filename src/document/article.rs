//! An article (RFC 5536; MIME of RFC 2045 to 2047).
//!
//! ```text
//! article = 1*header CRLF body
//! header  = name ":" SP value CRLF *( WS value CRLF )
//! ```
//!
//! While it arrives it is shown as it comes. Once whole it is decoded: the headers that people read, its texts with
//! quotations and signature told apart, a line for each attachment. The decoded lines are octets again, of which rows
//! are made when somebody looks; what nobody declared stays as it came, so that the page's charset decides. Of a very
//! long article only the beginning is decoded, the rest is shown as it came.

mod decode;
mod document;
mod encoded;
mod flowed;
mod fold;
mod folded;
mod head;
mod ids;
mod mime;
mod parent;

use std::ops::Range;
use std::sync::Arc;

use self::decode::{Decoded, Section};
use self::fold::{Run, Sort};
use self::folded::{Folded, Place};
pub(super) use self::mime::Attachment;
pub use self::parent::Parent;
use super::rows::only;
use super::{Kind, Link, Origin, Raw, Row, Rows, Source, Span, header, plain};
use crate::text::{self, Text};

/// The body of an article; nothing until the article is whole.
#[derive(Clone, Debug, Default)]
pub(super) struct Article {
    whole: Option<Arc<Decoded>>,
    /// The headers that somebody chose to see, in their order; none for the usual ones.
    headers: Arc<[String]>,
    /// What is folded. A form feed that is hides the quotations in it.
    folded: Folded,
    script: Script,
    /// While it arrives: the line with its first form feed, behind which nothing is shown yet.
    form_feed: Option<usize>,
    /// Whole lines that were looked at for that.
    seen: usize,
}

/// How the letters of the text are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Script {
    #[default]
    Plain,
    Rot13,
}

impl Rows for Article {
    fn count(&self, source: Source<'_>) -> usize {
        match &self.whole {
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

    fn row(&self, source: Source<'_>, number: usize) -> Option<Row> {
        if let Place::Folded(run) = self.folded.place(number) {
            let (text, kind) = match run.sort {
                Sort::Quotation => (
                    format!("[{} lines of quotation]", run.lines),
                    Kind::Quote(1),
                ),
                Sort::FormFeed => (behind_form_feed(run.lines), Kind::Plain),
            };
            let text = Text::of(&text);
            let span = Span {
                link: Some(0),
                ..Span::new(text)
            };
            return Some(Row {
                spans: vec![span],
                ..Row::new(kind, Text::default())
            });
        }
        let (line, section) = self.line(source, number)?;
        let turned = self.turned(line, section);
        let line = turned.as_deref().unwrap_or(line);
        Some(match section {
            Section::Header if self.continues(source, number) => {
                Row::new(Kind::Header, Text::new(line, source.charset))
            }
            Section::Header => head::row(line, source),
            Section::Text => ids::row(self.quotation(number), line, source.charset),
            Section::Signature => plain::row(Kind::Signature, line, source.charset),
            Section::Note => self.note(line, number, source),
            Section::Source => plain::row(Kind::Plain, line, source.charset),
        })
    }

    fn octets<'a>(&'a self, source: Source<'a>, number: usize) -> Option<&'a [u8]> {
        self.line(source, number).map(|(line, _)| line)
    }

    fn continues(&self, source: Source<'_>, number: usize) -> bool {
        match (&self.whole, self.folded.place(number)) {
            (_, Place::Folded(_)) => false,
            (None, Place::Line(line)) => source.raw.continues(line),
            (Some(decoded), Place::Line(line)) => match line.checked_sub(decoded.raw.pieces()) {
                None => decoded.raw.continues(line),
                Some(rest) => source.raw.continues(decoded.read + rest),
            },
        }
    }

    fn links(&self, source: Source<'_>, number: usize, which: Range<usize>) -> Vec<Link> {
        // What it leads to is in the article itself.
        let here = |label| Some(Link::new(label, Ok(source.url.clone())));
        if let Place::Folded(run) = self.folded.place(number) {
            let label = match run.sort {
                Sort::Quotation => "the quotation",
                Sort::FormFeed => "what follows the form feed",
            };
            return only(&which, || here(Text::of(label)));
        }
        match self.line(source, number) {
            None => Vec::new(),
            Some((_, Section::Note)) => only(&which, || here(self.attachment(number)?.label())),
            Some((_, Section::Header)) if self.continues(source, number) => Vec::new(),
            Some((line, Section::Header)) => head::links(line, source, which),
            Some((line, section @ Section::Text)) => {
                let turned = self.turned(line, section);
                ids::links(turned.as_deref().unwrap_or(line), source.charset, which)
            }
            Some((line, section @ (Section::Signature | Section::Source))) => {
                let turned = self.turned(line, section);
                plain::links(turned.as_deref().unwrap_or(line), source.charset, which)
            }
        }
    }

    fn link_count(&self, source: Source<'_>, number: usize) -> usize {
        if let Place::Folded(_) = self.folded.place(number) {
            return 1;
        }
        match self.line(source, number) {
            None => 0,
            Some((_, Section::Note)) => usize::from(self.attachment(number).is_some()),
            Some((_, Section::Header)) if self.continues(source, number) => 0,
            Some((line, Section::Header)) => head::link_count(line, source),
            Some((line, section @ Section::Text)) => {
                let turned = self.turned(line, section);
                ids::link_count(turned.as_deref().unwrap_or(line), source.charset)
            }
            Some((line, section @ (Section::Signature | Section::Source))) => {
                let turned = self.turned(line, section);
                plain::link_count(turned.as_deref().unwrap_or(line), source.charset)
            }
        }
    }

    fn arrived(&mut self, source: Source<'_>) {
        let lines = source.raw.pieces();
        let mut new = self.seen..lines;
        if self.whole.is_none() && self.form_feed.is_none() {
            self.form_feed = new.find(|&number| {
                let line = source.raw.piece(number).unwrap_or_default();
                fold::hides_from(line, number).is_some()
            });
        }
        // The last line may still be growing.
        self.seen = lines.saturating_sub(1);
    }

    fn finish(&mut self, source: Source<'_>) {
        if self.whole.is_none() {
            let decoded = Decoded::new(source.raw, source.charset, &self.headers);
            self.folded = Folded::new(decoded.form_feeds.iter().copied());
            self.whole = Some(Arc::new(decoded));
        }
    }

    fn wants_finish(&self) -> bool {
        self.whole.is_none()
    }

    fn is_list(&self) -> bool {
        false
    }

    fn origin(&self, row: usize) -> Option<Origin> {
        Some(Origin::Line(match self.folded.place(row) {
            Place::Line(line) => line,
            Place::Folded(run) => run.first,
        }))
    }

    fn row_of(&self, origin: Origin) -> Option<usize> {
        match origin {
            Origin::Line(line) => Some(self.folded.row_of(line)),
            Origin::Up | Origin::Remark(..) => None,
        }
    }

    fn memory(&self) -> usize {
        self.whole.as_ref().map_or(0, |decoded| decoded.memory())
    }

    fn title(&self, source: Source<'_>) -> Option<Text> {
        let subject = self.whole.as_ref()?.subject.as_deref()?;
        Some(header::text(subject, source.charset)).filter(|title| !title.is_blank())
    }
}

impl Article {
    /// Shows these headers, in this order, once the article is whole; none for the usual ones.
    pub(super) fn show_headers(&mut self, headers: Arc<[String]>) {
        self.headers = headers;
    }

    /// Folds the quotation that row `number` belongs to, or opens it, or what stands behind a form feed there; whether
    /// there is one.
    pub(super) fn turn_quotation(&mut self, number: usize) -> bool {
        match self.folded.place(number) {
            Place::Folded(run) => {
                self.folded = Folded::new(self.folded.runs().filter(|folded| *folded != run));
                true
            }
            Place::Line(line) => {
                let Some(decoded) = &self.whole else {
                    return false;
                };
                let found = decoded.quotations.iter().find(|run| run.holds(line));
                let found = found.copied();
                self.folded = Folded::new(self.folded.runs().chain(found));
                found.is_some()
            }
        }
    }

    /// Whether row `number` stands for something folded.
    pub(super) fn is_folded(&self, number: usize) -> bool {
        matches!(self.folded.place(number), Place::Folded(_))
    }

    /// Whether row `number` stands for what is hidden by a form feed.
    pub(super) fn is_form_feed(&self, number: usize) -> bool {
        match self.folded.place(number) {
            Place::Folded(run) => run.sort == Sort::FormFeed,
            Place::Line(_) => false,
        }
    }

    /// Opens all that is folded.
    pub(super) fn unfold(&mut self) {
        self.folded = Folded::default();
    }

    /// Folds every quotation that is long or deep, or opens all of them; whether there is any. Where there is none, what
    /// stands behind form feeds is folded or opened.
    pub(super) fn turn_quotations(&mut self) -> bool {
        let Some(decoded) = &self.whole else {
            return false;
        };
        let (sort, runs) = if decoded.quotations.is_empty() {
            (Sort::FormFeed, &decoded.form_feeds)
        } else {
            (Sort::Quotation, &decoded.quotations)
        };
        let others = self.folded.runs().filter(|run| run.sort != sort);
        let others = Folded::new(others);
        self.folded = if self.folded.has(sort) {
            others
        } else {
            let is_seen = |run: &&Run| others.holding(run.first).is_none();
            let seen = runs.iter().filter(is_seen).copied();
            Folded::new(others.runs().chain(seen))
        };
        !runs.is_empty()
    }

    /// Reads the text by ROT13, or as it is again.
    pub(super) fn turn_script(&mut self) {
        self.script = match self.script {
            Script::Plain => Script::Rot13,
            Script::Rot13 => Script::Plain,
        };
    }

    /// A line of the text by ROT13; nothing where it is read as it is.
    fn turned(&self, line: &[u8], section: Section) -> Option<Vec<u8>> {
        match (self.script, section) {
            (Script::Rot13, Section::Text | Section::Signature) => {
                Some(line.iter().copied().map(fold::rot13).collect())
            }
            (Script::Rot13, Section::Header | Section::Note | Section::Source)
            | (Script::Plain, _) => None,
        }
    }

    /// The file that row `number` tells of.
    pub(super) fn attachment(&self, number: usize) -> Option<&Attachment> {
        match self.folded.place(number) {
            Place::Line(line) => self.whole.as_ref()?.attachment(line),
            Place::Folded(_) => None,
        }
    }

    /// A remark of ours; one that tells of a file is a link.
    fn note(&self, line: &[u8], number: usize, source: Source<'_>) -> Row {
        let mut row = Row::new(Kind::Plain, Text::new(line, source.charset));
        if let (Some(span), Some(_)) = (row.spans.first_mut(), self.attachment(number)) {
            span.link = Some(0);
        }
        row
    }

    /// The row at which the body begins, once it is whole.
    pub(super) fn body_row(&self) -> Option<usize> {
        Some(self.folded.row_of(self.whole.as_ref()?.body()))
    }

    /// The lines that were made of the source, once it is whole.
    pub(super) fn decoded(&self) -> Option<&Raw> {
        self.whole.as_ref().map(|decoded| &decoded.raw)
    }

    fn line<'a>(&'a self, source: Source<'a>, number: usize) -> Option<(&'a [u8], Section)> {
        let Some(decoded) = &self.whole else {
            return Some((source.raw.piece(number)?, Section::Source));
        };
        let number = match self.folded.place(number) {
            Place::Line(line) => line,
            Place::Folded(run) => run.first,
        };
        match number.checked_sub(decoded.raw.pieces()) {
            None => Some((decoded.raw.piece(number)?, decoded.section(number))),
            Some(rest) => Some((source.raw.piece(decoded.read + rest)?, Section::Source)),
        }
    }

    /// How deep the line is quoted that row `number` of the decoded text is of.
    fn quotation(&self, number: usize) -> Kind {
        match (&self.whole, self.folded.place(number)) {
            (Some(decoded), Place::Line(line)) => {
                let first = decoded.raw.piece(decoded.raw.first_of(line));
                first.map_or(Kind::Plain, quotation)
            }
            (None, _) | (_, Place::Folded(_)) => Kind::Plain,
        }
    }
}

/// What is told of lines that a form feed hides.
fn behind_form_feed(lines: usize) -> String {
    let lines = match lines {
        1 => "1 line".to_owned(),
        lines => format!("{} lines", text::count(lines)),
    };
    format!("[form feed: {lines} more; Enter or page down]")
}

/// How deep a line is quoted: `>`, with a blank between two at the most.
fn quotation(line: &[u8]) -> Kind {
    let mut depth = 0_u8;
    let mut rest = line;
    while let Some(after) = rest
        .strip_prefix(b">")
        .or_else(|| rest.strip_prefix(b" >").filter(|_| depth > 0))
    {
        depth = depth.saturating_add(1);
        rest = after;
    }
    match depth {
        0 => Kind::Plain,
        depth => Kind::Quote(depth),
    }
}
