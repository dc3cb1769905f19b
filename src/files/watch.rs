//! What was seen at the URLs of watched bookmarks, those with the tag `#watch`: a plain text file, one JSON object a line.
//!
//! ```text
//! seen = { "url", "sha256", "at", "changed", "new" }
//! ```
//!
//! `url` is the canonical spelling without its password; `sha256` is that of the content when it was fetched last with
//! success, `at` when that was tried last, `changed` when it was seen to be another last, `new` whether that has not been
//! opened since. An address is fetched only after somebody has agreed to it once; from then on it has a line, with an `at`
//! so long ago that it is due. Times are UTC. Damaged lines mean nothing and go; so does what nobody has fetched for a year. Deleting the
//! file forgets all of it.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::bookmarks::Bookmark;
use super::checks::Key;
use super::{atomic, regular};
use crate::net::Fingerprint;
use crate::url::Url;

/// The tag of a bookmark that is watched.
pub const TAG: &str = "watch";

/// Between two fetches of one URL: a day, and so much less that who starts Geomys each morning has it fetched.
const BETWEEN: SignedDuration = SignedDuration::from_hours(20);

/// How long something is remembered that nobody fetches any more.
const MEMORY: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Why the file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Reading failed.
    #[error("what was seen of the watched bookmarks cannot be read: {source} ({path})", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// Writing failed; the file is as it was.
    #[error("what was seen of the watched bookmarks was not written down: {source} ({path})", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
}

/// Something to take in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// It was fetched at this time; nothing came where its server did not give it.
    Fetched(Key, Option<Fingerprint>, Timestamp),
    /// Somebody has opened it.
    Opened(Key),
    /// Somebody has agreed at this time that it is fetched.
    Confirmed(Key, Timestamp),
}

/// What was seen at one URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// What was there when it was fetched last with success.
    pub content: Option<Fingerprint>,
    /// When it was tried last; before the first time so long ago that it is due.
    pub at: Timestamp,
    /// When it was seen to be another last.
    pub changed: Option<Timestamp>,
    /// Nobody has opened it since.
    pub is_new: bool,
}

impl Seen {
    fn nothing(at: Timestamp) -> Self {
        Self {
            content: None,
            at,
            changed: None,
            is_new: false,
        }
    }
}

/// What was seen, by URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    seen: BTreeMap<Key, Seen>,
}

/// Whether a bookmark is watched.
pub fn is_watched(bookmark: &Bookmark<'_>) -> bool {
    bookmark.tags().iter().any(|tag| is_tag(tag.as_str()))
}

/// Whether a tag, without its `#`, has a bookmark watched.
pub fn is_tag(tag: &str) -> bool {
    tag.eq_ignore_ascii_case(TAG)
}

impl Watched {
    /// Reads a file; any octets are one.
    pub fn parse(octets: &[u8]) -> Self {
        let lines = octets.split(|&octet| octet == b'\n');
        let seen = lines.filter_map(|line| {
            let line: Line = serde_json::from_slice(line).ok()?;
            line.seen()
        });
        Self {
            seen: seen.collect(),
        }
    }

    /// The file's octets.
    pub fn to_octets(&self) -> Vec<u8> {
        let mut octets = Vec::new();
        for (key, seen) in &self.seen {
            // Of strings alone: nothing in it can fail.
            if serde_json::to_writer(&mut octets, &Line::of(key, seen)).is_ok() {
                octets.push(b'\n');
            }
        }
        octets
    }

    /// What was seen at a URL.
    pub fn of(&self, url: &Url) -> Option<&Seen> {
        if self.seen.is_empty() {
            return None;
        }
        self.seen.get(&Key::of(url))
    }

    /// Whether somebody has agreed that a URL is fetched: it was fetched before, or confirmed.
    pub fn is_confirmed(&self, url: &Url) -> bool {
        self.of(url).is_some()
    }

