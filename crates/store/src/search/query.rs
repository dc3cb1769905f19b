//! The query of a search.
//!
//! ```text
//! query     = item *( SP item )
//! item      = [ "-" ] ( word / DQUOTE phrase DQUOTE / condition )   ; as in the queries for bookmarks
//! condition = "in:" kind / "host:" name / "url:" text / ( "since:" / "until:" ) ( age / date )
//! kind      = "news" / "web" / scheme
//! ```
//!
//! Ages and dates are those of the queries for bookmarks. Conditions of one name are alternatives. Another name before
//! a colon is a mistake, unless it is a scheme, as in a URL; in quotation marks it is text.

use std::ops::Range;

use geomys_page::document::find::SearchWords;
use geomys_wire::text::{self, Text};
use jiff::Timestamp;
use rfc1738::{ExtensionScheme, Scheme, Url};

use crate::bookmarks::{HostWord, PERIODS, period_of, words};

/// A query: words and phrases, and conditions for the copies that are searched.
#[derive(Clone, Debug)]
pub struct SearchQuery {
    /// The words that a page must have.
    pub wanted: SearchWords,
    /// The words that it must not have.
    pub(super) excluded: SearchWords,
    /// The conditions that it must meet, and those that it must not.
    conditions: Vec<Condition>,
    exceptions: Vec<Condition>,
}

/// A condition for a copy.
#[derive(Clone, Debug)]
enum Condition {
    /// The scheme of the page, or the kind of its scheme.
    Kind(String),
    /// The host of the page, or a host above it.
    Host(HostWord),
    /// A part of the URL of the page, in lower case.
    Url(String),
    /// The earliest time at which it came.
    Since(Timestamp),
    /// The time before which it came.
    Until(Timestamp),
}

/// An error in a query, with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct QueryError {
    /// What is wrong.
    pub fault: QueryFault,
    /// The part of the query that is wrong, in octets; the end of the query if something is missing.
    pub at: Range<usize>,
}

/// What is wrong with a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryFault {
    /// There is nothing to search for.
    #[error("a search needs a word without \"-\"")]
    NoWord,
    /// The name of a condition is unknown.
    #[error("unknown \"{0}:\"; known are in:, host:, url:, since: and until:; quote it as text")]
    Condition(String),
    /// The kind is no scheme.
    #[error("\"in:\" takes news, web or a scheme, not \"{0}\"")]
    Kind(String),
    /// The host is empty.
    #[error("\"host:\" needs a name")]
    Host,
    /// The time is neither an age nor a date.
    #[error("\"{0}:\" takes {PERIODS}, not \"{1}\"")]
    Period(String, String),
}

impl QueryError {
    /// Returns the column of the error in the query as it is shown.
    pub fn column(&self, query: &str) -> usize {
        Text::of(query.get(..self.at.start).unwrap_or(query)).width()
    }

    /// Returns the line to print below the query: carets under the error, then the sentence.
    pub fn caret(&self, query: &str) -> String {
        let wrong = query.get(self.at.clone()).unwrap_or_default();
        let carets = "^".repeat(text::width(Text::of(wrong).as_str()).max(1));
        format!("{}{carets} {self}", " ".repeat(self.column(query)))
    }
}

impl SearchQuery {
    /// Parses a query; ages are counted back from `now`.
    ///
    /// # Errors
    /// Any [`QueryError`].
    pub fn parse(text: &str, now: Timestamp) -> Result<Self, QueryError> {
        let (mut wanted, mut excluded) = (Vec::new(), Vec::new());
        let (mut conditions, mut exceptions) = (Vec::new(), Vec::new());
        for word in words(text) {
            let condition = (!word.is_phrase).then(|| Condition::parse(word.text, now));
            match condition.transpose().map_err(|(fault, from)| QueryError {
                fault,
                at: word.at + from..word.at + word.text.len(),
            })? {
                Some(Some(condition)) if word.is_negated => exceptions.push(condition),
                Some(Some(condition)) => conditions.push(condition),
                Some(None) | None if word.is_negated => excluded.push(word.text),
                Some(None) | None => wanted.push(word.text),
            }
        }
        let query = Self {
            wanted: wanted.into_iter().collect(),
            excluded: excluded.into_iter().collect(),
            conditions,
            exceptions,
        };
        if query.wanted.is_empty() {
            let end = text.len();
            return Err(QueryError {
                fault: QueryFault::NoWord,
                at: end..end,
            });
        }
        Ok(query)
    }

