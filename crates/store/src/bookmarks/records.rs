//! The records of bookmarks: when each was added, and where its page was before. The bookmark file holds none of them.
//!
//! They are a plain text file, one JSON object per line.
//!
//! ```text
//! record = { "url", "added", "was" }
//! was    = [ { "url", "until" } ]
//! ```
//!
//! `url` is the canonical spelling without its password, `added` the time (UTC) at which a bookmark of this URL was
//! first added by Geomys, or by the program that it was imported from. `was` has the URLs of the page before each move
//! that the user accepted, and those of the similar bookmarks that were merged into this one, the oldest first, with
//! the time of the change. Bookmarks that another program has written into the file have no line. Damaged lines are
//! ignored and removed. Deleting the file forgets the records.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use geomys_wire::text::Text;
use jiff::Timestamp;
use rfc1738::Url;
use serde::{Deserialize, Serialize};

use super::checks::UrlKey;
use super::facts::{self, Fact, Facts};
use super::query::DateFilter;
use super::{AppliedChange, Bookmark, Bookmarks};
use crate::files::regular;
use crate::files::user_file::{FileError, UserFile};

/// The number of URLs in no bookmark whose records are stored: an undo needs them.
const MAX_UNLISTED: usize = 1000;

/// The number of former URLs that a record has; of more the oldest are removed.
const MAX_FORMER: usize = 10;

/// A URL at which a page was before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "FormerLine")]
pub struct FormerUrl {
    /// The URL as it was written, without its password.
    pub url: String,
    /// The time at which the page was found at its next URL.
    pub until: Timestamp,
}

impl FormerUrl {
    fn is_at(&self, key: &UrlKey) -> bool {
        UrlKey::of_written(&self.url) == *key
    }
}

/// A former URL as it is written.
#[derive(Serialize, Deserialize)]
struct FormerLine {
    url: String,
    until: String,
}

impl From<FormerUrl> for FormerLine {
    fn from(FormerUrl { url, until }: FormerUrl) -> Self {
        let until = until.to_string();
        Self { url, until }
    }
}

impl FormerLine {
    fn into_former(self) -> Option<FormerUrl> {
        let until = self.until.parse().ok()?;
        // Another program may have written the file.
        let url = Text::of(&self.url).to_string();
        Some(FormerUrl { url, until })
    }
}

/// What is known of one URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct UrlRecord {
    /// The time at which a bookmark of it was first added.
    added: Option<Timestamp>,
    /// Where its page was before, the oldest first.
    former: Vec<FormerUrl>,
}

impl UrlRecord {
    /// Merges the record of another URL of the page: of two dates the older one stays, and each former URL with its
    /// time once.
    fn merge(&mut self, other: &Self) {
        let dates = [self.added, other.added];
        self.added = dates.into_iter().flatten().min();
        for one in &other.former {
            if !self.former.contains(one) {
                self.former.push(one.clone());
            }
        }
        self.former.sort_by_key(|one| one.until);
        let over = self.former.len().saturating_sub(MAX_FORMER);
        self.former.drain(..over);
    }

    /// Returns the former URLs since the page was last at a URL, if it was: those before are known of this URL.
    fn former_since(&self, key: &UrlKey) -> &[FormerUrl] {
        let left = self.former.iter().rposition(|one| one.is_at(key));
        self.former.get(left.unwrap_or(0)..).unwrap_or_default()
    }
}

impl Fact for UrlRecord {
    const FILE: UserFile = UserFile {
        max_bytes: regular::LIST,
        read_failed: "the dates of bookmarks cannot be read",
        write_failed: "the dates of bookmarks were not saved",
    };

    fn to_line(&self, key: &UrlKey) -> impl Serialize {
        Line {
            url: key.as_str().to_owned(),
            added: self.added.map(|added| added.to_string()),
            was: self.former.iter().cloned().map(FormerLine::from).collect(),
        }
    }

