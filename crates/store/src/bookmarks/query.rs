//! Query for bookmarks: the words that the pane, `geomys bookmarks list` and `geomys bookmarks check` search for.
//!
//! ```text
//! query  = *( [ "-" ] ( word / phrase / "#" tag / "is:fault" / "is:duplicate" / "is:repeated" / state ) )
//! phrase = DQUOTE text DQUOTE                   ; text with its blanks
//! state  = "is:" name / name ">" age            ; is:dead, is:new, dead>30d
//! ```
//!
//! A word that begins with `is:` or is a comparison, and is none of these, is a [`QueryError`]: as a text it would
//! match nothing, and with a minus sign everything.
//!
//! All words must match, and those with a minus sign must not; case is ignored. [`Query::matching`] and [`Query::scan`]
//! find a word as a part of the title, of the URL without its password, of the folder path (`/` between the names), of
//! a tag with its `#`, or of a note. [`FuzzyIndex`] finds scattered letters, too, and the beginning of a tag; a phrase,
//! and a word with a minus sign, only as written. `is:duplicate` matches every bookmark whose URL another bookmark has,
//! too ([`Bookmarks::doubles`]), and `is:repeated` all of these but the first. Words about the state of a URL are
//! passed to the caller ([`StateMatcher`]).

mod exact;
mod folded;
mod fuzzy;
mod syntax;

pub use fuzzy::FuzzyIndex;
pub(super) use syntax::StateFilter;
pub use syntax::{QueryError, age_of};

use memchr::memmem::Finder;
use nucleo_matcher::{Config, Matcher, Utf32Str, chars};
use rfc1738::Url;

use self::folded::{FoldedWord, folded, letters, small};
pub(crate) use self::syntax::words;
use self::syntax::{Keyword, TypedWord, is_age_word};
use super::Bookmarks;

/// Matcher of a state word, such as `is:dead` and `dead>30d`, against a URL; the URL is `None` if it has a fault, and
/// so has no state.
pub type StateMatcher<'a> = dyn Fn(&str, Option<&Url>) -> bool + Send + Sync + 'a;

/// Query for bookmarks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    words: Vec<QueryWord>,
}

#[derive(Clone, Debug)]
struct QueryWord {
    /// Word in lower case, for an exact search.
    lower: String,
    finder: Finder<'static>,
    kind: WordKind,
    /// True if the bookmarks that match the word are left out.
    is_negated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum WordKind {
    /// Text, matched exactly or by scattered letters.
    Text(Box<FoldedWord>),
    /// Beginning of a tag, in lower case.
    Tag(String),
    /// A word with a meaning of its own.
    Keyword(Keyword),
}

impl PartialEq for QueryWord {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.is_negated == other.is_negated
    }
}

impl Eq for QueryWord {}

impl Query {
    /// Parses a query that is being typed: the beginning of a tag or of a state word (`#`, `is:de`) is ignored.
    ///
    /// # Errors
    /// A [`QueryError`] for a word that no more letters can make a known one.
    pub fn new(typed: &str) -> Result<Self, QueryError> {
        Self::of_words(words(typed).filter(|word| !is_beginning(word)))
    }

    /// Parses a complete query, as on a command line: there `#` is text.
    ///
    /// # Errors
    /// A [`QueryError`] for an unknown word.
    pub fn complete(text: &str) -> Result<Self, QueryError> {
        Self::of_words(words(text))
    }

