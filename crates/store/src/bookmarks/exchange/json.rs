//! JSON: any objects with an address.
//!
//! The writer creates an array of objects with `title`, `url`, `folder` (an array of names, outermost first), `tags`
//! (an array), `note`, and `added` if it is set (seconds since 1970). The reader accepts the same, one such object per
//! line, the backups of Firefox, Linkwarden and Karakeep, the `Bookmarks` of Chromium, the lists of buku and of
//! Pinboard: an object with an address is an entry, an object with `children` or `links` is a folder, and every other
//! object is searched for both. The folders of Linkwarden (`collections`) and Karakeep (`lists`) name the one around
//! them by its `id`.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Map, Value};

use super::builder::TreeBuilder;
use super::columns::Field;
use super::pinboard::quoted_blocks;
use super::tree::{BookmarkTree, Entry, FOLDER_DATES, FormatError, LossReport};

/// Keys of other dates.
const OTHER_DATES: [&str; 7] = [
    "lastModified",
    "date_modified",
    "date_last_used",
    "updatedAt",
    "updated_at",
    "modified",
    "last_visited",
];

/// Keys beside those of [`Field`] that are read, or that hold no user data, separated by blanks.
const HANDLED_KEYS: &str = "children annos content lists collectionId parentId roots root line error index id guid type typeCode \
                            version checksum";

pub(super) fn read(octets: &[u8]) -> Result<BookmarkTree, FormatError> {
    let octets = octets.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(octets);
    let octets = with_whole_letters(octets);
    let mut reader = JsonReader::default();
    // One value, or several in sequence.
    for value in serde_json::Deserializer::from_slice(&octets).into_iter::<Value>() {
        let value = value.map_err(|error| FormatError(error.to_string()))?;
        reader.value(&value, 0);
    }
    Ok(reader.builder.finish())
}

/// Replaces the escapes of half a letter (RFC 8259, section 8.2), which the parser refuses with all the rest, by
/// U+FFFD. A program that cuts a title between two halves writes them.
fn with_whole_letters(octets: &[u8]) -> Cow<'_, [u8]> {
    /// Returns the unit that an escape at an offset stands for.
    fn unit(octets: &[u8], at: usize) -> Option<u16> {
        let digits = octets.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
    }
    let mut repaired = Cow::Borrowed(octets);
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', octets.get(at..).unwrap_or_default()) {
        at += found;
        at += match (unit(octets, at), unit(octets, at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                if let Some(escape) = repaired.to_mut().get_mut(at..at + 6) {
                    escape.copy_from_slice(b"\\uFFFD");
                }
                6
            }
            (Some(_), _) => 6,
            // An escaped backslash begins no escape.
            (None, _) => 2,
        };
    }
    repaired
}

