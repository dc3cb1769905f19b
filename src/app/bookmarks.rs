//! The bookmarks: the tree in its pane, its changes, and the checks of its links.

pub mod add;
pub mod bulk_edit;
pub mod check;
pub mod filter;
pub mod fix_url;
pub mod form;
pub mod guess;
pub mod note;
pub mod sidebar;
pub mod undo;

use crate::app::action::Action;
use crate::app::bookmarks::add::ask_links_folder;
use crate::app::bookmarks::check::LinkChecks;
use crate::app::bookmarks::check::watch::ask_watch;
use crate::app::bookmarks::sidebar::Sidebar;
use crate::app::command::BookmarkCommand;
use crate::app::motion::Motion;
use crate::app::tabs::open::OpenIn;
use crate::app::{BookmarkMessage, Command, Context, Credentials, Focus};
use crate::bookmarks::Bookmarks;
use crate::document::Link;

/// The state of the bookmarks.
#[derive(Debug)]
pub struct BookmarksPane {
    /// The tree with its cursor, marks and filter.
    pub sidebar: Sidebar,
    /// The results of link checks, and the running check.
    pub checks: LinkChecks,
}

impl BookmarksPane {
    /// Creates the pane of a list of bookmarks that were not checked yet.
    pub(crate) fn new(bookmarks: Bookmarks) -> Self {
        Self {
            sidebar: Sidebar::new(bookmarks),
            checks: LinkChecks::default(),
        }
    }

    /// Moves the cursor of the tree.
    pub(crate) fn move_cursor(&mut self, motion: Motion, cx: &Context) {
        let height = cx.bookmarks_height();
        let rows = motion.rows(height, self.sidebar.rows().len());
        self.sidebar.step(rows, height);
    }

    /// Returns the bookmark under the cursor as a link.
    pub(crate) fn selected_link(&self) -> Option<Link> {
        let bookmark = self.sidebar.bookmark()?;
        Some(Link::new(bookmark.label(), bookmark.url()))
    }

    /// Opens the folder under the cursor, else the bookmark there.
    pub(crate) fn open_folder(&mut self, cx: &mut Context) {
        if !self.sidebar.open() {
            cx.command(Command::CarryOut(Action::Open));
        }
    }

    /// Folds the folder under the cursor, or opens the fixed URL of a bookmark with a fault, as the list shows it. Returns
    /// `None` if neither is there.
    pub(crate) fn open_here(&mut self, open_in: OpenIn, cx: &mut Context) -> Option<()> {
        let Some(bookmark) = self.sidebar.bookmark() else {
            self.sidebar.fold();
            cx.reveal_all();
            return Some(());
        };
        let url = bookmark.has_fault.then(|| bookmark.repaired_url().ok())??;
        cx.open(url, Some(bookmark.label()), open_in);
        Some(())
    }

    /// Shows or hides the bookmarks.
    pub(crate) fn toggle(&mut self, cx: &mut Context) {
        self.sidebar.shown = !self.sidebar.shown;
        cx.focus = if self.sidebar.shown {
            Focus::Bookmarks
        } else {
            Focus::Panes
        };
        cx.reveal_all();
    }
}

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
            BookmarkMessage::CheckResultsRead(result) => {
                self.link_checks_loaded(result, credentials, cx);
            }
            BookmarkMessage::Checked(load, report) => self.checked(load, report, cx),
            BookmarkMessage::CheckEnded(load) => self.check_ended(load, cx),
            BookmarkMessage::Watched(events) => self.watched(events, cx),
            BookmarkMessage::NewlyWatched(bookmarks, items) => ask_watch(bookmarks, items, cx),
            BookmarkMessage::ResultsWritten(written) => cx.report_failure(written),
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
            BookmarkCommand::GoTo(from, item) => self.go_to(&from, item, cx),
            BookmarkCommand::SaveDuplicate(form) => self.save_duplicate(form, cx),
        }
    }
}
