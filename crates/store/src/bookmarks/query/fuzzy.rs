//! Fuzzy search in bookmarks, best matches first: for the bookmark pane and for `geomys bookmarks list --fuzzy`.
//!
//! All words must be found, each in any of title, URL, tags, note and the names of the folders, case ignored. A word
//! matches exactly, or by scattered letters: anywhere in the title, elsewhere within one word. An exact match counts
//! more than scattered letters, and the title more than the rest. `#word` matches the beginning of a tag. A phrase and
//! a word with a minus sign are compared as written, without scattered letters.
//!
//! All text is folded once, to lower case without accents. A bit set of 64 bits holds the letters of each entry, so
//! that most entries without a word are skipped.

use geomys_page::document::parallel;
use nucleo_matcher::{Config, Matcher, Utf32Str};
use rfc1738::{mask, may_hold_secret};

use super::folded::{FoldedWord, fold, letters};
use super::{Copies, Query, QueryWord, StateMatcher, WordKind};
use crate::bookmarks::Bookmarks;
use crate::bookmarks::index::{Entry, Kind};
use crate::bookmarks::line::{LineParts, heading, trim_end};

/// Number of entries from which on several threads are used.
const PARALLEL_MIN: usize = 4096;

/// Maximum number of titles with scattered letters that are scored against each other.
const MAX_SCORED: usize = 2000;

/// Score of an exact match in the title.
const IN_TITLE: u32 = 4000;

/// Score of an exact match in the tags.
const IN_TAG: u32 = 3500;

/// Score of an exact match elsewhere.
const ELSEWHERE: u32 = 3000;

/// Score of scattered letters in the title.
const SCATTERED_IN_TITLE: u32 = 1000;

/// Score of scattered letters elsewhere.
const SCATTERED: u32 = 1;

/// Index of bookmarks for repeated fuzzy searches.
#[derive(Debug)]
pub struct FuzzyIndex {
    file: Bookmarks,
    /// Folded text of each bookmark (title, URL, words after it, notes) or folder (name); one string per thread.
    folded: Vec<String>,
    items: Vec<IndexedItem>,
}

/// Ranges of an item's folded text, and its letters.
#[derive(Clone, Copy, Debug)]
struct IndexedItem {
    /// Letters of the item and of its folders.
    letters: u64,
    /// Letters of the title.
    in_title: u64,
    /// Letters of the rest.
    in_other: u64,
    /// Index of the string that holds the text.
    part: u32,
    /// Start of the title; the other parts follow.
    start: u32,
    url: u32,
    rest: u32,
    notes: u32,
    end: u32,
}

/// Part of the index, built by one thread.
struct IndexBuilder<'a> {
    file: &'a Bookmarks,
    number: u32,
    folded: String,
    items: Vec<IndexedItem>,
}

impl IndexBuilder<'_> {
    fn push(&mut self, entry: &Entry) {
        let file = self.file;
        let start = self.at();
        let line = trim_end(file.line(entry.line));
        let (url, rest, notes);
        match LineParts::of(line).filter(|_| entry.kind != Kind::Folder) {
            None => {
                let name = heading(line).map(|(_, name)| name);
                fold(name.unwrap_or_default(), &mut self.folded);
                (url, rest, notes) = (self.at(), self.at(), self.at());
            }
            Some(parts) => {
                fold(parts.before.trim_ascii(), &mut self.folded);
                self.folded.push(' ');
                url = self.at();
                let written = parts.url_octets();
                if may_hold_secret(written) {
                    // Passwords are masked, so that a search cannot find them.
                    let masked = mask(parts.url_text().as_str()).into_owned();
                    fold(masked.as_bytes(), &mut self.folded);
                } else {
                    fold(written, &mut self.folded);
                }
                self.folded.push(' ');
                rest = self.at();
                fold(parts.rest, &mut self.folded);
                notes = self.at();
                for note in entry.line + 1..file.end_of_notes(entry.line) {
                    fold(file.line(note), &mut self.folded);
                }
            }
        }
        let end = self.at();
        let (in_title, in_other) = (self.letters(start, url), self.letters(url, end));
        self.items.push(IndexedItem {
            letters: in_title | in_other,
            in_title,
            in_other,
            part: self.number,
            start,
            url,
            rest,
            notes,
            end,
        });
    }

    /// Returns the length of the folded text so far; text after four gigabytes is not found.
    fn at(&self) -> u32 {
        u32::try_from(self.folded.len()).unwrap_or(u32::MAX)
    }

    fn letters(&self, from: u32, to: u32) -> u64 {
        letters(slice(&self.folded, from, to))
    }
}

