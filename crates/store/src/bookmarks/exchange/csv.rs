//! Table (RFC 4180) with a column of addresses.
//!
//! The writer creates the columns `title,url,folder,tags,note,added`; a folder is its path with `/` between the names
//! (`\/` for a `/` in a name), tags have blanks between them. The reader accepts any table whose first line names a
//! column `url` or a synonym of it ([`Field`]), with any delimiter; without such a line, the column with addresses is
//! found by its values.

use rfc1738::Dialect;

use super::builder::TreeBuilder;
use super::columns::Field;
use super::tree::{BookmarkTree, Entry, FormatError, LossReport};

/// Maximum number of columns that are read.
const WIDEST: usize = 256;

pub(super) fn read(text: &str) -> Result<BookmarkTree, FormatError> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter(text))
        .from_reader(text.as_bytes());
    let mut records = reader.records().peekable();
    let first = records.peek().and_then(|first| first.as_ref().ok());
    let first = first.cloned().unwrap_or_default();
    let columns = first.iter().take(WIDEST);
    let mut columns: Vec<(String, Option<Field>)> = columns
        .map(|name| (name.to_owned(), Field::named(name)))
        .collect();
    let mut kinds = columns.iter().map(|(_, column)| *column);
    if kinds.any(|column| column == Some(Field::Url)) {
        records.next();
    } else {
        let is_url = |value: &str| Dialect::Extended.parse(value.trim()).is_ok();
        let at = first
            .iter()
            .position(is_url)
            .ok_or_else(|| FormatError("no column named url, and none contains URLs".to_owned()))?;
        let title = usize::from(at == 0);
        for (number, (_, column)) in columns.iter_mut().enumerate() {
            let is_title = (number == title).then_some(Field::Title);
            *column = is_title.or((number == at).then_some(Field::Url));
        }
    }
    let mut builder = TreeBuilder::default();
    for record in records {
        let record = record.map_err(|error| FormatError(error.to_string()))?;
        if let Some(position) = record.position() {
            // The lines of a file count from 1.
            let line = position.line().saturating_sub(1);
            builder.at_line(usize::try_from(line).unwrap_or_default());
        }
        let mut entry = Entry::default();
        let mut folder = Vec::new();
        for (value, (name, column)) in record.iter().zip(&columns) {
            match column {
                Some(Field::Title) if entry.title.is_empty() => {
                    value.clone_into(&mut entry.title);
                }
                Some(Field::Url) if entry.url.is_empty() => value.clone_into(&mut entry.url),
                Some(Field::Folder) if folder.is_empty() => folder = path(value),
                Some(Field::Tags) => entry.tags.extend(tags(value)),
                Some(Field::Note) if entry.note.is_empty() => value.clone_into(&mut entry.note),
                Some(Field::Added) if entry.added.is_none() => {
                    entry.added = builder.date(value);
                }
                Some(_) | None => {
                    let has_value = !value.trim().is_empty();
                    builder.losses().field_if(has_value, name);
                }
            }
        }
        let beyond = record.iter().skip(columns.len());
        let is_beyond = beyond.into_iter().any(|value| !value.trim().is_empty());
        builder.losses().part_if(is_beyond, "values of no column");
        builder.go(&folder);
        builder.entry(&entry);
    }
    Ok(builder.finish())
}

/// Returns the delimiter between the columns: the most frequent one in the first line.
fn delimiter(text: &str) -> u8 {
    let first = text.lines().next().unwrap_or_default().as_bytes();
    let count = |delimiter: u8| memchr::memchr_iter(delimiter, first).count();
    // Of equally frequent delimiters the last one is taken.
    let all = [b';', b'\t', b','];
    all.into_iter()
        .max_by_key(|octet| count(*octet))
        .unwrap_or(b',')
}

fn tags(value: &str) -> Vec<String> {
    // Instapaper.
    if let Ok(tags) = serde_json::from_str(value) {
        return tags;
    }
    let by = [',', ';', '|'].into_iter().find(|by| value.contains(*by));
    match by {
        Some(by) => value.split(by).map(str::to_owned).collect(),
        None => value.split_whitespace().map(str::to_owned).collect(),
    }
}

/// Splits a path into names.
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

pub(super) fn write(tree: &BookmarkTree, losses: &mut LossReport) -> Vec<u8> {
    tree.report_lost_folders(losses);
    let mut writer = csv::Writer::from_writer(Vec::new());
    let head = ["title", "url", "folder", "tags", "note", "added"];
    // Writing to memory cannot fail.
    let _ = writer.write_record(head);
    for (folder, entry) in tree.entries() {
        let folder = folder.iter();
        let folder = folder.map(|name| name.replace('\\', "\\\\").replace('/', "\\/"));
        let folder: Vec<String> = folder.collect();
        let has_separator = |tag: &String| tag.contains([',', ';', '|']);
        let would_split = entry.tags.iter().any(has_separator);
        losses.part_if(
            would_split,
            "tags with , ; or | in them, which separate tags there",
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
