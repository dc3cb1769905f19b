//! Bookmark tree, the common model of all formats: folders and entries in their order, with their depths.

use std::collections::BTreeMap;

use super::builder::TreeBuilder;
use crate::bookmarks::{self, Bookmarks};
use crate::text::Text;
use crate::url::{mask, without_secrets};

/// Bookmarks of a file in any format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookmarkTree {
    /// Folders and entries in their order.
    pub items: Vec<Item>,
    /// Data of the file that the tree cannot hold.
    pub losses: LossReport,
}

/// Folder or entry of a bookmark tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// Folder; the following deeper items are in it.
    Folder {
        /// Depth, from 1 at the top level.
        depth: usize,
        /// Name of the folder.
        name: String,
    },
    /// Bookmark.
    Entry {
        /// Depth of its folder, which is the last folder above it that is not deeper; 0 without a folder.
        depth: usize,
        /// Content of the bookmark.
        entry: Entry,
    },
}

/// Bookmark in any format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Title; empty if there is none.
    pub title: String,
    /// URL as written in the file, valid or not.
    pub url: String,
    /// Tags, one word each.
    pub tags: Vec<String>,
    /// Note of any number of lines; empty if there is none.
    pub note: String,
    /// Creation time in seconds since 1970, if it is available.
    pub added: Option<i64>,
}

impl Entry {
    /// Returns the label in messages: the title, or else the URL without its password.
    pub fn label(&self) -> String {
        let label = if self.title.is_empty() {
            mask(&self.url)
        } else {
            self.title.as_str().into()
        };
        Text::of(&label).to_string()
    }
}

/// Report of the data that a format or the bookmark file cannot hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LossReport {
    /// Numbers of dropped details, by their names in the plural: "dates", "pictures".
    pub parts: BTreeMap<String, usize>,
    /// Labels of the entries that were left out, with the reasons.
    pub entries: Vec<(String, &'static str)>,
}

impl LossReport {
    /// Counts a dropped detail, by its name in the plural.
    pub(super) fn part(&mut self, what: &str) {
        *self.parts.entry(what.to_owned()).or_default() += 1;
    }

    /// Counts a dropped detail if the condition is true.
    pub(super) fn part_if(&mut self, condition: bool, what: &str) {
        if condition {
            self.part(what);
        }
    }

    /// Adds an entry that was left out.
    pub(super) fn entry(&mut self, label: &str, reason: &'static str) {
        self.entries.push((Text::of(label).to_string(), reason));
    }

    /// Returns true if nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.entries.is_empty()
    }
}

impl BookmarkTree {
    /// Converts a bookmark file to a tree. Passwords are removed, as exported files must not contain them.
    pub fn of(file: &Bookmarks) -> Self {
        let mut builder = TreeBuilder::default();
        let mut depths = vec![0; file.len()];
        let depth_in = |depths: &[usize], index| {
            let parent = file.parent(index);
            parent.and_then(|parent| depths.get(parent).copied())
        };
        for item in file.items() {
            // Headings may skip a depth.
            let depth = depth_in(&depths, item.index()).unwrap_or_default();
            match item {
                bookmarks::Item::Folder(folder) => {
                    if let Some(own) = depths.get_mut(folder.index) {
                        *own = depth + 1;
                    }
                    builder.close_to(depth);
                    builder.open(folder.name().as_str());
                }
                bookmarks::Item::Bookmark(bookmark) => {
                    builder.close_to(depth);
                    let notes = bookmark.notes();
                    let notes: Vec<&str> = notes.iter().map(Text::as_str).collect();
                    let written = bookmark.url_text();
                    let url = without_secrets(written.as_str());
                    builder.losses().part_if(
                        url != written.as_str(),
                        "passwords, which are never given away",
                    );
                    let is_more = bookmark.has_other_words();
                    builder.losses().part_if(is_more, "words behind a URL");
                    builder.entry(&Entry {
                        title: bookmark.title().to_string(),
                        url: url.into_owned(),
                        tags: bookmark.tags().iter().map(Text::to_string).collect(),
                        note: notes.join("\n"),
                        added: None,
                    });
                }
            }
        }
        for _ in 0..file.other_lines() {
            builder
                .losses()
                .part("lines that are neither bookmark nor folder");
        }
        builder.finish()
    }

