//! Query of a fuzzy search: words, and their matching in a text.

use memchr::memmem::Finder;
use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str, chars};

use crate::bookmarks::checks::Checks;
use crate::bookmarks::watch::WatchedPages;
use crate::text::{Charset, Text};

/// Maximum number of occurrences of a word in a text that are scored.
const OCCURRENCES: usize = 8;

/// Query for bookmarks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pub(super) words: Vec<QueryWord>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum QueryWord {
    /// Text, matched exactly or by scattered letters.
    Text(Box<FoldedWord>),
    /// Beginning of a tag, in lower case.
    Tag(String),
    /// A URL with a fault.
    Fault,
    /// State from a link check or a watched page.
    State(String),
}

#[derive(Clone, Debug)]
pub(super) struct FoldedWord {
    /// Text in lower case, without accents.
    folded: String,
    pub(super) letters: u64,
    pub(super) finder: Finder<'static>,
    /// Matcher for the score and the positions of scattered letters.
    pub(super) atom: Atom,
}

impl PartialEq for FoldedWord {
    fn eq(&self, other: &Self) -> bool {
        self.folded == other.folded
    }
}

impl Eq for FoldedWord {}

impl Query {
    /// Parses a typed query.
    pub fn new(typed: &str) -> Self {
        let words = typed.split_whitespace().filter_map(QueryWord::new);
        Self {
            words: words.collect(),
        }
    }

    /// Returns true if the query has no words, and so matches everything.
    pub fn is_blank(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns true if the query needs the states of link checks or watched pages.
    pub fn needs_states(&self) -> bool {
        let mut words = self.words.iter();
        words.any(|word| matches!(word, QueryWord::State(_)))
    }

    /// Returns true if this query can only match results of an earlier query: it is the same query with more typed.
    pub fn narrows(&self, earlier: &Self) -> bool {
        earlier.words.iter().all(|earlier| {
            self.words.iter().any(|word| match (word, earlier) {
                (QueryWord::Text(word), QueryWord::Text(earlier)) => {
                    word.folded.starts_with(&earlier.folded)
                }
                (QueryWord::Tag(word), QueryWord::Tag(earlier)) => word.starts_with(earlier),
                (QueryWord::Fault, QueryWord::Fault) => true,
                (QueryWord::State(word), QueryWord::State(earlier)) => word == earlier,
                (
                    QueryWord::Text(_) | QueryWord::Tag(_) | QueryWord::Fault | QueryWord::State(_),
                    _,
                ) => false,
            })
        })
    }

    /// Returns the positions of the graphemes of a text, from 0, that match letters of the words; in order.
    pub fn marks(&self, text: &str) -> Vec<usize> {
        let mut marks: Vec<u32> = Vec::new();
        if self.is_blank() {
            return Vec::new();
        }
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut letters = Vec::new();
        let small: Vec<char> = chars::graphemes(text).map(small).collect();
        let text = Utf32Str::new(text, &mut letters);
        for word in &self.words {
            let QueryWord::Text(needle) = word else {
                continue;
            };
            let letters_of_word: Vec<char> = needle.folded.chars().collect();
            let at = small
                .windows(letters_of_word.len().max(1))
                .position(|here| here == letters_of_word);
            match at.and_then(|at| u32::try_from(at).ok()) {
                Some(at) => marks.extend((at..).take(letters_of_word.len())),
                None => {
                    needle.atom.indices(text, &mut matcher, &mut marks);
                }
            }
        }
        marks.sort_unstable();
        marks.dedup();
        marks
            .into_iter()
            .filter_map(|mark| usize::try_from(mark).ok())
            .collect()
    }
}

impl QueryWord {
    fn new(typed: &str) -> Option<Self> {
        let folded = folded(typed);
        if let Some(tag) = folded.strip_prefix('#') {
            return (!tag.is_empty()).then(|| Self::Tag(tag.to_owned()));
        }
        if folded == "is:fault" {
            return Some(Self::Fault);
        }
        if is_state_word(&folded) {
            return Some(Self::State(folded));
        }
        if is_state_prefix(&folded) {
            return None;
        }
        let (case, accents) = (CaseMatching::Ignore, Normalization::Smart);
        Some(Self::Text(Box::new(FoldedWord {
            letters: letters(&folded),
            finder: Finder::new(&folded).into_owned(),
            atom: Atom::new(&folded, case, accents, AtomKind::Fuzzy, false),
            folded,
        })))
    }

