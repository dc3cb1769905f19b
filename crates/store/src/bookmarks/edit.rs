//! Changes that add and edit bookmarks, and create and rename folders.

use geomys_wire::text::Text;
use rfc1738::{Url, join_lines};

use super::Bookmarks;
use super::change::{Change, Splice};
use super::line::{
    BYTE_ORDER_MARK, LineParts, encode, end_of, note_lines, one_line, tag, trim_end, words,
};
use super::position::InsertPosition;
use super::view::Bookmark;

/// New bookmark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBookmark {
    /// Title; may be empty.
    pub title: String,
    /// URL.
    pub url: Url,
    /// Tags, without the `#`.
    pub tags: Vec<String>,
    /// Notes, one line each.
    pub notes: Vec<String>,
}

/// Edit of a bookmark; fields that are `None` stay as in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookmarkEdit {
    /// New title.
    pub title: Option<String>,
    /// New URL.
    pub url: Option<Url>,
    /// New text of a URL that may have a fault, used if `url` is `None`.
    pub url_text: Option<String>,
    /// All new tags, without the `#`.
    pub tags: Option<Vec<String>>,
    /// All new notes, one line each; blank ones around them are left out.
    pub notes: Option<Vec<String>>,
}

impl Bookmarks {
    /// Returns the change that adds bookmarks in this order.
    pub fn adding(&self, drafts: &[NewBookmark], position: &InsertPosition) -> Change {
        let mut lines = Vec::new();
        for draft in drafts {
            self.push_draft(draft, draft.url.as_str(), &mut lines);
        }
        Change::new(self.putting(&lines, position).into_iter().collect())
    }

    /// Returns the change that adds a bookmark with a URL text that may have a fault; the URL of the draft is ignored.
    pub fn adding_url_text(&self, draft: &NewBookmark, url: &str, at: &InsertPosition) -> Change {
        let mut lines = Vec::new();
        self.push_draft(draft, &on_one_line(url), &mut lines);
        Change::new(self.putting(&lines, at).into_iter().collect())
    }

    fn push_draft(&self, draft: &NewBookmark, url: &str, lines: &mut Vec<u8>) {
        push_title(&draft.title, lines);
        push_url(url, lines);
        push_tags(&draft.tags, lines);
        lines.extend_from_slice(self.ending());
        self.push_notes(&draft.notes, lines);
    }

    /// Returns the change that gives bookmarks, by their indices, other URLs.
    pub fn replacing_urls(&self, urls: &[(usize, Url)]) -> Change {
        let edits = urls.iter().map(|(index, url)| {
            let edit = BookmarkEdit {
                url: Some(url.clone()),
                ..BookmarkEdit::default()
            };
            (*index, edit)
        });
        self.editing(&edits.collect::<Vec<_>>())
    }

    /// Returns the change that edits bookmarks in their positions, by their indices. Indices of folders are ignored,
    /// and so are edits without effect.
    pub fn editing(&self, edits: &[(usize, BookmarkEdit)]) -> Change {
        let splices = edits.iter().filter_map(|(index, edit)| {
            let bookmark = self.bookmark(*index)?;
            let (count, lines) = match self.edited_notes(&bookmark, edit) {
                Some(_) => (
                    self.end_of_notes(bookmark.line) - bookmark.line,
                    self.edited(&bookmark, edit),
                ),
                None => (1, self.edited_line(&bookmark, edit)),
            };
            Some(Splice::new(self, bookmark.line, count, lines))
        });
        let mut splices: Vec<Splice> = splices.collect();
        splices.sort_by_key(|splice| splice.at);
        splices.dedup_by_key(|splice| splice.at);
        Change::new(splices)
    }

    /// Returns the change that adds an empty folder; `None` if the name is blank.
    pub fn adding_folder(&self, name: &str, position: &InsertPosition) -> Option<Change> {
        if name.trim().is_empty() {
            return None;
        }
        let splice = self.putting_folder(self.heading(name, 1), position, &[]);
        Some(Change::new(vec![splice]))
    }

    /// Returns the change that renames the folder at an index; `None` if there is no folder, or the name is blank.
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

    /// Returns the splice that inserts lines of bookmarks at a position.
    pub(super) fn putting(&self, lines: &[u8], position: &InsertPosition) -> Option<Splice> {
        if lines.is_empty() {
            return None;
        }
        let point = self.insertion_point(position);
        let mut text = [&point.headings, lines].concat();
        let first = self.folder(0);
        let is_first = first.is_some_and(|first| first.line == point.line);
        // A blank line separates the first bookmark outside of folders from the first folder.
        if is_first && point.headings.is_empty() {
            text.extend_from_slice(self.ending());
        }
        let marked = self.line(0).strip_prefix(BYTE_ORDER_MARK);
        if let Some(below) = marked.filter(|_| point.line == 0) {
            // The mark stays at the start of the file.
            let text = [BYTE_ORDER_MARK, &text, below].concat();
            return Some(Splice::new(self, 0, 1, text));
        }
        Some(Splice::new(self, point.line, 0, text))
    }

