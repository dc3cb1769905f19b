//! A table (RFC 4180) with a column of addresses.
//!
//! Written are the columns `title,url,folder,tags,note,added`; a folder is its path with `/` between names (`\/` for one in
//! a name), tags have blanks between them. Read is any table whose first line names a column `url` (or `uri`, `href`,
//! `link`, `address`), whatever stands between the columns; a table without such a line is read where one column holds
//! addresses, and another titles.

use super::Malformed;
use super::builder::Builder;
use super::shelf::{Entry, Lost, Shelf};
use crate::text::Text;
use crate::url::Url;

/// What a column is, and by which names it goes.
const NAMES: [(Column, &[&str]); 6] = [
    (Column::Title, &["title", "name", "text", "label"]),
    (
        Column::Url,
        &["url", "uri", "href", "link", "address", "location"],
    ),
    (
        Column::Folder,
        &["folder", "path", "group", "parent", "category"],
    ),
    (Column::Tags, &["tags", "tag", "labels", "keywords"]),
    (
        Column::Note,
        &[
            "note",
            "notes",
            "description",
            "desc",
            "comment",
            "comments",
            "excerpt",
            "extended",
        ],
    ),
    (
        Column::Added,
        &["added", "add_date", "created", "time_added", "date"],
    ),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Title,
    Url,
    Folder,
    Tags,
    Note,
    Added,
}

/// Columns that are looked at.
const WIDEST: usize = 256;

pub(super) fn read(text: &str) -> Result<Shelf, Malformed> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter(text))
        .from_reader(text.as_bytes());
    let mut records = reader.records().peekable();
    let first = match records.peek() {
        Some(Ok(first)) => first.clone(),
        Some(Err(_)) | None => csv::StringRecord::new(),
    };
    let mut columns: Vec<(String, Option<Column>)> = first.iter().take(WIDEST).map(named).collect();
    if columns
        .iter()
        .any(|(_, column)| *column == Some(Column::Url))
    {
        records.next();
    } else {
        let at = first
            .iter()
            .position(|value| Url::accept(value.trim()).is_ok());
        let Some(at) = at else {
            return Err(Malformed(
                "no column is called url, and none holds URLs".to_owned(),
            ));
        };
        for (number, (_, column)) in columns.iter_mut().enumerate() {
            *column = (number == at).then_some(Column::Url);
        }
        let title = usize::from(at == 0);
        if let Some((_, column)) = columns.get_mut(title).filter(|_| title != at) {
            *column = Some(Column::Title);
        }
    }
    let mut builder = Builder::default();
    let mut open = Vec::new();
    for record in records {
        let record = record.map_err(|error| Malformed(error.to_string()))?;
        let mut entry = Entry::default();
        let mut folder = Vec::new();
        for (value, (name, column)) in record.iter().zip(&columns) {
            match column {
                Some(Column::Title) if entry.title.is_empty() => value.clone_into(&mut entry.title),
                Some(Column::Url) if entry.url.is_empty() => value.clone_into(&mut entry.url),
                Some(Column::Folder) if folder.is_empty() => folder = path(value),
                Some(Column::Tags) => entry.tags.extend(tags(value)),
                Some(Column::Note) if entry.note.is_empty() => value.clone_into(&mut entry.note),
                Some(Column::Added) if entry.added.is_none() => entry.added = seconds(value),
                Some(_) | None => {
                    let is_there = !value.trim().is_empty();
                    let what = format!("values of “{}”", Text::of(name));
                    builder.lost().part_if(is_there, &what);
                }
            }
        }
        let beyond = record.iter().skip(columns.len());
        let is_beyond = beyond.into_iter().any(|value| !value.trim().is_empty());
        builder.lost().part_if(is_beyond, "values of no column");
        builder.go(&folder, &mut open);
        builder.entry(&entry);
    }
    Ok(builder.done())
}

fn named(name: &str) -> (String, Option<Column>) {
    let wanted = name.trim().to_ascii_lowercase();
    let mut all = NAMES.iter();
    let column = all.find(|(_, names)| names.contains(&wanted.as_str()));
    (name.to_owned(), column.map(|(column, _)| *column))
}

/// What stands between the columns: what the first line has most of.
fn delimiter(text: &str) -> u8 {
    let first = text.lines().next().unwrap_or_default().as_bytes();
    let count = |wanted: u8| memchr::memchr_iter(wanted, first).count();
    // Of equals the last one is taken.
    let all = [b';', b'\t', b','];
    all.into_iter()
        .max_by_key(|octet| count(*octet))
        .unwrap_or(b',')
}

fn seconds(value: &str) -> Option<i64> {
    let value = value.trim();
    let date = || value.parse::<jiff::Timestamp>().ok();
    value
        .parse()
        .ok()
        .or_else(|| date().map(jiff::Timestamp::as_second))
}

fn tags(value: &str) -> Vec<String> {
    let by = [',', ';', '|'].into_iter().find(|by| value.contains(*by));
    match by {
        Some(by) => value.split(by).map(str::to_owned).collect(),
        None => value.split_whitespace().map(str::to_owned).collect(),
    }
}

/// The names of a path.
fn path(value: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        let name = match (c, chars.peek()) {
            ('/', _) => {
                names.push(String::new());
                continue;
            }
            ('\\', Some(&next @ ('/' | '\\'))) => {
                chars.next();
                next
            }
            (c, _) => c,
        };
        if let Some(last) = names.last_mut() {
            last.push(name);
        }
    }
    let names = names.iter().map(|name| name.trim().to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

pub(super) fn write(shelf: &Shelf, lost: &mut Lost) -> Vec<u8> {
    shelf.lose_empty_folders(lost);
    let mut writer = csv::Writer::from_writer(Vec::new());
    let head = ["title", "url", "folder", "tags", "note", "added"];
    // Writing to memory cannot fail.
    let _ = writer.write_record(head);
    for (folder, entry) in shelf.entries() {
        let folder = folder.iter();
        let folder = folder.map(|name| name.replace('\\', "\\\\").replace('/', "\\/"));
        let folder: Vec<String> = folder.collect();
        let parting = |tag: &String| tag.contains([',', ';', '|']);
        let is_parted = entry.tags.iter().any(parting);
        lost.part_if(
            is_parted,
            "tags with , ; or | in them, which part tags there",
        );
        let added = entry.added.map(|added| added.to_string());
        let _ = writer.write_record([
            &entry.title,
            &entry.url,
            &folder.join("/"),
            &entry.tags.join(" "),
            &entry.note,
            &added.unwrap_or_default(),
        ]);
    }
    writer.into_inner().unwrap_or_default()
}
