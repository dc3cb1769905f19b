//! Property list in XML: `Bookmarks.plist` of Safari, and `.webloc` with one URL. Only read.
//!
//! ```text
//! folder = dict: Title, Children (an array)
//! entry  = dict: URLString, URIDictionary (title), ReadingList (DateAdded, PreviewText)
//! webloc = dict: URL
//! ```
//!
//! Safari itself writes the binary form: `plutil -convert xml1 -o Bookmarks.xml Bookmarks.plist` converts it.

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

pub(super) fn read(text: &str) -> Result<BookmarkTree, FormatError> {
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

/// Reads a folder, an entry, or the values of an array. The recursion is limited, as the parser limits the nesting of elements.
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
        let what = format!("values of “{}”", geomys_wire::text::Text::of(key));
        builder.losses().part_if(is_lost, &what);
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
