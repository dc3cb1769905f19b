//! What an item says, made when somebody looks.

use super::index::Kind;
use super::line::{Parts, heading, is_indented, split, tag, trim_end, words};
use super::sweep::Passed;
use super::{Bookmarks, index::Entry};
use crate::text::{Charset, Text};
use crate::url::{ParseError, Url, mask};

/// A line that means something.
#[derive(Clone, Copy, Debug)]
pub enum Item<'a> {
    /// A heading.
    Folder(Folder<'a>),
    /// A bookmark.
    Bookmark(Bookmark<'a>),
}

/// A heading, and how deep it is.
#[derive(Clone, Copy, Debug)]
pub struct Folder<'a> {
    file: &'a Bookmarks,
    /// Which of the items it is, from 0.
    pub index: usize,
    /// The line it stands on, from 0.
    pub line: usize,
    /// From 1 at the top.
    pub depth: usize,
}

/// A line with a URL.
#[derive(Clone, Copy, Debug)]
pub struct Bookmark<'a> {
    file: &'a Bookmarks,
    /// Which of the items it is, from 0.
    pub index: usize,
    /// The line it stands on, from 0.
    pub line: usize,
    /// How deep the folder is that it is in; 0 in none.
    pub depth: usize,
    /// Whether its URL has a fault.
    pub has_fault: bool,
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
            Kind::Bookmark(_) | Kind::Fault => Self::Bookmark(Bookmark {
                file,
                index,
                line,
                depth,
                has_fault: entry.kind == Kind::Fault,
            }),
        }
    }

    /// Which of the items it is, from 0.
    pub fn index(&self) -> usize {
        match self {
            Self::Folder(folder) => folder.index,
            Self::Bookmark(bookmark) => bookmark.index,
        }
    }

    /// The line it stands on, from 0.
    pub fn line(&self) -> usize {
        match self {
            Self::Folder(folder) => folder.line,
            Self::Bookmark(bookmark) => bookmark.line,
        }
    }
}

impl Folder<'_> {
    /// Its name.
    pub fn name(&self) -> Text {
        let line = trim_end(self.file.line(self.line));
        let name = heading(line).map(|(_, name)| name);
        text(name.unwrap_or_default())
    }

    /// The names of the folders it is in, outermost first, and its own.
    pub fn path(&self) -> Vec<String> {
        let mut path = self.file.folder_of(self.index);
        path.push(self.name().to_string());
        path
    }
}

impl<'a> Bookmark<'a> {
    /// What it is called; empty when the line has no title.
    pub fn title(&self) -> Text {
        self.parts().title()
    }

    /// The URL as it stands in the file.
    pub fn written(&self) -> Text {
        self.parts().written()
    }

    /// The URL, or what is wrong with it.
    ///
    /// # Errors
    /// The URL's [`ParseError`].
    pub fn url(&self) -> Result<Url, ParseError> {
        self.parts().judged()
    }

    /// Its tags, without the `#`.
    pub fn tags(&self) -> Vec<Text> {
        self.parts().tag_texts()
    }

    /// Whether there are words behind the URL that are no tags.
    pub fn has_other_words(&self) -> bool {
        words(self.parts().rest).any(|word| tag(word).is_none())
    }

    /// Its notes, a line each.
    pub fn notes(&self) -> Vec<Text> {
        let lines = self.line + 1..self.file.end_of_notes(self.line);
        notes(self.file.lines(lines))
    }

    /// The same as it is come by in a file that is not kept; `folder` are the names of the folders it is in.
    pub fn passed<'b>(&self, folder: &'b [String]) -> Option<Passed<'b>>
    where
        'a: 'b,
    {
        let lines = self.line..self.file.end_of_notes(self.line);
        Passed::of(self.line, self.file.lines(lines), folder)
    }

    /// Whether its URL starts with one of these schemes, case ignored: seen without reading the rest of it.
    pub fn may_be(&self, schemes: &[&str]) -> bool {
        let url = self.parts().url();
        schemes.iter().any(|scheme| {
            url.get(..scheme.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
        })
    }

    /// The line, without its end: all of it can be searched without making text of its parts. It may hold a password.
    pub fn octets(&self) -> &'a [u8] {
        trim_end(self.file.line(self.line))
    }

    /// What it is called on the screen: the title, or else the URL without its password.
    pub fn label(&self) -> Text {
        let title = self.title();
        if !title.is_blank() {
            return title;
        }
        match self.url() {
            Ok(url) => Text::of(&url.masked()),
            Err(_) => Text::of(&mask(self.written().as_str())),
        }
    }

    pub(super) fn parts(&self) -> Parts<'a> {
        let line = self.octets();
        // It was a bookmark when it was read, and has not changed.
        Parts::of(line).unwrap_or(Parts {
            before: line,
            wrapped: &[],
            rest: &[],
        })
    }
}

impl Bookmarks {
    /// The line behind a bookmark's notes.
    pub(super) fn end_of_notes(&self, line: usize) -> usize {
        let below = line + 1..self.line_count();
        let notes = below
            .take_while(|&below| is_indented(self.line(below)))
            .count();
        line + 1 + notes
    }
}

/// Lines of notes, each without the white space around it.
pub(super) fn notes(lines: &[u8]) -> Vec<Text> {
    split(lines).map(|line| text(line.trim_ascii())).collect()
}

pub(super) fn text(octets: &[u8]) -> Text {
    Text::new(octets, Charset::default())
}
