//! Words of a query with a meaning of their own.
//!
//! ```text
//! keyword = "is:" name                                 ; is:fault, is:untagged, is:dead
//!         / name ">" age                               ; dead>30d, added>1y
//!         / ( "since:" / "until:" ) ( age / date )     ; of the addition
//!         / "host:" host / "folder:" path / "/" regex "/"
//! ```
//!
//! What needs no more than the bookmark is decided here. What is stored about its URL (link checks, watched pages,
//! dates of addition) is asked of the caller, word by word ([`StateMatcher`]).

use std::borrow::Cow;

use geomys_wire::net::ascii_host;
use geomys_wire::text::Text;
use jiff::{SignedDuration, Timestamp};
use regex::{Regex, RegexBuilder};
use rfc1738::{Url, mask};

use super::StateMatcher;
use super::folded::folded;
use super::period::{PERIODS, age_of, period_of};
use super::syntax::{QueryError, TypedWord};
use crate::bookmarks::view::ScannedBookmark;
use crate::bookmarks::watch::WatchedPages;

/// The start of a word about the state of a bookmark.
const IS: &str = "is:";

/// The names that may follow [`IS`].
const NAMES: [&str; 13] = [
    "alive",
    "dead",
    "duplicate",
    "fault",
    "moved",
    "new",
    "refused",
    "repeated",
    "similar",
    "unchecked",
    "unreachable",
    "untagged",
    "untitled",
];

/// Names of the states of a link check, which can be compared with an age.
const DATED_STATES: [&str; 5] = ["alive", "dead", "moved", "refused", "unreachable"];

/// The name that compares the date of addition with an age.
const ADDED: &str = "added";

/// The words before a value, except those about dates.
const VALUED: [&str; 2] = ["host:", "folder:"];

/// The words before an age or a date.
const DATED: [&str; 2] = ["since:", "until:"];

/// The largest compiled pattern, in octets.
const MAX_PATTERN_BYTES: usize = 1024 * 1024;

/// Word of a query with a meaning of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    /// A URL with a fault.
    Fault,
    /// A URL that another bookmark has, too.
    Duplicate,
    /// A URL that a bookmark above has, too.
    Repeated,
    /// A URL that is perhaps of the page of another bookmark.
    Similar,
    /// No tag.
    Untagged,
    /// No title.
    Untitled,
    /// The host, in ASCII and lower case, or one below it.
    Host(HostWord),
    /// The folded path of a folder, or of the end of one; what is below counts.
    Folder(String),
    /// A regular expression.
    Pattern(Pattern),
    /// State from a link check, a watched page, or the date of addition.
    State(String),
}

/// Regular expression, in any case. The engine takes time in proportion to the text.
#[derive(Clone, Debug)]
pub(super) struct Pattern(Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Pattern {}

/// A host that a query names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostWord(String);

impl HostWord {
    /// Takes a host as typed; `None` for none.
    pub(crate) fn new(typed: &str) -> Option<Self> {
        let host = typed.trim_start_matches('.');
        (!host.is_empty()).then(|| Self(ascii_node(host)))
    }

    /// Returns true if a URL is on this host, or on one below it.
    pub(crate) fn is_of(&self, url: &Url) -> bool {
        node_of(url).is_some_and(|node| {
            let before = node.strip_suffix(self.0.as_str());
            before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
        })
    }
}

/// Returns the host of a URL, in ASCII and lower case, without brackets, a port and a dot at its end.
pub(crate) fn node_of(url: &Url) -> Option<String> {
    let parts = url.base_parts();
    Some(ascii_node(parts.address()?.node()))
}

fn ascii_node(host: &str) -> String {
    let host = host.trim_end_matches('.');
    ascii_host(host)
        .unwrap_or(Cow::Borrowed(host))
        .to_ascii_lowercase()
}

/// What other bookmarks have in common with one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Likeness {
    /// Another one has its URL.
    pub(super) is_duplicate: bool,
    /// One above has its URL.
    pub(super) is_repeated: bool,
    /// Another one is perhaps of its page.
    pub(super) is_similar: bool,
}

