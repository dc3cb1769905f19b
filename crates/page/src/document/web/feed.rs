//! Layout of feeds as lists of links: RSS 0.9 to 2.0 and Atom (RFC 4287).
//!
//! ```text
//! channel / feed    title, description / subtitle, link
//! item / entry      title, link, published / pubDate / date / updated, enclosure
//! ```
//!
//! The texts of an item are those of elements with the prefix of the item itself, the first of each name: `media:title` is not
//! the title. Dates and links match without their prefixes. A faulty feed is laid out up to the fault.

use geomys_wire::text::{Charset, Text, resolve_references};
use jiff::civil::Date;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::line::{Line, PageLayout};
use super::{DEFAULT_COLUMNS, read};
use crate::document::date;
use crate::document::row::Kind;

/// The maximum number of items.
const ITEMS: usize = 10_000;

/// The maximum length of a text that is read, in octets.
const MAX_TEXT_BYTES: usize = 4096;

/// The maximum depth of elements.
const DEPTH: usize = 64;

/// The elements with the date of an item, the preferred first: an entry of Atom may have been updated since it was published.
const DATES: [&str; 4] = ["published", "pubdate", "date", "updated"];

/// Returns true if a text begins like a feed: RSS, Atom, or RSS 1.0 in RDF.
pub(crate) fn looks_like_feed(start: &[u8]) -> bool {
    let mut rest = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    loop {
        rest = rest.trim_ascii_start();
        let end: &[u8] = match rest {
            [b'<', b'?', ..] => b"?>",
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            [b'<', b'!', ..] => b">",
            _ => break,
        };
        let Some(at) = memchr::memmem::find(rest, end) else {
            return false;
        };
        rest = rest.get(at + end.len()..).unwrap_or_default();
    }
    let Some(root) = rest.strip_prefix(b"<") else {
        return false;
    };
    let is_end = |octet: &u8| octet.is_ascii_whitespace() || *octet == b'>';
    let end = root.iter().position(is_end);
    let name = end.and_then(|end| root.get(..end)).unwrap_or_default();
    let local = name.rsplit(|octet| *octet == b':').next();
    matches!(local, Some(b"rss" | b"feed" | b"RDF"))
}

/// The texts and links of a feed or an item.
#[derive(Debug, Default)]
struct Entry {
    /// The prefix of its element, with the colon.
    prefix: String,
    /// The names of the texts that it has.
    texts: Vec<String>,
    title: String,
    link: Option<String>,
    /// The identifier of an RSS item, which is a link unless it says otherwise.
    id: Option<String>,
    /// The texts of the elements of [`DATES`], in that order.
    dates: [String; DATES.len()],
    description: String,
    enclosures: Vec<String>,
}

