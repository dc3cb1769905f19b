//! The bookmarks as a tree: which folders are closed, where the cursor is.

use std::collections::{BTreeSet, VecDeque};

use crate::files::bookmarks::{Bookmark, Bookmarks, Change, Item};

/// The tree in the left pane.
#[derive(Clone, Debug, Default)]
pub struct Sidebar {
    /// What the file holds.
    pub bookmarks: Bookmarks,
    /// The pane is wanted.
    pub shown: bool,
    /// Which visible row has the cursor.
    pub cursor: usize,
    /// The first visible row on screen.
    pub top: usize,
    /// Closed folders, by their path: a file that changed keeps them closed.
    closed: BTreeSet<Vec<String>>,
    /// Changes that take back what was done, the last at the end.
    pub undo: Vec<Change>,
    /// Changes that do again what was taken back.
    pub redo: Vec<Change>,
    /// Changes on their way to the file, in order: they go back to where they came from when they fail.
    pub saving: VecDeque<Change>,
}

impl Sidebar {
    /// A tree with all folders open.
    pub fn new(bookmarks: Bookmarks) -> Self {
        Self {
            bookmarks,
            shown: true,
            ..Self::default()
        }
    }

    /// The items that no closed folder hides: their index in [`Bookmarks::items`].
    pub fn visible(&self) -> Vec<usize> {
        let mut hidden_below: Option<usize> = None;
        let mut visible = Vec::new();
        for (index, item) in self.bookmarks.items().iter().enumerate() {
            if let Item::Folder(folder) = item {
                if hidden_below.is_some_and(|depth| folder.depth > depth) {
                    continue;
                }
                hidden_below = self.is_closed(index).then_some(folder.depth);
                visible.push(index);
            } else if hidden_below.is_none() {
                visible.push(index);
            }
        }
        visible
    }

    /// The item under the cursor.
    pub fn item(&self) -> Option<(usize, &Item)> {
        let index = *self.visible().get(self.cursor)?;
        self.bookmarks.items().get(index).map(|item| (index, item))
    }

    /// The bookmark under the cursor.
    pub fn bookmark(&self) -> Option<(usize, &Bookmark)> {
        match self.item()? {
            (index, Item::Bookmark(bookmark)) => Some((index, bookmark)),
            (_, Item::Folder(_)) => None,
        }
    }

    /// Whether the folder at `index` is closed.
    pub fn is_closed(&self, index: usize) -> bool {
        self.path(index)
            .is_some_and(|path| self.closed.contains(&path))
    }

    /// How many bookmarks are in the folder at `index`, those of its folders included.
    pub fn count(&self, index: usize) -> usize {
        let Some(Item::Folder(own)) = self.bookmarks.items().get(index) else {
            return 0;
        };
        let inside = self
            .bookmarks
            .items()
            .iter()
            .skip(index + 1)
            .take_while(|item| match item {
                Item::Folder(folder) => folder.depth > own.depth,
                Item::Bookmark(_) => true,
            });
        inside
            .filter(|item| matches!(item, Item::Bookmark(_)))
            .count()
    }

    /// Opens or closes the folder under the cursor, or the one that the bookmark under the cursor is in.
    pub fn fold(&mut self) {
        let Some((mut index, item)) = self.item() else {
            return;
        };
        if matches!(item, Item::Bookmark(_)) {
            let above = self.bookmarks.items().iter().take(index);
            let Some(folder) = above
                .enumerate()
                .rfind(|(_, item)| matches!(item, Item::Folder(_)))
            else {
                return;
            };
            index = folder.0;
            self.cursor = self
                .visible()
                .iter()
                .position(|&visible| visible == index)
                .unwrap_or(self.cursor);
        }
        if let Some(path) = self.path(index)
            && !self.closed.remove(&path)
        {
            self.closed.insert(path);
        }
    }

    /// Moves the cursor, and scrolls so that it stays on screen.
    pub fn step(&mut self, rows: isize, height: usize) {
        let last = self.visible().len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(rows).min(last);
        self.reveal(height);
    }

    /// Scrolls until the cursor is on screen.
    pub fn reveal(&mut self, height: usize) {
        let lowest = self.cursor.saturating_sub(height.saturating_sub(1));
        self.top = self.top.clamp(lowest, self.cursor);
    }

    /// Takes the file as it is now; the cursor goes to the bookmark on `line` when there is one.
    pub fn refresh(&mut self, bookmarks: Bookmarks, line: Option<usize>) {
        self.bookmarks = bookmarks;
        let visible = self.visible();
        let at = line.and_then(|line| {
            visible.iter().position(|&index| {
                matches!(self.bookmarks.items().get(index), Some(Item::Bookmark(bookmark)) if bookmark.line == line)
            })
        });
        self.cursor = at
            .unwrap_or(self.cursor)
            .min(visible.len().saturating_sub(1));
    }

    /// The folder that a new bookmark goes to: the one the cursor is in.
    pub fn folder(&self) -> Vec<String> {
        match self.item() {
            Some((index, Item::Folder(_))) => self.path(index).unwrap_or_default(),
            Some((index, Item::Bookmark(_))) => self.bookmarks.folder_of(index),
            None => Vec::new(),
        }
    }

    fn path(&self, index: usize) -> Option<Vec<String>> {
        let Some(Item::Folder(folder)) = self.bookmarks.items().get(index) else {
            return None;
        };
        let mut path = self.bookmarks.folder_of(index);
        path.push(folder.name.to_string());
        Some(path)
    }
}
