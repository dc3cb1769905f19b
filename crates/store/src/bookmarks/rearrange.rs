//! Changes of several items: removing, moving, copying, and merging those that have the same URL.
//!
//! A bookmark includes its notes, a folder its content. A selected item inside a selected folder is moved with the
//! folder.

use std::ops::Range;

use geomys_wire::text::Text;

use super::Bookmarks;
use super::change::{Change, Splice};
use super::edit::BookmarkEdit;
use super::line::{is_blank, is_indented, split, trim_end};
use super::position::InsertPosition;
use super::view::{Bookmark, Item};

impl Bookmarks {
    /// Returns the change that removes the items at these indices.
    pub fn removing(&self, items: &[usize]) -> Change {
        let selected = self.selected(items).into_iter();
        Change::new(self.removal_splices(selected.map(|index| self.line_range(index))))
    }

    /// Returns the change that moves the items at these indices, in the order of the file; `None` if a folder would
    /// move into itself.
    pub fn moving(&self, items: &[usize], position: &InsertPosition) -> Option<Change> {
        let selected = self.selected(items);
        if selected
            .iter()
            .any(|&index| self.is_within(position, index))
        {
            return None;
        }
        let blocks = selected.iter().map(|&index| self.block(index)).collect();
        Some(self.moved(&selected, blocks, position))
    }

    /// Returns the change that edits and moves the bookmark at an index; `None` if there is none.
    pub fn revising(
        &self,
        index: usize,
        edit: &BookmarkEdit,
        position: &InsertPosition,
    ) -> Option<Change> {
        let bookmark = self.bookmark(index)?;
        let block = ItemLines {
            depth: 0,
            lines: self.edited(&bookmark, edit),
        };
        Some(self.moved(&[index], vec![block], position))
    }

    /// Copies the items at these indices to a bookmark file of their own: first the bookmarks, then the folders.
    #[must_use]
    pub fn copying(&self, items: &[usize]) -> Self {
        let selected = self.selected(items).into_iter();
        let (bookmarks, folders) = self.gathered(selected.map(|index| self.block(index)).collect());
        Self::of([bookmarks, folders].concat())
    }

    /// Returns the change that inserts all bookmarks and folders of another file, without the other lines above the
    /// first item.
    pub fn pasting(&self, from: &Self, position: &InsertPosition) -> Change {
        let all: Vec<usize> = (0..from.len()).collect();
        let blocks = from.selected(&all).into_iter().map(|index| {
            let mut block = from.block(index);
            let lines = split(&block.lines).flat_map(|line| [trim_end(line), self.ending()]);
            block.lines = lines.collect::<Vec<_>>().concat();
            block
        });
        let blocks = blocks.collect();
        Change::new(self.insertion_splices(blocks, position, &[]))
    }

    fn moved(&self, selected: &[usize], blocks: Vec<ItemLines>, at: &InsertPosition) -> Change {
        let ranges = selected.iter().map(|&index| self.moved_range(index));
        let mut splices = self.removal_splices(ranges);
        let mut put = self.insertion_splices(blocks, at, &splices);
        for splice in &mut put {
            let mut taken = splices.iter();
            // The end of a folder may be within the blank lines that are removed with its last subfolder.
            if let Some(taken) =
                taken.find(|taken| (taken.at + 1..taken.end()).contains(&splice.at))
            {
                let inserted = std::mem::take(&mut splice.inserted);
                *splice = Splice::new(self, taken.end(), 0, inserted);
            }
        }
        splices.append(&mut put);
        Change::new(splices)
    }

    /// Sorts the items in the order of the file, and drops those inside another selected item.
    fn selected(&self, items: &[usize]) -> Vec<usize> {
        let mut items: Vec<usize> = items.to_vec();
        items.sort_unstable();
        let mut from = 0;
        items.retain(|&index| {
            let stays = index >= from && index < self.len();
            if stays {
                from = self.end(index);
            }
            stays
        });
        items
    }

    fn removal_splices(&self, ranges: impl Iterator<Item = Range<usize>>) -> Vec<Splice> {
        ranges
            .map(|lines| Splice::new(self, lines.start, lines.len(), []))
            .collect()
    }

