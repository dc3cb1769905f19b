//! The messages and commands to the bookmarks, and the jobs that they report on.

use geomys_load::LoadId;
use geomys_store::bookmarks::records::BookmarkRecords;

use crate::bookmarks::BookmarksPane;
use crate::bookmarks::add::ask_links_folder;
use crate::bookmarks::check::watch::ask_watch;
use crate::bookmarks::message::{BulkOutcome, BulkReport, HistoryStep};
use crate::bookmarks::states::ask_state;
use crate::bookmarks::titles::TitleFetch;
use crate::bookmarks::undo::UndoEntry;
use crate::{BookmarkCommand, BookmarkEffect, BookmarkMessage, Context, Credentials, Effect, Tabs};

impl BookmarksPane {
    /// Handles a message.
    pub(crate) fn update(
        &mut self,
        message: BookmarkMessage,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        self.was_filled |= !self.sidebar.bookmarks.is_empty();
        match message {
            BookmarkMessage::Saved(step, result) => self.bookmarks_changed(step, result, cx),
            BookmarkMessage::States(listed) => ask_state(listed, cx),
            BookmarkMessage::Restored(result) => {
                cx.report(result);
                self.changes.read_again(&self.sidebar.bookmarks, cx);
            }
            BookmarkMessage::Touched => self.changes.read_again(&self.sidebar.bookmarks, cx),
            BookmarkMessage::Read(result) => self.bookmarks_read(result, cx),
            BookmarkMessage::Filtered(work, filtered) => {
                self.sidebar.filtered(work, *filtered, &self.checks, cx);
            }
            BookmarkMessage::Sorted(work, sorted) => {
                let checks = &mut self.checks;
                self.sort
                    .sorted(work, sorted, &mut self.sidebar, checks, cx);
            }
            BookmarkMessage::CheckResultsRead(result) => {
                let bookmarks = &self.sidebar.bookmarks;
                self.checks
                    .link_checks_loaded(result, bookmarks, credentials, cx);
                self.sidebar.refresh_filter(true, &self.checks, cx);
            }
            BookmarkMessage::BulkReported(load, report) => self.bulk_reported(load, report, cx),
            BookmarkMessage::BulkEnded(load) => self.bulk_ended(load, cx),
            BookmarkMessage::ImportRead(read) => self.import(read, cx),
            BookmarkMessage::NewlyWatched(bookmarks, items) => ask_watch(bookmarks, items, cx),
        }
    }

    /// Carries out a command of another part.
    pub(crate) fn carry_out(
        &mut self,
        command: BookmarkCommand,
        tabs: &mut Tabs,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        match command {
            BookmarkCommand::Remove(from, items) => self.remove_from(&from, &items, cx),
            BookmarkCommand::MergeSimilar(merge) => self.merge_similar(*merge, cx),
            BookmarkCommand::Repair(from, repairs) => self.repair(&from, &repairs, cx),
            BookmarkCommand::Check(from, items) => {
                self.checks.check(from, items, credentials, cx);
            }
            BookmarkCommand::Watch(from, items) => {
                let bookmarks = &self.sidebar.bookmarks;
                self.checks
                    .watch_bookmarks((&from, &items), bookmarks, credentials, cx);
                self.sidebar.refresh_filter(false, &self.checks, cx);
            }
            BookmarkCommand::Unfollow(from, items) => self.unfollow(&from, &items, cx),
            BookmarkCommand::AskLinksFolder(links, name) => ask_links_folder(links, &name, cx),
            BookmarkCommand::Sort(order) => self.sort.sort(order, &self.sidebar.bookmarks, cx),
            BookmarkCommand::GoTo(from, item) => self.go_to(&from, item, cx),
            BookmarkCommand::SaveDuplicate(form) => self.save_duplicate(form, cx),
            BookmarkCommand::SaveForm(form) => self.submit_form(form, cx),
            BookmarkCommand::ShowImport(arrival) => self.show_import(arrival, tabs, cx),
        }
    }