/// Lays out a feed. `is_cut` is true if it was truncated before.
pub(super) fn lay_out(feed: &str, is_cut: bool) -> PageLayout {
    let mut builder = FeedBuilder::default();
    let mut reader = Reader::from_str(feed);
    reader.config_mut().check_end_names = false;
    while builder.items < ITEMS {
        match reader.read_event() {
            Ok(Event::Start(start)) => builder.start(&start),
            Ok(Event::Empty(start)) => {
                builder.start(&start);
                builder.end();
            }
            Ok(Event::End(_)) => builder.end(),
            Ok(Event::Text(words)) => builder.text(&words),
            Ok(Event::CData(words)) => builder.text(&words),
            Ok(Event::GeneralRef(reference)) => {
                builder.text(&resolve_references(&format!("&{};", &*reference)));
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    builder.end_head();
    if let Some(item) = builder.item.take() {
        builder.add(&item);
    }
    let mut layout = builder.layout;
    if is_cut || builder.items == ITEMS {
        layout.note_cut(usize::try_from(reader.buffer_position()).unwrap_or(feed.len()));
    }
    layout
}

#[derive(Default)]
struct FeedBuilder {
    layout: PageLayout,
    /// The names of the open elements, without prefixes, in lower case.
    open: Vec<String>,
    /// The number of open elements inside these, beyond the maximum depth.
    deeper: usize,
    head: Entry,
    has_head: bool,
    item: Option<Entry>,
    items: usize,
}

impl FeedBuilder {
    fn start(&mut self, element: &BytesStart<'_>) {
        let name = element.local_name().as_ref().to_ascii_lowercase();
        let full = element.name();
        let prefix = full.as_ref().get(..full.as_ref().len() - name.len());
        let prefix = prefix.unwrap_or_default();
        let value = |wanted: &str| {
            let mut attributes = element.html_attributes();
            let mut attributes = attributes.with_checks(false).flatten();
            let found = attributes.find(|found| found.key.as_ref() == wanted)?;
            Some(resolve_references(&found.value))
        };
        match name.as_str() {
            "item" | "entry" => {
                self.end_head();
                self.item = Some(Entry {
                    prefix: prefix.to_owned(),
                    ..Entry::default()
                });
            }
            "channel" | "feed" if self.item.is_none() => prefix.clone_into(&mut self.head.prefix),
            "title" | "description" | "subtitle" => {
                let name = self.own_text(&name, prefix);
                return self.open(name);
            }
            "link" | "enclosure" => {
                let reference = value("href").or_else(|| value("url"));
                let rel = value("rel").unwrap_or_default();
                let entry = self.item.as_mut().unwrap_or(&mut self.head);
                let has_link = reference.is_some() || is_filled(entry.link.as_ref());
                match (reference, rel.as_str()) {
                    (Some(url), _) if name == "enclosure" => entry.enclosures.push(url),
                    (Some(url), "enclosure") => entry.enclosures.push(url),
                    (Some(url), "" | "alternate") if entry.link.is_none() => entry.link = Some(url),
                    _ => {}
                }
                return self.open(if has_link { String::new() } else { name });
            }
            "guid" if value("isPermaLink").as_deref() == Some("false") => {
                return self.open(String::new());
            }
            name if self.has_date(name) => return self.open(String::new()),
            _ => {}
        }
        self.open(name);
    }

    /// Returns true for the name of a date that the entry has already.
    fn has_date(&self, name: &str) -> bool {
        let entry = self.item.as_ref().unwrap_or(&self.head);
        let mut dates = DATES.iter().zip(&entry.dates);
        dates.any(|(date, text)| *date == name && !text.trim().is_empty())
    }

    /// Adds an element to the open ones.
    fn open(&mut self, name: String) {
        if self.open.len() < DEPTH {
            self.open.push(name);
        } else {
            self.deeper += 1;
        }
    }

    /// The name of an element, if it is the first of this name in its entry, and has the prefix of the entry; else nothing.
    fn own_text(&mut self, name: &str, prefix: &str) -> String {
        let parent = self.open.last().map(String::as_str);
        if !matches!(parent, Some("item" | "entry" | "channel" | "feed")) {
            return String::new();
        }
        let entry = self.item.as_mut().unwrap_or(&mut self.head);
        if entry.prefix != prefix || entry.texts.iter().any(|own| own == name) {
            return String::new();
        }
        entry.texts.push(name.to_owned());
        name.to_owned()
    }

    fn end(&mut self) {
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let name = self.open.pop();
        if matches!(name.as_deref(), Some("item" | "entry"))
            && let Some(item) = self.item.take()
        {
            self.add(&item);
        }
    }

    fn text(&mut self, words: &str) {
        let [.., parent, name] = self.open.as_slice() else {
            return;
        };
        let entry = match (&mut self.item, parent.as_str()) {
            _ if self.deeper > 0 => return,
            (Some(item), "item" | "entry") => item,
            (None, "channel" | "feed") => &mut self.head,
            _ => return,
        };
        let into = match name.as_str() {
            "title" => &mut entry.title,
            "link" => entry.link.get_or_insert_default(),
            "guid" => entry.id.get_or_insert_default(),
            "description" | "subtitle" => &mut entry.description,
            name => {
                let mut dates = DATES.iter().zip(&mut entry.dates);
                match dates.find(|(date, _)| **date == name) {
                    Some((_, text)) => text,
                    None => return,
                }
            }
        };
        if into.len() < MAX_TEXT_BYTES {
            into.push_str(words);
        }
    }

    /// Adds the lines of the feed itself, before its first item.
    fn end_head(&mut self) {
        if std::mem::replace(&mut self.has_head, true) {
            return;
        }
        let head = std::mem::take(&mut self.head);
        let title = plain(&head.title);
        if !title.is_empty() {
            self.layout.title = Some(title.clone());
            let mut line = Line::new(Kind::Heading(1), title.clone());
            if let Some(link) = &head.link {
                let target = self.layout.add_target(link.trim().to_owned());
                line.links.push((0..line.text.len(), target));
            }
            self.layout.push(&line);
        }
        let description = plain(&head.description);
        if !description.is_empty() && description != title {
            self.layout.push(&Line::new(Kind::Plain, description));
        }
        if !self.layout.is_empty() {
            self.layout.push(&Line::new(Kind::Plain, String::new()));
        }
    }

    /// Adds the lines of an item.
    fn add(&mut self, item: &Entry) {
        self.items += 1;
        let title = plain(&item.title);
        let title = match title.as_str() {
            "" => "without a title",
            title => title,
        };
        let date = item.dates.iter().find_map(|date| day(date));
        let date = date.unwrap_or_default();
        let mut line = Line::new(Kind::Plain, format!("{date:<10}  "));
        line.hang = line.text.len();
        let start = line.text.len();
        line.text.push_str(title);
        let mut links = [item.link.as_ref(), item.id.as_ref()].into_iter();
        if let Some(link) = links.find(|link| is_filled(*link)).flatten() {
            let target = self.layout.add_target(link.trim().to_owned());
            line.links.push((start..line.text.len(), target));
        }
        self.layout.push(&line);
        for enclosure in &item.enclosures {
            let name = plain(enclosure.rsplit('/').next().unwrap_or_default());
            let mut line = Line::new(Kind::Plain, format!("{:12}[enclosure: {name}]", ""));
            line.hang = start;
            let target = self.layout.add_target(enclosure.trim().to_owned());
            line.links.push((start..line.text.len(), target));
            self.layout.push(&line);
        }
    }
}

/// The words of a text, which may contain markup, in one line.
fn plain(text: &str) -> String {
    let laid_out = |text: &str| {
        let layout = read::lay_out(text, Charset::utf_8(), DEFAULT_COLUMNS, false);
        let lines = layout.raw.lines_from(0);
        let lines: Vec<_> = lines.map(String::from_utf8_lossy).collect();
        lines.join(" ")
    };
    let text = if text.contains(['<', '&']) {
        laid_out(text)
    } else {
        text.to_owned()
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    Text::of(&words.join(" ")).to_string()
}

fn is_filled(text: Option<&String>) -> bool {
    text.is_some_and(|text| !text.trim().is_empty())
}

/// The day of a date in the form of RFC 3339, or in one that dates of messages have, as `2026-11-22`.
fn day(date: &str) -> Option<String> {
    let date = date.trim();
    let day = date.get(..10).and_then(|day| day.parse::<Date>().ok());
    let day = day.or_else(|| date::day(date.as_bytes()))?;
    Some(day.to_string())
}
