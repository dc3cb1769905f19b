//! The sort order of a list's rows: the sort columns of all lists, and the sorting of listings.
//!
//! Each body states its columns. In a listing, directories come first, unless they are mixed with the files, and
//! malformed lines come last, in both directions. Entries with equal values are sorted by name, and entries with equal
//! names stay in the order of arrival.

use std::cmp::Ordering;
use std::sync::Arc;

use super::row::Kind;
use super::suffix;

/// A sort column of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortColumn {
    /// The name, as octets, ignoring case.
    Name,
    /// The size.
    Size,
    /// The date.
    Date,
    /// The kind, then the suffix.
    Kind,
    /// The thread, by its newest article.
    Thread,
    /// The author.
    Author,
    /// The subject, without reply marks as `Re:`.
    Subject,
    /// The score by the user's rules.
    Score,
}

impl SortColumn {
    /// The displayed name of the column.
    pub fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Size => "size",
            Self::Date => "date",
            Self::Kind => "kind",
            Self::Thread => "thread",
            Self::Author => "author",
            Self::Subject => "subject",
            Self::Score => "score",
        }
    }
}

/// A sort order: a column, a direction, and the placement of directories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListOrder {
    /// The sort column.
    pub column: SortColumn,
    /// True for descending order.
    pub reverse: bool,
    /// The placement of directories.
    pub directories: DirectoryPlacement,
}

/// The placement of directories in a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DirectoryPlacement {
    /// Directories before all other entries.
    #[default]
    First,
    /// Directories sorted among the other entries.
    Mixed,
}

impl ListOrder {
    /// Returns the order by this column in its default direction: names from A, the largest, the newest and the best
    /// first.
    pub fn new(column: SortColumn) -> Self {
        let reverse = match column {
            SortColumn::Name | SortColumn::Kind | SortColumn::Author | SortColumn::Subject => false,
            SortColumn::Size | SortColumn::Date | SortColumn::Thread | SortColumn::Score => true,
        };
        Self {
            column,
            reverse,
            directories: DirectoryPlacement::First,
        }
    }

    /// Returns the order after the key for `column`: by that column, or reversed if it is the current column.
    #[must_use]
    pub fn by(self, column: SortColumn) -> Self {
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

    /// Returns the order with the placement of directories toggled.
    #[must_use]
    pub fn with_directories_toggled(self) -> Self {
        let directories = match self.directories {
            DirectoryPlacement::First => DirectoryPlacement::Mixed,
            DirectoryPlacement::Mixed => DirectoryPlacement::First,
        };
        Self {
            directories,
            ..self
        }
    }

    /// The displayed text of the order, for the status line.
    pub fn words(self) -> &'static str {
        match (self.column, self.reverse) {
            (SortColumn::Name, false) => "name",
            (SortColumn::Name, true) => "name, from the end",
            (SortColumn::Size, true) => "size, the largest first",
            (SortColumn::Size, false) => "size, the smallest first",
            (SortColumn::Date, true) => "date, the newest first",
            (SortColumn::Date, false) => "date, the oldest first",
            (SortColumn::Kind, false) => "kind",
            (SortColumn::Kind, true) => "kind, from the end",
            (SortColumn::Thread, true) => "thread, the newest first",
            (SortColumn::Thread, false) => "thread, the oldest first",
            (SortColumn::Author, false) => "author",
            (SortColumn::Author, true) => "author, from the end",
            (SortColumn::Subject, false) => "subject",
            (SortColumn::Subject, true) => "subject, from the end",
            (SortColumn::Score, true) => "score, the highest first",
            (SortColumn::Score, false) => "score, the lowest first",
        }
    }
}

/// The sort key of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct SortKey<'a> {
    /// The group and the beginning of the column's value, inverted for descending order. It decides nearly every
    /// comparison.
    head: u128,
    /// The beginning of the name, for entries with equal values.
    name_head: u128,
    name: &'a [u8],
    line: u32,
    kind: Kind,
}

/// The group of a row. Groups keep their sequence in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowGroup {
    Directory,
    Entry,
    Malformed,
}

/// The values of an entry for sorting.
#[derive(Clone, Copy, Debug)]
pub(super) struct SortFields<'a> {
    pub(super) name: &'a [u8],
    pub(super) kind: Kind,
    pub(super) size: u64,
    /// The date, as any number that increases with time.
    pub(super) date: i64,
}

impl<'a> SortKey<'a> {
    /// The key of an entry in a line.
    pub(super) fn new(line: u32, entry: SortFields<'a>, order: ListOrder) -> Self {
        let SortFields {
            name,
            kind,
            size,
            date,
        } = entry;
        let group = if kind == Kind::Menu && order.directories == DirectoryPlacement::First {
            RowGroup::Directory
        } else {
            RowGroup::Entry
        };
        let name_head = packed([name, &[]]);
        let column = match order.column {
            // A listing has only four columns. The others sort by name.
            SortColumn::Name
            | SortColumn::Thread
            | SortColumn::Author
            | SortColumn::Subject
            | SortColumn::Score => name_head,
            SortColumn::Size => u128::from(size),
            // The sign bit is inverted, so that unsigned comparison works.
            SortColumn::Date => u128::from(date.cast_unsigned() ^ (1 << 63)),
            SortColumn::Kind => {
                let kind = kind.name().as_bytes();
                let suffix = suffix::suffix(name).unwrap_or_default();
                packed([kind.get(..4).unwrap_or(kind), suffix])
            }
        };
        Self {
            head: group.head(if order.reverse { !column } else { column }),
            name_head,
            name,
            line,
            kind,
        }
    }

    /// The key of a malformed line. Such lines stay in the order of arrival.
    pub(super) fn malformed(line: u32) -> Self {
        Self {
            head: RowGroup::Malformed.head(0),
            name_head: 0,
            name: b"",
            line,
            kind: Kind::Malformed,
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

    /// Compares keys with equal heads.
    fn with_equal_head(&self, other: &Self, order: ListOrder) -> Ordering {
        let column = match order.column {
            SortColumn::Name
            | SortColumn::Thread
            | SortColumn::Author
            | SortColumn::Subject
            | SortColumn::Score => self.by_name(other),
            // The head contains the whole value.
            SortColumn::Size | SortColumn::Date => Ordering::Equal,
            SortColumn::Kind => self.by_kind(other),
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

impl RowGroup {
    /// The head of a key: the group, then `column` without its first octet.
    fn head(self, column: u128) -> u128 {
        let group: u128 = match self {
            Self::Directory => 0,
            Self::Entry => 1,
            Self::Malformed => 2,
        };
        group << 120 | column & (u128::MAX >> 8)
    }
}

/// Sorts the keys and returns their lines.
pub(super) fn sorted(mut keys: Vec<SortKey<'_>>, order: ListOrder) -> Arc<[u32]> {
    keys.sort_unstable_by(|one, other| {
        one.head
            .cmp(&other.head)
            .then_with(|| one.with_equal_head(other, order))
    });
    keys.iter().map(|key| key.line).collect()
}

/// The first fifteen octets of the concatenated parts, in lower case, as a number with the same sort order.
fn packed(parts: [&[u8]; 2]) -> u128 {
    let mut head = [0; 16];
    let [first, second] = parts;
    let mut slots = head.iter_mut().skip(1);
    for octet in first.iter().chain(second) {
        match slots.next() {
            Some(slot) => *slot = octet.to_ascii_lowercase(),
            None => break,
        }
    }
    u128::from_be_bytes(head)
}
