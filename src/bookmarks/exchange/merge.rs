//! Import of a bookmark tree into the bookmark file.

use std::collections::{BTreeMap, HashSet};

use super::builder::single_word;
use super::tree::{BookmarkTree, Item};
use crate::bookmarks::{Bookmarks, Change, InsertPosition};
use crate::url::Url;

impl BookmarkTree {
    /// Removes and reports the entries whose URL is in a bookmark file already, and removes the folders that become empty. URLs
    /// are compared in canonical form; URLs with a fault are compared by their text.
    pub fn remove_existing(&mut self, file: &Bookmarks) {
        let written = file.bookmarks().map(|one| one.url_text());
        let existing: HashSet<String> = written
            .map(|url| canonical(&single_word(url.as_str())))
            .collect();
        let losses = &mut self.losses;
        let before = self.items.len();
        self.items.retain(|item| {
            let Item::Entry { entry, .. } = item else {
                return true;
            };
            let exists = existing.contains(&canonical(&entry.url));
            if exists {
                losses.entry(&entry.label(), "its place is in the bookmarks already");
            }
            !exists
        });
        if self.items.len() < before {
            self.drop_empty_folders();
        }
    }

    fn drop_empty_folders(&mut self) {
        // Backwards from the end: the depth of the deepest folder that is still needed.
        let mut needed = 0;
        let mut items: Vec<Item> = Vec::with_capacity(self.items.len());
        for item in self.items.drain(..).rev() {
            match &item {
                Item::Entry { depth, .. } => needed = needed.max(*depth),
                Item::Folder { depth, .. } if needed < *depth => continue,
                Item::Folder { depth, .. } => needed = depth.saturating_sub(1),
            }
            items.push(item);
        }
        items.reverse();
        self.items = items;
    }

    /// Returns the change that inserts the tree into a file, in the folder of this path (empty: at the top level). Entries of a
    /// folder that exists in the file go to that folder.
    pub fn insert_into(&self, file: &Bookmarks, base: &[String]) -> Change {
        let existing: HashSet<Vec<String>> = file.folders().map(|folder| folder.path()).collect();
        let mut parts: BTreeMap<Vec<String>, BookmarkTree> = BTreeMap::new();
        // For each open folder: the folder of the file that it goes to, and the depth of that folder in this tree.
        let mut open: Vec<(Vec<String>, usize)> = Vec::new();
        let head = base.iter().enumerate().map(|(above, name)| Item::Folder {
            depth: above + 1,
            name: name.clone(),
        });
        let inside = self.items.iter().cloned().map(|mut item| {
            let (Item::Folder { depth, .. } | Item::Entry { depth, .. }) = &mut item;
            *depth += base.len();
            item
        });
        for mut item in head.chain(inside) {
            let above = match &item {
                Item::Folder { depth, .. } => depth.saturating_sub(1),
                Item::Entry { depth, .. } => *depth,
            };
            open.truncate(above);
            let (path, used) = open.last().cloned().unwrap_or_default();
            if let Item::Folder { depth, name } = &item {
                let inside: Vec<String> = path.iter().chain([name]).cloned().collect();
                if used == above && existing.contains(&inside) {
                    open.push((inside, *depth));
                    continue;
                }
                open.push((path.clone(), used));
            }
            let (Item::Folder { depth, .. } | Item::Entry { depth, .. }) = &mut item;
            *depth -= used;
            parts.entry(path).or_default().items.push(item);
        }
        let mut parts: Vec<(Vec<String>, BookmarkTree)> = parts.into_iter().collect();
        // At the same line, the content of the inner folder is above.
        parts.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        let insert = |items, position| {
            let part = BookmarkTree {
                items,
                ..BookmarkTree::default()
            };
            file.pasting(&part.bookmarks(), &position)
        };
        let mut change = Change::default();
        for (path, part) in parts {
            if !path.is_empty() {
                change = change.and(insert(part.items, InsertPosition::Path(path)));
                continue;
            }
            // Entries without a folder go above all folders, new folders below them.
            let is_loose = |item: &Item| matches!(item, Item::Entry { depth: 0, .. });
            let (loose, folders) = part.items.into_iter().partition(is_loose);
            change = change
                .and(insert(loose, InsertPosition::Top))
                .and(insert(folders, InsertPosition::End));
        }
        change
    }

    /// Reports the dates as lost, as a bookmark file cannot hold them.
    pub fn report_lost_dates(&mut self) {
        let dated = self
            .entries()
            .filter(|(_, entry)| entry.added.is_some())
            .count();
        for _ in 0..dated {
            self.losses.part("dates");
        }
    }
}

/// Returns the canonical spelling of a URL; a URL with a fault is returned unchanged.
fn canonical(url: &str) -> String {
    let canonical = Url::accept(url).map(|url| url.canonical().as_str().to_owned());
    canonical.unwrap_or_else(|_| url.to_owned())
}