    /// Converts the tree to a bookmark file: entries without a folder first, and in each folder the bookmarks before the
    /// subfolders.
    pub fn bookmarks(&self) -> Bookmarks {
        let mut lines = String::new();
        for item in self.ordered_items() {
            match item {
                Item::Folder { depth, name } => {
                    if !lines.is_empty() {
                        lines.push('\n');
                    }
                    lines.push_str(&"#".repeat(*depth));
                    lines.push(' ');
                    lines.push_str(name);
                    lines.push('\n');
                }
                Item::Entry { entry, .. } => entry.push(&mut lines),
            }
        }
        Bookmarks::of(lines.into_bytes())
    }

    /// Returns the items, with the entries of each folder before its subfolders.
    fn ordered_items(&self) -> Vec<&Item> {
        // For the top level and each folder: its entries and its subfolders.
        let mut inside: Vec<(Vec<&Item>, Vec<usize>)> = vec![Default::default()];
        let mut heads: Vec<Option<&Item>> = vec![None];
        let mut open = vec![0];
        for item in &self.items {
            let depth = match item {
                Item::Folder { depth, .. } => depth.saturating_sub(1),
                Item::Entry { depth, .. } => *depth,
            };
            open.truncate(depth + 1);
            let parent = open.last().copied().unwrap_or_default();
            let new = inside.len();
            let Some((entries, folders)) = inside.get_mut(parent) else {
                continue;
            };
            match item {
                Item::Entry { .. } => entries.push(item),
                Item::Folder { .. } => {
                    folders.push(new);
                    open.push(new);
                    inside.push(Default::default());
                    heads.push(Some(item));
                }
            }
        }
        let mut ordered = Vec::with_capacity(self.items.len());
        let mut next = vec![0];
        while let Some(at) = next.pop() {
            ordered.extend(heads.get(at).copied().flatten());
            if let Some((entries, folders)) = inside.get(at) {
                ordered.extend_from_slice(entries);
                next.extend(folders.iter().rev());
            }
        }
        ordered
    }

    /// Iterates over the entries, each with the names of its folders, outermost first.
    pub fn entries(&self) -> impl Iterator<Item = (Vec<&str>, &Entry)> {
        let mut path: Vec<&str> = Vec::new();
        self.items.iter().filter_map(move |item| match item {
            Item::Folder { depth, name } => {
                path.truncate(depth.saturating_sub(1));
                path.push(name);
                None
            }
            Item::Entry { depth, entry } => {
                path.truncate(*depth);
                Some((path.clone(), entry))
            }
        })
    }

    /// Iterates over the entries mutably.
    pub fn entries_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.items.iter_mut().filter_map(|item| match item {
            Item::Folder { .. } => None,
            Item::Entry { entry, .. } => Some(entry),
        })
    }

    /// Reports the folders that a format cannot hold which has no entries for folders, but the path of the folder at each
    /// bookmark: empty ones, and those that have the path of an open folder, as they become one with it.
    pub(super) fn report_lost_folders(&self, losses: &mut LossReport) {
        let (mut path, mut entry_path) = (Vec::new(), Vec::new());
        let next = self.items.iter().skip(1).map(Some).chain([None]);
        for (item, next) in self.items.iter().zip(next) {
            let (depth, name) = match item {
                Item::Folder { depth, name } => (depth, name),
                Item::Entry { depth, .. } => {
                    path.truncate(*depth);
                    entry_path.clone_from(&path);
                    continue;
                }
            };
            path.truncate(depth.saturating_sub(1));
            path.push(name);
            losses.part_if(entry_path.starts_with(&path), "folders of the same name");
            let has_content = match next {
                Some(Item::Folder { depth: next, .. }) => next > depth,
                Some(Item::Entry { depth: next, .. }) => next >= depth,
                None => false,
            };
            losses.part_if(!has_content, "empty folders");
        }
    }
}

impl Entry {
    /// Appends the entry as lines of a bookmark file.
    fn push(&self, lines: &mut String) {
        lines.push_str(&self.title);
        if !self.title.is_empty() {
            lines.push(' ');
        }
        lines.push_str("<URL:");
        lines.push_str(&self.url);
        lines.push('>');
        for tag in &self.tags {
            lines.push_str(" #");
            lines.push_str(tag);
        }
        lines.push('\n');
        for note in self.note.lines() {
            lines.push_str("  ");
            lines.push_str(note);
            lines.push('\n');
        }
    }
}
