//! Words and phrases in the text of a page, whatever their case and their marks.

use std::ops::Range;
use std::sync::Arc;

use memchr::memmem::Finder;

use super::fold::{LatinMarks, folded, has_marks};
use super::text::{BREAK, FoldedText, is_letter_at, is_letter_before};

/// The fewest letters before a hyphen at the end of a row that are marked as the beginning of a word.
const MARKED_BEFORE_HYPHEN: usize = 2;

/// A word or phrase to find.
#[derive(Clone, Debug)]
pub struct SearchWord {
    /// The folded text, with single blanks.
    folded: String,
    finder: Finder<'static>,
    /// The text folded but for its marks, if it was typed with marks.
    marked: Option<String>,
    /// True if only words that begin with it count.
    is_start: bool,
}

impl PartialEq for SearchWord {
    fn eq(&self, other: &Self) -> bool {
        let own = (&self.folded, &self.marked, self.is_start);
        own == (&other.folded, &other.marked, other.is_start)
    }
}

impl Eq for SearchWord {}

impl SearchWord {
    /// Returns a word or phrase, or the start of words; `None` if it is empty.
    fn new(text: &str, is_start: bool) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ");
        let folded = needle(&text, LatinMarks::Dropped);
        (!folded.is_empty()).then(|| Self {
            finder: Finder::new(&folded).into_owned(),
            folded,
            marked: has_marks(&text).then(|| needle(&text, LatinMarks::Kept)),
            is_start,
        })
    }

    /// The number of octets that a place of the word has in a folded text at most: each of its letters but the last may
    /// stand before a break.
    pub fn max_length(&self) -> usize {
        self.folded.len() * 3
    }

    /// Returns the places of the word in a folded text that end behind `from`. Those over a break come last.
    pub fn places<'a>(
        &'a self,
        text: &'a FoldedText,
        from: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let length = self.folded.len();
        let start = from.saturating_sub(length - 1);
        let behind = text.octets().get(start..).unwrap_or_default();
        let places = self.finder.find_iter(behind).map(move |at| {
            let at = start + at;
            at..at + length
        });
        let breaks = text.breaks().iter().enumerate();
        let broken = breaks.flat_map(|(number, place)| {
            let before = number.checked_sub(1).and_then(|at| text.breaks().get(at));
            self.places_over(text, place, before.map_or(0, |before| before.end))
        });
        let broken = broken.filter(move |place| place.end > from);
        places.chain(broken).filter(|place| self.is_at(text, place))
    }

    /// Returns the places whose first break is this one, from a place on.
    fn places_over<'a>(
        &'a self,
        text: &'a FoldedText,
        place: &Range<usize>,
        from: usize,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let (octets, at) = (text.octets(), place.start);
        let first = from.max(at.saturating_sub(self.folded.len() - 1));
        (first..at).filter_map(move |start| {
            let (before, behind) = self.folded.as_bytes().split_at_checked(at - start)?;
            let is_before = octets.get(start..at) == Some(before) && !behind.is_empty();
            let end = is_before.then(|| end_of(octets, at, behind)).flatten()?;
            Some(start..end)
        })
    }

    /// Returns true if the word counts at a place where its letters are.
    fn is_at(&self, text: &FoldedText, place: &Range<usize>) -> bool {
        if self.is_start && is_letter_before(text.octets(), place.start) {
            return false;
        }
        let Some(marked) = &self.marked else {
            return true;
        };
        if text.lacks_marks() {
            return false;
        }
        text.source(place).is_some_and(|(_, source)| {
            let source = FoldedText::with_marks(source);
            end_of(source.octets(), 0, marked.as_bytes()) == Some(source.octets().len())
        })
    }

    /// Returns true if the word is no part of a longer one at a place in a folded text. The start of a word is none.
    pub fn is_whole(&self, text: &FoldedText, place: &Range<usize>) -> bool {
        let octets = text.octets();
        !is_letter_before(octets, place.start)
            && (self.is_start || !is_letter_at(octets, place.end))
    }

    /// The words of the phrase, folded.
    fn folded(&self) -> impl Iterator<Item = &str> {
        self.folded.split(' ')
    }

    /// The ranges of a phrase that begins in the row before, and of one that goes on in the next row.
    fn broken_ranges(&self, folded: &str) -> impl Iterator<Item = Range<usize>> {
        let cuts = self.folded.match_indices(' ').map(|(at, _)| at);
        let (text, start) = (folded.trim_end(), folded.len() - folded.trim_start().len());
        let cuts = cuts.flat_map(move |cut| {
            let (before, behind) = self.folded.split_at_checked(cut).unwrap_or_default();
            let behind = behind.trim_start();
            let at_end = range_at_end(text, before);
            let at_start = folded.trim_start().strip_prefix(behind);
            let at_start = at_start.filter(|rest| !rest.starts_with(char::is_alphanumeric));
            let at_start = at_start.map(|_| start..start + behind.len());
            at_end.into_iter().chain(at_start)
        });
        let broken = text.strip_suffix('-');
        let parts = self.folded.char_indices().skip(MARKED_BEFORE_HYPHEN);
        let parts = parts.filter_map(|(cut, _)| self.folded.get(..cut));
        let parts = parts.filter(|part| !part.ends_with(' '));
        let hyphened = broken.into_iter().flat_map(move |broken| {
            let ranges = parts.clone().filter_map(|part| range_at_end(broken, part));
            ranges.map(|range| range.start..range.end + 1)
        });
        cuts.chain(hyphened)
    }
}

