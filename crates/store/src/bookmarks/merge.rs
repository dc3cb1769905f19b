//! Merge of bookmarks that have the same URL.

use geomys_wire::text::Text;

use super::Bookmarks;
use super::change::{Change, Splice};
use super::edit::BookmarkEdit;
use super::line::{is_blank, split};
use super::view::Bookmark;

impl Bookmarks {
    /// Returns the change that merges bookmarks with the same URL, as [`Bookmarks::doubles`] returns them: the first of each list
    /// gets the tags and the notes of the others that it does not have, and a title if it has none; the others are removed.
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
