//! EPLF, Bernstein's easily parsed LIST format (publicfile, anonftpd).
//!
//! ```text
//! entry = "+" *( fact "," ) TAB name
//! fact  = "/" / "r" / "s" digits / "m" digits / other
//! ```
//!
//! `/`: a directory; `r`: a file that can be fetched; `s`: the size; `m`: the time in seconds since 1970.

use super::date;
use super::entry::{Entry, Kind, Line};
use crate::protocol::octets::{number, split_once};

/// Parses a line of EPLF.
pub(super) fn line(line: &[u8]) -> Option<Line<'_>> {
    let (facts, name) = split_once(line.strip_prefix(b"+")?, b'\t')?;
    let mut entry = Entry::new(name, Kind::Unknown);
    for fact in facts.split(|&octet| octet == b',') {
        match fact {
            b"/" => entry.kind = Kind::Directory,
            b"r" if entry.kind == Kind::Unknown => entry.kind = Kind::File,
            [b's', digits @ ..] => entry.size = number(digits),
            [b'm', digits @ ..] => entry.date = date::seconds(digits),
            _ => {}
        }
    }
    entry.line()
}
