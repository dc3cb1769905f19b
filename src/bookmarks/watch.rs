//! Watched bookmarks, those with the tag `#watch`, and the last fetched content of each: a plain text file, one JSON object
//! per line.
//!
//! ```text
//! seen = { "url", "sha256", "at", "changed", "new" }
//! ```
//!
//! `url` is the canonical spelling without its password; `sha256` is the hash of the content at the last successful fetch,
//! `at` the time of the last attempt, `changed` the last time when the content was different, `new` true while the change has
//! not been opened. An address is fetched only after the user has agreed to it once; from then on it has a line, with an `at`
//! so long ago that it is due. Times are UTC. Damaged lines are ignored and removed; so are URLs that were not fetched for a
//! year. Deleting the file forgets everything.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::Bookmark;
use super::checks::UrlKey;
use super::state_file;
use crate::files::regular;
use crate::files::user_file::{FileError, UserFile};
use crate::net::Fingerprint;
use crate::url::Url;

/// Tag of a watched bookmark.
pub const TAG: &str = "watch";

/// Minimum time between two fetches of one URL: a bit less than a day, so that a user who starts Geomys every morning gets one
/// fetch a day.
const BETWEEN: SignedDuration = SignedDuration::from_hours(20);

/// Retention time of a URL that is not fetched any more.
const MEMORY: SignedDuration = SignedDuration::from_hours(365 * 24);

const FILE: UserFile = UserFile {
    most: regular::LIST,
    read_failed: "the state of watched bookmarks cannot be read",
    write_failed: "the state of watched bookmarks was not saved",
};

/// Event of a watched URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchEvent {
    /// The URL was fetched at this time; no fingerprint if the fetch failed.
    Fetched(UrlKey, Option<Fingerprint>, Timestamp),
    /// The user has opened the URL.
    Opened(UrlKey),
    /// The user has agreed at this time that the URL is fetched.
    Confirmed(UrlKey, Timestamp),
}

/// Stored state of one watched URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchState {
    /// Fingerprint of the content at the last successful fetch.
    pub content: Option<Fingerprint>,
    /// Time of the last attempt; before the first attempt, so long ago that the URL is due.
    pub at: Timestamp,
    /// Last time when the content was different.
    pub changed: Option<Timestamp>,
    /// True if the change has not been opened yet.
    pub is_new: bool,
}

/// States of the watched URLs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchedPages {
    states: BTreeMap<UrlKey, WatchState>,
}

/// Returns true if a bookmark is watched.
pub fn is_watched(bookmark: &Bookmark<'_>) -> bool {
    bookmark.tags().iter().any(|tag| is_tag(tag.as_str()))
}

/// Returns true if a tag, without its `#`, marks a bookmark as watched.
pub fn is_tag(tag: &str) -> bool {
    tag.eq_ignore_ascii_case(TAG)
}

impl WatchedPages {
    /// Parses a file; any octets are accepted.
    pub fn parse(octets: &[u8]) -> Self {
        let states = state_file::parse(octets).filter_map(Line::into_state);
        Self {
            states: states.collect(),
        }
    }

    /// Returns the octets of the file.
    pub fn to_octets(&self) -> Vec<u8> {
        state_file::format(self.states.iter().map(|(key, state)| Line::of(key, state)))
    }

    /// Returns the state of a URL.
    pub fn of(&self, url: &Url) -> Option<&WatchState> {
        if self.states.is_empty() {
            return None;
        }
        self.states.get(&UrlKey::of(url))
    }

    /// Returns true if the user has agreed that a URL is fetched: it was fetched before, or confirmed.
    pub fn is_confirmed(&self, url: &Url) -> bool {
        self.of(url).is_some()
    }

    /// Returns true if a URL has changed and has not been opened since.
    pub fn is_new(&self, url: &Url) -> bool {
        self.of(url).is_some_and(|state| state.is_new)
    }

