//! Query for bookmarks: the words that the pane, `geomys bookmarks list` and `geomys bookmarks check` search for.
//!
//! ```text
//! query  = group *( SP group )
//! group  = item *( SP "OR" SP item )            ; OR binds closer than the blank
//! item   = [ "-" ] ( word / phrase / "#" tag / keyword )
//! phrase = DQUOTE text DQUOTE                   ; text with its blanks
//! ```
//!
//! `keyword` has the words with a meaning of their own. A word that begins with `is:` or is a comparison, and is none
//! of these, is a [`QueryError`]: as a text it would match nothing, and with a minus sign everything.
//!
//! Of each group one item must match; what has a minus sign matches where the word does not. Case is ignored.
//! [`Query::scan`] finds a word as a part of the title, of the URL without its password, of the folder path (`/`
//! between the names), of a tag with its `#`, or of a note. [`FuzzyIndex`] finds scattered letters, too, and the
//! beginning of a tag; a phrase, and a word with a minus sign, only as written.

mod exact;
mod folded;
mod fuzzy;
mod keyword;
mod period;
mod syntax;

pub use fuzzy::FuzzyIndex;
pub use keyword::completions;
pub(super) use keyword::{DateFilter, StateFilter};
pub(crate) use keyword::{HostWord, node_of};
pub use period::age_of;
pub(crate) use period::{PERIODS, period_of};
pub use syntax::QueryError;

use memchr::memmem::Finder;
use nucleo_matcher::{Config, Matcher, Utf32Str, chars};
use rfc1738::Url;

use self::folded::{FoldedWord, folded, letters, small};
use self::keyword::{Keyword, Likeness};
use self::syntax::TypedWord;
pub(crate) use self::syntax::words;
use super::Bookmarks;

/// Matcher of a state word, such as `is:dead`, `dead>30d` and `since:2019`, against a URL or its repair; `None` for a
/// fault without a repair, which has no state.
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
    /// The position of the word in the query, from 0.
    number: usize,
    place: GroupPlace,
}

/// The place of a word among words with `OR` between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GroupPlace {
    /// There is no `OR` beside it.
    Alone,
    /// The first of several.
    First,
    /// After an `OR`.
    Other,
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
        let own = (&self.kind, self.is_negated, self.place);
        own == (&other.kind, other.is_negated, other.place)
    }
}

impl Eq for QueryWord {}

impl Query {
    /// Parses a query that is being typed: the beginning of a tag or of a keyword (`#`, `is:de`), and an `OR` at the
    /// end, are ignored.
    ///
    /// # Errors
    /// A [`QueryError`] for a word that no more letters can make a known one.
    pub fn new(typed: &str) -> Result<Self, QueryError> {
        let mut words: Vec<TypedWord<'_>> =
            words(typed).filter(|word| !is_beginning(word)).collect();
        while words.pop_if(|word| word.is_or()).is_some() {}
        Self::of_words(words.into_iter())
    }

    /// Parses a complete query, as on a command line: there `#` is text.
    ///
    /// # Errors
    /// A [`QueryError`] for an unknown word.
    pub fn complete(text: &str) -> Result<Self, QueryError> {
        Self::of_words(words(text))
    }