fn slice(text: &str, from: u32, to: u32) -> &str {
    let place = |at| usize::try_from(at).unwrap_or(usize::MAX);
    text.get(place(from)..place(to)).unwrap_or_default()
}

impl FuzzyIndex {
    /// Builds the index; 100,000 entries take about a hundredth of a second.
    pub fn new(file: &Bookmarks) -> Self {
        let threads = parallel::threads(file.len(), PARALLEL_MIN);
        let size = file.len().div_ceil(threads).max(1);
        let parts = parallel::map(
            file.entries.chunks(size).enumerate(),
            |(number, entries)| {
                let mut part = IndexBuilder {
                    file,
                    number: u32::try_from(number).unwrap_or_default(),
                    folded: String::with_capacity(file.octets().len() * entries.len() / file.len()),
                    items: Vec::with_capacity(entries.len()),
                };
                for entry in entries {
                    part.push(entry);
                }
                (part.folded, part.items)
            },
        );
        let mut index = Self {
            file: file.clone(),
            folded: Vec::new(),
            items: Vec::with_capacity(file.len()),
        };
        for (folded, items) in parts {
            index.folded.push(folded);
            index.items.extend(items);
        }
        // The name of a folder matches all items in it.
        for (at, entry) in file.entries.iter().enumerate() {
            let above = entry.parent().and_then(|above| index.items.get(above));
            let above = above.map_or(0, |above| above.letters);
            if let Some(item) = index.items.get_mut(at) {
                item.letters |= above;
            }
        }
        index
    }

    fn text(&self, item: &IndexedItem, from: u32, to: u32) -> &str {
        let part = usize::try_from(item.part).ok();
        let part = part.and_then(|part| self.folded.get(part));
        part.map_or("", |part| slice(part, from, to))
    }

    /// Returns the indices of the matching bookmarks, best first; equally good ones are in the order of the file. If
    /// `among` is given, only these are searched: the results of an earlier query that this query
    /// [narrows](Query::narrows).
    pub fn find(
        &self,
        query: &Query,
        among: Option<&[usize]>,
        matches_state: &StateMatcher<'_>,
    ) -> Vec<usize> {
        let letters = query.words.iter().map(QueryWord::letters);
        let matcher = FuzzyMatcher {
            index: self,
            query,
            letters: letters.fold(0, |all, letters| all | letters),
            folders: query.words.iter().map(|word| self.folders(word)).collect(),
            copies: query.copies(|| self.file.clone(), |_, index| index),
            matches_state,
        };
        let count = among.map_or(self.items.len(), <[usize]>::len);
        let parts = parallel::map(parallel::ranges(count, PARALLEL_MIN), |part| {
            let mut found: Vec<FuzzyMatch> = match among.map(|among| among.get(part.clone())) {
                Some(among) => among
                    .into_iter()
                    .flatten()
                    .filter_map(|&index| matcher.match_item(index))
                    .collect(),
                None => part.filter_map(|index| matcher.match_item(index)).collect(),
            };
            found.sort_unstable_by_key(FuzzyMatch::rank);
            found
        });
        let mut found = parts.concat();
        matcher.weigh_scattered(&mut found);
        // The parts are sorted already: a stable sort only merges them.
        found.sort_by_key(FuzzyMatch::rank);
        found.into_iter().map(|found| found.index).collect()
    }

    /// Returns the best score of a word in the name of each folder and its parents.
    fn folders(&self, word: &QueryWord) -> Vec<u32> {
        let WordKind::Text(needle) = &word.kind else {
            return Vec::new();
        };
        let mut score = vec![0; self.items.len()];
        for (index, (entry, item)) in self.file.entries.iter().zip(&self.items).enumerate() {
            if entry.kind != Kind::Folder {
                continue;
            }
            let name = self.text(item, item.start, item.end);
            let own = match needle.exact_score(name) {
                Some(score) => ELSEWHERE + score,
                None if !needle.is_exact && needle.is_scattered(name) => SCATTERED,
                None => 0,
            };
            let above = entry.parent().and_then(|above| score.get(above));
            let best = own.max(above.copied().unwrap_or(0));
            if let Some(score) = score.get_mut(index) {
                *score = best;
            }
        }
        score
    }
}

/// Matching bookmark.
#[derive(Clone, Copy, Debug, Default)]
struct FuzzyMatch {
    index: usize,
    score: u32,
    /// True if the letters of a word are scattered in the title.
    is_loose: bool,
}

impl FuzzyMatch {
    /// Returns the sort key: lower for better matches, then by the order of the file.
    fn rank(&self) -> (u32, usize) {
        (u32::MAX - self.score, self.index)
    }
}

