//! The titles of bookmarks: fetched in the background from their pages, and set as one change.

use geomys_page::load::LoadId;
use geomys_page::load::check::FetchedTitle;
use geomys_store::bookmarks::{BookmarkEdit, Bookmarks};
use geomys_wire::text::count;

use crate::app::bookmarks::bulk_edit::item_name;
use crate::app::bookmarks::check::BulkProgress;
use crate::app::bookmarks::message::{BulkJob, BulkKind, HistoryStep};
use crate::app::{BookmarkEffect, BookmarksPane, Context, Credentials, Effect};

/// The running fetch of titles, and what it has fetched.
#[derive(Clone, Debug)]
pub struct TitleFetch {
    /// The progress, in bookmarks.
    pub progress: BulkProgress,
    /// The content of the bookmark file when the fetch was started.
    from: Bookmarks,
    /// The new titles by the indices of the bookmarks.
    titles: Vec<(usize, String)>,
    /// The bookmarks whose pages have no title.
    untitled: Vec<usize>,
    /// The bookmarks whose pages were not fetched.
    failed: Vec<usize>,
    /// The error of the first of them.
    error: String,
}

impl TitleFetch {
    fn new(load: LoadId, from: Bookmarks, total: usize) -> Self {
        Self {
            progress: BulkProgress::new(load, total),
            from,
            titles: Vec::new(),
            untitled: Vec::new(),
            failed: Vec::new(),
            error: String::new(),
        }
    }

    /// Adds the result for bookmarks that have the same URL.
    fn add(&mut self, items: &[usize], fetched: FetchedTitle) {
        match fetched {
            Ok(Some(title)) => {
                let title = title.as_str();
                let is_other = |item: &usize| {
                    let bookmark = self.from.bookmark(*item);
                    bookmark.is_some_and(|bookmark| bookmark.title().as_str() != title)
                };
                let changed: Vec<usize> = items.iter().copied().filter(is_other).collect();
                self.progress.count("fetched", changed.len());
                self.progress
                    .count("unchanged", items.len() - changed.len());
                let titles = changed.into_iter().map(|item| (item, title.to_owned()));
                self.titles.extend(titles);
            }
            Ok(None) => {
                self.progress.count("without a title", items.len());
                self.untitled.extend(items);
            }
            Err(status) => {
                self.progress.count("failed", items.len());
                if self.failed.is_empty() {
                    self.error = status.words();
                }
                self.failed.extend(items);
            }
        }
    }

    /// Returns what was fetched, in words: `3 titles fetched, 1 unchanged, 2 without a title, 1 failed`.
    fn summary(&self) -> String {
        let fetched = match self.titles.as_slice() {
            [(_, title)] => format!(
                "title “{}” fetched",
                geomys_wire::text::shorten(title, 32, "…")
            ),
            titles => format!("{} titles fetched", count(titles.len())),
        };
        let others = ["unchanged", "without a title", "failed"];
        format!("{fetched}{}", self.progress.others(&others))
    }
}

impl BookmarksPane {
    /// Fetches the titles of the marked bookmarks, or of the one under the cursor or those in the folder there.
    pub(crate) fn fetch_titles(&mut self, credentials: &Credentials, cx: &mut Context) {
        let from = self.sidebar.bookmarks.clone();
        let items = self.sidebar.bookmarks_in(&self.sidebar.selection());
        let valid = items.into_iter().filter(|&item| {
            let bookmark = from.bookmark(item);
            bookmark.is_some_and(|bookmark| bookmark.repaired_url().is_ok())
        });
        let items: Vec<usize> = valid.collect();
        if items.is_empty() {
            return cx.notify("no bookmark with a valid URL here");
        }
        if cx.settings.offline {
            return cx.notify("offline: no titles");
        }
        if self.titles.is_some() {
            return cx.notify("titles are being fetched already");
        }
        let load = cx.next_load();
        self.titles = Some(TitleFetch::new(load, from.clone(), items.len()));
        let job = BulkJob {
            bookmarks: from,
            defaults: credentials.request_defaults(&cx.settings),
            kind: BulkKind::FetchTitles(items),
        };
        cx.emit(BookmarkEffect::RunBulk(load, Box::new(job)));
    }

    /// Handles a fetched title of bookmarks that have the same URL.
    pub(crate) fn title_fetched(&mut self, load: LoadId, items: &[usize], fetched: FetchedTitle) {
        let running = self.titles.as_mut();
        if let Some(running) = running.filter(|running| running.progress.load == load) {
            running.add(items, fetched);
        }
    }

    /// Handles the end of a fetch of titles: sets them.
    pub(crate) fn titles_ended(&mut self, load: LoadId, cx: &mut Context) {
        if let Some(fetch) = self.titles.take_if(|running| running.progress.load == load) {
            self.set_titles(&fetch, cx);
        }
    }

    /// Stops the running fetch of titles; those fetched so far are set.
    pub(crate) fn stop_titles(&mut self, cx: &mut Context) -> bool {
        let Some(fetch) = self.titles.take() else {
            return false;
        };
        cx.emit(Effect::Drop(fetch.progress.load));
        self.set_titles(&fetch, cx);
        true
    }

    /// Sets the fetched titles as one change. Bookmarks without a new title are marked, so that the next key acts on them.
    fn set_titles(&mut self, fetch: &TitleFetch, cx: &mut Context) {
        let without: Vec<usize> = [fetch.untitled.as_slice(), &fetch.failed].concat();
        if fetch.titles.is_empty() {
            cx.notify(&match fetch.failed.as_slice() {
                [one] if fetch.progress.done == 1 => {
                    format!(
                        "no title for {}: {}",
                        item_name(&fetch.from, *one),
                        fetch.error
                    )
                }
                _ => fetch.summary(),
            });
        } else {
            let edits = fetch.titles.iter().map(|(item, title)| {
                let edit = BookmarkEdit {
                    title: Some(title.clone()),
                    ..BookmarkEdit::default()
                };
                (*item, edit)
            });
            let change = fetch.from.editing(&edits.collect::<Vec<_>>());
            // No key has just asked for it: the cursor stays on its bookmark.
            self.apply_change(HistoryStep::Done, change, fetch.summary(), cx);
        }
        if fetch.progress.total > 1 {
            let without = fetch.from.follow(&self.sidebar.bookmarks, &without);
            self.sidebar.mark_only(without.into_iter().flatten());
        }
    }
}
