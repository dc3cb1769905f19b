//! The bookmarks as a tree: which folders are closed, which rows there are, where the cursor is, what is marked.
//!
//! The rows are kept, and made anew only when the file, a fold or the filter changes: a key costs the same in a list of
//! ten and of 100,000.

use std::collections::{BTreeSet, VecDeque};

use super::filter::Filter;
use super::undo::{Saving, UndoEntry};
use crate::files::bookmarks::{Bookmark, Bookmarks, Item};

/// The tree in the left pane.
#[derive(Clone, Debug, Default)]
pub struct Sidebar {
    /// What the file holds; `refresh` takes another state of it.
    pub bookmarks: Bookmarks,
    /// The pane is wanted.
    pub shown: bool,
    /// It has half of the screen.
    pub is_wide: bool,
    /// Which row has the cursor.
    pub cursor: usize,
    /// The first row on screen.
    pub top: usize,
    /// The items that have a row.
    rows: Vec<usize>,
    /// Closed folders, by their path: a file that changed keeps them closed.
    closed: BTreeSet<Vec<String>>,
    /// Items that are marked.
    marked: BTreeSet<usize>,
    /// Items that were taken up, to be put somewhere else.
    held: Vec<usize>,
    /// What is looked for, and what was found.
    pub(super) filter: Option<Filter>,
    /// What was done, the last at the end.
    pub(super) undo: Vec<UndoEntry>,
    /// What was taken back.
    pub(super) redo: Vec<UndoEntry>,
    /// What is on its way to the file, in order.
    pub(super) saving: VecDeque<Saving>,
    /// Whether the file is being read again.
    pub(super) reading: Reading,
}

/// Whether the file is being read again, as somebody has touched it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Reading {
    /// It is not.
    #[default]
    No,
    /// It is.
    Once,
    /// It is, and has been touched since: it is read once more.
    Again,
}

impl Sidebar {
    /// A tree with all folders open.
    pub fn new(bookmarks: Bookmarks) -> Self {
        let mut sidebar = Self {
            bookmarks,
            shown: true,
            ..Self::default()
        };
        sidebar.make_rows();
        sidebar
    }

    /// The items that have a row, by their index: those that no closed folder hides, or those that were found.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Makes the rows anew: a fold, the file or what was found has changed.
    pub(super) fn make_rows(&mut self) {
        self.rows = match &self.filter {
            Some(filter) if filter.is_on() => filter.found.to_vec(),
            Some(_) | None => self.unfolded(),
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

    /// The index of the item under the cursor.
    pub fn index(&self) -> Option<usize> {
        self.rows.get(self.cursor).copied()
    }

    /// The item under the cursor.
    pub fn item(&self) -> Option<Item<'_>> {
        self.bookmarks.item(self.index()?)
    }

    /// The bookmark under the cursor.
    pub fn bookmark(&self) -> Option<Bookmark<'_>> {
        match self.item()? {
            Item::Bookmark(bookmark) => Some(bookmark),
            Item::Folder(_) => None,
        }
    }

    /// Whether the folder at `index` is closed.
    pub fn is_closed(&self, index: usize) -> bool {
        !self.closed.is_empty()
            && self
                .path(index)
                .is_some_and(|path| self.closed.contains(&path))
    }

    /// Opens or closes the folder under the cursor, or the one that the bookmark under the cursor is in.
    pub fn fold(&mut self) {
        if let Some(folder) = self.nearest_folder() {
            self.set_fold(folder, !self.is_closed(folder));
        }
    }

    /// Closes the folder under the cursor; where it is closed, or a bookmark is there, goes to the one around.
    pub fn close(&mut self) {
        let Some(index) = self.index() else { return };
        if self.bookmarks.folder(index).is_some() && !self.is_closed(index) && !self.is_filtered() {
            self.set_fold(index, true);
        } else if let Some(parent) = self.bookmarks.parent(index) {
            self.go_to(parent);
        }
    }

    /// Opens the folder under the cursor; whether there is one.
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

