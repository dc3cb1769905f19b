//! The query of a search.
//!
//! ```text
//! query     = group *( SP group )                                   ; as in the queries for bookmarks
//! group     = item *( SP "OR" SP item )                             ; words and phrases without a minus sign
//! item      = [ "-" ] ( word / word "*" / DQUOTE phrase DQUOTE / condition )
//! condition = "in:" kind / "host:" name / ( "url:" / "title:" / "from:" / "subject:" ) value / "is:unread"
//!           / ( "since:" / "until:" ) ( age / date )
//! kind      = "kept" / "news" / "web" / scheme
//! value     = text / DQUOTE text DQUOTE
//! ```
//!
//! `from:` is the author of an article, `subject:` its subject, and the title of any other page. Ages and dates are
//! those of the queries for bookmarks. Conditions of one name are alternatives. Another name before a colon is a
//! mistake, unless it is a scheme, as in a URL, and so is an age after a `>`; in quotation marks it is text. `word*` is
//! the start of words.

use std::ops::Range;

use geomys_page::document::find::{SearchWords, ends_with_letter};
use geomys_wire::text::{self, Text};
use jiff::Timestamp;
use rfc1738::{ExtensionScheme, Scheme, Url};

use crate::bookmarks::{HostWord, PERIODS, period_of, words};

/// A query: words and phrases, and conditions for the copies that are searched.
#[derive(Clone, Debug)]
pub struct SearchQuery {
    /// The words that a page must have, of each group one.
    pub wanted: SearchWords,
    /// The number of words of each group.
    groups: Vec<usize>,
    /// The words that it must not have.
    pub(super) excluded: SearchWords,
    /// The conditions that it must meet, and those that it must not.
    conditions: Vec<Condition>,
    exceptions: Vec<Condition>,
}

/// A condition for a copy.
#[derive(Clone, Debug)]
enum Condition {
    /// The user keeps it.
    Kept,
    /// The scheme of the page, or the kind of its scheme.
    Kind(String),
    /// The host of the page, or a host above it.
    Host(HostWord),
    /// A part of the URL of the page, in lower case.
    Url(String),
    /// A text in the title of the page.
    Title(SearchWords),
    /// A text in the subject of an article, or in the title of another page.
    Subject(SearchWords),
    /// A text in the name or the address of the author.
    From(SearchWords),
    /// The user has not read it.
    Unread,
    /// The earliest time of its publication.
    Since(Timestamp),
    /// The time before which it was published.
    Until(Timestamp),
}

