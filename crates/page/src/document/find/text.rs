//! A text folded for the search, with the breaks at which two rows may be one word.
//!
//! A row end is a blank. Where a row ends with a hyphen behind a letter and the next one begins with a letter, and
//! between letters of scripts that set no blanks, words are one or two: a *break*, which a search reads in both ways.

use std::cell::OnceCell;
use std::ops::Range;

use super::fold::{LatinMarks, fold_letters};

/// The ends of the rows of a text: the second one before the first row of a paragraph.
pub const ROW_ENDS: [u8; 2] = [b'\n', 0x0b];

/// The octets of a break: as many as the hyphen and the row end, so that the places of ASCII stay.
pub(super) const BREAK: u8 = 0x1f;

/// The first letter of the scripts that set no blanks between words: East Asian ones.
const UNSPACED: char = '\u{2E80}';

/// The octets of the end of a text that are kept for the marks in it, besides those of the folded text.
const KEPT: usize = 4096;

/// A text folded for the search. It may be read in pieces.
#[derive(Debug, Default)]
pub struct FoldedText {
    octets: Vec<u8>,
    /// The places of the breaks, in order.
    breaks: Vec<Range<usize>>,
    /// The text as it is; nothing where no word was typed with marks.
    source: Option<SourceText>,
}

/// The text that was folded, from a place on.
#[derive(Debug, Default)]
struct SourceText {
    text: String,
    /// The place in the text of each folded octet.
    places: OnceCell<Vec<usize>>,
}

impl FoldedText {
    /// Returns an empty text. With `keeps_source` the places in the text are known: words that were typed with marks
    /// need them.
    pub fn new(keeps_source: bool) -> Self {
        Self {
            source: keeps_source.then(SourceText::default),
            ..Self::default()
        }
    }

    /// Folds a text.
    pub fn of(text: &str, keeps_source: bool) -> Self {
        let mut folded = Self::new(keeps_source);
        folded.push(text);
        folded
    }

    /// Folds a text but for its marks.
    pub(super) fn with_marks(text: &str) -> Self {
        let mut folded = Self::default();
        folded.push_folded(text, LatinMarks::Kept);
        folded
    }

    /// The folded octets: UTF-8, of which the end that [`FoldedText::keep_end`] has kept may begin within a letter.
    pub fn octets(&self) -> &[u8] {
        &self.octets
    }

    /// The places of the breaks, in order.
    pub(super) fn breaks(&self) -> &[Range<usize>] {
        &self.breaks
    }

    /// Removes the text.
    pub fn clear(&mut self) {
        self.keep_end(0);
    }

    /// Removes all but the last octets, at most `length`, and returns how many are left.
    pub fn keep_end(&mut self, length: usize) -> usize {
        let cut = self.octets.len().saturating_sub(length);
        self.octets.drain(..cut);
        self.breaks.retain(|place| place.start >= cut);
        for place in &mut self.breaks {
            *place = place.start - cut..place.end - cut;
        }
        if let Some(source) = &mut self.source {
            let kept = if length == 0 { 0 } else { length + KEPT };
            let from = source.text.len().saturating_sub(kept);
            let from = (from..source.text.len()).find(|at| source.text.is_char_boundary(*at));
            source.text.drain(..from.unwrap_or(source.text.len()));
            source.places.take();
        }
        self.octets.len()
    }

    /// Appends rows with their ends.
    pub fn push(&mut self, rows: &str) {
        if let Some(source) = &mut self.source {
            source.text.push_str(rows);
            source.places.take();
        }
        self.push_folded(rows, LatinMarks::Dropped);
    }

    fn push_folded(&mut self, rows: &str, latin: LatinMarks) {
        let start = self.octets.len();
        self.push_letters(rows, latin);
        // Whether the hyphen at the end of what was there stands in a word, the first letter now tells.
        self.find_breaks(start.saturating_sub(1), rows.is_ascii());
        let [row, paragraph] = ROW_ENDS;
        for octet in self.octets.get_mut(start..).unwrap_or_default() {
            let is_end = *octet == row || *octet == paragraph;
            *octet = if is_end {
                b' '
            } else {
                octet.to_ascii_lowercase()
            };
        }
    }

    /// Appends rows: those with letters beyond ASCII folded, the others as they are.
    fn push_letters(&mut self, rows: &str, latin: LatinMarks) {
        let [row, paragraph] = ROW_ENDS;
        let mut rest = rows;
        while !rest.is_ascii() {
            let at = rest.bytes().position(|octet| !octet.is_ascii());
            let before = rest.as_bytes().get(..at.unwrap_or_default());
            // From the row with the letter on, as a mark belongs to the letter before it.
            let from = memchr::memrchr2(row, paragraph, before.unwrap_or_default());
            let (plain, marked) = rest.split_at(from.unwrap_or_default());
            let behind = marked.as_bytes().get(1..).unwrap_or_default();
            let end = memchr::memchr2(row, paragraph, behind);
            let (marked, after) = marked.split_at(end.map_or(marked.len(), |end| end + 1));
            self.octets.extend_from_slice(plain.as_bytes());
            fold_letters(marked, latin, |_, folded| {
                self.octets.extend_from_slice(folded.as_bytes());
            });
            rest = after;
        }
        self.octets.extend_from_slice(rest.as_bytes());
    }

