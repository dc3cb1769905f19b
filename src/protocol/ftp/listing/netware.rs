//! The listing of `NetWare`.
//!
//! ```text
//! entry  = ( "d" / "-" ) 1*SP "[" rights "]" 1*SP owner 1*SP size 1*SP date 1*SP name
//! rights = *( "R" / "W" / "C" / "E" / "A" / "F" / "M" / "S" / "-" )
//! ```
//!
//! The date is that of [`super::words`]; an owner may have several words.

use super::unix::is_total;
use super::words::{MOST, Words};
use super::{Day, Entry, Kind, Line, entry, number};

/// A line of a `NetWare` listing. `today` settles the year of dates that have none.
pub(super) fn line(line: &[u8], today: Day) -> Line<'_> {
    match parse(line, today) {
        Some(found) => entry(found),
        None if is_total(line) => Line::Aside,
        None => Line::Odd,
    }
}

fn parse(line: &[u8], today: Day) -> Option<Entry<'_>> {
    let kind = match line.first()? {
        b'd' => Kind::Directory,
        b'-' => Kind::File,
        _ => return None,
    };
    let words = Words::of(line, MOST);
    let rights = words.word(1)?.strip_prefix(b"[")?.strip_suffix(b"]")?;
    if words.word(0)?.len() != 1 || !rights.iter().all(|right| b"RWCEAFMS-".contains(right)) {
        return None;
    }
    (4..8).find_map(|place| {
        let size = number(words.word(place - 1)?)?;
        let (date, last) = words.date(place, today)?;
        Some(Entry {
            name: words.after(last)?.trim_ascii_start(),
            kind,
            size: (kind == Kind::File).then_some(size),
            date: Some(date),
        })
    })
}