#[derive(Default)]
struct JsonReader {
    builder: TreeBuilder,
    folders: JsonFolders,
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
        let content = object.get("content").and_then(Value::as_object);
        if let Some(url) = address(object).or_else(|| address(content?)) {
            return self.entry(object, url, depth);
        }
        self.folders.add(object);
        let title = first(object, &["title", "name"]).unwrap_or_default();
        let path = self.folders.path_of(object);
        if let Some(children) = object.get("children") {
            self.count_folder(object);
            // The root folder has no name.
            if title.trim().is_empty() && depth == 0 {
                return self.value(children, depth);
            }
            self.builder.go_below(depth, &[title]);
            self.value(children, depth + 1);
        } else if let (Some(links), Some(path)) = (object.get("links"), path) {
            self.count_folder(object);
            self.builder.go(&path);
            self.value(links, path.len());
        } else if !self.search(object, depth) {
            let losses = self.builder.losses();
            if object.get("type").and_then(Value::as_str) == Some("text/x-moz-place-separator") {
                losses.part("separators");
            } else if title.is_empty() && content.is_none() {
                losses.part("values without a URL");
            } else {
                losses.entry(title, "it has no URL");
            }
        }
    }

    /// Searches the values of an object for entries; returns false if no value can hold any.
    fn search(&mut self, object: &Map<String, Value>, depth: usize) -> bool {
        let mut has_values = false;
        for (key, value) in object {
            let is_searched = match value {
                Value::Array(values) => values
                    .iter()
                    .any(|value| value.is_object() || value.is_array()),
                Value::Object(_) => true,
                _ => false,
            };
            if key == "pinnedLinks" {
                // They are in their collections too.
                self.builder
                    .losses()
                    .part_if(is_searched, "marks of pinned links");
            } else if is_searched && !["lists", "tags", "content", "annos"].contains(&key.as_str())
            {
                has_values = true;
                self.value(value, depth);
            }
        }
        if has_values {
            self.count_other_values(object, true);
        }
        has_values
    }

    /// Counts what a folder has beside its name and entries.
    fn count_folder(&mut self, object: &Map<String, Value>) {
        let is_dated = date(object).is_some();
        let has_note = first(object, &["description", "note"]).is_some();
        let losses = self.builder.losses();
        losses.part_if(is_dated, FOLDER_DATES);
        losses.part_if(has_note, "notes on folders");
        self.count_other_values(object, true);
    }

    /// Counts the values that no field of an entry holds; those that were searched are none of them.
    fn count_other_values(&mut self, object: &Map<String, Value>, is_searched: bool) {
        for (key, value) in object {
            let is_empty = match value {
                Value::Null => true,
                Value::Bool(is_set) => !is_set,
                Value::String(text) => text.is_empty() || text == "0",
                Value::Array(values) => values.is_empty() || is_searched,
                Value::Object(values) => values.is_empty() || is_searched,
                Value::Number(_) => false,
            };
            if OTHER_DATES.contains(&key.as_str()) {
                self.builder
                    .losses()
                    .part_if(!is_empty, "dates of change or visit");
                continue;
            }
            let is_handled = Field::named(key).is_some()
                || HANDLED_KEYS.split(' ').any(|handled| handled == key);
            self.builder
                .losses()
                .field_if(!is_empty && !is_handled, key);
        }
    }

    fn entry(&mut self, object: &Map<String, Value>, url: &str, depth: usize) {
        let title = field_texts(object, Field::Title).next();
        let mut notes = field_texts(object, Field::Note);
        // Pinboard calls the title a description.
        let described = first(object, &["description"]).filter(|_| title.is_none());
        let title = title.or(described);
        let note = notes.find(|note| Some(*note) != described);
        let note = note.map(|note| {
            let is_extended = first(object, &["extended"]) == Some(note);
            if is_extended {
                quoted_blocks(note)
            } else {
                note.to_owned()
            }
        });
        let note = note.or_else(|| annotation(object).map(str::to_owned));
        let folder = list(object, Field::Folder, |path| {
            path.split('/').map(str::trim).collect()
        });
        let folder: Vec<&str> = folder.into_iter().filter(|name| !name.is_empty()).collect();
        let tags = list(object, Field::Tags, |tags| {
            if tags.contains(',') {
                tags.split(',').collect()
            } else {
                tags.split_whitespace().collect()
            }
        });
        self.count_other_values(object, false);
        let lists = object.get("lists").and_then(Value::as_array);
        let mut lists = lists.into_iter().flatten().filter_map(id_of);
        if let Some(path) = lists.next().and_then(|list| self.folders.path(&list)) {
            self.builder.go(&path);
        } else {
            self.builder.go_below(depth, &folder);
        }
        self.builder
            .losses()
            .count(lists.count(), "further lists of an entry");
        let added = date(object).and_then(|date| self.builder.date(&date));
        self.builder.entry(&Entry {
            title: title.unwrap_or_default().to_owned(),
            url: url.to_owned(),
            tags: tags.into_iter().map(str::to_owned).collect(),
            note: note.unwrap_or_default(),
            added,
        });
    }
}

/// Returns the values of a field that an object has under any of its names, the usual name first.
fn field_values(object: &Map<String, Value>, field: Field) -> impl Iterator<Item = &Value> {
    let ranked = object.iter();
    let ranked = ranked.filter_map(|(key, value)| Some((field.name_rank(key)?, value)));
    let mut ranked: Vec<(usize, &Value)> = ranked.collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, value)| value)
}

