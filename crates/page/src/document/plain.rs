//! Bodies whose rows are lines of text: a text with the URLs in it as links (RFC 1738, appendix), and the entries of a
//! phone book: the lines of its reply (RFC 2378), with a blank row before each entry but the first.
//!
//! In a phone book the name of a field is shown before its first line only. Mail addresses and URLs are links.

use geomys_wire::protocol::ph::Line;
use geomys_wire::text::{self, Charset, Text};
use memchr::memmem;

use super::raw::LineBuffer;
use super::row::Kind;
use super::rows::{RowProvider, RowSource};
use super::text_line;
use super::text_line::{Around, TextLine, TextLinks};

/// The number of lines of a text that are measured.
const MEASURED: usize = 4000;

/// The columns of the longest line that is wrapped by hand. A longer one is a paragraph.
const MAX_HARD_WRAPPED_COLUMNS: usize = 160;

/// The body of a text.
#[derive(Clone, Debug, Default)]
pub(super) struct TextBody {
    lengths: LineLengths,
    /// The end of the text before a SAUCE record.
    end: Option<TextEnd>,
}

/// Where a text ends before its last octets: in this piece, after this many octets of it.
#[derive(Clone, Copy, Debug)]
struct TextEnd {
    piece: usize,
    octets: usize,
}

/// The octets of a SAUCE record: the name, author, size and font of a drawing, behind its text (SAUCE 00.5).
const SAUCE_OCTETS: usize = 128;

/// The offset of the number of its comments in a SAUCE record. They stand before it, behind `COMNT`.
const COMMENTS_AT: usize = 104;

impl TextEnd {
    /// Finds the SAUCE record at the end of a text.
    ///
    /// ```text
    /// end = [ SUB ] [ "COMNT" *( 64 octet ) ] "SAUCE00" 121 octet
    /// ```
    fn before_sauce(raw: &LineBuffer) -> Option<Self> {
        let record = raw.ending(SAUCE_OCTETS);
        if record.len() < SAUCE_OCTETS || !record.starts_with(b"SAUCE00") {
            return None;
        }
        let comments = usize::from(*record.get(COMMENTS_AT)?);
        let start: &[u8] = if comments > 0 { b"COMNT" } else { b"SAUCE00" };
        // Each octet of the record and of its comments may end a line.
        let most = SAUCE_OCTETS + 64 * comments + start.len();
        (0..raw.pieces()).rev().take(most).find_map(|piece| {
            let line = raw.piece(piece)?;
            let octets = memmem::rfind(line, start)?;
            let before = line.get(..octets)?;
            let before = before.strip_suffix(b"\x1a").unwrap_or(before);
            let octets = before.len();
            Some(Self { piece, octets })
        })
    }
}

/// The lengths of the lines of a text, which tell whether it was wrapped by hand or has a paragraph a line.
#[derive(Clone, Debug, Default)]
pub(super) struct LineLengths {
    /// The number of lines that were measured.
    scanned: usize,
    /// The columns of the longest line.
    longest: usize,
    /// The columns of each line that another one follows directly.
    followed: Vec<u16>,
    /// The number of these lines with columns or an indentation of their own, as those of a table, a drawing or a
    /// program.
    arranged: usize,
}

