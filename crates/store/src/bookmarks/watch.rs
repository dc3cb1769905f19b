//! Followed bookmarks, by their tags (see [`followed`](super::followed)), and the last fetched content of each: a plain
//! text file, one JSON object per line.
//!
//! ```text
//! seen  = { "url", "sha256", "octets", "at", "changed", "new", "entries", "real", "etag", "modified", "size", "charset" }
//! entry = { "url", "id", "date", "updated", "title", "seen", "changed", "new",
//!           "wanted" }
//! ```
//!
//! `url` is the canonical spelling without its password; `sha256` is the hash of the content at the last successful
//! fetch, `octets` its length, `at` the time of the last attempt, `changed` the last time when the content was
//! different, `new` true while the change has not been opened. `real` is the URL of the page after redirects, with its
//! version and its charset, to ask for a change only. `entries` are the posts that the page lists (see `entries`). An
//! address is fetched only after the user has agreed to it once; from then on it has a line, with an `at` so long ago
//! that it is due. Times are UTC. Damaged lines are ignored and removed; so are URLs that were not fetched for a year.
//! Deleting the file forgets everything.

mod entries;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use geomys_load::check::{LinkStatus, PageContent};
use geomys_load::{KnownCopy, Version};
use geomys_wire::net::Fingerprint;
use geomys_wire::text::{Charset, Text};
use jiff::{SignedDuration, Timestamp};
use rfc1738::{Dialect, Url};
use serde::{Deserialize, Serialize};

use self::entries::EntryLine;
pub use self::entries::{WatchedEntries, WatchedEntry};
use super::Bookmarks;
use super::checks::UrlKey;
use super::facts::{self, Fact, Facts};
use super::followed::is_followed;
use crate::files::regular;
use crate::files::user_file::{FileError, UserFile};

/// Minimum time between two fetches of one URL: a bit less than a day, so that a user who starts Geomys every morning
/// gets one fetch a day.
const BETWEEN: SignedDuration = SignedDuration::from_hours(20);

/// Maximum number of entries that are new after the first fetch of a page that the user follows.
const MAX_FIRST_READ: usize = 20;

impl Fact for WatchState {
    const FILE: UserFile = UserFile {
        max_bytes: regular::LIST,
        read_failed: "the followed pages cannot be read",
        write_failed: "the state of followed bookmarks was not saved",
    };

    fn to_line(&self, key: &UrlKey) -> impl Serialize {
        Line::of(key, self)
    }

    fn from_line(line: &[u8]) -> Option<(UrlKey, Self)> {
        serde_json::from_slice::<Line>(line).ok()?.into_state()
    }

    fn last_needed(&self) -> Option<Timestamp> {
        Some(self.at)
    }
}

/// Event of a watched URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchEvent {
    /// The URL was fetched at this time; no content if the fetch failed, or the page is of the same version.
    Fetched(UrlKey, Option<PageContent>, Timestamp),
    /// The user has opened the URL: a watched page, or an entry of one; with the fragment, which may name the text of
    /// an entry.
    Opened(UrlKey, Option<String>),
    /// The user has agreed at this time that the URL is fetched.
    Confirmed(UrlKey, Timestamp),
    /// The user wants to read what the first fetch has found: its newest entries become new.
    FirstRead(UrlKey),
    /// A sync has left these entries of the page, by their identities, and none of the others that it wanted.
    Wanted(UrlKey, BTreeSet<String>),
}

impl WatchEvent {
    /// Returns the event of a fetch; `None` for a page that is fetched again the next time, because its server was not
    /// reached.
    pub fn fetched(
        key: &UrlKey,
        content: Result<Option<PageContent>, LinkStatus>,
        at: Timestamp,
    ) -> Option<Self> {
        match content {
            Err(LinkStatus::Unreachable(_) | LinkStatus::NotChecked(_) | LinkStatus::Local(_)) => {
                None
            }
            content => Some(Self::Fetched(key.clone(), content.unwrap_or(None), at)),
        }
    }
}

/// Stored state of one watched URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchState {
    /// Fingerprint of the content at the last successful fetch.
    pub content: Option<Fingerprint>,
    /// Number of octets of that content.
    pub octets: Option<u64>,
    /// Time of the last attempt; before the first attempt, so long ago that the URL is due.
    pub at: Timestamp,
    /// Last time when the content was different.
    pub changed: Option<Timestamp>,
    /// True if the change has not been opened yet.
    pub is_new: bool,
    /// The posts that the page lists; `None` before the first successful fetch.
    pub entries: Option<WatchedEntries>,
    /// Version of that content; `None` if its server tells none.
    pub copy: Option<KnownCopy>,
}

/// States of the watched URLs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchedPages {
    states: Facts<WatchState>,
}

