//! The listing of OS/400 (IBM i), in its own form.
//!
//! ```text
//! entry = owner 1*SP [ size 1*SP date 1*SP time 1*SP ] "*" type 1*SP name [ "/" ]
//! date  = as in [`super::date`], in any order: it is a setting of the system
//! ```
//!
//! `*FILE` is a file of members or of records; the listing does not tell which. `*MEM` is a member, whose name begins
//! with the name of its file and a slash. A slash at the end marks a directory, and is no part of its name.

use super::date::{DateOrder, DateRules};
use super::entry::{Entry, Kind, Line};
use super::words::Words;
use super::{Date, Time};
use crate::protocol::octets::number;

/// Parses a line of an OS/400 listing.
pub(super) fn line(line: &[u8], rules: DateRules) -> Option<Line<'_>> {
    let words = Words::of(line, 5);
    let is_type = |index: usize| words.word(index)?.strip_prefix(b"*");
    let (at, size, date) = if is_type(1).is_some() {
        (1, None, None)
    } else {
        let size = number(words.word(1)?)?;
        let day = rules.day(words.word(2)?, &DateOrder::ALL)?.value();
        let time = Time::parse(words.word(3)?)?;
        (4, Some(size), day.map(|day| Date::new(day, Some(time))))
    };
    let kind = match is_type(at)? {
        b"DIR" | b"DDIR" | b"FLR" | b"LIB" => Kind::Directory,
        b"STMF" | b"MEM" | b"DOC" | b"DSTMF" => Kind::File,
        b"FILE" => Kind::Unknown,
        b"SYMLNK" => Kind::Symlink(None),
        other if !other.is_empty() && other.iter().all(u8::is_ascii_uppercase) => Kind::Other,
        _ => return None,
    };
    let name = words.after(at)?.trim_ascii_start();
    let (name, kind) = match name.strip_suffix(b"/") {
        Some(name) => (name, Kind::Directory),
        None => (name, kind),
    };
    let entry = Entry {
        name,
        kind,
        size: kind.size(size),
        date,
    };
    entry.line()
}
