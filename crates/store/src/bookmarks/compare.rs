//! Short difference between two states of the file.

use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use geomys_wire::net::compared_url;

use super::{Bookmark, Bookmarks};

/// Difference between an earlier and a later state. The order of bookmarks does not count, but their folder does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Labels of bookmarks that only the later state has.
    pub added: Vec<String>,
    /// Labels of bookmarks that only the earlier state has.
    pub removed: Vec<String>,
    /// Labels, in the later state, of bookmarks with the same URL or the same title that differ otherwise.
    pub edited: Vec<String>,
    /// True if something else differs: folders, ignored lines, the order.
    pub other: bool,
}

impl Difference {
    /// Compares two states.
    pub fn between(earlier: &Bookmarks, later: &Bookmarks) -> Self {
        let mut before: HashMap<u64, Vec<Bookmark<'_>>> = HashMap::new();
        for (bookmark, hash) in hashes(earlier) {
            before.entry(hash).or_default().push(bookmark);
        }
        let mut is_new = |hash| before.get_mut(&hash).and_then(Vec::pop).is_none();
        let mut added: Vec<Bookmark<'_>> = hashes(later)
            .filter_map(|(bookmark, hash)| is_new(hash).then_some(bookmark))
            .collect();
        let mut removed = in_order(before);
        let is_other = added.is_empty() && removed.is_empty();
        let mut edited = Vec::new();
        for key in [url_key, title] {
            let mut left: HashMap<Vec<u8>, Vec<Bookmark<'_>>> = HashMap::new();
            for bookmark in removed.into_iter().rev() {
                left.entry(key(&bookmark)).or_default().push(bookmark);
            }
            let mut was =
                |bookmark: &mut Bookmark<'_>| left.get_mut(&key(bookmark)).and_then(Vec::pop);
            edited.extend(added.extract_if(.., |bookmark| was(bookmark).is_some()));
            removed = in_order(left);
        }
        let labels = |bookmarks: Vec<Bookmark<'_>>| -> Vec<String> {
            let labels = bookmarks.iter().map(Bookmark::label);
            labels.map(|label| label.to_string()).collect()
        };
        Self {
            added: labels(added),
            removed: labels(removed),
            edited: labels(edited),
            other: is_other && earlier.octets() != later.octets(),
        }
    }
}

/// Returns bookmarks in the order of the file.
fn in_order<'a, K>(bookmarks: HashMap<K, Vec<Bookmark<'a>>>) -> Vec<Bookmark<'a>> {
    let mut bookmarks: Vec<Bookmark<'a>> = bookmarks.into_values().flatten().collect();
    bookmarks.sort_unstable_by_key(|bookmark| bookmark.index);
    bookmarks
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (&self.added, "added"),
            (&self.removed, "removed"),
            (&self.edited, "edited"),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter_map(|(labels, verb)| {
                let first = labels.first()?;
                let more = if labels.len() > 1 { ", …" } else { "" };
                Some(format!("{} {verb} ({first}{more})", labels.len()))
            })
            .collect();
        if !parts.is_empty() {
            f.write_str(&parts.join(", "))
        } else if self.other {
            f.write_str("folders, order or other lines")
        } else {
            f.write_str("nothing")
        }
    }
}

/// Returns the bookmarks, each with a hash of its line, its notes and its folder.
fn hashes(file: &Bookmarks) -> impl Iterator<Item = (Bookmark<'_>, u64)> {
    let folders = file.folder_hashes();
    file.bookmarks().map(move |bookmark| {
        let mut hasher = DefaultHasher::new();
        folders.get(bookmark.index).hash(&mut hasher);
        bookmark.octets().hash(&mut hasher);
        for note in bookmark.line + 1..file.end_of_notes(bookmark.line) {
            file.line(note).trim_ascii().hash(&mut hasher);
        }
        (bookmark, hasher.finish())
    })
}

fn url_key(bookmark: &Bookmark<'_>) -> Vec<u8> {
    match bookmark.url() {
        Ok(url) => compared_url(&url).as_str().as_bytes().to_vec(),
        Err(_) => bookmark.parts().url_octets().to_vec(),
    }
}

/// Returns the title as a key; a bookmark without a title has its own line as key.
fn title(bookmark: &Bookmark<'_>) -> Vec<u8> {
    let title = bookmark.title();
    if title.is_blank() {
        return bookmark.octets().to_vec();
    }
    title.as_str().as_bytes().to_vec()
}
