//! What is known of the URLs of bookmarks: a plain text file, one JSON object a line.
//!
//! ```text
//! check = { "url", "state", "words", "at", "ms", "since", "alive", "listed" }
//! ```
//!
//! `url` is the canonical spelling without its password; `state` is the name of a [`Verdict`], `words` what is said
//! beside it (of `moved` the new URL); `at` is when it was asked last, `since` when it was first found in this state,
//! `alive` when it was alive last, `listed` the last time that it was in a list of bookmarks. Times are UTC. What nobody has
//! asked has no line. Damaged lines, and those of no URL, mean nothing and go; so do those of URLs that have been in no
//! list for a year. Deleting the file forgets all of it.

mod store;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use self::store::Line;
pub use self::store::{Error, load, save};
use self::words::Wanted;
pub use self::words::age_of;
use crate::load::check::{Checked, Verdict};
use crate::url::Url;

/// How long something is remembered that is in no list any more.
const MEMORY: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Lines that are kept at most; those that were listed longest ago go first.
const MOST: usize = 1_000_000;

/// Octets of words that are kept.
const WORDS: usize = 300;

/// Which URL something is known of: its canonical spelling, without a password.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(String);

impl Key {
    /// Of a URL.
    pub fn of(url: &Url) -> Self {
        Self(url.without_password().canonical().to_string())
    }

    /// The spelling.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What came of asking for a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Of which one.
    pub key: Key,
    /// What was found, and how long it took.
    pub checked: Checked,
    /// When.
    pub at: Timestamp,
}

/// What is known of one URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The last verdict; never [`Verdict::Unasked`].
    pub verdict: Verdict,
    /// When that was.
    pub at: Timestamp,
    /// How long it took.
    pub took: Duration,
    /// Since when it is in this state, as far as is known.
    pub since: Timestamp,
    /// When it was alive last, or had moved and was there.
    pub alive: Option<Timestamp>,
    listed: Timestamp,
}

impl Known {
    /// The state and its words, as `gone since 2026-10-21: no such page`.
    pub fn sentence(&self) -> String {
        let words = self.verdict.words();
        let name = self.verdict.name();
        let day = day(self.since);
        match (&self.verdict, words.is_empty()) {
            (Verdict::Alive, _) | (_, true) => format!("{name} since {day}"),
            (Verdict::Moved(_), false) => format!("{name}, {words} (since {day})"),
            (_, false) => format!("{name} since {day}: {words}"),
        }
    }
}

/// The time in whole seconds, which is all that anybody needs to know of a check.
pub fn now() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}

/// The day of a time, in UTC, as `2026-11-20`.
pub fn day(time: Timestamp) -> String {
    time.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
}

/// What is known, by URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    known: BTreeMap<Key, Known>,
}

impl Checks {
    /// Reads a file; any octets are one.
    pub fn parse(octets: &[u8]) -> Self {
        let lines = octets.split(|&octet| octet == b'\n');
        let known = lines.filter_map(|line| {
            let line: Line = serde_json::from_slice(line).ok()?;
            line.known()
        });
        Self {
            known: known.collect(),
        }
    }

    /// The file's octets.
    pub fn to_octets(&self) -> Vec<u8> {
        let mut octets = Vec::new();
        for (key, known) in &self.known {
            // Of strings and numbers alone: nothing in it can fail.
            if serde_json::to_writer(&mut octets, &Line::of(key, known)).is_ok() {
                octets.push(b'\n');
            }
        }
        octets
    }

    /// What is known of a URL.
    pub fn of(&self, url: &Url) -> Option<&Known> {
        if self.known.is_empty() {
            return None;
        }
        self.known.get(&Key::of(url))
    }

    /// All that was not alive when it was asked last.
    pub fn not_alive(&self) -> impl Iterator<Item = &Key> {
        let known = self.known.iter();
        known
            .filter(|(_, known)| !matches!(known.verdict, Verdict::Alive | Verdict::Unasked(_)))
            .map(|(key, _)| key)
    }

