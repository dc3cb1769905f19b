//! `ls -l`, as most servers write it.
//!
//! ```text
//! entry  = [ inode 1*SP ] [ blocks 1*SP ] mode 1*SP [ links 1*SP ] owner 1*SP [ group 1*SP ] size 1*SP date SP name
//! mode   = type 9( "r" / "w" / "x" / "-" / ... ) [ "+" / "." / "@" ]
//! type   = "-" / "d" / "l" / "b" / "c" / "p" / "s" / "D" / "P" / "n" / "w"
//! size   = digits / major "," *SP minor / 1*"*" / decimal unit      the last two are unknown sizes
//! name   = *octet [ " -> " target ]          for "l" alone
//! total  = ( "total" / the same in other languages ) SP size [ "K" / "M" / "G" / "T" ]
//! ```
//!
//! For the date see [`super::words`]. The number of words before it varies (servers omit links or group, owners contain
//! blanks), so the date is searched first, beginning at its usual position. One blank ends the date; further blanks
//! belong to the name, except in a listing that pads its years ([`super::padding`]). The size of a link is the length
//! of its target.

use super::date::{ANY_DAY, DateRules};
use super::details::Details;
use super::entry::{Column, Entry, Kind, Line};
use super::words::{MAX_WORDS, Words};
use crate::protocol::octets::number;

/// The word indices at which the date may begin, the usual one first: with all words; without links or group; without
/// both; without an owner; with the two numbers of a device; with an owner or a group of two words, or of three. The
/// last ones may be in a name that contains a date.
const DATE_INDICES: [usize; 7] = [5, 4, 3, 2, 6, 7, 8];

/// The same, where the group and the size are one word.
const GLUED_INDICES: [usize; 2] = [4, 3];

/// The number of words up to the end of a date at its usual index, including a year after the seconds or before
/// them, and the word after it.
const USUAL_WORDS: usize = 10;

/// The words of GNU `ls` before the number of blocks, in lower case.
const TOTALS: &str = "total insgesamt totaal totale totalt summa samlet sammen sumt celkem razem yhteensä összesen итого \
                      合計 总用量";

/// Parses a line of `ls -l`.
pub(super) fn line(line: &[u8], rules: DateRules) -> Option<Line<'_>> {
    match parse(line, rules) {
        Some(entry) => entry.line(),
        None => is_total(line).then_some(Line::Metadata),
    }
}

/// Returns true for the first line: `total 123` or `total 1.2M`.
pub(super) fn is_total(line: &[u8]) -> bool {
    let words = Words::of(line, 3);
    let (Some(word), Some(size), None) = (words.word(0), words.word(1), words.word(2)) else {
        return false;
    };
    let size = match size.split_last() {
        Some((b'K' | b'M' | b'G' | b'T', size)) => size,
        Some(_) | None => size,
    };
    let is_size = |octet: &u8| octet.is_ascii_digit() || b".,".contains(octet);
    size.first().is_some_and(u8::is_ascii_digit)
        && size.iter().all(is_size)
        && TOTALS
            .split(' ')
            .any(|total| word.eq_ignore_ascii_case(total.as_bytes()))
}

fn parse(line: &[u8], rules: DateRules) -> Option<Entry<'_>> {
    let line = without_inode(line)?;
    let kind = mode(line)?;
    let usual = Words::of(line, USUAL_WORDS);
    if let Some(entry) = dated(&usual, 5, kind, rules) {
        return Some(entry);
    }
    let words = Words::of(line, MAX_WORDS);
    // A size at its usual index is not a part of an owner: the date after it is an unknown one.
    let has_size = words.word(4).and_then(number::<u64>).is_some();
    let mut indices = DATE_INDICES.iter().filter(|&&index| index < 7 || !has_size);
    indices
        .find_map(|&index| dated(&words, index, kind, rules))
        .or_else(|| {
            GLUED_INDICES
                .iter()
                .find_map(|&index| glued(&words, index, kind, rules))
        })
        .or_else(|| dateless(&words, kind))
}

/// Returns the entry whose date begins at word `index`, after a size that is not parted from the group before it.
fn glued<'a>(
    words: &Words<'a>,
    index: usize,
    kind: Kind<'static>,
    rules: DateRules,
) -> Option<Entry<'a>> {
    let group = words.word(index.checked_sub(1)?)?;
    if !group.last()?.is_ascii_digit() || !group.first()?.is_ascii_alphabetic() {
        return None;
    }
    // A group may end with digits: which of them are the size is unknown.
    after_size(words, index, kind, None, rules)
}

/// Returns the entry of a line without a date, whose name is one word.
fn dateless<'a>(words: &Words<'a>, kind: Kind<'static>) -> Option<Entry<'a>> {
    let (links, size) = (words.word(1)?, words.word(4)?);
    number::<u64>(links)?;
    if words.count() != 6 {
        return None;
    }
    Some(Entry {
        size: kind.size(Some(number(size)?)),
        ..Entry::new(words.word(5)?, kind)
    })
}

