//! Words and phrases in the text of a page, whatever their case and their marks, and the row that has them best.

use std::ops::Range;
use std::sync::Arc;

use memchr::memmem::Finder;
use unicode_normalization::UnicodeNormalization;

use super::fold::{fold, fold_letters, has_marks};
use crate::document::model::Document;

/// A word or phrase to find.
#[derive(Clone, Debug)]
pub struct SearchWord {
    /// The folded text, with single blanks.
    folded: String,
    finder: Finder<'static>,
    /// The text in lower case and composed (NFC), if it was typed with marks.
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
        let mut folded = String::new();
        fold(&text, &mut folded);
        (!folded.is_empty()).then(|| Self {
            finder: Finder::new(&folded).into_owned(),
            folded,
            marked: has_marks(&text).then(|| composed(&text)),
            is_start,
        })
    }

    /// The length of the folded text, in octets.
    pub fn length(&self) -> usize {
        self.folded.len()
    }

    /// Returns the places of the word in a folded text, from one on.
    pub fn places<'a>(&'a self, folded: &'a [u8], from: usize) -> impl Iterator<Item = usize> + 'a {
        let behind = folded.get(from..).unwrap_or_default();
        let places = self.finder.find_iter(behind).map(move |at| from + at);
        places.filter(move |at| !self.is_start || !is_letter_before(folded, *at))
    }

    /// Returns true if the word is no part of a longer one at a place in a folded text. The start of a word is none.
    pub fn is_whole(&self, folded: &[u8], at: usize) -> bool {
        let end = at + self.folded.len();
        !is_letter_before(folded, at) && (self.is_start || !is_letter_at(folded, end))
    }

    /// Returns true unless the word was typed with marks that a text has not.
    pub fn has_its_marks(&self, text: &str) -> bool {
        (self.marked.as_ref()).is_none_or(|marked| composed(text).contains(marked))
    }

    /// The words of the phrase, folded.
    fn folded(&self) -> impl Iterator<Item = &str> {
        self.folded.split(' ')
    }

    fn is_in(&self, folded: &str, text: impl Fn() -> String) -> bool {
        self.places(folded.as_bytes(), 0).next().is_some()
            && (self.marked.is_none() || self.has_its_marks(&text()))
    }

    /// The ranges of the word in a folded text.
    fn ranges<'a>(&'a self, folded: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let found = self.places(folded.as_bytes(), 0);
        found.map(|at| at..at + self.folded.len())
    }

    /// The ranges of a phrase that begins in the row before, and of one that goes on in the next row.
    fn broken_ranges(&self, folded: &str) -> impl Iterator<Item = Range<usize>> {
        let cuts = self.folded.match_indices(' ').map(|(at, _)| at);
        let (text, start) = (folded.trim_end(), folded.len() - folded.trim_start().len());
        cuts.flat_map(move |cut| {
            let (before, behind) = self.folded.split_at_checked(cut).unwrap_or_default();
            let behind = behind.trim_start();
            let at_end = text.strip_suffix(before);
            let at_end = at_end.filter(|rest| !rest.ends_with(char::is_alphanumeric));
            let at_end = at_end.map(|rest| rest.len()..text.len());
            let at_start = folded.trim_start().strip_prefix(behind);
            let at_start = at_start.filter(|rest| !rest.starts_with(char::is_alphanumeric));
            let at_start = at_start.map(|_| start..start + behind.len());
            at_end.into_iter().chain(at_start)
        })
    }
}

/// The first letter of the scripts that set no blanks between words: East Asian ones.
const UNSPACED: char = '\u{2E80}';

fn is_word_letter(letter: char) -> bool {
    letter.is_alphanumeric() && letter < UNSPACED
}

/// Returns true if a letter of a word ends before a place in a text.
fn is_letter_before(text: &[u8], at: usize) -> bool {
    let before = text.get(at.saturating_sub(char::MAX.len_utf8())..at);
    let chunk = before.and_then(|before| before.utf8_chunks().last());
    chunk.is_some_and(|chunk| chunk.invalid().is_empty() && chunk.valid().ends_with(is_word_letter))
}

/// Returns true if a letter of a word begins at a place in a text.
fn is_letter_at(text: &[u8], at: usize) -> bool {
    let end = text.len().min(at + char::MAX.len_utf8());
    let chunk = text
        .get(at..end)
        .and_then(|behind| behind.utf8_chunks().next());
    chunk.is_some_and(|chunk| chunk.valid().starts_with(is_word_letter))
}

