//! The filter of the bookmarks: its query, the search while typing, and the matches.

use std::sync::Arc;
use std::time::Duration;

use geomys_store::bookmarks::Query;

use crate::action::Action;
use crate::bookmarks::check::LinkChecks;
use crate::bookmarks::search::{BookmarkFilter, BookmarkSearch, BookmarkSearchResult};
use crate::bookmarks::sidebar::Sidebar;
use crate::dialogs::text_input::{BookmarkInput, Completions, InputEvent, TextInput};
use crate::keymap::Key;
use crate::motion::Motion;
use crate::{BookmarkEffect, BookmarksPane, Command, Context, Dialog, Focus, WorkId};

/// The largest number of items that are searched at once; more are searched in a blocking task.
const SMALL_BOOKMARK_LIST: usize = 2000;

/// The shortest time between two searches while a check runs.
const REFRESH_INTERVAL: Duration = Duration::from_millis(500);

impl Sidebar {
    /// Opens the prompt for the filter. For many bookmarks the search index is built before the first letter is typed.
    pub(crate) fn ask_filter(&mut self, checks: &LinkChecks, cx: &mut Context) {
        let filter = self.filter.get_or_insert_default();
        let typed = filter.typed.clone();
        let is_early = filter.searched.is_none() && filter.work.is_none();
        let input = TextInput {
            completions: Completions::Query(self.bookmarks.query_words()),
            ..TextInput::new(BookmarkInput::Filter, &typed)
        };
        cx.ask(Dialog::input("Find bookmarks", input));
        if is_early && self.bookmarks.len() > SMALL_BOOKMARK_LIST {
            self.start_search(checks, cx);
            if let Some(filter) = &mut self.filter {
                filter.is_early = true;
            }
        }
    }

    /// Removes a filter without words.
    fn drop_blank_filter(&mut self) {
        self.filter.take_if(|filter| filter.is_blank());
    }

    /// Filters the bookmarks by these words; without words the tree is shown.
    pub(crate) fn filter_by(&mut self, typed: &str, checks: &LinkChecks, cx: &mut Context) {
        if typed.trim().is_empty() {
            // The search index stays while the prompt is open.
            let filter = self.filter.take();
            let here = self.index();
            self.make_rows();
            if let Some(here) = here.filter(|_| filter.as_ref().is_some_and(BookmarkFilter::is_on))
            {
                self.show_bookmark(here, cx);
            }
            self.filter = filter.map(BookmarkFilter::cleared);
            cx.reveal_all();
            return;
        }
        let filter = self.filter.get_or_insert_default();
        if filter.typed == typed && filter.is_on() {
            return;
        }
        typed.clone_into(&mut filter.typed);
        filter.set_query(Query::new(typed));
        if filter.error.is_some() {
            self.make_rows();
            return cx.reveal_all();
        }
        if filter.is_early && filter.work.is_some() {
            // The search starts when the index is built.
            return;
        }
        self.search(checks, cx);
    }

    /// Repeats the search at intervals, if the filter depends on check results.
    pub(crate) fn refresh_filter(&mut self, is_last: bool, checks: &LinkChecks, cx: &mut Context) {
        let now = cx.now;
        let Some(filter) = self.filter.as_mut().filter(|filter| filter.is_on()) else {
            return;
        };
        let is_due =
            now.saturating_sub(filter.refreshed) >= REFRESH_INTERVAL && filter.work.is_none();
        if !filter.query.needs_states() || !(is_due || is_last) {
            return;
        }
        filter.refreshed = now;
        self.search(checks, cx);
    }

    /// Reports a word that the filter does not know, now that it is typed. Returns true if there is one.
    fn reject_filter(&mut self, cx: &mut Context) -> bool {
        let Some(filter) = self.filter.as_mut() else {
            return false;
        };
        if let Err(error) = Query::complete(&filter.typed) {
            cx.report_error(&error.fault());
            filter.set_query(Err(error));
            self.make_rows();
            cx.reveal_all();
            return true;
        }
        false
    }

    /// Repeats the search, if a filter is set.
    pub(crate) fn search(&mut self, checks: &LinkChecks, cx: &mut Context) {
        let filter = self.filter.as_ref();
        if filter.is_none_or(|filter| filter.is_blank() || filter.error.is_some()) {
            return;
        }
        self.start_search(checks, cx);
    }

