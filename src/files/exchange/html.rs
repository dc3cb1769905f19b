//! The bookmark file of Netscape, which every browser writes: HTML of 1994 without most of its closing tags.
//!
//! ```text
//! list   = "<DL><p>" *( folder / entry / "<HR>" ) "</DL><p>"
//! folder = "<DT><H3" *attribute ">" name "</H3>" [ "<DD>" text ] list
//! entry  = "<DT><A HREF=" url *attribute ">" title "</A>" [ "<DD>" note ]      ; ADD_DATE, LAST_MODIFIED, TAGS, ICON
//! ```
//!
//! Read are headings, lists of any kind, links and what follows a `<DD>`, wherever they stand: the lists of lynx and w3m
//! are no more than that. A heading names the list that follows it; `<H1>` is the title of all. Written are lists that
//! browsers, lynx, buku and newsreaders of links take in.

use std::borrow::Cow;
use std::fmt::Write;

use super::builder::Builder;
use super::shelf::{Entry, Item, Lost, Shelf};

pub(super) fn read(text: &str) -> Shelf {
    let mut reader = Reader::default();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (words, from) = rest.split_at(at);
        reader.text(words);
        match tag(from) {
            Some((tag, after)) => {
                reader.tag(&tag);
                rest = after;
            }
            None => {
                reader.text("<");
                rest = from.strip_prefix('<').unwrap_or_default();
            }
        }
    }
    reader.text(rest);
    reader.settle();
    reader.builder.done()
}

/// Tags that may stand in a title and are no part of it.
const MARKUP: [&str; 22] = [
    "abbr", "b", "big", "body", "code", "em", "font", "head", "html", "i", "img", "link", "meta",
    "p", "s", "small", "span", "strong", "sub", "sup", "tt", "u",
];

/// What text is for, until a tag ends it.
#[derive(Default)]
enum Into {
    #[default]
    Nothing,
    Heading(String),
    Title(Entry, String),
    Note(String),
    /// What is said of a folder, which has no notes.
    Aside(bool),
}

#[derive(Default)]
struct Reader {
    builder: Builder,
    into: Into,
    /// The heading that names the next list.
    heading: Option<String>,
    /// For each list that is open, whether it is a folder.
    lists: Vec<bool>,
}

impl Reader {
    fn text(&mut self, words: &str) {
        match &mut self.into {
            Into::Nothing => {}
            Into::Heading(text) | Into::Title(_, text) | Into::Note(text) => {
                text.push_str(&unescaped(words));
            }
            Into::Aside(is_said) => *is_said |= !words.trim().is_empty(),
        }
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        match (tag.name.as_str(), tag.is_end) {
            ("h2" | "h3" | "h4" | "h5" | "h6", false) => {
                self.settle();
                self.into = Into::Heading(String::new());
            }
            ("a", false) => {
                self.settle();
                self.into = self.link(tag);
            }
            ("dl" | "ul" | "ol" | "menu" | "dir", false) => {
                self.settle();
                let heading = self.heading.take();
                if let Some(heading) = &heading {
                    self.builder.open(heading);
                }
                self.lists.push(heading.is_some());
            }
            ("dl" | "ul" | "ol" | "menu" | "dir", true) => {
                self.settle();
                if self.lists.pop() == Some(true) {
                    self.builder.close();
                }
            }
            ("dd", false) => {
                self.settle();
                self.into = match self.heading {
                    Some(_) => Into::Aside(false),
                    None => Into::Note(String::new()),
                };
            }
            ("hr", false) => {
                self.settle();
                self.builder.lost().part("lines between entries");
            }
            ("br", _) => self.text("\n"),
            ("a" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "dt" | "li" | "dd", _) => {
                self.settle();
            }
            // buku writes what looks like a tag in a title as it is.
            (name, _) if !name.is_empty() && !MARKUP.contains(&name) => self.text(tag.written),
            // Text goes on through any other.
            _ => {}
        }
    }

    fn link(&mut self, tag: &Tag<'_>) -> Into {
        let Some(url) = tag.value("href") else {
            return Into::Nothing;
        };
        let tags = tag.value("tags").unwrap_or_default();
        let lost = self.builder.lost();
        lost.part_if(tag.has("icon") || tag.has("icon_uri"), "pictures");
        lost.part_if(tag.has("shortcuturl"), "keywords");
        lost.part_if(
            tag.has("last_modified") || tag.has("last_visit"),
            "dates of change or visit",
        );
        let added = tag.value("add_date");
        let entry = Entry {
            url: url.into_owned(),
            tags: tags.split(',').map(str::to_owned).collect(),
            added: added.and_then(|date| date.trim().parse().ok()),
            ..Entry::default()
        };
        Into::Title(entry, String::new())
    }

    /// What text was read for has all of it.
    fn settle(&mut self) {
        match std::mem::take(&mut self.into) {
            Into::Nothing => {}
            Into::Heading(name) => self.heading = Some(name),
            Into::Title(entry, title) => self.builder.entry(&Entry { title, ..entry }),
            Into::Note(note) => {
                for line in note.lines() {
                    self.builder.note(line);
                }
            }
            Into::Aside(is_said) => {
                let lost = self.builder.lost();
                lost.part_if(is_said, "notes on folders");
            }
        }
    }
}

/// A tag: its name in lower case, and what stands behind that.
struct Tag<'a> {
    /// All of it, as it stands there.
    written: &'a str,
    name: String,
    is_end: bool,
    attributes: &'a str,
}