    /// Returns the keys of all URLs that have changed and have not been opened since.
    pub fn new_ones(&self) -> impl Iterator<Item = &UrlKey> {
        let changed = self.states.iter().filter(|(_, state)| state.is_new);
        changed.map(|(key, _)| key)
    }

    /// Returns true if a URL has not been fetched for about a day. A clock that was set back counts as a day, too.
    pub fn is_due(&self, url: &Url, now: Timestamp) -> bool {
        self.of(url).is_none_or(|state| {
            let since = now.duration_since(state.at);
            since >= BETWEEN || since.is_negative()
        })
    }

    /// Records an event. Returns true if the content of a URL has changed. The first fetch is not a change.
    pub fn note(&mut self, event: &WatchEvent) -> bool {
        match event {
            WatchEvent::Opened(key) => {
                if let Some(state) = self.states.get_mut(key) {
                    state.is_new = false;
                }
                false
            }
            WatchEvent::Confirmed(key, at) => {
                let state = self.states.entry(key.clone());
                state.or_insert_with(|| WatchState {
                    at: at.checked_sub(BETWEEN).unwrap_or(*at),
                    ..WatchState::default()
                });
                false
            }
            WatchEvent::Fetched(key, content, at) => {
                let state = self.states.entry(key.clone()).or_default();
                state.at = *at;
                let before = content.and_then(|content| state.content.replace(content));
                let is_other = before.is_some() && before != *content;
                if is_other {
                    state.changed = Some(*at);
                    state.is_new = true;
                }
                is_other
            }
        }
    }

    /// Matches the filter word `is:new` against a URL; `None` for any other word.
    pub fn matches(&self, word: &str, url: &Url) -> Option<bool> {
        Self::is_state_word(word).then(|| self.is_new(url))
    }

    /// Returns true if [`WatchedPages::matches`] understands the filter word.
    pub fn is_state_word(word: &str) -> bool {
        word.eq_ignore_ascii_case("is:new")
    }

    fn forget(&mut self, now: Timestamp) {
        self.states
            .retain(|_, state| now.duration_since(state.at) < MEMORY);
    }
}

/// Line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    changed: Option<String>,
    #[serde(default)]
    new: bool,
}

impl Line {
    fn of(key: &UrlKey, state: &WatchState) -> Self {
        let hash = state.content.map(|content| content.to_string());
        Self {
            url: key.as_str().to_owned(),
            sha256: hash.and_then(|hash| Some(hash.strip_prefix("sha256:")?.to_owned())),
            at: state.at.to_string(),
            changed: state.changed.map(|changed| changed.to_string()),
            new: state.is_new,
        }
    }

    fn into_state(self) -> Option<(UrlKey, WatchState)> {
        let url = Url::accept(&self.url).ok()?;
        let time = |written: &str| written.parse::<Timestamp>().ok();
        let hash = self.sha256.map(|hash| format!("sha256:{hash}"));
        let state = WatchState {
            content: hash.as_deref().and_then(Fingerprint::parse),
            at: time(&self.at)?,
            changed: self.changed.as_deref().and_then(time),
            is_new: self.new,
        };
        Some((UrlKey::of(&url), state))
    }
}

/// Reads the file; a missing file gives an empty set.
///
/// # Errors
/// A `FileError` of reading.
pub fn load(path: &Path) -> Result<WatchedPages, FileError> {
    Ok(WatchedPages::parse(&FILE.read(path)?))
}