    /// Returns the edited line of a bookmark and the lines of its notes.
    pub(super) fn edited(&self, bookmark: &Bookmark<'_>, edit: &BookmarkEdit) -> Vec<u8> {
        let mut lines = self.edited_line(bookmark, edit);
        match self.edited_notes(bookmark, edit) {
            Some(notes) => {
                // The line may be the last of the file, without a line end.
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

    /// Returns the edited line of a bookmark; unchanged parts are copied.
    fn edited_line(&self, bookmark: &Bookmark<'_>, edit: &BookmarkEdit) -> Vec<u8> {
        let parts = bookmark.parts();
        let mut line = Vec::new();
        match &edit.title {
            Some(title) if parts.title().as_str() != title => push_title(title, &mut line),
            Some(_) | None => line.extend_from_slice(parts.before),
        }
        let url = match (&edit.url, &edit.url_text) {
            (Some(url), _) if parts.url().as_ref() == Ok(url) => None,
            (Some(url), _) => Some(url.to_string()),
            (None, written) => {
                let written = written.as_deref().map(on_one_line);
                written.filter(|written| parts.url_text().as_str() != written)
            }
        };
        match url {
            Some(url) => push_url(&url, &mut line),
            None => line.extend_from_slice(parts.wrapped),
        }
        match &edit.tags {
            Some(tags) if !is_same(&parts.tags(), tags) => {
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

    /// Returns the edited notes; `None` if they do not change.
    fn edited_notes(&self, bookmark: &Bookmark<'_>, edit: &BookmarkEdit) -> Option<Vec<u8>> {
        let notes = edit.notes.as_ref()?;
        let old = bookmark.notes();
        if old.iter().map(Text::as_str).eq(notes) {
            return None;
        }
        let mut lines = Vec::new();
        self.push_notes(notes, &mut lines);
        Some(lines)
    }

    fn push_notes(&self, notes: &[String], lines: &mut Vec<u8>) {
        for note in note_lines(&notes.join("\n")) {
            lines.extend_from_slice(b"  ");
            lines.extend_from_slice(note.as_bytes());
            lines.extend_from_slice(self.ending());
        }
    }
}

/// Appends a title and the blank after it.
fn push_title(title: &str, line: &mut Vec<u8>) {
    let title = one_line(title);
    line.extend_from_slice(title.as_bytes());
    if !title.is_empty() {
        line.push(b' ');
    }
}

fn push_url(url: &str, line: &mut Vec<u8>) {
    line.extend_from_slice(format!("<URL:{url}>").as_bytes());
}

/// Converts the text of a URL so that it fits on a line between `<URL:` and `>`: line breaks are folded, the closing
/// bracket and control characters are encoded. White space stays, and is a fault.
pub fn on_one_line(written: &str) -> String {
    let line = join_lines(written);
    encode(line.trim(), |c| c == '>' || c.is_control())
}

/// Returns true if a character separates typed tags.
pub fn is_tag_separator(character: char) -> bool {
    character == ',' || character.is_whitespace()
}

/// Splits typed tags at commas; blanks in a tag stay.
pub fn split_tags(typed: &[String]) -> Vec<String> {
    let tags = typed.iter().flat_map(|typed| typed.split(','));
    let tags = tags.map(|tag| tag.trim().trim_start_matches('#'));
    tags.filter(|tag| !tag.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns true if the decoded tags are equal: their octets may be in another charset.
fn is_same(old_tags: &[Text], tags: &[String]) -> bool {
    old_tags.iter().map(Text::as_str).eq(tags)
}

/// Writes the part after a URL with these tags. If tags were only appended, the old part stays unchanged; otherwise the
/// words that are not tags come first, and a remaining tag keeps its octets.
fn retag(parts: &LineParts<'_>, tags: &[String], line: &mut Vec<u8>) {
    let old_tags = parts.tags();
    if let Some((same, more)) = tags.split_at_checked(old_tags.len())
        && is_same(&old_tags, same)
    {
        line.extend_from_slice(parts.rest.trim_ascii_end());
        return push_tags(more, line);
    }
    for word in words(parts.rest).filter(|word| tag(word).is_none()) {
        line.push(b' ');
        line.extend_from_slice(word);
    }
    for tag in tags {
        let mut old = parts.tag_octets().zip(&old_tags);
        match old.find(|(_, text)| text.as_str() == tag) {
            Some((octets, _)) => {
                line.extend_from_slice(b" #");
                line.extend_from_slice(octets);
            }
            None => push_tags(std::slice::from_ref(tag), line),
        }
    }
}

/// Appends tags, each as one word: white space becomes `_`.
fn push_tags(tags: &[String], line: &mut Vec<u8>) {
    for tag in tags {
        let tag = tag.split_whitespace().collect::<Vec<_>>().join("_");
        if !tag.is_empty() {
            line.extend_from_slice(b" #");
            line.extend_from_slice(tag.as_bytes());
        }
    }
}
