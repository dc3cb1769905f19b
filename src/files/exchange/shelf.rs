//! Bookmarks between two formats: folders and entries in their order, each as deep as it is.

use std::collections::BTreeMap;

use super::builder::Builder;
use crate::files::bookmarks::{self, Bookmarks};
use crate::text::Text;
use crate::url::{mask, without_secrets};

/// Bookmarks as a format has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shelf {
    /// In their order.
    pub items: Vec<Item>,
    /// What was in the format, and is not here.
    pub lost: Lost,
}

/// A folder or an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A folder; what follows and is deeper is in it.
    Folder {
        /// From 1 at the top, one more than that of the folder it is in.
        depth: usize,
        /// Its name.
        name: String,
    },
    /// A bookmark.
    Entry {
        /// The depth of the folder that it is in: the last one above it that is no deeper; 0 in none.
        depth: usize,
        /// What it says.
        entry: Entry,
    },
}

/// A bookmark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// What it is called; empty when it has no title.
    pub title: String,
    /// The URL as it was written, good or bad.
    pub url: String,
    /// Its tags, a word each.
    pub tags: Vec<String>,
    /// A note, of as many lines as it has; empty when there is none.
    pub note: String,
    /// When it was made, in seconds since 1970, where that is known.
    pub added: Option<i64>,
}

impl Entry {
    /// What it is called in a sentence: the title, or else the URL without its password.
    pub fn label(&self) -> String {
        let label = if self.title.is_empty() {
            mask(&self.url)
        } else {
            self.title.as_str().into()
        };
        Text::of(&label).to_string()
    }
}

/// What does not go into a format, or not into the bookmark file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// How often what was not kept: "dates", "pictures".
    pub parts: BTreeMap<String, usize>,
    /// What is left out whole: what it is called, and why.
    pub wholes: Vec<(String, &'static str)>,
}

impl Lost {
    /// A part of something was not kept: what, in the plural.
    pub(super) fn part(&mut self, what: &str) {
        *self.parts.entry(what.to_owned()).or_default() += 1;
    }

    /// The same, where there is one.
    pub(super) fn part_if(&mut self, is_there: bool, what: &str) {
        if is_there {
            self.part(what);
        }
    }

    /// Something was left out.
    pub(super) fn whole(&mut self, label: &str, why: &'static str) {
        self.wholes.push((Text::of(label).to_string(), why));
    }

    /// Whether everything was kept.
    pub fn is_nothing(&self) -> bool {
        self.parts.is_empty() && self.wholes.is_empty()
    }
}

impl Shelf {
    /// What is in a bookmark file. Passwords are taken off: what leaves the house has none.
    pub fn of(file: &Bookmarks) -> Self {
        let mut builder = Builder::default();
        let mut depths = vec![0; file.len()];
        let depth_in = |depths: &[usize], index| {
            let parent = file.parent(index);
            parent.and_then(|parent| depths.get(parent).copied())
        };
        for item in file.items() {
            // Headings may leave a depth out.
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
                    let written = bookmark.written();
                    let url = without_secrets(written.as_str());
                    builder.lost().part_if(
                        url != written.as_str(),
                        "passwords, which are never given away",
                    );
                    let is_more = bookmark.has_other_words();
                    builder.lost().part_if(is_more, "words behind a URL");
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
                .lost()
                .part("lines that are neither bookmark nor folder");
        }
        builder.done()
    }

    /// As a bookmark file: what has no folder first, and in each folder the bookmarks before the folders in it.
    pub fn bookmarks(&self) -> Bookmarks {
        let mut lines = String::new();
        for item in self.settled() {
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

    /// The items, the entries of each folder before the folders in it.
    fn settled(&self) -> Vec<&Item> {
        // For each folder, and for what is in none: its entries, and its folders.
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
        let mut settled = Vec::with_capacity(self.items.len());
        let mut next = vec![0];
        while let Some(at) = next.pop() {
            settled.extend(heads.get(at).copied().flatten());
            if let Some((entries, folders)) = inside.get(at) {
                settled.extend_from_slice(entries);
                next.extend(folders.iter().rev());
            }
        }
        settled
    }

    /// The entries, each with the names of the folders that it is in, outermost first.
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

    /// The entries, to be changed.
    pub fn entries_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.items.iter_mut().filter_map(|item| match item {
            Item::Folder { .. } => None,
            Item::Entry { entry, .. } => Some(entry),
        })
    }

    /// Tells of the folders that a format without an own word for them loses where nothing is in them.
    pub(super) fn lose_empty_folders(&self, lost: &mut Lost) {
        let next = self.items.iter().skip(1).map(Some).chain([None]);
        for (item, next) in self.items.iter().zip(next) {
            let Item::Folder { depth, .. } = item else {
                continue;
            };
            let is_full = match next {
                Some(Item::Folder { depth: next, .. }) => next > depth,
                Some(Item::Entry { depth: next, .. }) => next >= depth,
                None => false,
            };
            lost.part_if(!is_full, "empty folders");
        }
    }
}

impl Entry {
    /// As lines of a bookmark file.
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
