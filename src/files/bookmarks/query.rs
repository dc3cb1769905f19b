//! What is looked for in the bookmarks: words, and how one is found in a text.

use memchr::memmem::Finder;
use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str, chars};

use crate::files::checks::Checks;
use crate::files::watch::Watched;
use crate::text::{Charset, Text};

/// Places of a word in a text that are looked at.
const PLACES: usize = 8;

/// What is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pub(super) words: Vec<Word>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// To be found as it stands, or in scattered letters.
    Text(Box<Needle>),
    /// The beginning of a tag, in small letters.
    Tag(String),
    /// Bookmarks whose URL has a fault.
    Fault,
    /// Something that only a check can tell.
    Checked(String),
}

#[derive(Clone, Debug)]
pub(super) struct Needle {
    /// In small letters, without accents.
    folded: String,
    pub(super) letters: u64,
    pub(super) finder: Finder<'static>,
    /// For the score of scattered letters, and to mark them.
    pub(super) atom: Atom,
}

impl PartialEq for Needle {
    fn eq(&self, other: &Self) -> bool {
        self.folded == other.folded
    }
}

impl Eq for Needle {}

impl Query {
    /// Reads what a person has typed.
    pub fn new(typed: &str) -> Self {
        let words = typed.split_whitespace().filter_map(Word::new);
        Self {
            words: words.collect(),
        }
    }

    /// Whether nothing is looked for, and so everything is found.
    pub fn is_blank(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether it is about what is known of the bookmarks.
    pub fn asks_what_is_known(&self) -> bool {
        let mut words = self.words.iter();
        words.any(|word| matches!(word, Word::Checked(_)))
    }

    /// Whether this can only find what an earlier query has found: it is the same with more typed.
    pub fn narrows(&self, earlier: &Self) -> bool {
        earlier.words.iter().all(|earlier| {
            self.words.iter().any(|word| match (word, earlier) {
                (Word::Text(word), Word::Text(earlier)) => word.folded.starts_with(&earlier.folded),
                (Word::Tag(word), Word::Tag(earlier)) => word.starts_with(earlier),
                (Word::Fault, Word::Fault) => true,
                (Word::Checked(word), Word::Checked(earlier)) => word == earlier,
                (Word::Text(_) | Word::Tag(_) | Word::Fault | Word::Checked(_), _) => false,
            })
        })
    }

    /// Which graphemes of a text, from 0, are letters of the words; in order.
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
            let Word::Text(needle) = word else { continue };
            let wanted: Vec<char> = needle.folded.chars().collect();
            let at = small
                .windows(wanted.len().max(1))
                .position(|here| here == wanted);
            match at.and_then(|at| u32::try_from(at).ok()) {
                Some(at) => marks.extend((at..).take(wanted.len())),
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

impl Word {
    fn new(typed: &str) -> Option<Self> {
        let folded = folded(typed);
        if let Some(tag) = folded.strip_prefix('#') {
            return (!tag.is_empty()).then(|| Self::Tag(tag.to_owned()));
        }
        if folded == "is:fault" {
            return Some(Self::Fault);
        }
        if is_known(&folded) {
            return Some(Self::Checked(folded));
        }
        if is_begun(&folded) {
            return None;
        }
        let (case, accents) = (CaseMatching::Ignore, Normalization::Smart);
        Some(Self::Text(Box::new(Needle {
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
            Self::Fault | Self::Checked(_) => 0,
        }
    }
}

/// Whether a word in small letters is about what is known of a URL: `is:gone`, `gone>30d`, `is:new`.
pub(super) fn is_known(word: &str) -> bool {
    Checks::is_judged(word) || Watched::is_judged(word)
}

/// Whether more letters make such a word of it, or `is:fault`: until then it counts for nothing.
fn is_begun(word: &str) -> bool {
    const OTHERS: [&str; 2] = ["is:fault", "is:new"];
    let begins = |whole: &&str| whole.starts_with(word);
    word.starts_with("is:") && OTHERS.iter().any(begins) || Checks::is_begun(word)
}

impl Needle {
    /// What the word is worth where it stands in a folded text: at the start, as a word, as the start of one.
    pub(super) fn standing(&self, text: &str) -> Option<u32> {
        let places = self.finder.find_iter(text.as_bytes()).take(PLACES);
        let is_letter = |at: usize| {
            let octet = text.as_bytes().get(at);
            octet.is_some_and(|octet| octet.is_ascii_alphanumeric() || !octet.is_ascii())
        };
        let worth = places.map(|at| {
            let begins = at.checked_sub(1).is_none_or(|before| !is_letter(before));
            let ends = !is_letter(at + self.folded.len());
            u32::from(at == 0) * 40 + u32::from(begins) * 100 + u32::from(ends) * 50
        });
        // Of two that are as good, the shorter one is more of what was typed.
        let short = 100 - u32::try_from(text.len().min(100)).unwrap_or(100);
        worth.max().map(|worth| worth + short / 4)
    }

    /// Whether its letters are in a folded text in this order.
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
            .all(|wanted| letters.any(|letter| letter == wanted))
    }

    /// Whether its letters are in this order in one word of letters and digits of a folded text.
    pub(super) fn is_scattered(&self, text: &str) -> bool {
        if !self.folded.chars().all(char::is_alphanumeric) {
            return false;
        }
        if !self.folded.is_ascii() {
            let mut words = text.split(|letter: char| !letter.is_alphanumeric());
            return words.any(|word| self.is_in_order(word));
        }
        let wanted = self.folded.as_bytes();
        let mut left = wanted;
        for octet in text.bytes() {
            match left.split_first() {
                Some((letter, rest)) if octet == *letter => left = rest,
                Some(_) if octet.is_ascii_alphanumeric() || !octet.is_ascii() => {}
                Some(_) => left = wanted,
                None => break,
            }
        }
        left.is_empty()
    }
}

/// Small letters without accents.
fn folded(text: &str) -> String {
    chars::graphemes(text).map(small).collect()
}

fn small(letter: char) -> char {
    chars::to_lower_case(chars::normalize(letter))
}

/// The same of octets, put behind others.
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

/// The bit of each octet: those of ASCII letters, then digits, then the rest, some of which share a bit.
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

/// The letters of a folded text, a bit each.
pub(super) fn letters(text: &str) -> u64 {
    let bits = text
        .bytes()
        .filter_map(|octet| BITS.get(usize::from(octet)));
    bits.fold(0, |all, bit| all | bit)
}
