//! The dates of bookmarks: when each was added and last visited. The bookmark file holds none of them.
//!
//! The dates of additions are in a plain text file, one JSON object per line; those of visits are in the history.
//!
//! ```text
//! date = { "url", "added" }
//! ```
//!
//! `url` is the canonical spelling without its password, `added` the time (UTC) at which a bookmark of this URL was
//! first added by Geomys, or by the program that it was imported from. Bookmarks that another program has written into
//! the file have no line. Damaged lines are ignored and removed. Deleting the file forgets the dates.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use geomys_wire::net::page_url;
use jiff::Timestamp;
use rfc1738::Url;
use serde::{Deserialize, Serialize};

use super::checks::UrlKey;
use super::facts::{self, Fact, Facts};
use super::query::{DateFilter, node_of};
use super::{AppliedChange, Bookmark, Bookmarks};
use crate::files::history::History;
use crate::files::regular;
use crate::files::user_file::{FileError, UserFile};

/// The date of an addition.
impl Fact for Timestamp {
    const FILE: UserFile = UserFile {
        max_bytes: regular::LIST,
        read_failed: "the dates of bookmarks cannot be read",
        write_failed: "the dates of bookmarks were not saved",
    };

    fn to_line(&self, key: &UrlKey) -> impl Serialize {
        Line {
            url: key.as_str().to_owned(),
            added: self.to_string(),
        }
    }

    fn from_line(line: &[u8]) -> Option<(UrlKey, Self)> {
        let Line { url, added } = serde_json::from_slice(line).ok()?;
        Some((UrlKey::from_stored(&url), added.parse().ok()?))
    }

    /// A date does not age: it is stored as long as its bookmark.
    fn last_needed(&self) -> Option<Timestamp> {
        None
    }
}

/// The number of URLs in no bookmark whose dates are stored: an undo needs them.
const MAX_UNLISTED: usize = 1000;

/// The order of a list of bookmarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BookmarkOrder {
    /// The order of the file.
    #[default]
    File,
    /// By title, in any case.
    Title,
    /// By the date added, the newest first, unknown ones last.
    Added,
    /// By the last visit, the newest first, those without one last.
    Visited,
    /// By host, those of one host in the order of the file; those without a host last.
    Host,
}

/// The times at which URLs were added to the bookmarks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddedDates(Facts<Timestamp>);

/// The times of the last visits of URLs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastVisits(HashMap<String, i64>);

#[derive(Serialize, Deserialize)]
struct Line {
    url: String,
    added: String,
}

impl AddedDates {
    /// Returns the time at which a bookmark of a URL was added, if it is known.
    pub fn of(&self, url: &Url) -> Option<Timestamp> {
        self.0.get(&UrlKey::of_bookmark(url)).copied()
    }

    /// Returns the time at which a bookmark was added, by its URL as written in the file, valid or not.
    pub fn of_written(&self, url: &str) -> Option<Timestamp> {
        self.0.get(&UrlKey::of_written(url)).copied()
    }

    /// Adds the date of a bookmark, by its URL as written in the file; of two dates the older one stays.
    pub(super) fn add_written(&mut self, url: &str, added: Timestamp) {
        let date = self.0.entry(UrlKey::of_written(url)).or_insert(added);
        *date = added.min(*date);
    }

    /// Adds what a change has added: with the dates of `imported`, or else `now`. A bookmark whose URL was edited keeps
    /// its date, and one without a date gets the imported one. Returns false if no date has changed.
    fn note(
        &mut self,
        change: &DateChange,
        after: &Bookmarks,
        imported: &Self,
        now: Timestamp,
    ) -> bool {
        let mut has_changed = false;
        for (old, new) in &change.renamed {
            if let (Some(&added), false) = (self.0.get(old), self.0.contains_key(new)) {
                self.0.insert(new.clone(), added);
                has_changed = true;
            }
        }
        let new = imported
            .0
            .iter()
            .filter(|(key, _)| change.new.contains(*key));
        has_changed |= new.fold(false, |has_changed, (key, &added)| {
            self.0.insert(key.clone(), added) != Some(added) || has_changed
        });
        let dated = imported.0.iter().map(|(key, &added)| (key, added));
        for (key, added) in dated.chain(change.new.iter().map(|key| (key, now))) {
            if !self.0.contains_key(key) {
                self.0.insert(key.clone(), added);
                has_changed = true;
            }
        }
        if has_changed && self.0.len() > after.len() + MAX_UNLISTED {
            let listed = after.bookmarks();
            let listed: BTreeSet<UrlKey> = listed.map(|one| key_of(&one)).collect();
            self.0.retain(|key, _| listed.contains(key));
        }
        has_changed
    }
}

/// Effect of a change on the dates, by the keys of URLs.
struct DateChange {
    /// The URLs that no bookmark had before.
    new: BTreeSet<UrlKey>,
    /// The old and the new URLs of edited bookmarks.
    renamed: Vec<(UrlKey, UrlKey)>,
}

