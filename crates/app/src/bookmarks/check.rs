//! The link checks of bookmarks: their state, the selection, the progress and the results.

mod progress;
mod summary;
pub(crate) mod watch;

pub use self::progress::BulkProgress;
pub use self::summary::LinkMark;

use std::collections::BTreeMap;
use std::sync::Arc;

use geomys_load::LoadId;
use geomys_load::check::LinkStatus;
use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::checks::{CheckResult, Checks, UrlKey};
use geomys_store::bookmarks::records::BookmarkRecords;
use geomys_store::bookmarks::watch::{WatchEvent, WatchedPages};
use geomys_wire::text::count;
use jiff::Timestamp;
use rfc1738::Url;

use crate::bookmarks::message::{BulkJob, BulkKind, MoveCheck};
use crate::bookmarks::search::LinkStatusMatcher;
use crate::bookmarks::sidebar::Sidebar;
use crate::{BookmarkCommand, BookmarkEffect, Context, Credentials, Dialog, Effect};

/// The number of results that are saved together while a check runs.
const RESULTS_PER_SAVE: usize = 500;

/// The number of rows that are searched one by one for the next mark. Farther rows use an index.
const SCANNED_ROWS: usize = 500;

/// The link check state of the bookmarks, and the running check.
#[derive(Clone, Debug, Default)]
pub struct LinkChecks {
    /// The results of link checks; shared with searches in blocking tasks.
    pub checks: Arc<Checks>,
    /// The state of the watched bookmarks.
    pub watched: Arc<WatchedPages>,
    /// The dates of additions, as they were read last.
    pub added: Arc<BookmarkRecords>,
    /// The running check.
    pub running: Option<BulkProgress>,
    /// The moves that are accepted when their check ends.
    pub(super) accepting: Option<MoveCheck>,
    /// The start time of the browser; `None` disables checks and watches.
    pub started: Option<Timestamp>,
    /// True once the stored results were read.
    is_loaded: bool,
    /// The results that are not yet saved.
    unsaved: Vec<CheckResult>,
    /// The pages that the user has just begun to follow, with the jobs that look at them.
    first_looks: BTreeMap<UrlKey, LoadId>,
}

impl LinkChecks {
    /// Checks the marked bookmarks, or else the bookmark or the folder under the cursor.
    pub(crate) fn check_selected(
        &mut self,
        sidebar: &Sidebar,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        let selection = sidebar.selection();
        if selection.is_empty() {
            return;
        }
        let items = sidebar.bookmarks_in(&selection);
        self.check(sidebar.bookmarks.clone(), items, credentials, cx);
    }