    /// Takes a finding in. What was not asked changes nothing.
    pub fn note(&mut self, finding: &Finding) {
        let Finding { key, checked, at } = finding;
        let verdict = match &checked.verdict {
            Verdict::Unasked(_) => return,
            verdict => short(verdict),
        };
        let was = self.known.get(key);
        let is_same = |was: &&Known| was.verdict.name() == verdict.name();
        let since = was.filter(is_same).map_or(*at, |was| was.since.min(*at));
        let alive = match &verdict {
            Verdict::Alive | Verdict::Moved(_) => Some(*at),
            Verdict::Gone(_) | Verdict::Refused(_) | Verdict::NoAnswer(_) | Verdict::Unasked(_) => {
                was.and_then(|was| was.alive)
            }
        };
        let known = Known {
            verdict,
            at: *at,
            took: checked.took,
            since,
            alive,
            listed: *at,
        };
        self.known.insert(key.clone(), known);
    }

    /// Forgets what has been in no list for a year; `listed` are those that are in one now.
    pub fn forget(&mut self, listed: &BTreeSet<Key>, now: Timestamp) {
        self.known.retain(|key, known| {
            if listed.contains(key) {
                known.listed = now;
            }
            now.duration_since(known.listed) < MEMORY
        });
        if let Some(over) = self.known.len().checked_sub(MOST).filter(|over| *over > 0) {
            let mut ages: Vec<(Timestamp, Key)> = Vec::with_capacity(self.known.len());
            ages.extend(
                self.known
                    .iter()
                    .map(|(key, known)| (known.listed, key.clone())),
            );
            ages.sort_unstable();
            for (_, key) in ages.into_iter().take(over) {
                self.known.remove(&key);
            }
        }
    }

    /// Whether a word of a filter is about what is known of a URL, and then whether it fits that: `is:gone`, `is:moved`,
    /// `is:refused`, `is:silent`, `is:alive`, `is:unchecked`, and as `gone>30d` one of the first five for longer than so many
    /// hours, days or weeks (`h`, `d`, `w`).
    pub fn fits(&self, word: &str, url: &Url, now: Timestamp) -> Option<bool> {
        let known = self.of(url);
        Some(match Wanted::of(word)? {
            Wanted::Unchecked => known.is_none(),
            Wanted::State(name) => known.is_some_and(|known| known.verdict.name() == name),
            Wanted::For(name, age) => known.is_some_and(|known| {
                known.verdict.name() == name && now.duration_since(known.since) > age
            }),
        })
    }

    /// Whether a word of a filter is one of those that [`Checks::fits`] judges.
    pub fn is_judged(word: &str) -> bool {
        Wanted::of(word).is_some()
    }

    /// Whether a word in small letters is the beginning of one of those.
    pub fn is_begun(word: &str) -> bool {
        words::is_begun(word)
    }
}

