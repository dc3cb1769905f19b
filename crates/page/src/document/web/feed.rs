//! Feeds: RSS 0.9 to 2.0, Atom (RFC 4287) and JSON Feed 1.0 and 1.1, as a list of links and the texts of the entries
//! below it.
//!
//! ```text
//! page  = [ title [ description ] ] *row *text
//! row   = date title            ; a link to the text, or to the page of an entry without one
//! text  = title *line           ; the title is a link to the page of the entry
//! ```
//!
//! A faulty feed is laid out up to the fault.

mod json;
mod xml;

use std::collections::BTreeMap;

use geomys_wire::text::{Charset, Text, shorten};
use jiff::civil::Date;
use rfc1738::Url;

use super::line::{Line, PageLayout};
use super::{DEFAULT_COLUMNS, read};
use crate::document::date::{self, TODAY, Zone};
use crate::document::entry::{PageEntry, identity, looks_like_url};
use crate::document::row::Kind;

/// The maximum number of items.
const ITEMS: usize = 10_000;

/// The columns of the title of an entry that is made of its text.
const FIRST_WORDS_COLUMNS: usize = 60;

/// The columns of a day and the gap behind it.
const DAY_COLUMNS: usize = 12;

/// The sign of a feed in JSON.
const JSON_VERSION: &[u8] = b"jsonfeed.org/version/1";

