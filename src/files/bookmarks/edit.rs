//! Bookmarks added and edited, folders named.

use super::Bookmarks;
use super::change::{Change, Splice};
use super::line::{Parts, end_of, one_line, tag, trim_end, words};
use super::place::Place;
use super::view::{Bookmark, Item};
use crate::text::Text;
use crate::url::{Url, encoded, folded};

/// A bookmark as a person wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// What it is called; may be empty.
    pub title: String,
    /// Its URL.
    pub url: Url,
    /// Its tags, without the `#`.
    pub tags: Vec<String>,
    /// Its notes, a line each.
    pub notes: Vec<String>,
}

/// What is to be another in a bookmark; what is nothing stays as it stands in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// What it is called.
    pub title: Option<String>,
    /// Its URL.
    pub url: Option<Url>,
    /// Its URL as it is to stand in the file, fault and all, where `url` is nothing.
    pub as_written: Option<String>,
    /// All of its tags, without the `#`.
    pub tags: Option<Vec<String>>,
    /// All of its notes, a line each; one that is blank is left out.
    pub notes: Option<Vec<String>>,
}

impl Bookmarks {
    /// New bookmarks, in this order.
    pub fn adding(&self, drafts: &[Draft], place: &Place) -> Change {
        let mut lines = Vec::new();
        for draft in drafts {
            self.push_draft(draft, draft.url.as_str(), &mut lines);
        }
        Change::new(self.putting(&lines, place).into_iter().collect())
    }

    /// A new bookmark whose URL is to stand there as it was written, fault and all; that of the draft is not looked at.
    pub fn adding_as_written(&self, draft: &Draft, written: &str, place: &Place) -> Change {
        let mut lines = Vec::new();
        self.push_draft(draft, &on_one_line(written), &mut lines);
        Change::new(self.putting(&lines, place).into_iter().collect())
    }

    fn push_draft(&self, draft: &Draft, url: &str, lines: &mut Vec<u8>) {
        let title = one_line(&draft.title);
        lines.extend_from_slice(title.as_bytes());
        if !title.is_empty() {
            lines.push(b' ');
        }
        lines.extend_from_slice(&wrapped(url));
        push_tags(&draft.tags, lines);
        lines.extend_from_slice(self.ending());
        self.push_notes(&draft.notes, lines);
    }

    /// Bookmarks edited where they are: their indices, and what is to be another. What is no bookmark is left out, and
    /// so is what would stay the same.
    pub fn editing(&self, edits: &[(usize, Edit)]) -> Change {
        let mut splices: Vec<Splice> = Vec::with_capacity(edits.len());
        for (index, edit) in edits {
            let Some(bookmark) = self.bookmark(*index) else {
                continue;
            };
            splices.push(match self.edited_notes(&bookmark, edit) {
                Some(_) => {
                    let count = self.end_of_notes(bookmark.line) - bookmark.line;
                    Splice::new(self, bookmark.line, count, self.edited(&bookmark, edit))
                }
                None => {
                    let line = self.edited_line(&bookmark, edit);
                    Splice::new(self, bookmark.line, 1, line)
                }
            });
        }
        splices.sort_by_key(|splice| splice.at);
        splices.dedup_by_key(|splice| splice.at);
        Change::new(splices)
    }

    /// A new folder without anything in it; nothing when the name is blank.
    pub fn adding_folder(&self, name: &str, place: &Place) -> Option<Change> {
        if name.trim().is_empty() {
            return None;
        }
        let splice = self.putting_folder(&self.heading(name, 1), place, &[]);
        Some(Change::new(vec![splice]))
    }

    /// Another name for the folder at an index; nothing when there is none, or the name is blank.
    pub fn renaming(&self, index: usize, name: &str) -> Option<Change> {
        let folder = self.folder(index)?;
        if name.trim().is_empty() {
            return None;
        }
        if folder.name().as_str() == name {
            return Some(Change::default());
        }
        let old = self.line(folder.line);
        let mut new = self.heading(name, folder.depth);
        new.truncate(trim_end(&new).len());
        new.extend_from_slice(end_of(old));
        Some(Change::new(vec![Splice::new(self, folder.line, 1, new)]))
    }

    /// New lines for bookmarks put in their place.
    pub(super) fn putting(&self, lines: &[u8], place: &Place) -> Option<Splice> {
        if lines.is_empty() {
            return None;
        }
        let landing = self.landing(place);
        let mut text = [&landing.headings, lines].concat();
        let is_first = match self.item(0) {
            Some(Item::Folder(first)) => first.line == landing.line,
            Some(Item::Bookmark(_)) | None => false,
        };
        // The first that is in no folder does not stand right above one.
        if is_first && landing.headings.is_empty() {
            text.extend_from_slice(self.ending());
        }
        Some(Splice::new(self, landing.line, 0, text))
    }

