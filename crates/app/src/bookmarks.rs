//! The bookmarks: the tree in its pane, its changes, and the checks of its links.

pub(crate) mod accept_move;
pub mod add;
pub mod bulk_edit;
pub mod check;
pub mod filter;
pub mod fix_url;
pub mod form;
pub mod guess;
pub(crate) mod import;
pub mod message;
pub mod note;
pub mod order;
pub mod search;
pub mod sidebar;
pub(crate) mod sort;
pub(crate) mod states;
pub mod suggestions;
pub mod titles;
pub mod undo;
mod update;

use geomys_load::Reason;
use geomys_page::document::Link;
use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::exchange::import::Import;
use rfc1738::Url;

use crate::action::Action;
use crate::bookmarks::check::LinkChecks;
use crate::bookmarks::sidebar::Sidebar;
use crate::bookmarks::sort::BookmarkSort;
use crate::bookmarks::titles::TitleFetch;
use crate::bookmarks::undo::BookmarkChanges;
use crate::dialogs::query_rows::SearchedBookmarks;
use crate::motion::Motion;
use crate::requester::OpenPage;
use crate::{Command, Context, Focus, OpenIn};

/// The state of the bookmarks.
#[derive(Debug)]
pub struct BookmarksPane {
    /// The tree with its cursor, marks and filter.
    pub sidebar: Sidebar,
    /// The tree of the suggestions, shown while there are no bookmarks.
    suggestions: Sidebar,
    /// The results of link checks, and the running check.
    pub checks: LinkChecks,
    /// The running fetch of titles.
    pub titles: Option<TitleFetch>,
    /// The order of the list.
    pub(crate) sort: BookmarkSort,
    /// The changes that can be undone, and those that are being saved.
    pub(crate) changes: BookmarkChanges,
    /// The last import of this run, with what was left out.
    imported: Option<Box<Import>>,
    /// The URLs that the user has begun to follow, until the change is saved.
    to_follow: Vec<Url>,
    /// True once there was a bookmark or a folder of the user: the suggestions do not come again.
    was_filled: bool,
}

impl BookmarksPane {
    /// Creates the pane of a list of bookmarks that were not checked yet.
    pub(crate) fn new(bookmarks: Bookmarks) -> Self {
        Self {
            was_filled: !bookmarks.is_empty(),
            sidebar: Sidebar::new(bookmarks),
            suggestions: suggestions::tree(),
            checks: LinkChecks::default(),
            titles: None,
            sort: BookmarkSort::default(),
            changes: BookmarkChanges::default(),
            imported: None,
            to_follow: Vec::new(),
        }
    }

    /// Returns true if the list shows the suggestions: there was no bookmark and no folder of the user.
    fn lists_suggestions(&self) -> bool {
        self.is_empty() && !self.was_filled
    }

    /// Returns true if there is no bookmark and no folder of the user.
    fn is_empty(&self) -> bool {
        self.sidebar.bookmarks.is_empty() && !self.sidebar.is_filtered()
    }

    /// Returns true if the list may stand beside the page: it has bookmarks or folders of the user, or the focus.
    pub(crate) fn has_place(&self, focus: Focus) -> bool {
        focus == Focus::Bookmarks || !self.is_empty()
    }

    /// Returns the tree that the list shows: the user's bookmarks, or the suggestions. Changes are made to the user's
    /// alone.
    pub fn listed(&self) -> &Sidebar {
        if self.lists_suggestions() {
            &self.suggestions
        } else {
            &self.sidebar
        }
    }

    /// Returns the tree that the list shows, to move in it and to fold its folders.
    pub(crate) fn listed_mut(&mut self) -> &mut Sidebar {
        if self.lists_suggestions() {
            &mut self.suggestions
        } else {
            &mut self.sidebar
        }
    }

    /// Moves the cursor of the tree.
    pub(crate) fn move_cursor(&mut self, motion: Motion, cx: &Context) {
        let height = cx.bookmarks_height();
        let listed = self.listed_mut();
        let rows = motion.rows(height, listed.rows().len());
        listed.step(rows, height);
    }

    /// Returns the bookmarks for searches by a query.
    pub(crate) fn searched(&self, cx: &Context) -> SearchedBookmarks {
        SearchedBookmarks {
            bookmarks: self.sidebar.bookmarks.clone(),
            link_status: self.checks.matcher(cx),
        }
    }

    /// Returns the bookmark under the cursor as a link.
    pub(crate) fn selected_link(&self) -> Option<Link> {
        let bookmark = self.listed().bookmark()?;
        Some(Link::new(bookmark.label(), bookmark.url()))
    }

    /// Opens the folder under the cursor, else the bookmark there.
    pub(crate) fn open_folder(&mut self, cx: &mut Context) {
        if !self.listed_mut().open() {
            cx.command(Command::CarryOut(Action::Open));
        }
    }

    /// Folds the folder under the cursor, or opens the fixed URL of a bookmark with a fault, as the list shows it.
    /// Returns `None` if neither is there.
    pub(crate) fn open_here(&mut self, open_in: OpenIn, cx: &mut Context) -> Option<()> {
        let Some(bookmark) = self.listed().bookmark() else {
            self.listed_mut().fold();
            cx.reveal_all();
            return Some(());
        };
        let url = bookmark.has_fault.then(|| bookmark.repaired_url().ok())??;
        cx.open(
            OpenPage::at(url, Reason::Bookmark)
                .titled(bookmark.label())
                .open_in(open_in),
        );
        self.sidebar.clear_filter(cx);
        Some(())
    }

    /// Shows the bookmarks and gives them the focus; hides them where they have it. A drawer is open while it has the
    /// focus.
    pub(crate) fn toggle(&mut self, cx: &mut Context) {
        let is_open = cx.layout.bookmarks.is_some() && cx.focus == Focus::Bookmarks;
        self.sidebar.shown = !is_open;
        cx.focus = if is_open {
            Focus::Panes
        } else {
            Focus::Bookmarks
        };
        cx.reveal_all();
    }

    /// Sets the width beside the page, in columns; the layout limits it.
    pub(crate) fn set_width(&mut self, columns: u16, cx: &mut Context) {
        self.sidebar.is_wide = false;
        self.sidebar.width = Some(columns);
        cx.reveal_all();
    }

    /// Closes the drawer. Returns false if there is none, or it is closed.
    pub(crate) fn close_drawer(cx: &mut Context) -> bool {
        let is_open = cx.layout.is_drawer && cx.focus == Focus::Bookmarks;
        if is_open {
            cx.focus = Focus::Panes;
        }
        is_open
    }
}