impl LineLengths {
    /// Measures the lines from the last measured one on, of this many complete ones, and the length of the one behind
    /// them.
    pub(super) fn scan<'a>(&mut self, count: usize, line: impl Fn(usize) -> Option<&'a [u8]>) {
        while self.scanned < count.min(MEASURED) {
            let number = self.scanned;
            self.scanned += 1;
            let Some(octets) = line(number) else {
                continue;
            };
            let text = Text::new(octets, Charset::default());
            let text = text.as_str().trim_end();
            let columns = text::width(text);
            self.longest = self.longest.max(columns);
            let is_followed = line(number + 1).is_some_and(|next| !next.trim_ascii().is_empty());
            if columns > 0 && is_followed {
                self.followed
                    .push(u16::try_from(columns).unwrap_or(u16::MAX));
                let is_indented = text.starts_with("  ") && columns <= MAX_HARD_WRAPPED_COLUMNS / 2;
                let is_arranged = is_indented
                    || memmem::find(text.trim_start().as_bytes(), b"   ").is_some()
                    || !text.contains(char::is_alphabetic);
                self.arranged += usize::from(is_arranged);
            }
        }
        if count < MEASURED
            && self.scanned < MEASURED
            && let Some(octets) = line(count)
        {
            let last = Text::new(octets, Charset::default());
            self.longest = self.longest.max(text::width(last.as_str().trim_end()));
        }
    }

    /// The columns of the longest line, if most lines with another one below them are about as long, or arranged by
    /// hand; 0 for a text with a paragraph a line.
    pub(super) fn hard_wrapped_columns(&self) -> usize {
        let full = self.longest * 3 / 4;
        let full = self
            .followed
            .iter()
            .filter(|columns| usize::from(**columns) >= full);
        let is_hard_wrapped = 2 * (full.count() + self.arranged) >= self.followed.len();
        if is_hard_wrapped && !self.followed.is_empty() && self.longest <= MAX_HARD_WRAPPED_COLUMNS
        {
            self.longest
        } else {
            0
        }
    }
}

impl TextBody {
    /// Measures no line.
    pub(super) fn leave_unmeasured(&mut self) {
        self.lengths.scanned = MEASURED;
    }

    /// The lengths of its lines.
    pub(super) fn line_lengths(&self) -> &LineLengths {
        &self.lengths
    }

    /// A piece of the text.
    fn piece<'a>(&self, source: RowSource<'a>, number: usize) -> Option<&'a [u8]> {
        let line = source.raw.piece(number)?;
        match self.end {
            Some(end) if number > end.piece => None,
            Some(end) if number == end.piece => line.get(..end.octets),
            Some(_) | None => Some(line),
        }
    }
}

impl RowProvider for TextBody {
    fn count(&self, source: RowSource<'_>) -> usize {
        match self.end {
            Some(end) => end.piece + usize::from(end.octets > 0),
            None => source.raw.pieces(),
        }
    }

    fn text_line<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<TextLine<'a>> {
        let line = self.piece(source, number)?;
        Some(TextLine {
            around: Around::new(line, number, |other| self.piece(source, other)),
            ..TextLine::new(Kind::Plain, line, TextLinks::Urls)
        })
    }

    fn octets<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<&'a [u8]> {
        self.piece(source, number)
    }

    fn continues(&self, source: RowSource<'_>, number: usize) -> bool {
        source.raw.continues(number)
    }

    fn on_append(&mut self, source: RowSource<'_>) {
        self.end = TextEnd::before_sauce(source.raw);
        let last = source.raw.pieces().saturating_sub(1);
        self.lengths.scan(last, |line| source.raw.piece(line));
    }

    fn is_link(&self, source: RowSource<'_>, number: usize) -> bool {
        let line = self.text_line(source, number);
        line.is_some_and(|line| line.has_link(source.charset))
    }
}

/// The width of the column for field names.
const NAME: usize = 12;

/// The body of a phone book's reply.
#[derive(Clone, Copy, Debug)]
pub(super) struct PhoneBookBody;

impl RowProvider for PhoneBookBody {
    fn text_line<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<TextLine<'a>> {
        let line = source.raw.line(number)?;
        let Some(parsed) = Line::parse(line) else {
            return Some(TextLine::new(Kind::Plain, line, TextLinks::None));
        };
        let name = parsed.field.unwrap_or_default();
        let is_repeated = number
            .checked_sub(1)
            .and_then(|above| Line::parse(source.raw.line(above)?))
            .is_some_and(|above| above.field == parsed.field && above.index == parsed.index);
        let shown = Text::new(if is_repeated { b"" } else { name }, source.charset);
        let is_name = name.eq_ignore_ascii_case(b"name");
        let kind = if is_name {
            Kind::Heading(0)
        } else {
            Kind::Plain
        };
        Some(TextLine {
            name: Some(text_line::column(&shown, NAME)),
            ..TextLine::new(kind, parsed.text, TextLinks::UrlsOrMail)
        })
    }

    fn octets<'a>(&'a self, _: RowSource<'a>, _: usize) -> Option<&'a [u8]> {
        None
    }

    fn record(&self, _: RowSource<'_>, number: usize) -> Vec<usize> {
        vec![number]
    }
}
