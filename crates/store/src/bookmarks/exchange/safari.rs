//! Formats that are only read: the property list of Safari, and files of one bookmark.

use serde_json::{Map, Value};

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, Entry, FormatError};
use super::xml::{self, XmlEvent};

/// Keys that are read, or that hold no user data, separated by blanks.
const HANDLED_KEYS: &str = "Title Children URLString URIDictionary URL ReadingList DateAdded WebBookmarkType WebBookmarkUUID \
                            WebBookmarkFileVersion WebBookmarkIdentifier Sync ReadingListNonSync imageURL";

/// Array or dictionary that is read, with the key of the next value.
struct Open {
    value: Value,
    key: String,
}

/// Parses a property list in XML: `Bookmarks.plist` of Safari, and `.webloc` with one URL.
///
/// ```text
/// folder = dict: Title, Children (an array)
/// entry  = dict: URLString, URIDictionary (title), ReadingList (DateAdded, PreviewText)
/// webloc = dict: URL
/// ```
///
/// Safari itself writes the binary form: `plutil -convert xml1 -o Bookmarks.xml Bookmarks.plist` converts it.
pub(super) fn read_safari(text: &str) -> Result<BookmarkTree, FormatError> {
    let mut builder = TreeBuilder::default();
    let top = Open {
        value: Value::Array(Vec::new()),
        key: String::new(),
    };
    let mut open = vec![top];
    let mut words = String::new();
    xml::read(text, |part| match part {
        XmlEvent::Start(name, _) => {
            words.clear();
            let value = match name.as_str() {
                "dict" => Value::Object(Map::new()),
                "array" => Value::Array(Vec::new()),
                _ => return,
            };
            let key = String::new();
            open.push(Open { value, key });
        }
        XmlEvent::Text(text) => words.push_str(&text),
        XmlEvent::End(name) => {
            let value = match name.as_str() {
                "dict" | "array" if open.len() > 1 => open.pop().map(|done| done.value),
                "string" | "integer" | "real" | "date" => {
                    Some(Value::String(std::mem::take(&mut words)))
                }
                "true" => Some(Value::Bool(true)),
                "key" => {
                    if let Some(inner) = open.last_mut() {
                        inner.key = std::mem::take(&mut words);
                    }
                    None
                }
                _ => None,
            };
            match (open.last_mut(), value) {
                (
                    Some(Open {
                        value: Value::Array(values),
                        ..
                    }),
                    Some(value),
                ) => values.push(value),
                (
                    Some(Open {
                        value: Value::Object(values),
                        key,
                    }),
                    Some(value),
                ) => {
                    values.insert(std::mem::take(key), value);
                }
                _ => {}
            }
        }
    })?;
    for done in open {
        item(&done.value, true, &mut builder);
    }
    Ok(builder.finish())
}

/// Reads a folder, an entry, or the values of an array. The recursion is limited, as the parser limits the nesting of
/// elements.
fn item(value: &Value, is_top: bool, builder: &mut TreeBuilder) {
    if let Value::Array(values) = value {
        for value in values {
            item(value, is_top, builder);
        }
    }
    let Value::Object(object) = value else {
        return;
    };
    for (key, value) in object {
        let is_lost =
            !HANDLED_KEYS.split(' ').any(|handled| handled == key) && value.as_str() != Some("");
        builder.losses().field_if(is_lost, key);
    }
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let inner =
        |outer: &str, key: &str| object.get(outer).and_then(|value| value.get(key)?.as_str());
    let url = ["URLString", "URL"]
        .map(text)
        .into_iter()
        .find(|url| !url.is_empty());
    if let Some(url) = url {
        let date = inner("ReadingList", "DateAdded").unwrap_or(text("DateAdded"));
        let added = builder.date(date);
        builder.entry(&Entry {
            title: inner("URIDictionary", "title")
                .unwrap_or(text("Title"))
                .to_owned(),
            url: url.to_owned(),
            note: inner("ReadingList", "PreviewText")
                .unwrap_or_default()
                .to_owned(),
            added,
            ..Entry::default()
        });
    } else if let Some(children) = object.get("Children") {
        // The root has no name.
        let is_folder = !(is_top && text("Title").is_empty());
        if is_folder {
            builder.open(text("Title"));
        }
        item(children, false, builder);
        if is_folder {
            builder.close();
        }
    } else {
        builder.losses().entry(text("Title"), "it has no URL");
    }
}

/// Sections that have the URL, in lower case.
const SECTIONS: [&str; 2] = ["[internetshortcut]", "[desktop entry]"];

/// Sections of one of which every such file has the head at its start, in lower case.
pub(super) const FIRST_LINES: [&[u8]; 4] = [
    b"[default]",
    b"[internetshortcut]",
    b"[{000214a0-0000-0000-c000-000000000046}]",
    b"[desktop entry]",
];

/// Keys that are read, or that hold no user data, separated by blanks.
const SHORTCUT_KEYS: &str = "url name comment type version encoding iconindex hotkey idlist prop3";

/// Parses a file of one bookmark: `.url` of Internet Explorer, or `.desktop` of free desktops. The title is the
/// name of the file.
///
/// ```text
/// [InternetShortcut]
/// URL=http://www.example.com/
/// Modified=F0A0A5D5B9E2C30123      ; the time of a change, in hexadecimal digits
/// ```
pub(super) fn read_shortcut(text: &str) -> BookmarkTree {
    let mut builder = TreeBuilder::default();
    let mut entry = Entry::default();
    let (mut base, mut is_ours) = ("", false);
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            is_ours = SECTIONS
                .iter()
                .any(|section| line.eq_ignore_ascii_case(section));
            continue;
        }
        let Some((name, value)) = line.split_once('=') else {
            continue;
        };
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
        match name.as_str() {
            "url" if is_ours => value.clone_into(&mut entry.url),
            "name" if is_ours => value.clone_into(&mut entry.title),
            "comment" if is_ours => value.clone_into(&mut entry.note),
            "iconfile" | "icon" => builder.losses().part("pictures"),
            "modified" => builder.losses().part("dates of change or visit"),
            // The address of the page in whose frames the URL is shown.
            "baseurl" | "origurl" => base = value,
            _ => {
                let is_handled = SHORTCUT_KEYS.split(' ').any(|handled| handled == name);
                let is_lost = !value.is_empty() && !is_handled;
                builder.losses().field_if(is_lost, &name);
            }
        }
    }
    let has_other = !base.is_empty() && base != entry.url;
    builder.losses().part_if(has_other, "second addresses");
    builder.entry(&entry);
    builder.finish()
}
