//! Insertion points: a bookmark gets a line in its folder, a folder a line where no bookmark falls into it.

use super::Bookmarks;
use super::index::Kind;
use super::line::{is_blank, is_indented, one_line};

/// Position at which bookmarks and folders are inserted. Indices are those of [`Bookmarks::items`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InsertPosition {
    /// The end of the file: for top-level folders. A bookmark would be in the last folder there; a bookmark without a
    /// folder goes to [`InsertPosition::Top`].
    End,
    /// The top level: above the first folder.
    Top,
    /// The end of the folder with this path, outermost name first; a missing folder is created. An empty path is
    /// [`InsertPosition::Top`].
    Path(Vec<String>),
    /// The end of the folder at an index: bookmarks go above its subfolders, folders below them.
    Inside(usize),
    /// Before the item at an index. A folder before a bookmark goes to the end of the bookmark's folder.
    Before(usize),
    /// After the item at an index: a bookmark becomes the first in a folder; a folder goes below the content of the
    /// item.
    After(usize),
}

/// Insertion point: a line, with the headings to insert first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InsertionPoint {
    /// Line above which the text is inserted.
    pub(super) line: usize,
    /// Depth of a folder at this point.
    pub(super) depth: usize,
    /// Headings of missing folders.
    pub(super) headings: Vec<u8>,
}

impl Bookmarks {
    /// Returns the insertion point of a bookmark.
    pub(super) fn insertion_point(&self, position: &InsertPosition) -> InsertionPoint {
        let line = match position {
            InsertPosition::End => self.line_count(),
            InsertPosition::Top => self.end_of_section(None),
            InsertPosition::Path(path) => return self.insertion_point_at_path(path, false),
            InsertPosition::Inside(index) => self.end_of_section(Some(*index)),
            InsertPosition::Before(index) => {
                let above = index.checked_sub(1);
                let above = above.filter(|_| self.folder(*index).is_some());
                above.map_or_else(|| self.line_of(*index), |above| self.line_below(above))
            }
            InsertPosition::After(index) => self.line_below(*index),
        };
        InsertionPoint {
            line: self.below_notes(line),
            depth: 0,
            headings: Vec::new(),
        }
    }

    /// Returns the insertion point of a folder.
    pub(super) fn folder_insertion_point(&self, position: &InsertPosition) -> InsertionPoint {
        let (line, depth) = match position {
            InsertPosition::End => (self.line_count(), 1),
            InsertPosition::Top => self.below_section(None),
            InsertPosition::Path(path) => return self.insertion_point_at_path(path, true),
            InsertPosition::Inside(index) => match self.folder(*index) {
                Some(folder) => (self.end_of_folder(*index), folder.depth + 1),
                None => self.below_section(self.parent(*index)),
            },
            InsertPosition::Before(index) => match self.folder(*index) {
                Some(folder) => (self.start_of_folder(*index), folder.depth),
                None => self.below_section(self.parent(*index)),
            },
            InsertPosition::After(index) => match self.folder(*index) {
                Some(folder) => (self.end_of_folder(*index), folder.depth),
                None => self.below_section(self.parent(*index)),
            },
        };
        InsertionPoint {
            line: self.below_notes(line),
            depth,
            headings: Vec::new(),
        }
    }

    /// Returns the insertion point at the end of a folder by its path; missing folders are created.
    fn insertion_point_at_path(&self, path: &[String], is_folder: bool) -> InsertionPoint {
        let (existing, folder) = self.longest_existing(path);
        if existing == path.len() {
            let position = folder.map_or(InsertPosition::Top, InsertPosition::Inside);
            return if is_folder {
                self.folder_insertion_point(&position)
            } else {
                self.insertion_point(&position)
            };
        }
        let outer = folder.and_then(|index| self.folder(index));
        let line = folder.map_or(self.line_count(), |index| self.end_of_folder(index));
        let line = self.below_notes(line);
        let mut depth = outer.map_or(0, |outer| outer.depth);
        let mut headings = Vec::new();
        if self.needs_blank(line.checked_sub(1)) {
            headings.extend_from_slice(self.ending());
        }
        for name in path.iter().skip(existing) {
            depth += 1;
            headings.extend_from_slice(&self.heading(name, depth));
        }
        InsertionPoint {
            line,
            depth: depth + 1,
            headings,
        }
    }

