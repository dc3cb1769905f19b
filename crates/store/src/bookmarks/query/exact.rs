//! Exact search: the words of a query as parts of the lines of a bookmark.
//!
//! `geomys bookmarks list` scans the octets of the file in one pass, without an index and without parsing URLs. The
//! file is split into one section per thread, at the beginning of a line that is not a note; each section searches the
//! lines above it for the headings of its open folders.

use std::iter;
use std::ops::Range;

use geomys_page::document::parallel;
use geomys_wire::text::Text;
use memchr::memmem;
use memchr::memmem::Finder;
use rfc1738::{mask, may_hold_secret};

use super::{Copies, Query, QueryWord, StateMatcher, WordKind};
use crate::bookmarks::Bookmarks;
use crate::bookmarks::line::{LineParts, heading, is_indented, split, split_first, text, trim_end};
use crate::bookmarks::view::ScannedBookmark;

impl Query {
    /// Creates a matcher for the bookmarks of one folder after the other, with the lines of the duplicate ones.
    pub(super) fn matcher<'a>(&'a self, copies: &'a Copies<usize>) -> WordMatcher<'a> {
        WordMatcher {
            query: self,
            copies,
            in_folder: Vec::new(),
            lines: Vec::new(),
        }
    }
}

impl QueryWord {
    /// Returns true if the word is a text to find; a tag is found by its `#`.
    fn is_text(&self) -> bool {
        matches!(self.kind, WordKind::Text(_) | WordKind::Tag(_))
    }

    /// Returns true if the word may match the mask of a password, which is not in the line itself.
    fn may_be_mask(&self) -> bool {
        self.lower.contains('*')
    }
}

/// Matcher of words.
pub(super) struct WordMatcher<'a> {
    query: &'a Query,
    /// Lines of the duplicate bookmarks.
    copies: &'a Copies<usize>,
    /// For each word, true if it is in the path of the folder.
    in_folder: Vec<bool>,
    /// Lines of the current bookmark, in lower case.
    lines: Vec<u8>,
}

impl WordMatcher<'_> {
    /// Sets the folder of the next bookmarks.
    pub(super) fn enter(&mut self, folder: &[String]) {
        if self.query.is_blank() {
            return;
        }
        let path = folder.join("/").to_lowercase();
        let held = self.query.words.iter();
        let held = held.map(|word| word.is_text() && path.contains(&word.lower));
        self.in_folder.clear();
        self.in_folder.extend(held);
    }

    /// Returns true if a bookmark matches all words.
    pub(super) fn matches(
        &mut self,
        bookmark: &ScannedBookmark<'_>,
        matches_state: &StateMatcher<'_>,
    ) -> bool {
        if self.query.is_blank() {
            return true;
        }
        self.lines.clear();
        self.lines.extend_from_slice(bookmark.lines);
        self.lines.make_ascii_lowercase();
        let is_plain = is_plain(&self.lines);
        let is_in_folder = |word: &QueryWord| self.in_folder.get(word.number) == Some(&true);
        // A fast test excludes most bookmarks: the octets of a word are missing. The exact part is checked later.
        let mut searched = self.query.words.iter().filter(|word| {
            is_plain
                && !is_in_folder(word)
                && word.is_required()
                && word.is_text()
                && !word.may_be_mask()
        });
        if searched.any(|word| word.finder.find(&self.lines).is_none()) {
            return false;
        }
        let matches = |word: &QueryWord| {
            let is_match = match &word.kind {
                WordKind::Text(_) | WordKind::Tag(_) if is_in_folder(word) => true,
                WordKind::Text(_) | WordKind::Tag(_) if is_plain && !word.may_be_mask() => {
                    in_plain(&self.lines, &word.finder)
                }
                WordKind::Text(_) | WordKind::Tag(_) => in_any(bookmark, &word.lower),
                WordKind::Keyword(keyword) => {
                    keyword.matches(bookmark, self.copies.of(&bookmark.line), matches_state)
                }
            };
            is_match != word.is_negated
        };
        self.query.groups().all(|group| group.iter().any(matches))
    }
}

/// Returns true if octets equal their text. A CR in the middle of a line has no text, and so does not split a word.
fn is_plain(lines: &[u8]) -> bool {
    // Without an early exit this loop is vectorized.
    let is_shown = lines.iter().fold(true, |plain, octet| {
        plain & matches!(octet, b' '..=b'~' | b'\t' | b'\r' | b'\n')
    });
    is_shown && memchr::memchr_iter(b'\r', lines).all(|at| lines.get(at + 1) == Some(&b'\n'))
}