    /// Returns true if the conditions admit a page of this URL that came at this time; `None` if that is not known.
    pub(super) fn admits(&self, url: &Url, since: Option<Timestamp>) -> bool {
        let is_met = |condition: &Condition| condition.is_met(url, since);
        let conditions = &self.conditions;
        let is_one_met = |of: &Condition| {
            let mut alternatives = conditions.iter().filter(|one| of.is_like(one));
            alternatives.any(is_met)
        };
        conditions.iter().all(is_one_met) && !self.exceptions.iter().any(is_met)
    }

    /// Returns true if all words are in a title.
    pub(super) fn is_in_title(&self, title: &str) -> bool {
        self.wanted.are_in(title) && !self.excluded.any_is_in(title)
    }

    /// Returns true if an excluded word is in a title.
    pub(super) fn is_excluded_title(&self, title: &str) -> bool {
        self.excluded.any_is_in(title)
    }
}

impl Condition {
    /// Parses a word; `None` if it is text. An error has the position in the word where it begins.
    fn parse(word: &str, now: Timestamp) -> Result<Option<Self>, (QueryFault, usize)> {
        let Some((name, value)) = word.split_once(':') else {
            return Ok(None);
        };
        let value_at = word.len() - value.len();
        let fault = |fault: fn(String) -> QueryFault| (fault(value.to_owned()), value_at);
        Ok(Some(match name.to_ascii_lowercase().as_str() {
            "in" => {
                let kind = value.to_ascii_lowercase();
                if kind != "web" && !is_scheme(&kind) {
                    return Err(fault(QueryFault::Kind));
                }
                Self::Kind(kind)
            }
            "host" => Self::Host(HostWord::new(value).ok_or((QueryFault::Host, value_at))?),
            "url" if !value.is_empty() => Self::Url(value.to_lowercase()),
            name @ ("since" | "until") => {
                let unknown = || QueryFault::Period(name.to_owned(), value.to_owned());
                let period = period_of(value, now).ok_or_else(|| (unknown(), value_at))?;
                match name {
                    "since" => Self::Since(period.start),
                    _ => Self::Until(period.end),
                }
            }
            name if is_name(name) && is_value(value) => {
                return Err((QueryFault::Condition(name.to_owned()), 0));
            }
            _ => return Ok(None),
        }))
    }

    /// Returns true if both conditions have the same name.
    fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    fn is_met(&self, url: &Url, since: Option<Timestamp>) -> bool {
        match self {
            Self::Kind(kind) => match kind.as_str() {
                "news" => url.base_parts().is_news(),
                "web" => url.is_web(),
                scheme => url.scheme_name() == scheme,
            },
            Self::Host(host) => host.is_of(url),
            Self::Url(part) => url.as_str().to_lowercase().contains(part),
            Self::Since(start) => since.is_some_and(|since| since >= *start),
            Self::Until(end) => since.is_some_and(|since| since < *end),
        }
    }
}

fn is_scheme(name: &str) -> bool {
    Scheme::named(name) != Scheme::Other || ExtensionScheme::named(name).is_some()
}

/// Returns true if a word before a colon could be meant as the name of a condition.
fn is_name(word: &str) -> bool {
    let is_word = word.len() > 1 && word.bytes().all(|octet| octet.is_ascii_alphabetic());
    is_word && !is_scheme(word)
}

/// Returns true if what is behind a colon could be meant as the value of a condition: not in `std::env`, `https://` or
/// `re:`.
fn is_value(word: &str) -> bool {
    !word.is_empty() && !word.starts_with([':', '/'])
}
