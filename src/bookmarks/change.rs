//! Change of the file: splices of lines from one action of the user.
//!
//! A splice has the removed lines, the inserted lines, and the lines above and below. The latter locate it if another program
//! has edited the file meanwhile.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::Bookmarks;
use super::line::{is_blank, is_indented, split, trim_end};

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

/// Hashes of the next lines above and below that are neither blank nor notes; `None` at the start and at the end of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineContext {
    pub(super) above: Option<u64>,
    pub(super) below: Option<u64>,
    /// Hash of the headings above the line.
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

    /// Returns a hash of the headings above a line.
    pub(super) fn folder_hash(&self, line: usize) -> u64 {
        let after = self.entries.partition_point(|entry| entry.line < line);
        let above = after.checked_sub(1);
        let own = above.filter(|&index| self.folder(index).is_some());
        let folders = own
            .into_iter()
            .chain(above.into_iter().flat_map(|index| self.ancestors(index)));
        folders
            .filter_map(|folder| self.entry(folder))
            .fold(0, |hash: u64, folder| {
                hash.rotate_left(7) ^ self.line_hash(folder.line)
            })
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

/// Returns the hash of a line without its line end.
pub(super) fn line_hash(line: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    trim_end(line).hash(&mut hasher);
    hasher.finish()
}
