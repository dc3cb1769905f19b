//! NLST: a name on each line (RFC 959, section 4.1.3).
//!
//! Some servers put the directory before the name; what follows the last slash is the name. Whether it is a file, the
//! listing does not say.

use super::{Entry, Kind, Line, entry};

/// A line of NLST.
pub(super) fn line(line: &[u8]) -> Line<'_> {
    entry(Entry {
        name: last(line),
        kind: Kind::Unsaid,
        size: None,
        date: None,
    })
}

/// What follows the last slash of a path, one at its end left aside.
pub(super) fn last(path: &[u8]) -> &[u8] {
    let path = path.strip_suffix(b"/").unwrap_or(path);
    match memchr::memrchr(b'/', path) {
        Some(at) => path.get(at + 1..).unwrap_or(path),
        None => path,
    }
}