    /// Returns the range of lines of an item: a bookmark and its notes, or a folder and its content, with the following
    /// blank lines and indented lines.
    fn line_range(&self, index: usize) -> Range<usize> {
        let start = self.line_of(index);
        if self.folder(index).is_none() {
            return start..self.end_of_notes(start);
        }
        start..self.below_blanks(self.end_of_content(index))
    }

    /// Returns the range of lines that a moved item takes along: for a folder those of [`Self::line_range`], and the
    /// lines without a URL that belong to it.
    fn moved_range(&self, index: usize) -> Range<usize> {
        if self.folder(index).is_none() {
            return self.line_range(index);
        }
        let (start, content) = (self.start_of_folder(index), self.end_of_folder(index));
        let end = self.below_blanks(content);
        let is_text = end < self.line_count() && self.on_line(end).is_none();
        let parts = is_text && self.needs_blank(start.checked_sub(1));
        let has_blank = end > content && !is_indented(self.line(end - 1));
        // What is left above and below stays apart: the comments of the next folder are its own.
        start..end - usize::from(parts && has_blank)
    }

    /// Returns the line below the blank lines from a line on, and below indented ones, which would become notes of
    /// another bookmark.
    fn below_blanks(&self, from: usize) -> usize {
        let below = (from..self.line_count()).map(|line| self.line(line));
        let more = below.take_while(|line| is_blank(line) || is_indented(line));
        from + more.count()
    }

    fn block(&self, index: usize) -> ItemLines {
        ItemLines {
            depth: self.folder(index).map_or(0, |folder| folder.depth),
            lines: self.lines(self.moved_range(index)).to_vec(),
        }
    }

    fn insertion_splices(
        &self,
        blocks: Vec<ItemLines>,
        position: &InsertPosition,
        taken: &[Splice],
    ) -> Vec<Splice> {
        let (bookmarks, folders) = self.gathered(blocks);
        let mut splices: Vec<Splice> = self.putting(&bookmarks, position).into_iter().collect();
        if !folders.is_empty() {
            let mut put = self.putting_folder(folders, position, taken);
            let headings = self.folder_insertion_point(position).headings;
            if !splices.is_empty() && !headings.is_empty() {
                // The bookmarks have created the missing folder already.
                let rest = put.inserted.get(headings.len()..).unwrap_or_default();
                put.inserted = [self.ending(), rest].concat().into();
            }
            splices.push(put);
        }
        splices
    }

    /// Returns the lines of the bookmarks and the lines of the folders, with all folders at depth 1. They are separate,
    /// as a bookmark below a heading would be in that folder.
    fn gathered(&self, blocks: Vec<ItemLines>) -> (Vec<u8>, Vec<u8>) {
        let mut bookmarks = Vec::new();
        let mut folders = Vec::new();
        for block in blocks {
            if block.depth > 0 {
                folders.extend(self.at_depth(block.lines, block.depth, 1));
            } else {
                // An indented line would be a note.
                bookmarks.extend_from_slice(block.lines.trim_ascii_start());
                self.end_line(&mut bookmarks);
            }
        }
        (bookmarks, folders)
    }

    /// Returns the splice that inserts folders of depth 1 and their content at a position, with its depth and with
    /// blank lines around them. `taken` are the splices that remove lines in the same change.
    pub(super) fn putting_folder(
        &self,
        lines: Vec<u8>,
        position: &InsertPosition,
        taken: &[Splice],
    ) -> Splice {
        let point = self.folder_insertion_point(position);
        let mut text = point.headings.clone();
        if text.is_empty() && self.needs_blank(point.line.checked_sub(1)) {
            text.extend_from_slice(self.ending());
        }
        text.extend(self.at_depth(lines, 1, point.depth));
        while text.ends_with(b"\n\n") || text.ends_with(b"\n\r\n") {
            text.truncate(trim_end(&text).len());
        }
        let below = taken
            .iter()
            .fold(point.line, |below, taken| match taken.at {
                at if at <= below => below.max(taken.end()),
                _ => below,
            });
        if self.needs_blank(Some(below)) {
            text.extend_from_slice(self.ending());
        }
        Splice::new(self, point.line, 0, text)
    }

