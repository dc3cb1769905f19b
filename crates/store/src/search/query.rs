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

use geomys_page::document::find::{PageText, SearchWords};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use rfc1738::{ExtensionScheme, Scheme, Url};

use crate::bookmarks::{age_of, words};

/// A query: words and phrases, and conditions for the copies that are searched.
#[derive(Clone, Debug)]
pub struct SearchQuery {
    /// The words that a page must have.
    pub wanted: SearchWords,
    /// The words that it must not have.
    excluded: SearchWords,
    kinds: Vec<String>,
    hosts: Vec<String>,
    since: Option<Timestamp>,
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
        let (mut wanted, mut excluded) = (Vec::new(), Vec::new());
        let mut query = Self {
            wanted: SearchWords::default(),
            excluded: SearchWords::default(),
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
                &mut excluded
            } else {
                &mut wanted
            };
            to.push(word.text);
        }
        query.wanted = wanted.into_iter().collect();
        query.excluded = excluded.into_iter().collect();
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
        self.wanted.are_in(title) && !self.excluded.any_is_in(title)
    }

    /// Returns true if a page has all words, and none of the excluded ones; `text` is the text of the page.
    pub(super) fn matches(&self, page: &PageText, text: impl Fn() -> String + Copy) -> bool {
        page.has_all(&self.wanted, text) && !page.has_any(&self.excluded, text)
    }
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