/// What conditions are judged by.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageFacts<'a> {
    pub(super) url: &'a Url,
    /// The title: its own, or that of a bookmark or a visit.
    pub(super) title: &'a str,
    /// The subject of an article; its own title of any other page.
    pub(super) subject: &'a str,
    /// The name and the address of the author; empty if they are not known.
    pub(super) author: &'a str,
    /// The time of publication, else that of the copy, the bookmark or the visit; `None` if none is known.
    pub(super) date: Option<Timestamp>,
    pub(super) is_kept: bool,
    pub(super) is_unread: bool,
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
    #[error("unknown \"{0}:\"; quote it to search for it")]
    Condition(String),
    /// A comparison, as the queries for bookmarks have them.
    #[error("no comparison such as \"{0}\" here; quote it as text")]
    Comparison(String),
    /// An `OR` is not between two words.
    #[error("\"OR\" stands between two words")]
    Or,
    /// The kind is no scheme.
    #[error("\"in:\" takes kept, news, web or a scheme, not \"{0}\"")]
    Kind(String),
    /// The state is unknown.
    #[error("\"is:\" takes unread, not \"{0}\"")]
    State(String),
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
        let mut groups: Vec<usize> = Vec::new();
        // The words that an `OR` may follow, and the place of the last one.
        let (mut is_word, mut or) = (false, None);
        for word in words(text) {
            if word.is_or() {
                let at = word.at..word.at + word.text.len();
                if !std::mem::take(&mut is_word) {
                    let fault = QueryFault::Or;
                    return Err(QueryError { fault, at });
                }
                or = Some(at);
                continue;
            }
            let condition = (!word.is_phrase).then(|| Condition::parse(word.text, now));
            match condition.transpose().map_err(|(fault, from)| QueryError {
                fault,
                at: word.at + from..word.at + word.text.len(),
            })? {
                Some(Some(condition)) if word.is_negated => exceptions.push(condition),
                Some(Some(condition)) => conditions.push(condition),
                Some(None) | None => {
                    let start = word
                        .text
                        .strip_suffix('*')
                        .filter(|start| !word.is_phrase && ends_with_letter(start));
                    let typed = (start.unwrap_or(word.text), start.is_some());
                    if word.is_negated {
                        excluded.push(typed);
                    } else if !SearchWords::from_iter([typed]).is_empty() {
                        wanted.push(typed);
                        is_word = true;
                        match groups.last_mut().filter(|_| or.take().is_some()) {
                            Some(group) => *group += 1,
                            None => groups.push(1),
                        }
                        continue;
                    }
                }
            }
            is_word = false;
            if or.is_some() {
                break;
            }
        }
        if let Some(at) = or {
            let fault = QueryFault::Or;
            return Err(QueryError { fault, at });
        }
        let query = Self {
            wanted: wanted.into_iter().collect(),
            groups,
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

    /// Returns true if a condition asks what is unread.
    pub fn asks_unread(&self) -> bool {
        self.has(|condition| matches!(condition, Condition::Unread))
    }

    /// Returns true if a condition asks what the user keeps.
    pub(super) fn asks_kept(&self) -> bool {
        self.has(|condition| matches!(condition, Condition::Kept))
    }

    fn has(&self, is_that: fn(&Condition) -> bool) -> bool {
        let mut all = self.conditions.iter().chain(&self.exceptions);
        all.any(is_that)
    }

    /// Returns true if a word that is wanted or excluded was typed with marks.
    pub(super) fn has_marks(&self) -> bool {
        self.wanted.have_marks() || self.excluded.have_marks()
    }

    /// Returns true if the conditions admit a page.
    pub(super) fn admits(&self, page: &PageFacts<'_>) -> bool {
        self.admits_by(&|condition| condition.is_met(page), &|_| true)
    }

    /// Returns true if the conditions for the URL and the title of a page admit it.
    pub(super) fn may_admit(&self, url: &Url, title: &str) -> bool {
        let page = PageFacts {
            url,
            title,
            subject: "",
            author: "",
            date: None,
            is_kept: false,
            is_unread: false,
        };
        self.admits_by(&|condition| condition.is_met(&page), &|condition| {
            !condition.needs_more()
        })
    }

    fn admits_by(
        &self,
        is_met: &dyn Fn(&Condition) -> bool,
        counts: &dyn Fn(&Condition) -> bool,
    ) -> bool {
        let conditions = || self.conditions.iter().filter(|condition| counts(condition));
        let is_one_met = |of: &Condition| {
            let mut alternatives = conditions().filter(|one| of.is_like(one));
            alternatives.any(is_met)
        };
        let mut exceptions = self.exceptions.iter().filter(|one| counts(one));
        conditions().all(is_one_met) && !exceptions.any(is_met)
    }

    /// Returns true if a text has a word of each group, by what it has of the words.
    pub(super) fn are_met(&self, has: &[bool]) -> bool {
        let mut rest = has;
        self.groups.iter().all(|&length| {
            let (group, after) = rest.split_at_checked(length).unwrap_or_default();
            rest = after;
            group.contains(&true)
        })
    }

    /// Returns whether the words are in a title only as parts of longer ones; `None` if they are not in it.
    pub(super) fn in_title(&self, title: &str) -> Option<bool> {
        let (has, whole): (Vec<bool>, Vec<bool>) = self.wanted.each_in(title).into_iter().unzip();
        let is_in = self.are_met(&has) && !self.excluded.any_is_in(title);
        is_in.then(|| !self.are_met(&whole))
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
            let parts = word.split_once('>');
            let is_comparison =
                parts.is_some_and(|(name, value)| is_name(name) && period_of(value, now).is_some());
            if is_comparison {
                return Err((QueryFault::Comparison(word.to_owned()), 0));
            }
            return Ok(None);
        };
        let value_at = word.len() - value.len();
        // Quotation marks hold a value with blanks together; the last one may not be typed yet.
        let value = value
            .strip_prefix('"')
            .map_or(value, |quoted| quoted.strip_suffix('"').unwrap_or(quoted));
        let fault = |fault: fn(String) -> QueryFault| (fault(value.to_owned()), value_at);
        Ok(Some(match name.to_ascii_lowercase().as_str() {
            "in" => {
                let kind = value.to_ascii_lowercase();
                if kind == "kept" {
                    return Ok(Some(Self::Kept));
                }
                if kind != "web" && !is_scheme(&kind) {
                    return Err(fault(QueryFault::Kind));
                }
                Self::Kind(kind)
            }
            "host" => Self::Host(HostWord::new(value).ok_or((QueryFault::Host, value_at))?),
            "url" if !value.is_empty() => Self::Url(value.to_lowercase()),
            "title" if !value.is_empty() => Self::Title(std::iter::once(value).collect()),
            "subject" if !value.is_empty() => Self::Subject(std::iter::once(value).collect()),
            "from" if !value.is_empty() => Self::From(std::iter::once(value).collect()),
            "is" if value.eq_ignore_ascii_case("unread") => Self::Unread,
            "is" if is_value(value) => return Err(fault(QueryFault::State)),
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

    /// Returns true if the URL and a title do not tell whether the condition is met.
    fn needs_more(&self) -> bool {
        match self {
            Self::Kind(_) | Self::Host(_) | Self::Url(_) | Self::Title(_) => false,
            Self::Subject(_)
            | Self::From(_)
            | Self::Kept
            | Self::Unread
            | Self::Since(_)
            | Self::Until(_) => true,
        }
    }

    fn is_met(&self, page: &PageFacts<'_>) -> bool {
        let url = page.url;
        match self {
            Self::Kind(kind) => match kind.as_str() {
                "news" => url.base_parts().is_news(),
                "web" => url.is_web(),
                scheme => url.scheme_name() == scheme,
            },
            Self::Host(host) => host.is_of(url),
            Self::Url(part) => url.as_str().to_lowercase().contains(part),
            Self::Title(words) => words.any_is_in(page.title),
            Self::Subject(words) => words.any_is_in(page.subject),
            Self::From(words) => words.any_is_in(page.author),
            Self::Kept => page.is_kept,
            Self::Unread => page.is_unread,
            Self::Since(start) => page.date.is_some_and(|date| date >= *start),
            Self::Until(end) => page.date.is_some_and(|date| date < *end),
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
