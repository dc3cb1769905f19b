//! A change to the file: a few splices of lines, all made by one thing that a person did.
//!
//! A splice knows the lines that it takes out, those that it puts in, and the lines above and below, by which its place
//! is found when somebody else has edited the file meanwhile.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::Bookmarks;
use super::index::{Entry, Kind};
use super::line::{is_blank, is_indented, trim_end};

/// Lines out, lines in; [`Bookmarks::apply`] makes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// In the order of the file that it was made for; none reaches into the next.
    pub(super) splices: Vec<Splice>,
}

/// Lines that stand together, and what stands there afterwards.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Splice {
    /// The line, in the file that it was made for.
    pub(super) at: usize,
    /// What stands around it there.
    pub(super) around: Around,
    pub(super) removed: Box<[u8]>,
    pub(super) inserted: Box<[u8]>,
}

/// The next lines above and below on which something stands that is no note, as numbers that another line hardly has;
/// nothing at the start and at the end of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Around {
    pub(super) above: Option<u64>,
    pub(super) below: Option<u64>,
    /// The headings that it stands under, as one number.
    pub(super) under: u64,
}

impl Change {
    /// Puts the splices in order.
    pub(super) fn new(mut splices: Vec<Splice>) -> Self {
        splices.retain(|splice| splice.removed != splice.inserted);
        splices.sort_by_key(|splice| splice.at);
        Self { splices }
    }

    /// This and another that was made for the same file, as one. Where both put something in at one line, what this puts
    /// in stands above.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.splices.extend(other.splices);
        Self::new(self.splices)
    }

    /// Whether nothing would change.
    pub fn is_empty(&self) -> bool {
        self.splices.is_empty()
    }
}

impl Splice {
    /// For the file as it is: so many lines out, these in.
    pub(super) fn new(
        file: &Bookmarks,
        at: usize,
        out: usize,
        inserted: impl Into<Vec<u8>>,
    ) -> Self {
        Self {
            at,
            around: file.around(at, at + out),
            removed: file.lines(at..at + out).into(),
            inserted: inserted.into().into(),
        }
    }
}

/// Lines may hold passwords: only their lengths are shown.
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
    /// What stands around the lines from `start` to before `end`.
    pub(super) fn around(&self, start: usize, end: usize) -> Around {
        let stands = |line: &usize| self.stands(*line);
        let above = (0..start.min(self.line_count())).rev().find(stands);
        let below = (end..self.line_count()).find(stands);
        Around {
            above: above.map(|line| self.mark(line)),
            below: below.map(|line| self.mark(line)),
            under: self.under(start),
        }
    }

    /// The headings that a line stands under, as one number.
    pub(super) fn under(&self, line: usize) -> u64 {
        let after = self.entries.partition_point(|entry| entry.line < line);
        let above = after.checked_sub(1).and_then(|at| self.entries.get(at));
        let of = |entry: &Entry| entry.parent().and_then(|item| self.entries.get(item));
        let mut folder = match above {
            Some(entry) if entry.kind == Kind::Folder => Some(entry),
            Some(entry) => of(entry),
            None => None,
        };
        let mut under = 0_u64;
        while let Some(entry) = folder {
            under = under.rotate_left(7) ^ self.mark(entry.line);
            folder = of(entry);
        }
        under
    }

    /// Whether there is something on a line that is no note.
    pub(super) fn stands(&self, line: usize) -> bool {
        let line = self.line(line);
        !is_blank(line) && !is_indented(line)
    }

    /// A number for a line, its end not counted.
    pub(super) fn mark(&self, line: usize) -> u64 {
        mark(self.line(line))
    }
}

/// A number for a line, its end not counted.
pub(super) fn mark(line: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    trim_end(line).hash(&mut hasher);
    hasher.finish()
}
