//! Entries of a watched page: the posts that it lists, each with a date. The first fetch of a page finds no new ones.
//!
//! At most [`MAX_ENTRIES`] entries of a page are stored, the latest of all that it has ever listed: a page fetched again adds nothing.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use geomys_page::document::DatedEntry;
use geomys_wire::text::Text;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rfc1738::{Dialect, Url};
use serde::{Deserialize, Serialize};

use crate::bookmarks::checks::UrlKey;

/// Maximum number of stored entries of a page.
const MAX_ENTRIES: usize = 100;

/// A post on a watched page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedEntry {
    /// The key of its URL.
    pub key: UrlKey,
    /// The date that the page states.
    pub date: Date,
    /// The title; empty if the page states none.
    pub title: String,
    /// The time of the fetch that found it first.
    pub first_seen: Timestamp,
    /// True if it was found after the first fetch of the page, and has not been opened.
    pub is_new: bool,
}

impl WatchedEntry {
    /// The order of entries: the latest date first, then by the URL. A date that was in the future when the entry came is
    /// ordered by that day: it would stay first for years.
    pub fn order(a: &Self, b: &Self) -> Ordering {
        (b.day(), &a.key).cmp(&(a.day(), &b.key))
    }

    fn day(&self) -> Date {
        self.date
            .min(self.first_seen.to_zoned(TimeZone::UTC).date())
    }

    /// The URL, without a password.
    pub fn url(&self) -> Option<Url> {
        Dialect::Extended.parse(self.key.as_str()).ok()
    }
}

/// The stored entries of a page, in their order; each URL once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchedEntries(Vec<WatchedEntry>);

impl WatchedEntries {
    /// Returns the entries of the first fetch; none is new.
    pub(super) fn first(found: &[DatedEntry], at: Timestamp) -> Self {
        let mut entries = Self::default();
        entries.add(found, at);
        entries.open_all();
        entries
    }

    /// Adds the entries of a fetch. Known ones get their present date and title.
    pub(super) fn add(&mut self, found: &[DatedEntry], at: Timestamp) {
        let mut entries: BTreeMap<UrlKey, WatchedEntry> = BTreeMap::new();
        for entry in self.0.drain(..) {
            entries.insert(entry.key.clone(), entry);
        }
        let mut latest: BTreeMap<UrlKey, &DatedEntry> = BTreeMap::new();
        for entry in found {
            let shown = latest.entry(UrlKey::of(&entry.url)).or_insert(entry);
            if shown.date < entry.date {
                *shown = entry;
            }
        }
        for (key, found) in latest {
            let entry = entries.entry(key).or_insert_with_key(|key| WatchedEntry {
                key: key.clone(),
                date: found.date,
                title: String::new(),
                first_seen: at,
                is_new: true,
            });
            entry.date = found.date;
            entry.title.clone_from(&found.title);
        }
        self.0 = entries.into_values().collect();
        self.0.sort_by(WatchedEntry::order);
        self.0.truncate(MAX_ENTRIES);
    }

    /// All entries, the latest date first.
    pub fn iter(&self) -> impl Iterator<Item = &WatchedEntry> {
        self.0.iter()
    }

    /// The entries that were not opened.
    pub fn new_ones(&self) -> impl Iterator<Item = &WatchedEntry> {
        self.iter().filter(|entry| entry.is_new)
    }

    /// Records that the user has opened an entry. Returns true if it was new.
    pub(super) fn open(&mut self, key: &UrlKey) -> bool {
        let mut entries = self.0.iter_mut();
        let entry = entries.find(|entry| entry.key == *key);
        entry.is_some_and(|entry| std::mem::take(&mut entry.is_new))
    }

    /// Records that the user has seen all entries.
    pub(super) fn open_all(&mut self) {
        for entry in &mut self.0 {
            entry.is_new = false;
        }
    }

    pub(super) fn to_lines(&self) -> Vec<EntryLine> {
        self.0.iter().map(EntryLine::of).collect()
    }

    /// Returns the entries of a stored line; damaged ones are left out.
    pub(super) fn of_lines(lines: Vec<EntryLine>) -> Self {
        let mut entries = Self(
            lines
                .into_iter()
                .filter_map(EntryLine::into_entry)
                .collect(),
        );
        entries.0.sort_by(WatchedEntry::order);
        entries.0.truncate(MAX_ENTRIES);
        entries
    }
}

/// A stored entry.
#[derive(Serialize, Deserialize)]
pub(super) struct EntryLine {
    #[serde(default)]
    url: String,
    #[serde(default)]
    date: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    seen: String,
    #[serde(default)]
    new: bool,
}

