//! Syntax of a query: words, phrases in quotation marks, and a minus sign before what must not match.

use std::fmt;

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

impl TypedWord<'_> {
    /// Returns true for the `OR` between two words.
    pub(crate) fn is_or(&self) -> bool {
        self.text == "OR" && !self.is_phrase && !self.is_negated
    }
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
            let (text, below) = word.split_at(end_of(word));
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

/// Returns the end of the word at the start of a query. Quotation marks after a colon hold the value together:
/// `folder:"Old hosts"`.
fn end_of(query: &str) -> usize {
    let end = query.find(char::is_whitespace).unwrap_or(query.len());
    // Only the word is searched: a query of many words would be searched once for each of them.
    let quoted = query.get(..end).and_then(|word| word.find(":\""));
    let closing = quoted.and_then(|colon| {
        let value = colon + 2;
        let value_end = query.get(value..)?.find('"')?;
        Some(value + value_end + 1)
    });
    match (quoted, closing) {
        (Some(_), closing) => closing.unwrap_or(query.len()),
        (None, _) => end,
    }
}

/// Error of a query. A word that is not known comes with the words that are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryError {
    /// A word that begins with `is:`, with an unknown name; and the known ones.
    UnknownWord(String, String),
    /// A word with a sign of comparison that does not compare a state with an age; and the known ones.
    InvalidComparison(String, String),
    /// A name such as `host:` without a value.
    NoValue(&'static str),
    /// A name such as `since:`, something else than an age or a date, and what is known.
    NoPeriod(&'static str, String, &'static str),
    /// A pattern between slashes that is no regular expression, and why.
    Pattern(String),
    /// `OR` without a word before or after it.
    Or,
}

impl QueryError {
    /// Returns the fault alone, for one line.
    pub fn fault(&self) -> String {
        match self {
            Self::UnknownWord(word, _) => format!("unknown word “{word}”"),
            Self::InvalidComparison(word, _) => format!("invalid comparison “{word}”"),
            Self::NoValue(name) => format!("nothing after “{name}”"),
            Self::NoPeriod(name, value, _) => format!("unknown time “{name}{value}”"),
            Self::Pattern(why) => format!("invalid pattern: {why}"),
            Self::Or => "“OR” without a word on both sides".to_owned(),
        }
    }

    /// Returns the words that can be used instead.
    pub fn advice(&self) -> String {
        match self {
            Self::UnknownWord(_, known) => format!("known are {known}"),
            Self::InvalidComparison(_, known) => format!(
                "known are {known}, with an age like 30d, 12h, 2w or 1y; quotation marks search for it as text"
            ),
            Self::NoPeriod(name, _, known) => format!("{name} takes {known}"),
            Self::NoValue(_) | Self::Pattern(_) | Self::Or => {
                "quotation marks search for it as text".to_owned()
            }
        }
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.fault(), self.advice())
    }
}

impl std::error::Error for QueryError {}

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
            (
                "folder:\"b c\" d",
                vec![
                    word("folder:\"b c\"", false, false),
                    word("d", false, false),
                ],
            ),
            ("folder:\"b c", vec![word("folder:\"b c", false, false)]),
        ] {
            assert_eq!(split(query), expected, "{query}");
        }
    }
}
