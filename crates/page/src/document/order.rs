//! The sort order of a list's rows: the sort columns of all lists, and the sorting of listings.
//!
//! Each body states its columns. In a listing, directories come first, unless they are mixed with the files, and
//! malformed lines come last, in both directions. Entries with equal values are sorted by name, and entries with equal
//! names stay in the order of arrival.

use std::cmp::Ordering;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::row::Kind;
use super::suffix;

/// A sort column of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SortColumn {
    /// The name, as octets, ignoring case; numbers by their value.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListOrder {
    /// The sort column.
    pub column: SortColumn,
    /// True for descending order.
    pub reverse: bool,
    /// The placement of directories.
    pub directories: DirectoryPlacement,
}

/// The placement of directories in a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
            (SortColumn::Name, true) => "name, descending",
            (SortColumn::Size, true) => "size, largest first",
            (SortColumn::Size, false) => "size, smallest first",
            (SortColumn::Date, true) => "date, newest first",
            (SortColumn::Date, false) => "date, oldest first",
            (SortColumn::Kind, false) => "kind",
            (SortColumn::Kind, true) => "kind, descending",
            (SortColumn::Thread, true) => "thread, newest first",
            (SortColumn::Thread, false) => "thread, oldest first",
            (SortColumn::Author, false) => "author",
            (SortColumn::Author, true) => "author, descending",
            (SortColumn::Subject, false) => "subject",
            (SortColumn::Subject, true) => "subject, descending",
            (SortColumn::Score, true) => "score, highest first",
            (SortColumn::Score, false) => "score, lowest first",
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
        let name_head = name_head(name);
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
        self.name_head
            .cmp(&other.name_head)
            .then_with(|| natural(self.name, other.name))
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

/// Compares names ignoring case, and the numbers in them by value: `a2` before `a10`.
fn natural(one: &[u8], other: &[u8]) -> Ordering {
    let (mut one, mut other) = (one, other);
    loop {
        match (digits(one), digits(other)) {
            (Some((number, rest)), Some((other_number, other_rest))) => {
                let by_value = number.len().cmp(&other_number.len());
                let by_value = by_value.then_with(|| number.cmp(other_number));
                if by_value.is_ne() {
                    return by_value;
                }
                (one, other) = (rest, other_rest);
            }
            (Some(_), None) | (None, Some(_) | None) => {
                let (Some((first, rest)), Some((other_first, other_rest))) =
                    (one.split_first(), other.split_first())
                else {
                    return one.len().cmp(&other.len());
                };
                let folded = first.to_ascii_lowercase();
                let by_octet = folded.cmp(&other_first.to_ascii_lowercase());
                if by_octet.is_ne() {
                    return by_octet;
                }
                (one, other) = (rest, other_rest);
            }
        }
    }
}

/// Splits off the number at the start of a name, without its leading zeros.
fn digits(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = name.iter().position(|octet| !octet.is_ascii_digit());
    let (number, rest) = name.split_at_checked(end.unwrap_or(name.len()))?;
    let zeros = number.iter().take_while(|&&octet| octet == b'0').count();
    let number = number.get(zeros.min(number.len().checked_sub(1)?)..)?;
    Some((number, rest))
}

/// The beginning of a name as a number with the sort order of [`natural`]: fifteen octets in lower case. The number of
/// its digits is before a number, as a digit, so that a longer number is higher.
fn name_head(name: &[u8]) -> u128 {
    /// The number of digits from which on only the whole name can be compared.
    const MANY: usize = 10;
    let mut head = [0; 16];
    let mut slots = head.iter_mut().skip(1);
    let mut push = |octet: u8| slots.next().map(|slot| *slot = octet);
    let mut rest = name;
    while let Some((&first, after)) = rest.split_first() {
        let pushed = match digits(rest) {
            Some((number, after)) => {
                rest = after;
                let count = number.len().min(MANY);
                // One digit is `0`, ten or more are `9`.
                let length = u8::try_from(count - 1).unwrap_or_default();
                let pushed = push(b'0' + length);
                if count == MANY {
                    break;
                }
                number.iter().try_for_each(|&digit| push(digit)).and(pushed)
            }
            None => {
                rest = after;
                push(first.to_ascii_lowercase())
            }
        };
        if pushed.is_none() {
            break;
        }
    }
    u128::from_be_bytes(head)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_in_names_sort_by_value() {
        let names = [
            "",
            "1",
            "2",
            "002",
            "10",
            "a",
            "a1b",
            "A2",
            "a10",
            "a10b",
            "a010c",
            "a12345678901",
            "a22345678901",
            "ab",
        ];
        for pair in names.windows(2) {
            let [one, other] = pair else { unreachable!() };
            let (one, other) = (one.as_bytes(), other.as_bytes());
            assert_ne!(natural(one, other), Ordering::Greater, "{pair:?}");
        }
        assert_eq!(natural(b"2", b"002"), Ordering::Equal);
    }

    proptest! {
        #[test]
        fn heads_agree_with_whole_names(one in "[a-cA-C0-9.]{0,24}", other in "[a-cA-C0-9.]{0,24}") {
            let (one, other) = (one.as_bytes(), other.as_bytes());
            let heads = name_head(one).cmp(&name_head(other));
            prop_assert!(heads.is_eq() || heads == natural(one, other));
        }

        #[test]
        fn order_is_total(names in proptest::collection::vec("[ab0-2]{0,6}", 3)) {
            let [one, other, third] = names.as_slice() else { unreachable!() };
            let natural = |one: &str, other: &str| natural(one.as_bytes(), other.as_bytes());
            prop_assert_eq!(natural(one, other), natural(other, one).reverse());
            if natural(one, other).is_le() && natural(other, third).is_le() {
                prop_assert!(natural(one, third).is_le());
            }
        }
    }
}
