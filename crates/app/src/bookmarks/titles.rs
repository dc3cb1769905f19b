//! The titles of bookmarks: fetched in the background from their pages, and set as one change.

use geomys_load::LoadId;
use geomys_load::check::FetchedTitle;
use geomys_store::bookmarks::{Bookmark, BookmarkEdit, Bookmarks, Change};
use geomys_wire::text::count;

use crate::bookmarks::bulk_edit::item_name;
use crate::bookmarks::check::BulkProgress;
use crate::bookmarks::message::{BulkJob, BulkKind};
use crate::bookmarks::sidebar::Sidebar;
use crate::{BookmarkEffect, Context, Credentials};

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
    pub(super) fn add(&mut self, items: &[usize], fetched: FetchedTitle) {
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

    /// Starts to fetch the titles of the marked bookmarks, or of the one under the cursor; of those in a folder, only
    /// of the ones without a title.
    pub(super) fn start(
        sidebar: &Sidebar,
        credentials: &Credentials,
        cx: &mut Context,
    ) -> Option<Self> {
        let from = sidebar.bookmarks.clone();
        let named = sidebar.selection();
        let items = sidebar.bookmarks_in(&named);
        let bookmarks = items.iter().filter_map(|&item| from.bookmark(item));
        let valid = bookmarks.filter(|bookmark| bookmark.repaired_url().is_ok());
        let is_wanted = |one: &Bookmark<'_>| named.contains(&one.index) || one.title().is_blank();
        let valid: Vec<Bookmark<'_>> = valid.collect();
        let wanted = valid.iter().filter(|one| is_wanted(one));
        let items: Vec<usize> = wanted.map(|one| one.index).collect();
        if items.is_empty() {
            cx.notify(match valid.as_slice() {
                [] => "No bookmark with a valid URL here",
                _ => "All have a title: mark those that need another one",
            });
            return None;
        }
        if cx.settings.offline {
            cx.notify("Offline: no titles");
            return None;
        }
        let load = cx.next_load();
        let fetch = Self::new(load, from.clone(), items.len());
        let job = BulkJob {
            bookmarks: from,
            defaults: credentials.request_defaults(&cx.settings),
            kind: BulkKind::FetchTitles(items),
        };
        cx.emit(BookmarkEffect::RunBulk(load, Box::new(job)));
        Some(fetch)
    }

    /// Returns the change that sets the fetched titles, and its description; without titles, reports why.
    pub(super) fn change(&self, cx: &mut Context) -> Option<(Change, String)> {
        if self.titles.is_empty() {
            cx.notify(&match self.failed.as_slice() {
                [one] if self.progress.done == 1 => {
                    format!(
                        "no title for {}: {}",
                        item_name(&self.from, *one),
                        self.error
                    )
                }
                _ => self.summary(),
            });
            return None;
        }
        let edits = self.titles.iter().map(|(item, title)| {
            let edit = BookmarkEdit {
                title: Some(title.clone()),
                ..BookmarkEdit::default()
            };
            (*item, edit)
        });
        let change = self.from.editing(&edits.collect::<Vec<_>>());
        Some((change, self.summary()))
    }

    /// Marks the bookmarks without a new title, so that the next key acts on them.
    pub(super) fn mark_untitled(&self, sidebar: &mut Sidebar) {
        if self.progress.total > 1 {
            let without: Vec<usize> = [self.untitled.as_slice(), &self.failed].concat();
            let without = self.from.follow(&sidebar.bookmarks, &without);
            sidebar.mark_only(without.into_iter().flatten());
        }
    }
}
