//! Formats of few servers, each told apart by its line.
//!
//! ```text
//! entry    = numeric / dated / vxworks / nonstop
//! numeric  = mode 1*SP uid 1*SP gid 1*SP size 1*SP seconds 1*SP name     mode in octal digits, seconds since 1970
//! dated    = size 1*SP date SP name [ "/" ]                              VShell; a date with a year and a time
//! vxworks  = size 1*SP named 1*SP time 1*SP name [ SP "<DIR>" ]
//! nonstop  = name 1*SP code 1*SP size 1*SP named 1*SP time 1*SP owner 1*SP DQUOTE rights DQUOTE
//! ```
//!
//! For the dates see [`super::words`] and [`super::date`].

use super::date::{self, DateRules};
use super::entry::{Entry, Kind, Line};
use super::words::{MAX_WORDS, Words};
use super::{Date, Time};
use crate::protocol::octets::number;

/// Parses a line of one of these formats.
pub(super) fn line(line: &[u8], rules: DateRules) -> Option<Line<'_>> {
    let words = Words::of(line, MAX_WORDS);
    let entry = numeric(&words)
        .or_else(|| vxworks(&words))
        .or_else(|| nonstop(&words, line))
        .or_else(|| dated(&words, rules))?;
    entry.line()
}

fn numeric<'a>(words: &Words<'a>) -> Option<Entry<'a>> {
    let mode = words.word(0).filter(|mode| mode.starts_with(b"0"))?;
    let kind = match mode.strip_prefix(b"0")? {
        [
            b'1',
            b'0',
            b'0' | b'1' | b'2' | b'4' | b'6' | b'7',
            permissions @ ..,
        ] if permissions.len() == 3 => Kind::File,
        [b'4', _, permissions @ ..] if permissions.len() == 3 => Kind::Directory,
        [b'1', b'2', _, permissions @ ..] if permissions.len() == 3 => Kind::Symlink(None),
        [_, _, _, ..] => Kind::Other,
        _ => return None,
    };
    let is_octal = |octet: &u8| (b'0'..=b'7').contains(octet);
    let is_number = |index| words.word(index).and_then(number::<u64>).is_some();
    if !mode.iter().all(is_octal) || !is_number(1) || !is_number(2) {
        return None;
    }
    let seconds = words.word(4).filter(|seconds| seconds.len() > 5)?;
    Some(Entry {
        name: words.after(4)?.trim_ascii_start(),
        kind,
        size: kind.size(Some(number(words.word(3)?)?)),
        date: Some(date::seconds(seconds)?),
    })
}

fn dated<'a>(words: &Words<'a>, rules: DateRules) -> Option<Entry<'a>> {
    let size = number(words.word(0)?)?;
    let (date, last) = words.date(1, rules)?;
    date.filter(|date| date.time.is_some() && last == 4)?;
    let (_, name) = words.after(last)?.split_first()?;
    let (name, kind) = match name.strip_suffix(b"/") {
        Some(name) => (name, Kind::Directory),
        None => (name, Kind::File),
    };
    Some(Entry {
        name,
        kind,
        size: kind.size(Some(size)),
        date,
    })
}

fn vxworks<'a>(words: &Words<'a>) -> Option<Entry<'a>> {
    let size = number(words.word(0)?)?;
    let (day, time) = (
        date::named_day(words.word(1)?)?,
        Time::parse(words.word(2)?)?,
    );
    let name = words.after(2)?.trim_ascii();
    let (name, kind) = match name.strip_suffix(b"<DIR>") {
        Some(name) => (name.trim_ascii_end(), Kind::Directory),
        None => (name, Kind::File),
    };
    Some(Entry {
        name,
        kind,
        size: kind.size(Some(size)),
        date: Some(Date::new(day, Some(time))),
    })
}

fn nonstop<'a>(words: &Words<'a>, line: &[u8]) -> Option<Entry<'a>> {
    number::<u64>(words.word(1)?)?;
    let size = number(words.word(2)?)?;
    let (day, time) = (
        date::named_day(words.word(3)?)?,
        Time::parse(words.word(4)?)?,
    );
    line.trim_ascii_end().strip_suffix(b"\"")?;
    Some(Entry {
        name: words.word(0)?,
        kind: Kind::File,
        size: Some(size),
        date: Some(Date::new(day, Some(time))),
    })
}