    /// Makes blanks of the hyphens between two letters, and finds the breaks, from a place on.
    fn find_breaks(&mut self, from: usize, is_ascii: bool) {
        let [row, _] = ROW_ENDS;
        let mut at = from;
        loop {
            let rest = self.octets.get(at..).unwrap_or_default();
            let found = if is_ascii {
                memchr::memchr(b'-', rest)
            } else {
                memchr::memchr2(b'-', row, rest)
            };
            let Some(found) = found.map(|found| at + found) else {
                return;
            };
            at = found + 1;
            // Most hyphens stand between two letters, or in a line of hyphens.
            let around = self.octets.get(found.saturating_sub(1)..=at);
            if let Some([before, b'-', behind]) = around
                && before.is_ascii_alphanumeric()
                && behind.is_ascii_alphanumeric()
            {
                self.set(found, b' ');
            } else if self.octets.get(found) == Some(&row) {
                if is_unspaced_at(&self.octets, found, found + 1) {
                    self.set_break(found..found + 1);
                }
            } else if letter_before(&self.octets, found).is_some_and(char::is_alphanumeric) {
                if letter_at(&self.octets, at).is_some_and(char::is_alphanumeric) {
                    self.set(found, b' ');
                } else if self.octets.get(at) == Some(&row)
                    && letter_at(&self.octets, at + 1).is_some_and(char::is_alphanumeric)
                {
                    self.set_break(found..at + 1);
                }
            }
        }
    }

    fn set_break(&mut self, place: Range<usize>) {
        place.clone().for_each(|at| self.set(at, BREAK));
        self.breaks.push(place);
    }

    fn set(&mut self, at: usize, octet: u8) {
        if let Some(place) = self.octets.get_mut(at) {
            *place = octet;
        }
    }

    /// Returns the part of the text that a place in the folded text is of, with the marks of its last letter; nothing
    /// if it is not known.
    pub(super) fn source(&self, place: &Range<usize>) -> Option<(Range<usize>, &str)> {
        let source = self.source.as_ref()?;
        let places = source.places.get_or_init(|| {
            let mut places = Vec::with_capacity(self.octets.len());
            fold_letters(&source.text, LatinMarks::Dropped, |at, folded| {
                places.resize(places.len() + folded.len(), at);
            });
            places
        });
        // Both end with the same letter, wherever they begin.
        let of = |at: usize| {
            let of_end = self.octets.len().checked_sub(at)?;
            match places.len().checked_sub(of_end)? {
                end if end == places.len() => Some(source.text.len()),
                at => places.get(at).copied(),
            }
        };
        let range = of(place.start)?..of(place.end)?;
        let text = source.text.get(range.clone())?;
        Some((range, text))
    }

    /// Returns true if no letter of the text can have a mark.
    pub(super) fn lacks_marks(&self) -> bool {
        let source = self.source.as_ref();
        source.is_some_and(|source| source.text.is_ascii())
    }
}

/// Returns true if a text ends with a letter, whatever marks it has.
pub fn ends_with_letter(text: &str) -> bool {
    let folded = FoldedText::of(text, false);
    let last = letter_before(folded.octets(), folded.octets().len());
    last.is_some_and(char::is_alphanumeric)
}

/// Returns true if two letters of a script without blanks stand around a row end.
fn is_unspaced_at(octets: &[u8], before: usize, behind: usize) -> bool {
    let is_ascii = |at: usize| octets.get(at).is_none_or(u8::is_ascii);
    if is_ascii(before.wrapping_sub(1)) || is_ascii(behind) {
        return false;
    }
    let is_unspaced = |letter: char| letter.is_alphanumeric() && letter >= UNSPACED;
    letter_before(octets, before).is_some_and(is_unspaced)
        && letter_at(octets, behind).is_some_and(is_unspaced)
}

fn letter_before(octets: &[u8], at: usize) -> Option<char> {
    let before = octets.get(at.saturating_sub(char::MAX.len_utf8())..at)?;
    match before.last()? {
        octet if octet.is_ascii() => Some(char::from(*octet)),
        _ => {
            let chunk = before.utf8_chunks().last()?;
            chunk
                .valid()
                .chars()
                .next_back()
                .filter(|_| chunk.invalid().is_empty())
        }
    }
}

fn letter_at(octets: &[u8], at: usize) -> Option<char> {
    let behind = octets.get(at..)?;
    match behind.first()? {
        octet if octet.is_ascii() => Some(char::from(*octet)),
        _ => {
            let end = behind.len().min(char::MAX.len_utf8());
            let chunk = behind.get(..end)?.utf8_chunks().next()?;
            chunk.valid().chars().next()
        }
    }
}

fn is_word_letter(letter: char) -> bool {
    letter.is_alphanumeric() && letter < UNSPACED
}

/// Returns true if a letter of a word ends before a place in a folded text.
pub(super) fn is_letter_before(octets: &[u8], at: usize) -> bool {
    letter_before(octets, at).is_some_and(is_word_letter)
}

/// Returns true if a letter of a word begins at a place in a folded text.
pub(super) fn is_letter_at(octets: &[u8], at: usize) -> bool {
    letter_at(octets, at).is_some_and(is_word_letter)
}
