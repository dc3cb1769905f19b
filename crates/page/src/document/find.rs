//! Text search in a document, fast enough for a million rows.
//!
//! A row matches when its displayed text matches. Octets are scanned first, at memory speed, and only a line that could
//! match is parsed into a row. So the hidden selectors and hosts of a menu never match.

mod fold;
mod page_text;
pub mod shown;
mod text;
mod words;

use std::ops::Range;

use geomys_wire::text::{Charset, Text};
use memchr::memmem;

use super::model::Document;
use super::row::Row;

pub use self::page_text::PageText;
pub use self::text::{FoldedText, ROW_ENDS, ends_with_letter};
pub use self::words::{SearchWord, SearchWords};
pub use super::filter::FilterQuery;

/// The direction of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Search to the end, then wrap to the top.
    Down,
    /// Search to the top, then wrap to the end.
    Up,
}

/// The position of a match: the row, and the number of the match among those in the row's text, from 0. A row whose
/// match is in its left column only, or goes on in the next row, has one match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MatchPosition {
    /// The row.
    pub row: usize,
    /// The number of the match in the row.
    pub nth: usize,
}

/// The position from which a search begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindStart {
    /// The first match in this row or behind it.
    Row(usize),
    /// The next match from this one.
    Match(MatchPosition),
    /// The row that has the words best.
    Best,
}

/// The number of a match among all matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchCount {
    /// The number of the match, from 1.
    pub number: usize,
    /// The number of all matches, counted up to a limit.
    pub total: usize,
    /// True if there are more matches than were counted.
    pub has_more: bool,
}

/// The number of matches that are counted, if the current one is among them.
const COUNTED: usize = 9999;

/// Finds the next match; the search wraps, and ends with the match that it started from. Slow on a long document: call
/// it on a blocking task, with a clone.
pub fn find_match(
    document: &Document,
    needle: &SearchText,
    start: FindStart,
    direction: Direction,
) -> Option<MatchPosition> {
    let count = document.count();
    let last = count.checked_sub(1)?;
    let matches = |&row: &usize| matches_in(document, needle, row) > 0;
    let row = match (start, direction) {
        (FindStart::Best, _) => {
            let row = needle.best_row(document)?;
            return Some(MatchPosition { row, nth: 0 });
        }
        (FindStart::Row(row), _) => {
            let row = row.min(count);
            (row..count).chain(0..row).find(matches)?
        }
        (FindStart::Match(from), Direction::Down) => {
            let row = from.row.min(last);
            let nth = from.nth.saturating_add(1);
            if from.row <= last && nth < matches_in(document, needle, row) {
                return Some(MatchPosition { row, nth });
            }
            (row + 1..count).chain(0..=row).find(matches)?
        }
        (FindStart::Match(from), Direction::Up) => {
            let row = from.row.min(last);
            if let Some(nth) = from.nth.checked_sub(1)
                && nth < matches_in(document, needle, row)
            {
                return Some(MatchPosition { row, nth });
            }
            let rows = (0..row).rev().chain((row..count).rev());
            rows.into_iter().find(matches)?
        }
    };
    let nth = match direction {
        Direction::Down => 0,
        Direction::Up => matches_in(document, needle, row).saturating_sub(1),
    };
    Some(MatchPosition { row, nth })
}

/// Counts the matches, and finds the number of one of them. Slow on a long document, as [`find_match`].
pub fn count_matches(
    document: &Document,
    needle: &SearchText,
    current: MatchPosition,
) -> MatchCount {
    let mut count = MatchCount {
        number: 0,
        total: 0,
        has_more: false,
    };
    for row in 0..document.count() {
        if row > current.row && count.total >= COUNTED {
            count.has_more = true;
            break;
        }
        if row == current.row {
            count.number = count.total + current.nth + 1;
        }
        count.total += matches_in(document, needle, row);
    }
    count
}

/// The number of matches in a row.
fn matches_in(document: &Document, needle: &SearchText, row: usize) -> usize {
    let could_match = document
        .octets_of(row)
        .is_none_or(|line| needle.could_be_in(line));
    // Most rows are not made at all.
    let found = match could_match.then(|| document.row(row)).flatten() {
        Some(row) => match needle.matches(&row.text()).len() {
            0 => usize::from(needle.is_in(&row)),
            found => found,
        },
        None => 0,
    };
    if found == 0 && document.continues(row + 1) {
        return usize::from(is_across(document, needle, row));
    }
    found
}

/// Returns true if the words begin at the end of row `number` and end in the row that continues its line.
fn is_across(document: &Document, needle: &SearchText, number: usize) -> bool {
    let near = needle.words().len() * 4;
    let text = |octets| Text::new(octets, document.charset()).to_string();
    let before = match document.octets_of(number) {
        Some(octets) => {
            let last = octets.get(octets.len().saturating_sub(near)..);
            text(last.unwrap_or_default())
        }
        None => document.row(number).map_or(String::new(), |row| row.text()),
    };
    let behind = document.octets_of(number + 1).unwrap_or_default();
    let behind = text(behind.get(..near).unwrap_or(behind));
    let matches = needle.matches(&format!("{before}{behind}"));
    let cut = before.len();
    matches
        .iter()
        .any(|found| found.start < cut && found.end > cut)
}