    fn nearest_folder(&self) -> Option<usize> {
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

    /// The row of an item.
    fn row_of(&self, index: usize) -> Option<usize> {
        if self.is_filtered() {
            return self.rows.iter().position(|&row| row == index);
        }
        self.rows.binary_search(&index).ok()
    }

    /// Puts the cursor on an item; the folders that it is in open, and a filter that hides it goes.
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

    /// Keeps the cursor on an item, if it has a row.
    pub(super) fn stay_on(&mut self, index: usize) {
        self.cursor = self.row_of(index).unwrap_or(self.cursor);
    }

    /// Moves the cursor, and scrolls so that it stays on screen.
    pub fn step(&mut self, rows: isize, height: usize) {
        let last = self.rows.len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(rows).min(last);
        self.reveal(height);
    }

    /// Scrolls until the cursor is on screen.
    pub fn reveal(&mut self, height: usize) {
        let lowest = self.cursor.saturating_sub(height.saturating_sub(1));
        // No blank lines below where there are rows above.
        let highest = self.rows.len().saturating_sub(height).min(self.cursor);
        self.top = self.top.clamp(lowest, highest.max(lowest));
    }

    /// Scrolls until the cursor is on screen, with as much above as below it where it was not.
    pub fn centre(&mut self, height: usize) {
        if self.cursor < self.top || self.cursor >= self.top + height {
            self.top = self.cursor.saturating_sub(height / 2);
        }
    }

    /// Takes another state of the file: the cursor, the marks and what is held go with their lines.
    pub(super) fn refresh(&mut self, bookmarks: Bookmarks) {
        let mut known: Vec<usize> = self.index().into_iter().collect();
        known.extend(self.marked.iter().chain(&self.held));
        let now = self.bookmarks.follow(&bookmarks, &known);
        let mut now = now.into_iter();
        let cursor = self.index().and_then(|_| now.next().flatten());
        let marked = self.marked.len();
        self.marked = now.by_ref().take(marked).flatten().collect();
        self.held = now.flatten().collect();
        if let Some(filter) = &mut self.filter {
            let found = self.bookmarks.follow(&bookmarks, &filter.found);
            filter.outdate(found.into_iter().flatten().collect());
        }
        self.bookmarks = bookmarks;
        self.make_rows();
        if let Some(row) = cursor.and_then(|index| self.row_of(index)) {
            self.cursor = row;
        }
    }

    /// Whether only what was found has rows.
    pub fn is_filtered(&self) -> bool {
        self.filter.as_ref().is_some_and(Filter::is_on)
    }

    /// What is looked for, and what was found.
    pub fn filter(&self) -> Option<&Filter> {
        self.filter.as_ref().filter(|filter| filter.is_on())
    }

    /// Whether an item is marked.
    pub fn is_marked(&self, index: usize) -> bool {
        self.marked.contains(&index)
    }

    /// Whether an item was taken up.
    pub fn is_held(&self, index: usize) -> bool {
        self.held.contains(&index)
    }

    /// How many items are marked.
    pub fn marks(&self) -> usize {
        self.marked.len()
    }

    /// What was taken up.
    pub fn held(&self) -> &[usize] {
        &self.held
    }

    /// Marks the item under the cursor, or takes its mark away.
    pub(super) fn mark(&mut self) {
        if let Some(index) = self.index()
            && !self.marked.remove(&index)
        {
            self.marked.insert(index);
        }
    }

    /// Marks every row; takes all marks away where there are some.
    pub(super) fn mark_all(&mut self) {
        if self.marked.is_empty() {
            let rows = self.rows.iter().copied();
            let bookmarks = rows.filter(|&index| self.bookmarks.bookmark(index).is_some());
            self.marked = bookmarks.collect();
        } else {
            self.marked.clear();
        }
    }

    pub(super) fn unmark(&mut self) {
        self.marked.clear();
    }

    /// What is meant by a key: the marked items, or the one under the cursor.
    pub(super) fn meant(&self) -> Vec<usize> {
        if self.marked.is_empty() {
            return self.index().into_iter().collect();
        }
        self.marked.iter().copied().collect()
    }

    /// Takes up what is meant.
    pub(super) fn take(&mut self) {
        self.held = self.meant();
    }

    pub(super) fn let_go(&mut self) -> bool {
        let held = !self.held.is_empty();
        self.held.clear();
        held
    }

    /// The bookmarks among some items, folders standing for all that is in them.
    pub(super) fn bookmarks_of(&self, items: &[usize]) -> Vec<usize> {
        let all: BTreeSet<usize> = items
            .iter()
            .flat_map(|&index| index..self.bookmarks.end(index))
            .collect();
        all.into_iter()
            .filter(|&index| self.bookmarks.bookmark(index).is_some())
            .collect()
    }

    /// The folder that a new bookmark goes to: the one the cursor is in.
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
