//! Watched bookmarks: the fetches that are due, and the question before the first fetch of an address.

use std::collections::BTreeSet;
use std::sync::Arc;

use geomys_load::LoadId;
use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::checks::UrlKey;
use geomys_store::bookmarks::watch::WatchEvent;
use geomys_wire::net::shown_url;
use geomys_wire::text::{Text, count};
use jiff::Timestamp;
use rfc1738::Url;

use crate::action::Action;
use crate::bookmarks::check::LinkChecks;
use crate::bookmarks::message::{BulkJob, BulkKind, DuePages};
use crate::{BookmarkCommand, BookmarkEffect, Context, Credentials, Dialog};

/// The number of addresses that the question shows.
const SHOWN_ADDRESSES: usize = 8;

impl LinkChecks {
    /// Returns the current time.
    pub(crate) fn time(&self, cx: &Context) -> Timestamp {
        let started = self.started.unwrap_or_default();
        started.checked_add(cx.now).unwrap_or(started)
    }

    /// Starts the fetch of the followed bookmarks that are due, or only of some of them. Returns the id of the job.
    pub(crate) fn watch(
        &self,
        only: Option<BTreeSet<UrlKey>>,
        bookmarks: &Bookmarks,
        credentials: &Credentials,
        cx: &mut Context,
    ) -> LoadId {
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
        let load = cx.next_load();
        cx.emit(BookmarkEffect::RunBulk(load, Box::new(job)));
        load
    }

    /// Starts to follow bookmarks: looks at their pages at once, unless there is no network.
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
        if cx.settings.offline {
            return cx.notify("Following: the next sync looks at the page");
        }
        let load = self.watch(Some(keys.clone()), bookmarks, credentials, cx);
        self.first_looks
            .extend(keys.into_iter().map(|key| (key, load)));
    }

    /// Makes the entries new that the first look at a page has found, and tells their number.
    pub(super) fn first_looks(
        &mut self,
        events: &[WatchEvent],
        cx: &mut Context,
    ) -> Vec<WatchEvent> {
        let mut read = Vec::new();
        for event in events {
            if let WatchEvent::Fetched(key, Some(content), _) = event
                && self.first_looks.remove(key).is_some()
            {
                let read_on = cx.key_of(Action::NextUnread);
                let words = match content.entries.len() {
                    0 => "Following: changes of this page".to_owned(),
                    1 => format!("Following: 1 entry ({read_on} reads it)"),
                    many => format!("Following: {} entries ({read_on} reads them)", count(many)),
                };
                cx.notify(&words);
                read.push(WatchEvent::FirstRead(key.clone()));
            }
        }
        read
    }

    /// Tells if the page of a first look was not read.
    pub(crate) fn look_ended(&mut self, load: LoadId, cx: &mut Context) {
        let before = self.first_looks.len();
        self.first_looks.retain(|_, look| *look != load);
        if self.first_looks.len() < before {
            cx.notify("Followed; the page was not read now: the next sync does it");
        }
    }
}

/// Asks once before the addresses of bookmarks that were tagged outside of the browser are fetched for the first time.
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
        1 => "Follow this URL once a day?".to_owned(),
        many => format!("Follow these {} URLs once a day?", count(many)),
    };
    let watch = BookmarkCommand::Watch(from.clone(), items.clone());
    let unfollow = BookmarkCommand::Unfollow(from, items);
    let dialog = Dialog::new(&question)
        .no("not now")
        .answer('f', "follow", watch)
        .answer('r', "remove the tag", unfollow)
        .with_lines(lines)
        // Another page may be loading in the pane.
        .declined(Vec::new());
    cx.ask_later(dialog);
}

fn urls_of<'a>(from: &'a Bookmarks, items: &'a [usize]) -> impl Iterator<Item = Url> + 'a {
    let bookmarks = items.iter().filter_map(|&index| from.bookmark(index));
    bookmarks.filter_map(|bookmark| bookmark.repaired_url().ok())
}