    fn start_search(&mut self, checks: &LinkChecks, cx: &mut Context) {
        let bookmarks = self.bookmarks.clone();
        let link_status = checks.matcher(cx);
        let work = cx.next_work();
        let Some(filter) = &mut self.filter else {
            return;
        };
        let by = filter.by.as_ref().filter(|_| filter.searched.is_some());
        // The same query is searched again only after another change, so it searches all bookmarks.
        let narrows = by.is_some_and(|by| filter.query != *by && filter.query.narrows(by));
        let is_small = bookmarks.len() <= SMALL_BOOKMARK_LIST;
        let search = BookmarkSearch {
            bookmarks,
            searched: filter.searched.clone(),
            query: (!filter.is_blank()).then(|| filter.query.clone()),
            among: narrows.then(|| Arc::clone(&filter.found)),
            link_status,
        };
        filter.work = Some(work);
        if is_small {
            return self.filtered(work, search.run(), checks, cx);
        }
        cx.emit(BookmarkEffect::Filter(work, Box::new(search)));
    }

    /// Handles the result of a search; results of older searches are ignored.
    pub(crate) fn filtered(
        &mut self,
        work: WorkId,
        filtered: BookmarkSearchResult,
        checks: &LinkChecks,
        cx: &mut Context,
    ) {
        let Some(filter) = &mut self.filter else {
            return;
        };
        if filter.work != Some(work) {
            return;
        }
        filter.work = None;
        if std::mem::take(&mut filter.is_early) {
            filter.searched = Some(filtered.searched);
            return self.search(checks, cx);
        }
        let is_new = filter.set_result(filtered);
        let awaited = filter.awaited.take();
        let here = self.index();
        self.make_rows();
        if is_new {
            self.cursor = 0;
        } else if let Some(here) = here {
            self.move_to(here);
        }
        if let Some(item) = awaited {
            self.go_to(item);
        }
        cx.reveal_all();
    }

    /// Shows the tree with the cursor on the same bookmark. Returns true if there was a filter.
    pub(crate) fn clear_filter(&mut self, cx: &mut Context) -> bool {
        let focus = cx.focus;
        let here = self.index();
        let was = self.filter.take().is_some();
        self.make_rows();
        if let Some(here) = here.filter(|_| was) {
            self.show_bookmark(here, cx);
        }
        cx.focus = focus;
        cx.reveal_all();
        was
    }

    /// Moves the cursor to a bookmark and scrolls to it.
    pub(crate) fn show_bookmark(&mut self, index: usize, cx: &mut Context) {
        cx.focus = Focus::Bookmarks;
        self.shown = true;
        self.go_to(index);
        let height = cx.bookmarks_height();
        self.centre(height);
        cx.reveal_all();
    }

    /// Moves to the next bookmark with a fault, below the cursor or else from the top.
    pub(crate) fn go_to_fault(&mut self, cx: &mut Context) {
        let bookmarks = &self.bookmarks;
        let from = self.index().map_or(0, |index| index + 1);
        let faults = |range: std::ops::Range<usize>| {
            range.into_iter().find(|&index| {
                bookmarks
                    .bookmark(index)
                    .is_some_and(|bookmark| bookmark.has_fault)
            })
        };
        let next = faults(from..bookmarks.len()).or_else(|| faults(0..from));
        match next {
            Some(index) => {
                self.show_bookmark(index, cx);
                if index < from {
                    let repair = cx.key_of(Action::Repair);
                    cx.notify(&format!(
                        "Search wrapped to the first fault ({repair} repair)"
                    ));
                }
            }
            None => cx.notify("No bookmarks with faults"),
        }
    }

    /// Opens the bookmark that was found, at Enter.
    pub(crate) fn open_found(&mut self, cx: &mut Context) {
        if self.reject_filter(cx) {
            return;
        }
        if self.is_filtered() && !self.rows().is_empty() {
            cx.command(Command::CarryOut(Action::Open));
        } else {
            self.drop_blank_filter();
        }
    }
}

impl BookmarksPane {
    /// Clears the first of these that exists: cut items, the filter, the marks. Returns true if there was one.
    pub(crate) fn stop_in_bookmarks(&mut self, cx: &mut Context) -> bool {
        if cx.focus != Focus::Bookmarks {
            return false;
        }
        if self.sidebar.cancel_cut() {
            cx.notify("Cut cancelled");
            return true;
        }
        if self.sidebar.clear_filter(cx) {
            return true;
        }
        let marked = self.sidebar.marks() > 0;
        self.sidebar.unmark();
        marked
    }

    /// Handles a key that moves through the matches while the words are typed, or from the words to the matches.
    /// Returns `None` for other keys.
    pub(crate) fn filter_key(&mut self, key: Key, cx: &mut Context) -> Option<InputEvent> {
        let motion = match key.to_string().as_str() {
            "Down" | "Ctrl-N" => Motion::Rows(1),
            "Up" | "Ctrl-P" => Motion::Rows(-1),
            "PgDn" => Motion::Screens(1, 1),
            "PgUp" => Motion::Screens(-1, 1),
            "Tab" => {
                self.sidebar.drop_blank_filter();
                self.sidebar.reject_filter(cx);
                return Some(InputEvent::Cancel);
            }
            _ => return None,
        };
        self.move_cursor(motion, cx);
        Some(InputEvent::Continue)
    }
}
