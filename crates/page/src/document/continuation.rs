//! The rows that continue the long records of a list, such as an article of an overview or an entry of a phone book.
//!
//! The body of a list makes one row of a record, by the first piece of its line. Each further piece of a line that is
//! too long for one row is shown as text in a row below. These rows are found when the page is complete, and again when
//! it is sorted or filtered, so that they stay with their record, and a list without long records needs nothing for
//! them.
//!
//! Below them are the sequences with inserted items: pieces that continue lines, rows that continue records, lines
//! between the entries of a listing.

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

/// Numbers of inserted items, in ascending order. The other items keep their sequence around them.
#[derive(Clone, Debug, Default)]
pub(super) struct Insertions(Vec<usize>);

impl Insertions {
    /// Appends the number of an inserted item, which is greater than all others.
    pub(super) fn push(&mut self, number: usize) {
        self.0.push(number);
    }

    /// Removes all numbers.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The number of inserted items.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The memory use, in octets.
    pub(super) fn memory(&self) -> usize {
        self.0.len() * size_of::<usize>()
    }

    /// The index of an inserted item among the inserted ones; for another item, the number of inserted ones before it.
    pub(super) fn index(&self, number: usize) -> Result<usize, usize> {
        self.0.binary_search(&number)
    }

    /// Returns true if the item with this number is inserted.
    pub(super) fn contains(&self, number: usize) -> bool {
        self.index(number).is_ok()
    }

    /// The number of the other item with this index among the others.
    pub(super) fn number_of(&self, index: usize) -> usize {
        // Counts the inserted items with at most `index` others before them.
        let (mut low, mut high) = (0, self.0.len());
        while low < high {
            let middle = low.midpoint(high);
            let others = self.0.get(middle).map_or(0, |number| number - middle);
            if others <= index {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        index + low
    }

    /// Adds `distance` to all numbers.
    pub(super) fn shift(&mut self, distance: isize) {
        for number in &mut self.0 {
            *number = number.saturating_add_signed(distance);
        }
    }
}