impl DateChange {
    fn of(before: &Bookmarks, applied: &AppliedChange) -> Self {
        let after = &applied.bookmarks;
        let items = applied.items.iter();
        let changed = items.filter_map(|&item| Some((item, key_of(&after.bookmark(item)?))));
        if before.len() == after.len() {
            let renamed = changed.filter_map(|(item, new)| {
                let old = key_of(&before.bookmark(item)?);
                (old != new).then_some((old, new))
            });
            return Self {
                new: BTreeSet::new(),
                renamed: renamed.collect(),
            };
        }
        let mut new: BTreeSet<UrlKey> = changed.map(|(_, key)| key).collect();
        let known: HashSet<UrlKey> = {
            let may_be_new = before.may_be_to_any(new.iter().map(UrlKey::as_str));
            let known = (0..before.len()).filter(|&index| may_be_new(index));
            let known = known.filter_map(|index| Some(key_of(&before.bookmark(index)?)));
            known.collect()
        };
        new.retain(|key| !known.contains(key));
        Self {
            new,
            renamed: Vec::new(),
        }
    }

    fn is_empty(&self) -> bool {
        self.new.is_empty() && self.renamed.is_empty()
    }
}

fn key_of(bookmark: &Bookmark<'_>) -> UrlKey {
    UrlKey::of_written(bookmark.url_text().as_str())
}

impl AddedDates {
    /// Returns true if a URL was added at a time that a filter word names, as `added>1y` or `since:2019`; `None` for a
    /// word that is not about dates. A bookmark without a date was added at no time.
    pub fn matches(&self, word: &str, url: &Url, now: Timestamp) -> Option<bool> {
        let filter = DateFilter::of(word, now)?;
        let added = self.of(url);
        Some(added.is_some_and(|added| filter.since <= added && added < filter.until))
    }
}

impl LastVisits {
    /// Collects the last visit of each URL.
    pub fn of(history: &History) -> Self {
        let visits = history.iter();
        Self(
            visits
                .map(|visit| (visit.key().into_owned(), visit.second))
                .collect(),
        )
    }

    /// Returns the time of the last visit of a page, if it is stored.
    pub fn time(&self, url: &Url) -> Option<Timestamp> {
        let second = self.0.get(page_url(url).as_str())?;
        Timestamp::from_second(*second).ok()
    }
}

/// Reads the dates of additions; a missing file has none.
///
/// # Errors
/// A `FileError` of reading.
pub fn load(path: &Path) -> Result<AddedDates, FileError> {
    Ok(AddedDates(facts::load(path)?))
}

/// Stores the dates of what a change has added: the imported ones, or else `now`.
///
/// # Errors
/// A `FileError`; nothing is written then.
pub(super) fn record(
    path: &Path,
    before: &Bookmarks,
    applied: &AppliedChange,
    imported: &AddedDates,
    now: Timestamp,
) -> Result<(), FileError> {
    let change = DateChange::of(before, applied);
    let after = &applied.bookmarks;
    // Most changes add nothing: they write no second file.
    if change.is_empty() && imported.0.is_empty()
        || !load(path)?.note(&change, after, imported, now)
    {
        return Ok(());
    }
    let record = |dates| {
        let mut dates = AddedDates(dates);
        dates.note(&change, after, imported, now);
        dates.0
    };
    facts::change(path, record).map(drop)
}

/// Sorts bookmarks by their indices, which are in the order of the file.
pub fn sort(
    file: &Bookmarks,
    indices: &mut [usize],
    order: BookmarkOrder,
    added: &AddedDates,
    visits: &LastVisits,
) {
    let url = |index: usize| file.bookmark(index)?.repaired_url().ok();
    match order {
        BookmarkOrder::File => {}
        BookmarkOrder::Title => indices.sort_by_cached_key(|&index| {
            let bookmark = file.bookmark(index);
            bookmark.map(|bookmark| bookmark.label().as_str().to_lowercase())
        }),
        BookmarkOrder::Added => {
            let date = |index: usize| added.of_written(file.bookmark(index)?.url_text().as_str());
            indices.sort_by_cached_key(|&index| Reverse(date(index)));
        }
        BookmarkOrder::Host => indices.sort_by_cached_key(|&index| {
            let domains = url(index).and_then(|url| domains_of(&url));
            (domains.is_none(), domains)
        }),
        BookmarkOrder::Visited => indices
            .sort_by_cached_key(|&index| Reverse(url(index).and_then(|url| visits.time(&url)))),
    }
}

