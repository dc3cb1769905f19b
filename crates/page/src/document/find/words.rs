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
}

impl PartialEq for SearchWord {
    fn eq(&self, other: &Self) -> bool {
        (&self.folded, &self.marked) == (&other.folded, &other.marked)
    }
}

impl Eq for SearchWord {}

impl SearchWord {
    /// Returns a word or phrase; `None` if it is empty.
    fn new(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ");
        let mut folded = String::new();
        fold(&text, &mut folded);
        (!folded.is_empty()).then(|| Self {
            finder: Finder::new(&folded).into_owned(),
            folded,
            marked: has_marks(&text).then(|| composed(&text)),
        })
    }

    /// The length of the folded text, in octets.
    pub fn length(&self) -> usize {
        self.folded.len()
    }

    /// Returns the places of the word in a folded text.
    pub fn places<'a>(&'a self, folded: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
        self.finder.find_iter(folded)
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
        self.finder.find(folded.as_bytes()).is_some()
            && (self.marked.is_none() || self.has_its_marks(&text()))
    }

    /// The ranges of the word in a folded text.
    fn ranges(&self, folded: &str) -> impl Iterator<Item = Range<usize>> {
        let found = self.finder.find_iter(folded.as_bytes());
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

fn composed(text: &str) -> String {
    text.to_lowercase().nfc().collect()
}

/// The words and phrases of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchWords(Arc<[SearchWord]>);

impl<'a> FromIterator<&'a str> for SearchWords {
    fn from_iter<T: IntoIterator<Item = &'a str>>(words: T) -> Self {
        Self(words.into_iter().filter_map(SearchWord::new).collect())
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

    /// Returns true if a text has all words.
    pub fn are_in(&self, text: &str) -> bool {
        let mut folded = String::new();
        fold(text, &mut folded);
        let text = || text.to_owned();
        self.iter().all(|word| word.is_in(&folded, text))
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
            let places = found.filter_map(|word| word.finder.find(self.folded.as_bytes()));
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
            let places = words.iter().map(|word| word.finder.find(paragraph));
            let places: Option<Vec<usize>> = places.collect();
            places?.into_iter().min().map(|at| start + at)
        })
    }
}