/// Returns the latest time of an attempt after which a URL is due at `now`.
fn due_before(now: Timestamp) -> Timestamp {
    now.checked_sub(BETWEEN).unwrap_or(now)
}

/// Returns the names of the followed bookmarks by their URLs.
pub fn labels(bookmarks: &Bookmarks) -> BTreeMap<UrlKey, Text> {
    let watched = bookmarks.bookmarks().filter(is_followed);
    let labels = watched.filter_map(|bookmark| {
        let url = bookmark.repaired_url().ok()?;
        Some((UrlKey::of(&url), bookmark.label()))
    });
    labels.collect()
}

impl WatchedPages {
    /// Parses a file; any octets are accepted.
    pub fn parse(octets: &[u8]) -> Self {
        Self {
            states: facts::parse(octets),
        }
    }

    /// Returns the octets of the file.
    pub fn to_octets(&self) -> Vec<u8> {
        facts::format(&self.states)
    }

    /// Returns the state of a URL.
    pub fn of(&self, url: &Url) -> Option<&WatchState> {
        if self.states.is_empty() {
            return None;
        }
        self.states.get(&UrlKey::of(url))
    }

    /// Returns what a request for a URL tells of its last content; `None` if it is fetched whole.
    pub fn known_copy(&self, url: &Url) -> Option<Box<KnownCopy>> {
        self.of(url)?.copy.clone().map(Box::new)
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

    /// Returns all entries, each with the key of its page: the latest date first.
    pub fn entries(&self) -> Vec<(&UrlKey, &WatchedEntry)> {
        let entries = self.states.iter().flat_map(|(page, state)| {
            let entries = state.entries.iter().flat_map(WatchedEntries::iter);
            entries.map(move |entry| (page, entry))
        });
        let mut entries: Vec<_> = entries.collect();
        entries.sort_by(|(_, a), (_, b)| WatchedEntry::order(a, b));
        entries
    }

    /// Returns the pages that have changed or list new entries, with their states.
    pub fn unread(&self) -> impl Iterator<Item = (&UrlKey, &WatchState)> {
        let mut states = self.states.iter();
        std::iter::from_fn(move || states.find(|(_, state)| state.unread() > 0))
    }

    /// Returns the event that the user opens a URL, if it changes anything.
    pub fn opening(&self, url: &Url) -> Option<WatchEvent> {
        let key = UrlKey::of(url);
        let has_entry = |state: &WatchState| {
            let mut new = state.entries.iter().flat_map(WatchedEntries::new_ones);
            new.any(|entry| entry.leads_to(&key))
        };
        let page = self.states.get(&key);
        let is_unread = page.is_some_and(|state| state.is_new || state.has_new_entries())
            || self.states.values().any(has_entry);
        let fragment = url.fragment().map(|fragment| fragment.as_str().to_owned());
        is_unread.then_some(WatchEvent::Opened(key, fragment))
    }

    /// Records that the user has opened a URL: nothing on that page is new, and no entry that leads there. With the
    /// anchor of an entry, its text alone was read.
    fn open(&mut self, key: &UrlKey, anchor: Option<&str>) {
        if let Some(state) = self.states.get_mut(key) {
            let mut entries = state.entries.iter_mut();
            if let Some(anchor) = anchor
                && entries.any(|entries| entries.open_text(anchor))
            {
                state.is_new &= state.has_new_entries();
                return;
            }
            state.is_new = false;
            state.entries.iter_mut().for_each(WatchedEntries::open_all);
        }
        for state in self.states.values_mut() {
            let mut entries = state.entries.iter_mut();
            if entries.any(|entries| entries.open(key)) && !state.has_new_entries() {
                // The change of the page was its entries.
                state.is_new = false;
            }
        }
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
            WatchEvent::Opened(key, anchor) => {
                self.open(key, anchor.as_deref());
                false
            }
            WatchEvent::FirstRead(key) => {
                let state = self.states.get_mut(key);
                let entries = state.and_then(|state| state.entries.as_mut());
                if let Some(entries) = entries {
                    entries.close_newest(MAX_FIRST_READ);
                }
                false
            }
            WatchEvent::Wanted(key, ids) => {
                let state = self.states.get_mut(key);
                if let Some(entries) = state.and_then(|state| state.entries.as_mut()) {
                    entries.want(ids);
                }
                false
            }
            WatchEvent::Confirmed(key, at) => {
                let state = self.states.entry(key.clone());
                state.or_insert_with(|| WatchState {
                    at: due_before(*at),
                    ..WatchState::default()
                });
                false
            }
            WatchEvent::Fetched(key, content, at) => {
                let state = self.states.entry(key.clone()).or_default();
                state.at = *at;
                content
                    .as_ref()
                    .is_some_and(|content| state.update(content, *at))
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

    /// Makes the URLs due that were fetched in the future, when the clock was ahead.
    fn correct_times(&mut self, now: Timestamp) {
        for state in self.states.values_mut().filter(|state| state.at > now) {
            state.at = due_before(now);
        }
    }
}

impl WatchState {
    /// Returns the number of entries that were not opened; a page that has changed without any counts as one.
    pub fn unread(&self) -> usize {
        let entries = self.entries.iter().flat_map(WatchedEntries::new_ones);
        match entries.count() {
            0 => usize::from(self.is_new),
            count => count,
        }
    }

    /// Returns true if the page lists an entry that was not opened.
    pub fn has_new_entries(&self) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|entries| entries.new_ones().next().is_some())
    }

    /// Stores the content of a fetch. Returns true if it is different.
    fn update(&mut self, content: &PageContent, at: Timestamp) -> bool {
        match &mut self.entries {
            Some(entries) => entries.add(&content.entries, at),
            None => self.entries = Some(WatchedEntries::first(&content.entries, at)),
        }
        // A shorter page whose end is unconfirmed may be a part of the one before: what is missing is no change.
        let is_shorter = self.octets.is_some_and(|before| content.octets < before);
        if content.end.is_unconfirmed() && is_shorter {
            return false;
        }
        let has_version =
            content.copy.version.tag.is_some() || content.copy.version.modified.is_some();
        let is_sure = has_version && !content.end.is_unconfirmed();
        self.copy = is_sure.then(|| content.copy.clone());
        self.octets = Some(content.octets);
        let before = self.content.replace(content.fingerprint);
        let is_other = before.is_some_and(|before| before != content.fingerprint);
        if is_other {
            self.changed = Some(at);
            self.is_new = true;
        }
        is_other
    }
}

/// Line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    octets: Option<u64>,
    at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    changed: Option<String>,
    #[serde(default)]
    new: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<EntryLine>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    real: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    modified: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    charset: Option<String>,
}