/// Returns the range of the beginning of a phrase at the end of a row.
fn range_at_end(row: &str, beginning: &str) -> Option<Range<usize>> {
    let rest = row.strip_suffix(beginning)?;
    let is_whole = !rest.ends_with(char::is_alphanumeric);
    is_whole.then_some(rest.len()..row.len())
}

/// Returns a typed text as it is searched for. A hyphen at its edge stands for the one between two letters, which is a
/// blank.
fn needle(text: &str, marks: LatinMarks) -> String {
    let folded = folded(text, marks);
    let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let text = folded.as_str();
    let text = text
        .strip_prefix('-')
        .filter(|rest| is_letter(rest.chars().next()))
        .unwrap_or(text);
    let text = text
        .strip_suffix('-')
        .filter(|rest| is_letter(rest.chars().next_back()))
        .unwrap_or(text);
    let text = FoldedText::with_marks(text);
    String::from_utf8_lossy(text.octets()).into_owned()
}

/// Returns the end of letters in a text that has them from a place on; a break there is nothing or a blank.
fn end_of(octets: &[u8], mut at: usize, letters: &[u8]) -> Option<usize> {
    let mut rest = letters;
    while let Some((first, after)) = rest.split_first() {
        let octet = octets.get(at)?;
        if *octet == BREAK {
            while octets.get(at) == Some(&BREAK) {
                at += 1;
            }
            rest = rest.strip_prefix(b" ").unwrap_or(rest);
        } else if octet == first {
            at += 1;
            rest = after;
        } else {
            return None;
        }
    }
    Some(at)
}

/// The words and phrases of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchWords(Arc<[SearchWord]>);

impl<'a> FromIterator<&'a str> for SearchWords {
    fn from_iter<T: IntoIterator<Item = &'a str>>(words: T) -> Self {
        words.into_iter().map(|word| (word, false)).collect()
    }
}

/// Words and phrases, each with true if only words that begin with it count.
impl<'a> FromIterator<(&'a str, bool)> for SearchWords {
    fn from_iter<T: IntoIterator<Item = (&'a str, bool)>>(words: T) -> Self {
        let words = words.into_iter();
        let words = words.filter_map(|(text, is_start)| SearchWord::new(text, is_start));
        Self(words.collect())
    }
}

impl SearchWords {
    /// Returns true if there is no word.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the words and phrases.
    pub fn iter(&self) -> impl Iterator<Item = &SearchWord> {
        self.0.iter()
    }

    /// Returns true if a word was typed with marks: a [`FoldedText`] keeps its source then.
    pub fn have_marks(&self) -> bool {
        self.iter().any(|word| word.marked.is_some())
    }

    /// Folds a text to be searched for these words.
    pub fn fold(&self, text: &str) -> FoldedText {
        FoldedText::of(text, self.have_marks())
    }

    /// Returns for each word whether a text has it, and whether as a whole word.
    pub fn each_in(&self, text: &str) -> Vec<(bool, bool)> {
        let text = self.fold(text);
        let found = self.iter().map(|word| {
            let is_in = word.places(&text, 0).next().is_some();
            let is_whole = |place: Range<usize>| word.is_whole(&text, &place);
            (is_in, is_in && word.places(&text, 0).any(is_whole))
        });
        found.collect()
    }

    /// Returns true if a text has one of the words.
    pub fn any_is_in(&self, text: &str) -> bool {
        if self.is_empty() {
            return false;
        }
        let text = self.fold(text);
        self.iter()
            .any(|word| word.places(&text, 0).next().is_some())
    }

    /// Returns false if a line cannot have a word, by its octets. A true result may be wrong.
    pub(super) fn could_be_in(&self, line: &[u8]) -> bool {
        let is_plain = |octet: &u8| (b' '..=b'~').contains(octet);
        if !line.iter().all(is_plain) || line.trim_ascii_end().ends_with(b"-") {
            return true;
        }
        let lower = line.to_ascii_lowercase();
        let mut words = self.iter().flat_map(SearchWord::folded);
        words.any(|word| memchr::memmem::find(&lower, word.as_bytes()).is_some())
    }

    /// Returns the ranges of the words in a text, in octets: in order, not overlapping. A phrase may begin before the
    /// text, and end behind it.
    pub fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        let folded = FoldedText::of(text, true);
        let row = String::from_utf8_lossy(folded.octets());
        let ranges = self.iter().flat_map(|word| {
            let whole = word.places(&folded, 0);
            whole.chain(word.broken_ranges(&row))
        });
        let ranges = ranges.filter_map(|range| Some(folded.source(&range)?.0));
        let mut found: Vec<Range<usize>> = ranges.filter(|range| !range.is_empty()).collect();
        found.sort_by_key(|range| (range.start, range.end));
        found.dedup_by(|later, earlier| {
            let overlaps = later.start < earlier.end;
            if overlaps {
                earlier.end = earlier.end.max(later.end);
            }
            overlaps
        });
        found
    }
}
