//! The bookmark file: plain text, one bookmark a line, by RFC 1738's own rule for URLs in context (appendix).
//!
//! ```text
//! bookmark = [ title ] "<URL:" url ">" *( "#" tag )
//! folder   = 1*"#" " " name          ; as many "#" as it is deep
//! note     = "  " text               ; on the bookmark above
//! ```
//!
//! Every other line is kept and means nothing. A line with a URL is a bookmark before it is a folder; of two URLs in a
//! line the first counts; white space inside `<URL:…>` is no part of the URL. A bad URL costs no other line anything.
//! Lines are octets: what is not touched is written back as it was read.

mod change;
mod store;

pub use change::{Change, Conflict};
pub use store::{Error, load, save};

use memchr::memmem;

use crate::text::{Charset, Text};
use crate::url::{ParseError, Url, mask};

/// The file's lines, and what they mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bookmarks {
    /// With their line ends.
    lines: Vec<Vec<u8>>,
    items: Vec<Item>,
}

/// A line that means something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A heading.
    Folder(Folder),
    /// A bookmark.
    Bookmark(Bookmark),
}

/// A heading, and how deep it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// The line it stands on, from 0.
    pub line: usize,
    /// From 1 at the top.
    pub depth: usize,
    /// Its name.
    pub name: Text,
}

/// A line with a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bookmark {
    /// The line it stands on, from 0.
    pub line: usize,
    /// How many folders it is in.
    pub depth: usize,
    /// What it is called; empty when the line has no title.
    pub title: Text,
    /// The URL as it stands in the file.
    pub written: Text,
    /// The URL, or what is wrong with it.
    pub url: Result<Url, ParseError>,
    /// Its tags, without the `#`.
    pub tags: Vec<Text>,
    /// Its notes, a line each.
    pub notes: Vec<Text>,
}

impl Bookmark {
    /// What it is called on the screen: the title, or else the URL without its password.
    pub fn label(&self) -> Text {
        if !self.title.is_blank() {
            return self.title.clone();
        }
        match &self.url {
            Ok(url) => Text::of(&url.masked()),
            Err(_) => Text::of(&mask(self.written.as_str())),
        }
    }
}

/// A bookmark as a person wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// What it is called.
    pub title: String,
    /// Its URL.
    pub url: Url,
    /// The folder, outermost name first; empty for none in particular.
    pub folder: Vec<String>,
    /// Its tags, without the `#`.
    pub tags: Vec<String>,
}

impl Bookmarks {
    /// Reads a bookmark file; any octets are one.
    pub fn parse(octets: &[u8]) -> Self {
        let lines = octets
            .split_inclusive(|&octet| octet == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        Self::of(lines)
    }

    /// The file's octets.
    pub fn to_octets(&self) -> Vec<u8> {
        self.lines.concat()
    }

    /// Folders and bookmarks in the order of the file.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The bookmarks alone.
    pub fn bookmarks(&self) -> impl Iterator<Item = &Bookmark> {
        self.items.iter().filter_map(|item| match item {
            Item::Bookmark(bookmark) => Some(bookmark),
            Item::Folder(_) => None,
        })
    }

    /// The names of the folders that the item at `index` is in, outermost first.
    pub fn folder_of(&self, index: usize) -> Vec<String> {
        // A folder is in those that are less deep than itself.
        let mut depth = match self.items.get(index) {
            Some(Item::Folder(own)) => own.depth,
            Some(Item::Bookmark(_)) | None => usize::MAX,
        };
        let mut names = Vec::new();
        for item in self.items.iter().take(index).rev() {
            if let Item::Folder(folder) = item
                && folder.depth < depth
            {
                depth = folder.depth;
                names.push(folder.name.to_string());
            }
        }
        names.reverse();
        names
    }

    /// The folder that a person names, `/` between a folder and one inside it. The name of one that is there may hold a
    /// `/` of its own.
    pub fn folder_named(&self, typed: &str) -> Vec<String> {
        let paths = self
            .items
            .iter()
            .enumerate()
            .filter_map(|(index, item)| match item {
                Item::Folder(folder) => {
                    let mut path = self.folder_of(index);
                    path.push(folder.name.to_string());
                    Some(path)
                }
                Item::Bookmark(_) => None,
            });
        let mut known = paths.filter(|path| path.join("/") == typed.trim());
        known.next().unwrap_or_else(|| {
            let names = typed.split('/').map(str::trim);
            names
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect()
        })
    }

    fn of(lines: Vec<Vec<u8>>) -> Self {
        let mut items: Vec<Item> = Vec::new();
        let mut depth = 0;
        let mut noted = false;
        for (line, octets) in lines.iter().enumerate() {
            let octets = trim_end(octets);
            if let Some(note) = octets.strip_prefix(b"  ")
                && let (true, Some(Item::Bookmark(bookmark))) = (noted, items.last_mut())
            {
                bookmark
                    .notes
                    .push(Text::new(note.trim_ascii(), Charset::default()));
                continue;
            }
            noted = false;
            if let Some(parts) = Parts::of(octets) {
                noted = true;
                items.push(Item::Bookmark(parts.bookmark(line, depth)));
            } else if let Some((deep, name)) = heading(octets) {
                depth = deep;
                items.push(Item::Folder(Folder {
                    line,
                    depth,
                    name: Text::new(name, Charset::default()),
                }));
            }
        }
        Self { lines, items }
    }
}

/// A bookmark line, split.
struct Parts<'a> {
    title: &'a [u8],
    url: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Parts<'a> {
    fn of(line: &'a [u8]) -> Option<Self> {
        let start = memmem::find_iter(line, b"<").find(|&at| {
            line.get(at + 1..at + 5)
                .is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"URL:"))
        })?;
        let (title, url) = (line.get(..start)?, line.get(start + 5..)?);
        let end = memchr::memchr(b'>', url).unwrap_or(url.len());
        Some(Self {
            title: title.trim_ascii(),
            url: url.get(..end)?,
            rest: url.get(end + 1..).unwrap_or_default(),
        })
    }

    fn bookmark(&self, line: usize, depth: usize) -> Bookmark {
        let url: Vec<u8> = self
            .url
            .iter()
            .copied()
            .filter(|octet| !octet.is_ascii_whitespace())
            .collect();
        let words = self.rest.split(u8::is_ascii_whitespace);
        Bookmark {
            line,
            depth,
            title: Text::new(self.title, Charset::default()),
            written: Text::new(&url, Charset::default()),
            url: Url::accept_octets(&url),
            tags: words
                .filter_map(tag)
                .map(|tag| Text::new(tag, Charset::default()))
                .collect(),
            notes: Vec::new(),
        }
    }
}

fn tag(word: &[u8]) -> Option<&[u8]> {
    word.strip_prefix(b"#").filter(|tag| !tag.is_empty())
}

fn heading(line: &[u8]) -> Option<(usize, &[u8])> {
    let depth = line.iter().take_while(|&&octet| octet == b'#').count();
    let name = line.get(depth..)?.strip_prefix(b" ")?.trim_ascii();
    (depth > 0 && !name.is_empty()).then_some((depth, name))
}

fn trim_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
