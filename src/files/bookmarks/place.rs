//! Where things are put: a bookmark on its line, a folder where no bookmark falls into it.

use super::Bookmarks;
use super::index::Kind;
use super::line::{is_blank, one_line};

/// Where bookmarks and folders go. Indices are those of [`Bookmarks::items`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The end of the file: where folders go that are in no other. A bookmark would be in the last folder there; one that is
    /// in no folder goes to [`Place::Top`].
    End,
    /// In no folder: above the first one.
    Top,
    /// The end of a folder, which is made when it is missing; outermost name first. An empty path is [`Place::Top`].
    Path(Vec<String>),
    /// The end of the folder at an index: a bookmark above the folders in it, a folder below them.
    Inside(usize),
    /// Before an item. A folder goes to the end of the folder that a bookmark is in.
    Before(usize),
    /// After an item: a bookmark is then the first in a folder; a folder stands below all that is in it.
    After(usize),
}

/// A line, and what must stand above what is put there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Landing {
    /// What is put in stands above this line.
    pub(super) line: usize,
    /// How deep a folder is that is put there.
    pub(super) depth: usize,
    /// The headings of the folders that are missing.
    pub(super) headings: Vec<u8>,
}

impl Bookmarks {
    /// Where a bookmark goes.
    pub(super) fn landing(&self, place: &Place) -> Landing {
        let line = match place {
            Place::End => self.line_count(),
            Place::Top => self.end_of_section(None),
            Place::Path(path) => return self.landing_in(path, false),
            Place::Inside(index) => self.end_of_section(Some(*index)),
            Place::Before(index) => match self.entry(*index) {
                Some(entry) if entry.kind == Kind::Folder => match index.checked_sub(1) {
                    Some(above) => self.line_below(above),
                    None => entry.line,
                },
                Some(entry) => entry.line,
                None => self.line_count(),
            },
            Place::After(index) => self.line_below(*index),
        };
        Landing {
            line: self.below_notes(line),
            depth: 0,
            headings: Vec::new(),
        }
    }

    /// Where a folder goes.
    pub(super) fn landing_of_folder(&self, place: &Place) -> Landing {
        let (line, depth) = match place {
            Place::End => (self.line_count(), 1),
            Place::Top => self.below_section(None),
            Place::Path(path) => return self.landing_in(path, true),
            Place::Inside(index) => match self.folder(*index) {
                Some(folder) => (self.end_of_folder(*index), folder.depth + 1),
                None => self.below_section(self.parent(*index)),
            },
            Place::Before(index) => match self.folder(*index) {
                Some(folder) => (folder.line, folder.depth),
                None => self.below_section(self.parent(*index)),
            },
            Place::After(index) => match self.folder(*index) {
                Some(folder) => (self.end_of_folder(*index), folder.depth),
                None => self.below_section(self.parent(*index)),
            },
        };
        Landing {
            line: self.below_notes(line),
            depth,
            headings: Vec::new(),
        }
    }

    /// The end of a folder by its path; what is missing of it is made.
    fn landing_in(&self, path: &[String], is_folder: bool) -> Landing {
        let there = (0..=path.len()).rev().find_map(|known| {
            let (path, _) = path.split_at_checked(known)?;
            if path.is_empty() {
                return Some((0, None));
            }
            Some((known, Some(self.folder_at(path)?)))
        });
        let (known, folder) = there.unwrap_or_default();
        if known == path.len() {
            let place = folder.map_or(Place::Top, Place::Inside);
            return if is_folder {
                self.landing_of_folder(&place)
            } else {
                self.landing(&place)
            };
        }
        let outer = folder.and_then(|index| self.folder(index));
        let line = folder.map_or(self.line_count(), |index| self.end_of_folder(index));
        let line = self.below_notes(line);
        let mut depth = outer.map_or(0, |outer| outer.depth);
        let mut headings = Vec::new();
        if self.wants_blank(line.checked_sub(1)) {
            headings.extend_from_slice(self.ending());
        }
        for name in path.iter().skip(known) {
            depth += 1;
            headings.extend_from_slice(&self.heading(name, depth));
        }
        Landing {
            line,
            depth: depth + 1,
            headings,
        }
    }

    /// A heading as a line.
    pub(super) fn heading(&self, name: &str, depth: usize) -> Vec<u8> {
        let name = one_line(name);
        [
            b"#".repeat(depth).as_slice(),
            b" ",
            name.as_bytes(),
            self.ending(),
        ]
        .concat()
    }

    /// Whether something stands on a line, so that a heading wants a blank line between.
    pub(super) fn wants_blank(&self, line: Option<usize>) -> bool {
        line.is_some_and(|line| line < self.line_count() && !is_blank(self.line(line)))
    }

    /// The line below an item: below a bookmark's notes, or a heading.
    fn line_below(&self, index: usize) -> usize {
        match self.entry(index) {
            Some(entry) if entry.kind == Kind::Folder => entry.line + 1,
            Some(entry) => self.end_of_notes(entry.line),
            None => self.line_count(),
        }
    }

    /// The line below the last bookmark of a folder, folders in it not counted. Where there is none, the line below the
    /// heading, or of the first heading.
    fn end_of_section(&self, folder: Option<usize>) -> usize {
        let first = folder.map_or(0, |folder| folder + 1);
        let end = self.next_folder(first);
        if end > first {
            return self.line_below(end - 1);
        }
        match folder {
            Some(folder) => self.line_below(folder),
            None => self.line_of(end),
        }
    }

    /// Where a folder goes that is to stand in another above all folders there, and how deep it is then.
    fn below_section(&self, folder: Option<usize>) -> (usize, usize) {
        let depth = folder.and_then(|folder| self.folder(folder));
        let depth = depth.map_or(0, |folder| folder.depth);
        let next = self.next_folder(folder.map_or(0, |folder| folder + 1));
        // Headings may leave a depth out: the next one must not fall into the new one.
        let beside = self.folder(next).map(|next| next.depth);
        let beside = beside.filter(|&beside| beside > depth);
        (self.line_of(next), beside.unwrap_or(depth + 1))
    }

    /// The line below all that is in a folder.
    pub(super) fn end_of_folder(&self, index: usize) -> usize {
        self.line_below(self.end(index) - 1)
    }

    /// The next folder from an item on; the count of all items where there is none.
    fn next_folder(&self, from: usize) -> usize {
        let entries = self.entries.iter().enumerate().skip(from);
        let mut folders = entries.filter(|(_, entry)| entry.kind == Kind::Folder);
        folders.next().map_or(self.len(), |(index, _)| index)
    }

    /// The line of an item; the count of all lines behind the last.
    fn line_of(&self, index: usize) -> usize {
        self.entry(index)
            .map_or(self.line_count(), |entry| entry.line)
    }
}
