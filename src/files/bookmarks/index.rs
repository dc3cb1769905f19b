//! Which lines mean something, found with as little reading as can be.
//!
//! A URL is judged once, when its line is new: a changed file takes over what was known of the lines that it kept.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use super::Bookmarks;
use super::line::{Parts, heading, is_indented, trim_end};
use crate::url::Url;

/// What is kept of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The line it stands on, from 0.
    pub(super) line: usize,
    /// Of a folder, how deep it is, from 1; of a bookmark, how deep its folder is.
    pub(super) depth: u32,
    /// The item of the folder it is in, counted from 1; 0 where it is in none.
    parent: u32,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    /// With what all spellings of its URL share.
    Bookmark(u32),
    /// A bookmark whose URL has a fault.
    Fault,
}

impl Entry {
    /// The index of the folder that it is in.
    pub(super) fn parent(&self) -> Option<usize> {
        usize::try_from(self.parent).ok()?.checked_sub(1)
    }

    pub(super) fn depth(&self) -> usize {
        usize::try_from(self.depth).unwrap_or(usize::MAX)
    }
}

/// What a file is put together from.
pub(super) enum Piece<'a> {
    /// Lines of the file before.
    Kept(Range<usize>),
    /// Whole lines, but for the last of the file.
    New(Cow<'a, [u8]>),
}

/// What is known of a line before it is read.
enum Known {
    Nothing,
    /// It was this item, or no item.
    Was(Option<(Kind, u32)>),
}

impl Bookmarks {
    /// Reads a whole file.
    pub(super) fn indexed(octets: Vec<u8>) -> Self {
        let mut starts = Vec::new();
        push_starts(&octets, 0, &mut starts);
        let file = Self {
            octets: Arc::new(octets),
            starts: Arc::new(starts),
            entries: Arc::default(),
            faults: 0,
        };
        file.read(|_| Known::Nothing)
    }

    /// The file that these pieces make; those that are kept stand in the order of the file before.
    pub(super) fn assembled(&self, pieces: &[Piece<'_>]) -> Self {
        let sizes = pieces.iter().map(|piece| match piece {
            Piece::Kept(lines) => self.lines(lines.clone()).len(),
            Piece::New(new) => new.len(),
        });
        let mut octets = Vec::with_capacity(sizes.sum());
        let mut starts = Vec::with_capacity(self.starts.len());
        // The first line of each piece, and the line that it was.
        let mut runs = Vec::with_capacity(pieces.len());
        for piece in pieces {
            match piece {
                Piece::Kept(lines) => {
                    runs.push((starts.len(), Some(lines.start)));
                    let base = self.start_of(lines.start);
                    let kept = self.starts.get(lines.clone()).unwrap_or_default();
                    starts.extend(kept.iter().map(|start| start - base + octets.len()));
                    octets.extend_from_slice(self.lines(lines.clone()));
                }
                Piece::New(new) => {
                    runs.push((starts.len(), None));
                    push_starts(new, octets.len(), &mut starts);
                    octets.extend_from_slice(new);
                }
            }
        }
        let file = Self {
            octets: Arc::new(octets),
            starts: Arc::new(starts),
            entries: Arc::default(),
            faults: 0,
        };
        let mut runs = runs.into_iter().peekable();
        let mut run = None;
        let mut before = self.entries.iter().peekable();
        file.read(|line| {
            while let Some(next) = runs.next_if(|(first, _)| *first <= line) {
                run = Some(next);
            }
            let Some((first, Some(was))) = run else {
                return Known::Nothing;
            };
            let was = line - first + was;
            while before.next_if(|entry| entry.line < was).is_some() {}
            let entry = before.peek().filter(|entry| entry.line == was);
            Known::Was(entry.map(|entry| (entry.kind, entry.depth)))
        })
    }

    /// Finds the items; what is `known` of a line is not read again.
    fn read(mut self, mut known: impl FnMut(usize) -> Known) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        // The folders that are open, by depth and item.
        let mut open: Vec<(u32, u32)> = Vec::new();
        let mut depth = 0;
        let mut noted = false;
        for line in 0..self.line_count() {
            let octets = self.line(line);
            let indented = is_indented(octets);
            if indented && noted {
                continue;
            }
            let found = match known(line) {
                // What is indented may have been a note, and be none any more.
                Known::Was(None) if indented => meaning(octets),
                Known::Was(was) => was,
                Known::Nothing => meaning(octets),
            };
            noted = false;
            let Some((kind, deep)) = found else { continue };
            match kind {
                Kind::Folder => {
                    depth = deep;
                    while open.pop_if(|(above, _)| *above >= deep).is_some() {}
                }
                Kind::Bookmark(_) | Kind::Fault => noted = true,
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
        let faults = entries.iter().filter(|entry| entry.kind == Kind::Fault);
        self.faults = faults.count();
        self.entries = Arc::new(entries);
        self
    }
}

/// Where the lines of `octets` start, when `before` octets stand above them.
fn push_starts(octets: &[u8], before: usize, starts: &mut Vec<usize>) {
    if !octets.is_empty() {
        starts.push(before);
    }
    let ends = memchr::memchr_iter(b'\n', octets).map(|at| at + 1);
    let next = ends.filter(|&at| at < octets.len());
    starts.extend(next.map(|at| before + at));
}

/// What a line that is no note means; the depth is a folder's.
fn meaning(line: &[u8]) -> Option<(Kind, u32)> {
    let line = trim_end(line);
    if let Some(parts) = Parts::of(line) {
        let kind = match parts.judged() {
            Ok(url) => Kind::Bookmark(key(&url)),
            Err(_) => Kind::Fault,
        };
        return Some((kind, 0));
    }
    let (depth, _) = heading(line)?;
    Some((Kind::Folder, u32::try_from(depth).unwrap_or(u32::MAX)))
}

/// What all spellings of a URL share, and few others have.
pub(super) fn key(url: &Url) -> u32 {
    key_of(url.canonical().as_str())
}

/// The same, of a canonical spelling.
pub(super) fn key_of(canonical: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    canonical.hash(&mut hasher);
    let [a, b, c, d, ..] = hasher.finish().to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}
