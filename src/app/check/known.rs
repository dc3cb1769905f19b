//! What is known of a bookmark, in a mark, in a sentence, and in full.

use jiff::Timestamp;

use super::Checking;
use crate::files::checks::{Key, Known, day};
use crate::files::watch::Seen;
use crate::load::check::Verdict;
use crate::text::Text;
use crate::url::Url;

impl Checking {
    /// Nothing is known yet, in a browser that starts now.
    pub fn new(now: Timestamp) -> Self {
        Self {
            started: Some(now),
            ..Self::default()
        }
    }

    /// The mark of a bookmark; nothing where nothing is to be said of it.
    pub fn mark(&self, url: &Url) -> Option<Mark> {
        let mark = self.checks.of(url).and_then(|known| match known.verdict {
            Verdict::Alive | Verdict::Unasked(_) => None,
            Verdict::Moved(_) => Some(Mark::Moved),
            Verdict::Gone(_) => Some(Mark::Gone),
            Verdict::Refused(_) => Some(Mark::Refused),
            Verdict::NoAnswer(_) => Some(Mark::Silent),
        });
        let is_new = || self.watched.is_new(url).then_some(Mark::New);
        mark.or_else(is_new)
    }

    /// All that has a mark.
    pub(super) fn marked(&self) -> impl Iterator<Item = &Key> {
        self.checks.not_alive().chain(self.watched.new_ones())
    }

    /// What is said of a bookmark in the status line; nothing where it is as it should be.
    pub fn sentence(&self, url: &Url) -> Option<String> {
        let new = || {
            let seen = self.watched.of(url).filter(|seen| seen.is_new)?;
            Some(format!("new on {}", day(seen.changed?)))
        };
        match self.checks.of(url) {
            Some(known) if !matches!(known.verdict, Verdict::Alive) => Some(known.sentence()),
            Some(_) | None => new(),
        }
    }

    /// All that is known of a bookmark, as names and values.
    pub fn facts(&self, url: &Url) -> Vec<(Text, Text)> {
        let mut facts = Vec::new();
        let mut say = |name: &str, value: String| facts.push((Text::of(name), Text::of(&value)));
        if let Some(known) = self.checks.of(url) {
            tell(known, &mut say);
        }
        if let Some(seen) = self.watched.of(url) {
            say("watched", watched(seen));
        }
        facts
    }
}

fn tell(known: &Known, say: &mut impl FnMut(&str, String)) {
    say("checked", known.sentence());
    let ms = known.took.as_millis();
    say("asked", format!("on {}, it took {ms} ms", day(known.at)));
    if let (Some(alive), false) = (known.alive, matches!(known.verdict, Verdict::Alive)) {
        say("alive", format!("last on {}", day(alive)));
    }
}

fn watched(seen: &Seen) -> String {
    let fetched = format!("fetched on {}", day(seen.at));
    match (seen.changed, seen.is_new) {
        (Some(changed), true) => format!("new on {}, {fetched}", day(changed)),
        (Some(changed), false) => format!("changed on {}, {fetched}", day(changed)),
        (None, _) => format!("no change seen, {fetched}"),
    }
}

/// What stands beside a bookmark of which something is to be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It is elsewhere.
    Moved,
    /// It is nowhere.
    Gone,
    /// It is not for us.
    Refused,
    /// Nobody answers.
    Silent,
    /// It is watched, and has changed.
    New,
}
