//! The text of a search, or a word of a filter.
//!
//! Octets are scanned first, at memory speed, and only a line that could match is parsed into a row.

use std::ops::Range;

use geomys_wire::text::{Charset, Text};
use memchr::memmem;

use super::row::Row;

/// The text to search for. Without a capital letter the search ignores case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchText {
    words: String,
    folded: bool,
}

impl SearchText {
    /// Returns a needle with these words; `None` when they are empty.
    pub fn new(words: &str) -> Option<Self> {
        let folded = !words.chars().any(char::is_uppercase);
        (!words.is_empty()).then(|| Self {
            words: words.to_owned(),
            folded,
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
        let hay = if self.folded {
            folded = fold(text);
            folded.as_str()
        } else {
            text
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

    /// Returns false if the octets of a line cannot contain the words; a true result may be wrong. A control character is
    /// displayed as nothing or as blanks, so it could be anywhere inside the words.
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

/// Returns a text in lower case.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        text.to_lowercase()
    }
}
