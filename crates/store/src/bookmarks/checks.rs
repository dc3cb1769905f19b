//! Results of link checks, by the URLs of bookmarks: a plain text file, one JSON object per line.
//!
//! ```text
//! check = { "url", "login", "state", "words", "at", "ms", "since", "alive", "listed" }
//! ```
//!
//! `url` is the canonical spelling without its password, with the host in ASCII, and `login` 16 bits of a hash of the
//! URL with it: enough to tell the URLs of one user with two passwords apart, too few to find a password. `state` is
//! the name of a [`LinkStatus`], `words` its explanation (for `moved` the new URL); `at` is the time of the last
//! check, `since` the time when this state was first seen, `alive` the last time when the URL was alive, `listed` the
//! last time that it was in a list of bookmarks. Times are UTC. A URL that was never checked has no line. Damaged
//! lines, and lines without a URL, are ignored and removed. Of too many lines those go whose URLs have been in no list
//! for the longest time. Deleting the file forgets all results.

mod store;

use std::collections::BTreeSet;
use std::time::Duration;

use geomys_load::check::{LinkCheckResult, LinkStatus};
use geomys_wire::net::{compared_text, compared_url, page_url};
use jiff::{SignedDuration, Timestamp};
use rfc1738::{Url, parse_or_repair, without_secrets};

pub use self::store::{load, save};
use super::facts::{self, Facts};
use super::query::StateFilter;

/// The age of a check up to which a move is believed without another one.
const MAX_RECENT: SignedDuration = SignedDuration::from_hours(24);

/// Maximum length of an explanation, in octets.
const WORDS: usize = 300;

/// Key of what is stored for a URL: its [compared](compared_url) spelling, without a password and a fragment, and 16
/// bits of a hash of the URL with its password where different passwords are told apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrlKey(String, Option<u16>);

impl UrlKey {
    /// Returns the key of a URL with any password.
    pub fn of(url: &Url) -> Self {
        Self(page_url(url).to_string(), None)
    }

    /// Returns the key of a URL with its own password: a link check has a result for each.
    pub fn with_login(url: &Url) -> Self {
        let key = Self::of(url);
        let compared = compared_url(&url.without_fragment());
        if compared.as_str() == key.0 {
            return key;
        }
        let digest = ring::digest::digest(&ring::digest::SHA256, compared.as_str().as_bytes());
        let hash = digest.as_ref().first_chunk().copied();
        Self(key.0, hash.map(u16::from_be_bytes))
    }

    /// Returns the key of the URL of a bookmark: its fragment tells it from the others of the page.
    pub(super) fn of_bookmark(url: &Url) -> Self {
        Self(compared_url(&url.without_password()).to_string(), None)
    }

    /// Returns the key of the URL of a bookmark as written, or of its repair; a fault without a repair is its own key.
    pub(super) fn of_written(written: &str) -> Self {
        match parse_or_repair(written) {
            Ok(url) => Self::of_bookmark(&url),
            Err(_) => Self(without_secrets(written).into_owned(), None),
        }
    }

    /// Returns the key of a stored line of dates; an earlier version may have compared otherwise.
    pub(super) fn from_stored(key: &str) -> Self {
        Self(compared_text(key).into_owned(), None)
    }

    /// Returns the compared spelling.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Result of one link check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckResult {
    /// Key of the URL.
    pub key: UrlKey,
    /// `LinkStatus` and duration.
    pub checked: LinkCheckResult,
    /// Time of the check.
    pub at: Timestamp,
}

/// Stored state of one URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkState {
    /// The last verdict; never [`LinkStatus::NotChecked`].
    pub verdict: LinkStatus,
    /// Time of the last check.
    pub at: Timestamp,
    /// Duration of the last check.
    pub took: Duration,
    /// Earliest check that found this state without interruption.
    pub since: Timestamp,
    /// Last time when the URL was alive, or had moved to a URL that was.
    pub alive: Option<Timestamp>,
    listed: Timestamp,
}

impl LinkState {
    /// Returns true if the check is at most a day old: servers and hotels say what they do not mean.
    pub fn is_recent(&self, now: Timestamp) -> bool {
        now.duration_since(self.at) <= MAX_RECENT
    }

    /// Returns the state and its explanation, as `dead since 2026-10-21: no such page`.
    pub fn sentence(&self) -> String {
        let words = self.verdict.words();
        let name = self.verdict.name();
        let day = day(self.since);
        match (&self.verdict, words.is_empty()) {
            (LinkStatus::Alive, _) | (_, true) => format!("{name} since {day}"),
            (LinkStatus::Moved(_), false) => format!("{name}, {words} (since {day})"),
            (_, false) => format!("{name} since {day}: {words}"),
        }
    }
}

/// Returns the current time in whole seconds, which is precise enough for a check.
pub fn current_second() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}

