//! Bookmarks found by words, the best first: in the browser's pane and by `geomys bookmarks list --fuzzy`.
//!
//! All words must be found, each in any of title, URL, tags, note and the names of the folders, case ignored. A word is
//! found where it stands, or in scattered letters: anywhere in the title, elsewhere within one word. Where it stands
//! counts more than scattered, and the title more than the rest. `#word` begins a tag, `is:fault` finds the URLs with a
//! fault; words like `is:gone` or `gone>30d` are asked of whoever calls.
//!
//! All of it is read once, into small letters without accents. Which letters there are in an entry is kept as 64 bits
//! beside them, so that most of those without a word are never looked at.

use std::thread;

use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::Bookmarks;
use super::index::{Entry, Kind};
use super::line::{Parts, heading, trim_end};
use super::query::{Needle, Query, Word, fold, letters};
use super::search::Fits;
use super::view::Item;
use crate::url::{mask, may_hold_secret};

/// From so many entries on, several threads share them.
const SHARED: usize = 4096;

/// Threads at the most.
const THREADS: usize = 4;

/// Of more titles that have the letters scattered, none is weighed against the others.
const WEIGHED: usize = 2000;

/// What a word is worth by where it was found: where it stands in the title, among the tags, elsewhere; where its
/// letters are scattered.
const IN_TITLE: u32 = 4000;
const IN_TAG: u32 = 3500;
const ELSEWHERE: u32 = 3000;
const SCATTERED_IN_TITLE: u32 = 1000;
const SCATTERED: u32 = 1;

/// Bookmarks made ready to be searched again and again; they are read once.
#[derive(Debug)]
pub struct Searched {
    file: Bookmarks,
    /// Title, URL, words behind it and notes of each bookmark, or the name of a folder; folded. What each thread has read.
    folded: Vec<String>,
    cards: Vec<Card>,
}

/// Where an item's folded text stands, and which letters there are.
#[derive(Clone, Copy, Debug)]
struct Card {
    /// The letters that it has, those of its folders included.
    letters: u64,
    /// Those of the title.
    in_title: u64,
    /// Those of the rest.
    in_other: u64,
    /// In which of the parts it stands.
    part: u32,
    /// The title.
    start: u32,
    url: u32,
    rest: u32,
    notes: u32,
    end: u32,
}

/// What a thread makes ready.
struct Part<'a> {
    file: &'a Bookmarks,
    number: u32,
    folded: String,
    cards: Vec<Card>,
}

