//! Bookmarks that hold words: what `geomys bookmarks list QUERY` gives.

use memchr::memmem::Finder;

use super::Bookmarks;
use super::line::{Parts, split, trim_end};
use super::view::Bookmark;
use crate::text::Text;
use crate::url::mask;

impl Bookmarks {
    /// The indices of the bookmarks that hold every one of these words, in the order of the file. A word is looked for as
    /// a part of the title, of the URL without its password, of the folder (`/` between a folder and one inside it), of a
    /// tag with its `#`, or of a note; case is ignored. What is given as one word and has blanks in it is many.
    pub fn holding(&self, words: &[String]) -> Vec<usize> {
        let words: Vec<String> = words
            .iter()
            .flat_map(|words| words.split_whitespace())
            .map(str::to_lowercase)
            .collect();
        let finders: Vec<Finder<'_>> = words.iter().map(Finder::new).collect();
        let mut folder = (None, String::new());
        let mut lines = Vec::new();
        let mut found = Vec::new();
        for bookmark in self.bookmarks() {
            let parent = self.parent(bookmark.index);
            if folder.0 != parent {
                let path = self.folder_of(bookmark.index).join("/");
                folder = (parent, path.to_lowercase());
            }
            let end = self.end_of_notes(bookmark.line);
            lines.clear();
            lines.extend_from_slice(self.lines(bookmark.line..end));
            lines.make_ascii_lowercase();
            let is_plain = is_plain(&lines);
            let holds = |(word, finder): (&String, &Finder<'_>)| {
                folder.1.contains(word)
                    || if is_plain {
                        finder.find(&lines).is_some() && in_plain(&lines, finder)
                    } else {
                        in_any(&bookmark, word)
                    }
            };
            if words.iter().zip(&finders).all(holds) {
                found.push(bookmark.index);
            }
        }
        found
    }
}

/// Whether octets are their own text, and nothing in them is hidden.
fn is_plain(lines: &[u8]) -> bool {
    let is_plain = |octet: &u8| matches!(octet, b' '..=b'?' | b'A'..=b'~' | b'\t' | b'\r' | b'\n');
    lines.iter().all(is_plain)
}

/// Whether one of the parts of a bookmark's lines, in lower case and plain, holds a word.
fn in_plain(lines: &[u8], word: &Finder<'_>) -> bool {
    let holds = |octets: &[u8]| word.find(octets).is_some();
    let mut lines = split(lines);
    let Some(parts) = lines.next().and_then(|line| Parts::of(trim_end(line))) else {
        return false;
    };
    holds(parts.before)
        || holds(&parts.url())
        || parts.marked().any(holds)
        || lines.any(|note| holds(trim_end(note)))
}

/// The same of any bookmark.
fn in_any(bookmark: &Bookmark<'_>, word: &str) -> bool {
    let holds = |text: &str| text.to_lowercase().contains(word);
    holds(bookmark.title().as_str())
        || holds(&mask(bookmark.written().as_str()))
        || bookmark.tags().iter().any(|tag| holds(&format!("#{tag}")))
        || bookmark.notes().iter().map(Text::as_str).any(holds)
}
