//! NLST: a name on each line (RFC 959, section 4.1.3).
//!
//! Some servers put the directory before the name; what follows the last slash is the name. Whether it is a file, the
//! listing does not say.

use super::{Entry, Kind, Line, entry};

/// A line of NLST.
pub(super) fn line(line: &[u8]) -> Line<'_> {
    let path = line.strip_suffix(b"/").unwrap_or(line);
    let name = match memchr::memrchr(b'/', path) {
        Some(at) => path.get(at + 1..).unwrap_or(path),
        None => path,
    };
    entry(Entry {
        name,
        kind: Kind::Unsaid,
        size: None,
        date: None,
    })
}