/// Matcher of a query against the index.
struct FuzzyMatcher<'a> {
    index: &'a FuzzyIndex,
    query: &'a Query,
    /// Letters of all words.
    letters: u64,
    /// Score of each word in the folders.
    folders: Vec<Vec<u32>>,
    /// Indices of the duplicate bookmarks.
    copies: Copies<usize>,
    matches_state: &'a StateMatcher<'a>,
}

impl FuzzyMatcher<'_> {
    /// Returns the match of a bookmark; `None` if a word is missing.
    fn match_item(&self, index: usize) -> Option<FuzzyMatch> {
        let item = self.index.items.get(index)?;
        let entry = self.index.file.entry(index)?;
        if self.letters & !item.letters != 0 || entry.kind == Kind::Folder {
            return None;
        }
        let mut found = FuzzyMatch {
            index,
            ..FuzzyMatch::default()
        };
        // The last word is checked first: it excludes most bookmarks, as the words before were searched already.
        for group in self.query.groups().rev() {
            let scores = group
                .iter()
                .filter_map(|word| self.score(word, index, entry, item));
            let score = scores.max()?;
            found.is_loose |= score == SCATTERED_IN_TITLE;
            found.score = found.score.saturating_add(score);
        }
        Some(found)
    }

    /// Returns the score of a word for a bookmark; `None` if it does not match.
    fn score(
        &self,
        word: &QueryWord,
        index: usize,
        entry: &Entry,
        item: &IndexedItem,
    ) -> Option<u32> {
        let score = match &word.kind {
            WordKind::Text(needle) => {
                let folders = self.folders.get(word.number)?;
                let folder = entry.parent().and_then(|folder| folders.get(folder));
                self.word(needle, item, folder.copied().unwrap_or(0))
            }
            WordKind::Tag(tag) => self.tag(tag, item),
            WordKind::Keyword(keyword) => {
                let file = &self.index.file;
                let folder = file.folder_of(index);
                let bookmark = file.bookmark(index)?;
                let bookmark = bookmark.scanned(&folder);
                let is_match =
                    keyword.matches(&bookmark, self.copies.of(&index), self.matches_state);
                is_match.then_some(0)
            }
        };
        match score {
            Some(_) if word.is_negated => None,
            None if word.is_negated => Some(0),
            score => score,
        }
    }

    /// Returns the best score of a word in a bookmark, given its score in the folders.
    fn word(&self, needle: &FoldedWord, item: &IndexedItem, folder: u32) -> Option<u32> {
        let index = self.index;
        let title = index.text(item, item.start, item.url);
        let other = index.text(item, item.url, item.end);
        let in_title = needle.letters & !item.in_title == 0;
        let in_other = needle.letters & !item.in_other == 0;
        if in_title && let Some(score) = needle.exact_score(title) {
            return Some(IN_TITLE + score);
        }
        if in_other && let Some(score) = needle.exact_score(other) {
            let rest = index.text(item, item.rest, item.notes);
            let tag = needle.finder.find(rest.as_bytes());
            let tier = if tag.is_some() { IN_TAG } else { ELSEWHERE };
            return Some(folder.max(tier + score));
        }
        if folder > SCATTERED_IN_TITLE {
            return Some(folder);
        }
        if needle.is_exact {
            return None;
        }
        if in_title && needle.is_in_order(title) {
            return Some(SCATTERED_IN_TITLE);
        }
        (folder > 0 || in_other && needle.is_scattered(other)).then_some(SCATTERED)
    }

    /// Returns the score of a tag prefix; higher if fewer letters follow.
    fn tag(&self, prefix: &str, item: &IndexedItem) -> Option<u32> {
        let words = self.index.text(item, item.rest, item.notes);
        let tags = words
            .split_whitespace()
            .filter_map(|word| word.strip_prefix('#'));
        let matching = tags.filter_map(|tag| tag.strip_prefix(prefix));
        let longer = matching.map(str::len).min()?;
        Some(IN_TAG + 100 - u32::try_from(longer.min(100)).unwrap_or(100))
    }

    /// Scores how scattered the letters are, unless there are too many matches.
    fn weigh_scattered(&self, found: &mut [FuzzyMatch]) {
        let loose = found.iter_mut().filter(|found| found.is_loose);
        if loose.count() > MAX_SCORED {
            return;
        }
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut letters = Vec::new();
        for found in found.iter_mut().filter(|found| found.is_loose) {
            let Some(bookmark) = self.index.file.bookmark(found.index) else {
                continue;
            };
            let title = bookmark.title();
            let title = Utf32Str::new(title.as_str(), &mut letters);
            for word in &self.query.words {
                if let WordKind::Text(needle) = &word.kind
                    && !needle.is_exact
                {
                    let score = needle.atom.score(title, &mut matcher);
                    found.score += u32::from(score.unwrap_or(0));
                }
            }
        }
    }
}