/// Returns true if a part of a bookmark's lines, plain and in lower case, contains a word. The mask of a password is
/// not in the lines, and not in the word.
fn in_plain(lines: &[u8], word: &Finder<'_>) -> bool {
    let holds = |octets: &[u8]| word.find(octets).is_some();
    let mut lines = split(lines);
    let Some(parts) = lines.next().and_then(|line| LineParts::of(trim_end(line))) else {
        return false;
    };
    let in_url = || {
        let url = parts.url_octets();
        if !holds(url) || !may_hold_secret(url) {
            return holds(url);
        }
        str::from_utf8(url).is_ok_and(|url| holds(mask(url).as_bytes()))
    };
    holds(parts.before)
        || in_url()
        || parts.marked_tags().any(holds)
        || lines.any(|note| holds(trim_end(note)))
}

/// Returns true if a part of any bookmark contains a word.
fn in_any(bookmark: &ScannedBookmark<'_>, word: &str) -> bool {
    let holds = |text: &str| text.to_lowercase().contains(word);
    let parts = &bookmark.parts;
    holds(parts.title().as_str())
        || holds(&mask(parts.url_text().as_str()))
        || parts.tags().iter().any(|tag| holds(&format!("#{tag}")))
        || bookmark.notes().iter().map(Text::as_str).any(holds)
}

/// Size in octets from which on several threads are used.
const PARALLEL_MIN: usize = 256 * 1024;

impl Query {
    /// Scans a bookmark file for exact matches and calls `take` for each, in the order of the file. The results are
    /// returned in parts, in the order of the file; `matches_state` matches the words about states.
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

impl Query {
    /// Returns the words that matches of `earlier` may not match; `None` if a match of this query may be none of
    /// `earlier`.
    fn beyond(&self, earlier: &Self) -> Option<Self> {
        let narrows = |group: &[QueryWord]| {
            let mut own = self.groups();
            own.any(|own| is_same(own, group) || is_longer(own, group))
        };
        if !earlier.groups().all(narrows) {
            return None;
        }
        let is_new = |group: &&[QueryWord]| !earlier.groups().any(|other| is_same(group, other));
        let words = self.groups().filter(is_new).flatten().cloned().zip(0..);
        let words = words.map(|(word, number)| QueryWord { number, ..word });
        Some(Self {
            words: words.collect(),
        })
    }
}

/// Returns true if two groups match the same parts of lines.
fn is_same(group: &[QueryWord], other: &[QueryWord]) -> bool {
    group.len() == other.len()
        && (group.iter().zip(other)).all(|(word, other)| word == other && word.lower == other.lower)
}

/// Returns true if a group is a word that has the word of another group in it.
fn is_longer(group: &[QueryWord], other: &[QueryWord]) -> bool {
    let is_text = |word: &QueryWord| word.is_text() && word.is_required();
    match (group, other) {
        ([word], [other]) => is_text(word) && is_text(other) && word.lower.contains(&other.lower),
        _ => false,
    }
}

impl Bookmarks {
    /// Returns the indices of the bookmarks that match a query exactly, as [`Bookmarks::matching`] does, and how many
    /// of them were looked at: only the matches of an earlier query, if no other bookmark can match.
    pub fn narrowed(
        &self,
        query: &Query,
        (earlier, found): (&Query, &[usize]),
        matches_state: &StateMatcher<'_>,
    ) -> (Vec<usize>, usize) {
        let Some(beyond) = query.beyond(earlier) else {
            return (self.matching(query, matches_state), self.len());
        };
        let line = |file: &Self, index| file.item(index).map_or(0, |item| item.line());
        let copies = beyond.copies(|| self.clone(), line);
        let mut matcher = beyond.matcher(&copies);
        let mut is_match = |index: usize| {
            let Some(bookmark) = self.bookmark(index) else {
                return false;
            };
            let folder = self.folder_of(index);
            matcher.enter(&folder);
            matcher.matches(&bookmark.scanned(&folder), matches_state)
        };
        let matches = found.iter().copied().filter(|index| is_match(*index));
        (matches.collect(), found.len())
    }

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