/// Returns true if a text begins like a feed: RSS, Atom, RSS 1.0 in RDF, or JSON Feed.
pub fn looks_like_feed(start: &[u8]) -> bool {
    let mut rest = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    loop {
        rest = rest.trim_ascii_start();
        let end: &[u8] = match rest {
            [b'{', ..] => {
                // Its slashes may be escaped.
                let plain: Vec<u8> = rest
                    .iter()
                    .copied()
                    .filter(|&octet| octet != b'\\')
                    .collect();
                return memchr::memmem::find(&plain, JSON_VERSION).is_some();
            }
            [b'<', b'?', ..] => b"?>",
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            [b'<', b'!', ..] => {
                let end = memchr::memchr2(b'[', b'>', rest);
                match end.and_then(|end| rest.get(end)) {
                    // The declarations of a document type stand in brackets.
                    Some(b'[') => b"]",
                    _ => b">",
                }
            }
            [b'>', ..] => b">",
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

/// A text of a feed or an item. Of several dates and texts of an item the first in this order counts: an entry of Atom
/// may have been updated since it was published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Field {
    Title,
    Link,
    /// An identifier that is no link.
    Id,
    /// An identifier that is a link, too.
    PermaLink,
    Published,
    PubDate,
    Date,
    Issued,
    Created,
    Updated,
    Modified,
    Encoded,
    Content,
    Description,
    Summary,
    Subtitle,
}

impl Field {
    const DATES: [Self; 7] = [
        Self::Published,
        Self::PubDate,
        Self::Date,
        Self::Issued,
        Self::Created,
        Self::Updated,
        Self::Modified,
    ];
    const TEXTS: [Self; 4] = [
        Self::Encoded,
        Self::Content,
        Self::Summary,
        Self::Description,
    ];
}

/// The texts and links of a feed or an item: titles and texts are HTML.
#[derive(Debug, Default)]
struct Item {
    fields: BTreeMap<Field, String>,
    enclosures: Vec<String>,
    /// The base of the references in its text, where it is not the URL of the feed.
    base: Option<Url>,
}

impl Item {
    /// Sets a field. The first text that is not blank counts.
    fn set(&mut self, field: Field, text: String) {
        if !text.trim().is_empty() {
            self.fields.entry(field).or_insert(text);
        }
    }

    fn get(&self, field: Field) -> Option<&str> {
        self.fields.get(&field).map(|text| text.trim())
    }

    fn first_of(&self, fields: &[Field]) -> Option<&str> {
        fields.iter().find_map(|field| self.get(*field))
    }

    /// The reference to its page. An identifier is one only if it is a URL.
    fn link(&self) -> Option<&str> {
        let id = self.get(Field::Id).filter(|id| looks_like_url(id));
        self.first_of(&[Field::Link, Field::PermaLink]).or(id)
    }

    /// The title, which is made of the first words of the text where there is none, or of the link.
    fn title(&self) -> String {
        let title = self.get(Field::Title).map(plain).unwrap_or_default();
        if !title.is_empty() {
            return title;
        }
        let text = self.text().map(plain).unwrap_or_default();
        let link = self.link().unwrap_or_default();
        let link = link.split_once("://").map_or(link, |(_, rest)| rest);
        let words = if text.is_empty() { plain(link) } else { text };
        shorten(&words, FIRST_WORDS_COLUMNS, "…")
    }

    fn text(&self) -> Option<&str> {
        let mut texts = Field::TEXTS.iter().filter_map(|field| self.get(*field));
        texts.find(|text| has_words(text))
    }

    fn day(&self) -> Option<Date> {
        let mut dates = Field::DATES.iter().filter_map(|field| self.get(*field));
        dates.find_map(day)
    }

    /// The item as an entry of the feed at `page`.
    fn entry(&self, page: &Url) -> PageEntry {
        let id = self.first_of(&[Field::Id, Field::PermaLink]);
        let link = self.link().and_then(|link| page.resolve(link).ok());
        let title = self.title();
        let id = identity(id, link.as_ref(), &title);
        PageEntry {
            url: link.unwrap_or_else(|| page.with_fragment(&PageEntry::anchor(&id))),
            date: self.day(),
            updated: self
                .first_of(&[Field::Updated, Field::Modified])
                .map(str::to_owned),
            id,
            title,
            has_text: self.text().is_some(),
        }
    }
}

/// A feed that was read.
#[derive(Debug, Default)]
struct Feed {
    head: Item,
    items: Vec<Item>,
    /// The number of octets that were read, where not all were.
    cut: Option<usize>,
}

/// Reads a feed at `url`; a damaged one up to the fault.
fn read_feed(feed: &str, url: &Url) -> Feed {
    if feed.trim_start().starts_with('{') {
        json::read(feed)
    } else {
        xml::read(feed, url)
    }
}

/// Returns the entries of the feed at `url`, in its order.
pub(super) fn entries(feed: &str, url: &Url) -> Vec<PageEntry> {
    let feed = read_feed(feed, url);
    feed.items.iter().map(|item| item.entry(url)).collect()
}

/// Lays out the feed at `url`, for a pane of this many columns in this zone. `is_cut` is true if it was truncated
/// before.
pub(super) fn lay_out(
    feed: &str,
    url: &Url,
    (columns, zone): (usize, &Zone),
    is_cut: bool,
) -> PageLayout {
    let read = read_feed(feed, url);
    let mut layout = FeedLayout {
        columns,
        page: PageLayout::default(),
    };
    layout.head(&read.head);
    let entries: Vec<(&Item, PageEntry)> = read
        .items
        .iter()
        .map(|item| (item, item.entry(url)))
        .collect();
    for (item, entry) in &entries {
        layout.row(item, entry, zone);
    }
    for (item, entry) in &entries {
        layout.text(item, entry);
    }
    let mut page = layout.page;
    if let Some(octets) = read.cut.or(is_cut.then_some(feed.len())) {
        page.note_cut(octets);
    }
    page
}

struct FeedLayout {
    columns: usize,
    page: PageLayout,
}

impl FeedLayout {
    /// Appends a line; its position is its number.
    fn push(&mut self, mut line: Line) {
        line.at = u32::try_from(self.page.raw.lines()).unwrap_or(u32::MAX);
        self.page.push(&line);
    }

    fn link(&mut self, line: &mut Line, start: usize, reference: &str) {
        let target = self.page.add_target(reference.to_owned());
        line.links.push((start..line.text.len(), target));
    }

    /// Adds the lines of the feed itself.
    fn head(&mut self, head: &Item) {
        let title = head.get(Field::Title).map(plain).unwrap_or_default();
        if !title.is_empty() {
            self.page.title = Some(title.clone());
            let mut line = Line::new(Kind::Heading(1), title.clone());
            if let Some(link) = head.get(Field::Link) {
                self.link(&mut line, 0, link);
            }
            self.push(line);
        }
        let description = head.first_of(&[Field::Subtitle, Field::Description]);
        let description = description.map(plain).unwrap_or_default();
        if !description.is_empty() && description != title {
            self.push(Line::new(Kind::Plain, description));
        }
        if !self.page.is_empty() {
            self.push(Line::new(Kind::Plain, String::new()));
        }
    }

    /// Adds the row of an item in the list.
    fn row(&mut self, item: &Item, entry: &PageEntry, zone: &Zone) {
        let date = entry.date.map(|date| zone.day_by_age(date));
        let date = date.unwrap_or_default();
        let mut line = Line::new(Kind::Plain, format!("{date:<10}  "));
        if date == TODAY {
            line.keys.push(0..TODAY.len());
        }
        line.hang = DAY_COLUMNS;
        line.text.push_str(match entry.title.as_str() {
            "" => "without a title",
            title => title,
        });
        if item.text().is_some() {
            let anchor = format!("#{}", PageEntry::anchor(&entry.id));
            self.link(&mut line, DAY_COLUMNS, &anchor);
        } else if let Some(link) = item.link() {
            self.link(&mut line, DAY_COLUMNS, link);
        }
        self.push(line);
        for enclosure in &item.enclosures {
            let name = plain(enclosure.rsplit('/').next().unwrap_or_default());
            let text = format!("{:DAY_COLUMNS$}[enclosure: {name}]", "");
            let mut line = Line::new(Kind::Plain, text);
            line.hang = DAY_COLUMNS;
            self.link(&mut line, DAY_COLUMNS, enclosure.trim());
            self.push(line);
        }
    }

    /// Adds the text of an item, below its title.
    fn text(&mut self, item: &Item, entry: &PageEntry) {
        let Some(text) = item.text() else {
            return;
        };
        self.push(Line::new(Kind::Plain, String::new()));
        let mut line = Line::new(Kind::Heading(2), entry.title.clone());
        line.level = 2;
        line.ids.push(PageEntry::anchor(&entry.id));
        if let Some(link) = item.link() {
            self.link(&mut line, 0, link);
        }
        self.push(line);
        let layout = read::lay_out(text, Charset::utf_8(), self.columns, false);
        self.page.has_tables |= layout.has_tables;
        let base = item.base.as_ref();
        for number in 0..layout.raw.lines() {
            let mut line = layout.line(number);
            for (range, reference) in layout.references(number) {
                let resolved = base.and_then(|base| base.resolve(reference).ok());
                let reference =
                    resolved.map_or_else(|| reference.to_owned(), |url| url.to_string());
                let target = self.page.add_target(reference);
                line.links.push((range, target));
            }
            self.push(line);
        }
    }
}

/// The words of a text in HTML, in one line.
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

/// Returns true for a text in HTML that shows something: it is no markup alone.
fn has_words(text: &str) -> bool {
    let mut parts = text.split('<').enumerate();
    parts.any(|(number, part)| {
        let words = match number {
            0 => part,
            _ => part.split_once('>').map_or("", |(_, words)| words),
        };
        !words.trim().is_empty() || number > 0 && part.starts_with("img")
    })
}

/// Returns plain text as HTML, with its lines.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.trim().replace('\n', "<br>")
}

/// The day of a date in the form of RFC 3339, or in one that dates of messages have.
fn day(date: &str) -> Option<Date> {
    let day = date.get(..10).and_then(|day| day.parse::<Date>().ok());
    day.or_else(|| date::day(date.as_bytes()))
}
