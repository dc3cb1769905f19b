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

use crate::app::bookmarks::check::LinkChecks;
use crate::app::bookmarks::sidebar::Sidebar;
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
