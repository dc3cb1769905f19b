//! XBEL 1.0, the XML Bookmark Exchange Language: the format of amfora, buku, Konqueror and elinks.
//!
//! ```text
//! xbel     = [ title ] [ info ] [ desc ] *( folder / bookmark / alias / separator )
//! folder   = [ title ] [ info ] [ desc ] *( folder / bookmark / alias / separator )
//! bookmark = [ title ] [ info ] [ desc ]      ; href, added, visited, modified
//! ```
//!
//! XBEL has no tags: like buku, the attribute `TAGS` is used for them.

use std::collections::BTreeMap;
use std::fmt::Write;

use jiff::Timestamp;

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, Entry, FOLDER_DATES, FormatError, LossReport, TreeStep};
use super::xml::{self, COMMAS, XmlEvent, escaped, tags_attribute};

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

pub(super) fn read(document: &str) -> Result<BookmarkTree, FormatError> {
    let mut builder = TreeBuilder::default();
    let mut open_items: Vec<OpenItem> = vec![OpenItem::Top];
    // Text of the open title or note.
    let mut text: Option<String> = None;
    xml::read(document, |part| match part {
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
            "separator" => builder.losses().part("lines between entries"),
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

const HEAD: &str = "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<!DOCTYPE xbel PUBLIC \"+//IDN python.org//DTD XML Bookmark Exchange Language 1.0//EN//XML\" \
\"http://pyxml.sourceforge.net/topics/dtds/xbel.dtd\">
<xbel version=\"1.0\">
";

pub(super) fn write(tree: &BookmarkTree, losses: &mut LossReport) -> String {
    let mut page = HEAD.to_owned();
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
