//! Items looked up: by place, by folder, by URL.

use std::collections::HashSet;

use super::Bookmarks;
use super::index::{Kind, key, key_of};
use super::line::{Parts, is_blank, tag, trim_end, words};
use super::view::{Bookmark, Folder, Item};
use crate::text::{Charset, Text};
use crate::url::Url;

impl Bookmarks {
    /// Folders and bookmarks in the order of the file.
    pub fn items(&self) -> impl DoubleEndedIterator<Item = Item<'_>> + ExactSizeIterator {
        let entries = self.entries.iter().enumerate();
        entries.map(|(index, entry)| Item::new(self, index, entry))
    }

    /// The item at an index.
    pub fn item(&self, index: usize) -> Option<Item<'_>> {
        let entry = self.entry(index)?;
        Some(Item::new(self, index, entry))
    }

    /// The item on a line, from 0; a note is none.
    pub fn on_line(&self, line: usize) -> Option<Item<'_>> {
        let found = self.entries.binary_search_by_key(&line, |entry| entry.line);
        self.item(found.ok()?)
    }

    /// The bookmarks alone.
    pub fn bookmarks(&self) -> impl DoubleEndedIterator<Item = Bookmark<'_>> {
        self.items().filter_map(|item| match item {
            Item::Bookmark(bookmark) => Some(bookmark),
            Item::Folder(_) => None,
        })
    }

    /// The bookmark at an index; nothing where a folder is.
    pub fn bookmark(&self, index: usize) -> Option<Bookmark<'_>> {
        match self.item(index)? {
            Item::Bookmark(bookmark) => Some(bookmark),
            Item::Folder(_) => None,
        }
    }

    /// The folder at an index; nothing where a bookmark is.
    pub fn folder(&self, index: usize) -> Option<Folder<'_>> {
        match self.item(index)? {
            Item::Folder(folder) => Some(folder),
            Item::Bookmark(_) => None,
        }
    }

    /// The index of the folder that an item is in.
    pub fn parent(&self, index: usize) -> Option<usize> {
        self.entry(index)?.parent()
    }

    /// The index behind all that is in the folder at `index`, folders in it included; behind the item itself where it
    /// is a bookmark.
    pub fn end(&self, index: usize) -> usize {
        let Some(Item::Folder(own)) = self.item(index) else {
            return index + 1;
        };
        let inside = self.entries.iter().skip(index + 1).take_while(|entry| {
            // A bookmark's depth is that of its folder.
            entry.kind != Kind::Folder || entry.depth() > own.depth
        });
        index + 1 + inside.count()
    }

    /// How many bookmarks are in the folder at `index`, those of its folders included.
    pub fn count(&self, index: usize) -> usize {
        let inside = self.entries.get(index..self.end(index));
        inside.map_or(0, |inside| {
            let bookmarks = inside.iter().filter(|entry| entry.kind != Kind::Folder);
            bookmarks.count()
        })
    }

    /// The names of the folders that the item at `index` is in, outermost first.
    pub fn folder_of(&self, index: usize) -> Vec<String> {
        let folders = std::iter::successors(self.parent(index), |&above| self.parent(above));
        let mut names: Vec<String> = folders
            .filter_map(|folder| self.folder(folder))
            .map(|folder| folder.name().to_string())
            .collect();
        names.reverse();
        names
    }

    /// The first folder with this path, outermost name first.
    pub fn folder_at(&self, path: &[String]) -> Option<usize> {
        let mut folders = self.folders();
        folders
            .find(|folder| {
                path.last()
                    .is_some_and(|name| folder.name().as_str() == name)
                    && folder.path() == path
            })
            .map(|folder| folder.index)
    }

    /// The folder that a person names, `/` between a folder and one inside it. The name of one that is there may hold a
    /// `/` of its own.
    pub fn folder_named(&self, typed: &str) -> Vec<String> {
        let mut known = self.folders().map(|folder| folder.path());
        known
            .find(|path| path.join("/") == typed.trim())
            .unwrap_or_else(|| {
                let names = typed.split('/').map(str::trim);
                names
                    .filter(|name| !name.is_empty())
                    .map(str::to_owned)
                    .collect()
            })
    }

    /// The folders alone.
    pub fn folders(&self) -> impl DoubleEndedIterator<Item = Folder<'_>> {
        self.items().filter_map(|item| match item {
            Item::Folder(folder) => Some(folder),
            Item::Bookmark(_) => None,
        })
    }

    /// How many lines there are on which something stands that is no folder, no bookmark and no note.
    pub fn other_lines(&self) -> usize {
        let notes = self
            .bookmarks()
            .map(|one| self.end_of_notes(one.line) - one.line - 1);
        let blank = (0..self.line_count()).filter(|&line| is_blank(self.line(line)));
        let notes: usize = notes.sum();
        // A note may be blank.
        self.line_count()
            .saturating_sub(self.len() + notes + blank.count())
    }

    /// The indices of the bookmarks whose URL is the same place ([`Url::same_place`]), in the order of the file.
    pub fn same_as(&self, url: &Url) -> Vec<usize> {
        let wanted = Kind::Bookmark(key(url));
        let alike = self.entries.iter().enumerate();
        alike
            .filter(|(_, entry)| entry.kind == wanted)
            .map(|(index, _)| index)
            .filter(|&index| self.url_of(index).is_some_and(|own| own.same_place(url)))
            .collect()
    }

    /// Tells of an index whether a bookmark may be there to any of these places, without reading its URL: others may seem
    /// to be, none is missed. The places are canonical spellings without passwords; one in a bookmark does not tell it
    /// apart.
    pub fn may_be_to_any<'a>(
        &self,
        places: impl Iterator<Item = &'a str>,
    ) -> impl Fn(usize) -> bool {
        let keys: HashSet<u32> = places.map(key_of).collect();
        move |index| match self.entry(index) {
            // One with a password has a key of its own.
            Some(entry) => match entry.kind {
                Kind::Bookmark(own) if !keys.is_empty() => {
                    keys.contains(&own) || self.line(entry.line).contains(&b'@')
                }
                Kind::Bookmark(_) | Kind::Folder | Kind::Fault => false,
            },
            None => false,
        }
    }

    /// The bookmarks of which there is more than one to the same place: their indices, a list a place, by the first.
    pub fn doubles(&self) -> Vec<Vec<usize>> {
        let keyed = self.entries.iter().enumerate();
        let mut keyed: Vec<(u32, usize)> = keyed
            .filter_map(|(index, entry)| match entry.kind {
                Kind::Bookmark(key) => Some((key, index)),
                Kind::Folder | Kind::Fault => None,
            })
            .collect();
        keyed.sort_unstable();
        let mut doubles: Vec<Vec<usize>> = Vec::new();
        for alike in keyed.chunk_by(|one, other| one.0 == other.0) {
            if let [(_, first), _, ..] = alike
                && let Some(url) = self.url_of(*first)
            {
                let same = alike.iter().map(|(_, index)| *index);
                let same = same
                    .filter(|&index| self.url_of(index).is_some_and(|own| own.same_place(&url)));
                doubles.push(same.collect());
            }
        }
        doubles.retain(|same| same.len() > 1);
        doubles.sort_unstable();
        doubles
    }

    /// The tags in use, each once, the most used first; those that are used as often stand by the alphabet.
    pub fn tags_in_use(&self) -> Vec<String> {
        let mut tags: Vec<&[u8]> = Vec::new();
        for entry in self.entries.iter() {
            if entry.kind != Kind::Folder
                && let Some(parts) = Parts::of(trim_end(self.line(entry.line)))
            {
                tags.extend(words(parts.rest).filter_map(tag));
            }
        }
        tags.sort_unstable();
        let mut used: Vec<(usize, &[u8])> = Vec::new();
        for same in tags.chunk_by(|one, other| one == other) {
            used.extend(same.first().map(|tag| (same.len(), *tag)));
        }
        used.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let texts = used.into_iter();
        texts
            .map(|(_, tag)| Text::new(tag, Charset::default()).to_string())
            .collect()
    }
    fn url_of(&self, index: usize) -> Option<Url> {
        self.bookmark(index)?.url().ok()
    }
}