    fn from_line(line: &[u8]) -> Option<(UrlKey, Self)> {
        let Line { url, added, was } = serde_json::from_slice(line).ok()?;
        let was = was.into_iter().map(FormerLine::into_former);
        let former = was.collect::<Option<_>>()?;
        let mut record = Self::default();
        let added = added.map(|added| added.parse()).transpose().ok()?;
        record.merge(&Self { added, former });
        (record != Self::default()).then(|| (UrlKey::from_stored(&url), record))
    }

    /// A record does not age: it is stored as long as its bookmark.
    fn last_needed(&self) -> Option<Timestamp> {
        None
    }
}

#[derive(Serialize, Deserialize)]
struct Line {
    url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    added: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    was: Vec<FormerLine>,
}

/// The records of bookmarks by their URLs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookmarkRecords(Facts<UrlRecord>);

/// What a change brings with it.
#[derive(Clone, Copy, Debug)]
pub enum RecordChange<'a> {
    /// Records of what the change adds, or moves to another URL.
    Add(&'a BookmarkRecords),
    /// The records that a change had added which is undone now.
    TakeBack(&'a BookmarkRecords),
}

impl RecordChange<'_> {
    fn is_empty(self) -> bool {
        let (Self::Add(records) | Self::TakeBack(records)) = self;
        records.0.is_empty()
    }
}

impl BookmarkRecords {
    /// Returns the time at which a bookmark of a URL was added, if it is known.
    pub fn added(&self, url: &Url) -> Option<Timestamp> {
        self.0.get(&UrlKey::of_bookmark(url))?.added
    }

    /// Returns the time at which a bookmark was added, by its URL as written in the file, valid or not.
    pub fn added_written(&self, url: &str) -> Option<Timestamp> {
        self.0.get(&UrlKey::of_written(url))?.added
    }

    /// Returns the URLs at which the page of a URL was before, the oldest first; one that has moved back was not at
    /// this URL before.
    pub fn former(&self, url: &Url) -> Vec<&FormerUrl> {
        self.former_by(&UrlKey::of_bookmark(url))
    }

    /// Returns the URLs at which the page of a bookmark was before, by its URL as written in the file.
    pub fn former_written(&self, url: &str) -> Vec<&FormerUrl> {
        self.former_by(&UrlKey::of_written(url))
    }

    fn former_by(&self, key: &UrlKey) -> Vec<&FormerUrl> {
        let former = self
            .0
            .get(key)
            .into_iter()
            .flat_map(|record| &record.former);
        former.filter(|one| !one.is_at(key)).collect()
    }

    /// Adds the date of a bookmark, by its URL as written in the file; of two dates the older one stays.
    pub(super) fn add_date(&mut self, url: &str, added: Timestamp) {
        let record = self.0.entry(UrlKey::of_written(url)).or_default();
        record.merge(&UrlRecord {
            added: Some(added),
            former: Vec::new(),
        });
    }

    /// Adds the URL at which the page of a key was until a time.
    pub(super) fn add_former(&mut self, key: UrlKey, former: FormerUrl) {
        let record = self.0.entry(key).or_default();
        record.merge(&UrlRecord {
            added: None,
            former: vec![former],
        });
    }

    /// Records what a change has added: with the records that it brings, or else the date `now`. A bookmark whose URL
    /// was edited keeps its record, and one without a date gets the imported one. Returns false if no record has
    /// changed.
    fn note(
        &mut self,
        change: &ChangedUrls,
        after: &Bookmarks,
        brought: RecordChange<'_>,
        now: Timestamp,
    ) -> bool {
        let mut has_changed = false;
        if let RecordChange::TakeBack(brought) = brought {
            has_changed |= self.take_back(brought);
        }
        for (old, new) in &change.renamed {
            if let (Some(record), false) = (self.0.get(old), self.0.contains_key(new)) {
                let record = record.clone();
                self.0.insert(new.clone(), record);
                has_changed = true;
            }
        }
        if let RecordChange::Add(brought) = brought {
            has_changed |= self.add(brought, &change.new);
        }
        for key in &change.new {
            let record = self.0.entry(key.clone()).or_default();
            has_changed |= record.added.is_none();
            record.added.get_or_insert(now);
        }
        if has_changed && self.0.len() > after.len() + MAX_UNLISTED {
            let listed = after.bookmarks();
            let listed: BTreeSet<UrlKey> = listed.map(|one| key_of(&one)).collect();
            self.0.retain(|key, _| listed.contains(key));
        }
        has_changed
    }