/// Adds events to the file as it is now. Returns all stored states.
///
/// # Errors
/// A `FileError`; nothing is written then.
pub fn save(path: &Path, events: &[WatchEvent], now: Timestamp) -> Result<WatchedPages, FileError> {
    FILE.change(path, |octets| {
        let mut watched = WatchedPages::parse(&octets);
        for event in events {
            watched.note(event);
        }
        watched.forget(now);
        Ok((watched.to_octets(), watched))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(hour: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + hour * 3600).unwrap()
    }

    fn url(number: usize) -> Url {
        Url::accept(&format!("gopher://example.org/1/{number}")).unwrap()
    }

    fn fetched(content: Option<&str>, hour: i64) -> WatchEvent {
        let content = content.map(|content| Fingerprint::of(content.as_bytes()));
        WatchEvent::Fetched(UrlKey::of(&url(1)), content, at(hour))
    }

    #[test]
    fn what_has_changed_is_new_until_it_is_opened() {
        let mut watched = WatchedPages::default();
        assert!(watched.is_due(&url(1), at(0)));
        assert!(!watched.note(&fetched(Some("a"), 0)));
        assert!(!watched.is_due(&url(1), at(19)) && watched.is_due(&url(1), at(20)));
        assert!(!watched.note(&fetched(Some("a"), 24)));
        // A failure is no change, and is not repeated before a day has passed.
        assert!(!watched.note(&fetched(None, 48)));
        assert!(!watched.is_due(&url(1), at(50)));
        assert!(!watched.is_new(&url(1)));
        assert!(watched.note(&fetched(Some("b"), 72)));
        assert!(watched.is_new(&url(1)));
        assert_eq!(watched.matches("is:new", &url(1)), Some(true));
        assert_eq!(watched.matches("is:gone", &url(1)), None);
        // The URL stays new, though it has not changed since.
        assert!(!watched.note(&fetched(Some("b"), 96)));
        assert!(watched.is_new(&url(1)));
        watched.note(&WatchEvent::Opened(UrlKey::of(&url(1))));
        assert!(!watched.is_new(&url(1)));
        assert_eq!(watched.of(&url(1)).unwrap().changed, Some(at(72)));
    }

    #[test]
    fn confirmed_address_is_due_and_keeps_what_was_seen() {
        let mut watched = WatchedPages::default();
        let confirmed = WatchEvent::Confirmed(UrlKey::of(&url(1)), at(5));
        assert!(!watched.is_confirmed(&url(1)));
        assert!(!watched.note(&confirmed));
        assert!(watched.is_confirmed(&url(1)) && watched.is_due(&url(1), at(5)));
        assert!(!watched.is_new(&url(1)));
        assert_eq!(WatchedPages::parse(&watched.to_octets()), watched);
        assert!(!watched.note(&fetched(Some("a"), 6)));
        let state = watched.clone();
        watched.note(&confirmed);
        assert_eq!(watched, state);
    }

    #[test]
    fn a_clock_that_was_set_back_makes_urls_due() {
        let mut watched = WatchedPages::default();
        watched.note(&fetched(Some("a"), 10_000));
        assert!(watched.is_due(&url(1), at(0)));
    }

    #[test]
    fn two_of_us_lose_nothing_of_each_other() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("watched.jsonl");
        save(&path, &[fetched(Some("a"), 0)], at(0)).unwrap();
        let other = WatchEvent::Fetched(UrlKey::of(&url(2)), None, at(0));
        let both = save(&path, &[other], at(0)).unwrap();
        assert_eq!(load(&path).unwrap(), both);
        assert!(both.of(&url(1)).is_some() && both.of(&url(2)).is_some());
        let later = save(&path, &[], at(366 * 24)).unwrap();
        assert_eq!(later, WatchedPages::default());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            events in proptest::collection::vec((0..9_usize, 0..4_u8, 0_i64..900), 0..60),
        ) {
            let mut watched = WatchedPages::default();
            for (number, content, hour) in events {
                let key = UrlKey::of(&url(number));
                let content = (content < 3).then(|| Fingerprint::of(&[content]));
                watched.note(&WatchEvent::Fetched(key, content, at(hour)));
            }
            prop_assert_eq!(WatchedPages::parse(&watched.to_octets()), watched);
        }

        #[test]
        fn damaged_lines_cost_no_other_line_anything(
            octets in proptest::collection::vec(any::<u8>(), 0..200),
        ) {
            let mut watched = WatchedPages::default();
            watched.note(&fetched(Some("a"), 0));
            let file = [octets, b"\n".to_vec(), watched.to_octets()].concat();
            prop_assert!(WatchedPages::parse(&file).of(&url(1)).is_some());
        }
    }
}