/// Returns the day of a time, in UTC, as `2026-11-20`.
pub fn day(time: Timestamp) -> String {
    time.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
}

/// Stored states by URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    states: Facts<LinkState>,
}

impl Checks {
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

    /// Returns the stored state of a URL.
    pub fn of(&self, url: &Url) -> Option<&LinkState> {
        if self.states.is_empty() {
            return None;
        }
        self.states.get(&UrlKey::with_login(url))
    }

    /// Returns the new URL of a URL that had moved at the last check, with its fragment.
    pub fn moved_to(&self, url: &Url) -> Option<Url> {
        match self.of(url)?.verdict.with_fragment_of(url) {
            LinkStatus::Moved(to) => Some(to),
            LinkStatus::Alive
            | LinkStatus::Dead(_)
            | LinkStatus::Refused(_)
            | LinkStatus::Unreachable(_)
            | LinkStatus::NotChecked(_)
            | LinkStatus::Local(_) => None,
        }
    }

    /// Returns the keys of all URLs that were not alive at the last check.
    pub fn not_alive(&self) -> impl Iterator<Item = &UrlKey> {
        self.states
            .iter()
            .filter(|(_, state)| {
                !matches!(state.verdict, LinkStatus::Alive | LinkStatus::NotChecked(_))
            })
            .map(|(key, _)| key)
    }

    /// Adds a result. A URL that was not requested changes nothing.
    pub fn note(&mut self, result: &CheckResult) {
        let CheckResult { key, checked, at } = result;
        let verdict = match &checked.verdict {
            LinkStatus::NotChecked(_) | LinkStatus::Local(_) => return,
            verdict => truncated(verdict),
        };
        let was = self.states.get(key);
        let is_same = |was: &&LinkState| was.verdict.name() == verdict.name();
        let since = was.filter(is_same).map_or(*at, |was| was.since.min(*at));
        let alive = match &verdict {
            LinkStatus::Alive | LinkStatus::Moved(_) => Some(*at),
            LinkStatus::Dead(_)
            | LinkStatus::Refused(_)
            | LinkStatus::Unreachable(_)
            | LinkStatus::NotChecked(_)
            | LinkStatus::Local(_) => was.and_then(|was| was.alive),
        };
        let state = LinkState {
            verdict,
            at: *at,
            took: checked.took,
            since,
            alive,
            listed: *at,
        };
        self.states.insert(key.clone(), state);
    }

    /// Records that the URLs in `listed` are in a list now. A time in the future, when the clock was ahead, was now.
    fn list(&mut self, listed: &BTreeSet<UrlKey>, now: Timestamp) {
        for (key, state) in &mut self.states {
            if listed.contains(key) || state.listed > now {
                state.listed = now;
            }
        }
    }

    /// Matches a filter word against the stored state of a URL; `None` if the word is not about states. Words are
    /// `is:dead`, `is:moved`, `is:refused`, `is:unreachable`, `is:alive`, `is:unchecked`, and, as in `dead>30d`, one of
    /// the first five for longer than a number of hours, days or weeks (`h`, `d`, `w`).
    pub fn matches(&self, word: &str, url: &Url, now: Timestamp) -> Option<bool> {
        let state = self.of(url);
        Some(match StateFilter::of(word)? {
            StateFilter::Unchecked => state.is_none(),
            StateFilter::State(name, age) => state.is_some_and(|state| {
                let is_older = |age| now.duration_since(state.since) > age;
                state.verdict.name() == name && age.is_none_or(is_older)
            }),
        })
    }
}

