//! The filter of a list: the rows that contain the words of a query.

use std::cell::OnceCell;

use super::continuation::further_pieces;
use super::filter_query::{FilterQuery, FilterWord};
use super::rows::{FilterText, RowProvider, RowSource};

/// The rows that match a filter.
#[derive(Clone, Debug)]
pub(super) struct RowFilter {
    pub(super) query: FilterQuery,
    /// The numbers of these rows in the unfiltered list, in order.
    rows: Vec<u32>,
    /// The number of rows that a filter can match.
    pub(super) total: usize,
}

impl RowFilter {
    /// Returns the filter for the rows that match `query`. Slow on a long list.
    pub(super) fn new(query: FilterQuery, rows: &dyn RowProvider, source: RowSource<'_>) -> Self {
        let mut total = 0;
        let count = u32::try_from(rows.count(source)).unwrap_or(u32::MAX);
        let pattern = query.pattern();
        let matching = (0..count).filter(|&row| {
            let text = rows.filter_text(source, row as usize);
            total += usize::from(!matches!(text, FilterText::None));
            match (&pattern, text) {
                (Some(pattern), FilterText::Group(name)) => {
                    pattern.matches(&name.to_ascii_lowercase())
                }
                (_, text) => is_shown(&query, text, rows, source, row as usize),
            }
        });
        let rows = matching.collect();
        Self { query, rows, total }
    }

    /// Returns the filter for a longer query: only rows that match the shorter one can match it.
    pub(super) fn narrowed(
        &self,
        query: FilterQuery,
        rows: &dyn RowProvider,
        source: RowSource<'_>,
    ) -> Self {
        let matching = self.rows.iter().copied().filter(|&row| {
            let text = rows.filter_text(source, row as usize);
            is_shown(&query, text, rows, source, row as usize)
        });
        let rows = matching.collect();
        Self {
            query,
            rows,
            total: self.total,
        }
    }

    /// The number of rows that match.
    pub(super) fn count(&self) -> usize {
        self.rows.len()
    }

    /// The number of visible row `number` in the unfiltered list.
    pub(super) fn row(&self, number: usize) -> Option<usize> {
        self.rows.get(number).map(|&row| row as usize)
    }

    /// The rows that match, as their numbers in the unfiltered list.
    pub(super) fn rows(&self) -> impl Iterator<Item = usize> {
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

/// Returns true if each word of a query is in the record of a row.
fn is_shown(
    query: &FilterQuery,
    text: FilterText<'_>,
    rows: &dyn RowProvider,
    source: RowSource<'_>,
    row: usize,
) -> bool {
    let shown = OnceCell::new();
    let is_in_record = |word: &FilterWord| match text {
        FilterText::None => false,
        FilterText::Octets(octets) => word.is_in_octets(octets, source.charset),
        FilterText::Text | FilterText::Group(_) => {
            let octets = rows.octets(source, row);
            octets.is_none_or(|octets| word.could_be_in(octets))
                && shown
                    .get_or_init(|| rows.row(source, row))
                    .as_ref()
                    .is_some_and(|row| word.is_in(row))
        }
    };
    let is_further = |word: &FilterWord| {
        further_pieces(rows, source, row)
            .filter_map(|piece| source.raw.piece(piece))
            .any(|piece| word.is_in_octets(piece, source.charset))
    };
    let has_text = !matches!(text, FilterText::None);
    let mut words = query.words().iter();
    has_text && words.all(|word| is_in_record(word) || is_further(word))
}
