//! `ls -l`, as most servers write it.
//!
//! ```text
//! entry  = [ inode 1*SP ] [ blocks 1*SP ] mode 1*SP [ links 1*SP ] owner 1*SP [ group 1*SP ] size 1*SP date SP name
//! mode   = type 9( "r" / "w" / "x" / "-" / ... ) [ "+" / "." / "@" ]
//! type   = "-" / "d" / "l" / "b" / "c" / "p" / "s" / "D" / "P" / "n" / "w"
//! size   = digits / major "," *SP minor
//! name   = *octet [ " -> " target ]          the target for "l" alone, after the first arrow
//! total  = ( "total" / the same in other languages ) SP size [ "K" / "M" / "G" / "T" ]
//! ```
//!
//! The date is that of [`super::words`]. The number of words before it differs (servers leave out links or group, owners
//! hold blanks), so the date is found first, in the place where `ls` puts it before any other. One blank ends the date;
//! more of them begin the name.

use super::words::{MOST, Words};
use super::{Day, Entry, Kind, Line, entry, number};

/// Where the date may begin, the usual place first: with all words; without links or group; with a device's two
/// numbers; without both; with an owner or a group of two words, or of three.
const PLACES: [usize; 6] = [5, 4, 6, 3, 7, 8];

/// The words up to the end of a date in its usual place, a year after the seconds counted.
const USUAL: usize = 9;

/// What GNU's `ls` writes before the number of blocks, in small letters.
const TOTALS: [&str; 16] = [
    "total",
    "insgesamt",
    "totaal",
    "totale",
    "totalt",
    "summa",
    "samlet",
    "sammen",
    "sumt",
    "celkem",
    "razem",
    "yhteensä",
    "összesen",
    "итого",
    "合計",
    "总用量",
];

/// A line of `ls -l`. `today` settles the year of dates that have none.
pub(super) fn line(line: &[u8], today: Day) -> Line<'_> {
    match parse(line, today) {
        Some(found) => entry(found),
        None if is_total(line) => Line::Aside,
        None => Line::Odd,
    }
}

/// `total 123` or `total 1.2M`, the first line.
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
            .iter()
            .any(|total| word.eq_ignore_ascii_case(total.as_bytes()))
}

fn parse(line: &[u8], today: Day) -> Option<Entry<'_>> {
    let line = without_inode(line)?;
    let kind = mode(line)?;
    let usual = Words::of(line, USUAL);
    if let Some(found) = dated(&usual, 5, kind, today) {
        return Some(found);
    }
    let words = Words::of(line, MOST);
    PLACES
        .iter()
        .find_map(|&place| dated(&words, place, kind, today))
}

/// The line from its mode on: `ls -lis` puts an inode and blocks before it.
fn without_inode(line: &[u8]) -> Option<&[u8]> {
    if !matches!(line.first()?, b'0'..=b'9' | b' ' | b'\t') {
        return Some(line);
    }
    let words = Words::of(line, 3);
    let numbers = (0..2).take_while(|&index| words.word(index).and_then(number).is_some());
    let first = words.before(numbers.count())?;
    line.get(first.len()..)
}

/// The entry whose date begins at word `place`, after a number.
pub(super) fn dated<'a>(
    words: &Words<'a>,
    place: usize,
    kind: Kind<'static>,
    today: Day,
) -> Option<Entry<'a>> {
    let size = words.word(place.checked_sub(1)?)?;
    // A device's two numbers may stand together.
    let is_number = |octet: &u8| octet.is_ascii_digit() || *octet == b',';
    if !size.iter().all(is_number) {
        return None;
    }
    let (date, last) = words.date(place, today)?;
    let (blank, name) = words.after(last)?.split_first()?;
    let name = match (date.time, name) {
        // GNU fills a day without its time up to the width of one with.
        (None, [b' ', rest @ ..]) if last == place && *blank == b' ' => rest,
        (_, name) => name,
    };
    let (name, kind) = match kind {
        Kind::Symlink(_) => {
            let (name, target) = target(name);
            (name, Kind::Symlink(target))
        }
        Kind::Directory | Kind::File | Kind::Other | Kind::Unsaid => (name, kind),
    };
    let device = || {
        let before = place.checked_sub(2).and_then(|before| words.word(before));
        matches!(before, Some([.., b',']))
    };
    Some(Entry {
        name,
        kind,
        size: match kind {
            Kind::File if !device() => number(size),
            Kind::File | Kind::Directory | Kind::Symlink(_) | Kind::Other | Kind::Unsaid => None,
        },
        date: Some(date),
    })
}

/// What the first word says the entry is; nothing when it is no mode.
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
    let is_bit = |bit: &u8| {
        matches!(
            bit,
            b'r' | b'w' | b'x' | b'-' | b's' | b'S' | b't' | b'T' | b'l' | b'L'
        )
    };
    let ends = matches!(
        rest,
        [b' ' | b'\t', ..] | [b'+' | b'.' | b'@', b' ' | b'\t', ..]
    );
    (ends && bits.iter().all(is_bit)).then_some(kind)
}

/// A link's own name and where it leads. The first arrow is the one: it is in more targets than names.
fn target(name: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memmem::find(name, b" -> ") {
        Some(at) => (
            name.get(..at).unwrap_or(name),
            name.get(at + 4..).filter(|target| !target.is_empty()),
        ),
        None => (name, None),
    }
}
