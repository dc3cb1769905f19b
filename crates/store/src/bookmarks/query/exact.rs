//! Exact search: the words of a query as parts of the lines of a bookmark.

use geomys_wire::text::Text;
use memchr::memmem::Finder;
use rfc1738::{mask, may_hold_secret};

use super::keyword::Keyword;
use super::{Copies, Query, QueryWord, StateMatcher, WordKind};
use crate::bookmarks::line::{LineParts, split, trim_end};
use crate::bookmarks::view::ScannedBookmark;

impl Query {
    /// Creates a matcher for the bookmarks of one folder after the other, with the lines of the duplicate ones.
    pub(super) fn matcher<'a>(&'a self, copies: &'a Copies<usize>) -> WordMatcher<'a> {
        WordMatcher {
            words: &self.words,
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
    words: &'a [QueryWord],
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
        if self.words.is_empty() {
            return;
        }
        let path = folder.join("/").to_lowercase();
        let held = self.words.iter();
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
        if self.words.is_empty() {
            return true;
        }
        self.lines.clear();
        self.lines.extend_from_slice(bookmark.lines);
        self.lines.make_ascii_lowercase();
        let is_plain = is_plain(&self.lines);
        let held = || self.words.iter().zip(&self.in_folder);
        // A fast test excludes most bookmarks: the octets of a word are missing. The exact part is checked later.
        let mut searched = held().filter(|(word, in_folder)| {
            is_plain && !**in_folder && !word.is_negated && word.is_text() && !word.may_be_mask()
        });
        if searched.any(|(word, _)| word.finder.find(&self.lines).is_none()) {
            return false;
        }
        let mut url = None;
        held().all(|(word, in_folder)| {
            let is_match = match &word.kind {
                WordKind::Text(_) | WordKind::Tag(_) if *in_folder => true,
                WordKind::Text(_) | WordKind::Tag(_) if is_plain && !word.may_be_mask() => {
                    in_plain(&self.lines, &word.finder)
                }
                WordKind::Text(_) | WordKind::Tag(_) => in_any(bookmark, &word.lower),
                WordKind::Keyword(Keyword::Fault) => url
                    .get_or_insert_with(|| bookmark.parts.url().ok())
                    .is_none(),
                WordKind::Keyword(Keyword::Duplicate) => self.copies.is_duplicate(&bookmark.line),
                WordKind::Keyword(Keyword::Repeated) => self.copies.is_repeated(&bookmark.line),
                WordKind::Keyword(Keyword::State(word)) => {
                    let url = url.get_or_insert_with(|| bookmark.parts.url().ok());
                    matches_state(word, url.as_ref())
                }
            };
            is_match != word.is_negated
        })
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

/// Returns true if a part of a bookmark's lines, plain and in lower case, contains a word. The mask of a password is not in the
/// lines, and not in the word.
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
