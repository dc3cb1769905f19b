//! Entries of a watched page: the posts that it lists, each by its [identity]. The first fetch of a page finds no new
//! ones, unless the user has just begun to follow it in the browser.
//!
//! At least [`MAX_ENTRIES`] entries of a page are stored, the latest of all that it has ever listed, and of those that
//! it lists now [`MAX_LISTED_ENTRIES`]: a page fetched again adds nothing.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, HashSet};

use geomys_page::document::{PageEntry, identity};
use geomys_wire::text::Text;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rfc1738::{Dialect, Url, split_fragment};
use serde::{Deserialize, Serialize};

use crate::bookmarks::checks::UrlKey;

/// Maximum number of stored entries of a page that lists no more.
const MAX_ENTRIES: usize = 100;

/// Maximum number of entries that a page lists.
const MAX_LISTED_ENTRIES: usize = 1000;

/// A post on a watched page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedEntry {
    /// Its identity within the page.
    pub id: String,
    /// The key of its URL, with the fragment.
    pub key: UrlKey,
    /// The date that the page states; the day of its arrival if it states none.
    pub date: Date,
    /// The time of its last change, as the page writes it; nothing if it states none.
    pub updated: Option<String>,
    /// The title; empty if the page states none.
    pub title: String,
    /// The time of the fetch that found it first.
    pub first_seen: Timestamp,
    /// The time of the fetch that found it changed; nothing if it was not changed since it came.
    pub changed: Option<Timestamp>,
    /// True if it was found after the first fetch of the page, and has not been opened.
    pub is_new: bool,
    /// True if the first sync of the page has left it: it is fetched by the next one, though it is not new.
    pub is_wanted: bool,
    /// True if the page has the text of the entry.
    pub has_text: bool,
}

impl WatchedEntry {
    /// The order of entries: the latest date first, then by the URL. A date that was in the future when the entry came
    /// is ordered by that day: it would stay first for years.
    pub fn order(a: &Self, b: &Self) -> Ordering {
        (b.day(), &a.key, &a.id).cmp(&(a.day(), &b.key, &b.id))
    }

    /// The time of its publication: noon of its day, which is the same day in nearly all zones.
    pub fn published(&self) -> Timestamp {
        let noon = self.date.at(12, 0, 0, 0).to_zoned(TimeZone::UTC);
        noon.map_or(self.first_seen, |noon| noon.timestamp())
    }

    fn day(&self) -> Date {
        self.date.min(arrival(self.first_seen))
    }

    /// Returns true if the entry leads to a page; its fragment does not count.
    pub(super) fn leads_to(&self, page: &UrlKey) -> bool {
        split_fragment(self.key.as_str()).0 == page.as_str()
    }

    /// Takes what the page lists now.
    fn update(&mut self, found: &PageEntry, at: Timestamp) {
        self.key = UrlKey::of_bookmark(&found.url);
        self.date = found.date.unwrap_or(self.date);
        if found.updated.is_some() && found.updated != self.updated {
            // An entry of an older version has no time.
            self.changed = self.updated.as_ref().map(|_| at).or(self.changed);
            self.updated.clone_from(&found.updated);
        }
        self.title.clone_from(&found.title);
        self.has_text = found.has_text;
    }

    /// The URL, without a password.
    pub fn url(&self) -> Option<Url> {
        Dialect::Extended.parse(self.key.as_str()).ok()
    }

    /// The URL under which the entry is read: that of its text on its page, else its own.
    pub fn text_url(&self, page: &Url) -> Option<Url> {
        if self.has_text {
            return Some(
                page.without_password()
                    .with_fragment(&PageEntry::anchor(&self.id)),
            );
        }
        self.url()
    }
}

/// The day of a fetch.
fn arrival(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}

/// The stored entries of a page, in their order; each identity once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchedEntries(Vec<WatchedEntry>);

impl WatchedEntries {
    /// Returns the entries of the first fetch; none is new.
    pub(super) fn first(found: &[PageEntry], at: Timestamp) -> Self {
        let mut entries = Self::default();
        entries.add(found, at);
        entries.open_all();
        entries
    }

