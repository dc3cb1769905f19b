//! The listing of IIS and other servers on Windows.
//!
//! ```text
//! entry = date 1*SP time 1*SP ( "<DIR>" 1*SP / "<JUNCTION>" 1*SP / "<SYMLINKD>" 1*SP / "<SYMLINK>" 1*SP / size SP ) name
//! date  = as in [`super::date`]
//! time  = hour ":" minute [ "AM" / "PM" ]
//! ```
//!
//! A size may have commas between its thousands. Stars are a size that is too long for its column. The target of a link
//! is in brackets after its name.

use super::date::{DateOrder, DateRules};
use super::entry::{Column, Entry, Kind, Line};
use super::{Date, Time};
use crate::protocol::octets::number;

/// Parses a line of a DOS listing.
pub(super) fn line(line: &[u8], rules: DateRules) -> Option<Line<'_>> {
    if !line.first()?.is_ascii_digit() {
        return None;
    }
    let (date, rest) = word(line)?;
    let day = rules.day(date, DateOrder::YEAR_LAST)?.value();
    let (time, rest) = word(rest)?;
    let (clock, half, rest) = match time.split_last_chunk() {
        Some((clock, [half @ (b'A' | b'P' | b'a' | b'p'), b'M' | b'm'])) => {
            (clock, Some(half), rest)
        }
        _ => match word(rest)? {
            (half @ (b"AM" | b"PM" | b"am" | b"pm"), rest) => (time, half.first(), rest),
            _ => (time, None, rest),
        },
    };
    let mut time = Time::parse(clock)?;
    if let Some(half) = half {
        time = time.twelve(matches!(half, b'P' | b'p'))?;
    }
    let date = day.map(|day| Date::new(day, Some(time)));
    let (type_or_size, rest) = word(rest)?;
    let name = rest.trim_ascii_start();
    let (name, kind, size) = match type_or_size {
        b"<DIR>" => (name, Kind::Directory, None),
        b"<JUNCTION>" | b"<SYMLINKD>" | b"<SYMLINK>" => {
            let (name, target) = target(name);
            (name, Kind::Symlink(target), None)
        }
        // One blank ends the size; further blanks belong to the name.
        digits => (rest.strip_prefix(b" ")?, Kind::File, size(digits)?.value()),
    };
    let entry = Entry {
        name,
        kind,
        size,
        date,
    };
    entry.line()
}

/// Splits off the next word; the rest keeps its blanks.
fn word(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.trim_ascii_start();
    let end = memchr::memchr(b' ', line)?;
    line.split_at_checked(end)
}

/// Parses a size; stars, for one that is too long for its column, are an unknown one.
fn size(text: &[u8]) -> Option<Column<u64>> {
    if text.iter().all(|&octet| octet == b'*') {
        return Some(Column::Unknown);
    }
    if memchr::memchr(b',', text).is_none() {
        return number(text).map(Column::Value);
    }
    if !text.first()?.is_ascii_digit() || !text.last()?.is_ascii_digit() {
        return None;
    }
    text.split(|&octet| octet == b',')
        .try_fold(0_u64, |size, group| {
            let scale = 10_u64.checked_pow(u32::try_from(group.len()).ok()?)?;
            size.checked_mul(scale)?.checked_add(number(group)?)
        })
        .map(Column::Value)
}

fn target(name: &[u8]) -> (&[u8], Option<&[u8]>) {
    let Some(inside) = name.strip_suffix(b"]") else {
        return (name, None);
    };
    let split = |at: usize| Some((name.get(..at)?, inside.get(at + 2..)?));
    let count = |octets: &[u8], bracket| memchr::memchr_iter(bracket, octets).count();
    // Brackets of the target itself come in pairs.
    let is_target = |(_, target): &(_, &[u8])| count(target, b'[') == count(target, b']');
    let mut splits = memchr::memmem::rfind_iter(inside, b" [").filter_map(split);
    match splits.find(is_target) {
        Some((name, target)) => (name, Some(target).filter(|target| !target.is_empty())),
        None => (name, None),
    }
}
