//! Pages of an earlier run that no page links to now: with `--delete` each is asked for, once. Only the word of its
//! server that it is gone deletes it.

use std::path::PathBuf;

use geomys_load::{Failure, FailureKind, Stop};
use rfc1738::{Dialect, Protocol, Url};

use super::files::TakenNames;
use super::listing::RemoteItem;
use super::pages::{item_kind, page_item};
use super::{TreeWalk, VanishedFiles};
use crate::site::needs_words;
use geomys_store::transfer::records::locked;

impl TreeWalk<'_> {
    /// Asks for the pages of an earlier run that no link leads to now.
    pub(super) async fn ask_unlinked(&mut self, top: &Url) {
        let is_wanted = self.order.mirror.vanished != VanishedFiles::Keep;
        if !is_wanted || self.summary.failures > 0 {
            return;
        }
        let unlinked = self.unlinked_pages();
        let is_partial = self.site.as_ref().is_none_or(|site| site.is_partial);
        if is_partial && !unlinked.is_empty() {
            let why = "not all pages of the site were read";
            self.note(format!("pages that nothing links to stay: {why}"));
            return;
        }
        self.summary.unlinked = unlinked.len();
        let mut items = Vec::new();
        for (name, url) in unlinked {
            let is_admitted = self
                .order
                .mirror
                .filter
                .admits_below(&name, item_kind(&url));
            if is_admitted && !needs_words(&url) && self.robots_admit(&url).await {
                items.push(page_item(url, name));
            }
        }
        self.ask_pages(top, items).await;
    }

    /// Returns the pages of an earlier run whose URLs were not found, with their names.
    fn unlinked_pages(&self) -> Vec<(PathBuf, Url)> {
        let (Some(record), Some(site)) = (&self.record, &self.site) else {
            return Vec::new();
        };
        let files = self.mirrored_files(&locked(record)).into_iter();
        let pages =
            files.filter_map(|(name, url)| Some((name, Dialect::Extended.parse(&url).ok()?)));
        let mut pages: Vec<(PathBuf, Url)> =
            pages.filter(|(_, url)| !site.found.has(url)).collect();
        pages.sort();
        pages.dedup_by(|one, other| one.1 == other.1);
        pages
    }

    /// Asks for pages once each.
    async fn ask_pages(&mut self, top: &Url, items: Vec<RemoteItem>) {
        if let Some(site) = &mut self.site {
            site.is_asking_unlinked = true;
        }
        self.retry_policy.max_attempts = 0;
        let directory = self.site_directory(top, 0);
        self.take(directory, items, &TakenNames::default()).await;
    }

    /// Returns true while the pages that nothing links to are asked for.
    pub(super) fn is_asking_unlinked(&self) -> bool {
        let site = self.site.as_ref();
        site.is_some_and(|site| site.is_asking_unlinked)
    }

    /// Takes the answer for a page that nothing links to and that did not come: it stays, unless its server says that
    /// it is gone.
    pub(super) fn judge_unlinked(&mut self, url: &Url, stop: &Stop) {
        let Some(site) = &mut self.site else { return };
        let Stop::Failed(failure) = stop else { return };
        if says_gone(url, failure) {
            self.summary.unlinked = self.summary.unlinked.saturating_sub(1);
            site.gone.insert(url.without_password().to_string());
        }
    }
}

/// Returns true if a failure is the word of a server that a page is gone: 404 and 410 of HTTP, 51 and 52 of Gemini, 4
/// of Spartan, an answer of Gopher that is one error row. Nex has no such word.
pub(super) fn says_gone(url: &Url, failure: &Failure) -> bool {
    let is_missing = failure.kind == FailureKind::Missing && failure.next.is_none();
    is_missing
        && match url.protocol() {
            Protocol::Http(_) | Protocol::Gemini(_) | Protocol::Spartan(_) => true,
            // With other words it may be a page of maintenance.
            Protocol::Gopher(_) => failure.said.len() <= 1,
            _ => false,
        }
}
