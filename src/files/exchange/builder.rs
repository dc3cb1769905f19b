//! A shelf while a reader fills it.

use super::shelf::{Entry, Item, Lost, Shelf};
use crate::files::bookmarks::one_line;
use crate::text::Text;
use crate::url::encoded;

/// Deeper folders are no deeper than this.
const DEEPEST: usize = 64;

/// What stands for the name of a folder that has none.
const NAMELESS: &str = "Folder";

/// A shelf while it is filled; what goes in is made fit for the bookmark file.
#[derive(Debug, Default)]
pub(super) struct Builder {
    shelf: Shelf,
    /// How many folders are open; more than [`DEEPEST`] are counted, but not gone into.
    depth: usize,
}

impl Builder {
    /// Opens a folder in the one that is open.
    pub(super) fn open(&mut self, name: &str) {
        self.depth += 1;
        let name = one_line(Text::of(name).as_str());
        self.shelf.items.push(Item::Folder {
            depth: self.depth.min(DEEPEST),
            name: if name.is_empty() {
                NAMELESS.to_owned()
            } else {
                name
            },
        });
    }

    /// Closes the last folder that was opened.
    pub(super) fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Closes as many as leave so many open.
    pub(super) fn close_to(&mut self, depth: usize) {
        self.depth = self.depth.min(depth);
    }

    /// Opens the folders of this path, as far as they are not open.
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

    /// Puts an entry into the folder that is open. One without a URL is told of.
    pub(super) fn entry(&mut self, entry: &Entry) {
        let title = one_line(Text::of(&entry.title).as_str());
        let url = solid(&entry.url);
        if url.is_empty() {
            self.shelf.lost.whole(&title, "it has no URL");
            return;
        }
        let mut tags: Vec<String> = Vec::with_capacity(entry.tags.len());
        for tag in &entry.tags {
            let text = Text::of(tag);
            let tag = text.as_str().trim().trim_start_matches('#');
            let word = tag.split_whitespace().collect::<Vec<_>>().join("_");
            if !word.is_empty() && !tags.contains(&word) {
                self.shelf
                    .lost
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
        self.shelf.items.push(Item::Entry {
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

    /// The entry that went in last, where nothing came after it.
    pub(super) fn last(&mut self) -> Option<&mut Entry> {
        match self.shelf.items.last_mut()? {
            Item::Entry { entry, .. } => Some(entry),
            Item::Folder { .. } => None,
        }
    }

    /// Puts a line below the note of the entry that went in last.
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

    /// Where what is lost is told.
    pub(super) fn lost(&mut self) -> &mut Lost {
        &mut self.shelf.lost
    }

    pub(super) fn done(self) -> Shelf {
        self.shelf
    }
}

/// A URL as it can stand in `<URL:...>`: brackets, blanks and what nobody sees are encoded; line breaks and TABs are left
/// out, as browsers do.
pub(super) fn solid(url: &str) -> String {
    let mut solid = String::with_capacity(url.len());
    for c in url.trim().chars() {
        match c {
            '\t' | '\r' | '\n' => {}
            c if matches!(c, '<' | '>' | ' ') || crate::text::is_harmful(c) => {
                solid.push_str(&encoded(c.encode_utf8(&mut [0; 4]).as_bytes()));
            }
            c => solid.push(c),
        }
    }
    solid
}
