//! The order of a listing's rows.
//!
//! Directories come before everything, unless they are wanted among the rest, and lines that are no entries after
//! everything, whichever way the order goes.
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

/// A column and a direction, and where directories stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// By what.
    pub column: Column,
    /// The last first.
    pub reverse: bool,
    /// Where directories stand.
    pub directories: Directories,
}

/// Where the directories of a listing stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Directories {
    /// Before everything else.
    #[default]
    First,
    /// Among the rest.
    Mixed,
}

impl Order {
    /// By this column, its natural way first: names from A, the largest and the newest first.
    pub fn new(column: Column) -> Self {
        let reverse = match column {
            Column::Name | Column::Kind => false,
            Column::Size | Column::Date => true,
        };
        Self {
            column,
            reverse,
            directories: Directories::First,
        }
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
            Self {
                directories: self.directories,
                ..Self::new(column)
            }
        }
    }

    /// The same with directories where they are not now.
    #[must_use]
    pub fn with_directories_turned(self) -> Self {
        let directories = match self.directories {
            Directories::First => Directories::Mixed,
            Directories::Mixed => Directories::First,
        };
        Self {
            directories,
            ..self
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
    /// Its group and the beginning of what its column holds, turned round where the order is: it settles nearly every
    /// comparison.
    head: u128,
    /// The beginning of the name: many entries are alike in all else.
    name_head: u128,
    name: &'a [u8],
    line: u32,
    kind: Kind,
}

/// Which rows stand before which, whatever the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Directory,
    Entry,
    Odd,
}

/// What is known of an entry, for sorting.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sortable<'a> {
    pub(super) name: &'a [u8],
    pub(super) kind: Kind,
    pub(super) size: u64,
    /// Of dates only which is later counts.
    pub(super) date: i64,
}

impl<'a> Key<'a> {
    /// The key of an entry in a line.
    pub(super) fn new(line: u32, entry: Sortable<'a>, order: Order) -> Self {
        let Sortable {
            name,
            kind,
            size,
            date,
        } = entry;
        let group = if kind == Kind::Menu && order.directories == Directories::First {
            Group::Directory
        } else {
            Group::Entry
        };
        let name_head = packed([name, &[]]);
        let column = match order.column {
            Column::Name => name_head,
            Column::Size => u128::from(size),
            // The sign turned round, so that earlier is less.
            Column::Date => u128::from(date.cast_unsigned() ^ (1 << 63)),
            Column::Kind => {
                let kind = kind.name().as_bytes();
                let suffix = suffix::suffix(name).unwrap_or_default();
                packed([kind.get(..4).unwrap_or(kind), suffix])
            }
        };
        Self {
            head: group.before(if order.reverse { !column } else { column }),
            name_head,
            name,
            line,
            kind,
        }
    }

    /// The key of a line that is no entry: it keeps its place among its like.
    pub(super) fn odd(line: u32) -> Self {
        Self {
            head: Group::Odd.before(0),
            name_head: 0,
            name: b"",
            line,
            kind: Kind::Odd,
        }
    }

    fn by_name(&self, other: &Self) -> Ordering {
        let folded = |name: &'a [u8]| name.iter().map(u8::to_ascii_lowercase);
        self.name_head
            .cmp(&other.name_head)
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

    /// What the heads leave open.
    fn by_rest(&self, other: &Self, order: Order) -> Ordering {
        let column = match order.column {
            Column::Name => self.by_name(other),
            // Their heads hold all of them.
            Column::Size | Column::Date => Ordering::Equal,
            Column::Kind => self.by_kind(other),
        };
        let column = if order.reverse {
            column.reverse()
        } else {
            column
        };
        column
            .then_with(|| self.by_name(other))
            .then(self.line.cmp(&other.line))
    }
}

impl Group {
    /// A head that begins with the group; the first octet of `column` is left out.
    fn before(self, column: u128) -> u128 {
        let group: u128 = match self {
            Self::Directory => 0,
            Self::Entry => 1,
            Self::Odd => 2,
        };
        group << 120 | column & (u128::MAX >> 8)
    }
}

/// The lines of these rows, in order.
pub(super) fn sorted(mut keys: Vec<Key<'_>>, order: Order) -> Arc<[u32]> {
    keys.sort_unstable_by(|one, other| {
        one.head
            .cmp(&other.head)
            .then_with(|| one.by_rest(other, order))
    });
    keys.iter().map(|key| key.line).collect()
}

/// The first fifteen octets of these, one after the other, in small letters, so that they compare as they do.
fn packed(parts: [&[u8]; 2]) -> u128 {
    let mut head = [0; 16];
    let [first, second] = parts;
    let mut places = head.iter_mut().skip(1);
    for octet in first.iter().chain(second) {
        match places.next() {
            Some(place) => *place = octet.to_ascii_lowercase(),
            None => break,
        }
    }
    u128::from_be_bytes(head)
}
