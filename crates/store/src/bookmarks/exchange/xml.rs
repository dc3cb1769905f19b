//! XBEL and OPML, and the XML of all formats: elements, attributes and text. Other nodes are ignored.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

use geomys_wire::text::resolve_references;
use jiff::Timestamp;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::builder;
use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, Entry, FOLDER_DATES, FormatError, LossReport, TreeStep};

/// Maximum nesting depth of elements.
const MAX_DEPTH: usize = 512;

/// Event of the XML parser.
pub(super) enum XmlEvent {
    /// Start of an element: its name without a prefix, and its attributes; names are in lower case.
    Start(String, BTreeMap<String, String>),
    /// Text in the current element.
    Text(String),
    /// End of the element of this name; an empty element has a start and an end, too.
    End(String),
}

/// Parses a document and passes its events to `take`.
pub(super) fn read(text: &str, mut take: impl FnMut(XmlEvent)) -> Result<(), FormatError> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let mut depth = 0_usize;
    loop {
        let event = reader.read_event().map_err(|error| {
            let at = usize::try_from(reader.error_position()).unwrap_or_default();
            let before = text.get(..at).unwrap_or(text);
            let line = before.matches('\n').count() + 1;
            FormatError(format!("line {line}: {error}"))
        })?;
        match event {
            Event::Start(start) => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(FormatError("elements are nested too deep".to_owned()));
                }
                let name = name(start.local_name().as_ref());
                take(XmlEvent::Start(name, attributes(&start)));
            }
            Event::Empty(start) => {
                let name = name(start.local_name().as_ref());
                take(XmlEvent::Start(name.clone(), attributes(&start)));
                take(XmlEvent::End(name));
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                take(XmlEvent::End(name(end.local_name().as_ref())));
            }
            Event::Text(words) => take(XmlEvent::Text(words.to_string())),
            Event::CData(words) => take(XmlEvent::Text(words.to_string())),
            Event::GeneralRef(reference) => {
                let entity = format!("&{};", &*reference);
                take(XmlEvent::Text(resolve_references(&entity)));
            }
            Event::Eof if depth > 0 => {
                return Err(FormatError("it ends in the middle".to_owned()));
            }
            Event::Eof => return Ok(()),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

fn name(written: &str) -> String {
    written.to_ascii_lowercase()
}

fn attributes(start: &BytesStart<'_>) -> BTreeMap<String, String> {
    let mut attributes = start.html_attributes();
    let attributes = attributes.with_checks(false).flatten();
    attributes
        .map(|attribute| {
            let value = &attribute.value;
            (
                name(attribute.key.local_name().as_ref()),
                resolve_references(value),
            )
        })
        .collect()
}

/// Escapes a text or a value of an attribute.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    quick_xml::escape::escape(text)
}

/// Formats the tags of an entry as an attribute of this name, with a comma between them; empty without tags.
pub(super) fn tags_attribute(entry: &Entry, name: &str) -> String {
    match entry.tags.join(",") {
        tags if tags.is_empty() => String::new(),
        tags => format!(" {name}=\"{}\"", escaped(&tags)),
    }
}

/// Loss of a tag with a comma in it.
pub(super) const COMMAS: &str = "commas in tags, which separate tags there";

/// Attributes of an address, in order of preference.
const ADDRESSES: [&str; 3] = ["xmlurl", "url", "htmlurl"];

/// Parses OPML 2.0: outlines; those with an address are entries, those without are folders.
pub(super) fn read_opml(text: &str) -> Result<BookmarkTree, FormatError> {
    let mut builder = TreeBuilder::default();
    // For each open outline, true if it is a folder.
    let mut open = Vec::new();
    read(text, |part| match part {
        XmlEvent::Start(name, attributes) if name == "outline" => {
            let value = |name: &str| attributes.get(name).cloned().unwrap_or_default();
            let label = [value("text"), value("title")];
            let title = label.into_iter().find(|title| !title.is_empty());
            let mut addresses = ADDRESSES.map(value).into_iter();
            let url = addresses.find(|url| !url.is_empty());
            open.push(url.is_none());
            let Some(url) = url else {
                builder.open(&title.unwrap_or_default());
                return;
            };
            let others = addresses.filter(|other| !other.is_empty() && *other != url);
            let losses = builder.losses();
            losses.part_if(others.count() > 0, "second addresses");
            let added = builder.date(&value("created"));
            builder.entry(&Entry {
                title: title.unwrap_or_default(),
                url,
                tags: value("category").split(',').map(str::to_owned).collect(),
                note: value("description"),
                added,
            });
        }
        XmlEvent::End(name) if name == "outline" => {
            if open.pop() == Some(true) {
                builder.close();
            }
        }
        XmlEvent::Start(..) | XmlEvent::Text(_) | XmlEvent::End(_) => {}
    })?;
    Ok(builder.finish())
}