    /// A bookmark with another title, URL, tags or notes: its line and those of its notes.
    pub(super) fn edited(&self, bookmark: &Bookmark<'_>, edit: &Edit) -> Vec<u8> {
        let mut lines = self.edited_line(bookmark, edit);
        match self.edited_notes(bookmark, edit) {
            Some(notes) => {
                // The line may be the last of the file, and have no end.
                self.end_line(&mut lines);
                lines.extend_from_slice(&notes);
            }
            None => {
                let notes = bookmark.line + 1..self.end_of_notes(bookmark.line);
                lines.extend_from_slice(self.lines(notes));
            }
        }
        lines
    }

    /// Only what is another is written anew.
    fn edited_line(&self, bookmark: &Bookmark<'_>, edit: &Edit) -> Vec<u8> {
        let parts = bookmark.parts();
        let mut line = Vec::new();
        match &edit.title {
            Some(title) if bookmark.title().as_str() != title => {
                line.extend_from_slice(one_line(title).as_bytes());
                if !line.is_empty() {
                    line.push(b' ');
                }
            }
            Some(_) | None => line.extend_from_slice(parts.before),
        }
        match &edit.url {
            Some(url) if bookmark.url().as_ref() != Ok(url) => {
                line.extend_from_slice(&wrapped(url.as_str()));
            }
            Some(_) => line.extend_from_slice(parts.wrapped),
            None => match edit.as_written.as_deref().map(on_one_line) {
                Some(written) if bookmark.written().as_str() != written => {
                    line.extend_from_slice(&wrapped(&written));
                }
                Some(_) | None => line.extend_from_slice(parts.wrapped),
            },
        }
        match &edit.tags {
            Some(tags) if !is_same(&parts.tag_texts(), tags) => {
                if !parts.wrapped.ends_with(b">") {
                    line.push(b'>');
                }
                retag(&parts, tags, &mut line);
            }
            Some(_) | None => line.extend_from_slice(parts.rest),
        }
        line.extend_from_slice(end_of(self.line(bookmark.line)));
        line
    }

    /// Nothing when they stay as they are.
    fn edited_notes(&self, bookmark: &Bookmark<'_>, edit: &Edit) -> Option<Vec<u8>> {
        let notes = edit.notes.as_ref()?;
        let stand = bookmark.notes();
        if stand.iter().map(Text::as_str).eq(notes) {
            return None;
        }
        let mut lines = Vec::new();
        self.push_notes(notes, &mut lines);
        Some(lines)
    }

    fn push_notes(&self, notes: &[String], lines: &mut Vec<u8>) {
        let notes = notes.iter().flat_map(|note| note.lines()).map(str::trim);
        for note in notes.filter(|note| !note.is_empty()) {
            lines.extend_from_slice(b"  ");
            lines.extend_from_slice(note.as_bytes());
            lines.extend_from_slice(self.ending());
        }
    }
}

fn wrapped(url: &str) -> Vec<u8> {
    [b"<URL:", url.as_bytes(), b">"].concat()
}

/// What a person wrote for a URL as it can stand on a line between `<URL:` and `>`, spelled as it was: line breaks are
/// folded, the closing bracket and control characters are encoded. White space stays, and is a fault.
pub fn on_one_line(written: &str) -> String {
    let mut line = String::with_capacity(written.len());
    for c in folded(written).trim().chars() {
        if c == '>' || c.is_control() {
            line.push_str(&encoded(c.encode_utf8(&mut [0; 4]).as_bytes()));
        } else {
            line.push(c);
        }
    }
    line
}

/// Whether tags are these, as people read them: their octets may be of another charset.
fn is_same(stand: &[Text], tags: &[String]) -> bool {
    stand.iter().map(Text::as_str).eq(tags)
}

/// What stands behind a URL with these tags. Where there are only more of them, what is there stays as it is; else the
/// words that are no tags come first, and a tag that stays keeps its octets.
fn retag(parts: &Parts<'_>, tags: &[String], line: &mut Vec<u8>) {
    let stand = parts.tag_texts();
    if let Some((same, more)) = tags.split_at_checked(stand.len())
        && is_same(&stand, same)
    {
        line.extend_from_slice(parts.rest.trim_ascii_end());
        return push_tags(more, line);
    }
    for word in words(parts.rest).filter(|word| tag(word).is_none()) {
        line.push(b' ');
        line.extend_from_slice(word);
    }
    for tag in tags {
        let known = stand.iter().position(|stand| stand.as_str() == tag);
        match known.and_then(|at| parts.tags().nth(at)) {
            Some(octets) => {
                line.extend_from_slice(b" #");
                line.extend_from_slice(octets);
            }
            None => push_tags(std::slice::from_ref(tag), line),
        }
    }
}

/// A tag is one word: white space in it would end it.
fn push_tags(tags: &[String], line: &mut Vec<u8>) {
    for tag in tags {
        let tag = tag.split_whitespace().collect::<Vec<_>>().join("_");
        if !tag.is_empty() {
            line.extend_from_slice(b" #");
            line.extend_from_slice(tag.as_bytes());
        }
    }
}
