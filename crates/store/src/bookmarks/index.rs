//! Index of the lines that are folders or bookmarks, and the insertion points between them: a bookmark gets a line in its
//! folder, a folder a line where no bookmark falls into it.
//!
//! A URL is parsed once, when its line is new: a changed file reuses the index of its unchanged lines.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::iter;
use std::ops::Range;
use std::sync::Arc;

use geomys_wire::net::compared_url;
use rfc1738::Url;

use super::Bookmarks;
use super::line::{LineParts, heading, is_blank, is_indented, one_line, trim_end};

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
    /// A bookmark with the [key] of its URL.
    Bookmark(u32),
    /// A bookmark whose URL has a fault.
    Fault,
}

impl Entry {
    /// Returns the index of the parent folder.
    pub(super) fn parent(&self) -> Option<usize> {
        usize::try_from(self.parent).ok()?.checked_sub(1)
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
            Ok(url) => Kind::Bookmark(key(&url)),
            Err(_) => Kind::Fault,
        };
        return Some((kind, 0));
    }
    let (depth, _) = heading(line)?;
    Some((Kind::Folder, u32::try_from(depth).unwrap_or(u32::MAX)))
}

/// Returns the key of a URL: equal for all its spellings and fragments, rarely equal for other URLs.
pub(super) fn key(url: &Url) -> u32 {
    key_of(compared_url(url).as_str())
}

/// Returns the key of a [compared](compared_url) spelling.
pub(super) fn key_of(compared: &str) -> u32 {
    let page = compared.split('#').next();
    let mut hasher = DefaultHasher::new();
    page.hash(&mut hasher);
    let [a, b, c, d, ..] = hasher.finish().to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// Position at which bookmarks and folders are inserted. Indices are those of [`Bookmarks::items`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InsertPosition {
    /// The end of the file: for top-level folders. A bookmark would be in the last folder there; a bookmark without a folder goes
    /// to [`InsertPosition::Top`].
    End,
    /// The top level: above the first folder.
    Top,
    /// The end of the folder with this path, outermost name first; a missing folder is created. An empty path is [`InsertPosition::Top`].
    Path(Vec<String>),
    /// The end of the folder at an index: bookmarks go above its subfolders, folders below them.
    Inside(usize),
    /// Before the item at an index. A folder before a bookmark goes to the end of the bookmark's folder.
    Before(usize),
    /// After the item at an index: a bookmark becomes the first in a folder; a folder goes below the content of the item.
    After(usize),
}

/// Insertion point: a line, with the headings to insert first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InsertionPoint {
    /// Line above which the text is inserted.
    pub(super) line: usize,
    /// Depth of a folder at this point.
    pub(super) depth: usize,
    /// Headings of missing folders.
    pub(super) headings: Vec<u8>,
}

impl Bookmarks {
    /// Returns the insertion point of a bookmark.
    pub(super) fn insertion_point(&self, position: &InsertPosition) -> InsertionPoint {
        let line = match position {
            InsertPosition::End => self.line_count(),
            InsertPosition::Top => self.end_of_section(None),
            InsertPosition::Path(path) => return self.insertion_point_at_path(path, false),
            InsertPosition::Inside(index) => self.end_of_section(Some(*index)),
            InsertPosition::Before(index) => {
                let above = index.checked_sub(1);
                let above = above.filter(|_| self.folder(*index).is_some());
                above.map_or_else(|| self.line_of(*index), |above| self.line_below(above))
            }
            InsertPosition::After(index) => self.line_below(*index),
        };
        InsertionPoint {
            line: self.below_notes(line),
            depth: 0,
            headings: Vec::new(),
        }
    }

    /// Returns the insertion point of a folder.
    pub(super) fn folder_insertion_point(&self, position: &InsertPosition) -> InsertionPoint {
        let (line, depth) = match position {
            InsertPosition::End => (self.line_count(), 1),
            InsertPosition::Top => self.below_section(None),
            InsertPosition::Path(path) => return self.insertion_point_at_path(path, true),
            InsertPosition::Inside(index) => match self.folder(*index) {
                Some(folder) => (self.end_of_folder(*index), folder.depth + 1),
                None => self.below_section(self.parent(*index)),
            },
            InsertPosition::Before(index) => match self.folder(*index) {
                Some(folder) => (folder.line, folder.depth),
                None => self.below_section(self.parent(*index)),
            },
            InsertPosition::After(index) => match self.folder(*index) {
                Some(folder) => (self.end_of_folder(*index), folder.depth),
                None => self.below_section(self.parent(*index)),
            },
        };
        InsertionPoint {
            line: self.below_notes(line),
            depth,
            headings: Vec::new(),
        }
    }