    /// Adds the entries of a fetch. Known ones get their present date, title and link.
    pub(super) fn add(&mut self, found: &[PageEntry], at: Timestamp) {
        let mut entries: BTreeMap<String, WatchedEntry> = BTreeMap::new();
        for mut entry in self.0.drain(..) {
            // The page may not list it any more.
            entry.has_text = false;
            entries.insert(entry.id.clone(), entry);
        }
        let mut latest: BTreeMap<&str, &PageEntry> = BTreeMap::new();
        for entry in found {
            let shown = latest.entry(&entry.id).or_insert(entry);
            if shown.date < entry.date {
                *shown = entry;
            }
        }
        let mut latest: Vec<&PageEntry> = latest.into_values().collect();
        latest.sort_by_key(|entry| Reverse(entry.date.unwrap_or(Date::MAX)));
        latest.truncate(MAX_LISTED_ENTRIES);
        let listed: HashSet<String> = latest.iter().map(|entry| entry.id.clone()).collect();
        for found in latest {
            let known = entries.remove(&found.id).or_else(|| {
                // The page has given it an identifier of its own since.
                let link = identity(None, Some(&found.url), &found.title);
                entries.remove(&link).filter(|_| !listed.contains(&link))
            });
            let mut entry = known.unwrap_or_else(|| WatchedEntry {
                id: String::new(),
                key: UrlKey::of_bookmark(&found.url),
                date: found.date.unwrap_or_else(|| arrival(at)),
                updated: found.updated.clone(),
                title: String::new(),
                first_seen: at,
                changed: None,
                is_new: true,
                is_wanted: false,
                has_text: false,
            });
            entry.id.clone_from(&found.id);
            entry.update(found, at);
            entries.insert(found.id.clone(), entry);
        }
        self.0 = entries.into_values().collect();
        self.0.sort_by(|a, b| {
            let is_past = |entry: &WatchedEntry| !listed.contains(&entry.id);
            (is_past(a).cmp(&is_past(b))).then_with(|| WatchedEntry::order(a, b))
        });
        self.0.truncate(listed.len().max(MAX_ENTRIES));
        self.0.sort_by(WatchedEntry::order);
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
        let mut was_new = false;
        for entry in self.0.iter_mut().filter(|entry| entry.leads_to(key)) {
            was_new |= std::mem::take(&mut entry.is_new);
            entry.is_wanted = false;
        }
        was_new
    }

    /// Records that the user has read the text of the entry with this anchor. Returns false if there is none.
    pub(super) fn open_text(&mut self, anchor: &str) -> bool {
        let mut entries = self.0.iter_mut();
        let entry = entries.find(|entry| PageEntry::anchor(&entry.id) == anchor);
        entry.is_some_and(|entry| {
            entry.is_new = false;
            true
        })
    }

    /// Records that the user has seen all entries.
    pub(super) fn open_all(&mut self) {
        for entry in &mut self.0 {
            entry.is_new = false;
        }
    }

    /// Makes the latest entries new again, at most `count`.
    pub(super) fn close_newest(&mut self, count: usize) {
        for entry in self.0.iter_mut().take(count) {
            entry.is_new = true;
        }
    }

    /// Makes the entries with these identities wanted, and no other.
    pub(super) fn want(&mut self, ids: &BTreeSet<String>) {
        for entry in &mut self.0 {
            entry.is_wanted = ids.contains(&entry.id);
        }
    }

    /// Returns the identities of the entries that a sync has left.
    pub fn wanted(&self) -> BTreeSet<String> {
        let wanted = self.iter().filter(|entry| entry.is_wanted);
        wanted.map(|entry| entry.id.clone()).collect()
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
        entries.0.truncate(MAX_LISTED_ENTRIES);
        entries
    }
}

/// A stored entry.
#[derive(Serialize, Deserialize)]
pub(super) struct EntryLine {
    #[serde(default)]
    url: String,
    /// Empty if it is that of the URL.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    id: String,
    #[serde(default)]
    date: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    updated: Option<String>,
    #[serde(default)]
    title: String,
    #[serde(default)]
    seen: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    changed: Option<String>,
    #[serde(default)]
    new: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    wanted: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    text: bool,
}

