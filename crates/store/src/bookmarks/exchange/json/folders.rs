//! Folders of JSON that name the folder around them by its `id`: the collections of Linkwarden, the lists of Karakeep.

use std::collections::HashMap;

use serde_json::{Map, Value};

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
pub(super) struct JsonFolders(HashMap<String, JsonFolder>);

impl JsonFolders {
    /// Adds the folders in the arrays of an object.
    pub(super) fn add(&mut self, object: &Map<String, Value>) {
        let arrays = ARRAYS.iter().filter_map(|key| object.get(*key)?.as_array());
        for folder in arrays.flatten() {
            let name = folder.get("name").and_then(Value::as_str);
            if let (Some(id), Some(name)) = (folder.get("id").and_then(id), name) {
                let folder = JsonFolder {
                    name: name.to_owned(),
                    parent: folder.get("parentId").and_then(self::id),
                };
                self.0.insert(id, folder);
            }
        }
    }

    /// Returns the path of a folder, outermost first; `None` if the object is no known folder.
    pub(super) fn path_of(&self, object: &Map<String, Value>) -> Option<Vec<String>> {
        self.path(&id(object.get("id")?)?)
    }

    /// Returns the path of the folder with an id, outermost first. A folder that is in itself is at the top.
    pub(super) fn path(&self, id: &str) -> Option<Vec<String>> {
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
pub(super) fn id(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