    /// Returns the insertion point at the end of a folder by its path; missing folders are created.
    fn insertion_point_at_path(&self, path: &[String], is_folder: bool) -> InsertionPoint {
        let (existing, folder) = self.longest_existing(path);
        if existing == path.len() {
            let position = folder.map_or(InsertPosition::Top, InsertPosition::Inside);
            return if is_folder {
                self.folder_insertion_point(&position)
            } else {
                self.insertion_point(&position)
            };
        }
        let outer = folder.and_then(|index| self.folder(index));
        let line = folder.map_or(self.line_count(), |index| self.end_of_folder(index));
        let line = self.below_notes(line);
        let mut depth = outer.map_or(0, |outer| outer.depth);
        let mut headings = Vec::new();
        if self.needs_blank(line.checked_sub(1)) {
            headings.extend_from_slice(self.ending());
        }
        for name in path.iter().skip(existing) {
            depth += 1;
            headings.extend_from_slice(&self.heading(name, depth));
        }
        InsertionPoint {
            line,
            depth: depth + 1,
            headings,
        }
    }

    /// Returns the number of the names of a path, from its start, that are an existing folder, and the index of that folder.
    pub(super) fn longest_existing(&self, path: &[String]) -> (usize, Option<usize>) {
        let mut starts = (1..=path.len()).rev();
        let longest = starts.find_map(|count| Some((count, self.folder_at(path.get(..count)?)?)));
        longest.map_or((0, None), |(count, folder)| (count, Some(folder)))
    }

    /// Formats a heading as a line.
    pub(super) fn heading(&self, name: &str, depth: usize) -> Vec<u8> {
        let name = one_line(name);
        let hashes = b"#".repeat(depth);
        [&hashes, &b" "[..], name.as_bytes(), self.ending()].concat()
    }

    /// Returns true if a line is not blank, so that a heading needs a blank line in between.
    pub(super) fn needs_blank(&self, line: Option<usize>) -> bool {
        line.is_some_and(|line| line < self.line_count() && !is_blank(self.line(line)))
    }

    /// Returns the line below an item: below a bookmark's notes, or below a heading.
    fn line_below(&self, index: usize) -> usize {
        match self.entry(index) {
            Some(entry) if entry.kind == Kind::Folder => entry.line + 1,
            Some(entry) => self.end_of_notes(entry.line),
            None => self.line_count(),
        }
    }

    /// Returns the line below the last bookmark directly in a folder. Without such a bookmark, the line below the heading, or at
    /// the top level the line of the first heading.
    fn end_of_section(&self, folder: Option<usize>) -> usize {
        let first = folder.map_or(0, |folder| folder + 1);
        let end = self.next_folder(first);
        if end > first {
            return self.line_below(end - 1);
        }
        match folder {
            Some(folder) => self.line_below(folder),
            None => self.line_of(end),
        }
    }

    /// Returns the line and the depth of a new first subfolder of a folder.
    fn below_section(&self, folder: Option<usize>) -> (usize, usize) {
        let depth = folder.and_then(|folder| self.folder(folder));
        let depth = depth.map_or(0, |folder| folder.depth);
        let next = self.next_folder(folder.map_or(0, |folder| folder + 1));
        // Headings may skip a depth: the next folder must not fall into the new one.
        let beside = self.folder(next).map(|next| next.depth);
        let beside = beside.filter(|&beside| beside > depth);
        (self.line_of(next), beside.unwrap_or(depth + 1))
    }

    /// Returns the line below the content of a folder.
    pub(super) fn end_of_folder(&self, index: usize) -> usize {
        self.line_below(self.end(index) - 1)
    }

    /// Returns the index of the next folder from an item on; the number of items if there is none.
    fn next_folder(&self, from: usize) -> usize {
        let entries = self.entries.get(from..).unwrap_or_default();
        let folder = entries.iter().position(|entry| entry.kind == Kind::Folder);
        folder.map_or(self.len(), |after| from + after)
    }

    /// Returns the line of an item; the number of lines after the last item.
    pub(super) fn line_of(&self, index: usize) -> usize {
        self.entry(index)
            .map_or(self.line_count(), |entry| entry.line)
    }
}