impl Line {
    fn of(key: &UrlKey, state: &WatchState) -> Self {
        let hash = state.content.map(|content| content.to_string());
        let copy = state.copy.as_ref();
        let version = copy.map(|copy| copy.version.clone()).unwrap_or_default();
        let charset = copy.and_then(|copy| copy.charset);
        Self {
            url: key.as_str().to_owned(),
            sha256: hash.and_then(|hash| Some(hash.strip_prefix("sha256:")?.to_owned())),
            octets: state.octets,
            at: state.at.to_string(),
            changed: state.changed.map(|changed| changed.to_string()),
            new: state.is_new,
            entries: state.entries.as_ref().map(WatchedEntries::to_lines),
            real: copy.map(|copy| copy.url.to_string()),
            etag: version.tag.map(Into::into),
            modified: version.modified,
            size: version.size,
            charset: charset.map(|charset| charset.name().to_owned()),
        }
    }

    fn into_state(self) -> Option<(UrlKey, WatchState)> {
        let url = Dialect::Extended.parse(&self.url).ok()?;
        let time = |written: &str| written.parse::<Timestamp>().ok();
        let hash = self.sha256.map(|hash| format!("sha256:{hash}"));
        let copy = self.real.and_then(|real| {
            Some(KnownCopy {
                url: Dialect::Extended.parse(&real).ok()?,
                version: Version {
                    size: self.size,
                    modified: self.modified,
                    tag: self.etag.map(Into::into),
                },
                charset: self.charset.as_deref().and_then(Charset::named),
            })
        });
        let state = WatchState {
            copy,
            content: hash.as_deref().and_then(Fingerprint::parse),
            octets: self.octets,
            at: time(&self.at)?,
            changed: self.changed.as_deref().and_then(time),
            is_new: self.new,
            entries: self.entries.map(WatchedEntries::of_lines),
        };
        Some((UrlKey::of(&url), state))
    }
}

/// Reads the file; a missing file gives an empty set.
///
/// # Errors
/// A `FileError` of reading.
pub fn load(path: &Path) -> Result<WatchedPages, FileError> {
    let states = facts::load(path)?;
    Ok(WatchedPages { states })
}

/// Adds events to the file as it is now. Returns all stored states.
///
/// # Errors
/// A `FileError`; nothing is written then.
pub fn save(path: &Path, events: &[WatchEvent], now: Timestamp) -> Result<WatchedPages, FileError> {
    let states = facts::change(path, |states| {
        let mut watched = WatchedPages { states };
        watched.correct_times(now);
        for event in events {
            watched.note(event);
        }
        watched.states
    })?;
    Ok(WatchedPages { states })
}
