//! Bookmark tree, the common model of all formats: folders and entries in their order.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::iter;

use geomys_wire::text::Text;
use rfc1738::mask;

use crate::bookmarks::Bookmarks;

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
    /// Folder.
    Folder(Folder),
    /// Bookmark.
    Entry(Entry),
}

/// Folder of a bookmark tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder {
    /// Name of the folder.
    pub name: String,
    /// Folders and entries in it, in their order.
    pub items: Vec<Item>,
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

/// Step of a walk through a bookmark tree.
#[derive(Clone, Copy)]
pub(super) enum TreeStep<'a> {
    /// Start of a folder.
    Open(&'a Folder),
    Entry(&'a Entry),
    /// End of the last open folder.
    Close,
}

/// Report of the data that a format or the bookmark file cannot hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LossReport {
    /// Numbers of dropped details, by their names in the plural: "dates", "pictures".
    pub parts: BTreeMap<String, usize>,
    /// Numbers of dropped values, by the names of their fields in the file.
    pub fields: BTreeMap<String, usize>,
    /// Entries that were left out.
    pub entries: Vec<LeftOut>,
}

/// Entry that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Title, or the URL with its password masked; in a directory after the name of its file.
    pub label: String,
    /// URL as written in the file; empty if there is none.
    pub url: String,
    /// Number of its line in the file, from 1, in a format of lines.
    pub line: Option<usize>,
    /// Why it was left out.
    pub reason: &'static str,
}

/// Loss of the words after a URL.
pub(super) const WORDS_BEHIND: &str = "words after a URL";

/// Loss of the date of a folder.
pub(super) const FOLDER_DATES: &str = "dates of folders";

/// Error of parsing a file in a format, as the rest of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FormatError(pub String);

impl LossReport {
    /// Counts a dropped detail, by its name in the plural.
    pub(super) fn part(&mut self, what: &str) {
        self.count(1, what);
    }

    /// Counts a dropped detail if the condition is true.
    pub(super) fn part_if(&mut self, condition: bool, what: &str) {
        self.count(usize::from(condition), what);
    }

    /// Adds a number of dropped details.
    pub(super) fn count(&mut self, count: usize, what: &str) {
        if count > 0 {
            *self.parts.entry(what.to_owned()).or_default() += count;
        }
    }

    /// Counts a dropped value if the condition is true, by the name of its field.
    pub(super) fn field_if(&mut self, condition: bool, name: &str) {
        if condition {
            *self.fields.entry(Text::of(name).to_string()).or_default() += 1;
        }
    }

    /// Adds an entry that was left out.
    pub(super) fn entry(&mut self, label: &str, reason: &'static str) {
        self.entries.push(LeftOut {
            label: Text::of(label).to_string(),
            url: String::new(),
            line: None,
            reason,
        });
    }

    /// Adds what another report has.
    pub(super) fn add(&mut self, other: Self) {
        for (what, count) in other.parts {
            *self.parts.entry(what).or_default() += count;
        }
        for (name, count) in other.fields {
            *self.fields.entry(name).or_default() += count;
        }
        self.entries.extend(other.entries);
    }

    /// Returns true if nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.fields.is_empty() && self.entries.is_empty()
    }
}

impl BookmarkTree {
    /// Converts the tree to a bookmark file: entries without a folder first, and in each folder the bookmarks before
    /// the subfolders.
    pub fn bookmarks(&self) -> Bookmarks {
        bookmarks(&self.items)
    }

    /// Iterates over the folders and entries, each with the number of open folders around it.
    pub(super) fn steps(&self) -> impl Iterator<Item = (usize, TreeStep<'_>)> {
        let mut open = vec![self.items.iter()];
        iter::from_fn(move || {
            let depth = open.len().checked_sub(1)?;
            match open.last_mut()?.next() {
                Some(Item::Folder(folder)) => {
                    open.push(folder.items.iter());
                    Some((depth, TreeStep::Open(folder)))
                }
                Some(Item::Entry(entry)) => Some((depth, TreeStep::Entry(entry))),
                None => {
                    open.pop();
                    Some((depth.checked_sub(1)?, TreeStep::Close))
                }
            }
        })
    }

    /// Iterates over the entries, each with the names of its folders, outermost first.
    pub fn entries(&self) -> impl Iterator<Item = (Vec<&str>, &Entry)> {
        let mut path = Vec::new();
        self.steps().filter_map(move |(depth, step)| {
            path.truncate(depth);
            match step {
                TreeStep::Open(folder) => path.push(folder.name.as_str()),
                TreeStep::Entry(entry) => return Some((path.clone(), entry)),
                TreeStep::Close => {}
            }
            None
        })
    }

    /// Iterates over the entries mutably.
    pub fn entries_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        let mut open = vec![self.items.iter_mut()];
        iter::from_fn(move || {
            loop {
                match open.last_mut()?.next() {
                    Some(Item::Folder(folder)) => open.push(folder.items.iter_mut()),
                    Some(Item::Entry(entry)) => return Some(entry),
                    None => drop(open.pop()),
                }
            }
        })
    }

    /// Reports the folders that a format cannot hold which has no entries for folders, but the path of the folder at
    /// each bookmark: empty ones, and those that have the path of an open folder, as they become one with it.
    pub(super) fn report_lost_folders(&self, losses: &mut LossReport) {
        let (mut path, mut entry_path) = (Vec::new(), Vec::new());
        for (depth, step) in self.steps() {
            path.truncate(depth);
            match step {
                TreeStep::Open(folder) => {
                    path.push(&folder.name);
                    losses.part_if(entry_path.starts_with(&path), "folders of the same name");
                    losses.part_if(folder.items.is_empty(), "empty folders");
                }
                TreeStep::Entry(_) => entry_path.clone_from(&path),
                TreeStep::Close => {}
            }
        }
    }
}

/// Converts items to a bookmark file.
pub(super) fn bookmarks(items: &[Item]) -> Bookmarks {
    let mut lines = String::new();
    push_items(items, 1, &mut lines);
    Bookmarks::of(lines.into_bytes())
}

/// Appends items as lines of a bookmark file. The recursion is limited, as the readers limit the depth of folders.
fn push_items(items: &[Item], depth: usize, lines: &mut String) {
    for item in items {
        if let Item::Entry(entry) = item {
            entry.push(lines);
        }
    }
    for item in items {
        if let Item::Folder(folder) = item {
            if !lines.is_empty() {
                lines.push('\n');
            }
            // Writing to a string cannot fail.
            let _ = writeln!(lines, "{} {}", "#".repeat(depth), folder.name);
            push_items(&folder.items, depth + 1, lines);
        }
    }
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

    /// Appends the entry as lines of a bookmark file.
    fn push(&self, lines: &mut String) {
        lines.push_str(&self.title);
        if !self.title.is_empty() {
            lines.push(' ');
        }
        // Writing to a string cannot fail.
        let _ = write!(lines, "<URL:{}>", self.url);
        for tag in &self.tags {
            let _ = write!(lines, " #{tag}");
        }
        lines.push('\n');
        for note in self.note.lines() {
            let _ = writeln!(lines, "  {note}");
        }
    }
}