/// Returns the permissions, owner and group of a line.
pub(super) fn details(line: &[u8]) -> Option<Details<'_>> {
    let line = without_inode(line)?;
    mode(line)?;
    let words = Words::of(line, MAX_WORDS);
    let mut indices = DATE_INDICES.iter();
    let date =
        *indices.find(|&&index| dated(&words, index, Kind::Unknown, ANY_DAY.into()).is_some())?;
    let is_device = words.word(date.checked_sub(2)?)?.ends_with(b",");
    let end = date.checked_sub(if is_device { 2 } else { 1 })?;
    let mut names = (1..end).filter_map(|index| words.word(index)).peekable();
    // The number of links comes first, if it is there.
    names.next_if(|word| number::<u64>(word).is_some());
    let owner = names.next();
    let group: Vec<&[u8]> = names.collect();
    Some(Details {
        permissions: words.word(0),
        owner,
        group: (!group.is_empty()).then(|| group.join(&b' ')),
    })
}

/// Returns the line from its mode on: `ls -lis` puts an inode and blocks before it.
fn without_inode(line: &[u8]) -> Option<&[u8]> {
    if !matches!(line.first()?, b'0'..=b'9' | b' ' | b'\t') {
        return Some(line);
    }
    let words = Words::of(line, 3);
    let numbers = (0..2).take_while(|&index| words.word(index).and_then(number::<u64>).is_some());
    let first = words.before(numbers.count())?;
    line.get(first.len()..)
}

/// Returns the entry whose date begins at word `index`, after a number.
pub(super) fn dated<'a>(
    words: &Words<'a>,
    index: usize,
    kind: Kind<'static>,
    rules: DateRules,
) -> Option<Entry<'a>> {
    let size = size(words.word(index.checked_sub(1)?)?)?.value();
    let before = index.checked_sub(2).and_then(|before| words.word(before));
    let is_device = matches!(before, Some([.., b',']));
    after_size(words, index, kind, size.filter(|_| !is_device), rules)
}

/// Parses a size, or the numbers of a device; unknown where the line does not tell it exactly: stars for one that
/// is too long for its column, or a number with a unit.
fn size(word: &[u8]) -> Option<Column<u64>> {
    let is_of = |octets: &[u8], word: &[u8]| word.iter().all(|octet| octets.contains(octet));
    if is_of(b"0123456789", word) {
        return Some(number(word).into());
    }
    let estimate = match word.split_last()? {
        (b'K' | b'M' | b'G' | b'T' | b'k', number) if !number.is_empty() => number,
        _ => word,
    };
    (is_of(b"*", word) || is_of(b"0123456789.,", estimate)).then_some(Column::Unknown)
}

/// Returns the entry whose date begins at word `index`.
fn after_size<'a>(
    words: &Words<'a>,
    index: usize,
    kind: Kind<'static>,
    size: Option<u64>,
    rules: DateRules,
) -> Option<Entry<'a>> {
    let (date, last) = words.date(index, rules)?;
    let (_, name) = words.after(last)?.split_first()?;
    // A date of one word without a time is padded to the width of one with a time.
    let name = if last == index {
        name.trim_ascii_start()
    } else if rules.is_padded() && date.is_some_and(|date| date.time.is_none()) {
        name.strip_prefix(b" ").unwrap_or(name)
    } else {
        name
    };
    let (name, kind) = match kind {
        Kind::Symlink(_) => {
            let (name, target) = target(name, size);
            (name, Kind::Symlink(target))
        }
        Kind::Directory | Kind::File | Kind::Other | Kind::Unknown => (name, kind),
    };
    Some(Entry {
        name,
        kind,
        size: kind.size(size),
        date,
    })
}

/// Returns the kind that the first word tells; `None` if it is no mode.
pub(super) fn mode(line: &[u8]) -> Option<Kind<'static>> {
    let (first, rest) = line.split_first()?;
    let kind = match first {
        b'-' => Kind::File,
        b'd' => Kind::Directory,
        b'l' => Kind::Symlink(None),
        b'b' | b'c' | b'p' | b's' | b'D' | b'P' | b'n' | b'w' => Kind::Other,
        _ => return None,
    };
    let (bits, rest) = rest.split_at_checked(9)?;
    let is_bit = |bit: &u8| b"rwx-sStTlL".contains(bit);
    let ends = matches!(
        rest,
        [b' ' | b'\t', ..] | [b'+' | b'.' | b'@', b' ' | b'\t', ..]
    );
    // Connect:Enterprise has the state of a batch there, such as `-C--E-----FTP`.
    let is_state = |octet: &u8| octet.is_ascii_uppercase() || *octet == b'-';
    let is_batch = rest.starts_with(b"FTP ") && bits.iter().all(is_state);
    (ends && bits.iter().all(is_bit) || is_batch).then_some(kind)
}

/// Splits the name and the target of a link at the arrow before a target of this size; else at the first one: more
/// targets than names contain one.
fn target(name: &[u8], size: Option<u64>) -> (&[u8], Option<&[u8]>) {
    let split = |at: usize| Some((name.get(..at)?, name.get(at + 4..)?));
    let mut splits = memchr::memmem::find_iter(name, b" -> ").filter_map(split);
    let is_of_size = |target: &[u8]| Some(target.len() as u64) == size;
    let first = splits.next();
    let split = first.filter(|(_, target)| is_of_size(target));
    let split = split.or_else(|| splits.find(|(_, target)| is_of_size(target)));
    match split.or(first) {
        Some((name, target)) => (name, Some(target).filter(|target| !target.is_empty())),
        None => (name, None),
    }
}