    fn of_words<'a>(typed: impl Iterator<Item = TypedWord<'a>>) -> Result<Self, QueryError> {
        let mut words: Vec<QueryWord> = Vec::new();
        let mut is_after_or = false;
        for typed in typed {
            if typed.is_or() {
                let before = words.last_mut().filter(|_| !is_after_or);
                let before = before.ok_or(QueryError::Or)?;
                if before.place == GroupPlace::Alone {
                    before.place = GroupPlace::First;
                }
                is_after_or = true;
                continue;
            }
            let place = if is_after_or {
                GroupPlace::Other
            } else {
                GroupPlace::Alone
            };
            is_after_or = false;
            words.push(QueryWord::new(typed, words.len(), place)?);
        }
        if is_after_or {
            return Err(QueryError::Or);
        }
        Ok(Self { words })
    }

    /// Iterates over the groups of words of which one must match.
    fn groups(&self) -> impl DoubleEndedIterator<Item = &[QueryWord]> {
        self.words
            .chunk_by(|_, next| next.place == GroupPlace::Other)
    }

    /// Returns true if the query has no words, and so matches everything.
    pub fn is_blank(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns true if the query is more than words and phrases to be found: it has a keyword, a tag, an `OR`, or a
    /// word with a minus sign.
    pub fn has_syntax(&self) -> bool {
        let is_word =
            |word: &QueryWord| matches!(word.kind, WordKind::Text(_)) && word.is_required();
        !self.words.iter().all(is_word)
    }

    /// Returns true if the query needs the states of link checks or watched pages.
    pub fn needs_states(&self) -> bool {
        self.has(|keyword| matches!(keyword, Keyword::State(_)))
    }

    /// Returns true if one of the words is a keyword that `is_that` accepts.
    fn has(&self, is_that: impl Fn(&Keyword) -> bool) -> bool {
        let mut words = self.words.iter();
        words.any(|word| matches!(&word.kind, WordKind::Keyword(keyword) if is_that(keyword)))
    }

    /// Returns what `of` makes of the index of each bookmark that another one is like; nothing if the query does not
    /// need them.
    fn copies<T: Ord>(
        &self,
        file: impl FnOnce() -> Bookmarks,
        of: impl Fn(&Bookmarks, usize) -> T,
    ) -> Copies<T> {
        let needs_copies =
            self.has(|keyword| matches!(keyword, Keyword::Duplicate | Keyword::Repeated));
        let needs_similar = self.has(|keyword| matches!(keyword, Keyword::Similar));
        let mut copies = Copies::default();
        if !needs_copies && !needs_similar {
            return copies;
        }
        let file = file();
        if needs_copies {
            for same in file.doubles() {
                let mut same = same.into_iter().map(|index| of(&file, index));
                copies.first.extend(same.next());
                copies.repeated.extend(same);
            }
        }
        if needs_similar {
            let similar = file.similar().into_iter().flatten();
            copies.similar.extend(similar.map(|index| of(&file, index)));
        }
        copies.first.sort_unstable();
        copies.repeated.sort_unstable();
        copies.similar.sort_unstable();
        copies
    }

    /// Returns true if this query can only match results of an earlier query: it is the same query with more typed.
    pub fn narrows(&self, earlier: &Self) -> bool {
        let narrows = |word: &QueryWord, earlier: &QueryWord| match (&word.kind, &earlier.kind) {
            // A longer word leaves fewer out.
            _ if !word.is_required() || !earlier.is_required() => word == earlier,
            (WordKind::Text(word), WordKind::Text(earlier)) => {
                word.folded.starts_with(&earlier.folded) && (word.is_exact || !earlier.is_exact)
            }
            (WordKind::Tag(word), WordKind::Tag(earlier)) => word.starts_with(earlier),
            (word, earlier) => word == earlier,
        };
        let has_or = |query: &Self| {
            query
                .words
                .iter()
                .any(|word| word.place != GroupPlace::Alone)
        };
        if has_or(self) || has_or(earlier) {
            return self == earlier;
        }
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

/// Bookmarks that another one is like, in order; empty if no word of the query needs them.
struct Copies<T> {
    /// The first one of each URL.
    first: Vec<T>,
    /// The others.
    repeated: Vec<T>,
    /// Those of perhaps one page.
    similar: Vec<T>,
}

impl<T> Default for Copies<T> {
    fn default() -> Self {
        Self {
            first: Vec::new(),
            repeated: Vec::new(),
            similar: Vec::new(),
        }
    }
}

impl<T: Ord> Copies<T> {
    /// Returns what other bookmarks have in common with one.
    fn of(&self, bookmark: &T) -> Likeness {
        let is_in = |list: &[T]| list.binary_search(bookmark).is_ok();
        let is_repeated = is_in(&self.repeated);
        Likeness {
            is_repeated,
            is_duplicate: is_repeated || is_in(&self.first),
            is_similar: is_in(&self.similar),
        }
    }
}

impl QueryWord {
    fn new(typed: TypedWord<'_>, number: usize, place: GroupPlace) -> Result<Self, QueryError> {
        let lower = typed.text.to_lowercase();
        let folded = folded(typed.text);
        let is_exact = typed.is_phrase || typed.is_negated;
        let kind = match folded.strip_prefix('#') {
            _ if typed.is_phrase => WordKind::Text(Box::new(FoldedWord::new(folded, is_exact))),
            Some(tag) if !tag.is_empty() => WordKind::Tag(tag.to_owned()),
            _ => match Keyword::parse(typed)? {
                Some(keyword) => WordKind::Keyword(keyword),
                None => WordKind::Text(Box::new(FoldedWord::new(folded, is_exact))),
            },
        };
        Ok(Self {
            finder: Finder::new(&lower).into_owned(),
            lower,
            kind,
            is_negated: typed.is_negated,
            number,
            place,
        })
    }

    /// Returns true if each match has the word.
    fn is_required(&self) -> bool {
        !self.is_negated && self.place == GroupPlace::Alone
    }

    /// Returns the letters that a matching bookmark has.
    fn letters(&self) -> u64 {
        match &self.kind {
            _ if !self.is_required() => 0,
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
    word == "#" || word == "-" || keyword::is_beginning(&word)
}
