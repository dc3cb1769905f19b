//! Bodies whose rows are lines of text: a text with the URLs in it as links (RFC 1738, appendix), and the entries of a phone
//! book: the lines of its reply (RFC 2378), with a blank row before each entry but the first.
//!
//! In a phone book the name of a field is shown before its first line only. Mail addresses and URLs are links.

use geomys_wire::protocol::ph::Line;
use geomys_wire::text::Text;

use super::row::Kind;
use super::rows::{RowProvider, RowSource};
use super::text_line;
use super::text_line::{Around, TextLine, TextLinks};

/// The body of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextBody;

impl RowProvider for TextBody {
    fn count(&self, source: RowSource<'_>) -> usize {
        source.raw.pieces()
    }

    fn text_line<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<TextLine<'a>> {
        let line = source.raw.piece(number)?;
        Some(TextLine {
            around: Around::new(line, number, |other| source.raw.piece(other)),
            ..TextLine::new(Kind::Plain, line, TextLinks::Urls)
        })
    }

    fn octets<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<&'a [u8]> {
        source.raw.piece(number)
    }

    fn continues(&self, source: RowSource<'_>, number: usize) -> bool {
        source.raw.continues(number)
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
        let kind = if is_name { Kind::Heading } else { Kind::Plain };
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