const OPML_HEAD: &str = "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<opml version=\"2.0\">
  <head><title>Bookmarks</title></head>
  <body>
";

pub(super) fn write_opml(tree: &BookmarkTree, losses: &mut LossReport) -> String {
    let mut page = OPML_HEAD.to_owned();
    for (depth, step) in tree.steps() {
        let indent = "  ".repeat(depth + 2);
        // Writing to a string cannot fail.
        let _ = match step {
            TreeStep::Open(folder) => {
                writeln!(page, "{indent}<outline text=\"{}\">", escaped(&folder.name))
            }
            TreeStep::Entry(entry) => writeln!(page, "{indent}{}", outline(entry, losses)),
            TreeStep::Close => writeln!(page, "{indent}</outline>"),
        };
    }
    page.push_str("  </body>\n</opml>\n");
    page
}

fn outline(entry: &Entry, losses: &mut LossReport) -> String {
    losses.part_if(entry.tags.iter().any(|tag| tag.contains(',')), COMMAS);
    let (title, url) = (escaped(&entry.title), escaped(&entry.url));
    let tags = tags_attribute(entry, "category");
    let note = match entry.note.as_str() {
        "" => String::new(),
        // In an attribute a line end would become a blank.
        note => {
            let note = escaped(note).replace('\n', "&#10;").replace('\t', "&#9;");
            format!(" description=\"{note}\"")
        }
    };
    let added = entry.added.and_then(builder::rfc822);
    let added = added.map_or(String::new(), |added| format!(" created=\"{added}\""));
    format!("<outline type=\"link\" text=\"{title}\" url=\"{url}\"{added}{tags}{note}/>")
}

/// Open element that titles and notes belong to.
enum OpenItem {
    /// Top level.
    Top,
    /// Folder, which is opened after its title was read.
    Folder {
        title: String,
        is_open: bool,
    },
    Bookmark(Entry),
}

/// Parses XBEL 1.0, the XML Bookmark Exchange Language: the format of amfora, buku, Konqueror and elinks.
///
/// ```text
/// xbel     = [ title ] [ info ] [ desc ] *( folder / bookmark / alias / separator )
/// folder   = [ title ] [ info ] [ desc ] *( folder / bookmark / alias / separator )
/// bookmark = [ title ] [ info ] [ desc ]      ; href, added, visited, modified
/// ```
///
/// XBEL has no tags: like buku, the attribute `TAGS` is used for them.
pub(super) fn read_xbel(document: &str) -> Result<BookmarkTree, FormatError> {
    let mut builder = TreeBuilder::default();
    let mut open_items: Vec<OpenItem> = vec![OpenItem::Top];
    // Text of the open title or note.
    let mut text: Option<String> = None;
    read(document, |part| match part {
        XmlEvent::Start(name, attributes) => match name.as_str() {
            "folder" => {
                open(&mut builder, &mut open_items);
                builder
                    .losses()
                    .part_if(attributes.contains_key("added"), FOLDER_DATES);
                open_items.push(OpenItem::Folder {
                    title: String::new(),
                    is_open: false,
                });
            }
            "bookmark" => {
                open(&mut builder, &mut open_items);
                open_items.push(OpenItem::Bookmark(entry(&attributes, &mut builder)));
            }
            // Konqueror has the date in an element.
            "title" | "desc" | "time_added" => text = Some(String::new()),
            "separator" => builder.losses().part("separators"),
            "alias" => builder.losses().part("aliases"),
            "metadata" => builder.losses().part("metadata"),
            _ => {}
        },
        XmlEvent::Text(words) => {
            if let Some(text) = &mut text {
                text.push_str(&words);
            }
        }
        XmlEvent::End(name) => match name.as_str() {
            "title" => match (open_items.last_mut(), text.take()) {
                (Some(OpenItem::Folder { title, .. }), Some(text)) => title.push_str(&text),
                (Some(OpenItem::Bookmark(entry)), Some(text)) => entry.title.push_str(&text),
                (Some(OpenItem::Top) | None, _) | (_, None) => {}
            },
            "desc" => match (open_items.last_mut(), text.take()) {
                (Some(OpenItem::Bookmark(entry)), Some(text)) => entry.note.push_str(&text),
                (_, text) => {
                    let is_lost = text.is_some_and(|text| !text.trim().is_empty());
                    builder.losses().part_if(is_lost, "notes on folders");
                }
            },
            "time_added" => match (open_items.last_mut(), text.take()) {
                (Some(OpenItem::Bookmark(entry)), Some(text)) => {
                    entry.added = entry.added.or_else(|| builder.date(&text));
                }
                (_, text) => builder.losses().part_if(text.is_some(), FOLDER_DATES),
            },
            "folder" => {
                open(&mut builder, &mut open_items);
                open_items.pop();
                builder.close();
            }
            "bookmark" => {
                if let Some(OpenItem::Bookmark(entry)) = open_items.pop() {
                    builder.entry(&entry);
                }
            }
            _ => {}
        },
    })?;
    Ok(builder.finish())
}

