//! The listing of IIS and other servers on Windows.
//!
//! ```text
//! entry = date 1*SP time 1*SP ( "<DIR>" 1*SP / "<JUNCTION>" 1*SP / "<SYMLINKD>" 1*SP / "<SYMLINK>" 1*SP / size SP ) name
//! date  = month "-" day "-" year / year "-" month "-" day       "/" and "." separate as well
//! year  = 2digits / 4digits
//! time  = hour ":" minute [ "AM" / "PM" ]
//! ```
//!
//! A size may have commas between its thousands. Years of two digits from 70 to 99 are 1970 to 1999. The target of a link
//! is in brackets after its name.

use super::entry::{Entry, Kind, Line};
use super::{Date, Day, Time};
use crate::protocol::octets::number;

/// Parses a line of a DOS listing.
pub(super) fn line(line: &[u8]) -> Option<Line<'_>> {
    if !line.first()?.is_ascii_digit() {
        return None;
    }
    let (date, rest) = word(line)?;
    let day = day(date)?;
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
    let date = Some(Date::new(day, Some(time)));
    let (type_or_size, rest) = word(rest)?;
    let name = rest.trim_ascii_start();
    let (name, kind, size) = match type_or_size {
        b"<DIR>" => (name, Kind::Directory, None),
        b"<JUNCTION>" | b"<SYMLINKD>" | b"<SYMLINK>" => {
            let (name, target) = target(name);
            (name, Kind::Symlink(target), None)
        }
        // One blank ends the size; further blanks belong to the name.
        digits => (rest.strip_prefix(b" ")?, Kind::File, Some(size(digits)?)),
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

/// Parses the day of `date`.
pub(super) fn day(text: &[u8]) -> Option<Day> {
    let mut fields = text.split(|octet| matches!(octet, b'-' | b'/' | b'.'));
    let (first, second, third) = (fields.next()?, fields.next()?, fields.next()?);
    if fields.next().is_some() {
        return None;
    }
    if first.len() == 4 {
        return Day::new(number(first)?, number(second)?, number(third)?);
    }
    let year: u16 = match (third.len(), number::<u16>(third)?) {
        (2, year @ 70..) => 1900 + year,
        (2, year) => 2000 + year,
        (4, year) => year,
        _ => return None,
    };
    let (month, day) = (number(first)?, number(second)?);
    // The day comes first if it cannot be a month.
    Day::new(year, month, day).or_else(|| Day::new(year, day, month))
}

fn size(text: &[u8]) -> Option<u64> {
    if memchr::memchr(b',', text).is_none() {
        return number(text);
    }
    if !text.first()?.is_ascii_digit() || !text.last()?.is_ascii_digit() {
        return None;
    }
    text.split(|&octet| octet == b',')
        .try_fold(0_u64, |size, group| {
            let scale = 10_u64.checked_pow(u32::try_from(group.len()).ok()?)?;
            size.checked_mul(scale)?.checked_add(number(group)?)
        })
}

fn target(name: &[u8]) -> (&[u8], Option<&[u8]>) {
    let Some(inside) = name.strip_suffix(b"]") else {
        return (name, None);
    };
    match memchr::memmem::rfind(inside, b" [") {
        Some(at) => (
            name.get(..at).unwrap_or(name),
            inside.get(at + 2..).filter(|target| !target.is_empty()),
        ),
        None => (name, None),
    }
}
