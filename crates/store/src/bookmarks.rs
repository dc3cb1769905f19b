//! Bookmark file: plain text, one bookmark per line, by RFC 1738's own rule for URLs in context (appendix).
//!
//! ```text
//! bookmark = [ title ] "<URL:" url ">" *( "#" tag )
//! folder   = 1*"#" " " name          ; the number of "#" is the depth
//! note     = "  " text               ; on the bookmark above
//! ```
//!
//! Every other line is ignored and preserved. A line with a URL is a bookmark even if it looks like a folder; of two
//! URLs in a line the first counts; white space around a URL is no part of it, white space inside is a fault. A bad URL
//! does not affect other lines. Lines are octets: unchanged lines are written back exactly as they were read.
//!
//! The file is in memory once, as its octets, with an index of a few octets per item: a list of 100,000 needs little
//! more memory than the file. Titles, URLs, tags and notes are decoded on demand. A clone shares everything.

mod apply;
pub mod archive;
mod change;
pub mod checks;
mod damage;
pub mod dates;
mod edit;
pub mod exchange;
mod facts;
mod follow;
pub mod followed;
mod history;
mod index;
mod line;
mod lookup;
pub mod moves;
mod position;
mod query;
mod rearrange;
pub mod records;
mod similar;
mod store;
pub mod url_jobs;
mod view;
pub mod watch;

pub use apply::{AppliedChange, EditConflict};
pub use change::Change;
pub use edit::{BookmarkEdit, NewBookmark, is_tag_separator, on_one_line, split_tags};
pub use history::Difference;
pub use history::{MAX_DAYS, MAX_STATES, State};
pub use line::LineParts;
pub use position::InsertPosition;
pub use query::{FuzzyIndex, Query, QueryError, StateMatcher, age_of, completions};
pub(crate) use query::{HostWord, PERIODS, period_of, words};
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
    /// use geomys_store::bookmarks::Bookmarks;
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
        let (mut changed, mut new) = (0..self.line_count(), octets);
        // A last line without a line end may only have grown.
        while self.line(changed.start).ends_with(b"\n")
            && let Some(below) = new.strip_prefix(self.line(changed.start))
        {
            new = below;
            changed.start += 1;
        }
        // A line is equal only if the line above ends in both versions.
        while !changed.is_empty()
            && let Some(above) = new.strip_suffix(self.line(changed.end - 1))
            && (above.is_empty() || above.ends_with(b"\n"))
        {
            new = above;
            changed.end -= 1;
        }
        self.assembled(&[
            Piece::Unchanged(0..changed.start),
            Piece::New(new.into()),
            Piece::Unchanged(changed.end..self.line_count()),
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