/// Returns those of them that are texts and not empty.
fn field_texts(object: &Map<String, Value>, field: Field) -> impl Iterator<Item = &str> {
    field_values(object, field)
        .filter_map(Value::as_str)
        .filter(|text| !text.is_empty())
}

/// Returns the address of an object.
fn address(object: &Map<String, Value>) -> Option<&str> {
    let mut addresses = field_values(object, Field::Url);
    addresses.find_map(Value::as_str)
}

/// Returns the date of an object, as it is written.
fn date(object: &Map<String, Value>) -> Option<String> {
    let mut dates = field_values(object, Field::Added).filter_map(|value| match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        _ => None,
    });
    dates.find(|date| !date.is_empty())
}

/// Returns the description that older versions of Firefox store as an annotation.
fn annotation(object: &Map<String, Value>) -> Option<&str> {
    let annotations = object.get("annos")?.as_array()?;
    let described = annotations.iter().find(|one| {
        one.get("name").and_then(Value::as_str) == Some("bookmarkProperties/description")
    });
    described?.get("value")?.as_str()
}

/// Returns the first of these values that is a text and not empty.
fn first<'a>(object: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a str> {
    let mut values = keys.iter().filter_map(|key| object.get(*key)?.as_str());
    values.find(|value| !value.is_empty())
}

/// Returns the texts of the first array of a field, also as the names of its objects, or the parts of the first text.
fn list<'a>(
    object: &'a Map<String, Value>,
    field: Field,
    split: impl Fn(&'a str) -> Vec<&'a str>,
) -> Vec<&'a str> {
    let text = |value: &'a Value| value.as_str().or_else(|| value.get("name")?.as_str());
    let mut lists = field_values(object, field).filter_map(|value| match value {
        Value::Array(values) => Some(values.iter().filter_map(text).collect()),
        Value::String(text) => Some(split(text)),
        _ => None,
    });
    lists
        .find(|list: &Vec<&str>| !list.is_empty())
        .unwrap_or_default()
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

/// Keys of arrays of such folders.
const ARRAYS: [&str; 2] = ["collections", "lists"];

/// Maximum depth of a folder.
const MAX_DEPTH: usize = 64;

/// Name of a folder, and the id of the folder around it.
struct JsonFolder {
    name: String,
    parent: Option<String>,
}

/// Folders by their ids.
#[derive(Default)]
struct JsonFolders(HashMap<String, JsonFolder>);

impl JsonFolders {
    /// Adds the folders in the arrays of an object.
    fn add(&mut self, object: &Map<String, Value>) {
        let arrays = ARRAYS.iter().filter_map(|key| object.get(*key)?.as_array());
        for folder in arrays.flatten() {
            let name = folder.get("name").and_then(Value::as_str);
            if let (Some(id), Some(name)) = (folder.get("id").and_then(id_of), name) {
                let folder = JsonFolder {
                    name: name.to_owned(),
                    parent: folder.get("parentId").and_then(id_of),
                };
                self.0.insert(id, folder);
            }
        }
    }

    /// Returns the path of a folder, outermost first; `None` if the object is no known folder.
    fn path_of(&self, object: &Map<String, Value>) -> Option<Vec<String>> {
        self.path(&id_of(object.get("id")?)?)
    }

    /// Returns the path of the folder with an id, outermost first. A folder that is in itself is at the top.
    fn path(&self, id: &str) -> Option<Vec<String>> {
        let mut path = Vec::new();
        let mut folder = self.0.get(id)?;
        path.push(folder.name.clone());
        while let Some(parent) = folder.parent.as_ref().and_then(|parent| self.0.get(parent))
            && path.len() < MAX_DEPTH
        {
            path.push(parent.name.clone());
            folder = parent;
        }
        path.reverse();
        Some(path)
    }
}

/// Returns an id, which is a number or a text.
fn id_of(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