    /// Whether a URL has changed, and nobody has opened it since.
    pub fn is_new(&self, url: &Url) -> bool {
        self.of(url).is_some_and(|seen| seen.is_new)
    }

    /// All that has changed and was not opened since.
    pub fn new_ones(&self) -> impl Iterator<Item = &Key> {
        let seen = self.seen.iter().filter(|(_, seen)| seen.is_new);
        seen.map(|(key, _)| key)
    }

    /// Whether a URL has not been fetched for about a day. A clock that was set back counts as a day, too.
    pub fn is_due(&self, url: &Url, now: Timestamp) -> bool {
        self.of(url).is_none_or(|seen| {
            let since = now.duration_since(seen.at);
            since >= BETWEEN || since.is_negative()
        })
    }

    /// Takes something in; whether a URL is seen to have changed by it. What is seen for the first time has not.
    pub fn note(&mut self, event: &Event) -> bool {
        let (key, content, at) = match event {
            Event::Opened(key) => {
                if let Some(seen) = self.seen.get_mut(key) {
                    seen.is_new = false;
                }
                return false;
            }
            Event::Confirmed(key, at) => {
                let long_ago = at.checked_sub(BETWEEN).unwrap_or(*at);
                self.seen
                    .entry(key.clone())
                    .or_insert(Seen::nothing(long_ago));
                return false;
            }
            Event::Fetched(key, content, at) => (key, content, *at),
        };
        let seen = self.seen.entry(key.clone()).or_insert(Seen::nothing(at));
        seen.at = at;
        let Some(content) = content else {
            return false;
        };
        let is_other = seen.content.is_some_and(|before| before != *content);
        seen.content = Some(*content);
        if is_other {
            seen.changed = Some(at);
            seen.is_new = true;
        }
        is_other
    }

    /// Whether a word of a filter is `is:new`, and then whether the URL is.
    pub fn fits(&self, word: &str, url: &Url) -> Option<bool> {
        Self::is_judged(word).then(|| self.is_new(url))
    }

    /// Whether a word of a filter is the one that [`Watched::fits`] judges.
    pub fn is_judged(word: &str) -> bool {
        word.eq_ignore_ascii_case("is:new")
    }

    fn forget(&mut self, now: Timestamp) {
        self.seen
            .retain(|_, seen| now.duration_since(seen.at) < MEMORY);
    }
}

/// A line of the file.
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
    fn of(key: &Key, seen: &Seen) -> Self {
        let hash = seen.content.map(|content| content.to_string());
        Self {
            url: key.as_str().to_owned(),
            sha256: hash.and_then(|hash| Some(hash.strip_prefix("sha256:")?.to_owned())),
            at: seen.at.to_string(),
            changed: seen.changed.map(|changed| changed.to_string()),
            new: seen.is_new,
        }
    }

    fn seen(self) -> Option<(Key, Seen)> {
        let url = Url::accept(&self.url).ok()?;
        let time = |written: &str| written.parse::<Timestamp>().ok();
        let hash = self.sha256.map(|hash| format!("sha256:{hash}"));
        let seen = Seen {
            content: hash.as_deref().and_then(Fingerprint::parse),
            at: time(&self.at)?,
            changed: self.changed.as_deref().and_then(time),
            is_new: self.new,
        };
        Some((Key::of(&url), seen))
    }
}

/// Reads the file; one that does not exist holds nothing.
///
/// # Errors
/// [`Error::Read`].
pub fn load(path: &Path) -> Result<Watched, Error> {
    let octets = regular::read_list(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })?;
    Ok(Watched::parse(&octets))
}

