//! Bookmark file: plain text, one bookmark per line, by RFC 1738's own rule for URLs in context (appendix).
//!
//! ```text
//! bookmark = [ title ] "<URL:" url ">" *( "#" tag )
//! folder   = 1*"#" " " name          ; the number of "#" is the depth
//! note     = "  " text               ; on the bookmark above
//! ```
//!
//! Every other line is ignored and preserved. A line with a URL is a bookmark even if it looks like a folder; of two URLs in a
//! line the first counts; white space around a URL is no part of it, white space inside is a fault. A bad URL does not affect
//! other lines. Lines are octets: unchanged lines are written back exactly as they were read.
//!
//! The file is in memory once, as its octets, with an index of a few octets per item: a list of 100,000 needs little more
//! memory than the file. Titles, URLs, tags and notes are decoded on demand. A clone shares everything.

mod apply;
mod change;
pub mod checks;
mod compare;
mod edit;
pub mod exchange;
mod follow;
mod history;
mod index;
mod line;
mod lookup;
mod parallel;
mod position;
mod query;
mod rearrange;
mod state_file;
mod store;
mod view;
pub mod watch;

pub use apply::{AppliedChange, EditConflict};
pub use change::Change;
pub use compare::Difference;
pub use edit::{BookmarkEdit, NewBookmark, on_one_line};
pub use history::{MAX_STATES, State};
pub use line::LineParts;
pub use position::InsertPosition;
pub use query::{FuzzyIndex, Query, StateMatcher};
pub use state_file::Error as StateFileError;
pub use store::{Error, Store};
pub use view::{Bookmark, Folder, Item, ScannedBookmark};

pub use crate::files::atomic::WriteStep;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use self::index::{Entry, Piece};

/// Lines of a bookmark file, and their meaning. Cloning is cheap.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Bookmarks {
    octets: Arc<Vec<u8>>,
    /// Offset of each line.
    starts: Arc<Vec<usize>>,
    entries: Arc<Vec<Entry>>,
    faults: usize,
}

impl Bookmarks {
    /// Parses a bookmark file; any octets are accepted.
    ///
    /// ```
    /// use geomys::bookmarks::Bookmarks;
    ///
    /// let bookmarks = Bookmarks::parse(b"# Gopher\nFloodgap <URL:gopher://gopher.floodgap.com/> #server\n");
    /// let bookmark = bookmarks.bookmarks().next().unwrap();
    /// assert_eq!(bookmark.title().as_str(), "Floodgap");
    /// assert!(bookmark.url().is_ok());
    /// ```
    pub fn parse(octets: &[u8]) -> Self {
        Self::of(octets.to_vec())
    }

    /// Parses a later version of the same file; unchanged lines are not parsed again.
    #[must_use]
    pub fn reread(&self, octets: &[u8]) -> Self {
        if octets == self.octets() {
            return self.clone();
        }
        let (head, tail) = self.unchanged(octets);
        let (head_end, tail_start) = (self.start_of(head), self.start_of(tail));
        let middle_end = octets.len() - (self.octets.len() - tail_start);
        let middle = octets.get(head_end..middle_end).unwrap_or_default();
        self.assembled(&[
            Piece::Unchanged(0..head),
            Piece::New(middle.into()),
            Piece::Unchanged(tail..self.line_count()),
        ])
    }

    /// Returns the octets of the file.
    pub fn octets(&self) -> &[u8] {
        &self.octets
    }

    /// Returns the number of folders and bookmarks.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there are no folders and bookmarks.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the number of bookmarks whose URL has a fault.
    pub fn faults(&self) -> usize {
        self.faults
    }

    /// Returns the number of lines, including ignored ones.
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// Returns a line with its line end, counted from 0; empty after the last line.
    fn line(&self, line: usize) -> &[u8] {
        self.lines(line..line + 1)
    }

    /// Returns a range of lines with their line ends, as in the file.
    fn lines(&self, lines: Range<usize>) -> &[u8] {
        let octets = self.start_of(lines.start)..self.start_of(lines.end);
        self.octets.get(octets).unwrap_or_default()
    }

    /// Returns the offset of a line; the end of the file for a line after the last.
    fn start_of(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.octets.len())
    }

    fn entry(&self, index: usize) -> Option<&Entry> {
        self.entries.get(index)
    }

    /// Returns the number of equal lines at the start, and the first of the equal lines at the end, of a later version.
    fn unchanged(&self, octets: &[u8]) -> (usize, usize) {
        let same = |(one, other): &(&u8, &u8)| one == other;
        let head = self.octets.iter().zip(octets).take_while(same).count();
        // The line with the first difference may only have grown.
        let head = self.starts.partition_point(|&start| start <= head);
        let head = head.saturating_sub(1);
        let head_end = self.start_of(head);
        let (old, new) = (
            self.octets.get(head_end..).unwrap_or_default(),
            octets.get(head_end..).unwrap_or_default(),
        );
        let (old, new) = (old.iter().rev(), new.iter().rev());
        let tail = old.zip(new).take_while(same).count();
        let tail = self.octets.len() - tail;
        // A line is equal only if the line above ends in both versions.
        let tail = self.starts.partition_point(|&start| start <= tail);
        (head, tail.max(head))
    }
}

impl AsRef<[u8]> for Bookmarks {
    fn as_ref(&self) -> &[u8] {
        self.octets()
    }
}

/// Shows only counts, as lines may hold passwords.
impl fmt::Debug for Bookmarks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bookmarks")
            .field("lines", &self.line_count())
            .field("items", &self.len())
            .field("faults", &self.faults)
            .finish_non_exhaustive()
    }
}
