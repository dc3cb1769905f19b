//! The rows that continue the long records of a list, such as an article of an overview or an entry of a phone book.
//!
//! The body of a list makes one row of a record, by the first piece of its line. Each further piece of a line that is too
//! long for one row is shown as text in a row below. These rows are found when the page is complete, and again when it is
//! sorted or filtered, so that they stay with their record, and a list without long records needs nothing for them.

use super::insertions::Insertions;
use super::raw::LineBuffer;
use super::rows::{RowProvider, RowSource};

/// The rows that continue long records, among the visible rows.
#[derive(Clone, Debug, Default)]
pub(super) struct ContinuationRows {
    rows: Insertions,
    /// The piece that each of them shows.
    pieces: Vec<usize>,
    /// The number of continuing pieces in the page when the rows were found.
    known: usize,
}

impl ContinuationRows {
    /// Finds the rows that continue these records, which are rows of the body. Slow on a long list with long records.
    pub(super) fn new(
        records: impl Iterator<Item = usize>,
        rows: &dyn RowProvider,
        source: RowSource<'_>,
    ) -> Self {
        let mut found = Self {
            known: source.raw.continuing(),
            ..Self::default()
        };
        if found.known == 0 {
            return found;
        }
        for (index, record) in records.enumerate() {
            for piece in further_pieces(rows, source, record) {
                found.rows.push(index + 1 + found.pieces.len());
                found.pieces.push(piece);
            }
        }
        found
    }

    /// Returns true if no long line has arrived since the rows were found.
    pub(super) fn is_complete(&self, raw: &LineBuffer) -> bool {
        self.known == raw.continuing()
    }

    /// The number of these rows.
    pub(super) fn count(&self) -> usize {
        self.pieces.len()
    }

    /// The record that visible row `number` shows or continues, and the piece that it shows if it continues a record.
    pub(super) fn record(&self, number: usize) -> (usize, Option<usize>) {
        match self.rows.index(number) {
            Ok(index) => (
                number.saturating_sub(index + 1),
                self.pieces.get(index).copied(),
            ),
            Err(before) => (number - before, None),
        }
    }

    /// The visible row of a record.
    pub(super) fn row_of(&self, record: usize) -> usize {
        self.rows.number_of(record)
    }

    /// Updates the numbers after rows were inserted above all records, or removed there.
    pub(super) fn shift(&mut self, distance: isize) {
        self.rows.shift(distance);
    }

    /// The memory use, in octets.
    pub(super) fn memory(&self) -> usize {
        self.rows.memory() + self.pieces.len() * size_of::<usize>()
    }
}

/// The pieces that continue the record of a row of the body.
pub(super) fn further_pieces(
    rows: &dyn RowProvider,
    source: RowSource<'_>,
    record: usize,
) -> impl Iterator<Item = usize> {
    let lines = if source.raw.continuing() == 0 {
        Vec::new()
    } else {
        rows.record(source, record)
    };
    lines
        .into_iter()
        .flat_map(move |line| source.raw.piece_of(line) + 1..source.raw.piece_of(line + 1))
}
