//! Index of the lines that are folders or bookmarks.
//!
//! A URL is parsed once, when its line is new: a changed file reuses the index of its unchanged lines.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::iter;
use std::ops::Range;
use std::sync::Arc;

use geomys_wire::net::{compared_text, compared_url};

use super::Bookmarks;
use super::line::{LineParts, heading, is_indented, trim_end};

/// Index entry of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Line of the item, from 0.
    pub(super) line: usize,
    /// Depth of a folder, from 1; for a bookmark, the depth of its folder.
    pub(super) depth: u32,
    /// Index of the parent folder, plus 1; 0 if there is none.
    parent: u32,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    /// A bookmark with the [key](key_of) of its link.
    Bookmark(u32),
    /// A bookmark whose URL has a fault, with the key of the link that it is repaired to, or of its text.
    Fault(u32),
}

impl Entry {
    /// Returns the index of the parent folder.
    pub(super) fn parent(&self) -> Option<usize> {
        usize::try_from(self.parent).ok()?.checked_sub(1)
    }

    /// Returns the [key](key_of) of a bookmark; `None` for a folder.
    pub(super) fn key(&self) -> Option<u32> {
        match self.kind {
            Kind::Bookmark(key) | Kind::Fault(key) => Some(key),
            Kind::Folder => None,
        }
    }

    /// Returns true for a bookmark whose URL has a fault.
    pub(super) fn is_fault(&self) -> bool {
        matches!(self.kind, Kind::Fault(_))
    }

    pub(super) fn depth(&self) -> usize {
        usize::try_from(self.depth).unwrap_or(usize::MAX)
    }
}

/// Piece of a new file.
pub(super) enum Piece<'a> {
    /// Unchanged lines of the old file.
    Unchanged(Range<usize>),
    /// Complete new lines; the last line of the file may have no line end.
    New(Cow<'a, [u8]>),
}

/// Earlier index entry of a line.
enum EarlierEntry {
    /// The line is new.
    New,
    /// The line was this item, or no item.
    Unchanged(Option<(Kind, u32)>),
}

impl Bookmarks {
    /// Parses a bookmark file without a copy of the octets.
    pub fn of(octets: Vec<u8>) -> Self {
        let mut starts = Vec::new();
        push_starts(&octets, 0, &mut starts);
        Self::index_lines(octets, starts, iter::repeat_with(|| EarlierEntry::New))
    }

    /// Builds a file from pieces; unchanged lines are in the order of the old file.
    pub(super) fn assembled(&self, pieces: &[Piece<'_>]) -> Self {
        let sizes = pieces.iter().map(|piece| match piece {
            Piece::Unchanged(lines) => self.lines(lines.clone()).len(),
            Piece::New(new) => new.len(),
        });
        let mut octets = Vec::with_capacity(sizes.sum());
        let mut starts = Vec::with_capacity(self.starts.len());
        let mut earlier = Vec::with_capacity(self.starts.len());
        let mut entries = self.entries.iter().peekable();
        for piece in pieces {
            match piece {
                Piece::Unchanged(lines) => {
                    earlier.extend(lines.clone().map(|line| {
                        while entries.next_if(|entry| entry.line < line).is_some() {}
                        let entry = entries.next_if(|entry| entry.line == line);
                        EarlierEntry::Unchanged(entry.map(|entry| (entry.kind, entry.depth)))
                    }));
                    let base = self.start_of(lines.start);
                    let unchanged = self.starts.get(lines.clone()).unwrap_or_default();
                    starts.extend(unchanged.iter().map(|start| start - base + octets.len()));
                    octets.extend_from_slice(self.lines(lines.clone()));
                }
                Piece::New(new) => {
                    push_starts(new, octets.len(), &mut starts);
                    earlier.resize_with(starts.len(), || EarlierEntry::New);
                    octets.extend_from_slice(new);
                }
            }
        }
        Self::index_lines(octets, starts, earlier)
    }

    /// Finds the items; lines with an `earlier` entry are not parsed again.
    fn index_lines(
        octets: Vec<u8>,
        starts: Vec<usize>,
        earlier: impl IntoIterator<Item = EarlierEntry>,
    ) -> Self {
        let mut file = Self {
            octets: Arc::new(octets),
            starts: Arc::new(starts),
            ..Self::default()
        };
        let mut entries: Vec<Entry> = Vec::new();
        // Open folders: depth and item number.
        let mut open: Vec<(u32, u32)> = Vec::new();
        let mut depth = 0;
        let mut noted = false;
        for (line, earlier) in (0..file.line_count()).zip(earlier) {
            let octets = file.line(line);
            let indented = is_indented(octets);
            if indented && noted {
                continue;
            }
            let found = match earlier {
                // An indented line may have been a note, and now be an item.
                EarlierEntry::Unchanged(None) if indented => parse_item(octets),
                EarlierEntry::Unchanged(was) => was,
                EarlierEntry::New => parse_item(octets),
            };
            noted = false;
            let Some((kind, deep)) = found else { continue };
            match kind {
                Kind::Folder => {
                    depth = deep;
                    while open.pop_if(|(above, _)| *above >= deep).is_some() {}
                }
                Kind::Bookmark(_) | Kind::Fault(_) => noted = true,
            }
            entries.push(Entry {
                line,
                depth,
                parent: open.last().map_or(0, |(_, item)| *item),
                kind,
            });
            if kind == Kind::Folder {
                open.push((depth, u32::try_from(entries.len()).unwrap_or_default()));
            }
        }
        entries.shrink_to_fit();
        let faults = entries.iter().filter(|entry| entry.is_fault());
        file.faults = faults.count();
        file.entries = Arc::new(entries);
        file
    }
}

/// Appends the offsets of the lines of `octets`, which begin at offset `before`.
fn push_starts(octets: &[u8], before: usize, starts: &mut Vec<usize>) {
    if !octets.is_empty() {
        starts.push(before);
    }
    let ends = memchr::memchr_iter(b'\n', octets).map(|at| at + 1);
    let next = ends.filter(|&at| at < octets.len());
    starts.extend(next.map(|at| before + at));
}

/// Parses a line that is not a note; returns its kind and the depth of a folder.
fn parse_item(line: &[u8]) -> Option<(Kind, u32)> {
    let line = trim_end(line);
    if let Some(parts) = LineParts::of(line) {
        let kind = match parts.url() {
            Ok(url) => Kind::Bookmark(key_of(compared_url(&url).as_str())),
            Err(_) => Kind::Fault(key_of(&compared_text(parts.url_text().as_str()))),
        };
        return Some((kind, 0));
    }
    let (depth, _) = heading(line)?;
    Some((Kind::Folder, u32::try_from(depth).unwrap_or(u32::MAX)))
}

/// Returns the key of a [compared](compared_url) spelling: equal for all fragments, rarely equal for other URLs.
pub(super) fn key_of(compared: &str) -> u32 {
    let page = compared.split('#').next();
    let mut hasher = DefaultHasher::new();
    page.hash(&mut hasher);
    let [a, b, c, d, ..] = hasher.finish().to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}
