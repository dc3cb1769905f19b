//! Change of the file: splices of lines from one action of the user.
//!
//! A splice has the removed lines, the inserted lines, and the lines above and below. The latter locate it if another
//! program has edited the file meanwhile.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::Bookmarks;
use super::line::{is_blank, is_indented, split, trim_end};
use super::view::Folder;

/// Removed and inserted lines; [`Bookmarks::apply`] applies it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Splices in the order of the original file; they do not overlap.
    pub(super) splices: Vec<Splice>,
}

/// Replacement of adjacent lines.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Splice {
    /// First line, in the original file.
    pub(super) at: usize,
    /// Lines around it in the original file.
    pub(super) context: LineContext,
    pub(super) removed: Box<[u8]>,
    pub(super) inserted: Box<[u8]>,
}

/// Hashes of the next lines above and below that are neither blank nor notes; `None` at the start and at the end of the
/// file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineContext {
    pub(super) above: Option<u64>,
    pub(super) below: Option<u64>,
    /// Hash of the path of the folder that the line is in.
    pub(super) folder: u64,
}

impl Change {
    /// Creates a change; sorts the splices and drops those without effect.
    pub(super) fn new(mut splices: Vec<Splice>) -> Self {
        splices.retain(|splice| splice.removed != splice.inserted);
        splices.sort_by_key(|splice| splice.at);
        Self { splices }
    }

    /// Combines two changes of the same file. If both insert at the same line, the lines of `self` are above.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.splices.extend(other.splices);
        Self::new(self.splices)
    }

    /// Returns true if the change has no effect.
    pub fn is_empty(&self) -> bool {
        self.splices.is_empty()
    }
}

impl Splice {
    /// Creates a splice for the current file, which replaces `out` lines by `inserted`.
    pub(super) fn new(
        file: &Bookmarks,
        at: usize,
        out: usize,
        inserted: impl Into<Vec<u8>>,
    ) -> Self {
        Self {
            at,
            context: file.context(at, at + out),
            removed: file.lines(at..at + out).into(),
            inserted: inserted.into().into(),
        }
    }

    /// Returns the number of removed lines.
    pub(super) fn removed_lines(&self) -> usize {
        split(&self.removed).count()
    }

    /// Returns the line below the removed lines, in the original file.
    pub(super) fn end(&self) -> usize {
        self.at + self.removed_lines()
    }
}

/// Shows only lengths, as lines may hold passwords.
impl fmt::Debug for Splice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Splice")
            .field("at", &self.at)
            .field("removed", &self.removed.len())
            .field("inserted", &self.inserted.len())
            .finish_non_exhaustive()
    }
}

impl Bookmarks {
    /// Returns the context of the lines from `start` to before `end`.
    pub(super) fn context(&self, start: usize, end: usize) -> LineContext {
        let is_own_line = |line: &usize| self.is_own_line(*line);
        let above = (0..start.min(self.line_count())).rev().find(is_own_line);
        let below = (end..self.line_count()).find(is_own_line);
        LineContext {
            above: above.map(|line| self.line_hash(line)),
            below: below.map(|line| self.line_hash(line)),
            folder: self.folder_hash(start),
        }
    }

    /// Returns a hash of the path of the folder that a line is in.
    pub(super) fn folder_hash(&self, line: usize) -> u64 {
        let after = self.entries.partition_point(|entry| entry.line < line);
        let above = after.checked_sub(1);
        let folders = above
            .into_iter()
            .chain(above.into_iter().flat_map(|index| self.ancestors(index)));
        let folders: Vec<_> = folders.filter_map(|index| self.folder(index)).collect();
        let folders = folders.iter().rev();
        folders.fold(0, |path, folder| inner_folder_hash(path, folder))
    }

    /// Returns for each item the hash of the path of its folder; for a folder, of its own path.
    pub(super) fn folder_hashes(&self) -> Vec<u64> {
        let mut hashes: Vec<u64> = Vec::with_capacity(self.len());
        for index in 0..self.len() {
            let parent = self.parent(index).and_then(|parent| hashes.get(parent));
            let path = parent.copied().unwrap_or_default();
            let own = self.folder(index);
            hashes.push(own.map_or(path, |own| inner_folder_hash(path, &own)));
        }
        hashes
    }

    /// Returns true if a line is neither blank nor a note.
    pub(super) fn is_own_line(&self, line: usize) -> bool {
        let line = self.line(line);
        !is_blank(line) && !is_indented(line)
    }

    /// Returns the hash of a line without its line end.
    pub(super) fn line_hash(&self, line: usize) -> u64 {
        line_hash(self.line(line))
    }
}

/// Returns the hash of the path of a folder inside the folder whose path has the hash `path`.
fn inner_folder_hash(path: u64, folder: &Folder<'_>) -> u64 {
    path.rotate_left(7) ^ line_hash(folder.name_octets())
}

/// Returns the hash of a line without its line end.
pub(super) fn line_hash(line: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    trim_end(line).hash(&mut hasher);
    hasher.finish()
}
