//! The listing of `NetWare`.
//!
//! ```text
//! entry  = ( "d" / "-" ) 1*SP "[" rights "]" 1*SP owner 1*SP size 1*SP date 1*SP name
//! rights = *( "R" / "W" / "C" / "E" / "A" / "F" / "M" / "S" / "-" )
//! ```
//!
//! For the date see [`super::words`]; an owner may have several words.

use super::date::DateRules;
use super::entry::{Entry, Kind, Line};
use super::unix::is_total;
use super::words::{MAX_WORDS, Words};
use crate::protocol::octets::number;

/// Parses a line of a `NetWare` listing.
pub(super) fn line(line: &[u8], rules: DateRules) -> Option<Line<'_>> {
    match parse(line, rules) {
        Some(entry) => entry.line(),
        None => is_total(line).then_some(Line::Metadata),
    }
}

fn parse(line: &[u8], rules: DateRules) -> Option<Entry<'_>> {
    let kind = match line.first()? {
        b'd' => Kind::Directory,
        b'-' => Kind::File,
        _ => return None,
    };
    let words = Words::of(line, MAX_WORDS);
    let rights = words.word(1)?.strip_prefix(b"[")?.strip_suffix(b"]")?;
    if words.word(0)?.len() != 1 || !rights.iter().all(|right| b"RWCEAFMS-".contains(right)) {
        return None;
    }
    (4..8).find_map(|index| {
        let size = number(words.word(index - 1)?)?;
        let (date, last) = words.date(index, rules)?;
        Some(Entry {
            name: words.after(last)?.trim_ascii_start(),
            kind,
            size: kind.size(Some(size)),
            date,
        })
    })
}
