//! The arrangement of a list's rows: their order, and the subset that is visible.

use std::sync::Arc;

use super::continuation::{ContinuationRows, further_pieces};
use super::find::SearchText;
use super::{ArticleVisibility, Document, ListOrder, RowProvider, RowSource, SortColumn};

/// The order and the visible subset of a list's rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrangement {
    /// The sort order; nothing where the rows cannot be sorted.
    pub order: Option<ListOrder>,
    /// The text that a row must contain to be visible; nothing shows all rows.
    pub filter: Option<SearchText>,
    /// The articles of a group that have a row.
    pub visibility: ArticleVisibility,
}

/// The part of the document that a row shows. It stays the same when rows are sorted or filtered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOrigin {
    /// The link to the parent directory.
    Up,
    /// A remark, by its number: its title, or the line with this number.
    Remark(usize, Option<usize>),
    /// The line with this number.
    Line(usize),
}

/// The rows that match a filter.
#[derive(Clone, Debug)]
pub(super) struct RowFilter {
    needle: SearchText,
    /// The numbers of these rows in the unfiltered list, in order.
    rows: Vec<u32>,
    /// The number of rows that a filter can match.
    total: usize,
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

impl Document {
    /// Returns the document sorted by `order`. Slow: call it on a clone, on a blocking task.
    #[must_use]
    pub fn sorted(self, order: ListOrder) -> Self {
        let arrangement = Arrangement {
            order: Some(order),
            ..self.arrangement()
        };
        self.arranged(arrangement)
    }

    /// Returns the document finished, its rows sorted and filtered. Slow: call it on a clone, on a blocking task.
    #[must_use]
    pub fn arranged(mut self, arrangement: Arrangement) -> Self {
        if self.needs_finish() {
            self = self.finished();
        }
        let Arrangement {
            order,
            filter,
            visibility,
        } = arrangement;
        let mut old = self.filter.take();
        let is_new = |order: &ListOrder| {
            self.columns().contains(&order.column) && self.order().is_some_and(|now| now != *order)
        };
        let order = order.filter(is_new);
        let (rows, source) = self.rows_mut();
        if let Some(order) = order {
            rows.sort(source, order);
            old = None;
        }
        if rows.set_visibility(source, visibility, filter.is_some()) {
            old = None;
        }
        let (rows, source) = (self.rows(), self.source());
        let filter = filter.map(|needle| match old {
            Some(old) if needle.narrows(old.needle()) => old.narrowed(needle, rows, source),
            Some(_) | None => RowFilter::new(needle, rows, source),
        });
        self.filter = filter.map(Arc::new);
        self.find_continuations();
        self
    }

    /// The current arrangement of the rows.
    pub fn arrangement(&self) -> Arrangement {
        Arrangement {
            order: self.order(),
            filter: self.filter.as_ref().map(|filter| filter.needle().clone()),
            visibility: self.rows().visibility(),
        }
    }

    /// The columns by which the rows can be sorted.
    pub fn columns(&self) -> &'static [SortColumn] {
        self.rows().columns()
    }

    /// The sort order of the rows; nothing where they cannot be sorted.
    pub fn order(&self) -> Option<ListOrder> {
        self.rows().order()
    }

    /// The filter: its query, the number of rows that match, the number of rows that could match.
    pub fn filter_summary(&self) -> Option<(&str, usize, usize)> {
        let filter = self.filter.as_ref()?;
        Some((filter.needle().words(), filter.count(), filter.total()))
    }

    /// The number of row `number` in `other`, the same document after it was sorted or filtered. When the row is hidden
    /// there, the number of the next visible row.
    pub fn moved_to(&self, number: usize, other: &Self) -> Option<usize> {
        let row = other.rows().row_of(self.origin(number)?)?;
        Some(other.nearest(row))
    }

    /// The initial row of the cursor: the first row that is not a remark.
    pub fn initial_row(&self) -> usize {
        let is_remark = |row: &usize| matches!(self.origin(*row), Some(RowOrigin::Remark(..)));
        let rows = 0..self.count();
        rows.take_while(is_remark).count()
    }

    /// The part of the document that row `number` shows.
    pub fn origin(&self, number: usize) -> Option<RowOrigin> {
        self.rows().origin(self.row_in_body(number)?.0)
    }

    /// The row that shows this part of the document; nothing when it is hidden.
    pub fn row_of(&self, origin: RowOrigin) -> Option<usize> {
        self.position(self.rows().row_of(origin)?)
    }