/// The text to search for. Without a capital letter the search ignores case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchText {
    words: String,
    rule: MatchRule,
}

/// The rule by which a text matches.
#[derive(Clone, Debug, PartialEq, Eq)]
enum MatchRule {
    /// The text has the words as they were typed.
    Exact,
    /// The text has the words in any case.
    Folded,
    /// The text has one of these words, whatever its case and its marks.
    AnyOf(SearchWords),
}

impl SearchText {
    /// Returns a needle with these words; `None` when they are empty.
    pub fn new(words: &str) -> Option<Self> {
        let rule = if words.chars().any(char::is_uppercase) {
            MatchRule::Exact
        } else {
            MatchRule::Folded
        };
        (!words.is_empty()).then(|| Self {
            words: words.to_owned(),
            rule,
        })
    }

    /// Returns a needle that finds each of some words; `typed` is how the user wrote them.
    pub fn any_of(words: SearchWords, typed: &str) -> Option<Self> {
        (!words.is_empty()).then(|| Self {
            words: typed.to_owned(),
            rule: MatchRule::AnyOf(words),
        })
    }

    /// The words of the query, as typed.
    pub fn words(&self) -> &str {
        &self.words
    }

    /// Returns a needle that ignores case even where the words have capitals; `None` when they are empty.
    pub fn folded(words: &str) -> Option<Self> {
        Self::new(&words.to_lowercase())
    }

    /// Returns the row that has the words best.
    fn best_row(&self, document: &Document) -> Option<usize> {
        match &self.rule {
            MatchRule::AnyOf(words) => {
                let page = PageText::new(document, words);
                page.best_row(words).map(|(row, _)| row)
            }
            MatchRule::Exact | MatchRule::Folded => {
                (0..document.count()).find(|&row| matches_in(document, self, row) > 0)
            }
        }
    }

    /// Returns true if the decoded octets contain the words.
    pub(super) fn is_in_octets(&self, octets: &[u8], charset: Charset) -> bool {
        let plain = octets.iter().all(|octet| (b' '..=b'~').contains(octet));
        self.could_be_in(octets)
            && (plain && self.words.is_ascii()
                || !self.matches(Text::new(octets, charset).as_str()).is_empty())
    }

    /// The ranges of the words in a text, in octets: in order, not overlapping.
    pub fn matches(&self, text: &str) -> Vec<Range<usize>> {
        let folded;
        let hay = match &self.rule {
            MatchRule::AnyOf(words) => return words.ranges(text),
            MatchRule::Folded => {
                folded = fold(text);
                folded.as_str()
            }
            MatchRule::Exact => text,
        };
        if hay.len() != text.len() {
            // Case folding changed the offsets: the whole text is returned as the match.
            return if hay.contains(&self.words) {
                std::iter::once(0..text.len()).collect()
            } else {
                Vec::new()
            };
        }
        memmem::find_iter(hay.as_bytes(), self.words.as_bytes())
            .map(|at| at..at + self.words.len())
            .collect()
    }

    /// Returns true if the text of a row, or the column on its left, contains the words.
    pub(super) fn is_in(&self, row: &Row) -> bool {
        let lead = row
            .lead
            .as_ref()
            .map_or(Vec::new(), |lead| self.matches(lead.as_str()));
        !lead.is_empty() || !self.matches(&row.text()).is_empty()
    }

    /// Returns false if the octets of a line cannot contain the words; a true result may be wrong. A control character
    /// is displayed as nothing or as blanks, so it could be anywhere inside the words.
    pub(super) fn could_be_in(&self, line: &[u8]) -> bool {
        if let MatchRule::AnyOf(words) = &self.rule {
            return words.could_be_in(line);
        }
        if line.iter().any(|&octet| octet < b' ') {
            return true;
        }
        let Some(first) = self.words.bytes().next().filter(u8::is_ascii) else {
            return true;
        };
        if !self.words.is_ascii() {
            return true;
        }
        let needle = self.words.as_bytes();
        let is_folded = self.rule == MatchRule::Folded;
        let upper = if is_folded {
            first.to_ascii_uppercase()
        } else {
            first
        };
        memchr::memchr2_iter(first, upper, line).any(|at| {
            line.get(at..at + needle.len()).is_some_and(|part| {
                if is_folded {
                    part.eq_ignore_ascii_case(needle)
                } else {
                    part == needle
                }
            })
        })
    }
}

/// Returns a text in lower case.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        text.to_lowercase()
    }
}