impl Keyword {
    /// Parses a word that is no phrase; `None` if it is text.
    pub(super) fn parse(typed: TypedWord<'_>) -> Result<Option<Self>, QueryError> {
        if let Some(pattern) = pattern_of(typed.text) {
            return Pattern::new(pattern).map(|pattern| Some(Self::Pattern(pattern)));
        }
        let word = folded(typed.text);
        let word = word.as_str();
        if let Some(name) = VALUED
            .into_iter()
            .chain(DATED)
            .find(|name| word.starts_with(name))
        {
            return Self::with_value(typed.text, word, name).map(Some);
        }
        Ok(Some(match word {
            "is:fault" => Self::Fault,
            "is:duplicate" => Self::Duplicate,
            "is:repeated" => Self::Repeated,
            "is:similar" => Self::Similar,
            "is:untagged" => Self::Untagged,
            "is:untitled" => Self::Untitled,
            state if is_state_word(state) => Self::State(state.to_owned()),
            // A second minus sign negates nothing.
            word if word.trim_start_matches(['-', '!', '+']).starts_with(IS) => {
                return Err(QueryError::UnknownWord(word.to_owned(), known_names()));
            }
            word if is_comparison(word) => {
                return Err(QueryError::InvalidComparison(
                    word.to_owned(),
                    known_comparisons(),
                ));
            }
            _ => return Ok(None),
        }))
    }

    /// Parses a word with a value, which may stand in quotation marks.
    fn with_value(written: &str, folded: &str, name: &'static str) -> Result<Self, QueryError> {
        let value = |word: &str| {
            let value = word.split_once(':').map_or("", |(_, value)| value);
            value.trim_matches('"').trim().to_owned()
        };
        let missing = || QueryError::NoValue(name);
        match name {
            "host:" => HostWord::new(&value(written))
                .map(Self::Host)
                .ok_or_else(missing),
            "folder:" => {
                let path = value(folded).trim_matches('/').to_owned();
                if path.is_empty() {
                    return Err(missing());
                }
                Ok(Self::Folder(path))
            }
            _ if period_of(&value(folded), Timestamp::UNIX_EPOCH).is_some() => {
                Ok(Self::State(format!("{name}{}", value(folded))))
            }
            _ => Err(QueryError::NoPeriod(name, value(written), PERIODS)),
        }
    }

    /// Returns true if a bookmark has what the word asks for.
    pub(super) fn matches(
        &self,
        bookmark: &ScannedBookmark<'_>,
        likeness: Likeness,
        matches_state: &StateMatcher<'_>,
    ) -> bool {
        let parts = &bookmark.parts;
        match self {
            Self::Fault => parts.url().is_err(),
            Self::Duplicate => likeness.is_duplicate,
            Self::Repeated => likeness.is_repeated,
            Self::Similar => likeness.is_similar,
            Self::Untagged => parts.tag_octets().next().is_none(),
            Self::Untitled => parts.title().is_blank(),
            Self::Host(host) => parts.repaired_url().is_ok_and(|url| host.is_of(&url)),
            Self::Folder(path) => {
                let own = format!("/{}/", folded(&bookmark.folder.join("/")));
                own.contains(&format!("/{path}/"))
            }
            Self::Pattern(pattern) => pattern.is_in(bookmark),
            Self::State(word) => matches_state(word, parts.repaired_url().ok().as_ref()),
        }
    }
}

impl Pattern {
    fn new(written: &str) -> Result<Self, QueryError> {
        let pattern = RegexBuilder::new(written)
            .case_insensitive(true)
            .size_limit(MAX_PATTERN_BYTES)
            .build();
        pattern.map(Self).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => QueryError::Pattern("it is too long".to_owned()),
            // The last line of the message says what is wrong; those before draw the pattern.
            error => {
                let words = error.to_string();
                let last = words.lines().next_back().unwrap_or_default();
                let last = last.strip_prefix("error: ").unwrap_or(last);
                QueryError::Pattern(last.to_owned())
            }
        })
    }

    /// Returns true if a part of a bookmark matches: title, URL without its password, folder, a tag with its `#`, or a
    /// line of the note.
    fn is_in(&self, bookmark: &ScannedBookmark<'_>) -> bool {
        let holds = |text: &str| self.0.is_match(text);
        let parts = &bookmark.parts;
        holds(parts.title().as_str())
            || holds(&mask(parts.url_text().as_str()))
            || holds(&bookmark.folder.join("/"))
            || parts.tags().iter().any(|tag| holds(&format!("#{tag}")))
            || bookmark.notes().iter().map(Text::as_str).any(holds)
    }
}

/// Returns what stands between the slashes of a pattern.
fn pattern_of(word: &str) -> Option<&str> {
    let pattern = word.strip_prefix('/')?.strip_suffix('/')?;
    (!pattern.is_empty()).then_some(pattern)
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
        is_number && dated().any(|dated| dated == name.trim_start_matches('-'))
    })
}

