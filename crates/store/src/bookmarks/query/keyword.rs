//! Words of a query with a meaning of their own, such as `is:dead` and `dead>30d`, and the error for one that has none.

use std::fmt;

use crate::bookmarks::checks::{DATED_STATES, is_state_word};
use crate::bookmarks::watch::WatchedPages;

/// The start of a word about the state of a bookmark.
const IS: &str = "is:";

/// The names that may follow [`IS`].
const NAMES: [&str; 10] = [
    "alive",
    "dead",
    "duplicate",
    "fault",
    "moved",
    "new",
    "refused",
    "repeated",
    "unchecked",
    "unreachable",
];

/// Word of a query with a meaning of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    /// A URL with a fault.
    Fault,
    /// A URL that another bookmark has, too.
    Duplicate,
    /// A URL that a bookmark above has, too.
    Repeated,
    /// State from a link check or a watched page.
    State(String),
}

impl Keyword {
    /// Parses a folded word; `None` if it is text.
    pub(super) fn parse(word: &str) -> Result<Option<Self>, QueryError> {
        Ok(Some(match word {
            "is:fault" => Self::Fault,
            "is:duplicate" => Self::Duplicate,
            "is:repeated" => Self::Repeated,
            state if is_state_word(state) || WatchedPages::is_state_word(state) => {
                Self::State(state.to_owned())
            }
            // A second minus sign negates nothing.
            word if word.trim_start_matches(['-', '!', '+']).starts_with(IS) => {
                return Err(QueryError::UnknownWord(word.to_owned()));
            }
            word if is_comparison(word) => {
                return Err(QueryError::InvalidComparison(word.to_owned()));
            }
            _ => return Ok(None),
        }))
    }
}

/// Returns true if a word compares something, as `dead<30d`; with another sign, only a state with a number. A sign in a URL or
/// before a name, as in `<URL:`, compares nothing.
fn is_comparison(word: &str) -> bool {
    if let Some((name, age)) = word.split_once(['<', '>']) {
        let is_tag = word.starts_with('<') && age.starts_with(char::is_alphabetic);
        let is_markup = name.is_empty() && (age.is_empty() || is_tag);
        return !is_markup && !name.contains(['/', ':', '?', '@']);
    }
    word.split_once(['=', ':']).is_some_and(|(name, age)| {
        let age = age.trim_start_matches('=');
        let is_number = age.starts_with(|letter: char| letter.is_ascii_digit());
        is_number && DATED_STATES.contains(&name.trim_start_matches('-'))
    })
}

/// Returns true if more letters can complete a folded word to a keyword: `is:`, `is:de`, `dead>`.
pub(super) fn is_beginning(word: &str) -> bool {
    match (word.strip_prefix(IS), word.strip_suffix('>')) {
        (Some(name), _) => NAMES
            .iter()
            .any(|whole| *whole != name && whole.starts_with(name)),
        (None, Some(name)) => DATED_STATES.contains(&name),
        (None, None) => false,
    }
}

/// Error of a query: a word that looks like a keyword and is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryError {
    /// A word that begins with `is:`, with an unknown name.
    UnknownWord(String),
    /// A word with a sign of comparison that does not compare a state with an age.
    InvalidComparison(String),
}

impl QueryError {
    /// Returns the fault alone, for one line.
    pub fn fault(&self) -> String {
        match self {
            Self::UnknownWord(word) => format!("unknown word “{word}”"),
            Self::InvalidComparison(word) => format!("invalid comparison “{word}”"),
        }
    }

    /// Returns the words that can be used instead.
    pub fn advice(&self) -> String {
        match self {
            Self::UnknownWord(_) => format!("known are {IS}{}", NAMES.join(&format!(", {IS}"))),
            Self::InvalidComparison(_) => format!(
                "known are {}>AGE, with an age like 30d, 12h or 2w; quotation marks search for it as text",
                DATED_STATES.join(">AGE, ")
            ),
        }
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.fault(), self.advice())
    }
}

impl std::error::Error for QueryError {}
