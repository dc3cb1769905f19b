//! The entries of a phone book as rows: the lines of its reply (RFC 2378), with a blank row before each entry but the
//! first.
//!
//! The name of a field is shown before its first line only. Mail addresses and URLs are links.

use std::ops::Range;

use super::{Kind, Link, Row, RowProvider, RowSource, plain};
use crate::protocol::ph::Line;
use crate::text::Text;

/// The width of the column for field names.
const NAME: usize = 12;

/// The body of a phone book's reply.
#[derive(Clone, Copy, Debug)]
pub(super) struct PhoneBookBody;

impl RowProvider for PhoneBookBody {
    fn row(&self, source: RowSource<'_>, number: usize) -> Option<Row> {
        let line = source.raw.line(number)?;
        let Some(parsed) = Line::parse(line) else {
            return Some(Row::new(Kind::Plain, Text::new(line, source.charset)));
        };
        let name = parsed.field.unwrap_or_default();
        let is_repeated = number
            .checked_sub(1)
            .and_then(|above| Line::parse(source.raw.line(above)?))
            .is_some_and(|above| above.field == parsed.field && above.index == parsed.index);
        let shown = Text::new(if is_repeated { b"" } else { name }, source.charset);
        let is_name = name.eq_ignore_ascii_case(b"name");
        let kind = if is_name { Kind::Heading } else { Kind::Plain };
        let mut row = plain::row_with_mail(kind, parsed.text, source.charset);
        row.spans.insert(0, plain::column(&shown, NAME));
        Some(row)
    }

    fn octets<'a>(&'a self, _: RowSource<'a>, _: usize) -> Option<&'a [u8]> {
        None
    }

    fn record(&self, _: RowSource<'_>, number: usize) -> Vec<usize> {
        vec![number]
    }

    fn links(&self, source: RowSource<'_>, number: usize, indices: Range<usize>) -> Vec<Link> {
        let line = source.raw.line(number).and_then(Line::parse);
        line.map_or(Vec::new(), |line| {
            plain::links_with_mail(line.text, source.charset, indices)
        })
    }

    fn link_count(&self, source: RowSource<'_>, number: usize) -> usize {
        let line = source.raw.line(number).and_then(Line::parse);
        line.map_or(0, |line| {
            plain::link_count_with_mail(line.text, source.charset)
        })
    }

    fn is_list(&self) -> bool {
        true
    }
}
