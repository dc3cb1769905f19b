//! XBEL 1.0, the XML Bookmark Exchange Language: what amfora, buku, Konqueror and elinks write.
//!
//! ```text
//! xbel     = [ title ] [ info ] [ desc ] *( folder / bookmark / alias / separator )
//! folder   = [ title ] [ info ] [ desc ] *( folder / bookmark / alias / separator )
//! bookmark = [ title ] [ info ] [ desc ]      ; href, added, visited, modified
//! ```
//!
//! There is no word for tags: buku has an attribute `TAGS` for them, and so has this.

use std::collections::BTreeMap;
use std::fmt::Write;

use jiff::Timestamp;

use super::Malformed;
use super::builder::Builder;
use super::shelf::{Entry, Item, Lost, Shelf};
use super::xml::{self, Part};

/// What text is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Into {
    Title,
    Note,
}

/// What the titles and notes that come are of.
enum Within {
    /// The whole.
    Top,
    /// A folder, which is opened when its title is known.
    Folder {
        title: String,
        is_open: bool,
    },
    Bookmark(Entry),
}

pub(super) fn read(text: &str) -> Result<Shelf, Malformed> {
    let mut builder = Builder::default();
    let mut within: Vec<Within> = vec![Within::Top];
    let mut into = None;
    let mut noted = false;
    xml::read(text, |part| match part {
        Part::Start(name, attributes) => match name.as_str() {
            "folder" => {
                open(&mut builder, &mut within);
                within.push(Within::Folder {
                    title: String::new(),
                    is_open: false,
                });
            }
            "bookmark" => {
                open(&mut builder, &mut within);
                within.push(Within::Bookmark(entry(&attributes, &mut builder)));
            }
            "title" => into = Some(Into::Title),
            "desc" => {
                into = Some(Into::Note);
                noted = false;
            }
            "separator" => builder.lost().part("lines between entries"),
            "alias" => builder.lost().part("aliases"),
            "metadata" => builder.lost().part("metadata"),
            _ => {}
        },
        Part::Text(words) => match (into, within.last_mut()) {
            (Some(Into::Title), Some(Within::Folder { title, .. })) => title.push_str(&words),
            (Some(Into::Title), Some(Within::Bookmark(entry))) => entry.title.push_str(&words),
            (Some(Into::Note), Some(Within::Bookmark(entry))) => entry.note.push_str(&words),
            (Some(Into::Note), Some(Within::Folder { .. } | Within::Top)) => {
                noted |= !words.trim().is_empty();
            }
            (Some(Into::Title), Some(Within::Top)) | (None, _) | (_, None) => {}
        },
        Part::End(name) => match name.as_str() {
            "title" => into = None,
            "desc" => {
                into = None;
                builder.lost().part_if(noted, "notes on folders");
                noted = false;
            }
            "folder" => {
                open(&mut builder, &mut within);
                within.pop();
                builder.close();
            }
            "bookmark" => {
                if let Some(Within::Bookmark(entry)) = within.pop() {
                    builder.entry(&entry);
                }
            }
            _ => {}
        },
    })?;
    Ok(builder.done())
}

fn open(builder: &mut Builder, within: &mut [Within]) {
    if let Some(Within::Folder { title, is_open }) = within.last_mut()
        && !*is_open
    {
        builder.open(title);
        *is_open = true;
    }
}

fn entry(attributes: &BTreeMap<String, String>, builder: &mut Builder) -> Entry {
    let value = |name: &str| attributes.get(name).cloned().unwrap_or_default();
    let is_dated = attributes.contains_key("visited") || attributes.contains_key("modified");
    let lost = builder.lost();
    lost.part_if(is_dated, "dates of change or visit");
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

pub(super) fn write(shelf: &Shelf, lost: &mut Lost) -> String {
    let mut page = HEAD.to_owned();
    let mut open = 0;
    for item in &shelf.items {
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
            Item::Entry { entry, .. } => write!(page, "{}", bookmark(entry, &indent, lost)),
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

fn bookmark(entry: &Entry, indent: &str, lost: &mut Lost) -> String {
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
        lost.part_if(commas, "commas in tags, which part tags there");
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