    fn of_words<'a>(words: impl Iterator<Item = TypedWord<'a>>) -> Result<Self, QueryError> {
        Ok(Self {
            words: words.map(QueryWord::new).collect::<Result<_, _>>()?,
        })
    }

    /// Returns true if the query has no words, and so matches everything.
    pub fn is_blank(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns true if the query needs the states of link checks or watched pages.
    pub fn needs_states(&self) -> bool {
        self.has(|keyword| matches!(keyword, Keyword::State(_)))
    }

    /// Returns true if a word compares an age, which the clock decides: see
    /// [`Checks::confirm`](super::checks::Checks::confirm).
    pub fn has_age(&self) -> bool {
        self.has(|keyword| matches!(keyword, Keyword::State(word) if is_age_word(word)))
    }

    /// Returns true if one of the words is a keyword that `is_that` accepts.
    fn has(&self, is_that: impl Fn(&Keyword) -> bool) -> bool {
        let mut words = self.words.iter();
        words.any(|word| matches!(&word.kind, WordKind::Keyword(keyword) if is_that(keyword)))
    }

    /// Returns what `of` makes of the index of each duplicate bookmark; nothing if the query does not need them.
    fn copies<T: Ord>(
        &self,
        file: impl FnOnce() -> Bookmarks,
        of: impl Fn(&Bookmarks, usize) -> T,
    ) -> Copies<T> {
        if !self.has(|keyword| matches!(keyword, Keyword::Duplicate | Keyword::Repeated)) {
            return Copies::default();
        }
        let file = file();
        let mut copies = Copies::default();
        for same in file.doubles() {
            let mut same = same.into_iter().map(|index| of(&file, index));
            copies.first.extend(same.next());
            copies.repeated.extend(same);
        }
        copies.first.sort_unstable();
        copies.repeated.sort_unstable();
        copies
    }

    /// Returns true if this query can only match results of an earlier query: it is the same query with more typed.
    pub fn narrows(&self, earlier: &Self) -> bool {
        let narrows = |word: &QueryWord, earlier: &QueryWord| match (&word.kind, &earlier.kind) {
            // A longer word leaves fewer out.
            _ if word.is_negated || earlier.is_negated => word == earlier,
            (WordKind::Text(word), WordKind::Text(earlier)) => {
                word.folded.starts_with(&earlier.folded) && (word.is_exact || !earlier.is_exact)
            }
            (WordKind::Tag(word), WordKind::Tag(earlier)) => word.starts_with(earlier),
            (word, earlier) => word == earlier,
        };
        let mut earlier = earlier.words.iter();
        earlier.all(|earlier| self.words.iter().any(|word| narrows(word, earlier)))
    }

    /// Returns the positions of the graphemes of a text, from 0, that match letters of the words; in order.
    pub fn marks(&self, text: &str) -> Vec<usize> {
        let mut marks: Vec<u32> = Vec::new();
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut letters = Vec::new();
        let small: Vec<char> = chars::graphemes(text).map(small).collect();
        let text = Utf32Str::new(text, &mut letters);
        for word in self.words.iter().filter(|word| !word.is_negated) {
            let WordKind::Text(needle) = &word.kind else {
                continue;
            };
            let letters_of_word: Vec<char> = needle.folded.chars().collect();
            let at = small
                .windows(letters_of_word.len().max(1))
                .position(|here| here == letters_of_word);
            match at.and_then(|at| u32::try_from(at).ok()) {
                Some(at) => marks.extend((at..).take(letters_of_word.len())),
                None if needle.is_exact => {}
                None => {
                    needle.atom.indices(text, &mut matcher, &mut marks);
                }
            }
        }
        marks.sort_unstable();
        marks.dedup();
        let marks = marks.into_iter();
        marks
            .filter_map(|mark| usize::try_from(mark).ok())
            .collect()
    }
}

/// Bookmarks with the URL of another one, in order; empty if no word of the query needs them.
struct Copies<T> {
    /// The first one of each URL.
    first: Vec<T>,
    /// The others.
    repeated: Vec<T>,
}

impl<T> Default for Copies<T> {
    fn default() -> Self {
        Self {
            first: Vec::new(),
            repeated: Vec::new(),
        }
    }
}

impl<T: Ord> Copies<T> {
    fn is_repeated(&self, bookmark: &T) -> bool {
        self.repeated.binary_search(bookmark).is_ok()
    }

    fn is_duplicate(&self, bookmark: &T) -> bool {
        self.is_repeated(bookmark) || self.first.binary_search(bookmark).is_ok()
    }
}

impl QueryWord {
    fn new(typed: TypedWord<'_>) -> Result<Self, QueryError> {
        let lower = typed.text.to_lowercase();
        let folded = folded(typed.text);
        let is_exact = typed.is_phrase || typed.is_negated;
        let kind = match folded.strip_prefix('#') {
            _ if typed.is_phrase => WordKind::Text(Box::new(FoldedWord::new(folded, is_exact))),
            Some(tag) if !tag.is_empty() => WordKind::Tag(tag.to_owned()),
            _ => match Keyword::parse(&folded)? {
                Some(keyword) => WordKind::Keyword(keyword),
                None => WordKind::Text(Box::new(FoldedWord::new(folded, is_exact))),
            },
        };
        Ok(Self {
            finder: Finder::new(&lower).into_owned(),
            lower,
            kind,
            is_negated: typed.is_negated,
        })
    }

    /// Returns the letters that a matching bookmark has.
    fn letters(&self) -> u64 {
        match &self.kind {
            _ if self.is_negated => 0,
            WordKind::Text(needle) => needle.letters,
            WordKind::Tag(tag) => letters(tag),
            WordKind::Keyword(_) => 0,
        }
    }
}

/// Returns true if a word is only the beginning of a tag or of a keyword.
fn is_beginning(word: &TypedWord<'_>) -> bool {
    if word.is_phrase {
        return false;
    }
    let word = folded(word.text);
    word == "#" || word == "-" || syntax::is_beginning(&word)
}