/// Takes events into the file as it is now. Gives all that is known then.
///
/// # Errors
/// Any [`Error`]; nothing is written then.
pub fn save(path: &Path, events: &[Event], now: Timestamp) -> Result<Watched, Error> {
    let write = |source| Error::Write {
        path: path.to_owned(),
        source,
    };
    atomic::change(path, write, || {
        let mut watched = load(path)?;
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

    fn fetched(content: Option<&str>, hour: i64) -> Event {
        let content = content.map(|content| Fingerprint::of(content.as_bytes()));
        Event::Fetched(Key::of(&url(1)), content, at(hour))
    }

    #[test]
    fn what_has_changed_is_new_until_it_is_opened() {
        let mut watched = Watched::default();
        assert!(watched.is_due(&url(1), at(0)));
        assert!(!watched.note(&fetched(Some("a"), 0)));
        assert!(!watched.is_due(&url(1), at(19)) && watched.is_due(&url(1), at(20)));
        assert!(!watched.note(&fetched(Some("a"), 24)));
        // A failure is no change, and is not repeated before a day has gone.
        assert!(!watched.note(&fetched(None, 48)));
        assert!(!watched.is_due(&url(1), at(50)));
        assert!(!watched.is_new(&url(1)));
        assert!(watched.note(&fetched(Some("b"), 72)));
        assert!(watched.is_new(&url(1)));
        assert_eq!(watched.fits("is:new", &url(1)), Some(true));
        assert_eq!(watched.fits("is:gone", &url(1)), None);
        // It stays new, though it has not changed since.
        assert!(!watched.note(&fetched(Some("b"), 96)));
        assert!(watched.is_new(&url(1)));
        watched.note(&Event::Opened(Key::of(&url(1))));
        assert!(!watched.is_new(&url(1)));
        assert_eq!(watched.of(&url(1)).unwrap().changed, Some(at(72)));
    }

    #[test]
    fn confirmed_address_is_due_and_keeps_what_was_seen() {
        let mut watched = Watched::default();
        let confirmed = Event::Confirmed(Key::of(&url(1)), at(5));
        assert!(!watched.is_confirmed(&url(1)));
        assert!(!watched.note(&confirmed));
        assert!(watched.is_confirmed(&url(1)) && watched.is_due(&url(1), at(5)));
        assert!(!watched.is_new(&url(1)));
        assert_eq!(Watched::parse(&watched.to_octets()), watched);
        assert!(!watched.note(&fetched(Some("a"), 6)));
        let seen = watched.clone();
        watched.note(&confirmed);
        assert_eq!(watched, seen);
    }

    #[test]
    fn a_clock_that_was_set_back_keeps_nobody_waiting() {
        let mut watched = Watched::default();
        watched.note(&fetched(Some("a"), 10_000));
        assert!(watched.is_due(&url(1), at(0)));
    }

    #[test]
    fn two_of_us_lose_nothing_of_each_other() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("watched.jsonl");
        save(&path, &[fetched(Some("a"), 0)], at(0)).unwrap();
        let other = Event::Fetched(Key::of(&url(2)), None, at(0));
        let both = save(&path, &[other], at(0)).unwrap();
        assert_eq!(load(&path).unwrap(), both);
        assert!(both.of(&url(1)).is_some() && both.of(&url(2)).is_some());
        let later = save(&path, &[], at(366 * 24)).unwrap();
        assert_eq!(later, Watched::default());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            events in proptest::collection::vec((0..9_usize, 0..4_u8, 0_i64..900), 0..60),
        ) {
            let mut watched = Watched::default();
            for (number, content, hour) in events {
                let key = Key::of(&url(number));
                let content = (content < 3).then(|| Fingerprint::of(&[content]));
                watched.note(&Event::Fetched(key, content, at(hour)));
            }
            prop_assert_eq!(Watched::parse(&watched.to_octets()), watched);
        }

        #[test]
        fn damaged_lines_cost_no_other_line_anything(
            octets in proptest::collection::vec(any::<u8>(), 0..200),
        ) {
            let mut watched = Watched::default();
            watched.note(&fetched(Some("a"), 0));
            let file = [octets, b"\n".to_vec(), watched.to_octets()].concat();
            prop_assert!(Watched::parse(&file).of(&url(1)).is_some());
        }
    }
}
