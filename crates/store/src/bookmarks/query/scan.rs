//! Scan for bookmarks that match a query, in one pass over the octets of the file: without an index, and without parsing URLs.
//! Used by `geomys bookmarks list`.
//!
//! The file is split into one section per thread, at the beginning of a line that is not a note; each section searches the lines
//! above it for the headings of its open folders.

use std::iter;
use std::ops::Range;

use geomys_page::document::parallel;
use memchr::memmem;

use super::exact::WordMatcher;
use super::{Query, StateMatcher};
use crate::bookmarks::Bookmarks;
use crate::bookmarks::line::{LineParts, heading, is_indented, split_first, text, trim_end};
use crate::bookmarks::view::ScannedBookmark;

/// Size in octets from which on several threads are used.
const PARALLEL_MIN: usize = 256 * 1024;

impl Query {
    /// Scans a bookmark file for exact matches and calls `take` for each, in the order of the file. The results are returned in
    /// parts, in the order of the file; `matches_state` matches the words about states.
    pub fn scan<T: Default + Send>(
        &self,
        octets: &[u8],
        matches_state: &StateMatcher<'_>,
        take: impl Fn(&ScannedBookmark<'_>, &mut T) + Sync,
    ) -> Vec<T> {
        let threads = parallel::threads(octets.len(), PARALLEL_MIN);
        let start = |number| match number {
            number if number == threads => octets.len(),
            number => cut(octets, octets.len() / threads * number),
        };
        let line = |file: &Bookmarks, index| file.item(index).map_or(0, |item| item.line());
        let copies = self.copies(|| Bookmarks::parse(octets), line);
        let sections = (0..threads).map(|number| start(number)..start(number + 1));
        parallel::map(sections, |range| {
            let mut result = T::default();
            let mut section = FileSection::new(octets, range);
            let matcher = self.matcher(&copies);
            section.scan(matcher, matches_state, |bookmark| {
                take(bookmark, &mut result);
            });
            result
        })
    }
}

impl Bookmarks {
    /// Returns the indices of the bookmarks that match a query exactly, in the order of the file.
    pub fn matching(&self, query: &Query, matches_state: &StateMatcher<'_>) -> Vec<usize> {
        let take =
            |bookmark: &ScannedBookmark<'_>, lines: &mut Vec<usize>| lines.push(bookmark.line);
        let lines = query.scan(self.octets(), matches_state, take).into_iter();
        let items = lines.flatten().filter_map(|line| self.on_line(line));
        items.map(|item| item.index()).collect()
    }
}

/// Returns the next offset from `at` on at which a line begins that is not a note.
fn cut(octets: &[u8], mut at: usize) -> usize {
    if at == 0 {
        return 0;
    }
    // The line at `at` belongs to the section before.
    at -= 1;
    loop {
        let rest = octets.get(at..).unwrap_or_default();
        let Some(end) = memchr::memchr(b'\n', rest) else {
            return octets.len();
        };
        at += end + 1;
        if !is_indented(octets.get(at..).unwrap_or_default()) {
            return at;
        }
    }
}

/// Section of the file, with the folders that are open at its start.
struct FileSection<'a> {
    octets: &'a [u8],
    /// Number of lines before the section.
    line: usize,
    /// Depths of the open folders.
    open: Vec<usize>,
    /// Names of the open folders.
    names: Vec<String>,
}

impl<'a> FileSection<'a> {
    fn new(octets: &'a [u8], range: Range<usize>) -> Self {
        let above = octets.get(..range.start).unwrap_or_default();
        let mut section = Self {
            octets: octets.get(range).unwrap_or_default(),
            line: memchr::memchr_iter(b'\n', above).count(),
            open: Vec::new(),
            names: Vec::new(),
        };
        let starts = memmem::find_iter(above, b"\n#").map(|at| at + 1);
        for start in iter::once(0).chain(starts) {
            let (line, _) = split_first(above.get(start..).unwrap_or_default());
            let line = trim_end(line);
            if LineParts::of(line).is_none() {
                section.open_folder(line);
            }
        }
        section
    }

    /// Opens the folder of a line. Returns false if the line is no heading.
    fn open_folder(&mut self, line: &'a [u8]) -> bool {
        let Some((depth, name)) = heading(line) else {
            return false;
        };
        while self.open.pop_if(|above| *above >= depth).is_some() {}
        self.names.truncate(self.open.len());
        self.open.push(depth);
        self.names.push(text(name).to_string());
        true
    }

    fn scan(
        &mut self,
        mut matcher: WordMatcher<'_>,
        matches_state: &StateMatcher<'_>,
        mut take: impl FnMut(&ScannedBookmark<'_>),
    ) {
        matcher.enter(&self.names);
        let mut rest = self.octets;
        let mut line = self.line;
        while !rest.is_empty() {
            let (own, mut below) = split_first(rest);
            let number = line;
            line += 1;
            let bare = trim_end(own);
            if let Some(parts) = LineParts::of(bare) {
                while is_indented(below) {
                    (_, below) = split_first(below);
                    line += 1;
                }
                let len = rest.len() - below.len();
                let bookmark = ScannedBookmark {
                    line: number,
                    folder: &self.names,
                    parts,
                    lines: rest.get(..len).unwrap_or_default(),
                };
                if matcher.matches(&bookmark, matches_state) {
                    take(&bookmark);
                }
            } else if self.open_folder(bare) {
                matcher.enter(&self.names);
            }
            rest = below;
        }
    }
}
