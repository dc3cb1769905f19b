//! Builder of a bookmark tree, used by the readers.

use super::tree::{BookmarkTree, Entry, Item, LossReport};
use crate::bookmarks::one_line;
use crate::text::Text;
use crate::url::encoded;

/// Maximum depth of folders; deeper ones are moved up.
const DEEPEST: usize = 64;

/// Name of a folder without a name.
const NAMELESS: &str = "Folder";

/// Builder of a bookmark tree; converts texts so that they fit the bookmark file.
#[derive(Debug, Default)]
pub(super) struct TreeBuilder {
    tree: BookmarkTree,
    /// Number of open folders; folders deeper than [`DEEPEST`] are counted, but not nested.
    depth: usize,
}

impl TreeBuilder {
    /// Opens a folder in the current folder.
    pub(super) fn open(&mut self, name: &str) {
        self.depth += 1;
        let name = one_line(Text::of(name).as_str());
        self.tree.items.push(Item::Folder {
            depth: self.depth.min(DEEPEST),
            name: if name.is_empty() {
                NAMELESS.to_owned()
            } else {
                name
            },
        });
    }

    /// Closes the current folder.
    pub(super) fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Closes folders until `depth` are open.
    pub(super) fn close_to(&mut self, depth: usize) {
        self.depth = self.depth.min(depth);
    }

    /// Opens the folders of a path that are not open yet.
    pub(super) fn go<S: AsRef<str>>(&mut self, path: &[S], open: &mut Vec<String>) {
        let same = path
            .iter()
            .zip(open.iter())
            .take_while(|(one, other)| one.as_ref() == other.as_str())
            .count();
        open.truncate(same);
        self.close_to(same);
        for name in path.iter().skip(same) {
            self.open(name.as_ref());
            open.push(name.as_ref().to_owned());
        }
    }

    /// Adds an entry to the current folder. An entry without a URL is reported as lost.
    pub(super) fn entry(&mut self, entry: &Entry) {
        let title = one_line(Text::of(&entry.title).as_str());
        let url = single_word(&entry.url);
        if url.is_empty() {
            self.tree.losses.entry(&title, "it has no URL");
            return;
        }
        let mut tags: Vec<String> = Vec::with_capacity(entry.tags.len());
        for tag in &entry.tags {
            let text = Text::of(tag);
            let tag = text.as_str().trim().trim_start_matches('#');
            let word = tag.split_whitespace().collect::<Vec<_>>().join("_");
            if !word.is_empty() && !tags.contains(&word) {
                self.tree
                    .losses
                    .part_if(word != tag, "blanks in tags, which became _");
                tags.push(word);
            }
        }
        let note: Vec<String> = entry
            .note
            .lines()
            .map(|line| Text::of(line).as_str().trim().to_owned())
            .filter(|line| !line.is_empty())
            .collect();
        self.tree.items.push(Item::Entry {
            depth: self.depth.min(DEEPEST),
            entry: Entry {
                title: if title == url { String::new() } else { title },
                url,
                tags,
                note: note.join("\n"),
                added: entry.added,
            },
        });
    }

    /// Returns the last entry, if nothing was added after it.
    pub(super) fn last(&mut self) -> Option<&mut Entry> {
        match self.tree.items.last_mut()? {
            Item::Entry { entry, .. } => Some(entry),
            Item::Folder { .. } => None,
        }
    }

    /// Appends a line to the note of the last entry.
    pub(super) fn note(&mut self, line: &str) {
        let line = Text::of(line);
        let line = line.as_str().trim();
        if let Some(entry) = self.last().filter(|_| !line.is_empty()) {
            if !entry.note.is_empty() {
                entry.note.push('\n');
            }
            entry.note.push_str(line);
        }
    }

    /// Returns the report of lost data.
    pub(super) fn losses(&mut self) -> &mut LossReport {
        &mut self.tree.losses
    }

    /// Returns the bookmark tree.
    pub(super) fn finish(self) -> BookmarkTree {
        self.tree
    }
}

/// Converts a URL so that it fits in `<URL:...>`: brackets, blanks and invisible characters are encoded; line breaks and TABs
/// are removed, as browsers do.
pub(super) fn single_word(url: &str) -> String {
    let mut word = String::with_capacity(url.len());
    for c in url.trim().chars() {
        match c {
            '\t' | '\r' | '\n' => {}
            c if matches!(c, '<' | '>' | ' ') || crate::text::is_harmful(c) => {
                word.push_str(&encoded(c.encode_utf8(&mut [0; 4]).as_bytes()));
            }
            c => word.push(c),
        }
    }
    word
}
