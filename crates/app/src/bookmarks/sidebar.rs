//! The tree of bookmarks: closed folders, rows, cursor, marks.
//!
//! The rows are stored, and built again only when the file, a fold or the filter changes: a key takes the same time in
//! a list of ten and of 100,000.

use std::collections::BTreeSet;

use geomys_store::bookmarks::dates::BookmarkOrder;
use geomys_store::bookmarks::{Bookmark, Bookmarks, Item};

use crate::bookmarks::order::SortedBookmarks;
use crate::bookmarks::search::BookmarkFilter;

/// The maximum number of closed folders that are stored.
const MAX_CLOSED_FOLDERS: usize = 1000;

/// The tree in the left pane.
#[derive(Clone, Debug, Default)]
pub struct Sidebar {
    /// The content of the bookmark file; `refresh` replaces it.
    pub bookmarks: Bookmarks,
    /// True if the pane is shown.
    pub shown: bool,
    /// True if the pane has half of the screen.
    pub is_wide: bool,
    /// The width that the user has chosen, in columns.
    pub width: Option<u16>,
    /// The row of the cursor.
    pub cursor: usize,
    /// The first row on screen.
    pub top: usize,
    /// The indexes of the items that have a row.
    rows: Vec<usize>,
    /// The closed folders, by path: they stay closed when the file changes.
    closed: BTreeSet<Vec<String>>,
    /// The marked items.
    marked: BTreeSet<usize>,
    /// The items that were cut, to be pasted somewhere else.
    cut_items: Vec<usize>,
    /// The filter and its matches.
    pub(crate) filter: Option<BookmarkFilter>,
    /// All bookmarks in another order than that of the file.
    sorted: Option<SortedBookmarks>,
}

impl Sidebar {
    /// Creates a tree with all folders open.
    pub fn new(bookmarks: Bookmarks) -> Self {
        let mut sidebar = Self {
            bookmarks,
            shown: true,
            ..Self::default()
        };
        sidebar.make_rows();
        sidebar
    }

    /// Returns the indexes of the items that have a row: those outside closed folders, or the matches of the filter.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Builds the rows again after a change of a fold, the file or the matches.
    pub(crate) fn make_rows(&mut self) {
        self.rows = match (self.filter(), &self.sorted) {
            (Some(filter), Some(sorted)) => sorted.sort(&filter.found, self.bookmarks.len()),
            (Some(filter), None) => filter.found.to_vec(),
            (None, Some(sorted)) => sorted.items.clone(),
            (None, None) => self.unfolded(),
        };
        self.cursor = self.cursor.min(self.rows.len().saturating_sub(1));
    }

    fn unfolded(&self) -> Vec<usize> {
        if self.closed.is_empty() {
            return (0..self.bookmarks.len()).collect();
        }
        let mut rows = Vec::new();
        let mut index = 0;
        while let Some(item) = self.bookmarks.item(index) {
            rows.push(index);
            index = match item {
                Item::Folder(folder) if self.is_closed(folder.index) => self.bookmarks.end(index),
                Item::Folder(_) | Item::Bookmark(_) => index + 1,
            };
        }
        rows
    }

    /// Returns the index of the item under the cursor.
    pub fn index(&self) -> Option<usize> {
        self.rows.get(self.cursor).copied()
    }

