//! JSON: any objects with an address.
//!
//! The writer creates an array of objects with `title`, `url`, `folder` (an array of names, outermost first), `tags` (an
//! array), `note`, and `added` if it is set (seconds since 1970). The reader accepts the same, one such object per line, the
//! backups of Firefox, the `Bookmarks` of Chromium, the lists of buku and of Pinboard: an object with an address is an entry,
//! an object with `children` is a folder.

use serde::Serialize;
use serde_json::{Map, Value};

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, Entry, FormatError, LossReport};

/// Keys of an address.
const ADDRESSES: [&str; 4] = ["url", "uri", "href", "link"];

/// Keys that are read, or that hold no user data, separated by blanks.
const HANDLED_KEYS: &str = "url uri href link title name description note extended comment tags folder added children \
                            roots line error index id guid type typeCode version checksum";

pub(super) fn read(octets: &[u8]) -> Result<BookmarkTree, FormatError> {
    let octets = octets.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(octets);
    let mut reader = JsonReader::default();
    // One value, or several in sequence.
    for value in serde_json::Deserializer::from_slice(octets).into_iter::<Value>() {
        let value = value.map_err(|error| FormatError(error.to_string()))?;
        reader.value(&value, 0);
    }
    Ok(reader.builder.finish())
}

#[derive(Default)]
struct JsonReader {
    builder: TreeBuilder,
}

impl JsonReader {
    /// Reads a value inside `depth` open folders. The recursion is limited, as the parser limits the nesting of values.
    fn value(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Array(values) => {
                for value in values {
                    self.value(value, depth);
                }
            }
            Value::Object(object) => self.object(object, depth),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                self.builder.losses().part("values without a URL");
            }
        }
    }

    fn object(&mut self, object: &Map<String, Value>, depth: usize) {
        let mut addresses = ADDRESSES
            .iter()
            .filter_map(|key| object.get(*key)?.as_str());
        if let Some(url) = addresses.next() {
            return self.entry(object, url, depth);
        }
        if let Some(children) = object.get("children") {
            let name = first(object, &["title", "name"]).unwrap_or_default();
            // The root folder has no name.
            if name.trim().is_empty() && depth == 0 {
                return self.value(children, depth);
            }
            self.builder.go_below(depth, &[name]);
            return self.value(children, depth + 1);
        }
        match object.get("roots") {
            Some(Value::Object(roots)) => {
                for root in roots.values().filter(|root| root.is_object()) {
                    self.value(root, depth);
                }
            }
            Some(_) | None => self.builder.losses().part("values without a URL"),
        }
    }

    fn entry(&mut self, object: &Map<String, Value>, url: &str, depth: usize) {
        // Pinboard calls the title a description.
        let title = first(object, &["title", "name"]);
        let described = if title.is_some() {
            "description"
        } else {
            "extended"
        };
        let title = title.or_else(|| first(object, &["description"]));
        let note = first(object, &["note", described, "extended", "comment"]);
        let folder = list(object, "folder", |path| {
            path.split('/').map(str::trim).collect()
        });
        let folder: Vec<&str> = folder.into_iter().filter(|name| !name.is_empty()).collect();
        let tags = list(object, "tags", |tags| {
            if tags.contains(',') {
                tags.split(',').collect()
            } else {
                tags.split_whitespace().collect()
            }
        });
        for (key, value) in object {
            let is_empty = matches!(value, Value::Null) || value.as_str() == Some("");
            if !is_empty && !HANDLED_KEYS.split(' ').any(|handled| handled == key) {
                self.builder
                    .losses()
                    .part(&format!("values of “{}”", crate::text::Text::of(key)));
            }
        }
        self.builder.go_below(depth, &folder);
        self.builder.entry(&Entry {
            title: title.unwrap_or_default().to_owned(),
            url: url.to_owned(),
            tags: tags.into_iter().map(str::to_owned).collect(),
            note: note.unwrap_or_default().to_owned(),
            added: object.get("added").and_then(Value::as_i64),
        });
    }
}

/// Returns the first of these values that is a text and not empty.
fn first<'a>(object: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a str> {
    let mut values = keys.iter().filter_map(|key| object.get(*key)?.as_str());
    values.find(|value| !value.is_empty())
}

/// Returns the texts of an array, or the parts of a text.
fn list<'a>(
    object: &'a Map<String, Value>,
    key: &str,
    split: impl Fn(&'a str) -> Vec<&'a str>,
) -> Vec<&'a str> {
    match object.get(key) {
        Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(text)) => split(text),
        Some(_) | None => Vec::new(),
    }
}

#[derive(Serialize)]
struct JsonEntry<'a> {
    title: &'a str,
    url: &'a str,
    folder: Vec<&'a str>,
    tags: &'a [String],
    note: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    added: Option<i64>,
}

pub(super) fn write(tree: &BookmarkTree, losses: &mut LossReport) -> Vec<u8> {
    tree.report_lost_folders(losses);
    let mut lines = vec![b'['];
    for (number, (folder, entry)) in tree.entries().enumerate() {
        lines.extend_from_slice(if number == 0 { b"\n  " } else { b",\n  " });
        let written = JsonEntry {
            title: &entry.title,
            url: &entry.url,
            folder,
            tags: &entry.tags,
            note: &entry.note,
            added: entry.added,
        };
        // Serializing strings and numbers cannot fail.
        if let Ok(object) = serde_json::to_vec(&written) {
            lines.extend_from_slice(&object);
        }
    }
    lines.extend_from_slice(b"\n]\n");
    lines
}
