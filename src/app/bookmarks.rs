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

use crate::app::Context;
use crate::app::Credentials;
use crate::app::bookmarks::add::ask_links_folder;
use crate::app::bookmarks::check::LinkChecks;
use crate::app::bookmarks::sidebar::Sidebar;
use crate::app::command::BookmarkCommand;
use crate::bookmarks::Bookmarks;

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
}

impl BookmarksPane {
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
