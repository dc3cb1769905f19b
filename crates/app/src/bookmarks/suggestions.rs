//! The suggestions: bookmarks that come with Geomys. They are in no file of the user: the home page lists them, and the
//! list of bookmarks has them in a folder until the user has a bookmark of their own.

use geomys_store::bookmarks::Bookmarks;

use crate::bookmarks::sidebar::Sidebar;

/// The suggestions, in the format of the bookmark file.
const SUGGESTIONS: &str = include_str!("../../assets/suggestions.txt");

/// The folder of the suggestions in the list of bookmarks.
const FOLDER: &str = "Suggestions";

/// Returns the suggestions, in their folders.
pub fn suggestions() -> Bookmarks {
    Bookmarks::parse(SUGGESTIONS.as_bytes())
}

/// Returns the tree with the folder of the suggestions.
pub(super) fn tree() -> Sidebar {
    let mut file = format!("# {FOLDER}\n");
    for line in SUGGESTIONS.split_inclusive('\n') {
        if line.starts_with('#') {
            file.push('#');
        }
        file.push_str(line);
    }
    Sidebar::new(Bookmarks::parse(file.as_bytes()))
}
