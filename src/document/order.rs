//! The order of a listing's rows.
//!
//! Directories come before everything, and lines that are no entries after everything, whichever way the order goes.
//! What the column does not tell apart goes by name, and what the name does not tell apart stays as it came.

use std::cmp::Ordering;
use std::sync::Arc;

use super::{Kind, suffix};

/// By what a listing is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// By name, as octets, capitals and small letters alike.
    Name,
    /// By size.
    Size,
    /// By date.
    Date,
    /// By kind, then by suffix.
    Kind,
}

/// A column and a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// By what.
    pub column: Column,
    /// The last first.
    pub reverse: bool,
}

impl Order {
    /// By this column, its natural way first: names from A, the largest and the newest first.
    pub fn new(column: Column) -> Self {
        let reverse = match column {
            Column::Name | Column::Kind => false,
            Column::Size | Column::Date => true,
        };
        Self { column, reverse }
    }

    /// What a key for `column` makes of this order: that column, or, when it is that already, the other way.
    #[must_use]
    pub fn by(self, column: Column) -> Self {
        if self.column == column {
            Self {
                reverse: !self.reverse,
                ..self
            }
        } else {
            Self::new(column)
        }
    }

    /// In words, for the status line.
    pub fn words(self) -> &'static str {
        match (self.column, self.reverse) {
            (Column::Name, false) => "name",
            (Column::Name, true) => "name, from the end",
            (Column::Size, true) => "size, the largest first",
            (Column::Size, false) => "size, the smallest first",
            (Column::Date, true) => "date, the newest first",
            (Column::Date, false) => "date, the oldest first",
            (Column::Kind, false) => "kind",
            (Column::Kind, true) => "kind, from the end",
        }
    }
}

/// What one row is sorted by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key<'a> {
    line: u32,
    group: Group,
    kind: Kind,
    size: u64,
    date: u64,
    /// The beginning of the name in small letters: it settles nearly every comparison.
    head: u128,
    name: &'a [u8],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Directory,
    Entry,
    Odd,
}

impl<'a> Key<'a> {
    /// The key of an entry; of dates only which is later counts.
    pub(super) fn new(line: u32, name: &'a [u8], kind: Kind, size: u64, date: u64) -> Self {
        let group = if kind == Kind::Menu {
            Group::Directory
        } else {
            Group::Entry
        };
        Self {
            line,
            group,
            kind,
            size,
            date,
            head: head(name),
            name,
        }
    }

    /// The key of a line that is no entry: it keeps its place among its like.
    pub(super) fn odd(line: u32) -> Self {
        Self {
            group: Group::Odd,
            ..Self::new(line, b"", Kind::Odd, 0, 0)
        }
    }

    fn by_name(&self, other: &Self) -> Ordering {
        let folded = |name: &'a [u8]| name.iter().map(u8::to_ascii_lowercase);
        self.head
            .cmp(&other.head)
            .then_with(|| folded(self.name).cmp(folded(other.name)))
            .then_with(|| self.name.cmp(other.name))
    }

    fn by_kind(&self, other: &Self) -> Ordering {
        let suffix = |name: &'a [u8]| {
            suffix::suffix(name)
                .unwrap_or_default()
                .iter()
                .map(u8::to_ascii_lowercase)
        };
        self.kind
            .name()
            .cmp(other.kind.name())
            .then_with(|| suffix(self.name).cmp(suffix(other.name)))
    }

    fn by(&self, other: &Self, order: Order) -> Ordering {
        let column = match order.column {
            Column::Name => self.by_name(other),
            Column::Size => self.size.cmp(&other.size),
            Column::Date => self.date.cmp(&other.date),
            Column::Kind => self.by_kind(other),
        };
        let column = if order.reverse {
            column.reverse()
        } else {
            column
        };
        self.group
            .cmp(&other.group)
            .then(column)
            .then_with(|| self.by_name(other))
    }
}

/// The lines of these rows, in order.
pub(super) fn sorted(mut keys: Vec<Key<'_>>, order: Order) -> Arc<[u32]> {
    keys.sort_by(|one, other| one.by(other, order));
    keys.iter().map(|key| key.line).collect()
}

/// The first sixteen octets of a name in small letters, so that they compare as the name does.
fn head(name: &[u8]) -> u128 {
    let mut head = [0; 16];
    for (place, octet) in head.iter_mut().zip(name) {
        *place = octet.to_ascii_lowercase();
    }
    u128::from_be_bytes(head)
}