impl EntryLine {
    fn of(entry: &WatchedEntry) -> Self {
        Self {
            url: entry.key.as_str().to_owned(),
            date: entry.date.to_string(),
            title: entry.title.clone(),
            seen: entry.first_seen.to_string(),
            new: entry.is_new,
        }
    }

    fn into_entry(self) -> Option<WatchedEntry> {
        Some(WatchedEntry {
            key: UrlKey::of(&Dialect::Extended.parse(&self.url).ok()?),
            date: self.date.parse().ok()?,
            title: Text::of(&self.title).to_string(),
            first_seen: self.seen.parse().ok()?,
            is_new: self.new,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The posts with these numbers and days.
    fn posts(posts: &[(usize, i32)]) -> Vec<DatedEntry> {
        let post = |&(number, day): &(usize, i32)| DatedEntry {
            date: Date::constant(2026, 1, 1) + jiff::Span::new().days(day),
            title: format!("Post {number}"),
            url: Dialect::Extended
                .parse(&format!("gemini://h.example/{number}"))
                .unwrap(),
        };
        posts.iter().map(post).collect()
    }

    /// The time of a fetch, after all dates of posts.
    fn fetched() -> Timestamp {
        "2026-12-01T00:00:00Z".parse().unwrap()
    }

    fn new(entries: &WatchedEntries) -> Vec<&str> {
        let new = entries.new_ones();
        new.map(|entry| entry.title.as_str()).collect()
    }

    #[test]
    fn entry_is_new_after_the_first_fetch_until_it_is_opened() {
        let at = fetched();
        let mut entries = WatchedEntries::first(&posts(&[(1, 1)]), at);
        assert_eq!(new(&entries), [""; 0]);
        entries.add(&posts(&[(3, 3), (2, 2), (1, 1)]), at);
        assert_eq!(new(&entries), ["Post 3", "Post 2"]);
        // An entry that is gone for a while, or has another date, is not new again.
        let key = UrlKey::of(&posts(&[(3, 3)])[0].url);
        assert!(entries.open(&key) && !entries.open(&key));
        entries.add(&posts(&[]), at);
        entries.add(&posts(&[(3, 9), (3, 4), (1, 8)]), at);
        assert_eq!(new(&entries), ["Post 2"]);
        assert_eq!(entries.0[0].date, Date::constant(2026, 1, 10));
    }

    #[test]
    fn first_fetch_without_entries_makes_all_later_ones_new() {
        let mut entries = WatchedEntries::first(&[], fetched());
        entries.add(&posts(&[(1, 1)]), fetched());
        assert_eq!(new(&entries), ["Post 1"]);
    }

    #[test]
    fn date_in_the_future_counts_as_the_day_of_arrival() {
        let (ahead, on_time) = ((1, 20_000), (2, 340));
        let mut entries = WatchedEntries::first(&[], fetched());
        entries.add(&posts(&[ahead]), fetched());
        let later = fetched() + jiff::SignedDuration::from_hours(24 * 14);
        entries.add(&posts(&[ahead, on_time, (3, 5)]), later);
        assert_eq!(new(&entries), ["Post 2", "Post 1", "Post 3"]);
        assert!(
            entries.0[1].date > later.to_zoned(TimeZone::UTC).date(),
            "as the page states it"
        );
        let stored = WatchedEntries::of_lines(entries.to_lines());
        assert_eq!(stored, entries);
    }

    proptest! {
        #[test]
        fn repeated_fetch_adds_nothing_and_order_of_the_page_does_not_matter(
            first in proptest::collection::vec((0..400_usize, 0..40), 0..300),
            second in proptest::collection::vec((0..400_usize, 0..40), 0..300),
        ) {
            let at = fetched();
            let later = at + jiff::SignedDuration::from_mins(1);
            let mut entries = WatchedEntries::first(&posts(&first), at);
            let mut other = entries.clone();
            entries.add(&posts(&second), at);
            let mut reversed = posts(&second);
            reversed.reverse();
            other.add(&reversed, at);
            prop_assert_eq!(&entries, &other);
            prop_assert!(entries.0.len() <= MAX_ENTRIES);
            prop_assert!(entries.0.is_sorted_by(|a, b| WatchedEntry::order(a, b).is_lt()));
            entries.add(&reversed, later);
            prop_assert_eq!(&entries, &other);
            prop_assert_eq!(WatchedEntries::of_lines(entries.to_lines()), entries);
        }
    }
}
