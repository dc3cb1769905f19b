//! URLs that a walk of a site has found: each counts once. A site may have millions of links, so that only a hash of
//! each is kept.

use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::BuildHasher;

use geomys_wire::net::compared_url;
use rfc1738::Url;

/// URLs that were found, by the hashes of their keys.
#[derive(Default)]
pub(super) struct FoundUrls {
    hasher: RandomState,
    /// The page that links to each, if it is wanted.
    pages: HashMap<u64, Option<Box<Url>>>,
}

impl FoundUrls {
    /// Adds a URL. Returns false if it was found before.
    pub(super) fn add(&mut self, url: &Url, via: Option<&Url>) -> bool {
        match self.pages.entry(self.hasher.hash_one(compared_url(url))) {
            Entry::Occupied(_) => false,
            Entry::Vacant(new) => {
                new.insert(via.cloned().map(Box::new));
                true
            }
        }
    }

    /// Returns true for a URL that was found.
    pub(super) fn has(&self, url: &Url) -> bool {
        self.pages
            .contains_key(&self.hasher.hash_one(compared_url(url)))
    }

    /// Returns the page that links to a URL.
    pub(super) fn via(&self, url: &Url) -> Option<&Url> {
        let via = self.pages.get(&self.hasher.hash_one(compared_url(url)))?;
        via.as_deref()
    }
}
