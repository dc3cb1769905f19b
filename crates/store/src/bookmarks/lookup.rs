//! Lookup of items: by index, by line, by folder, by URL.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use geomys_wire::net::compared_url;
use geomys_wire::text::Text;
use rfc1738::Url;

use super::Bookmarks;
use super::index::{Kind, key_of};
use super::line::{is_blank, text};
use super::query::node_of;
use super::similar::similar_page;
use super::view::{Bookmark, Folder, Item};

/// The most bookmarks whose hosts are read for completion, and the most of these hosts.
const MAX_HOSTS_READ: usize = 2000;
const MAX_HOSTS: usize = 200;

impl Bookmarks {
    /// Iterates over folders and bookmarks in the order of the file.
    pub fn items(&self) -> impl DoubleEndedIterator<Item = Item<'_>> + ExactSizeIterator {
        let entries = self.entries.iter().enumerate();
        entries.map(|(index, entry)| Item::new(self, index, entry))
    }

    /// Returns the item at an index.
    pub fn item(&self, index: usize) -> Option<Item<'_>> {
        let entry = self.entry(index)?;
        Some(Item::new(self, index, entry))
    }

    /// Returns the item on a line, from 0; a note is not an item.
    pub fn on_line(&self, line: usize) -> Option<Item<'_>> {
        let found = self.entries.binary_search_by_key(&line, |entry| entry.line);
        self.item(found.ok()?)
    }

    /// Iterates over the bookmarks.
    pub fn bookmarks(&self) -> impl DoubleEndedIterator<Item = Bookmark<'_>> {
        (0..self.len()).filter_map(|index| self.bookmark(index))
    }

    /// Returns the bookmark at an index; `None` for a folder.
    pub fn bookmark(&self, index: usize) -> Option<Bookmark<'_>> {
        match self.item(index)? {
            Item::Bookmark(bookmark) => Some(bookmark),
            Item::Folder(_) => None,
        }
    }

    /// Returns the folder at an index; `None` for a bookmark.
    pub fn folder(&self, index: usize) -> Option<Folder<'_>> {
        match self.item(index)? {
            Item::Folder(folder) => Some(folder),
            Item::Bookmark(_) => None,
        }
    }

    /// Returns the index of an item's parent folder.
    pub fn parent(&self, index: usize) -> Option<usize> {
        self.entry(index)?.parent()
    }

    /// Iterates over the indices of the folders around the item at `index`, innermost first.
    pub(super) fn ancestors(&self, index: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.parent(index), |&above| self.parent(above))
    }

    /// Returns the index after the content of the folder at `index`, including its subfolders; for a bookmark, the
    /// index after it.
    pub fn end(&self, index: usize) -> usize {
        let Some(Item::Folder(own)) = self.item(index) else {
            return index + 1;
        };
        let inside = self.entries.iter().skip(index + 1).take_while(|entry| {
            // The depth of a bookmark is the depth of its folder.
            entry.kind != Kind::Folder || entry.depth() > own.depth
        });
        index + 1 + inside.count()
    }

    /// Returns the number of bookmarks in the folder at `index`, including its subfolders.
    pub fn count(&self, index: usize) -> usize {
        let inside = self.entries.iter().take(self.end(index)).skip(index);
        inside.filter(|entry| entry.kind != Kind::Folder).count()
    }

    /// Returns the names of the folders of the item at `index`, outermost first.
    pub fn folder_of(&self, index: usize) -> Vec<String> {
        let mut names: Vec<String> = self
            .ancestors(index)
            .filter_map(|folder| self.folder(folder))
            .map(|folder| folder.name().to_string())
            .collect();
        names.reverse();
        names
    }

    /// Returns the index of the first folder with this path, outermost name first.
    pub fn folder_at(&self, path: &[String]) -> Option<usize> {
        let mut folders = self.folders().map(|folder| folder.index);
        folders.find(|&index| {
            let names = self.folder_and_ancestors(index);
            let names = names.map(|name| name.to_string());
            names.eq(path.iter().rev().map(String::as_str))
        })
    }

    /// Parses a typed folder path with `/` between the names. The name of an existing folder may contain a `/`.
    pub fn folder_named(&self, typed: &str) -> Vec<String> {
        let typed = typed.trim();
        let mut folders = self.folders();
        let existing = folders.find(|folder| self.is_joined_path(folder.index, typed));
        if let Some(folder) = existing {
            return folder.path();
        }
        let names = typed.split('/').map(str::trim);
        names
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// Returns the names of a folder and of those around it, innermost first.
    fn folder_and_ancestors(&self, index: usize) -> impl Iterator<Item = Text> {
        let indices = std::iter::once(index).chain(self.ancestors(index));
        indices
            .filter_map(|index| self.folder(index))
            .map(|folder| folder.name())
    }

    /// Returns true if `joined` is the path of a folder, with `/` between the names.
    fn is_joined_path(&self, index: usize, joined: &str) -> bool {
        let mut rest = joined;
        let mut names = self.folder_and_ancestors(index).peekable();
        while let Some(name) = names.next() {
            let Some(above) = rest.strip_suffix(name.as_str()) else {
                return false;
            };
            if names.peek().is_none() {
                return above.is_empty();
            }
            let Some(above) = above.strip_suffix('/') else {
                return false;
            };
            rest = above;
        }
        false
    }

    /// Returns for each item the path of a folder, with `separator` between the names; empty for a bookmark.
    pub fn folder_paths(&self, separator: char) -> Vec<String> {
        let mut paths: Vec<String> = Vec::with_capacity(self.len());
        for index in 0..self.len() {
            let own = self.folder(index).map(|folder| {
                let name = folder.name();
                let parent = self.parent(index).and_then(|parent| paths.get(parent));
                parent.map_or(name.to_string(), |parent| {
                    format!("{parent}{separator}{name}")
                })
            });
            paths.push(own.unwrap_or_default());
        }
        paths
    }

    /// Iterates over the folders.
    pub fn folders(&self) -> impl DoubleEndedIterator<Item = Folder<'_>> {
        (0..self.len()).filter_map(|index| self.folder(index))
    }

    /// Returns the number of other lines: neither blank nor folder, bookmark or note.
    pub fn other_lines(&self) -> usize {
        let notes = self
            .bookmarks()
            .flat_map(|one| one.line + 1..self.end_of_notes(one.line));
        // A note may be blank.
        let notes = notes.filter(|&line| !is_blank(self.line(line))).count();
        let blank = (0..self.line_count()).filter(|&line| is_blank(self.line(line)));
        self.line_count()
            .saturating_sub(self.len() + notes + blank.count())
    }

    /// Returns the indices of the bookmarks of a link, however they are written ([`compared_url`]), in the order of the
    /// file.
    pub fn same_as(&self, url: &Url) -> Vec<usize> {
        let url = compared_url(url);
        let key = key_of(url.as_str());
        let alike = self.keys().filter(|&(own, _)| own == key);
        let alike = alike.filter_map(|(_, index)| self.bookmark(index));
        alike
            .filter(|bookmark| bookmark.compared_link() == url.as_str())
            .map(|bookmark| bookmark.index)
            .collect()
    }

    /// Iterates over the keys and the indices of the bookmarks.
    fn keys(&self) -> impl Iterator<Item = (u32, usize)> {
        let keyed = self.entries.iter().enumerate();
        keyed.filter_map(|(index, entry)| Some((entry.key()?, index)))
    }

    /// Returns a filter that is true for the index of a bookmark that may have one of these URLs, without parsing its
    /// URL: there may be false positives, but no bookmark is missed. `urls` are [compared](compared_url) spellings
    /// without passwords; a password in a bookmark is ignored, and so are fragments.
    pub fn may_be_to_any<'a>(&self, urls: impl Iterator<Item = &'a str>) -> impl Fn(usize) -> bool {
        let keys: HashSet<u32> = urls.map(key_of).collect();
        move |index| {
            let entry = self.entry(index).filter(|_| !keys.is_empty());
            entry.is_some_and(|entry| {
                // A URL with a password has a different key.
                let is_that = |own| keys.contains(&own) || self.line(entry.line).contains(&b'@');
                entry.key().is_some_and(is_that)
            })
        }
    }

    /// Returns the indices of duplicate bookmarks, one list per link, sorted by the first index.
    pub fn doubles(&self) -> Vec<Vec<usize>> {
        let mut keyed: Vec<(u32, usize)> = self.keys().collect();
        keyed.sort_unstable();
        let mut doubles: Vec<Vec<usize>> = Vec::new();
        for alike in keyed.chunk_by(|one, other| one.0 == other.0) {
            if alike.len() < 2 {
                continue;
            }
            let mut same: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for bookmark in alike.iter().filter_map(|&(_, index)| self.bookmark(index)) {
                let link = bookmark.compared_link();
                same.entry(link).or_default().push(bookmark.index);
            }
            doubles.extend(same.into_values().filter(|same| same.len() > 1));
        }
        doubles.sort_unstable();
        doubles
    }

    /// Returns the indices of bookmarks that are perhaps of one page, in pairs: the first bookmark of the page, and
    /// each other one. Of several bookmarks of one link the first one is listed.
    pub fn similar(&self) -> Vec<[usize; 2]> {
        let mut pages: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
        for bookmark in self.bookmarks() {
            let link = bookmark.compared_link();
            if let Some(page) = similar_page(&link) {
                let links = pages.entry(page).or_default();
                links.entry(link).or_insert(bookmark.index);
            }
        }
        let groups = pages.into_values().filter(|links| links.len() > 1);
        let pairs = groups.flat_map(|links| {
            let first = links.values().copied().min().unwrap_or_default();
            let others = links.into_values().filter(move |item| *item != first);
            others.map(move |other| [first, other])
        });
        let mut pairs: Vec<[usize; 2]> = pairs.collect();
        pairs.sort_unstable();
        pairs
    }

    /// Returns the bookmarks of each page of these pairs, as they are merged: the first one, and the others.
    pub fn joined(pairs: &[[usize; 2]]) -> Vec<Vec<usize>> {
        let mut pages: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for [first, other] in pairs {
            let page = pages.entry(*first).or_insert_with(|| vec![*first]);
            page.push(*other);
        }
        pages.into_values().collect()
    }

    /// Returns the tags in use, the most used first; equally used tags are in alphabetical order.
    pub fn tags_in_use(&self) -> Vec<String> {
        let mut used: BTreeMap<&[u8], usize> = BTreeMap::new();
        for bookmark in self.bookmarks() {
            for tag in bookmark.parts().tag_octets() {
                *used.entry(tag).or_default() += 1;
            }
        }
        let mut used: Vec<(&[u8], usize)> = used.into_iter().collect();
        used.sort_by_key(|(_, count)| Reverse(*count));
        let tags = used.into_iter();
        tags.map(|(tag, _)| text(tag).to_string()).collect()
    }

    /// Returns the words of a query that select some of the bookmarks by what they have: `#tag`, `host:h.example`,
    /// `folder:Work/Old`; of each kind the most used first, folders in their order. Hosts are those of the first
    /// bookmarks, as all of a long list would take time.
    pub fn query_words(&self) -> Vec<String> {
        let tags = self.tags_in_use().into_iter().map(|tag| format!("#{tag}"));
        let mut used: BTreeMap<String, usize> = BTreeMap::new();
        for bookmark in self.bookmarks().take(MAX_HOSTS_READ) {
            if let Some(host) = bookmark.repaired_url().ok().and_then(|url| node_of(&url)) {
                *used.entry(host).or_default() += 1;
            }
        }
        let mut hosts: Vec<(String, usize)> = used.into_iter().collect();
        hosts.sort_by_key(|(_, count)| Reverse(*count));
        let hosts = hosts.into_iter().take(MAX_HOSTS);
        let hosts = hosts.map(|(host, _)| format!("host:{host}"));
        let folders = self.folder_paths('/').into_iter();
        let folders = folders.filter(|path| !path.is_empty()).map(|path| {
            if path.contains(char::is_whitespace) {
                format!("folder:\"{path}\"")
            } else {
                format!("folder:{path}")
            }
        });
        tags.chain(hosts).chain(folders).collect()
    }
}
