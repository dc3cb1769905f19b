//! Reading of RSS and Atom.
//!
//! ```text
//! rss / RDF / channel / feed    title, description / subtitle, link
//! item / entry                  title, link, guid / id, dates, content / summary / description, enclosure
//! ```
//!
//! Only children of an item or of the feed count: the `source` of an item has a title and a link of its own. Titles and
//! texts have the prefix of the item itself, except `content:encoded`: `media:title` is not the title. Dates and links
//! match without their prefixes. Elements in a text are a part of it (`type="xhtml"`). `&` alone, unknown names of
//! characters and end tags without a start are read on.

use geomys_wire::text::resolve_references;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use rfc1738::Url;

use super::{Feed, Field, ITEMS, Item, escaped};

/// Reads the feed at `url`.
pub(super) fn read(feed: &str, url: &Url) -> Feed {
    let mut reading = FeedReader {
        url,
        feed: Feed::default(),
        prefix: String::new(),
        item: None,
        is_atom: false,
        open: None,
    };
    let mut reader = Reader::from_str(feed);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    while reading.feed.items.len() < ITEMS {
        match reader.read_event() {
            Ok(Event::Start(start)) => reading.start(&start),
            Ok(Event::Empty(start)) => {
                reading.start(&start);
                reading.end(start.name().as_ref());
            }
            Ok(Event::End(end)) => reading.end(end.name().as_ref()),
            Ok(Event::Text(words)) => reading.text(&words),
            Ok(Event::CData(words)) => reading.text(&words),
            Ok(Event::GeneralRef(reference)) => reading.reference(&reference),
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    reading.end_field();
    reading.end_item();
    let mut feed_read = reading.feed;
    let position = usize::try_from(reader.buffer_position()).unwrap_or(feed.len());
    feed_read.cut = (feed_read.items.len() >= ITEMS).then_some(position);
    feed_read
}

struct FeedReader<'a> {
    url: &'a Url,
    feed: Feed,
    /// The prefix of the feed or of the open item, with the colon.
    prefix: String,
    item: Option<Item>,
    /// True in Atom, whose texts are plain unless their type says otherwise.
    is_atom: bool,
    /// The open child of the item or the feed.
    open: Option<OpenField>,
}

/// An open child of an item or of the feed.
struct OpenField {
    /// The field that its text is; nothing for an element that is left out.
    field: Option<Field>,
    text: String,
    /// The number of open elements inside it.
    depth: usize,
    /// True if its text has elements, and characters that are escaped once.
    is_markup: bool,
    /// True if its text is plain, and not HTML.
    is_plain: bool,
}

impl FeedReader<'_> {
    fn start(&mut self, element: &BytesStart<'_>) {
        let local = element.local_name().as_ref().to_ascii_lowercase();
        let full = element.name();
        let prefix = full.as_ref().strip_suffix(element.local_name().as_ref());
        let prefix = prefix.unwrap_or_default();
        match (local.as_str(), &mut self.open) {
            // The end of the item before may be missing.
            ("item" | "entry", _) => {
                self.end_field();
                self.end_item();
                prefix.clone_into(&mut self.prefix);
                let mut item = Item::default();
                if let Some(about) = value(element, "about") {
                    item.set(Field::PermaLink, about);
                }
                item.base.clone_from(&self.feed.head.base);
                self.item = Some(item);
                self.rebase(element);
            }
            (_, Some(open)) => {
                open.depth += 1;
                if open.field.is_some() {
                    open.is_markup = true;
                    open.text.extend(["<", &**element, ">"]);
                }
            }
            ("rss" | "rdf" | "channel" | "feed", None) if self.item.is_none() => {
                prefix.clone_into(&mut self.prefix);
                self.is_atom = local == "feed";
                self.rebase(element);
            }
            (name, None) => self.child(element, name, prefix),
        }
    }

    fn entry(&mut self) -> &mut Item {
        self.item.as_mut().unwrap_or(&mut self.feed.head)
    }

    /// Takes the base of an element and what is inside it.
    fn rebase(&mut self, element: &BytesStart<'_>) {
        if let Some(base) = value(element, "base") {
            let before = self.entry().base.clone();
            let base = before.as_ref().unwrap_or(self.url).resolve(&base).ok();
            self.entry().base = base.or(before);
        }
    }

    /// Opens a child of an item or of the feed.
    fn child(&mut self, element: &BytesStart<'_>, name: &str, prefix: &str) {
        let is_own = prefix == self.prefix;
        let kind = value(element, "type").unwrap_or_default();
        let is_link = matches!(name, "link" | "enclosure");
        let reference = value(element, "href").or_else(|| value(element, "url"));
        let field = match name {
            _ if is_link && reference.is_some() => {
                self.reference_of(element, name, reference.unwrap_or_default());
                None
            }
            "link" => Some(Field::Link),
            "guid" if value(element, "isPermaLink").as_deref() == Some("false") => Some(Field::Id),
            "guid" => Some(Field::PermaLink),
            "id" if is_own => Some(Field::Id),
            "title" if is_own => Some(Field::Title),
            "encoded" => Some(Field::Encoded),
            // The content may be a file.
            "content" if is_own && is_text(&kind) => Some(Field::Content),
            "description" if is_own => Some(Field::Description),
            "summary" if is_own => Some(Field::Summary),
            "subtitle" | "tagline" if is_own => Some(Field::Subtitle),
            "published" => Some(Field::Published),
            "pubdate" => Some(Field::PubDate),
            "date" => Some(Field::Date),
            "issued" => Some(Field::Issued),
            "created" => Some(Field::Created),
            "updated" => Some(Field::Updated),
            "modified" => Some(Field::Modified),
            _ => None,
        };
        if field.is_some_and(|field| Field::TEXTS.contains(&field)) {
            self.rebase(element);
        }
        let is_plain = match kind.as_str() {
            "text" | "text/plain" => true,
            "" => self.is_atom,
            _ => false,
        };
        self.open = Some(OpenField {
            field,
            text: String::new(),
            depth: 0,
            is_markup: false,
            is_plain,
        });
    }

    /// Takes the link in an attribute.
    fn reference_of(&mut self, element: &BytesStart<'_>, name: &str, reference: String) {
        let rel = value(element, "rel").unwrap_or_default();
        let base = value(element, "base");
        let entry = self.entry();
        match (name, rel.as_str()) {
            ("enclosure", _) | (_, "enclosure") => entry.enclosures.push(reference),
            (_, "" | "alternate") => {
                let reference = match base.and_then(|base| self.url.resolve(&base).ok()) {
                    Some(base) => base
                        .resolve(&reference)
                        .map_or(reference, |url| url.to_string()),
                    None => reference,
                };
                self.set(Field::Link, reference);
            }
            _ => {}
        }
    }

    /// Sets a field of the item or the feed; a link is resolved on their base.
    fn set(&mut self, field: Field, text: String) {
        let entry = self.entry();
        let base = entry.base.as_ref().filter(|_| field == Field::Link);
        let resolved = base.and_then(|base| base.resolve(text.trim()).ok());
        let text = resolved.map_or(text, |url| url.to_string());
        entry.set(field, text);
    }

    fn text(&mut self, words: &str) {
        if let Some(open) = self.open.as_mut().filter(|open| open.field.is_some()) {
            open.text.push_str(words);
        }
    }

    fn reference(&mut self, name: &str) {
        let reference = format!("&{name};");
        if self.open.as_ref().is_some_and(|open| open.is_markup) {
            self.text(&reference);
        } else {
            self.text(&resolve_references(&reference));
        }
    }

    fn end(&mut self, name: &str) {
        let local = name.rsplit(':').next().unwrap_or_default();
        match &mut self.open {
            _ if matches!(local, "item" | "entry") => {
                self.end_field();
                self.end_item();
            }
            Some(open) if open.depth > 0 => {
                open.depth -= 1;
                if open.field.is_some() {
                    open.text.extend(["</", local, ">"]);
                }
            }
            _ => self.end_field(),
        }
    }

    fn end_field(&mut self) {
        let Some(open) = self.open.take() else {
            return;
        };
        let Some(field) = open.field else {
            return;
        };
        let is_text =
            field == Field::Title || Field::TEXTS.contains(&field) || field == Field::Subtitle;
        let text = if open.is_plain && !open.is_markup && is_text {
            escaped(&open.text)
        } else {
            open.text
        };
        self.set(field, text);
    }

    fn end_item(&mut self) {
        self.feed.items.extend(self.item.take());
    }
}

/// Returns true for the type of a text in a feed.
fn is_text(kind: &str) -> bool {
    let is_markup = kind.ends_with("html") || kind.ends_with("html+xml");
    kind.is_empty() || is_markup || kind == "text" || kind.starts_with("text/")
}

/// The value of an attribute, whose name is compared without its prefix.
fn value(element: &BytesStart<'_>, wanted: &str) -> Option<String> {
    let mut attributes = element.html_attributes();
    let mut attributes = attributes.with_checks(false).flatten();
    let found = attributes.find(|found| {
        let name = found.key.as_ref();
        name.rsplit(':').next() == Some(wanted)
    })?;
    Some(resolve_references(&found.value))
}