    /// Returns the number of the names of a path, from its start, that are an existing folder, and the index of that
    /// folder.
    pub(super) fn longest_existing(&self, path: &[String]) -> (usize, Option<usize>) {
        let mut starts = (1..=path.len()).rev();
        let longest = starts.find_map(|count| Some((count, self.folder_at(path.get(..count)?)?)));
        longest.map_or((0, None), |(count, folder)| (count, Some(folder)))
    }

    /// Formats a heading as a line.
    pub(super) fn heading(&self, name: &str, depth: usize) -> Vec<u8> {
        let name = one_line(name);
        let hashes = b"#".repeat(depth);
        [&hashes, &b" "[..], name.as_bytes(), self.ending()].concat()
    }

    /// Returns true if a line is not blank, so that a heading needs a blank line in between.
    pub(super) fn needs_blank(&self, line: Option<usize>) -> bool {
        line.is_some_and(|line| line < self.line_count() && !is_blank(self.line(line)))
    }

    /// Returns the line below an item: below a bookmark's notes, or below a heading.
    fn line_below(&self, index: usize) -> usize {
        match self.entry(index) {
            Some(entry) if entry.kind == Kind::Folder => entry.line + 1,
            Some(entry) => self.end_of_notes(entry.line),
            None => self.line_count(),
        }
    }

    /// Returns the line below the last bookmark directly in a folder. Without such a bookmark, the line below the
    /// heading, or at the top level the line of the first heading.
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

    /// Returns the line and the depth of a new first subfolder of a folder.
    fn below_section(&self, folder: Option<usize>) -> (usize, usize) {
        let depth = folder.and_then(|folder| self.folder(folder));
        let depth = depth.map_or(0, |folder| folder.depth);
        let next = self.next_folder(folder.map_or(0, |folder| folder + 1));
        // Headings may skip a depth: the next folder must not fall into the new one.
        let beside = self.folder(next).map(|next| next.depth);
        let beside = beside.filter(|&beside| beside > depth);
        (self.start_of_folder(next), beside.unwrap_or(depth + 1))
    }

    /// Returns the line below the last bookmark or heading of a folder.
    pub(super) fn end_of_content(&self, index: usize) -> usize {
        self.line_below(self.end(index) - 1)
    }

    /// Returns the line below the content of a folder, and below the lines without a URL after it, as far as they are
    /// not those of the next folder.
    pub(super) fn end_of_folder(&self, index: usize) -> usize {
        let content = self.end_of_content(index);
        let next = self.start_of_folder(self.end(index));
        let mut lines = (content..next).rev();
        let last = lines.find(|&line| !is_blank(self.line(line)));
        last.map_or(content, |last| last + 1)
    }

    /// Returns the first of the lines without a URL that stand above the heading of a folder, and below a blank line;
    /// the line of the heading if there are none. Those at the top are about the file.
    pub(super) fn start_of_folder(&self, index: usize) -> usize {
        let heading = self.line_of(index);
        let is_comment = |&line: &usize| {
            !is_blank(self.line(line))
                && !is_indented(self.line(line))
                && self.on_line(line).is_none()
        };
        let comments = (0..heading).rev().take_while(is_comment).count();
        let start = heading - comments;
        let above = start.checked_sub(1).map(|above| self.line(above));
        if above.is_some_and(is_blank) {
            start
        } else {
            heading
        }
    }

    /// Returns the index of the next folder from an item on; the number of items if there is none.
    fn next_folder(&self, from: usize) -> usize {
        let entries = self.entries.get(from..).unwrap_or_default();
        let folder = entries.iter().position(|entry| entry.kind == Kind::Folder);
        folder.map_or(self.len(), |after| from + after)
    }

    /// Returns the line of an item; the number of lines after the last item.
    pub(super) fn line_of(&self, index: usize) -> usize {
        self.entry(index)
            .map_or(self.line_count(), |entry| entry.line)
    }
}
