//! The link checks of bookmarks: the selection, the progress and the results.

mod progress;
pub mod state;
mod summary;
pub(crate) mod watch;

pub use self::progress::BulkProgress;
pub use self::summary::LinkMark;

use std::sync::Arc;

use geomys_page::load::LoadId;
use geomys_page::load::check::LinkStatus;
use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::checks::{CheckResult, Checks, UrlKey};
use geomys_store::bookmarks::watch::{WatchEvent, WatchedPages};
use geomys_wire::text::count;
use rfc1738::Url;

use crate::app::bookmarks::bulk_edit::item_name;
use crate::app::bookmarks::check::state::LinkChecks;
use crate::app::bookmarks::message::{BulkJob, BulkKind, BulkOutcome, BulkReport};
use crate::app::{
    BookmarkCommand, BookmarkEffect, BookmarksPane, Context, Credentials, Dialog, Effect,
};

/// The number of results that are saved together while a check runs.
const RESULTS_PER_SAVE: usize = 500;

/// The number of rows that are searched one by one for the next mark. Farther rows use an index.
const SCANNED_ROWS: usize = 500;

impl BookmarksPane {
    /// Checks the marked bookmarks, or else the bookmark or the folder under the cursor.
    pub(crate) fn check_selected(&mut self, credentials: &Credentials, cx: &mut Context) {
        let selection = self.sidebar.selection();
        if selection.is_empty() {
            return;
        }
        let items = self.sidebar.bookmarks_in(&selection);
        self.check(self.sidebar.bookmarks.clone(), items, credentials, cx);
    }

    /// Checks all bookmarks; asks first if the cursor is in a folder or a filter is active, because the user may mean
    /// only these.
    pub(crate) fn ask_check(&mut self, credentials: &Credentials, cx: &mut Context) {
        let bookmarks = &self.sidebar.bookmarks;
        let all: Vec<usize> = (0..bookmarks.len()).collect();
        let in_all = count_checkable(bookmarks, all.iter().copied());
        let mut sets = vec![('a', format!("all {}", count(in_all)), all)];
        if self.sidebar.is_filtered() {
            let found = self.sidebar.rows().to_vec();
            let in_found = count_checkable(bookmarks, found.iter().copied());
            if in_found > 0 && in_found < in_all {
                sets.push(('s', format!("the {} shown", count(in_found)), found));
            }
        }
        let folder = self.sidebar.nearest_folder();
        let folder = folder.and_then(|folder| bookmarks.folder(folder));
        if let Some(folder) = folder {
            let inside: Vec<usize> = (folder.index..bookmarks.end(folder.index)).collect();
            let in_folder = count_checkable(bookmarks, inside.iter().copied());
            if in_folder > 0 && in_folder < in_all {
                let words = format!("the {} in {}", count(in_folder), folder.name());
                sets.push(('f', words, inside));
            }
        }
        if sets.len() == 1 {
            let all = sets.pop().map_or(Vec::new(), |(_, _, all)| all);
            return self.check(bookmarks.clone(), all, credentials, cx);
        }
        let mut dialog = Dialog::new("Check which bookmarks?");
        for (letter, words, items) in sets {
            let check = BookmarkCommand::Check(bookmarks.clone(), items);
            dialog = dialog.answer(letter, &words, check);
        }
        cx.ask(dialog.no("none"));
    }

    /// Starts a check of the bookmarks among these items; `from` is the file's state when they were selected.
    pub(crate) fn check(
        &mut self,
        from: Bookmarks,
        items: Vec<usize>,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        if cx.settings.offline {
            return cx.notify("offline: no check");
        }
        if self.checks.running.is_some() {
            return cx.notify("a check is running already");
        }
        let total = count_checkable(&from, items.iter().copied());
        if total == 0 {
            return cx.notify("no bookmark with a valid URL to check");
        }
        let load = cx.next_load();
        self.checks.running = Some(BulkProgress::new(load, total));
        let job = BulkJob {
            bookmarks: from,
            defaults: credentials.request_defaults(&cx.settings),
            kind: BulkKind::Check(items),
        };
        cx.emit(BookmarkEffect::RunBulk(load, Box::new(job)));
    }

    /// Handles new outcomes of a job.
    pub(crate) fn bulk_reported(&mut self, load: LoadId, report: BulkReport, cx: &mut Context) {
        let (mut results, mut events) = (Vec::new(), Vec::new());
        for outcome in report.outcomes {
            match outcome {
                BulkOutcome::Checked(result) => results.push(result),
                BulkOutcome::Titled(items, fetched) => self.title_fetched(load, &items, fetched),
                BulkOutcome::Watched(event) => events.push(event),
            }
        }
        if !results.is_empty() {
            self.checked(load, results, report.total, cx);
        }
        if !events.is_empty() {
            self.watched(events, cx);
        }
    }

