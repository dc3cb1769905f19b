//! EPLF, Bernstein's easily parsed LIST format (publicfile, anonftpd).
//!
//! ```text
//! entry = "+" *( fact "," ) TAB name
//! fact  = "/" / "r" / "s" digits / "m" digits / other
//! ```
//!
//! `/` can be entered, `r` can be fetched, `s` is the size, `m` the time in seconds since 1970.

use super::{Entry, Kind, Line, date, entry, number, split_once};

/// A line of EPLF.
pub(super) fn line(line: &[u8]) -> Line<'_> {
    let Some((facts, name)) = line
        .strip_prefix(b"+")
        .and_then(|rest| split_once(rest, b'\t'))
    else {
        return Line::Odd;
    };
    let mut found = Entry {
        name,
        kind: Kind::Unsaid,
        size: None,
        date: None,
    };
    for fact in facts.split(|&octet| octet == b',') {
        match fact {
            b"/" => found.kind = Kind::Directory,
            b"r" if found.kind == Kind::Unsaid => found.kind = Kind::File,
            [b's', digits @ ..] => found.size = number(digits),
            [b'm', digits @ ..] => found.date = date::seconds(digits),
            _ => {}
        }
    }
    entry(found)
}
