//! The body of a text: lines with the URLs in them as links (RFC 1738, appendix).

use super::row::Kind;
use super::rows::{RowProvider, RowSource};
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