impl EntryLine {
    fn of(entry: &WatchedEntry) -> Self {
        let url = entry.url();
        let of_link = identity(None, url.as_ref(), &entry.title);
        Self {
            url: entry.key.as_str().to_owned(),
            id: Some(&entry.id)
                .filter(|id| **id != of_link)
                .cloned()
                .unwrap_or_default(),
            date: entry.date.to_string(),
            updated: entry.updated.clone(),
            title: entry.title.clone(),
            seen: entry.first_seen.to_string(),
            changed: entry.changed.map(|changed| changed.to_string()),
            new: entry.is_new,
            wanted: entry.is_wanted,
            text: entry.has_text,
        }
    }

    fn into_entry(self) -> Option<WatchedEntry> {
        let url = Dialect::Extended.parse(&self.url).ok()?;
        let id = Some(self.id).filter(|id| !id.is_empty());
        Some(WatchedEntry {
            id: id.unwrap_or_else(|| identity(None, Some(&url), &self.title)),
            key: UrlKey::of_bookmark(&url),
            date: self.date.parse().ok()?,
            updated: self.updated,
            title: Text::of(&self.title).to_string(),
            first_seen: self.seen.parse().ok()?,
            changed: self.changed.and_then(|changed| changed.parse().ok()),
            is_new: self.new,
            is_wanted: self.wanted,
            has_text: self.text,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn post(id: Option<&str>, url: &str, date: Option<Date>, title: &str) -> PageEntry {
        let url = Dialect::Extended.parse(url).unwrap();
        PageEntry {
            id: identity(id, Some(&url), title),
            date,
            updated: None,
            title: title.to_owned(),
            url,
            has_text: false,
        }
    }

    /// The posts with these numbers and days.
    fn posts(posts: &[(usize, i32)]) -> Vec<PageEntry> {
        let post = |&(number, day): &(usize, i32)| {
            let url = format!("gemini://h.example/{number}");
            let date = Date::constant(2026, 1, 1) + jiff::Span::new().days(day);
            post(None, &url, Some(date), &format!("Post {number}"))
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

    #[test]
    fn entry_is_its_identity_whatever_else_changes() {
        let at = fetched();
        let later = at + jiff::SignedDuration::from_hours(24);
        for (before, after, count) in [
            // Another link and title with the same identifier.
            (
                (Some("7"), "http://h/a", "A"),
                (Some("7"), "http://h/b", "B"),
                1,
            ),
            // Other tracking words, and another scheme.
            (
                (None, "http://h/a?p=1&utm_source=x", "A"),
                (None, "https://h/a?p=1&utm_source=y", "A"),
                1,
            ),
            (
                (Some("http://h/a#utm_x=1"), "http://h/a", "A"),
                (Some("https://h/a"), "https://h/a", "A"),
                1,
            ),
            // The feed has given it an identifier.
            ((None, "http://h/a", "A"), (Some("7"), "http://h/a", "A"), 1),
            // Links that differ in their fragments alone, and identifiers for one link.
            ((None, "http://h/a#1", "A"), (None, "http://h/a#2", "A"), 2),
            (
                (Some("7"), "http://h/a", "A"),
                (Some("8"), "http://h/a", "A"),
                2,
            ),
        ] {
            let entry = |(id, url, title)| post(id, url, None, title);
            let mut entries = WatchedEntries::first(&[entry(before)], at);
            entries.add(&[entry(after)], later);
            assert_eq!(entries.0.len(), count, "{before:?} {after:?}");
            assert_eq!(new(&entries).len(), count - 1, "{before:?} {after:?}");
            assert_eq!(WatchedEntries::of_lines(entries.to_lines()), entries);
        }
    }

    #[test]
    fn text_of_an_entry_is_on_its_page_while_that_lists_it() {
        let page = Dialect::Extended.parse("http://h.example/feed").unwrap();
        let text = |number| PageEntry {
            has_text: true,
            ..post(None, &format!("http://h.example/{number}"), None, "Post")
        };
        let mut entries = WatchedEntries::default();
        entries.add(&[text(1), text(2)], fetched());
        entries.add(&[text(2)], fetched());
        let urls = |entries: &WatchedEntries| {
            let urls = entries.iter().map(|entry| entry.text_url(&page).unwrap());
            let mut urls: Vec<String> = urls.map(|url| url.to_string()).collect();
            urls.sort();
            urls
        };
        let anchor = PageEntry::anchor(&text(2).id);
        let expected = ["http://h.example/1".to_owned(), format!("{page}#{anchor}")];
        assert_eq!(urls(&entries), expected);
        // The page has left out the texts.
        entries.add(
            &[PageEntry {
                has_text: false,
                ..text(2)
            }],
            fetched(),
        );
        assert_eq!(urls(&entries), ["http://h.example/1", "http://h.example/2"]);
    }

    #[test]
    fn entry_without_a_date_has_that_of_its_arrival() {
        let at = fetched();
        let one = post(None, "http://h/1", None, "One");
        let mut entries = WatchedEntries::first(std::slice::from_ref(&one), at);
        let later = at + jiff::SignedDuration::from_hours(48);
        let two = post(None, "http://h/2", None, "Two");
        entries.add(&[one, two], later);
        let dates = entries
            .iter()
            .map(|entry| (entry.title.as_str(), entry.date.to_string()));
        let expected = [
            ("Two", "2026-12-03".to_owned()),
            ("One", "2026-12-01".to_owned()),
        ];
        assert_eq!(dates.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn entry_whose_update_moved_is_changed_and_not_new() {
        let at = fetched();
        let mut one = post(None, "http://h/1", None, "One");
        one.updated = Some("2026-11-01T00:00:00Z".to_owned());
        let mut entries = WatchedEntries::first(std::slice::from_ref(&one), at);
        let later = at + jiff::SignedDuration::from_hours(24);
        entries.add(std::slice::from_ref(&one), later);
        assert_eq!(entries.0[0].changed, None);
        one.updated = Some("2026-11-02T00:00:00Z".to_owned());
        entries.add(std::slice::from_ref(&one), later);
        assert_eq!(
            (entries.0[0].changed, entries.0[0].is_new),
            (Some(later), false)
        );
        assert_eq!(WatchedEntries::of_lines(entries.to_lines()), entries);
    }

    #[test]
    fn long_list_without_dates_has_nothing_new_when_it_is_fetched_again() {
        let all: Vec<PageEntry> = (0..400)
            .map(|number| post(None, &format!("http://h/{number}"), None, ""))
            .collect();
        let mut entries = WatchedEntries::first(&all, fetched());
        entries.add(&all, fetched() + jiff::SignedDuration::from_hours(24));
        assert_eq!(new(&entries).len(), 0);
    }

    proptest! {
        #[test]
        fn tracking_words_order_and_dates_do_not_change_identities(
            posts in proptest::collection::btree_map(0..100_usize, (proptest::option::of(0..40), "[a-z]{1,4}"), 0..60),
            is_secure: bool,
        ) {
            let entry = |(number, (day, word)): (&usize, &(Option<i32>, String)), scheme: &str| {
                let url = format!("{scheme}://h.example/p?utm_source={word}&id={number}&fbclid={word}#part");
                let date = day.map(|day| Date::constant(2026, 1, 1) + jiff::Span::new().days(day));
                post(None, &url, date, word)
            };
            let first: Vec<_> = posts.iter().map(|post| entry(post, "http")).collect();
            let scheme = if is_secure { "https" } else { "http" };
            let second = posts.iter().rev().map(|(number, (day, word))| {
                entry((number, &(day.map(|day| day + 1), format!("{word}x"))), scheme)
            });
            let mut entries = WatchedEntries::first(&first, fetched());
            entries.add(&second.collect::<Vec<_>>(), fetched());
            prop_assert_eq!(entries.0.len(), posts.len());
            prop_assert!(entries.new_ones().next().is_none());
        }

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
            prop_assert!(entries.0.len() <= MAX_LISTED_ENTRIES);
            prop_assert!(entries.0.is_sorted_by(|a, b| WatchedEntry::order(a, b).is_lt()));
            entries.add(&reversed, later);
            prop_assert_eq!(&entries, &other);
            prop_assert_eq!(WatchedEntries::of_lines(entries.to_lines()), entries);
        }
    }
}
