//! `bookmarks.ini` of lagrange: a table for each bookmark and folder, in the syntax of TOML.
//!
//! ```text
//! [number]
//! url = "gemini://..."     ; empty for a folder
//! title = "..."
//! tags = "one two"         ; a tag that begins with a dot is a setting of lagrange
//! created = 1700000000     ; seconds since 1970
//! parent = number          ; the folder
//! order = number           ; the position in it, from 1
//! notes = "..."
//! ```

use std::collections::{BTreeMap, BTreeSet};

use toml_edit::{Document, Item, TableLike};

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, Entry, FOLDER_DATES, FormatError};

/// Folder or bookmark of the file.
#[derive(Default)]
struct Record {
    entry: Entry,
    order: i64,
    parent: i64,
}

pub(super) fn read(text: &str) -> Result<BookmarkTree, FormatError> {
    let document = Document::parse(text).map_err(|error| {
        FormatError(
            error
                .message()
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned(),
        )
    })?;
    let mut builder = TreeBuilder::default();
    let mut records: BTreeMap<i64, Record> = BTreeMap::new();
    for (number, item) in document.iter() {
        let table = item.as_table_like();
        if let Some((number, table)) = number.parse().ok().zip(table) {
            records.insert(number, record(table, &mut builder));
        }
    }
    let mut inside: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (number, record) in &records {
        // A bookmark without its folder is outside of folders.
        let parent = Some(record.parent).filter(|parent| records.contains_key(parent));
        inside.entry(parent.unwrap_or(0)).or_default().push(*number);
    }
    for numbers in inside.values_mut() {
        numbers.sort_by_key(|number| records.get(number).map(|record| (record.order, *number)));
    }
    let mut read = BTreeSet::new();
    let mut rest: Vec<(usize, i64)> = Vec::new();
    push(&mut rest, 0, inside.get(&0));
    while let Some((depth, number)) = rest.pop() {
        let Some(record) = records.get(&number).filter(|_| read.insert(number)) else {
            continue;
        };
        builder.close_to(depth);
        if record.entry.url.is_empty() {
            builder.open(&record.entry.title);
            let is_dated = record.entry.added.is_some();
            builder.losses().part_if(is_dated, FOLDER_DATES);
            push(&mut rest, depth + 1, inside.get(&number));
        } else {
            builder.entry(&record.entry);
        }
    }
    for (number, record) in &records {
        if !read.contains(number) {
            let label = record.entry.label();
            builder
                .losses()
                .entry(&label, "its folder is in itself, or is no folder");
        }
    }
    Ok(builder.finish())
}

/// Pushes the content of a folder, so that its first item is popped first.
fn push(rest: &mut Vec<(usize, i64)>, depth: usize, numbers: Option<&Vec<i64>>) {
    let numbers = numbers.into_iter().flatten().rev();
    rest.extend(numbers.map(|number| (depth, *number)));
}

fn record(table: &dyn TableLike, builder: &mut TreeBuilder) -> Record {
    let text = |name: &str| table.get(name).and_then(Item::as_str).unwrap_or_default();
    let number = |name: &str| table.get(name).and_then(Item::as_integer);
    let losses = builder.losses();
    losses.part_if(!text("identity").is_empty(), "client certificates");
    let (own, tags): (Vec<&str>, Vec<&str>) = text("tags")
        .split_whitespace()
        .partition(|tag| tag.starts_with('.'));
    losses.count(own.len(), "settings of lagrange");
    let added = number("created").and_then(|created| builder.date(&created.to_string()));
    Record {
        entry: Entry {
            title: text("title").to_owned(),
            url: text("url").trim().to_owned(),
            tags: tags.into_iter().map(str::to_owned).collect(),
            note: text("notes").to_owned(),
            added,
        },
        order: number("order").unwrap_or(i64::MAX),
        parent: number("parent").unwrap_or(0),
    }
}