    /// Adds the records that a change brings; the dates of new URLs are those of the other program.
    fn add(&mut self, brought: &Self, new: &BTreeSet<UrlKey>) -> bool {
        let mut has_changed = false;
        for (key, record) in &brought.0 {
            let mut whole = self.0.get(key).cloned().unwrap_or_default();
            if new.contains(key) || whole.added.is_none() {
                whole.added = record.added.or(whole.added);
            }
            for former in &record.former {
                if let Some(earlier) = self.0.get(&UrlKey::of_written(&former.url)) {
                    whole.merge(earlier);
                }
            }
            whole.merge(&UrlRecord {
                added: None,
                former: record.former.clone(),
            });
            has_changed |= self.0.get(key) != Some(&whole);
            self.0.insert(key.clone(), whole);
        }
        has_changed
    }

    /// Removes the former URLs that a change had brought, and those that came with them.
    fn take_back(&mut self, brought: &Self) -> bool {
        let mut has_changed = false;
        for (key, record) in &brought.0 {
            let earlier = record.former.iter();
            let earlier = earlier.filter_map(|one| self.0.get(&UrlKey::of_written(&one.url)));
            let earlier: Vec<FormerUrl> = earlier
                .flat_map(|one| one.former_since(key).to_vec())
                .collect();
            let Some(stored) = self.0.get_mut(key) else {
                continue;
            };
            let count = stored.former.len();
            stored
                .former
                .retain(|one| !record.former.contains(one) && !earlier.contains(one));
            has_changed |= stored.former.len() != count;
        }
        self.0.retain(|_, record| *record != UrlRecord::default());
        has_changed
    }

    /// Returns true if a URL was added at a time that a filter word names, as `added>1y` or `since:2019`; `None` for a
    /// word that is not about dates. A bookmark without a date was added at no time.
    pub fn matches(&self, word: &str, url: &Url, now: Timestamp) -> Option<bool> {
        let filter = DateFilter::of(word, now)?;
        let added = self.added(url);
        Some(added.is_some_and(|added| filter.since <= added && added < filter.until))
    }
}

/// Effect of a change on the records, by the keys of URLs.
struct ChangedUrls {
    /// The URLs that no bookmark had before.
    new: BTreeSet<UrlKey>,
    /// The old and the new URLs of edited bookmarks.
    renamed: Vec<(UrlKey, UrlKey)>,
}