fn composed(text: &str) -> String {
    text.to_lowercase().nfc().collect()
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

    /// Returns for each word whether a text has it, and whether as a whole word.
    pub fn each_in(&self, text: &str) -> Vec<(bool, bool)> {
        let mut folded = String::new();
        fold(text, &mut folded);
        let octets = folded.as_bytes();
        let is_whole =
            |word: &SearchWord| word.places(octets, 0).any(|at| word.is_whole(octets, at));
        let found = self.iter().map(|word| {
            let is_in = word.is_in(&folded, || text.to_owned());
            (is_in, is_in && is_whole(word))
        });
        found.collect()
    }

    /// Returns true if a text has one of the words.
    pub fn any_is_in(&self, text: &str) -> bool {
        let mut folded = String::new();
        fold(text, &mut folded);
        let text = || text.to_owned();
        self.iter().any(|word| word.is_in(&folded, text))
    }

    /// Returns false if a line cannot have a word, by its octets. A true result may be wrong.
    pub(super) fn could_be_in(&self, line: &[u8]) -> bool {
        if !line.iter().all(|octet| (b' '..=b'~').contains(octet)) {
            return true;
        }
        let lower = line.to_ascii_lowercase();
        let mut words = self.iter().flat_map(SearchWord::folded);
        words.any(|word| memchr::memmem::find(&lower, word.as_bytes()).is_some())
    }

    /// Returns the ranges of the words in a text, in octets: in order, not overlapping. A phrase may begin before the
    /// text, and end behind it.
    pub fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        let (mut folded, mut starts) = (String::new(), Vec::new());
        fold_letters(text, |at, piece| {
            folded.push_str(piece);
            starts.resize(folded.len(), at);
        });
        let start = |at: usize| starts.get(at).copied().unwrap_or(text.len());
        let words = self.iter();
        let mut found: Vec<Range<usize>> = words
            .flat_map(|word| word.ranges(&folded).chain(word.broken_ranges(&folded)))
            .map(|range| start(range.start)..start(range.end))
            .filter(|range| !range.is_empty())
            .collect();
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

/// The text of a page, folded, with the places of its rows.
#[derive(Debug, Default)]
pub struct PageText {
    /// The rows with single blanks within and between them, and the title behind them.
    folded: String,
    /// The start of each row.
    rows: Vec<usize>,
    /// The start of each paragraph, and of the title.
    paragraphs: Vec<usize>,
    /// The start of the title.
    title: usize,
}

impl PageText {
    /// Reads the text of a page with this title.
    pub fn new(document: &Document, title: &str) -> Self {
        let mut page = Self::default();
        let (mut row_text, mut is_blank) = (String::new(), true);
        for number in 0..document.count() {
            row_text.clear();
            if let Some(row) = document.row(number) {
                fold(&row.text(), &mut row_text);
            }
            let was_blank = std::mem::replace(&mut is_blank, row_text.trim().is_empty());
            page.rows.push(page.folded.len());
            if was_blank && !is_blank {
                page.paragraphs.push(page.folded.len());
            }
            for word in row_text.split_whitespace() {
                page.folded.push_str(word);
                page.folded.push(' ');
            }
        }
        page.title = page.folded.len();
        page.paragraphs.push(page.title);
        fold(title, &mut page.folded);
        page
    }

    /// Returns true if the page has all words. `text` is the same text, not folded.
    pub fn has_all(&self, words: &SearchWords, text: impl Fn() -> String + Copy) -> bool {
        words.iter().all(|word| word.is_in(&self.folded, text))
    }

    /// Returns true if the page has one of the words. `text` is the same text, not folded.
    pub fn has_any(&self, words: &SearchWords, text: impl Fn() -> String + Copy) -> bool {
        words.iter().any(|word| word.is_in(&self.folded, text))
    }

    /// Returns the row where the words are best, and true if one paragraph has all of them; the first row for the
    /// title, and `None` if the page has none of the words.
    pub fn best_row(&self, words: &SearchWords) -> Option<(usize, bool)> {
        let near = self.near(words);
        let first = || {
            let found = words.iter();
            let places = found.filter_map(|word| word.places(self.folded.as_bytes(), 0).next());
            places.min()
        };
        Some((self.row(near.or_else(first)?), near.is_some()))
    }

    /// The number of occurrences of all words.
    pub fn occurrences(&self, words: &SearchWords) -> usize {
        let words = words.iter();
        words.map(|word| word.ranges(&self.folded).count()).sum()
    }

    /// The number of the row at a position; the first one for the title.
    fn row(&self, at: usize) -> usize {
        if at >= self.title {
            return 0;
        }
        let rows = self.rows.partition_point(|&start| start <= at);
        rows.saturating_sub(1)
    }

    /// Returns the place of the first paragraph that has all words, if there is one.
    fn near(&self, words: &SearchWords) -> Option<usize> {
        let ends = self.paragraphs.iter().skip(1).copied();
        let ends = ends.chain(std::iter::once(self.folded.len()));
        self.paragraphs.iter().zip(ends).find_map(|(&start, end)| {
            let paragraph = self.folded.get(start..end)?.as_bytes();
            let places = words.iter().map(|word| word.places(paragraph, 0).next());
            let places: Option<Vec<usize>> = places.collect();
            places?.into_iter().min().map(|at| start + at)
        })
    }
}
