//! Bookmarks of another program put among one's own.

use std::collections::{BTreeMap, HashSet};

use super::builder::solid;
use super::shelf::{Item, Shelf};
use crate::files::bookmarks::{Bookmarks, Change, Place};
use crate::url::Url;

impl Shelf {
    /// Leaves out the entries whose place is in a bookmark file already, and the folders that hold nothing then, and tells
    /// of the entries. A URL with a fault names no place: two are the same when they are spelled alike.
    pub fn leave_out(&mut self, file: &Bookmarks) {
        let written = file.bookmarks().map(|one| one.written());
        let known: HashSet<String> = written.map(|url| place(&solid(url.as_str()))).collect();
        let lost = &mut self.lost;
        let before = self.items.len();
        self.items.retain(|item| {
            let Item::Entry { entry, .. } = item else {
                return true;
            };
            let is_there = known.contains(&place(&entry.url));
            if is_there {
                lost.whole(&entry.label(), "its place is in the bookmarks already");
            }
            !is_there
        });
        if self.items.len() < before {
            self.drop_empty_folders();
        }
    }

    fn drop_empty_folders(&mut self) {
        // From the end on: the deepest folder that something needs.
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

    /// The change that puts all of it into a file, in the folder of this path (none: at the top). What has a folder that
    /// the file has too goes into that.
    pub fn going_into(&self, file: &Bookmarks, base: &[String]) -> Change {
        let known: HashSet<Vec<String>> = file.folders().map(|folder| folder.path()).collect();
        let mut parts: BTreeMap<Vec<String>, Shelf> = BTreeMap::new();
        // For each folder that is open: the folder of the file that it goes into, and how deep that is here.
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
                if used == above && known.contains(&inside) {
                    open.push((inside, *depth));
                    continue;
                }
                open.push((path.clone(), used));
            }
            let (Item::Folder { depth, .. } | Item::Entry { depth, .. }) = &mut item;
            *depth -= used;
            parts.entry(path).or_default().items.push(item);
        }
        let mut parts: Vec<(Vec<String>, Shelf)> = parts.into_iter().collect();
        // At one line, what goes into the inner folder stands above.
        parts.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        let put = |items, place| {
            let part = Shelf {
                items,
                ..Shelf::default()
            };
            file.pasting(&part.bookmarks(), &place)
        };
        let mut change = Change::default();
        for (path, part) in parts {
            if !path.is_empty() {
                change = change.and(put(part.items, Place::Path(path)));
                continue;
            }
            // What has no folder goes above all folders, a new folder below them.
            let is_loose = |item: &Item| matches!(item, Item::Entry { depth: 0, .. });
            let (loose, folders) = part.items.into_iter().partition(is_loose);
            change = change
                .and(put(loose, Place::Top))
                .and(put(folders, Place::End));
        }
        change
    }

    /// Tells of the dates, for which a bookmark file has no word.
    pub fn lose_dates(&mut self) {
        let dated = self
            .entries()
            .filter(|(_, entry)| entry.added.is_some())
            .count();
        for _ in 0..dated {
            self.lost.part("dates");
        }
    }
}

/// What all spellings of a URL share; one with a fault shares it with nothing.
fn place(url: &str) -> String {
    let canonical = Url::accept(url).map(|url| url.canonical().as_str().to_owned());
    canonical.unwrap_or_else(|_| url.to_owned())
}
