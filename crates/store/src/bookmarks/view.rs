//! Views of folders and bookmarks, decoded on demand.

use geomys_wire::net::{compared_text, shown_url};
use geomys_wire::text::Text;
use rfc1738::{ParseError, Url, mask};

use super::index::Kind;
use super::line::{
    LineParts, heading_name, is_indented, notes, split_first, tag, text, trim_end, words,
};
use super::{Bookmarks, index::Entry};

/// Folder or bookmark.
#[derive(Clone, Copy, Debug)]
pub enum Item<'a> {
    /// Folder: a heading.
    Folder(Folder<'a>),
    /// Bookmark: a line with a URL.
    Bookmark(Bookmark<'a>),
}

/// Folder: a heading with its depth.
#[derive(Clone, Copy, Debug)]
pub struct Folder<'a> {
    file: &'a Bookmarks,
    /// Index of the item, from 0.
    pub index: usize,
    /// Line of the heading, from 0.
    pub line: usize,
    /// Depth, from 1 at the top.
    pub depth: usize,
}

/// Bookmark: a line with a URL.
#[derive(Clone, Copy, Debug)]
pub struct Bookmark<'a> {
    file: &'a Bookmarks,
    /// Index of the item, from 0.
    pub index: usize,
    /// Line of the bookmark, from 0.
    pub line: usize,
    /// Depth of its folder; 0 without a folder.
    pub depth: usize,
    /// True if the URL has a fault.
    pub has_fault: bool,
}

/// Bookmark found by a scan of the file without an index.
#[derive(Clone, Copy, Debug)]
pub struct ScannedBookmark<'a> {
    /// Line of the bookmark, from 0.
    pub line: usize,
    /// Names of its folders, outermost first.
    pub folder: &'a [String],
    /// Title, URL and tags.
    pub parts: LineParts<'a>,
    /// Line of the bookmark and lines of its notes.
    pub(super) lines: &'a [u8],
}

impl ScannedBookmark<'_> {
    /// Returns the notes, one line each.
    pub fn notes(&self) -> Vec<Text> {
        let (_, lines) = split_first(self.lines);
        notes(lines)
    }
}

impl<'a> Item<'a> {
    pub(super) fn new(file: &'a Bookmarks, index: usize, entry: &Entry) -> Self {
        let (line, depth) = (entry.line, entry.depth());
        match entry.kind {
            Kind::Folder => Self::Folder(Folder {
                file,
                index,
                line,
                depth,
            }),
            Kind::Bookmark(_) | Kind::Fault(_) => Self::Bookmark(Bookmark {
                file,
                index,
                line,
                depth,
                has_fault: entry.is_fault(),
            }),
        }
    }

    /// Returns the index of the item, from 0.
    pub fn index(&self) -> usize {
        match self {
            Self::Folder(folder) => folder.index,
            Self::Bookmark(bookmark) => bookmark.index,
        }
    }

    /// Returns the line of the item, from 0.
    pub fn line(&self) -> usize {
        match self {
            Self::Folder(folder) => folder.line,
            Self::Bookmark(bookmark) => bookmark.line,
        }
    }
}

impl Folder<'_> {
    /// Returns the name.
    pub fn name(&self) -> Text {
        text(self.name_octets())
    }

    pub(super) fn name_octets(&self) -> &[u8] {
        heading_name(self.file.line(self.line), self.depth)
    }

    /// Returns the names of the parent folders, outermost first, and its own name.
    pub fn path(&self) -> Vec<String> {
        let mut path = self.file.folder_of(self.index);
        path.push(self.name().to_string());
        path
    }
}

impl<'a> Bookmark<'a> {
    /// Returns the title; empty if the line has none.
    pub fn title(&self) -> Text {
        self.parts().title()
    }

    /// Returns the URL as written in the file.
    pub fn url_text(&self) -> Text {
        self.parts().url_text()
    }

    /// Parses the URL.
    ///
    /// # Errors
    /// The URL's [`ParseError`].
    pub fn url(&self) -> Result<Url, ParseError> {
        self.parts().url()
    }

    /// Parses the URL, and repairs its faults if possible: the URL that is opened and checked.
    ///
    /// # Errors
    /// The URL's [`ParseError`].
    pub fn repaired_url(&self) -> Result<Url, ParseError> {
        self.parts().repaired_url()
    }

    /// Returns the spelling by which bookmarks are compared: of the URL or of its repair; the text of a URL without a
    /// repair. It may hold a password.
    pub fn compared_link(&self) -> String {
        compared_text(self.url_text().as_str()).into_owned()
    }

    /// Returns the tags, without the `#`.
    pub fn tags(&self) -> Vec<Text> {
        self.parts().tags()
    }

    /// Returns true if there are words after the URL that are not tags.
    pub fn has_other_words(&self) -> bool {
        words(self.parts().rest).any(|word| tag(word).is_none())
    }

    /// Returns the notes, one line each.
    pub fn notes(&self) -> Vec<Text> {
        let lines = self.line + 1..self.file.end_of_notes(self.line);
        notes(self.file.lines(lines))
    }

    /// Converts the bookmark to the result of a scan; `folder` are the names of its folders.
    pub fn scanned<'b>(&self, folder: &'b [String]) -> ScannedBookmark<'b>
    where
        'a: 'b,
    {
        let lines = self.line..self.file.end_of_notes(self.line);
        ScannedBookmark {
            line: self.line,
            folder,
            parts: self.parts(),
            lines: self.file.lines(lines),
        }
    }

    /// Returns true if the URL starts with one of these schemes, case ignored; the rest is not parsed.
    pub fn may_be(&self, schemes: &[&str]) -> bool {
        let url = self.parts().url_octets();
        schemes.iter().any(|scheme| {
            url.get(..scheme.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
        })
    }

    /// Returns the octets of the line, without its line end, for a search without decoding. They may hold a password.
    pub fn octets(&self) -> &'a [u8] {
        trim_end(self.file.line(self.line))
    }

    /// Returns the label on the screen: the title, or else the URL without its password.
    pub fn label(&self) -> Text {
        let title = self.title();
        if !title.is_blank() {
            return title;
        }
        match self.url() {
            Ok(url) => Text::of(&shown_url(&url)),
            Err(_) => Text::of(&mask(self.url_text().as_str())),
        }
    }

    pub(super) fn parts(&self) -> LineParts<'a> {
        let line = self.octets();
        // The line was parsed as a bookmark before, and is unchanged.
        LineParts::of(line).unwrap_or(LineParts {
            before: line,
            ..LineParts::default()
        })
    }
}

impl Bookmarks {
    /// Returns the line after the notes of a bookmark.
    pub(super) fn end_of_notes(&self, line: usize) -> usize {
        let below = line + 1..self.line_count();
        let notes = below
            .take_while(|&below| is_indented(self.line(below)))
            .count();
        line + 1 + notes
    }
}
