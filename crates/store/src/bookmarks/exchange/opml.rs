//! OPML 2.0: outlines; those with an address are entries, those without are folders.

use std::fmt::Write;

use super::builder::TreeBuilder;
use super::date;
use super::tree::{BookmarkTree, Entry, FormatError, LossReport, TreeStep};
use super::xml::{self, COMMAS, XmlEvent, escaped, tags_attribute};

/// Attributes of an address, in order of preference.
const ADDRESSES: [&str; 3] = ["xmlurl", "url", "htmlurl"];

pub(super) fn read(text: &str) -> Result<BookmarkTree, FormatError> {
    let mut builder = TreeBuilder::default();
    // For each open outline, true if it is a folder.
    let mut open = Vec::new();
    xml::read(text, |part| match part {
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

const HEAD: &str = "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<opml version=\"2.0\">
  <head><title>Bookmarks</title></head>
  <body>
";

pub(super) fn write(tree: &BookmarkTree, losses: &mut LossReport) -> String {
    let mut page = HEAD.to_owned();
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
    let added = entry.added.and_then(date::rfc822);
    let added = added.map_or(String::new(), |added| format!(" created=\"{added}\""));
    format!("<outline type=\"link\" text=\"{title}\" url=\"{url}\"{added}{tags}{note}/>")
}