    pub(super) fn letters(&self) -> u64 {
        match self {
            Self::Text(needle) => needle.letters,
            Self::Tag(tag) => letters(tag),
            Self::Fault | Self::State(_) => 0,
        }
    }
}

/// Returns true if a word in lower case is about the state of a URL: `is:gone`, `gone>30d`, `is:new`.
pub(super) fn is_state_word(word: &str) -> bool {
    Checks::is_state_word(word) || WatchedPages::is_state_word(word)
}

/// Returns true if more letters can complete the word to a state word or `is:fault`: until then it is ignored.
fn is_state_prefix(word: &str) -> bool {
    const OTHERS: [&str; 2] = ["is:fault", "is:new"];
    let begins = |whole: &&str| whole.starts_with(word);
    word.starts_with("is:") && OTHERS.iter().any(begins) || Checks::is_state_prefix(word)
}

impl FoldedWord {
    /// Returns the score of an exact match in a folded text: higher at the start, as a whole word, at the start of a word.
    pub(super) fn exact_score(&self, text: &str) -> Option<u32> {
        let occurrences = self.finder.find_iter(text.as_bytes()).take(OCCURRENCES);
        let is_letter = |at: usize| {
            let octet = text.as_bytes().get(at);
            octet.is_some_and(|octet| octet.is_ascii_alphanumeric() || !octet.is_ascii())
        };
        let scores = occurrences.map(|at| {
            let begins = at.checked_sub(1).is_none_or(|before| !is_letter(before));
            let ends = !is_letter(at + self.folded.len());
            u32::from(at == 0) * 40 + u32::from(begins) * 100 + u32::from(ends) * 50
        });
        // Of two equally good texts, the shorter one has a larger part of the query.
        let short = 100 - u32::try_from(text.len().min(100)).unwrap_or(100);
        scores.max().map(|score| score + short / 4)
    }

    /// Returns true if the letters of the word are in a folded text in this order.
    pub(super) fn is_in_order(&self, text: &str) -> bool {
        if self.folded.is_ascii() {
            let mut text = text.as_bytes();
            return self.folded.bytes().all(|letter| {
                let at = memchr::memchr(letter, text);
                text = at.and_then(|at| text.get(at + 1..)).unwrap_or_default();
                at.is_some()
            });
        }
        let mut letters = text.chars();
        self.folded
            .chars()
            .all(|expected| letters.any(|letter| letter == expected))
    }

    /// Returns true if the letters of the word are in this order within one word of letters and digits of a folded text.
    pub(super) fn is_scattered(&self, text: &str) -> bool {
        if !self.folded.chars().all(char::is_alphanumeric) {
            return false;
        }
        if !self.folded.is_ascii() {
            let mut words = text.split(|letter: char| !letter.is_alphanumeric());
            return words.any(|word| self.is_in_order(word));
        }
        let word = self.folded.as_bytes();
        let mut left = word;
        for octet in text.bytes() {
            match left.split_first() {
                Some((letter, rest)) if octet == *letter => left = rest,
                Some(_) if octet.is_ascii_alphanumeric() || !octet.is_ascii() => {}
                Some(_) => left = word,
                None => break,
            }
        }
        left.is_empty()
    }
}

/// Folds a text to lower case without accents.
fn folded(text: &str) -> String {
    chars::graphemes(text).map(small).collect()
}

fn small(letter: char) -> char {
    chars::to_lower_case(chars::normalize(letter))
}

/// Folds octets and appends the result to `to`.
pub(super) fn fold(octets: &[u8], to: &mut String) {
    if octets.is_ascii()
        && let Ok(plain) = str::from_utf8(octets)
    {
        let start = to.len();
        to.push_str(plain);
        if let Some(new) = to.get_mut(start..) {
            new.make_ascii_lowercase();
        }
        return;
    }
    to.push_str(&folded(Text::new(octets, Charset::default()).as_str()));
}

/// Bit of each octet: ASCII letters, then digits, then the rest, which share bits.
#[allow(clippy::indexing_slicing)] // A mistake in a constant does not compile.
const BITS: [u64; 256] = {
    let mut bits = [0; 256];
    let mut octet = 0;
    while octet < bits.len() {
        let bit = match octet {
            0x61..=0x7a => octet - 0x61,
            0x30..=0x39 => 26 + octet - 0x30,
            other => 36 + other % 28,
        };
        bits[octet] = 1 << bit;
        octet += 1;
    }
    bits
};

/// Returns the bit set of the letters of a folded text.
pub(super) fn letters(text: &str) -> u64 {
    let bits = text
        .bytes()
        .filter_map(|octet| BITS.get(usize::from(octet)));
    bits.fold(0, |all, bit| all | bit)
}