    /// Handles new results of a check.
    fn checked(&mut self, load: LoadId, results: Vec<CheckResult>, total: usize, cx: &mut Context) {
        let LinkChecks {
            running: Some(running),
            checks,
            unsaved,
            ..
        } = &mut self.checks
        else {
            return;
        };
        if running.load != load {
            return;
        }
        running.total = total;
        for result in results {
            let status = &result.checked.verdict;
            running.count(status.name(), 1);
            Arc::make_mut(checks).note(&result);
            if running.total == 1 && matches!(status, LinkStatus::NotChecked(_) | LinkStatus::Alive)
            {
                // For a single bookmark the status line shows the result, because such a result has no mark.
                let words = status.words();
                let words = Some(words).filter(|words| !words.is_empty());
                let words = words.map_or(String::new(), |words| format!(": {words}"));
                cx.notify(&format!("{}{words}", status.name()));
            }
            unsaved.push(result);
        }
        if unsaved.len() >= RESULTS_PER_SAVE {
            self.save_check_results(cx);
        }
        self.refresh_filter(false, cx);
    }

    /// Handles the end of a check.
    pub(crate) fn check_ended(&mut self, load: LoadId, cx: &mut Context) {
        let ended = self.checks.running.take_if(|running| running.load == load);
        if let Some(running) = ended.as_ref().filter(|running| running.total > 1) {
            let (done, dead) = (count(running.done), count(running.of("dead")));
            let others = running.others(&["moved", "refused", "unreachable"]);
            cx.notify(&format!("checked {done}, {dead} dead{others}"));
        }
        if ended.is_some() {
            self.save_check_results(cx);
            self.refresh_filter(true, cx);
        }
    }

    /// Stops the running check, else the running fetch of titles.
    pub(crate) fn stop_background(&mut self, cx: &mut Context) -> bool {
        self.stop_check(cx) || self.stop_titles(cx)
    }

    /// Stops the running check; its results so far are saved.
    fn stop_check(&mut self, cx: &mut Context) -> bool {
        let Some(running) = self.checks.running.take() else {
            return false;
        };
        let progress = running.words();
        cx.notify(&format!("stopped: {progress} checked, results saved"));
        cx.emit(Effect::Drop(running.load));
        self.save_check_results(cx);
        self.refresh_filter(true, cx);
        true
    }

    /// Requests the saved link check results and dates. With many bookmarks the file is large, so the first screen does not wait
    /// for it.
    pub(crate) fn load_link_checks(&mut self, cx: &mut Context) {
        if self.checks.started.is_some() {
            cx.emit(BookmarkEffect::ReadCheckResults);
            self.sort_again(cx);
        }
    }

    /// Requests the saved results again, which another process may have changed.
    pub(crate) fn reload_link_checks(&self, cx: &mut Context) {
        if self.checks.is_loaded && self.checks.running.is_none() {
            cx.emit(BookmarkEffect::ReadCheckResults);
        }
    }

    /// Handles the saved link check results, or the error of reading them. From now on the watched bookmarks that are
    /// due are fetched, if the setting is on.
    pub(crate) fn link_checks_loaded(
        &mut self,
        loaded: Result<(Checks, WatchedPages), String>,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        let (mut checks, watched) = match loaded {
            Ok(loaded) => loaded,
            Err(sentence) => {
                // Nothing is fetched, because the due dates are not available.
                return cx.report_error(&sentence);
            }
        };
        for result in &self.checks.unsaved {
            checks.note(result);
        }
        self.checks.checks = Arc::new(checks);
        self.checks.watched = Arc::new(watched);
        self.refresh_filter(true, cx);
        let is_first = !std::mem::replace(&mut self.checks.is_loaded, true);
        let is_enabled = cx.settings.watch && !cx.settings.offline && is_first;
        if is_enabled && self.checks.started.is_some() {
            let watch = self.watch(None, credentials, cx);
            cx.emit(watch);
        }
    }

    /// Handles the fetch results of watched bookmarks.
    pub(crate) fn watched(&mut self, events: Vec<WatchEvent>, cx: &mut Context) {
        let watched = Arc::make_mut(&mut self.checks.watched);
        for event in &events {
            watched.note(event);
        }
        self.refresh_filter(false, cx);
        if !events.is_empty() {
            cx.emit(BookmarkEffect::WriteWatchEvents(events));
        }
    }