/// Returns the parts of the host of a URL, the top domain first: the hosts of one domain stand together.
fn domains_of(url: &Url) -> Option<Vec<String>> {
    let node = node_of(url)?;
    Some(node.rsplit('.').map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rfc1738::Dialect;

    use super::*;
    use crate::bookmarks::{BookmarkEdit, InsertPosition, NewBookmark};

    fn url(text: &str) -> Url {
        Dialect::Extended.parse(text).unwrap()
    }

    fn time(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn new(text: &str) -> NewBookmark {
        NewBookmark {
            title: String::new(),
            url: url(text),
            tags: Vec::new(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn only_new_urls_get_a_date_and_edited_ones_keep_it() {
        let mut dates = AddedDates::default();
        let mut second = 0;
        let mut change = |file: &Bookmarks, change: &crate::bookmarks::Change| {
            second += 1;
            let applied = file.apply(change);
            let noted = DateChange::of(file, &applied);
            dates.note(
                &noted,
                &applied.bookmarks,
                &AddedDates::default(),
                time(second),
            );
            (applied.bookmarks, applied.undo, dates.clone())
        };
        let old = Bookmarks::parse(b"Old <URL:gopher://old/>\n# A\n");
        let (file, undo, dates) = change(
            &old,
            &old.adding(
                &[new("gopher://new/"), new("ftp://u:secret@h/")],
                &InsertPosition::End,
            ),
        );
        assert_eq!(dates.of(&url("gopher://new/")), Some(time(1)));
        assert_eq!(dates.of(&url("GOPHER://new:70")), Some(time(1)));
        assert_eq!(dates.of(&url("gopher://old/")), None);
        let octets = facts::format(&dates.0);
        assert!(!String::from_utf8_lossy(&octets).contains("secret"));
        // Removed, and the removal undone: the date of the addition stays.
        let (without, _, _) = change(&file, &undo);
        let (again, _, dates) = change(
            &without,
            &without.adding(&[new("gopher://new/")], &InsertPosition::Top),
        );
        assert_eq!(dates.of(&url("gopher://new/")), Some(time(1)));
        // Another URL for both.
        let edit = |text: &str| BookmarkEdit {
            url: Some(url(text)),
            ..BookmarkEdit::default()
        };
        let at = |file: &Bookmarks, text: &str| file.same_as(&url(text))[0];
        let edits = [
            (at(&again, "gopher://new/"), edit("gopher://newer/")),
            (at(&again, "gopher://old/"), edit("gopher://older/")),
        ];
        let (_, _, dates) = change(&again, &again.editing(&edits));
        assert_eq!(dates.of(&url("gopher://newer/")), Some(time(1)));
        assert_eq!(dates.of(&url("gopher://older/")), None);
        assert_eq!(AddedDates(facts::parse(&facts::format(&dates.0))), dates);
    }

    #[test]
    fn dates_of_removed_bookmarks_are_forgotten_when_there_are_many() {
        let mut dates = AddedDates::default();
        let mut apply = |file: &Bookmarks, change: &crate::bookmarks::Change| {
            let applied = file.apply(change);
            let noted = DateChange::of(file, &applied);
            dates.note(&noted, &applied.bookmarks, &AddedDates::default(), time(1));
            (applied.bookmarks, dates.0.len())
        };
        let many: Vec<NewBookmark> = (0..2000)
            .map(|number| new(&format!("gopher://h/1/{number}")))
            .collect();
        let empty = Bookmarks::parse(b"");
        let (full, stored) = apply(&empty, &empty.adding(&many, &InsertPosition::End));
        assert_eq!(stored, 2000);
        let (rest, stored) = apply(&full, &full.removing(&(1..2000).collect::<Vec<_>>()));
        // An undo needs them.
        assert_eq!(stored, 2000);
        let more = rest.adding(&[new("gopher://other/")], &InsertPosition::End);
        assert_eq!(apply(&rest, &more).1, 2);
    }

    proptest! {
        #[test]
        fn any_octets_are_parsed_and_formatted_again(octets: Vec<u8>) {
            let dates = AddedDates(facts::parse(&octets));
            prop_assert_eq!(AddedDates(facts::parse(&facts::format(&dates.0))), dates);
        }

        #[test]
        fn sorting_keeps_all_and_the_order_of_the_file_among_equals(
            seconds in proptest::collection::vec(proptest::option::of(0_i64..5), 0..30),
        ) {
            let lines = (0..seconds.len()).map(|number| format!("<URL:gopher://h/1/{number}>\n"));
            let file = Bookmarks::parse(lines.collect::<String>().as_bytes());
            let mut added = AddedDates::default();
            for (number, second) in seconds.iter().enumerate() {
                if let Some(second) = second {
                    added.add_written(&format!("gopher://h/1/{number}"), time(*second));
                }
            }
            let mut sorted: Vec<usize> = (0..file.len()).collect();
            sort(&file, &mut sorted, BookmarkOrder::Added, &added, &LastVisits::default());
            let mut expected: Vec<usize> = (0..file.len()).collect();
            expected.sort_by_key(|&index| (Reverse(seconds[index]), index));
            prop_assert_eq!(sorted, expected);
        }
    }
}