/// The tag at the start of `text`, and what follows it; nothing where a `<` is no tag.
fn tag(text: &str) -> Option<(Tag<'_>, &str)> {
    let inside = text.strip_prefix('<')?;
    if let Some(comment) = inside.strip_prefix("!--") {
        let (_, after) = comment.split_once("-->").unwrap_or(("", ""));
        return Some((Tag::nothing(), after));
    }
    if inside.starts_with(['!', '?']) {
        let (_, after) = inside.split_once('>').unwrap_or(("", ""));
        return Some((Tag::nothing(), after));
    }
    let is_end = inside.starts_with('/');
    let inside = inside.strip_prefix('/').unwrap_or(inside);
    let end = inside.find(|c: char| !c.is_ascii_alphanumeric());
    let (name, rest) = inside.split_at(end.unwrap_or(inside.len()));
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    // A `>` in quotes ends nothing; quotes that are never closed do not swallow the rest.
    let mut quote = None;
    let end = rest.find(|c| match (quote, c) {
        (None, '>') => true,
        (None, '"' | '\'') => {
            quote = Some(c);
            false
        }
        (Some(open), c) if c == open => {
            quote = None;
            false
        }
        (None | Some(_), _) => false,
    });
    let end = end.or_else(|| rest.find('>')).unwrap_or(rest.len());
    let (attributes, after) = rest.split_at(end);
    let after = after.strip_prefix('>').unwrap_or(after);
    let tag = Tag {
        written: text.get(..text.len() - after.len()).unwrap_or_default(),
        name: name.to_ascii_lowercase(),
        is_end,
        attributes,
    };
    Some((tag, after))
}

impl<'a> Tag<'a> {
    fn nothing() -> Self {
        Self {
            written: "",
            name: String::new(),
            is_end: false,
            attributes: "",
        }
    }

    fn has(&self, name: &str) -> bool {
        self.raw(name).is_some_and(|value| !value.is_empty())
    }

    fn value(&self, name: &str) -> Option<Cow<'a, str>> {
        self.raw(name).map(unescaped)
    }

    /// The value of an attribute as it was written.
    fn raw(&self, wanted: &str) -> Option<&'a str> {
        let mut rest = self.attributes;
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
            let end = rest.find(|c: char| c.is_whitespace() || c == '=' || c == '/');
            let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
            let after = after.trim_start();
            let (value, next) = match after.strip_prefix('=') {
                Some(value) => one_value(value.trim_start()),
                None => ("", after),
            };
            if !name.is_empty() && name.eq_ignore_ascii_case(wanted) {
                return Some(value);
            }
            if next.len() >= rest.len() {
                return None;
            }
            rest = next;
        }
    }
}

/// The value at the start of `text`, and what follows it.
fn one_value(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(inside) = text.strip_prefix(quote) {
            return inside.split_once(quote).unwrap_or((inside, ""));
        }
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    text.split_at(end)
}

/// Text with its character references resolved; what is none stays as it is.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, from) = rest.split_at(at);
        plain.push_str(before);
        let from = from.strip_prefix('&').unwrap_or_default();
        // The longest name of all is shorter.
        let end = from.bytes().take(40).position(|octet| octet == b';');
        let resolved = end.and_then(|end| {
            let (name, after) = from.split_at_checked(end)?;
            Some((character(name)?, after.strip_prefix(';')?))
        });
        match resolved {
            Some((character, after)) => {
                plain.push_str(&character);
                rest = after;
            }
            None => {
                plain.push('&');
                rest = from;
            }
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

fn character(name: &str) -> Option<Cow<'static, str>> {
    let Some(number) = name.strip_prefix('#') else {
        return quick_xml::escape::resolve_html5_entity(name).map(Cow::Borrowed);
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    let character = char::from_u32(code.ok()?)?;
    Some(Cow::Owned(character.to_string()))
}

const HEAD: &str = "\
<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; charset=UTF-8\">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
";

pub(super) fn write(shelf: &Shelf, lost: &mut Lost) -> String {
    let mut page = HEAD.to_owned();
    let mut open = 0;
    for item in &shelf.items {
        let (Item::Folder { depth, .. } | Item::Entry { depth, .. }) = item;
        let above = match item {
            Item::Folder { .. } => depth.saturating_sub(1),
            Item::Entry { .. } => *depth,
        };
        close(&mut page, &mut open, above);
        let indent = "    ".repeat(open + 1);
        // Writing to a string cannot fail.
        let _ = match item {
            Item::Folder { name, .. } => {
                open += 1;
                let name = escaped(name);
                writeln!(page, "{indent}<DT><H3>{name}</H3>\n{indent}<DL><p>")
            }
            Item::Entry { entry, .. } => write!(page, "{indent}{}", link(entry, lost)),
        };
    }
    close(&mut page, &mut open, 0);
    page.push_str("</DL><p>\n");
    page
}

fn close(page: &mut String, open: &mut usize, to: usize) {
    while *open > to {
        page.push_str(&"    ".repeat(*open));
        page.push_str("</DL><p>\n");
        *open -= 1;
    }
}

fn link(entry: &Entry, lost: &mut Lost) -> String {
    let mut link = format!("<DT><A HREF=\"{}\"", escaped(&entry.url));
    // Writing to a string cannot fail.
    if let Some(added) = entry.added {
        let _ = write!(link, " ADD_DATE=\"{added}\"");
    }
    if !entry.tags.is_empty() {
        let tags = entry.tags.iter().map(|tag| {
            lost.part_if(tag.contains(','), "commas in tags, which part tags there");
            escaped(tag)
        });
        let tags: Vec<_> = tags.collect();
        let _ = write!(link, " TAGS=\"{}\"", tags.join(","));
    }
    let _ = writeln!(link, ">{}</A>", escaped(&entry.title));
    if !entry.note.is_empty() {
        let note = escaped(&entry.note);
        let _ = writeln!(link, "<DD>{note}");
    }
    link
}

fn escaped(text: &str) -> Cow<'_, str> {
    quick_xml::escape::escape(text)
}
