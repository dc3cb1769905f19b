//! NLST: a name on each line (RFC 959, section 4.1.3), and the names that it adds to a listing.
//!
//! Some servers put the directory before the name; the name follows the last slash. The listing does not tell the kind.

use std::collections::HashSet;
use std::iter;

use super::entry::{Entry, Kind, Line};
use crate::protocol::octets;

/// Parses a line of NLST.
pub(super) fn line(line: &[u8]) -> Option<Line<'_>> {
    Entry::new(last(line), Kind::Unknown).line()
}

/// Returns the part of a path after the last slash; a slash at the end is ignored.
pub(super) fn last(path: &[u8]) -> &[u8] {
    let path = path.strip_suffix(b"/").unwrap_or(path);
    let start = memchr::memrchr(b'/', path).map_or(0, |at| at + 1);
    path.get(start..).unwrap_or(path)
}

/// The names of NLST that no line of the listing has: those of lines that cannot be parsed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnlistedNames(HashSet<Vec<u8>>);

impl UnlistedNames {
    /// Reads the lines of NLST.
    pub fn parse(octets: &[u8]) -> Self {
        let names = octets::lines(octets).filter_map(|line| match self::line(line)? {
            Line::Entry(entry) => Some(entry.name.to_vec()),
            Line::Metadata | Line::Unrecognized => None,
        });
        Self(names.collect())
    }

    /// Removes the name of an entry, which is that of no other line.
    pub fn remove(&mut self, name: &[u8]) {
        self.0.remove(name);
    }

    /// Returns the line as an entry of unknown kind and size, if it ends with one of the names: the longest one.
    pub fn entry<'a>(&self, line: &'a [u8]) -> Option<Entry<'a>> {
        let starts = memchr::memchr2_iter(b' ', b'\t', line).map(|blank| blank + 1);
        let mut ends = iter::once(0)
            .chain(starts)
            .filter_map(|start| line.get(start..));
        let name = ends.find(|name| self.0.contains(*name))?;
        Some(Entry::new(name, Kind::Unknown))
    }
}
