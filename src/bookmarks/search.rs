//! Word search in bookmarks: for `geomys bookmarks list QUERY` and `geomys bookmarks check QUERY`.

use memchr::memmem::Finder;

use super::Bookmarks;
use super::line::{LineParts, split, trim_end};
use super::query::is_state_word;
use super::scan::{ScannedBookmark, scan};
use crate::text::Text;
use crate::url::{Url, mask, may_hold_secret};

/// Matcher of a state word, such as `is:gone` and `gone>30d`, against a URL; the URL is `None` if it has a fault, and so has no
/// state.
pub type StateMatcher<'a> = dyn Fn(&str, Option<&Url>) -> bool + Send + Sync + 'a;

/// Query of words that must all match: as a part of the title, of the URL without its password, of the folder path (`/` between
/// the names), of a tag with its `#`, or of a note; case is ignored. `is:fault` matches a URL with a fault; words about the
/// state of a URL are passed to the caller ([`StateMatcher`]).
#[derive(Clone, Debug)]
pub struct WordQuery {
    words: Vec<SearchWord>,
}

#[derive(Clone, Debug)]
enum SearchWord {
    /// Text in lower case, with its finder.
    Part(String, Box<Finder<'static>>),
    /// A URL with a fault.
    Fault,
    /// State from a link check or a watched page.
    State(String),
}

impl SearchWord {
    /// Returns true if plain lines in lower case cannot contain the word.
    fn is_missing(&self, lines: &[u8]) -> bool {
        match self {
            Self::Part(word, finder) => !may_be_mask(word) && finder.find(lines).is_none(),
            Self::Fault | Self::State(_) => false,
        }
    }
}

/// Returns true if a word may match the mask of a password, which is not in the line itself.
fn may_be_mask(word: &str) -> bool {
    word.contains('*')
}

impl WordQuery {
    /// Parses the arguments of a command line; an argument with blanks is several words.
    pub fn new(arguments: &[String]) -> Self {
        let words = arguments
            .iter()
            .flat_map(|argument| argument.split_whitespace());
        let words = words.map(|word| {
            let word = word.to_lowercase();
            if word == "is:fault" {
                SearchWord::Fault
            } else if is_state_word(&word) {
                SearchWord::State(word)
            } else {
                let finder = Finder::new(&word).into_owned();
                SearchWord::Part(word, Box::new(finder))
            }
        });
        Self {
            words: words.collect(),
        }
    }

    /// Returns true if the query needs the states of link checks or watched pages.
    pub fn needs_states(&self) -> bool {
        self.words
            .iter()
            .any(|word| matches!(word, SearchWord::State(_)))
    }

    /// Creates a matcher for the bookmarks of one folder after the other.
    pub(super) fn matcher(&self) -> WordMatcher<'_> {
        WordMatcher {
            words: &self.words,
            in_folder: Vec::new(),
            lines: Vec::new(),
        }
    }
}

/// Matcher of words.
pub(super) struct WordMatcher<'a> {
    words: &'a [SearchWord],
    /// For each word, true if it is in the path of the folder.
    in_folder: Vec<bool>,
    /// Lines of the current bookmark, in lower case.
    lines: Vec<u8>,
}

impl WordMatcher<'_> {
    /// Sets the folder of the next bookmarks.
    pub(super) fn enter(&mut self, folder: &[String]) {
        let path = folder.join("/").to_lowercase();
        let held = self.words.iter().map(|word| match word {
            SearchWord::Part(word, _) => path.contains(word),
            SearchWord::Fault | SearchWord::State(_) => false,
        });
        self.in_folder.clear();
        self.in_folder.extend(held);
    }

    /// Returns true if a bookmark matches all words.
    pub(super) fn matches(
        &mut self,
        bookmark: &ScannedBookmark<'_>,
        matches_state: &StateMatcher<'_>,
    ) -> bool {
        if self.words.is_empty() {
            return true;
        }
        self.lines.clear();
        self.lines.extend_from_slice(bookmark.lines);
        self.lines.make_ascii_lowercase();
        let is_plain = is_plain(&self.lines);
        let held = || self.words.iter().zip(&self.in_folder);
        // A fast test excludes most bookmarks: the octets of a word are missing. The exact part is checked later.
        let mut parts = held().filter(|(_, in_folder)| is_plain && !**in_folder);
        if parts.any(|(word, _)| word.is_missing(&self.lines)) {
            return false;
        }
        let mut url = None;
        held().all(|(word, in_folder)| match word {
            SearchWord::Part(word, finder) if is_plain && !may_be_mask(word) => {
                *in_folder || in_plain(&self.lines, finder)
            }
            SearchWord::Part(word, _) => *in_folder || in_any(bookmark, word),
            SearchWord::Fault => url.get_or_insert_with(|| bookmark.url().ok()).is_none(),
            SearchWord::State(word) => {
                let url = url.get_or_insert_with(|| bookmark.url().ok());
                matches_state(word, url.as_ref())
            }
        })
    }
}

impl Bookmarks {
    /// Returns the indices of the bookmarks that match all words, in the order of the file.
    pub fn matching(&self, words: &WordQuery, matches_state: &StateMatcher<'_>) -> Vec<usize> {
        let take =
            |bookmark: &ScannedBookmark<'_>, lines: &mut Vec<usize>| lines.push(bookmark.line);
        let lines = scan(self.octets(), words, matches_state, &take).into_iter();
        let items = lines.flatten().filter_map(|line| self.on_line(line));
        items.map(|item| item.index()).collect()
    }
}

/// Returns true if octets equal their text. A CR in the middle of a line has no text, and so does not split a word.
fn is_plain(lines: &[u8]) -> bool {
    // Without an early exit this loop is vectorized.
    let is_shown = lines.iter().fold(true, |plain, octet| {
        plain & matches!(octet, b' '..=b'~' | b'\t' | b'\r' | b'\n')
    });
    is_shown && memchr::memchr_iter(b'\r', lines).all(|at| lines.get(at + 1) == Some(&b'\n'))
}

/// Returns true if a part of a bookmark's lines, plain and in lower case, contains a word. The mask of a password is not in the
/// lines, and not in the word.
fn in_plain(lines: &[u8], word: &Finder<'_>) -> bool {
    let holds = |octets: &[u8]| word.find(octets).is_some();
    let mut lines = split(lines);
    let Some(parts) = lines.next().and_then(|line| LineParts::of(trim_end(line))) else {
        return false;
    };
    let in_url = || {
        let url = parts.url();
        if !holds(url) || !may_hold_secret(url) {
            return holds(url);
        }
        str::from_utf8(url).is_ok_and(|url| holds(mask(url).as_bytes()))
    };
    holds(parts.before)
        || in_url()
        || parts.marked().any(holds)
        || lines.any(|note| holds(trim_end(note)))
}

/// Returns true if a part of any bookmark contains a word.
fn in_any(bookmark: &ScannedBookmark<'_>, word: &str) -> bool {
    let holds = |text: &str| text.to_lowercase().contains(word);
    holds(bookmark.title().as_str())
        || holds(&mask(bookmark.url_text().as_str()))
        || bookmark.tags().iter().any(|tag| holds(&format!("#{tag}")))
        || bookmark.notes().iter().map(Text::as_str).any(holds)
}
