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

use super::FormatError;
use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, Entry, Item, LossReport};
use super::xml::{self, XmlEvent};

/// Field that the current text belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextField {
    Title,
    Note,
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

pub(super) fn read(text: &str) -> Result<BookmarkTree, FormatError> {
    let mut builder = TreeBuilder::default();
    let mut open_items: Vec<OpenItem> = vec![OpenItem::Top];
    let mut field = None;
    let mut noted = false;
    xml::read(text, |part| match part {
        XmlEvent::Start(name, attributes) => match name.as_str() {
            "folder" => {
                open(&mut builder, &mut open_items);
                open_items.push(OpenItem::Folder {
                    title: String::new(),
                    is_open: false,
                });
            }
            "bookmark" => {
                open(&mut builder, &mut open_items);
                open_items.push(OpenItem::Bookmark(entry(&attributes, &mut builder)));
            }
            "title" => field = Some(TextField::Title),
            "desc" => {
                field = Some(TextField::Note);
                noted = false;
            }
            "separator" => builder.losses().part("lines between entries"),
            "alias" => builder.losses().part("aliases"),
            "metadata" => builder.losses().part("metadata"),
            _ => {}
        },
        XmlEvent::Text(words) => match (field, open_items.last_mut()) {
            (Some(TextField::Title), Some(OpenItem::Folder { title, .. })) => {
                title.push_str(&words);
            }
            (Some(TextField::Title), Some(OpenItem::Bookmark(entry))) => {
                entry.title.push_str(&words);
            }
            (Some(TextField::Note), Some(OpenItem::Bookmark(entry))) => entry.note.push_str(&words),
            (Some(TextField::Note), Some(OpenItem::Folder { .. } | OpenItem::Top)) => {
                noted |= !words.trim().is_empty();
            }
            (Some(TextField::Title), Some(OpenItem::Top)) | (None, _) | (_, None) => {}
        },
        XmlEvent::End(name) => match name.as_str() {
            "title" => field = None,
            "desc" => {
                field = None;
                builder.losses().part_if(noted, "notes on folders");
                noted = false;
            }
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
    let added: Option<Timestamp> = value("added").parse().ok();
    Entry {
        url: value("href"),
        tags: value("tags").split(',').map(str::to_owned).collect(),
        added: added.map(Timestamp::as_second),
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
    let mut open = 0;
    for item in &tree.items {
        let above = match item {
            Item::Folder { depth, .. } => depth.saturating_sub(1),
            Item::Entry { depth, .. } => *depth,
        };
        close(&mut page, &mut open, above);
        let indent = "  ".repeat(open + 1);
        // Writing to a string cannot fail.
        let _ = match item {
            Item::Folder { name, .. } => {
                open += 1;
                writeln!(
                    page,
                    "{indent}<folder>\n{indent}  <title>{}</title>",
                    escaped(name)
                )
            }
            Item::Entry { entry, .. } => write!(page, "{}", bookmark(entry, &indent, losses)),
        };
    }
    close(&mut page, &mut open, 0);
    page.push_str("</xbel>\n");
    page
}

fn close(page: &mut String, open: &mut usize, to: usize) {
    while *open > to {
        page.push_str(&"  ".repeat(*open));
        page.push_str("</folder>\n");
        *open -= 1;
    }
}

fn bookmark(entry: &Entry, indent: &str, losses: &mut LossReport) -> String {
    let mut lines = format!("{indent}<bookmark href=\"{}\"", escaped(&entry.url));
    // Writing to a string cannot fail.
    let added = entry
        .added
        .and_then(|added| Timestamp::from_second(added).ok());
    if let Some(added) = added {
        let _ = write!(lines, " added=\"{added}\"");
    }
    if !entry.tags.is_empty() {
        let commas = entry.tags.iter().any(|tag| tag.contains(','));
        losses.part_if(commas, "commas in tags, which part tags there");
        let _ = write!(lines, " TAGS=\"{}\"", escaped(&entry.tags.join(",")));
    }
    let _ = writeln!(
        lines,
        ">\n{indent}  <title>{}</title>",
        escaped(&entry.title)
    );
    if !entry.note.is_empty() {
        let _ = writeln!(lines, "{indent}  <desc>{}</desc>", escaped(&entry.note));
    }
    let _ = writeln!(lines, "{indent}</bookmark>");
    lines
}

fn escaped(text: &str) -> std::borrow::Cow<'_, str> {
    quick_xml::escape::escape(text)
}
