//! Import of a bookmark tree into the bookmark file.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use geomys_wire::net::compared_text;
use geomys_wire::text::Text;
use jiff::Timestamp;

use super::builder::single_word;
use super::tree::{BookmarkTree, Entry, Folder, Item, LeftOut, bookmarks};
use crate::bookmarks::line::one_line;
use crate::bookmarks::records::BookmarkRecords;
use crate::bookmarks::{Bookmarks, Change, InsertPosition};

/// Why an entry is left out that is a bookmark already.
pub const EXISTS: &str = "already in the bookmarks";

impl BookmarkTree {
    /// Removes and reports the entries whose URL is in a bookmark file already, and removes the folders that become
    /// empty. They are compared as links ([`compared_text`]).
    pub fn remove_existing(&mut self, file: &Bookmarks) {
        let written = file.bookmarks().map(|one| one.url_text());
        let existing: HashSet<String> = written
            .map(|url| compared_text(&single_word(url.as_str())).into_owned())
            .collect();
        let losses = &mut self.losses;
        let known = losses.entries.len();
        retain_entries(&mut self.items, &mut |entry: &Entry| {
            let exists = existing.contains(&*compared_text(&entry.url));
            if exists {
                losses.entries.push(LeftOut {
                    label: entry.label(),
                    url: entry.url.clone(),
                    line: None,
                    reason: EXISTS,
                });
            }
            !exists
        });
        if losses.entries.len() > known {
            drop_empty_folders(&mut self.items);
        }
    }

    /// Returns the change that inserts the tree into a file, in the folder of this path (empty: at the top level).
    /// Entries of a folder that exists in the file go to that folder.
    pub fn insert_into(&self, file: &Bookmarks, base: &[String]) -> Change {
        // No name has a line break.
        let existing: HashSet<String> = file.folder_paths('\n').into_iter().collect();
        let items = base.iter().rev().fold(self.items.clone(), |items, name| {
            let name = name.clone();
            vec![Item::Folder(Folder { name, items })]
        });
        let mut parts = BTreeMap::new();
        split_by_folder(&items, &[], &existing, &mut parts);
        let mut parts: Vec<(Vec<String>, Vec<Item>)> = parts.into_iter().collect();
        // At the same line, the content of the inner folder is above.
        parts.sort_by_key(|(path, _)| Reverse(path.len()));
        let mut change = Change::default();
        let insert = |items: &[Item], position| file.pasting(&bookmarks(items), &position);
        for (path, items) in parts {
            if !path.is_empty() {
                change = change.and(insert(&items, InsertPosition::Path(path)));
                continue;
            }
            // Entries without a folder go above all folders, new folders below them.
            let is_entry = |item: &Item| matches!(item, Item::Entry(_));
            let (entries, folders): (Vec<Item>, Vec<Item>) = items.into_iter().partition(is_entry);
            change = change
                .and(insert(&entries, InsertPosition::Top))
                .and(insert(&folders, InsertPosition::End));
        }
        change
    }

    /// Adds the entries of another tree to the folder of this path, and what was lost of it.
    pub fn append(&mut self, folder: &[String], other: Self) {
        let mut items = &mut self.items;
        for name in folder {
            let is_it = |item: &Item| matches!(item, Item::Folder(folder) if folder.name == *name);
            let at = items.iter().position(is_it).unwrap_or(items.len());
            if at == items.len() {
                items.push(Item::Folder(Folder {
                    name: name.clone(),
                    items: Vec::new(),
                }));
            }
            let Some(Item::Folder(folder)) = items.get_mut(at) else {
                return;
            };
            items = &mut folder.items;
        }
        items.extend(other.items);
        self.losses.add(other.losses);
    }

    /// Gives the only entry of a file of one bookmark the name of this file as its title, if it has none.
    pub fn name_untitled(&mut self, file: &Path) {
        let name = file.file_stem().map(|name| name.to_string_lossy());
        if let ([Item::Entry(entry)], Some(name)) = (self.items.as_mut_slice(), name)
            && entry.title.is_empty()
            && name != "-"
        {
            entry.title = one_line(Text::of(&name).as_str());
        }
    }

    /// Returns the dates of the entries, which are stored outside of the bookmark file.
    pub fn added_dates(&self) -> BookmarkRecords {
        let mut dates = BookmarkRecords::default();
        for (_, entry) in self.entries() {
            let added = entry.added.map(Timestamp::from_second);
            if let Some(Ok(added)) = added {
                dates.add_date(&entry.url, added);
            }
        }
        dates
    }

    /// Sets the dates of the entries to those of a bookmark file.
    #[must_use]
    pub fn with_dates(mut self, dates: &BookmarkRecords) -> Self {
        for entry in self.entries_mut() {
            entry.added = dates.added_written(&entry.url).map(Timestamp::as_second);
        }
        self
    }
}

fn retain_entries(items: &mut Vec<Item>, is_kept: &mut impl FnMut(&Entry) -> bool) {
    items.retain_mut(|item| match item {
        Item::Entry(entry) => is_kept(entry),
        Item::Folder(folder) => {
            retain_entries(&mut folder.items, is_kept);
            true
        }
    });
}

fn drop_empty_folders(items: &mut Vec<Item>) {
    items.retain_mut(|item| match item {
        Item::Entry(_) => true,
        Item::Folder(folder) => {
            drop_empty_folders(&mut folder.items);
            !folder.items.is_empty()
        }
    });
}

/// Splits items of the folder `path` by the existing folders that they go to.
fn split_by_folder(
    items: &[Item],
    path: &[String],
    existing: &HashSet<String>,
    parts: &mut BTreeMap<Vec<String>, Vec<Item>>,
) {
    for item in items {
        if let Item::Folder(folder) = &item {
            let inside = [path, std::slice::from_ref(&folder.name)].concat();
            if existing.contains(&inside.join("\n")) {
                split_by_folder(&folder.items, &inside, existing, parts);
                continue;
            }
        }
        parts.entry(path.to_vec()).or_default().push(item.clone());
    }
}