    /// Returns the lines of a folder moved from one depth to another.
    fn at_depth(&self, mut lines: Vec<u8>, from: usize, to: usize) -> Vec<u8> {
        self.end_line(&mut lines);
        if from == to {
            return lines;
        }
        let file = Self::of(lines);
        let mut lines = Vec::with_capacity(file.octets().len());
        for (number, mut line) in split(file.octets()).enumerate() {
            if let Some(Item::Folder(folder)) = file.on_line(number) {
                let depth = (folder.depth + to).saturating_sub(from).max(1);
                lines.extend(b"#".repeat(depth));
                line = line.get(folder.depth..).unwrap_or_default();
            }
            lines.extend_from_slice(line);
        }
        lines
    }

    /// Returns true if a position is in the folder at an index.
    fn is_within(&self, position: &InsertPosition, index: usize) -> bool {
        if self.folder(index).is_none() {
            return false;
        }
        let own = index..self.end(index);
        match position {
            InsertPosition::End | InsertPosition::Top => false,
            InsertPosition::Inside(at) => own.contains(at),
            InsertPosition::Before(at) | InsertPosition::After(at) => {
                (index + 1..own.end).contains(at)
            }
            InsertPosition::Path(path) => {
                let (_, existing) = self.longest_existing(path);
                existing.is_some_and(|at| own.contains(&at))
            }
        }
    }
}

/// Lines of an item.
struct ItemLines {
    /// Depth of the folder; 0 for a bookmark.
    depth: usize,
    lines: Vec<u8>,
}

impl Bookmarks {
    /// Returns the change that merges bookmarks with the same URL, as [`Bookmarks::doubles`] returns them: the first of
    /// each list gets the tags and the notes of the others that it does not have, and a title if it has none; the
    /// others are removed.
    pub fn merging(&self, doubles: &[Vec<usize>]) -> Change {
        let splices = doubles.iter().filter_map(|same| {
            let mut same = same.iter().filter_map(|&index| self.bookmark(index));
            let first = same.next()?;
            let copies: Vec<Bookmark<'_>> = same.collect();
            let lines = self.merged_lines(&first, &copies);
            let count = self.end_of_notes(first.line) - first.line;
            Some(Splice::new(self, first.line, count, lines))
        });
        let copies = doubles.iter().flat_map(|same| same.iter().skip(1));
        let copies: Vec<usize> = copies.copied().collect();
        Change::new(splices.collect()).and(self.removing(&copies))
    }

    /// Returns the line of a bookmark, and its notes, with what its copies add.
    fn merged_lines(&self, first: &Bookmark<'_>, copies: &[Bookmark<'_>]) -> Vec<u8> {
        let edit = BookmarkEdit {
            title: merged_title(first, copies),
            tags: Some(merged_tags(first, copies)),
            ..BookmarkEdit::default()
        };
        let mut lines = self.edited(first, &edit);
        for note in copies.iter().flat_map(|copy| self.note_lines(copy)) {
            let is_there = |line: &[u8]| line.trim_ascii() == note.trim_ascii();
            if !is_blank(note) && !split(&lines).skip(1).any(is_there) {
                // The line above may be the last of the file, without a line end.
                self.end_line(&mut lines);
                lines.extend_from_slice(note);
            }
        }
        lines
    }

    fn note_lines(&self, bookmark: &Bookmark<'_>) -> impl Iterator<Item = &[u8]> {
        let notes = bookmark.line + 1..self.end_of_notes(bookmark.line);
        split(self.lines(notes))
    }
}

/// Returns the first title of the copies if the first bookmark has none.
fn merged_title(first: &Bookmark<'_>, copies: &[Bookmark<'_>]) -> Option<String> {
    let titles = || copies.iter().map(Bookmark::title);
    let title = titles().find(|title| !title.is_blank())?;
    first.title().is_blank().then(|| title.to_string())
}

/// Returns all tags, each once.
fn merged_tags(first: &Bookmark<'_>, copies: &[Bookmark<'_>]) -> Vec<String> {
    let mut tags: Vec<String> = first.tags().iter().map(Text::to_string).collect();
    for tag in copies.iter().flat_map(Bookmark::tags) {
        if !tags.iter().any(|one| one == tag.as_str()) {
            tags.push(tag.to_string());
        }
    }
    tags
}
