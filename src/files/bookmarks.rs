//! The bookmark file: plain text, one bookmark a line, by RFC 1738's own rule for URLs in context (appendix).
//!
//! ```text
//! bookmark = [ title ] "<URL:" url ">" *( "#" tag )
//! folder   = 1*"#" " " name          ; as many "#" as it is deep
//! note     = "  " text               ; on the bookmark above
//! ```
//!
//! Every other line is kept and means nothing. A line with a URL is a bookmark before it is a folder; of two URLs in a
//! line the first counts; white space around a URL is no part of it, white space inside is a fault. A bad URL costs no
//! other line anything.
//! Lines are octets: what is not touched is written back as it was read.
//!
//! The file is held once, as its octets, with a few octets an item beside them: a list of 100,000 costs little more than
//! the file. Titles, URLs, tags and notes are made when somebody looks. A clone shares everything.

mod apply;
mod change;
mod compare;
mod edit;
mod follow;
mod fuzzy;
mod history;
mod index;
mod line;
mod look;
mod place;
mod query;
mod rearrange;
mod search;
mod store;
mod sweep;
mod view;

pub use apply::{Applied, Clash};
pub use change::Change;
pub use compare::Difference;
pub use edit::{Draft, Edit, on_one_line};
pub use fuzzy::Searched;
pub use history::{KEPT, State};
pub(super) use line::one_line;
pub use place::Place;
pub use query::Query;
pub use search::{Fits, Words};
pub use store::{Error, Store};
pub use sweep::{Passed, sweep};
pub use view::{Bookmark, Folder, Item};

pub use super::atomic::Step;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use self::index::{Entry, Piece};

/// The file's lines, and what they mean. Cloning is cheap.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Bookmarks {
    octets: Arc<Vec<u8>>,
    /// Where each line starts.
    starts: Arc<Vec<usize>>,
    entries: Arc<Vec<Entry>>,
    faults: usize,
}

impl Bookmarks {
    /// Reads a bookmark file; any octets are one.
    pub fn parse(octets: &[u8]) -> Self {
        Self::of(octets.to_vec())
    }

    /// The same without a copy of the octets.
    pub fn of(octets: Vec<u8>) -> Self {
        Self::indexed(octets)
    }

    /// The file as it is by now, of which these bookmarks are an earlier state: what has not changed is not read again.
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
            Piece::Kept(0..head),
            Piece::New(middle.into()),
            Piece::Kept(tail..self.line_count()),
        ])
    }

    /// The file's octets.
    pub fn octets(&self) -> &[u8] {
        &self.octets
    }

    /// How many folders and bookmarks there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many bookmarks have a URL with a fault.
    pub fn faults(&self) -> usize {
        self.faults
    }

    /// How many lines the file has, those that mean nothing included.
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// A line with its end, from 0; nothing behind the last one.
    fn line(&self, line: usize) -> &[u8] {
        self.lines(line..line + 1)
    }

    /// Lines with their ends, as they stand in the file.
    fn lines(&self, lines: Range<usize>) -> &[u8] {
        let octets = self.start_of(lines.start)..self.start_of(lines.end);
        self.octets.get(octets).unwrap_or_default()
    }

    /// Where a line starts; the end of the file for one behind the last.
    fn start_of(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.octets.len())
    }

    fn entry(&self, index: usize) -> Option<&Entry> {
        self.entries.get(index)
    }

    /// How many lines at the start, and from which on to the end, are the same in a later state of the file.
    fn unchanged(&self, octets: &[u8]) -> (usize, usize) {
        let same = |(one, other): &(&u8, &u8)| one == other;
        let head = self.octets.iter().zip(octets).take_while(same).count();
        // The line in which they part may be one that has only grown.
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
        // A line is the same only where the one above ends in both.
        let tail = self.starts.partition_point(|&start| start <= tail);
        (head, tail.max(head))
    }
}

impl AsRef<[u8]> for Bookmarks {
    fn as_ref(&self) -> &[u8] {
        self.octets()
    }
}

/// Lines may hold passwords: only what was counted is shown.
impl fmt::Debug for Bookmarks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bookmarks")
            .field("lines", &self.line_count())
            .field("items", &self.len())
            .field("faults", &self.faults)
            .finish_non_exhaustive()
    }
}
