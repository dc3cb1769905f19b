//! Syntax of a query: words, phrases in quotation marks, a minus sign before what must not match, and words with a
//! meaning of their own about the stored state of a URL: `is:dead`, `is:unchecked`, `dead>30d`.

use std::fmt;

use jiff::SignedDuration;

use crate::bookmarks::watch::WatchedPages;

/// Word of a query as typed, without its minus sign and quotation marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TypedWord<'a> {
    pub(crate) text: &'a str,
    /// The position of the text in the query, in octets.
    pub(crate) at: usize,
    /// True after a minus sign: the word must not match.
    pub(crate) is_negated: bool,
    /// True in quotation marks: text with its blanks, never a tag or a state.
    pub(crate) is_phrase: bool,
}

/// Iterates over the words of a query. A phrase without its second quotation mark ends with the query, as it is being
/// typed; an empty phrase is no word. A minus sign alone is a word.
pub(crate) fn words(query: &str) -> impl Iterator<Item = TypedWord<'_>> {
    let mut rest = query;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                return None;
            }
            let positive = rest.strip_prefix('-');
            let positive =
                positive.filter(|word| !word.is_empty() && !word.starts_with(char::is_whitespace));
            let word = positive.unwrap_or(rest);
            let is_negated = positive.is_some();
            if let Some(phrase) = word.strip_prefix('"') {
                let (text, below) = phrase.split_once('"').unwrap_or((phrase, ""));
                let at = query.len() - phrase.len() + text.len() - text.trim_start().len();
                rest = below;
                let text = text.trim();
                if text.is_empty() {
                    continue;
                }
                return Some(TypedWord {
                    text,
                    at,
                    is_negated,
                    is_phrase: true,
                });
            }
            let end = word.find(char::is_whitespace).unwrap_or(word.len());
            let (text, below) = word.split_at(end);
            rest = below;
            return Some(TypedWord {
                text,
                at: query.len() - word.len(),
                is_negated,
                is_phrase: false,
            });
        }
    })
}

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

/// Returns true if a word compares something, as `dead<30d`; with another sign, only a state with a number. A sign in a
/// URL or before a name, as in `<URL:`, compares nothing.
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

/// State that a filter word selects.
pub(in crate::bookmarks) enum StateFilter {
    /// No stored state.
    Unchecked,
    /// [`LinkStatus`](geomys_load::check::LinkStatus) of this name, perhaps for longer than a time.
    State(&'static str, Option<SignedDuration>),
}

impl StateFilter {
    pub(in crate::bookmarks) fn of(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        if let Some(name) = word.strip_prefix("is:") {
            return match name {
                "unchecked" => Some(Self::Unchecked),
                name => Some(Self::State(dated_state(name)?, None)),
            };
        }
        let (name, age) = word.split_once('>')?;
        Some(Self::State(dated_state(name)?, Some(age_of(age)?)))
    }
}

/// Returns true if [`Checks::matches`](crate::bookmarks::checks::Checks::matches) understands the filter word.
fn is_state_word(word: &str) -> bool {
    StateFilter::of(word).is_some()
}

/// Returns true if the filter word compares an age.
pub(super) fn is_age_word(word: &str) -> bool {
    matches!(StateFilter::of(word), Some(StateFilter::State(_, Some(_))))
}

/// Names of the states that can be compared with an age.
const DATED_STATES: [&str; 5] = ["alive", "dead", "moved", "refused", "unreachable"];

/// Returns the one of [`DATED_STATES`] that a word is.
fn dated_state(word: &str) -> Option<&'static str> {
    DATED_STATES.into_iter().find(|state| *state == word)
}

/// Parses a time span: `30d`, `12h`, `2w`; digits alone are days.
pub fn age_of(text: &str) -> Option<SignedDuration> {
    let (digits, hours) = match text.strip_suffix(['h', 'd', 'w']) {
        Some(digits) if text.ends_with('h') => (digits, 1),
        Some(digits) if text.ends_with('w') => (digits, 7 * 24),
        Some(digits) => (digits, 24),
        None => (text, 24),
    };
    // 65535 days are longer than the net has existed.
    let count = digits.parse::<u16>().ok()?;
    Some(SignedDuration::from_hours(i64::from(count) * hours))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(query: &str) -> Vec<(String, bool, bool)> {
        let words = words(query).map(|word| {
            let at = query.get(word.at..).unwrap();
            assert!(at.starts_with(word.text), "{query}");
            (word.text.to_owned(), word.is_negated, word.is_phrase)
        });
        words.collect()
    }

    #[test]
    fn words_phrases_and_minus_signs_are_split() {
        let word = |text: &str, negated, phrase| (text.to_owned(), negated, phrase);
        for (query, expected) in [
            ("", vec![]),
            (
                " a  b ",
                vec![word("a", false, false), word("b", false, false)],
            ),
            ("-a", vec![word("a", true, false)]),
            (
                "- a",
                vec![word("-", false, false), word("a", false, false)],
            ),
            ("--a", vec![word("-a", true, false)]),
            (
                "\"a  b\"c",
                vec![word("a  b", false, true), word("c", false, false)],
            ),
            ("-\"a b\"", vec![word("a b", true, true)]),
            ("\"a b", vec![word("a b", false, true)]),
            ("\"-a\" -\"\" \"", vec![word("-a", false, true)]),
            (
                "a\"b c\"",
                vec![word("a\"b", false, false), word("c\"", false, false)],
            ),
        ] {
            assert_eq!(split(query), expected, "{query}");
        }
    }
}