    /// Handles new outcomes of a job.
    pub(crate) fn bulk_reported(&mut self, load: LoadId, report: BulkReport, cx: &mut Context) {
        let (mut results, mut events) = (Vec::new(), Vec::new());
        for outcome in report.outcomes {
            match outcome {
                BulkOutcome::Checked(result) => results.push(result),
                BulkOutcome::Titled(items, fetched) => {
                    let titles = self.titles.as_mut();
                    if let Some(titles) = titles.filter(|titles| titles.progress.load == load) {
                        titles.add(&items, fetched);
                    }
                }
                BulkOutcome::Watched(event) => events.push(event),
            }
        }
        if !results.is_empty() {
            let bookmarks = &self.sidebar.bookmarks;
            self.checks
                .checked(load, results, report.total, bookmarks, cx);
            self.sidebar.refresh_filter(false, &self.checks, cx);
        }
        if !events.is_empty() {
            self.checks.watched(events, cx);
            self.sidebar.refresh_filter(false, &self.checks, cx);
        }
    }

    /// Fetches the titles of the selected bookmarks.
    pub(crate) fn fetch_titles(&mut self, credentials: &Credentials, cx: &mut Context) {
        if self.titles.is_some() {
            return cx.notify("Titles are being fetched already");
        }
        self.titles = TitleFetch::start(&self.sidebar, credentials, cx);
    }

    /// Handles the end of a check or of a fetch of titles.
    fn bulk_ended(&mut self, load: LoadId, cx: &mut Context) {
        self.checks.look_ended(load, cx);
        if self.checks.check_ended(load, &self.sidebar.bookmarks, cx) {
            self.sidebar.refresh_filter(true, &self.checks, cx);
        }
        let accepting = &mut self.checks.accepting;
        if let Some(checked) = accepting.take_if(|accepting| accepting.load == load) {
            self.accept_checked(&checked, cx);
        }
        if let Some(fetch) = self.titles.take_if(|running| running.progress.load == load) {
            self.set_titles(&fetch, cx);
        }
    }

    /// Sets the fetched titles as one change.
    fn set_titles(&mut self, fetch: &TitleFetch, cx: &mut Context) {
        if let Some((change, words)) = fetch.change(cx) {
            // No key has just asked for it: the cursor stays on its bookmark.
            let entry = UndoEntry::new(change, BookmarkRecords::default(), &words, cx);
            self.apply_change(HistoryStep::Done, entry, cx);
        }
        fetch.mark_untitled(&mut self.sidebar);
    }

    /// Stops the running check, else the running fetch of titles; those fetched so far are set.
    pub(crate) fn stop_background(&mut self, cx: &mut Context) -> bool {
        if self.checks.stop_check("", &self.sidebar.bookmarks, cx) {
            self.sidebar.refresh_filter(true, &self.checks, cx);
            return true;
        }
        let Some(fetch) = self.titles.take() else {
            return false;
        };
        cx.emit(Effect::Drop(fetch.progress.load));
        self.set_titles(&fetch, cx);
        true
    }

    /// Requests the saved link check results and dates. With many bookmarks the file is large, so the first screen does
    /// not wait for it.
    pub(crate) fn load_link_checks(&mut self, cx: &mut Context) {
        if self.checks.started.is_some() {
            cx.emit(BookmarkEffect::ReadCheckResults);
            self.sort.sort_again(&self.sidebar.bookmarks, cx);
        }
    }

    /// Moves the cursor to the next bookmark with a mark, and wraps to the top after the last. Closed folders are
    /// skipped.
    pub(crate) fn go_to_next_problem(&mut self, cx: &mut Context) {
        match self.checks.next_problem_row(&self.sidebar) {
            Some(row) => {
                self.sidebar.cursor = row;
                cx.reveal_all();
            }
            None => cx.notify("No dead, moved, refused, unreachable or new bookmarks"),
        }
    }
}
