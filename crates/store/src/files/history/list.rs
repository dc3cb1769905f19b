//! The visits in memory: a hundred thousand take about 15 MiB.

use std::borrow::Cow;

use geomys_wire::net::page_text;
use jiff::Timestamp;

use super::{Visit, VisitKind};

/// Visits, the oldest first. All texts are in one string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    texts: String,
    visits: Vec<StoredVisit>,
}

/// A visit, whose URL, title and reason stand in the string one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StoredVisit {
    second: i64,
    start: u32,
    url: u16,
    title: u16,
    reason: u16,
    kind: VisitKind,
}

/// A visit in a [`History`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitRef<'a> {
    /// Time of the visit, in seconds since 1970.
    pub second: i64,
    /// URL of the page.
    pub url: &'a str,
    /// Title of the page, as the file has it: not fit for the screen.
    pub title: &'a str,
    /// Kind of the page.
    pub kind: VisitKind,
    /// Why it was opened, in words; empty if that is not known.
    pub reason: &'a str,
}

impl<'a> VisitRef<'a> {
    /// Returns the spelling by which visits are compared ([`page_text`]).
    pub fn key(&self) -> Cow<'a, str> {
        page_text(self.url)
    }

    /// Returns the visit with texts of its own.
    pub fn to_visit(self) -> Visit {
        Visit {
            time: Timestamp::from_second(self.second).unwrap_or_default(),
            url: self.url.to_owned(),
            title: self.title.to_owned(),
            kind: self.kind,
            reason: self.reason.to_owned(),
        }
    }

    /// Returns true if each of the words, in lower case, is in the URL or the title.
    pub fn has(&self, words: &[String]) -> bool {
        let is_in =
            |text: &str, word: &str| text.contains(word) || text.to_lowercase().contains(word);
        let mut words = words.iter();
        words.all(|word| is_in(self.url, word) || is_in(self.title, word))
    }
}

impl History {
    /// Adds the newest visit. One whose texts exceed what a file may hold is ignored.
    pub fn push(&mut self, visit: &Visit) {
        let sizes = (
            u32::try_from(self.texts.len()),
            u16::try_from(visit.url.len()),
            u16::try_from(visit.title.len()),
            u16::try_from(visit.reason.len()),
        );
        if let (Ok(start), Ok(url), Ok(title), Ok(reason)) = sizes {
            self.texts.push_str(&visit.url);
            self.texts.push_str(&visit.title);
            self.texts.push_str(&visit.reason);
            self.visits.push(StoredVisit {
                second: visit.time.as_second(),
                start,
                url,
                title,
                reason,
                kind: visit.kind,
            });
        }
    }

    /// Returns the number of visits.
    pub fn len(&self) -> usize {
        self.visits.len()
    }

    /// Returns true if there is no visit.
    pub fn is_empty(&self) -> bool {
        self.visits.is_empty()
    }

    /// Returns the visits, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = VisitRef<'_>> + ExactSizeIterator {
        self.visits.iter().map(|stored| {
            let start = usize::try_from(stored.start).unwrap_or(usize::MAX);
            let title = start.saturating_add(stored.url.into());
            let reason = title.saturating_add(stored.title.into());
            let end = reason.saturating_add(stored.reason.into());
            VisitRef {
                second: stored.second,
                url: self.texts.get(start..title).unwrap_or_default(),
                title: self.texts.get(title..reason).unwrap_or_default(),
                kind: stored.kind,
                reason: self.texts.get(reason..end).unwrap_or_default(),
            }
        })
    }

    /// Removes all but the newest `count` of the visits since `oldest`, in seconds since 1970.
    pub(super) fn keep_newest(&mut self, oldest: i64, count: usize) {
        let is_young = |second: i64| second >= oldest;
        let young = self.visits.iter().filter(|visit| is_young(visit.second));
        let young = young.count();
        let surplus = young.saturating_sub(count);
        if surplus > 0 || young < self.len() {
            let mut newest = Self::default();
            let visits = self.iter().filter(|visit| is_young(visit.second));
            for visit in visits.skip(surplus) {
                newest.push(&visit.to_visit());
            }
            *self = newest;
        }
    }

    /// Returns the memory of the visits, in octets.
    pub fn memory(&self) -> usize {
        self.texts.capacity() + self.visits.capacity() * size_of::<StoredVisit>()
    }
}
