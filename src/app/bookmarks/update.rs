//! The messages and commands to the bookmarks.

use crate::app::bookmarks::BookmarksPane;
use crate::app::bookmarks::add::ask_links_folder;
use crate::app::bookmarks::check::watch::ask_watch;
use crate::app::{BookmarkCommand, BookmarkMessage, Context, Credentials};

impl BookmarksPane {
    /// Handles a message.
    pub(crate) fn update(
        &mut self,
        message: BookmarkMessage,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        match message {
            BookmarkMessage::Saved(step, result) => self.bookmarks_changed(step, result, cx),
            BookmarkMessage::Touched => self.bookmarks_touched(cx),
            BookmarkMessage::Read(result) => self.bookmarks_read(result, cx),
            BookmarkMessage::Filtered(work, filtered) => self.filtered(work, *filtered, cx),
            BookmarkMessage::Sorted(work, sorted) => self.sorted(work, sorted, cx),
            BookmarkMessage::CheckResultsRead(result) => {
                self.link_checks_loaded(result, credentials, cx);
            }
            BookmarkMessage::BulkReported(load, report) => self.bulk_reported(load, report, cx),
            BookmarkMessage::BulkEnded(load) => {
                self.check_ended(load, cx);
                self.titles_ended(load, cx);
            }
            BookmarkMessage::NewlyWatched(bookmarks, items) => ask_watch(bookmarks, items, cx),
        }
    }

    /// Carries out a command of another part.
    pub(crate) fn carry_out(
        &mut self,
        command: BookmarkCommand,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        match command {
            BookmarkCommand::Remove(from, items) => self.remove_from(&from, &items, cx),
            BookmarkCommand::Repair(from, repairs) => self.repair(&from, &repairs, cx),
            BookmarkCommand::Check(from, items) => self.check(from, items, credentials, cx),
            BookmarkCommand::Watch(from, items) => {
                self.watch_bookmarks(&from, &items, credentials, cx);
            }
            BookmarkCommand::Unwatch(from, items) => self.unwatch(&from, &items, cx),
            BookmarkCommand::AskLinksFolder(links, name) => ask_links_folder(links, &name, cx),
            BookmarkCommand::Sort(order) => self.sort(order, cx),
            BookmarkCommand::GoTo(from, item) => self.go_to(&from, item, cx),
            BookmarkCommand::SaveDuplicate(form) => self.save_duplicate(form, cx),
        }
    }
}
