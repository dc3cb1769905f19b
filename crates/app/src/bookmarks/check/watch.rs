//! Watched bookmarks: the fetches that are due, and the question before the first fetch of an address.

use std::collections::BTreeSet;
use std::sync::Arc;

use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::checks::UrlKey;
use geomys_store::bookmarks::watch::WatchEvent;
use geomys_wire::net::shown_url;
use geomys_wire::text::{Text, count};
use jiff::Timestamp;
use rfc1738::Url;

use crate::bookmarks::check::LinkChecks;
use crate::bookmarks::message::{BulkJob, BulkKind, DuePages};
use crate::{BookmarkCommand, BookmarkEffect, Context, Credentials, Dialog, Effect};

/// The number of addresses that the question shows.
const SHOWN_ADDRESSES: usize = 8;

impl LinkChecks {
    /// Returns the current time.
    pub(crate) fn time(&self, cx: &Context) -> Timestamp {
        let started = self.started.unwrap_or_default();
        started.checked_add(cx.now).unwrap_or(started)
    }

    /// Starts the fetch of the watched bookmarks that are due, or only of some of them.
    pub(crate) fn watch(
        &self,
        only: Option<BTreeSet<UrlKey>>,
        bookmarks: &Bookmarks,
        credentials: &Credentials,
        cx: &mut Context,
    ) -> Effect {
        let due = DuePages {
            watched: Arc::clone(&self.watched),
            only,
            now: self.time(cx),
        };
        let job = BulkJob {
            bookmarks: bookmarks.clone(),
            defaults: credentials.request_defaults(&cx.settings),
            kind: BulkKind::Watch(due),
        };
        Effect::Bookmarks(BookmarkEffect::RunBulk(cx.next_load(), Box::new(job)))
    }

    /// Starts to watch bookmarks.
    pub(crate) fn watch_bookmarks(
        &mut self,
        (from, items): (&Bookmarks, &[usize]),
        bookmarks: &Bookmarks,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        let now = self.time(cx);
        let keys: BTreeSet<UrlKey> = urls_of(from, items).map(|url| UrlKey::of(&url)).collect();
        let events = keys
            .iter()
            .map(|key| WatchEvent::Confirmed(key.clone(), now));
        self.watched(events.collect(), cx);
        let watch = self.watch(Some(keys), bookmarks, credentials, cx);
        cx.emit(watch);
    }
}

/// Asks once before the addresses of newly tagged bookmarks are fetched for the first time.
pub(crate) fn ask_watch(from: Bookmarks, items: Vec<usize>, cx: &mut Context) {
    let urls = urls_of(&from, &items);
    let mut lines: Vec<Text> = urls
        .take(SHOWN_ADDRESSES)
        .map(|url| Text::of(&shown_url(&url)))
        .collect();
    if items.len() > SHOWN_ADDRESSES {
        let more = count(items.len() - SHOWN_ADDRESSES);
        lines.push(Text::of(&format!("and {more} more")));
    }
    let question = match items.len() {
        1 => "Watch this URL once a day?".to_owned(),
        many => format!("Watch these {} URLs once a day?", count(many)),
    };
    let watch = BookmarkCommand::Watch(from.clone(), items.clone());
    let unwatch = BookmarkCommand::Unwatch(from, items);
    let dialog = Dialog::new(&question)
        .no("not now")
        .answer('w', "watch", watch)
        .answer('r', "remove the tag #watch", unwatch)
        .with_lines(lines)
        // Another page may be loading in the pane.
        .declined(Vec::new());
    cx.ask_later(dialog);
}

fn urls_of<'a>(from: &'a Bookmarks, items: &'a [usize]) -> impl Iterator<Item = Url> + 'a {
    let bookmarks = items.iter().filter_map(|&index| from.bookmark(index));
    bookmarks.filter_map(|bookmark| bookmark.url().ok())
}