/// Returns the verdict with its explanation truncated to [`WORDS`] octets.
fn truncated(verdict: &LinkStatus) -> LinkStatus {
    let mut verdict = verdict.clone();
    match &mut verdict {
        LinkStatus::Alive | LinkStatus::Moved(_) => {}
        LinkStatus::Dead(words)
        | LinkStatus::Refused(words)
        | LinkStatus::Unreachable(words)
        | LinkStatus::NotChecked(words)
        | LinkStatus::Local(words) => words.truncate(words.floor_char_boundary(WORDS)),
    }
    verdict
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rfc1738::Dialect;

    use super::*;

    fn at(day: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + day * 86_400).unwrap()
    }

    fn url(number: usize) -> Url {
        Dialect::Extended
            .parse(&format!("gopher://example.org/1/{number}"))
            .unwrap()
    }

    fn result(number: usize, verdict: LinkStatus, day: i64) -> CheckResult {
        CheckResult {
            key: UrlKey::of(&url(number)),
            checked: LinkCheckResult {
                verdict,
                took: Duration::from_millis(12),
                is_answered: true,
            },
            at: at(day),
        }
    }

    fn dead() -> LinkStatus {
        LinkStatus::Dead("no such page".to_owned())
    }

    #[test]
    fn state_start_time_survives_new_words() {
        let mut checks = Checks::default();
        for (verdict, day) in [
            (LinkStatus::Alive, 0),
            (dead(), 10),
            (LinkStatus::Dead("in other words".to_owned()), 20),
        ] {
            checks.note(&result(1, verdict, day));
        }
        let state = checks.of(&url(1)).unwrap();
        assert_eq!(
            (state.since, state.alive, state.at),
            (at(10), Some(at(0)), at(20))
        );
        assert_eq!(state.sentence(), "dead since 2023-11-24: in other words");
        // A URL that was not requested changes nothing.
        let before = checks.clone();
        checks.note(&result(1, LinkStatus::NotChecked(String::new()), 30));
        assert_eq!(checks, before);
    }

    #[test]
    fn words_of_a_filter() {
        let mut checks = Checks::default();
        checks.note(&result(1, dead(), 0));
        checks.note(&result(2, LinkStatus::Alive, 0));
        let matches = |word: &str, number, day| checks.matches(word, &url(number), at(day));
        for (word, number, day, expected) in [
            ("is:dead", 1, 0, Some(true)),
            ("is:Dead", 1, 0, Some(true)),
            ("is:dead", 2, 0, Some(false)),
            ("is:dead", 3, 0, Some(false)),
            ("is:unchecked", 3, 0, Some(true)),
            ("is:unchecked", 1, 0, Some(false)),
            ("dead>30d", 1, 30, Some(false)),
            ("dead>30d", 1, 31, Some(true)),
            ("dead>4w", 1, 29, Some(true)),
            ("dead>12h", 1, 1, Some(true)),
            ("alive>1", 2, 2, Some(true)),
            ("dead>30d", 2, 31, Some(false)),
            ("is:new", 1, 0, None),
            ("dead", 1, 0, None),
            ("dead>soon", 1, 0, None),
            ("dead>-1d", 1, 0, None),
            ("words>30d", 1, 0, None),
        ] {
            assert_eq!(matches(word, number, day), expected, "{word}");
        }
    }

    #[test]
    fn no_clock_makes_a_check_too_old() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("checks.jsonl");
        let stored = |results: &[CheckResult], day| {
            let checks = save(&path, results, &BTreeSet::new(), at(day)).unwrap();
            (1..=2).all(|number| checks.of(&url(number)).is_some())
        };
        assert!(stored(&[1, 2].map(|number| result(number, dead(), 0)), 0));
        for day in [400, 401, 9000, 9001, 1] {
            assert!(stored(&[], day), "{day}");
        }
    }

    #[test]
    fn no_password_is_written_and_one_place_is_one_line() {
        let mut checks = Checks::default();
        for written in [
            "ftp://ada:lovelace@example.org/x",
            "FTP://ada@EXAMPLE.org:21/x",
        ] {
            let key = UrlKey::of(&Dialect::Extended.parse(written).unwrap());
            checks.note(&CheckResult {
                key,
                ..result(1, dead(), 0)
            });
        }
        let text = String::from_utf8(checks.to_octets()).unwrap();
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains("ftp://ada@example.org/x") && !text.contains("lovelace"));
    }

    #[test]
    fn two_of_us_lose_nothing_of_each_other() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("deep").join("checks.jsonl");
        let listed = BTreeSet::new();
        save(&path, &[result(1, dead(), 0)], &listed, at(0)).unwrap();
        let both = save(&path, &[result(2, dead(), 0)], &listed, at(0)).unwrap();
        assert_eq!(load(&path).unwrap(), both);
        assert!(both.of(&url(1)).is_some() && both.of(&url(2)).is_some());
    }

    fn verdict() -> impl Strategy<Value = LinkStatus> {
        let words = "[ -~äöü\"\\\\]{0,400}";
        prop_oneof![
            Just(LinkStatus::Alive),
            (0..50_usize).prop_map(|number| LinkStatus::Moved(url(number))),
            words.prop_map(LinkStatus::Dead),
            words.prop_map(LinkStatus::Refused),
            words.prop_map(LinkStatus::Unreachable),
            words.prop_map(LinkStatus::NotChecked),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            results in proptest::collection::vec((0..20_usize, verdict(), 0_i64..900), 0..60),
        ) {
            let mut checks = Checks::default();
            for (number, verdict, day) in results {
                checks.note(&result(number, verdict, day));
            }
            prop_assert_eq!(Checks::parse(&checks.to_octets()), checks);
        }

        #[test]
        fn damaged_lines_cost_no_other_line_anything(
            octets in proptest::collection::vec(any::<u8>(), 0..200),
        ) {
            let mut checks = Checks::default();
            checks.note(&result(1, dead(), 0));
            let file = [octets, b"\n".to_vec(), checks.to_octets(), b"{\"url\":".to_vec()].concat();
            prop_assert!(Checks::parse(&file).of(&url(1)).is_some());
        }
    }
}