    /// Marks a watched bookmark, or an entry of one, as read when its address is opened.
    pub(crate) fn mark_opened(&mut self, url: &Url, cx: &mut Context) {
        let key = UrlKey::of(url);
        if self.checks.watched.is_unread(&key) {
            let event = WatchEvent::Opened(key);
            Arc::make_mut(&mut self.checks.watched).note(&event);
            let write = BookmarkEffect::WriteWatchEvents(vec![event]);
            cx.emit(write);
        }
    }

    /// Saves the results that are not saved yet.
    pub(crate) fn save_check_results(&mut self, cx: &mut Context) {
        let results = std::mem::take(&mut self.checks.unsaved);
        if !results.is_empty() {
            let bookmarks = self.sidebar.bookmarks.clone();
            let write = BookmarkEffect::WriteCheckResults(results, bookmarks);
            cx.emit(write);
        }
    }

    /// Moves the cursor to the next bookmark with a mark, and wraps to the top after the last. Closed folders are
    /// skipped.
    pub(crate) fn go_to_next_problem(&mut self, cx: &mut Context) {
        match self.next_problem_row() {
            Some(row) => {
                self.sidebar.cursor = row;
                cx.reveal_all();
            }
            None => cx.notify("no dead, moved, refused, unreachable or new bookmarks"),
        }
    }

    /// Returns the row of the next bookmark with a mark.
    fn next_problem_row(&self) -> Option<usize> {
        let bookmarks = &self.sidebar.bookmarks;
        let visible = self.sidebar.rows();
        let is_marked = |row: usize| {
            let bookmark = visible
                .get(row)
                .and_then(|&index| bookmarks.bookmark(index));
            let url = bookmark.and_then(|bookmark| bookmark.url().ok());
            url.is_some_and(|url| self.checks.mark(&url).is_some())
        };
        let below = self.sidebar.cursor + 1;
        let mut rows = (below..visible.len()).chain(0..below.min(visible.len()));
        let near = rows.by_ref().take(SCANNED_ROWS).find(|&row| is_marked(row));
        near.or_else(|| {
            // Far rows: a URL is parsed only if the row can have a mark.
            let may_be = bookmarks.may_be_to_any(self.checks.marked().map(UrlKey::as_str));
            let is_one = |row: usize| visible.get(row).is_some_and(|&index| may_be(index));
            rows.find(|&row| is_one(row) && is_marked(row))
        })
    }

    /// Replaces the URLs of the marked bookmarks, or of the one under the cursor or those in the folder there, by their new
    /// ones, where they have moved.
    pub(crate) fn accept_move(&mut self, cx: &mut Context) {
        let bookmarks = &self.sidebar.bookmarks;
        let items = self.sidebar.bookmarks_in(&self.sidebar.selection());
        let moved: Vec<(usize, Url)> = items
            .into_iter()
            .filter_map(|index| {
                let url = bookmarks.bookmark(index)?.url().ok()?;
                Some((index, self.checks.checks.moved_to(&url)?))
            })
            .collect();
        let words = match moved.as_slice() {
            [] if self.sidebar.marks() > 0 => return cx.notify("no marked bookmark has moved"),
            [] => return cx.notify("this bookmark has not moved"),
            [(index, _)] => format!("{} has its new URL", item_name(bookmarks, *index)),
            more => format!(
                "{} bookmarks have their new URLs",
                geomys_wire::text::count(more.len())
            ),
        };
        let change = bookmarks.replacing_urls(&moved);
        self.change_bookmarks(change, &words, cx);
    }

    /// Returns a function that matches a URL's link check state with a filter word such as `is:dead`, `is:new` or
    /// `dead>30d`, see [`Checks::matches`]. The function can be moved to another task.
    pub fn link_status_matcher(
        &self,
        cx: &Context,
    ) -> impl Fn(&str, Option<&Url>) -> bool + Send + Sync + use<> {
        let now = self.time(cx);
        let checks = Arc::clone(&self.checks.checks);
        let watched = Arc::clone(&self.checks.watched);
        move |word, url| {
            // Text that is no URL has no state.
            let matches = url.and_then(|url| {
                let matches = checks.matches(word, url, now);
                matches.or_else(|| watched.matches(word, url))
            });
            matches.unwrap_or(false)
        }
    }
}

/// Counts the items that can be checked: bookmarks with a valid address, or one that can be repaired.
fn count_checkable(bookmarks: &Bookmarks, items: impl Iterator<Item = usize>) -> usize {
    items
        .filter_map(|index| bookmarks.bookmark(index))
        .filter(|bookmark| bookmark.repaired_url().is_ok())
        .count()
}