    /// Checks all bookmarks; asks first if the cursor is in a folder or a filter is active, because the user may mean
    /// only these.
    pub(crate) fn ask_check(
        &mut self,
        sidebar: &Sidebar,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        let bookmarks = &sidebar.bookmarks;
        let all: Vec<usize> = (0..bookmarks.len()).collect();
        let in_all = count_checkable(bookmarks, all.iter().copied());
        let mut sets = vec![('a', format!("all {}", count(in_all)), all)];
        if sidebar.is_filtered() {
            let found = sidebar.rows().to_vec();
            let in_found = count_checkable(bookmarks, found.iter().copied());
            if in_found > 0 && in_found < in_all {
                sets.push(('s', format!("the {} shown", count(in_found)), found));
            }
        }
        let folder = sidebar.nearest_folder();
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
            self.check(bookmarks.clone(), all, credentials, cx);
            return;
        }
        let mut dialog = Dialog::new("Check which bookmarks?");
        for (letter, words, items) in sets {
            let check = BookmarkCommand::Check(bookmarks.clone(), items);
            dialog = dialog.answer(letter, &words, check);
        }
        cx.ask(dialog.no("none"));
    }

    /// Starts a check of the bookmarks among these items; `from` is the file's state when they were selected. Returns
    /// the id of the check, or notifies why there is none.
    pub(crate) fn check(
        &mut self,
        from: Bookmarks,
        items: Vec<usize>,
        credentials: &Credentials,
        cx: &mut Context,
    ) -> Option<LoadId> {
        if cx.settings.offline {
            cx.notify("Offline: no check");
            return None;
        }
        if self.running.is_some() {
            cx.notify("A check is running already");
            return None;
        }
        let total = count_checkable(&from, items.iter().copied());
        if total == 0 {
            cx.notify("No bookmark with a valid URL to check");
            return None;
        }
        let load = cx.next_load();
        self.running = Some(BulkProgress::new(load, total));
        let job = BulkJob {
            bookmarks: from,
            defaults: credentials.request_defaults(&cx.settings),
            kind: BulkKind::Check(items),
        };
        cx.emit(BookmarkEffect::RunBulk(load, Box::new(job)));
        Some(load)
    }

    /// Handles new results of a check.
    pub(super) fn checked(
        &mut self,
        load: LoadId,
        results: Vec<CheckResult>,
        total: usize,
        bookmarks: &Bookmarks,
        cx: &mut Context,
    ) {
        let LinkChecks {
            running: Some(running),
            checks,
            unsaved,
            ..
        } = self
        else {
            return;
        };
        if running.load != load {
            return;
        }
        running.total = total;
        let accepting = self.accepting.as_ref();
        let is_accepting = accepting.is_some_and(|accepting| accepting.load == load);
        for result in results {
            let status = &result.checked.verdict;
            if let LinkStatus::Local(why) = status {
                // What this machine lacks is no fault of a server, and the next check would lack it, too.
                let why = format!("{why}; ");
                self.stop_check(&why, bookmarks, cx);
                return;
            }
            running.count(status.name(), 1);
            // A move stays known while its server cannot be asked.
            if is_accepting && matches!(status, LinkStatus::Unreachable(_)) {
                continue;
            }
            Arc::make_mut(checks).note(&result);
            let has_no_mark = matches!(
                status,
                LinkStatus::NotChecked(_) | LinkStatus::Local(_) | LinkStatus::Alive
            );
            if running.total == 1 && has_no_mark {
                // For a single bookmark the status line shows the result, because such a result has no mark.
                let words = status.words();
                let words = Some(words).filter(|words| !words.is_empty());
                let words = words.map_or(String::new(), |words| format!(": {words}"));
                cx.notify(&format!("{}{words}", status.name()));
            }
            unsaved.push(result);
        }
        if unsaved.len() >= RESULTS_PER_SAVE {
            self.save_check_results(bookmarks, cx);
        }
    }

    /// Handles the end of a job. Returns true if it was the running check.
    pub(crate) fn check_ended(
        &mut self,
        load: LoadId,
        bookmarks: &Bookmarks,
        cx: &mut Context,
    ) -> bool {
        let ended = self.running.take_if(|running| running.load == load);
        if let Some(running) = ended.as_ref().filter(|running| running.total > 1) {
            let (done, dead) = (count(running.done), count(running.of("dead")));
            let others = running.others(&["moved", "refused", "unreachable"]);
            cx.notify(&format!("Checked {done}, {dead} dead{others}"));
        }
        if ended.is_some() {
            self.save_check_results(bookmarks, cx);
        }
        ended.is_some()
    }

    /// Stops the running check, for a reason that the user is told; its results so far are saved.
    pub(super) fn stop_check(
        &mut self,
        why: &str,
        bookmarks: &Bookmarks,
        cx: &mut Context,
    ) -> bool {
        let Some(running) = self.running.take() else {
            return false;
        };
        let progress = running.words();
        self.accepting = None;
        cx.notify(&format!("Stopped: {why}{progress} checked, results saved"));
        cx.emit(Effect::Drop(running.load));
        self.save_check_results(bookmarks, cx);
        true
    }

    /// Requests the saved results again, which another process may have changed.
    pub(crate) fn reload_link_checks(&self, cx: &mut Context) {
        if self.is_loaded && self.running.is_none() {
            cx.emit(BookmarkEffect::ReadCheckResults);
        }
    }

    /// Handles the saved link check results, or the error of reading them. From now on the watched bookmarks that are
    /// due are fetched, if the setting is on.
    pub(crate) fn link_checks_loaded(
        &mut self,
        loaded: Result<(Checks, WatchedPages), String>,
        bookmarks: &Bookmarks,
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
        for result in &self.unsaved {
            checks.note(result);
        }
        self.checks = Arc::new(checks);
        self.watched = Arc::new(watched);
        let is_first = !std::mem::replace(&mut self.is_loaded, true);
        let is_enabled = cx.settings.follow && !cx.settings.offline && is_first;
        if is_enabled && self.started.is_some() {
            self.watch(None, bookmarks, credentials, cx);
        }
    }

    /// Handles the fetch results of watched bookmarks.
    pub(crate) fn watched(&mut self, mut events: Vec<WatchEvent>, cx: &mut Context) {
        events.extend(self.first_looks(&events, cx));
        let watched = Arc::make_mut(&mut self.watched);
        for event in &events {
            watched.note(event);
        }
        if !events.is_empty() {
            cx.emit(BookmarkEffect::WriteWatchEvents(events));
        }
    }

    /// Marks a watched bookmark, or an entry of one, as read when its address is opened.
    pub(crate) fn mark_opened(&mut self, url: &Url, cx: &mut Context) {
        let event = self.watched.opening(url);
        if let Some(event) = event.filter(|_| !cx.found.is_private) {
            Arc::make_mut(&mut self.watched).note(&event);
            let write = BookmarkEffect::WriteWatchEvents(vec![event]);
            cx.emit(write);
        }
    }

    /// Saves the results that are not saved yet.
    pub(crate) fn save_check_results(&mut self, bookmarks: &Bookmarks, cx: &mut Context) {
        let results = std::mem::take(&mut self.unsaved);
        if !results.is_empty() {
            let write = BookmarkEffect::WriteCheckResults(results, bookmarks.clone());
            cx.emit(write);
        }
    }

    /// Returns the row of the next bookmark with a mark.
    pub(super) fn next_problem_row(&self, sidebar: &Sidebar) -> Option<usize> {
        let bookmarks = &sidebar.bookmarks;
        let visible = sidebar.rows();
        let is_marked = |row: usize| {
            let bookmark = visible
                .get(row)
                .and_then(|&index| bookmarks.bookmark(index));
            let url = bookmark.and_then(|bookmark| bookmark.repaired_url().ok());
            url.is_some_and(|url| self.mark(&url).is_some())
        };
        let below = sidebar.cursor + 1;
        let mut rows = (below..visible.len()).chain(0..below.min(visible.len()));
        let near = rows.by_ref().take(SCANNED_ROWS).find(|&row| is_marked(row));
        near.or_else(|| {
            // Far rows: a URL is parsed only if the row can have a mark.
            let may_be = bookmarks.may_be_to_any(self.marked().map(UrlKey::as_str));
            let is_one = |row: usize| visible.get(row).is_some_and(|&index| may_be(index));
            rows.find(|&row| is_one(row) && is_marked(row))
        })
    }

    /// Returns the matcher of filter words about what is stored of a URL, for searches.
    pub(crate) fn matcher(&self, cx: &Context) -> LinkStatusMatcher {
        LinkStatusMatcher(Arc::new(self.link_status_matcher(cx)))
    }

    /// Returns a function that matches what is stored of a URL with a filter word such as `is:dead`, `is:new`,
    /// `dead>30d` or `since:2019`, see [`Checks::matches`]. The function can be moved to another task.
    pub fn link_status_matcher(
        &self,
        cx: &Context,
    ) -> impl Fn(&str, Option<&Url>) -> bool + Send + Sync + use<> {
        let now = self.time(cx);
        let checks = Arc::clone(&self.checks);
        let watched = Arc::clone(&self.watched);
        let added = Arc::clone(&self.added);
        move |word, url| {
            // Text that is no URL has no state.
            let matches = url.and_then(|url| {
                let matches = checks.matches(word, url, now);
                let matches = matches.or_else(|| watched.matches(word, url));
                matches.or_else(|| added.matches(word, url, now))
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
