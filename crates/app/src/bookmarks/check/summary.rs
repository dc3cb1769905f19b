//! The link check state of a bookmark as a mark, as a sentence, and as a list of properties.

use geomys_load::check::LinkStatus;
use geomys_store::bookmarks::checks::{LinkState, UrlKey, day};
use geomys_store::bookmarks::watch::WatchState;
use geomys_wire::text::Text;
use jiff::Timestamp;
use rfc1738::Url;

use crate::bookmarks::check::LinkChecks;

impl LinkChecks {
    /// Creates the empty state of a browser that starts at `now`.
    pub fn new(now: Timestamp) -> Self {
        Self {
            started: Some(now),
            ..Self::default()
        }
    }

    /// Returns the mark of a bookmark, if it has one.
    pub fn mark(&self, url: &Url) -> Option<LinkMark> {
        let mark = self.checks.of(url).and_then(|result| match result.verdict {
            LinkStatus::Alive | LinkStatus::NotChecked(_) | LinkStatus::Local(_) => None,
            LinkStatus::Moved(_) => Some(LinkMark::Moved),
            LinkStatus::Dead(_) => Some(LinkMark::Dead),
            LinkStatus::Refused(_) => Some(LinkMark::Refused),
            LinkStatus::Unreachable(_) => Some(LinkMark::Unreachable),
        });
        let is_new = || self.watched.is_new(url).then_some(LinkMark::New);
        mark.or_else(is_new)
    }

    /// Returns the keys of all URLs with a mark.
    pub(crate) fn marked(&self) -> impl Iterator<Item = &UrlKey> {
        self.checks.not_alive().chain(self.watched.new_ones())
    }

    /// Returns the status line's sentence about a bookmark; `None` for a bookmark without problems and news.
    pub fn sentence(&self, url: &Url) -> Option<String> {
        let new = || {
            let seen = self.watched.of(url).filter(|seen| seen.is_new)?;
            Some(format!("new on {}", day(seen.changed?)))
        };
        match self.checks.of(url) {
            Some(result) if !matches!(result.verdict, LinkStatus::Alive) => Some(result.sentence()),
            Some(_) | None => new(),
        }
    }

    /// Returns the link check state of a bookmark as names and values.
    pub fn facts(&self, url: &Url) -> Vec<(Text, Text)> {
        let mut facts = Vec::new();
        let mut add = |name: &str, value: String| facts.push((Text::of(name), Text::of(&value)));
        if let Some(result) = self.checks.of(url) {
            add_result(result, &mut add);
            if result.verdict.is_perhaps_gone(url) {
                let why = "many pages lead to its new URL";
                add("perhaps gone", why.to_owned());
            }
        }
        if let Some(seen) = self.watched.of(url) {
            add("followed", watch_sentence(seen));
        }
        facts
    }
}

fn add_result(result: &LinkState, add: &mut impl FnMut(&str, String)) {
    add("checked", result.sentence());
    let ms = result.took.as_millis();
    add("asked", format!("on {} in {ms} ms", day(result.at)));
    if let (Some(alive), false) = (result.alive, matches!(result.verdict, LinkStatus::Alive)) {
        add("alive", format!("last on {}", day(alive)));
    }
}

fn watch_sentence(seen: &WatchState) -> String {
    let fetched = format!("fetched on {}", day(seen.at));
    match (seen.changed, seen.is_new) {
        (Some(changed), true) => format!("new on {}, {fetched}", day(changed)),
        (Some(changed), false) => format!("changed on {}, {fetched}", day(changed)),
        (None, _) => format!("unchanged, {fetched}"),
    }
}

/// The mark beside a bookmark that is not alive, or that has news.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkMark {
    /// The document has moved to another address.
    Moved,
    /// The document does not exist any more.
    Dead,
    /// The server refuses access.
    Refused,
    /// The server does not answer.
    Unreachable,
    /// The bookmark is watched, and its document has changed.
    New,
}