    /// The row of the body that visible row `number` shows or continues, and the piece that it shows if it continues one.
    pub(super) fn row_in_body(&self, number: usize) -> Option<(usize, Option<usize>)> {
        let (record, piece) = self.continuations.record(number);
        let row = match &self.filter {
            Some(filter) => filter.row(record)?,
            None => record,
        };
        Some((row, piece))
    }

    /// The visible row of a row of the body; when it is hidden, the next visible row.
    pub(super) fn nearest(&self, row: usize) -> usize {
        let record = match &self.filter {
            Some(filter) => filter.nearest(row),
            None => row,
        };
        self.continuations.row_of(record)
    }

    /// The visible row of a row of the body; nothing when it is hidden.
    pub(super) fn position(&self, row: usize) -> Option<usize> {
        let record = match &self.filter {
            Some(filter) => filter.position(row)?,
            None => row,
        };
        Some(self.continuations.row_of(record))
    }

    /// Finds the rows that continue long records among the visible rows.
    pub(super) fn find_continuations(&mut self) {
        let (rows, source) = (self.rows(), self.source());
        self.continuations = match &self.filter {
            _ if !self.has_records() => ContinuationRows::default(),
            Some(filter) => ContinuationRows::new(filter.rows(), rows, source),
            None => ContinuationRows::new(0..rows.count(source), rows, source),
        };
    }
}

impl RowFilter {
    /// Returns the filter for the rows that contain `needle`. Slow on a long list.
    pub(super) fn new(needle: SearchText, rows: &dyn RowProvider, source: RowSource<'_>) -> Self {
        let mut total = 0;
        let count = u32::try_from(rows.count(source)).unwrap_or(u32::MAX);
        let pattern = needle.pattern();
        let matching = (0..count).filter(|&row| {
            let text = rows.filter_text(source, row as usize);
            total += usize::from(!matches!(text, FilterText::None));
            match (&pattern, text) {
                (Some(pattern), FilterText::Group(name)) => {
                    pattern.matches(&name.to_ascii_lowercase())
                }
                (_, text) => is_shown(&needle, text, rows, source, row as usize),
            }
        });
        let rows = matching.collect();
        Self {
            needle,
            rows,
            total,
        }
    }

    /// Returns the filter for a longer query: only rows that match the shorter one can match it.
    pub(super) fn narrowed(
        &self,
        needle: SearchText,
        rows: &dyn RowProvider,
        source: RowSource<'_>,
    ) -> Self {
        let matching = self.rows.iter().copied().filter(|&row| {
            let text = rows.filter_text(source, row as usize);
            is_shown(&needle, text, rows, source, row as usize)
        });
        let rows = matching.collect();
        Self {
            needle,
            rows,
            total: self.total,
        }
    }

    /// The query.
    pub(super) fn needle(&self) -> &SearchText {
        &self.needle
    }

    /// The number of rows that match.
    pub(super) fn count(&self) -> usize {
        self.rows.len()
    }

    /// The number of rows that could match.
    pub(super) fn total(&self) -> usize {
        self.total
    }

    /// The number of visible row `number` in the unfiltered list.
    pub(super) fn row(&self, number: usize) -> Option<usize> {
        self.rows.get(number).map(|&row| row as usize)
    }

    /// The rows that match, as their numbers in the unfiltered list.
    fn rows(&self) -> impl Iterator<Item = usize> {
        self.rows.iter().map(|&row| row as usize)
    }

    /// The visible number of a row; when it is hidden, that of the next visible row.
    pub(super) fn nearest(&self, row: usize) -> usize {
        self.rows
            .partition_point(|&visible| (visible as usize) < row)
    }

    /// The visible number of a row; nothing when it is hidden.
    pub(super) fn position(&self, row: usize) -> Option<usize> {
        let position = self.nearest(row);
        (self.row(position) == Some(row)).then_some(position)
    }
}

fn is_shown(
    needle: &SearchText,
    text: FilterText<'_>,
    rows: &dyn RowProvider,
    source: RowSource<'_>,
    row: usize,
) -> bool {
    let is_in_record = match text {
        FilterText::None => return false,
        FilterText::Octets(octets) => needle.is_in_octets(octets, source.charset),
        FilterText::Text | FilterText::Group(_) => {
            rows.octets(source, row)
                .is_none_or(|octets| needle.could_be_in(octets))
                && rows.row(source, row).is_some_and(|row| needle.is_in(&row))
        }
    };
    is_in_record
        || further_pieces(rows, source, row)
            .filter_map(|piece| source.raw.piece(piece))
            .any(|piece| needle.is_in_octets(piece, source.charset))
}
