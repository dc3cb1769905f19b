//! The interface of a body: making rows from lines.

use std::ops::Range;
use std::sync::Arc;

use geomys_wire::text::{Charset, Text};
use rfc1738::Url;

use super::folds::ArticleVisibility;
use super::order::{ListOrder, SortColumn};
use super::raw::LineBuffer;
use super::row::{Link, Row, RowOrigin};
use super::text_line::TextLine;

/// The input from which a body makes rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowSource<'a> {
    pub(super) url: &'a Url,
    pub(super) raw: &'a LineBuffer,
    pub(super) charset: Charset,
    /// The charset from which the octets were converted to UTF-8.
    pub(super) converted_from: Option<Charset>,
    /// True if nobody chose or declared the charset: an article of a group has its own.
    pub(super) is_detected: bool,
}

/// The text of a row that a filter searches.
#[derive(Clone, Copy, Debug)]
pub(super) enum FilterText<'a> {
    /// No text, as in the row of the parent directory. The row is hidden while there is a filter.
    None,
    /// These octets.
    Octets(&'a [u8]),
    /// The whole text of the row, and the column on its left.
    Text,
    /// This group name where the query is a wildmat pattern (RFC 3977, section 4), else as [`FilterText::Text`].
    Group(&'a [u8]),
}

/// The lines of a list in the order of its rows: the order of arrival until they are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RowLines(Option<Arc<[u32]>>);

impl RowLines {
    /// Returns true if the rows have an order of their own.
    pub(super) fn are_sorted(&self) -> bool {
        self.0.is_some()
    }

    /// The number of rows that were sorted; `None` in the order of arrival.
    pub(super) fn count(&self) -> Option<usize> {
        self.0.as_ref().map(|lines| lines.len())
    }

    /// The line that a row shows.
    pub(super) fn line_of(&self, row: usize) -> Option<usize> {
        match &self.0 {
            Some(lines) => usize::try_from(*lines.get(row)?).ok(),
            None => Some(row),
        }
    }

    /// The row that shows a line.
    pub(super) fn row_of(&self, line: usize) -> Option<usize> {
        let Some(lines) = &self.0 else {
            return Some(line);
        };
        let line = u32::try_from(line).ok()?;
        lines.iter().position(|&own| own == line)
    }

    /// The memory use, in octets.
    pub(super) fn memory(&self) -> usize {
        self.0.as_ref().map_or(0, |lines| size_of_val(&**lines))
    }
}

impl FromIterator<u32> for RowLines {
    fn from_iter<T: IntoIterator<Item = u32>>(lines: T) -> Self {
        Self(Some(lines.into_iter().collect()))
    }
}

/// A body that makes rows from lines. Rows are numbered from 0; a number beyond the end returns nothing.
pub(super) trait RowProvider {
    /// The number of rows so far.
    fn count(&self, source: RowSource<'_>) -> usize {
        source.raw.lines()
    }

    /// The line of text in row `number`, where the row is no more than that.
    fn text_line<'a>(&'a self, _source: RowSource<'a>, _number: usize) -> Option<TextLine<'a>> {
        None
    }

    /// Makes row `number`.
    fn row(&self, source: RowSource<'_>, number: usize) -> Option<Row> {
        Some(self.text_line(source, number)?.row(source.charset))
    }

    /// The octets of row `number`, for searching; nothing where they differ from the displayed text.
    fn octets<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<&'a [u8]> {
        source.raw.line(number)
    }

    /// The properties of row `number` that it does not show, by name.
    fn details(&self, _source: RowSource<'_>, _number: usize) -> Vec<(&'static str, Text)> {
        Vec::new()
    }

    /// Returns true if row `number` continues the line of the row before it, which is too long for one row.
    fn continues(&self, _source: RowSource<'_>, _number: usize) -> bool {
        false
    }

    /// The lines that row `number` is made of, where the body shows the first piece of a long line only.
    fn record(&self, _source: RowSource<'_>, _number: usize) -> Vec<usize> {
        Vec::new()
    }

    /// The link of row `number`, where it has at most one and is not a line of text.
    fn link(&self, _source: RowSource<'_>, _number: usize) -> Option<Link> {
        None
    }

    /// The links of row `number` with these indices, in their order. No other URL is built.
    fn links(&self, source: RowSource<'_>, number: usize, indices: Range<usize>) -> Vec<Link> {
        match self.text_line(source, number) {
            Some(line) => line.links(source.url, source.charset, indices),
            None if indices.contains(&0) => self.link(source, number).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// The number of links in row `number`. Builds no URL.
    fn link_count(&self, source: RowSource<'_>, number: usize) -> usize {
        let line = self.text_line(source, number);
        line.map_or(0, |line| line.link_count(source.charset))
    }

    /// Returns true if the first link of row `number` began in a row before: a URL in brackets over several lines.
    fn continues_link(&self, source: RowSource<'_>, number: usize) -> bool {
        let line = self.text_line(source, number);
        line.is_some_and(|line| line.continues_link(source.charset))
    }

    /// Returns true if row `number` has a link. Must be fast: it is called for many rows.
    fn is_link(&self, source: RowSource<'_>, number: usize) -> bool {
        self.link_count(source, number) > 0
    }

    /// The row whose link has this number, if links are numbered.
    fn row_of_link(&self, _source: RowSource<'_>, _number: usize) -> Option<usize> {
        None
    }

    /// The highest number that a link has so far; 0 where links are not numbered.
    fn highest_link_number(&self, _source: RowSource<'_>) -> usize {
        0
    }

    /// Updates the body after octets were appended.
    fn on_append(&mut self, _source: RowSource<'_>) {}

    /// Completes the body when all octets have arrived. Runs on a blocking task: it may be slow.
    fn finish(&mut self, _source: RowSource<'_>) {}

    /// Returns true if [`RowProvider::finish`] must be called.
    fn needs_finish(&self) -> bool {
        false
    }

    /// The title in the content, once it has arrived.
    fn title(&self, _source: RowSource<'_>) -> Option<Text> {
        None
    }

    /// The columns by which the rows can be sorted.
    fn columns(&self) -> &'static [SortColumn] {
        &[]
    }

    /// The sort order; nothing where the rows cannot be sorted.
    fn order(&self) -> Option<ListOrder> {
        None
    }

    /// Sorts the rows. Runs on a blocking task: it may be slow.
    fn sort(&mut self, _source: RowSource<'_>, _order: ListOrder) {}

    /// The articles of a group that have a row.
    fn visibility(&self) -> ArticleVisibility {
        ArticleVisibility::default()
    }

    /// Selects the articles of a group that have a row. With `filtered` each article has a row of its own, for the
    /// filter to match. Returns true if the rows have changed. Runs on a blocking task: it may be slow.
    fn set_visibility(
        &mut self,
        _source: RowSource<'_>,
        _visibility: ArticleVisibility,
        _filtered: bool,
    ) -> bool {
        false
    }

    /// The memory use, in octets, without the received octets.
    fn memory(&self) -> usize {
        0
    }

    /// The part of the document that a row shows.
    fn origin(&self, row: usize) -> Option<RowOrigin> {
        Some(RowOrigin::Line(row))
    }

    /// The row that shows this part of the document.
    fn row_of(&self, origin: RowOrigin) -> Option<usize> {
        origin.line()
    }

    /// The text of row `number` that a filter searches.
    fn filter_text<'a>(&'a self, _source: RowSource<'a>, _number: usize) -> FilterText<'a> {
        FilterText::Text
    }
}