    /// Returns the item under the cursor.
    pub fn item(&self) -> Option<Item<'_>> {
        self.bookmarks.item(self.index()?)
    }

    /// Returns the bookmark under the cursor.
    pub fn bookmark(&self) -> Option<Bookmark<'_>> {
        match self.item()? {
            Item::Bookmark(bookmark) => Some(bookmark),
            Item::Folder(_) => None,
        }
    }

    /// Returns true if the folder at `index` is closed.
    pub fn is_closed(&self, index: usize) -> bool {
        !self.closed.is_empty()
            && self
                .path(index)
                .is_some_and(|path| self.closed.contains(&path))
    }

    /// Opens or closes the folder under the cursor, or the folder of the bookmark under the cursor.
    pub fn fold(&mut self) {
        if let Some(folder) = self.nearest_folder() {
            self.set_fold(folder, !self.is_closed(folder));
        }
    }

    /// Closes all folders, or opens them if all are closed. The cursor goes to the folder that hides its item.
    pub fn fold_all(&mut self) {
        let folders =
            (0..self.bookmarks.len()).filter(|&index| self.bookmarks.folder(index).is_some());
        let paths: BTreeSet<_> = folders.filter_map(|folder| self.path(folder)).collect();
        let mut index = self.index();
        if paths.is_subset(&self.closed) {
            self.closed.clear();
        } else {
            self.closed = paths;
            while let Some(folder) = index.and_then(|index| self.bookmarks.parent(index)) {
                index = Some(folder);
            }
        }
        self.make_rows();
        if let Some(index) = index {
            self.move_to(index);
        }
    }

    /// Returns the paths of the closed folders.
    pub(crate) fn closed_folders(&self) -> Vec<Vec<String>> {
        self.closed
            .iter()
            .take(MAX_CLOSED_FOLDERS)
            .cloned()
            .collect()
    }

    /// Closes the folders with these paths.
    pub(crate) fn close_folders(&mut self, paths: &[Vec<String>]) {
        self.closed.extend(paths.iter().cloned());
        self.make_rows();
    }

    /// Closes the folder under the cursor. On a closed folder or a bookmark, goes to the parent folder.
    pub fn close(&mut self) {
        let Some(index) = self.index() else { return };
        if self.bookmarks.folder(index).is_some() && !self.is_closed(index) && !self.is_flat() {
            self.set_fold(index, true);
        } else if let Some(parent) = self.bookmarks.parent(index) {
            self.go_to(parent);
        }
    }

    /// Opens the folder under the cursor. Returns true if there is one.
    pub fn open(&mut self) -> bool {
        match self.item() {
            Some(Item::Folder(folder)) => {
                let index = folder.index;
                self.set_fold(index, false);
                true
            }
            Some(Item::Bookmark(_)) | None => false,
        }
    }

    pub(super) fn nearest_folder(&self) -> Option<usize> {
        match self.item()? {
            Item::Folder(folder) => Some(folder.index),
            Item::Bookmark(bookmark) => self.bookmarks.parent(bookmark.index),
        }
    }

    fn set_fold(&mut self, folder: usize, close: bool) {
        let Some(path) = self.path(folder) else {
            return;
        };
        if close {
            self.closed.insert(path);
        } else {
            self.closed.remove(&path);
        }
        self.make_rows();
        self.cursor = self.row_of(folder).unwrap_or(self.cursor);
    }

    /// Returns the row of an item.
    fn row_of(&self, index: usize) -> Option<usize> {
        if self.is_flat() {
            return self.rows.iter().position(|&row| row == index);
        }
        self.rows.binary_search(&index).ok()
    }

    /// Moves the cursor to an item: opens the folders around it, and removes a filter that hides it.
    pub fn go_to(&mut self, index: usize) {
        if self.row_of(index).is_none() {
            self.filter = None;
            let mut above = self.bookmarks.parent(index);
            while let Some(folder) = above {
                if let Some(path) = self.path(folder) {
                    self.closed.remove(&path);
                }
                above = self.bookmarks.parent(folder);
            }
            self.make_rows();
        }
        self.cursor = self.row_of(index).unwrap_or(self.cursor);
    }

    /// Moves the cursor to an item, if the item has a row.
    pub(crate) fn move_to(&mut self, index: usize) {
        self.cursor = self.row_of(index).unwrap_or(self.cursor);
    }

    /// Moves the cursor to an item that was edited, and keeps its row in the filter.
    pub(crate) fn keep_edited(&mut self, index: usize) {
        let row = self.cursor;
        if let Some(filter) = &mut self.filter {
            filter.keep(index, row);
            self.make_rows();
        }
        self.move_to(index);
    }

    /// Lets the running search of a filter show an item at its end. Returns false if there is no such search.
    pub(crate) fn await_search(&mut self, index: usize) -> bool {
        let filter = self.filter.as_mut().filter(|filter| filter.is_on());
        let Some(filter) = filter.filter(|filter| filter.work.is_some()) else {
            return false;
        };
        filter.awaited = Some(index);
        true
    }

    /// Moves the cursor, and scrolls until it is on screen.
    pub fn step(&mut self, rows: isize, height: usize) {
        let last = self.rows.len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(rows).min(last);
        self.reveal(height);
    }

    /// Scrolls until the cursor is on screen.
    pub fn reveal(&mut self, height: usize) {
        let lowest = self.cursor.saturating_sub(height.saturating_sub(1));
        // No blank lines below the rows while there are rows above the screen.
        let highest = self.rows.len().saturating_sub(height).min(self.cursor);
        self.top = self.top.clamp(lowest, highest.max(lowest));
    }

    /// Scrolls by rows; the cursor stays on the screen.
    pub(crate) fn scroll(&mut self, rows: isize, height: usize) {
        let most = self.rows.len().saturating_sub(height);
        self.top = self.top.saturating_add_signed(rows).min(most);
        let last = (self.top + height.max(1)).min(self.rows.len().max(1)) - 1;
        self.cursor = self.cursor.clamp(self.top.min(last), last);
    }

    /// Scrolls until the cursor is on screen; to the middle, if it was not on screen.
    pub fn centre(&mut self, height: usize) {
        if self.cursor < self.top || self.cursor >= self.top + height {
            self.top = self.cursor.saturating_sub(height / 2);
        }
    }

    /// Replaces the bookmarks by a newer state of the file. The cursor, the marks and the cut items follow their lines.
    pub(crate) fn refresh(&mut self, bookmarks: Bookmarks) {
        let mut items: Vec<usize> = self.index().into_iter().collect();
        items.extend(self.marked.iter().chain(&self.cut_items));
        let now = self.bookmarks.follow(&bookmarks, &items);
        let mut now = now.into_iter();
        let cursor = self.index().and_then(|_| now.next().flatten());
        let marked = self.marked.len();
        self.marked = now.by_ref().take(marked).flatten().collect();
        self.cut_items = now.flatten().collect();
        if let Some(filter) = &mut self.filter {
            let found = self.bookmarks.follow(&bookmarks, &filter.found);
            filter.outdate(found.into_iter().flatten().collect());
        }
        let sorted = self.sorted.as_ref();
        self.sorted = sorted.map(|sorted| sorted.follow(&self.bookmarks, &bookmarks));
        self.bookmarks = bookmarks;
        self.make_rows();
        if let Some(row) = cursor.and_then(|index| self.row_of(index)) {
            self.cursor = row;
        }
    }

    /// Returns true if only the matches of a filter have rows.
    pub fn is_filtered(&self) -> bool {
        self.filter.as_ref().is_some_and(BookmarkFilter::is_on)
    }

    /// Returns true if the rows are no tree: the matches of a filter, or a sorted list.
    pub fn is_flat(&self) -> bool {
        self.is_filtered() || self.sorted.is_some()
    }

    /// Returns the order of the list.
    pub fn order(&self) -> BookmarkOrder {
        let sorted = self.sorted.as_ref();
        sorted.map_or(BookmarkOrder::File, |sorted| sorted.order)
    }

    /// Shows a sorted list, or the tree. The cursor goes to the top of a new order, or stays on its bookmark.
    pub(crate) fn set_sorted(&mut self, sorted: Option<SortedBookmarks>, is_new: bool) {
        let is_tree = sorted.is_none();
        let here = self.index();
        self.sorted = sorted;
        self.make_rows();
        match here {
            Some(here) if is_tree => self.go_to(here),
            Some(here) if !is_new => self.move_to(here),
            Some(_) | None => self.cursor = 0,
        }
    }

    /// Returns the active filter.
    pub fn filter(&self) -> Option<&BookmarkFilter> {
        self.filter.as_ref().filter(|filter| filter.is_on())
    }

    /// Returns true if an item is marked.
    pub fn is_marked(&self, index: usize) -> bool {
        self.marked.contains(&index)
    }

    /// Returns true if an item was cut.
    pub fn is_cut(&self, index: usize) -> bool {
        self.cut_items.contains(&index)
    }

    /// Returns the number of marked items.
    pub fn marks(&self) -> usize {
        self.marked.len()
    }

    /// Returns the cut items.
    pub fn cut_items(&self) -> &[usize] {
        &self.cut_items
    }

    /// Toggles the mark of the item under the cursor.
    pub(crate) fn mark(&mut self) {
        if let Some(index) = self.index()
            && !self.marked.remove(&index)
        {
            self.marked.insert(index);
        }
    }

    /// Marks the bookmarks of all rows; if there are marks, removes them all.
    pub(crate) fn mark_all(&mut self) {
        if self.marked.is_empty() {
            let rows = self.rows.iter().copied();
            let bookmarks = rows.filter(|&index| self.bookmarks.bookmark(index).is_some());
            self.marked = bookmarks.collect();
        } else {
            self.marked.clear();
        }
    }

    /// Marks these items and no others.
    pub(crate) fn mark_only(&mut self, items: impl Iterator<Item = usize>) {
        self.marked = items.collect();
    }

    pub(crate) fn unmark(&mut self) {
        self.marked.clear();
    }

    /// Returns the items that a key acts on: the marked ones, or the one under the cursor.
    pub(crate) fn selection(&self) -> Vec<usize> {
        if self.marked.is_empty() {
            return self.index().into_iter().collect();
        }
        self.marked.iter().copied().collect()
    }

    /// Cuts the selection.
    pub(crate) fn cut(&mut self) {
        self.cut_items = self.selection();
    }

    pub(crate) fn cancel_cut(&mut self) -> bool {
        let had_items = !self.cut_items.is_empty();
        self.cut_items.clear();
        had_items
    }

    /// Returns the bookmarks among these items and in the folders among them.
    pub(crate) fn bookmarks_in(&self, items: &[usize]) -> Vec<usize> {
        let all: BTreeSet<usize> = items
            .iter()
            .flat_map(|&index| index..self.bookmarks.end(index))
            .collect();
        all.into_iter()
            .filter(|&index| self.bookmarks.bookmark(index).is_some())
            .collect()
    }

    /// Returns the folder for a new bookmark: the folder at the cursor.
    pub fn folder(&self) -> Vec<String> {
        match self.item() {
            Some(Item::Folder(folder)) => folder.path(),
            Some(Item::Bookmark(bookmark)) => self.bookmarks.folder_of(bookmark.index),
            None => Vec::new(),
        }
    }

    fn path(&self, index: usize) -> Option<Vec<String>> {
        self.bookmarks.folder(index).map(|folder| folder.path())
    }
}