fn open(builder: &mut TreeBuilder, open_items: &mut [OpenItem]) {
    if let Some(OpenItem::Folder { title, is_open }) = open_items.last_mut()
        && !*is_open
    {
        builder.open(title);
        *is_open = true;
    }
}

fn entry(attributes: &BTreeMap<String, String>, builder: &mut TreeBuilder) -> Entry {
    let value = |name: &str| attributes.get(name).cloned().unwrap_or_default();
    let is_dated = attributes.contains_key("visited") || attributes.contains_key("modified");
    let losses = builder.losses();
    losses.part_if(is_dated, "dates of change or visit");
    let added = builder.date(&value("added"));
    Entry {
        url: value("href"),
        tags: value("tags").split(',').map(str::to_owned).collect(),
        added,
        ..Entry::default()
    }
}

const XBEL_HEAD: &str = "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<!DOCTYPE xbel PUBLIC \"+//IDN python.org//DTD XML Bookmark Exchange Language 1.0//EN//XML\" \
\"http://pyxml.sourceforge.net/topics/dtds/xbel.dtd\">
<xbel version=\"1.0\">
";

pub(super) fn write_xbel(tree: &BookmarkTree, losses: &mut LossReport) -> String {
    let mut page = XBEL_HEAD.to_owned();
    for (depth, step) in tree.steps() {
        let indent = "  ".repeat(depth + 1);
        // Writing to a string cannot fail.
        let _ = match step {
            TreeStep::Open(folder) => {
                let name = escaped(&folder.name);
                writeln!(page, "{indent}<folder>\n{indent}  <title>{name}</title>")
            }
            TreeStep::Entry(entry) => write!(page, "{}", bookmark(entry, &indent, losses)),
            TreeStep::Close => writeln!(page, "{indent}</folder>"),
        };
    }
    page.push_str("</xbel>\n");
    page
}

fn bookmark(entry: &Entry, indent: &str, losses: &mut LossReport) -> String {
    losses.part_if(entry.tags.iter().any(|tag| tag.contains(',')), COMMAS);
    let added = entry
        .added
        .and_then(|added| Timestamp::from_second(added).ok());
    let added = added.map_or(String::new(), |added| format!(" added=\"{added}\""));
    let mut lines = format!(
        "{indent}<bookmark href=\"{}\"{added}{}>\n{indent}  <title>{}</title>\n",
        escaped(&entry.url),
        tags_attribute(entry, "TAGS"),
        escaped(&entry.title)
    );
    if !entry.note.is_empty() {
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "{indent}  <desc>{}</desc>", escaped(&entry.note));
    }
    lines + indent + "</bookmark>\n"
}
