//! NLST: a name on each line (RFC 959, section 4.1.3).
//!
//! Some servers put the directory before the name; the name follows the last slash. The listing does not tell the kind.

use super::entry::{Entry, Kind, Line};

/// Parses a line of NLST.
pub(super) fn line(line: &[u8]) -> Option<Line<'_>> {
    Entry::new(last(line), Kind::Unknown).line()
}

/// Returns the part of a path after the last slash; a slash at the end is ignored.
pub(super) fn last(path: &[u8]) -> &[u8] {
    let path = path.strip_suffix(b"/").unwrap_or(path);
    path.rsplit(|&octet| octet == b'/').next().unwrap_or(path)
}