impl Part<'_> {
    fn push(&mut self, entry: &Entry) {
        let file = self.file;
        let start = self.at();
        let line = trim_end(file.line(entry.line));
        let (url, rest, notes);
        match Parts::of(line).filter(|_| entry.kind != Kind::Folder) {
            None => {
                let name = heading(line).map(|(_, name)| name);
                fold(name.unwrap_or_default(), &mut self.folded);
                (url, rest, notes) = (self.at(), self.at(), self.at());
            }
            Some(parts) => {
                fold(parts.before.trim_ascii(), &mut self.folded);
                self.folded.push(' ');
                url = self.at();
                let written = parts.url();
                if may_hold_secret(written) {
                    // Nobody looks for a password, and none is found by its letters.
                    let masked = mask(parts.written().as_str()).into_owned();
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
        self.cards.push(Card {
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

    /// How much is folded so far; of more than four gigabytes the rest is not found.
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

/// So many threads share so many entries.
fn threads(count: usize) -> usize {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    threads.min(THREADS).min(count / SHARED + 1)
}

impl Searched {
    /// Reads all of them; 100,000 take about a hundredth of a second.
    pub fn new(file: &Bookmarks) -> Self {
        let size = file.len().div_ceil(threads(file.len())).max(1);
        let read = |number: usize, entries: &[Entry]| {
            let mut part = Part {
                file,
                number: u32::try_from(number).unwrap_or_default(),
                folded: String::with_capacity(file.octets().len() * entries.len() / file.len()),
                cards: Vec::with_capacity(entries.len()),
            };
            for entry in entries {
                part.push(entry);
            }
            (part.folded, part.cards)
        };
        let mut searched = Self {
            file: file.clone(),
            folded: Vec::new(),
            cards: Vec::with_capacity(file.len()),
        };
        thread::scope(|scope| {
            let read = &read;
            let mut parts = file.entries.chunks(size).enumerate();
            let first = parts.next();
            let others: Vec<_> = parts
                .map(|(number, entries)| scope.spawn(move || read(number, entries)))
                .collect();
            let first = first.map(|(number, entries)| read(number, entries));
            let others = others.into_iter().filter_map(|other| other.join().ok());
            for (folded, cards) in first.into_iter().chain(others) {
                searched.folded.push(folded);
                searched.cards.extend(cards);
            }
        });
        // What stands in the name of a folder is found of all in it.
        for (index, entry) in file.entries.iter().enumerate() {
            let above = entry.parent().and_then(|above| searched.cards.get(above));
            let above = above.map_or(0, |above| above.letters);
            if let Some(card) = searched.cards.get_mut(index) {
                card.letters |= above;
            }
        }
        searched
    }

    fn text(&self, card: &Card, from: u32, to: u32) -> &str {
        let part = usize::try_from(card.part).ok();
        let part = part.and_then(|part| self.folded.get(part));
        part.map_or("", |part| slice(part, from, to))
    }

    /// What was made ready.
    pub fn bookmarks(&self) -> &Bookmarks {
        &self.file
    }

    /// The indices of the bookmarks that are found, the best first, those that are as good in the order of the file.
    /// Only `among` these is looked, where they are given: what an earlier query found that this one
    /// [narrows](Query::narrows).
    pub fn find(&self, query: &Query, among: Option<&[usize]>, fits: &Fits<'_>) -> Vec<usize> {
        let letters = query.words.iter().map(Word::letters);
        let judge = Judge {
            searched: self,
            query,
            letters: letters.fold(0, |all, letters| all | letters),
            folders: query.words.iter().map(|word| self.folders(word)).collect(),
            fits,
        };
        let count = among.map_or(self.cards.len(), <[usize]>::len);
        let part = |from: usize, to: usize| -> Vec<Found> {
            let mut found: Vec<Found> = match among {
                Some(among) => {
                    let part = among.get(from..to).unwrap_or_default().iter();
                    part.filter_map(|&index| judge.found(index)).collect()
                }
                None => (from..to).filter_map(|index| judge.found(index)).collect(),
            };
            found.sort_unstable_by_key(Found::rank);
            found
        };
        let threads = threads(count);
        let size = count.div_ceil(threads).max(1);
        let mut found = thread::scope(|scope| {
            let part = &part;
            let others = (1..threads).map(|number| {
                let end = ((number + 1) * size).min(count);
                scope.spawn(move || part(number * size, end))
            });
            let others: Vec<_> = others.collect();
            let mut found = part(0, size.min(count));
            for other in others {
                // A panic there would be a mistake of ours: what was not searched is not found.
                found.extend(other.join().unwrap_or_default());
            }
            found
        });
        judge.weigh_scattered(&mut found);
        // The parts are in order: a stable sort only brings them together.
        found.sort_by_key(Found::rank);
        found.into_iter().map(|found| found.index).collect()
    }

    /// What a word is worth in the name of each folder, or in those of the folders that it is in.
    fn folders(&self, word: &Word) -> Vec<u32> {
        let Word::Text(needle) = word else {
            return Vec::new();
        };
        let mut worth = vec![0; self.cards.len()];
        for (index, (entry, card)) in self.file.entries.iter().zip(&self.cards).enumerate() {
            if entry.kind != Kind::Folder {
                continue;
            }
            let name = self.text(card, card.start, card.end);
            let own = match needle.standing(name) {
                Some(score) => ELSEWHERE + score,
                None if needle.is_scattered(name) => SCATTERED,
                None => 0,
            };
            let above = entry.parent().and_then(|above| worth.get(above));
            let best = own.max(above.copied().unwrap_or(0));
            if let Some(worth) = worth.get_mut(index) {
                *worth = best;
            }
        }
        worth
    }
}

/// A bookmark that is found.
#[derive(Clone, Copy, Debug)]
struct Found {
    index: usize,
    worth: u32,
    /// Letters of a word are scattered in its title.
    is_loose: bool,
}

impl Found {
    /// Less for what is better; of what is as good, for what stands further up.
    fn rank(&self) -> (u32, usize) {
        (u32::MAX - self.worth, self.index)
    }
}

/// A look at bookmarks.
struct Judge<'a> {
    searched: &'a Searched,
    query: &'a Query,
    /// The letters of all words.
    letters: u64,
    /// What each word is worth in the folders.
    folders: Vec<Vec<u32>>,
    fits: &'a Fits<'a>,
}

impl Judge<'_> {
    /// What a bookmark is worth; nothing when a word is not in it.
    fn found(&self, index: usize) -> Option<Found> {
        let card = self.searched.cards.get(index)?;
        let file = &self.searched.file;
        let entry = file.entry(index)?;
        if self.letters & !card.letters != 0 || entry.kind == Kind::Folder {
            return None;
        }
        let mut found = Found {
            index,
            worth: 0,
            is_loose: false,
        };
        // What was typed last is what the least have: those before were found already.
        for (number, word) in self.query.words.iter().enumerate().rev() {
            let worth = match word {
                Word::Text(needle) => {
                    let folders = self.folders.get(number)?;
                    let folder = entry.parent().and_then(|folder| folders.get(folder));
                    let worth = self.word(needle, card, folder.copied().unwrap_or(0))?;
                    found.is_loose |= worth == SCATTERED_IN_TITLE;
                    worth
                }
                Word::Tag(tag) => self.tag(tag, card)?,
                Word::Fault => (entry.kind == Kind::Fault).then_some(0)?,
                Word::Checked(word) => {
                    let Item::Bookmark(bookmark) = Item::new(file, index, entry) else {
                        return None;
                    };
                    (self.fits)(word, bookmark.url().ok().as_ref()).then_some(0)?
                }
            };
            found.worth = found.worth.saturating_add(worth);
        }
        Some(found)
    }

    /// The best that a word is worth in a bookmark, when it is worth this in its folders.
    fn word(&self, needle: &Needle, card: &Card, folder: u32) -> Option<u32> {
        let searched = self.searched;
        let title = searched.text(card, card.start, card.url);
        let other = searched.text(card, card.url, card.end);
        let in_title = needle.letters & !card.in_title == 0;
        let in_other = needle.letters & !card.in_other == 0;
        if in_title && let Some(score) = needle.standing(title) {
            return Some(IN_TITLE + score);
        }
        if in_other && let Some(score) = needle.standing(other) {
            let rest = searched.text(card, card.rest, card.notes);
            let tag = needle.finder.find(rest.as_bytes());
            let tier = if tag.is_some() { IN_TAG } else { ELSEWHERE };
            return Some(folder.max(tier + score));
        }
        if folder > SCATTERED_IN_TITLE {
            return Some(folder);
        }
        if in_title && needle.is_in_order(title) {
            return Some(SCATTERED_IN_TITLE);
        }
        (folder > 0 || in_other && needle.is_scattered(other)).then_some(SCATTERED)
    }

    /// What a tag that begins so is worth; one that is no longer is worth more.
    fn tag(&self, wanted: &str, card: &Card) -> Option<u32> {
        let words = self.searched.text(card, card.rest, card.notes);
        let tags = words
            .split_whitespace()
            .filter_map(|word| word.strip_prefix('#'));
        let begun = tags.filter_map(|tag| tag.strip_prefix(wanted));
        let longer = begun.map(str::len).min()?;
        Some(IN_TAG + 100 - u32::try_from(longer.min(100)).unwrap_or(100))
    }

    /// Says which letters are scattered less, where they are not so many that nobody will read that far.
    fn weigh_scattered(&self, found: &mut [Found]) {
        let loose = found.iter_mut().filter(|found| found.is_loose);
        if loose.count() > WEIGHED {
            return;
        }
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut letters = Vec::new();
        for found in found.iter_mut().filter(|found| found.is_loose) {
            let Some(bookmark) = self.searched.file.bookmark(found.index) else {
                continue;
            };
            let title = bookmark.title();
            let title = Utf32Str::new(title.as_str(), &mut letters);
            for word in &self.query.words {
                if let Word::Text(needle) = word {
                    let score = needle.atom.score(title, &mut matcher);
                    found.worth += u32::from(score.unwrap_or(0));
                }
            }
        }
    }
}
