//! The copies of pages that can be opened without a network, and the links that wait for the next sync.

use std::collections::HashSet;

use geomys_load::{Reason, Request, cache_key};
use geomys_store::files::later::LaterEntry;
use geomys_wire::net::page_url;
use rfc1738::{Scheme, Url};

/// The scheme of the pages that Geomys makes itself.
const BUILTIN: &str = "geomys";

/// Whether the page of a link can be opened without a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// There is a copy, or the page comes from no server.
    Here,
    /// There is none, and the next sync fetches it.
    Queued,
    /// There is none.
    Missing,
}

/// The copies of pages, in the offline mode, and the pages that are saved for later.
#[derive(Debug, Default)]
pub struct Copies {
    /// The keys of all copies; `None` online, and until they are read.
    keys: Option<HashSet<Url>>,
    /// The pages that are saved for later, the oldest first.
    later: Vec<LaterEntry>,
    /// The keys of those that are not here.
    queued: HashSet<Url>,
}

impl Copies {
    /// Takes the keys of all copies; `None` when they are not needed.
    pub(crate) fn set_keys(&mut self, keys: Option<HashSet<Url>>) {
        self.keys = keys;
    }

    /// Takes the pages that are saved for later. Returns true if others were known.
    pub(crate) fn set_later(&mut self, mut later: Vec<LaterEntry>) -> bool {
        // The list may have been read before the mark of a page that was shown was written.
        for entry in later.iter_mut().filter(|entry| entry.shown.is_none()) {
            let known = self.later.iter().find(|known| known.url == entry.url);
            entry.shown = known.and_then(|known| known.shown);
        }
        let queued = later.iter().filter(|entry| !entry.is_stored);
        self.queued = queued.map(|entry| page_url(&entry.url)).collect();
        if let Some(keys) = &mut self.keys {
            let stored = later.iter().filter(|entry| entry.is_stored);
            keys.extend(stored.map(|entry| page_url(&entry.url)));
        }
        let is_other = self.later != later;
        self.later = later;
        is_other
    }

    /// Puts what the user has agreed to into a request of a page that is saved for later.
    pub(crate) fn accept_answers(&self, request: &mut Request) {
        if matches!(request.reason, Reason::Queued(_)) {
            let url = request.url.without_password();
            if let Some(entry) = self.later.iter().find(|entry| entry.url == url) {
                entry.accept_answers(request);
            }
        }
    }

    /// Returns true if an entry has another answer of the user than before.
    pub(crate) fn is_answered(&self, entry: &LaterEntry) -> bool {
        let known = self.later.iter().find(|known| known.url == entry.url);
        known.is_some_and(|known| known.accepted != entry.accepted)
    }

    /// Returns the pages that are saved for later and were not read, the newest first, as their page lists them.
    pub fn unread_later(&self) -> impl Iterator<Item = &LaterEntry> {
        self.later.iter().rev().filter(|entry| entry.is_unread())
    }

    /// Returns true if a page whose URL ends in this is kept, and here.
    pub(crate) fn is_kept(&self, end: &str) -> bool {
        let mut kept = self.later.iter().filter(|entry| entry.is_stored);
        kept.any(|entry| entry.url.as_str().ends_with(end))
    }

    /// Records that a page was shown. Returns the page of it that is saved for later and was not read until now.
    pub(crate) fn shown(&mut self, url: &Url) -> Option<Url> {
        let is_unread = |entry: &&mut LaterEntry| entry.is_unread() && entry.is_of(url);
        let entry = self.later.iter_mut().find(is_unread)?;
        // The file gets the time.
        entry.shown = Some(entry.added);
        Some(entry.url.clone())
    }

    /// Returns whether the page of a request can be opened offline; `None` online, and until the copies are read.
    pub fn availability(&self, request: &Request) -> Option<Availability> {
        let keys = self.keys.as_ref()?;
        let url = &request.url;
        if url.scheme() == Scheme::File || url.scheme_name() == BUILTIN {
            return Some(Availability::Here);
        }
        Some(match cache_key(request) {
            Some(key) if keys.contains(&key) => Availability::Here,
            Some(_) if self.is_queued(url) => Availability::Queued,
            Some(_) | None => Availability::Missing,
        })
    }

    /// Returns true if a page can be opened now: all can online.
    pub(crate) fn may_open(&self, url: &Url) -> bool {
        let request = || Request::show(url.clone(), Reason::Typed);
        self.keys.is_none() || self.availability(&request()) == Some(Availability::Here)
    }

    /// Returns the URLs of all copies; `None` online, and until they are read.
    pub(crate) fn urls(&self) -> Option<impl Iterator<Item = &Url>> {
        self.keys.as_ref().map(HashSet::iter)
    }

    /// Returns true if the next sync fetches the page of a link.
    pub fn is_queued(&self, url: &Url) -> bool {
        !self.queued.is_empty() && self.queued.contains(&page_url(url))
    }
}