impl ChangedUrls {
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

pub(super) fn key_of(bookmark: &Bookmark<'_>) -> UrlKey {
    UrlKey::of_written(bookmark.url_text().as_str())
}

/// Reads the records; a missing file has none.
///
/// # Errors
/// A `FileError` of reading.
pub fn load(path: &Path) -> Result<BookmarkRecords, FileError> {
    Ok(BookmarkRecords(facts::load(path)?))
}

/// Stores the records that a change brings, and the date `now` of what it adds without one.
///
/// # Errors
/// A `FileError`; nothing is written then.
pub(super) fn record(
    path: &Path,
    before: &Bookmarks,
    applied: &AppliedChange,
    brought: RecordChange<'_>,
    now: Timestamp,
) -> Result<(), FileError> {
    let change = ChangedUrls::of(before, applied);
    let after = &applied.bookmarks;
    // Most changes add no URL: they write no second file.
    if change.is_empty() && brought.is_empty() || !load(path)?.note(&change, after, brought, now) {
        return Ok(());
    }
    let record = |records| {
        let mut records = BookmarkRecords(records);
        records.note(&change, after, brought, now);
        records.0
    };
    facts::change(path, record).map(drop)
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

    fn former(records: &BookmarkRecords, text: &str) -> Vec<String> {
        let former = records.former(&url(text)).into_iter();
        former.map(|one| one.url.clone()).collect()
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
        let mut dates = BookmarkRecords::default();
        let mut second = 0;
        let mut change = |file: &Bookmarks, change: &crate::bookmarks::Change| {
            second += 1;
            let applied = file.apply(change);
            let noted = ChangedUrls::of(file, &applied);
            dates.note(
                &noted,
                &applied.bookmarks,
                RecordChange::Add(&BookmarkRecords::default()),
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
        assert_eq!(dates.added(&url("gopher://new/")), Some(time(1)));
        assert_eq!(dates.added(&url("GOPHER://new:70")), Some(time(1)));
        assert_eq!(dates.added(&url("gopher://old/")), None);
        let octets = facts::format(&dates.0);
        assert!(!String::from_utf8_lossy(&octets).contains("secret"));
        // Removed, and the removal undone: the date of the addition stays.
        let (without, _, _) = change(&file, &undo);
        let (again, _, dates) = change(
            &without,
            &without.adding(&[new("gopher://new/")], &InsertPosition::Top),
        );
        assert_eq!(dates.added(&url("gopher://new/")), Some(time(1)));
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
        assert_eq!(dates.added(&url("gopher://newer/")), Some(time(1)));
        assert_eq!(dates.added(&url("gopher://older/")), None);
        assert_eq!(
            BookmarkRecords(facts::parse(&facts::format(&dates.0))),
            dates
        );
    }

    #[test]
    fn dates_of_removed_bookmarks_are_forgotten_when_there_are_many() {
        let mut dates = BookmarkRecords::default();
        let mut apply = |file: &Bookmarks, change: &crate::bookmarks::Change| {
            let applied = file.apply(change);
            let noted = ChangedUrls::of(file, &applied);
            let brought = BookmarkRecords::default();
            let brought = RecordChange::Add(&brought);
            dates.note(&noted, &applied.bookmarks, brought, time(1));
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

    /// Moves the only bookmark of a file to a URL, or back by the undo of a move, and returns the file.
    fn moved(
        records: &mut BookmarkRecords,
        file: &Bookmarks,
        to: &str,
        brought: RecordChange<'_>,
    ) -> Bookmarks {
        let applied = file.apply(&file.replacing_urls(&[(0, url(to))]));
        let changed = ChangedUrls::of(file, &applied);
        records.note(&changed, &applied.bookmarks, brought, time(0));
        applied.bookmarks
    }

    proptest! {
        #[test]
        fn moves_are_recorded_in_order_and_taken_back(
            start in 0_usize..5,
            steps in proptest::collection::vec(1_usize..5, 0..MAX_FORMER),
        ) {
            let of = |number: usize| format!("gopher://h/1/{number}");
            let mut at = start;
            let mut file = Bookmarks::parse(format!("<URL:{}>\n", of(at)).as_bytes());
            let mut records = BookmarkRecords::default();
            let mut undo = Vec::new();
            let mut left: Vec<String> = Vec::new();
            let others = |left: &[String], at: usize| {
                let left = left.iter().filter(|one| **one != of(at));
                left.cloned().collect::<Vec<_>>()
            };
            for (second, step) in (1..).zip(steps) {
                let (from, to) = (at, (at + step) % 5);
                let brought = file.moved_records(&[(0, url(&of(to)))], time(second));
                undo.push((from, left.clone(), brought.clone()));
                file = moved(&mut records, &file, &of(to), RecordChange::Add(&brought));
                at = to;
                left.push(of(from));
                prop_assert_eq!(former(&records, &of(at)), others(&left, at));
            }
            for (from, before, brought) in undo.into_iter().rev() {
                file = moved(&mut records, &file, &of(from), RecordChange::TakeBack(&brought));
                prop_assert_eq!(former(&records, &of(from)), others(&before, from));
            }
        }

        #[test]
        fn any_octets_are_parsed_and_formatted_again(octets: Vec<u8>) {
            let dates = BookmarkRecords(facts::parse(&octets));
            prop_assert_eq!(BookmarkRecords(facts::parse(&facts::format(&dates.0))), dates);
        }
    }
}
