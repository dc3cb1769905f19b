//! EPLF, Bernstein's easily parsed LIST format (publicfile, anonftpd).
//!
//! ```text
//! entry = "+" *( fact "," ) TAB name
//! fact  = "/" / "r" / "s" digits / "m" digits / other
//! ```
//!
//! `/`: a directory; `r`: a file that can be fetched; `s`: the size; `m`: the time in seconds since 1970.

use super::{Entry, Kind, Line, date, entry, number, split_once};

/// Parses a line of EPLF.
pub(super) fn line(line: &[u8]) -> Line<'_> {
    let Some((facts, name)) = line
        .strip_prefix(b"+")
        .and_then(|rest| split_once(rest, b'\t'))
    else {
        return Line::Unrecognized;
    };
    let mut parsed = Entry {
        name,
        kind: Kind::Unknown,
        size: None,
        date: None,
    };
    for fact in facts.split(|&octet| octet == b',') {
        match fact {
            b"/" => parsed.kind = Kind::Directory,
            b"r" if parsed.kind == Kind::Unknown => parsed.kind = Kind::File,
            [b's', digits @ ..] => parsed.size = number(digits),
            [b'm', digits @ ..] => parsed.date = date::seconds(digits),
            _ => {}
        }
    }
    entry(parsed)
}