/// The names that can be compared with an age.
fn dated() -> impl Iterator<Item = &'static str> {
    DATED_STATES.into_iter().chain([ADDED])
}

/// Returns true if more letters can complete a folded word to a keyword: `is:`, `is:de`, `dead>`, `host:`.
pub(super) fn is_beginning(word: &str) -> bool {
    let mut valued = VALUED.into_iter().chain(DATED);
    if let Some(name) = valued.find(|name| word.starts_with(name)) {
        let value = word.get(name.len()..).unwrap_or_default();
        // A year is typed digit by digit, an age ends with its unit.
        let is_date = |value: &str| {
            value
                .bytes()
                .all(|octet| octet.is_ascii_digit() || octet == b'-')
        };
        let is_period = || period_of(value, Timestamp::UNIX_EPOCH).is_some();
        let is_part = DATED.contains(&name) && is_date(value) && !is_period();
        return value.is_empty() || value == "\"" || is_part;
    }
    match (word.strip_prefix(IS), word.strip_suffix('>')) {
        (Some(name), _) => NAMES
            .iter()
            .any(|whole| *whole != name && whole.starts_with(name)),
        (None, Some(name)) => dated().any(|dated| dated == name),
        (None, None) => false,
    }
}

/// Returns the keywords that a typed word begins, in order; those that take a value end with its sign.
pub fn completions(typed: &str) -> impl Iterator<Item = String> {
    let typed = folded(typed);
    let names = NAMES.into_iter().map(|name| format!("{IS}{name}"));
    let valued = VALUED.into_iter().chain(DATED).map(str::to_owned);
    let dated = dated().map(|name| format!("{name}>"));
    let all = names.chain(valued).chain(dated);
    all.filter(move |word| !typed.is_empty() && *word != typed && word.starts_with(&typed))
}

/// The known words after `is:`.
fn known_names() -> String {
    format!("{IS}{}", NAMES.join(&format!(", {IS}")))
}

/// The known comparisons.
fn known_comparisons() -> String {
    let names: Vec<String> = dated().map(|name| format!("{name}>AGE")).collect();
    names.join(", ")
}

/// State of a link check that a filter word selects.
pub(in crate::bookmarks) enum StateFilter {
    /// No stored state.
    Unchecked,
    /// [`LinkStatus`](geomys_load::check::LinkStatus) of this name, perhaps for longer than a time.
    State(&'static str, Option<SignedDuration>),
}

impl StateFilter {
    pub(in crate::bookmarks) fn of(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        if let Some(name) = word.strip_prefix(IS) {
            return match name {
                "unchecked" => Some(Self::Unchecked),
                name => Some(Self::State(dated_state(name)?, None)),
            };
        }
        let (name, age) = word.split_once('>')?;
        Some(Self::State(dated_state(name)?, Some(age_of(age)?)))
    }
}

/// Times of addition that a filter word selects; the end does not belong to them.
pub(in crate::bookmarks) struct DateFilter {
    /// The earliest.
    pub(in crate::bookmarks) since: Timestamp,
    /// After the latest.
    pub(in crate::bookmarks) until: Timestamp,
}

impl DateFilter {
    /// Parses a filter word; `None` for one that is not about dates.
    pub(in crate::bookmarks) fn of(word: &str, now: Timestamp) -> Option<Self> {
        let all = Self {
            since: Timestamp::MIN,
            until: Timestamp::MAX,
        };
        if let Some(value) = word.strip_prefix("since:") {
            let since = period_of(value, now)?.start;
            return Some(Self { since, ..all });
        }
        if let Some(value) = word.strip_prefix("until:") {
            let until = period_of(value, now)?.end;
            return Some(Self { until, ..all });
        }
        let age = age_of(word.strip_prefix(ADDED)?.strip_prefix('>')?)?;
        let until = now.checked_sub(age).ok()?;
        Some(Self { until, ..all })
    }
}

/// Returns true if the caller's matcher understands the filter word.
fn is_state_word(word: &str) -> bool {
    StateFilter::of(word).is_some()
        || WatchedPages::is_state_word(word)
        || DateFilter::of(word, Timestamp::UNIX_EPOCH).is_some()
}

/// Returns the one of [`DATED_STATES`] that a word is.
fn dated_state(word: &str) -> Option<&'static str> {
    DATED_STATES.into_iter().find(|state| *state == word)
}
