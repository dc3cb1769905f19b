//! Scan for bookmarks that match words, in one pass over the octets of the file: without an index, and without parsing URLs.
//! Used by `geomys bookmarks list`.
//!
//! The file is split into one section per thread, at the beginning of a line that is not a note; the open folders of a section
//! are found by searching backwards.

use std::thread;

use super::line::{LineParts, heading, is_indented, split_first, trim_end};
use super::search::{StateMatcher, WordQuery};
use crate::text::Text;
use crate::url::{ParseError, Url};

/// Size in octets from which on several threads are used.
const PARALLEL_MIN: usize = 256 * 1024;

/// Maximum number of threads.
const THREADS: usize = 4;

/// Bookmark found by a scan.
#[derive(Clone, Copy, Debug)]
pub struct ScannedBookmark<'a> {
    /// Line of the bookmark, from 0.
    pub line: usize,
    /// Names of its folders, outermost first.
    pub folder: &'a [String],
    parts: LineParts<'a>,
    /// Line of the bookmark and lines of its notes.
    pub(super) lines: &'a [u8],
}

impl<'a> ScannedBookmark<'a> {
    /// Creates the bookmark from its line and its notes; `None` if the line is not a bookmark.
    pub(super) fn of(line: usize, lines: &'a [u8], folder: &'a [String]) -> Option<Self> {
        let (own, _) = split_first(lines);
        Some(Self {
            line,
            folder,
            parts: LineParts::of(trim_end(own))?,
            lines,
        })
    }

    /// Returns the title; empty if the line has none.
    pub fn title(&self) -> Text {
        self.parts.title()
    }

    /// Returns the URL as written in the file.
    pub fn url_text(&self) -> Text {
        self.parts.url_text()
    }

    /// Parses the URL.
    ///
    /// # Errors
    /// The URL's [`ParseError`].
    pub fn url(&self) -> Result<Url, ParseError> {
        self.parts.parse_url()
    }

    /// Returns the tags, without the `#`.
    pub fn tags(&self) -> Vec<Text> {
        self.parts.tag_texts()
    }

    /// Returns the notes, one line each.
    pub fn notes(&self) -> Vec<Text> {
        let (_, notes) = split_first(self.lines);
        super::view::notes(notes)
    }
}

/// Scans a bookmark file and calls `take` for each matching bookmark, in the order of the file. The results are returned in
/// parts, in the order of the file; `matches_state` matches the words about states.
pub fn scan<T: Default + Send>(
    octets: &[u8],
    words: &WordQuery,
    matches_state: &StateMatcher<'_>,
    take: &(impl Fn(&ScannedBookmark<'_>, &mut T) + Sync),
) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.min(THREADS).min(octets.len() / PARALLEL_MIN + 1);
    let mut cuts: Vec<usize> = (0..threads)
        .map(|number| cut(octets, octets.len() / threads * number))
        .collect();
    cuts.push(octets.len());
    let scan_section = |from: usize, to: usize| {
        let mut result = T::default();
        let mut section = FileSection::new(octets, from, to);
        section.scan(words, matches_state, |bookmark| take(bookmark, &mut result));
        result
    };
    thread::scope(|scope| {
        let scan_section = &scan_section;
        let mut ranges = cuts.iter().copied().zip(cuts.iter().copied().skip(1));
        let first = ranges.next();
        let others: Vec<_> = ranges
            .map(|(from, to)| scope.spawn(move || scan_section(from, to)))
            .collect();
        let first = first.map(|(from, to)| scan_section(from, to));
        let mut results: Vec<T> = first.into_iter().collect();
        // A panic of a thread would be a bug; its section has no results then.
        results.extend(others.into_iter().filter_map(|other| other.join().ok()));
        results
    })
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
    depths: Vec<usize>,
    /// Names of the open folders.
    names: Vec<String>,
}

impl<'a> FileSection<'a> {
    fn new(octets: &'a [u8], from: usize, to: usize) -> Self {
        let above = octets.get(..from).unwrap_or_default();
        let mut section = Self {
            octets: octets.get(from..to).unwrap_or_default(),
            line: memchr::memchr_iter(b'\n', above).count(),
            depths: Vec::new(),
            names: Vec::new(),
        };
        let mut rest = above;
        while let Some(octets) = rest.strip_suffix(b"\n").filter(|_| !section.is_rooted()) {
            let start = memchr::memrchr(b'\n', octets).map_or(0, |at| at + 1);
            let (before, own) = rest.split_at_checked(start).unwrap_or_default();
            rest = before;
            let found = heading(trim_end(own)).filter(|_| LineParts::of(own).is_none());
            if let Some((depth, name)) = found
                && section.depths.last().is_none_or(|below| depth < *below)
            {
                section.depths.push(depth);
                section.names.push(name_of(name));
            }
        }
        section.depths.reverse();
        section.names.reverse();
        section
    }

    /// Returns true if no folder further up can be open.
    fn is_rooted(&self) -> bool {
        self.depths.last() == Some(&1)
    }

    fn open(&mut self, depth: usize, name: &[u8]) {
        let above = self.depths.iter().take_while(|above| **above < depth);
        let above = above.count();
        self.depths.truncate(above);
        self.names.truncate(above);
        self.depths.push(depth);
        self.names.push(name_of(name));
    }

    fn scan(
        &mut self,
        words: &WordQuery,
        matches_state: &StateMatcher<'_>,
        mut take: impl FnMut(&ScannedBookmark<'_>),
    ) {
        let mut matcher = words.matcher();
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
            } else if let Some((depth, name)) = heading(bare) {
                self.open(depth, name);
                matcher.enter(&self.names);
            }
            rest = below;
        }
    }
}

fn name_of(name: &[u8]) -> String {
    super::view::text(name).to_string()
}
