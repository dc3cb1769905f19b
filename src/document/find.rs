//! Finding words in a document, over a million rows.
//!
//! A row matches when its shown text does. Octets are scanned first, at memory speed, and only a line that could match
//! is made into a row; so selectors and hosts of a menu, which nobody sees, are never a match.

use memchr::memmem;

use super::{Document, Row};
use crate::protocol::nntp::Wildmat;
use crate::text::{Charset, Text};

/// What is looked for. Without a capital in it, case does not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needle {
    words: String,
    folded: bool,
}

impl Needle {
    /// A needle of these words; `None` when there are none.
    pub fn new(words: &str) -> Option<Self> {
        let folded = !words.chars().any(char::is_uppercase);
        (!words.is_empty()).then(|| Self {
            words: words.to_owned(),
            folded,
        })
    }

    /// The words as they were typed.
    pub fn words(&self) -> &str {
        &self.words
    }

    /// A needle of these words, case left aside even where there are capitals; `None` when there are none.
    pub fn folded(words: &str) -> Option<Self> {
        Self::new(&words.to_lowercase())
    }

    /// Whether all that holds `self` surely holds `other`: a pattern may take away what it let through.
    pub(super) fn narrows(&self, other: &Self) -> bool {
        self.folded == other.folded && self.words.contains(&other.words) && !self.is_pattern()
    }

    fn is_pattern(&self) -> bool {
        self.words.contains(['*', '?', '!', ','])
    }

    /// The words as a pattern of groups, where they hold a sign of one. Where the first takes groups away, it is from all.
    pub(super) fn pattern(&self) -> Option<Wildmat> {
        let words = self.words.as_bytes();
        let pattern = match words.first() {
            Some(b'!') => [b"*,", words].concat(),
            Some(_) | None => words.to_vec(),
        };
        self.is_pattern().then(|| Wildmat::parse(&pattern))
    }

    /// Whether the words stand in the text of these octets.
    pub(super) fn is_in_octets(&self, octets: &[u8], charset: Charset) -> bool {
        let plain = octets.iter().all(|octet| (b' '..=b'~').contains(octet));
        self.could_be_in(octets)
            && (plain && self.words.is_ascii()
                || !self.matches(Text::new(octets, charset).as_str()).is_empty())
    }

    /// Where the words stand in a text: octet ranges, in order, none overlapping.
    pub fn matches(&self, text: &str) -> Vec<std::ops::Range<usize>> {
        let folded;
        let hay = if self.folded {
            folded = fold(text);
            folded.as_str()
        } else {
            text
        };
        if hay.len() != text.len() {
            // Folding moved the offsets: say only that the row matches.
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

    /// Whether the words stand in the text of a row, or in the column on its left.
    pub(super) fn is_in(&self, row: &Row) -> bool {
        let lead = row
            .lead
            .as_ref()
            .map_or(Vec::new(), |lead| self.matches(lead.as_str()));
        !lead.is_empty() || !self.matches(&row.text()).is_empty()
    }

    /// Whether a line's octets could hold the words; wrong only in saying yes. A control character stands for nothing or
    /// for blanks when it is shown, so it could stand anywhere inside the words.
    pub(super) fn could_be_in(&self, line: &[u8]) -> bool {
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
        let upper = if self.folded {
            first.to_ascii_uppercase()
        } else {
            first
        };
        memchr::memchr2_iter(first, upper, line).any(|at| {
            line.get(at..at + needle.len()).is_some_and(|part| {
                if self.folded {
                    part.eq_ignore_ascii_case(needle)
                } else {
                    part == needle
                }
            })
        })
    }
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the end, then on from the top.
    Down,
    /// To the top, then on from the end.
    Up,
}

/// The next row that matches, `from` itself being the last one looked at. Long on a long document: call it on a
/// blocking task, with a clone.
pub fn find(
    document: &Document,
    needle: &Needle,
    from: usize,
    direction: Direction,
) -> Option<usize> {
    let count = document.count();
    let from = from.min(count.checked_sub(1)?);
    let matches = |&number: &usize| {
        document
            .octets_of(number)
            .is_none_or(|line| needle.could_be_in(line))
            && document.row(number).is_some_and(|row| needle.is_in(&row))
            || document.continues(number + 1) && is_across(document, needle, number)
    };
    match direction {
        Direction::Down => (from + 1..count).chain(0..=from).find(matches),
        Direction::Up => (0..from).rev().chain((from..count).rev()).find(matches),
    }
}

/// Whether the words begin at the end of row `number`, and end in the row that continues its line.
fn is_across(document: &Document, needle: &Needle, number: usize) -> bool {
    let near = needle.words.len() * 4;
    let (Some(before), Some(behind)) = (document.octets_of(number), document.octets_of(number + 1))
    else {
        return false;
    };
    let before = before.get(before.len().saturating_sub(near)..);
    let behind = behind.get(..near).unwrap_or(behind);
    let text = |octets| Text::new(octets, document.charset());
    let before = text(before.unwrap_or_default());
    let cut = before.as_str().len();
    let matches = needle.matches(&format!("{before}{}", text(behind)));
    matches
        .iter()
        .any(|found| found.start < cut && found.end > cut)
}

fn fold(text: &str) -> String {
    if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        text.to_lowercase()
    }
}
