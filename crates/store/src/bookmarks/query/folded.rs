//! Folded text: lower case without accents, and the words that are searched in it.

use geomys_wire::text::{Charset, Text};
use memchr::memmem::Finder;
use nucleo_matcher::chars;
use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};

/// Maximum number of occurrences of a word in a text that are scored.
const OCCURRENCES: usize = 8;

/// Word of a query, matched exactly or by scattered letters.
#[derive(Clone, Debug)]
pub(super) struct FoldedWord {
    /// Text in lower case, without accents.
    pub(super) folded: String,
    pub(super) letters: u64,
    pub(super) finder: Finder<'static>,
    /// Matcher for the score and the positions of scattered letters.
    pub(super) atom: Atom,
    /// True if scattered letters do not match.
    pub(super) is_exact: bool,
}

impl PartialEq for FoldedWord {
    fn eq(&self, other: &Self) -> bool {
        self.folded == other.folded && self.is_exact == other.is_exact
    }
}

impl Eq for FoldedWord {}

impl FoldedWord {
    pub(super) fn new(folded: String, is_exact: bool) -> Self {
        let (case, accents) = (CaseMatching::Ignore, Normalization::Smart);
        Self {
            letters: letters(&folded),
            finder: Finder::new(&folded).into_owned(),
            atom: Atom::new(&folded, case, accents, AtomKind::Fuzzy, false),
            folded,
            is_exact,
        }
    }

    /// Returns the score of an exact match in a folded text: higher at the start, as a whole word, at the start of a
    /// word.
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

    /// Returns true if the letters of the word are in this order within one word of letters and digits of a folded
    /// text.
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
pub(super) fn folded(text: &str) -> String {
    chars::graphemes(text).map(small).collect()
}

pub(super) fn small(letter: char) -> char {
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
#[expect(
    clippy::indexing_slicing,
    reason = "a mistake in a constant does not compile"
)]
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
