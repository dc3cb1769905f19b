//! The query of a search.
//!
//! ```text
//! query     = item *( SP item )
//! item      = [ "-" ] ( word / DQUOTE phrase DQUOTE ) / condition   ; as in the queries for bookmarks
//! condition = "in:" kind / "host:" name / "since:" ( age / date )
//! kind      = "news" / "web" / scheme
//! age       = 1*DIGIT ( "h" / "d" / "w" )
//! date      = year "-" month "-" day
//! ```

use std::ops::Range;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use memchr::memmem::Finder;
use rfc1738::{ExtensionScheme, Scheme, Url};
use unicode_normalization::UnicodeNormalization;

use super::fold::{fold, fold_letters, has_marks};
use crate::bookmarks::{age_of, words};

/// A query: words and phrases, and conditions for the copies that are searched.
#[derive(Clone, Debug)]
pub struct SearchQuery {
    /// The words that a page must have.
    pub(super) wanted: Vec<SearchWord>,
    /// The words that it must not have.
    excluded: Vec<SearchWord>,
    kinds: Vec<String>,
    hosts: Vec<String>,
    since: Option<Timestamp>,
}

/// A word or phrase of a query.
#[derive(Clone, Debug)]
pub(super) struct SearchWord {
    /// The folded text, with single blanks.
    pub(super) folded: String,
    pub(super) finder: Finder<'static>,
    /// The text in lower case and composed (NFC), if it was typed with marks.
    marked: Option<String>,
}

/// What is wrong with a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// There is nothing to search for.
    #[error("a search needs a word without \"-\"")]
    NoWord,
    /// The kind is no scheme.
    #[error("\"in:\" takes news, web or a scheme, not \"{0}\"")]
    Kind(String),
    /// The host is empty.
    #[error("\"host:\" needs a name")]
    Host,
    /// The time is neither an age nor a date.
    #[error("\"since:\" takes 2w, 3d, 12h or 2026-11-02, not \"{0}\"")]
    Since(String),
}

impl SearchQuery {
    /// Parses a query; ages are counted back from `now`.
    ///
    /// # Errors
    /// Any [`QueryError`].
    pub fn parse(text: &str, now: Timestamp) -> Result<Self, QueryError> {
        let mut query = Self {
            wanted: Vec::new(),
            excluded: Vec::new(),
            kinds: Vec::new(),
            hosts: Vec::new(),
            since: None,
        };
        for word in words(text) {
            let is_plain = !word.is_negated && !word.is_phrase;
            if is_plain && query.take_condition(word.text, now)? {
                continue;
            }
            let to = if word.is_negated {
                &mut query.excluded
            } else {
                &mut query.wanted
            };
            to.extend(SearchWord::new(word.text));
        }
        if query.wanted.is_empty() {
            return Err(QueryError::NoWord);
        }
        Ok(query)
    }

    /// Returns true if the item is a condition, which is noted.
    fn take_condition(&mut self, item: &str, now: Timestamp) -> Result<bool, QueryError> {
        let Some((name, value)) = item.split_once(':') else {
            return Ok(false);
        };
        match name {
            "in" => {
                let kind = value.to_ascii_lowercase();
                let is_known = kind == "web"
                    || Scheme::named(&kind) != Scheme::Other
                    || ExtensionScheme::named(&kind).is_some();
                if !is_known {
                    return Err(QueryError::Kind(value.to_owned()));
                }
                self.kinds.push(kind);
            }
            "host" if value.is_empty() => return Err(QueryError::Host),
            "host" => self.hosts.push(value.to_ascii_lowercase()),
            "since" => {
                let start = start_of(value, now);
                self.since = Some(start.ok_or_else(|| QueryError::Since(value.to_owned()))?);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns true if the conditions admit a page of this URL that came at this time; `None` if that is not known.
    pub(super) fn admits(&self, url: &Url, since: Option<Timestamp>) -> bool {
        let is_kind = |kind: &String| match kind.as_str() {
            "news" => url.base_parts().is_news(),
            "web" => url.is_web(),
            scheme => url.scheme_name() == scheme,
        };
        let is_host = |host: &String| {
            let parts = url.base_parts();
            let Some(address) = parts.address() else {
                return false;
            };
            let node = address.node().to_ascii_lowercase();
            node.strip_suffix(host.as_str())
                .is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        (self.kinds.is_empty() || self.kinds.iter().any(is_kind))
            && (self.hosts.is_empty() || self.hosts.iter().any(is_host))
            && self
                .since
                .is_none_or(|start| since.is_some_and(|since| since >= start))
    }

    /// Returns true if all words are in a title.
    pub(super) fn is_in_title(&self, title: &str) -> bool {
        let mut folded = String::new();
        fold(title, &mut folded);
        self.matches(&folded, || title.to_owned())
    }

    /// Returns true if a text has all words, and none of the excluded ones. Both texts are the same, the first one folded.
    pub(super) fn matches(&self, folded: &str, text: impl Fn() -> String + Copy) -> bool {
        self.wanted.iter().all(|word| word.is_in(folded, text))
            && !self.excluded.iter().any(|word| word.is_in(folded, text))
    }

    /// Returns the ranges of the words in a text, in octets: in order, not overlapping.
    pub fn marks(&self, text: &str) -> Vec<Range<usize>> {
        let (mut folded, mut starts) = (String::new(), Vec::new());
        fold_letters(text, |at, piece| {
            folded.push_str(piece);
            starts.resize(folded.len(), at);
        });
        let start = |at: usize| starts.get(at).copied().unwrap_or(text.len());
        let mut found: Vec<Range<usize>> = self
            .wanted
            .iter()
            .flat_map(|word| {
                let found = word.finder.find_iter(folded.as_bytes());
                found.map(|at| start(at)..start(at + word.folded.len()))
            })
            .filter(|range| !range.is_empty())
            .collect();
        found.sort_by_key(|range| (range.start, range.end));
        found.dedup_by(|later, earlier| {
            let overlaps = later.start < earlier.end;
            if overlaps {
                earlier.end = earlier.end.max(later.end);
            }
            overlaps
        });
        found
    }
}

impl SearchWord {
    /// Returns a word or phrase; `None` if it is empty.
    fn new(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ");
        let mut folded = String::new();
        fold(&text, &mut folded);
        (!folded.is_empty()).then(|| Self {
            finder: Finder::new(&folded).into_owned(),
            folded,
            marked: has_marks(&text).then(|| composed(&text)),
        })
    }

    fn is_in(&self, folded: &str, text: impl Fn() -> String) -> bool {
        self.finder.find(folded.as_bytes()).is_some()
            && (self.marked.as_ref()).is_none_or(|marked| composed(&text()).contains(marked))
    }
}

fn composed(text: &str) -> String {
    text.to_lowercase().nfc().collect()
}

/// Returns the time that an age or a date names.
fn start_of(value: &str, now: Timestamp) -> Option<Timestamp> {
    let is_age = value.ends_with(['h', 'd', 'w']);
    let age: Option<SignedDuration> = is_age.then(|| age_of(value)).flatten();
    if let Some(age) = age {
        return now.checked_sub(age).ok();
    }
    let date: Date = value.parse().ok()?;
    let midnight = date.to_zoned(TimeZone::system()).ok()?;
    Some(midnight.timestamp())
}