/// A verdict whose words are not without end.
fn short(verdict: &Verdict) -> Verdict {
    let cut = |words: &String| {
        let end = (0..=WORDS.min(words.len())).rev();
        let mut ends = end.filter_map(|end| words.get(..end));
        ends.next().unwrap_or_default().to_owned()
    };
    match verdict {
        Verdict::Alive => Verdict::Alive,
        Verdict::Moved(url) => Verdict::Moved(url.clone()),
        Verdict::Gone(words) => Verdict::Gone(cut(words)),
        Verdict::Refused(words) => Verdict::Refused(cut(words)),
        Verdict::NoAnswer(words) => Verdict::NoAnswer(cut(words)),
        Verdict::Unasked(words) => Verdict::Unasked(cut(words)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(day: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + day * 86_400).unwrap()
    }

    fn url(number: usize) -> Url {
        Url::accept(&format!("gopher://example.org/1/{number}")).unwrap()
    }

    fn finding(number: usize, verdict: Verdict, day: i64) -> Finding {
        Finding {
            key: Key::of(&url(number)),
            checked: Checked {
                verdict,
                took: Duration::from_millis(12),
                is_heard: true,
            },
            at: at(day),
        }
    }

    fn gone() -> Verdict {
        Verdict::Gone("no such page".to_owned())
    }

    #[test]
    fn it_is_known_since_when() {
        let mut checks = Checks::default();
        for (verdict, day) in [
            (Verdict::Alive, 0),
            (gone(), 10),
            (Verdict::Gone("in other words".to_owned()), 20),
        ] {
            checks.note(&finding(1, verdict, day));
        }
        let known = checks.of(&url(1)).unwrap();
        assert_eq!(
            (known.since, known.alive, known.at),
            (at(10), Some(at(0)), at(20))
        );
        assert_eq!(known.sentence(), "gone since 2023-11-24: in other words");
        // What was not asked changes nothing.
        let before = checks.clone();
        checks.note(&finding(1, Verdict::Unasked(String::new()), 30));
        assert_eq!(checks, before);
    }

    #[test]
    fn words_of_a_filter() {
        let mut checks = Checks::default();
        checks.note(&finding(1, gone(), 0));
        checks.note(&finding(2, Verdict::Alive, 0));
        let fits = |word: &str, number, day| checks.fits(word, &url(number), at(day));
        for (word, number, day, expected) in [
            ("is:gone", 1, 0, Some(true)),
            ("is:Gone", 1, 0, Some(true)),
            ("is:gone", 2, 0, Some(false)),
            ("is:gone", 3, 0, Some(false)),
            ("is:unchecked", 3, 0, Some(true)),
            ("is:unchecked", 1, 0, Some(false)),
            ("gone>30d", 1, 30, Some(false)),
            ("gone>30d", 1, 31, Some(true)),
            ("gone>4w", 1, 29, Some(true)),
            ("gone>12h", 1, 1, Some(true)),
            ("alive>1", 2, 2, Some(true)),
            ("gone>30d", 2, 31, Some(false)),
            ("is:new", 1, 0, None),
            ("gone", 1, 0, None),
            ("gone>soon", 1, 0, None),
            ("gone>-1d", 1, 0, None),
            ("words>30d", 1, 0, None),
        ] {
            assert_eq!(fits(word, number, day), expected, "{word}");
        }
    }

    #[test]
    fn what_is_in_no_list_for_a_year_is_forgotten() {
        let mut checks = Checks::default();
        checks.note(&finding(1, gone(), 0));
        checks.note(&finding(2, gone(), 0));
        let listed = BTreeSet::from([Key::of(&url(1))]);
        checks.forget(&listed, at(300));
        assert!(checks.of(&url(2)).is_some());
        checks.forget(&listed, at(400));
        assert!(checks.of(&url(2)).is_none() && checks.of(&url(1)).is_some());
        checks.forget(&BTreeSet::new(), at(764));
        assert!(checks.of(&url(1)).is_some());
        checks.forget(&BTreeSet::new(), at(766));
        assert_eq!(checks, Checks::default());
    }

    #[test]
    fn no_password_is_written_and_one_place_is_one_line() {
        let mut checks = Checks::default();
        for written in [
            "ftp://ada:lovelace@example.org/x",
            "FTP://ada@EXAMPLE.org:21/x",
        ] {
            let key = Key::of(&Url::accept(written).unwrap());
            checks.note(&Finding {
                key,
                ..finding(1, gone(), 0)
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
        save(&path, &[finding(1, gone(), 0)], &listed, at(0)).unwrap();
        let both = save(&path, &[finding(2, gone(), 0)], &listed, at(0)).unwrap();
        assert_eq!(load(&path).unwrap(), both);
        assert!(both.of(&url(1)).is_some() && both.of(&url(2)).is_some());
    }

    fn verdict() -> impl Strategy<Value = Verdict> {
        let words = "[ -~äöü\"\\\\]{0,400}";
        prop_oneof![
            Just(Verdict::Alive),
            (0..50_usize).prop_map(|number| Verdict::Moved(url(number))),
            words.prop_map(Verdict::Gone),
            words.prop_map(Verdict::Refused),
            words.prop_map(Verdict::NoAnswer),
            words.prop_map(Verdict::Unasked),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            findings in proptest::collection::vec((0..20_usize, verdict(), 0_i64..900), 0..60),
        ) {
            let mut checks = Checks::default();
            for (number, verdict, day) in findings {
                checks.note(&finding(number, verdict, day));
            }
            prop_assert_eq!(Checks::parse(&checks.to_octets()), checks);
        }

        #[test]
        fn damaged_lines_cost_no_other_line_anything(
            octets in proptest::collection::vec(any::<u8>(), 0..200),
        ) {
            let mut checks = Checks::default();
            checks.note(&finding(1, gone(), 0));
            let file = [octets, b"\n".to_vec(), checks.to_octets(), b"{\"url\":".to_vec()].concat();
            prop_assert!(Checks::parse(&file).of(&url(1)).is_some());
        }
    }
}
