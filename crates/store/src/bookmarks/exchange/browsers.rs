//! Bookmarks in the files of terminal browsers and of the first graphical ones: bombadillo, elinks, lagrange, Mosaic,
//! Opera.

use std::collections::{BTreeMap, BTreeSet};

use toml_edit::{Document, Item, TableLike};

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, Entry, FOLDER_DATES, FormatError};

/// Name of the section.
const SECTION: &str = "[BOOKMARKS]";

/// Parses the section `[BOOKMARKS]` of bombadillo's configuration: `title=address`, one per line.
pub(super) fn read_bombadillo(text: &str) -> BookmarkTree {
    let mut builder = TreeBuilder::default();
    let mut is_ours = false;
    for (index, line) in text.lines().map(str::trim).enumerate() {
        builder.at_line(index);
        if line.starts_with('[') && line.ends_with(']') {
            is_ours = line.eq_ignore_ascii_case(SECTION);
        } else if is_ours && !line.is_empty() {
            match split_title(line) {
                Some((title, url)) => builder.link(title, url),
                None => builder.leave_out(line, "it has no URL"),
            }
        }
    }
    builder.finish()
}

/// Splits title and address at the first `=` that is followed by an address, as both may contain other `=`.
fn split_title(line: &str) -> Option<(&str, &str)> {
    let begins = |rest: &str| {
        let scheme = rest.split(':').next().unwrap_or_default();
        scheme.len() < rest.len()
            && !scheme.is_empty()
            && scheme
                .bytes()
                .all(|octet| octet.is_ascii_alphanumeric() || b"+-.".contains(&octet))
    };
    let splits = || {
        let signs = line.match_indices('=');
        signs.filter_map(|(at, _)| Some((line.get(..at)?, line.get(at + 1..)?)))
    };
    let found = splits().find(|(_, url)| begins(url));
    found.or_else(|| splits().next())
}

/// Parses bookmarks of elinks: a line for each entry and folder, with its depth.
///
/// ```text
/// line = title TAB url TAB depth TAB flags      ; flags: F for a folder, E for one that is open
/// ```
///
/// A line without a URL is a folder, or with the title `-` a line between entries.
pub(super) fn read_elinks(text: &str) -> BookmarkTree {
    let mut builder = TreeBuilder::default();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let Some((title, url, depth, flags)) = fields(line) else {
            builder.losses().part("lines that are not a bookmark");
            continue;
        };
        builder.close_to(depth);
        if flags.contains('F') || url.is_empty() && title != "-" {
            let has_url = !url.is_empty();
            builder.losses().part_if(has_url, "URLs of folders");
            builder.open(title);
        } else if url.is_empty() {
            builder.losses().part("separators");
        } else {
            builder.link(title, url);
        }
    }
    builder.finish()
}

/// Returns true for a line of such a file.
pub(super) fn is_elinks_line(line: &[u8]) -> bool {
    // Octets of another charset are no TAB and no digit.
    fields(&String::from_utf8_lossy(line)).is_some()
}

/// Returns title, URL, depth and flags.
fn fields(line: &str) -> Option<(&str, &str, usize, &str)> {
    let mut fields = line.split('\t');
    let (title, url) = (fields.next()?, fields.next()?.trim());
    let depth = fields.next()?.trim().parse().ok()?;
    let flags = fields.next()?.trim();
    let is_flag = |octet: u8| octet.is_ascii_uppercase() || octet == b'-';
    let is_elinks_line = fields.next().is_none() && flags.bytes().all(is_flag);
    is_elinks_line.then_some((title, url, depth, flags))
}

/// Folder or bookmark of the file.
#[derive(Default)]
struct Record {
    entry: Entry,
    order: i64,
    parent: i64,
}

/// Parses `bookmarks.ini` of lagrange: a table for each bookmark and folder, in the syntax of TOML.
///
/// ```text
/// [number]
/// url = "gemini://..."     ; empty for a folder
/// title = "..."
/// tags = "one two"         ; a tag that begins with a dot is a setting of lagrange
/// created = 1700000000     ; seconds since 1970
/// parent = number          ; the folder
/// order = number           ; the position in it, from 1
/// notes = "..."
/// ```
pub(super) fn read_lagrange(text: &str) -> Result<BookmarkTree, FormatError> {
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
    let mut read_lagrange = BTreeSet::new();
    let mut rest: Vec<(usize, i64)> = Vec::new();
    push(&mut rest, 0, inside.get(&0));
    while let Some((depth, number)) = rest.pop() {
        let Some(record) = records
            .get(&number)
            .filter(|_| read_lagrange.insert(number))
        else {
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
        if !read_lagrange.contains(number) {
            let label = record.entry.label();
            builder
                .losses()
                .entry(&label, "its folder is inside itself or not a folder");
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

/// Hotlists of Mosaic and of Opera.
///
/// ```text
/// mosaic = "ncsa-xmosaic-hotlist-format-1" LF name LF *( url " " date LF title LF )      ; date: Tue Oct 26 12:00:00 1993
/// opera  = "Opera Hotlist version 2.0" LF *line LF *( record / "-" )                     ; "-" ends a folder
/// record = "#URL" / "#FOLDER" / "#NOTE" / "#SEPERATOR" LF *( TAB name "=" value LF )
/// ```
///
/// The later formats of Mosaic, 2 and 3, are lists in HTML. `bookmarks.adr` is Opera's until version 12; in a value,
/// two octets STX are a line break there.
///
/// First line of a hotlist of Mosaic, in lower case.
pub(super) const MOSAIC: &[u8] = b"ncsa-xmosaic-hotlist-format-1";

pub(super) fn read_mosaic(text: &str) -> BookmarkTree {
    let mut builder = TreeBuilder::default();
    // The name of the list is that of the file in the menu of Mosaic.
    let mut lines = text.lines().map(str::trim).skip(2);
    while let Some(line) = lines.find(|line| !line.is_empty()) {
        let (url, date) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let added = builder.date(date);
        builder.entry(&Entry {
            title: lines.next().unwrap_or_default().to_owned(),
            url: url.to_owned(),
            added,
            ..Entry::default()
        });
    }
    builder.finish()
}

/// Beginning of a hotlist of Opera, in lower case.
pub(super) const OPERA: &[u8] = b"opera hotlist version ";

/// Fields that are read, or that hold no user data, separated by bars.
const HANDLED_FIELDS: &str = "ID|NAME|URL|CREATED|DESCRIPTION|EXPANDED|UNIQUEID|ICONFILE|TRASH FOLDER|DELETABLE|\
                              SEPARATOR_ALLOWED|DISPLAY URL|ACTIVE|TARGET|MOVE_IS_COPY";

/// Fields of a record, by their names in upper case.
type Fields<'a> = BTreeMap<String, &'a str>;

pub(super) fn read_opera(text: &str) -> BookmarkTree {
    let mut builder = TreeBuilder::default();
    // For each open folder, true if it is in the trash.
    let mut trash: Vec<bool> = Vec::new();
    let lines = text.lines().map(str::trim_end).enumerate();
    let mut lines = lines.peekable();
    while let Some((index, line)) = lines.next() {
        builder.at_line(index);
        if line == "-" {
            // A folder of the trash is not open.
            if trash.pop() == Some(false) {
                builder.close();
            }
            continue;
        }
        let Some(kind) = line.strip_prefix('#') else {
            continue;
        };
        let mut fields = Fields::new();
        let is_field = |(_, line): &(usize, &str)| !line.starts_with('#') && *line != "-";
        while let Some((_, field)) = lines.next_if(is_field) {
            if let Some((name, value)) = field.split_once('=') {
                fields.insert(name.trim().to_ascii_uppercase(), value);
            }
        }
        let is_trash = trash.last() == Some(&true);
        match kind {
            "FOLDER" => trash.push(folder(&fields, is_trash, &mut builder)),
            "URL" if is_trash => {
                let label = fields.get("NAME").copied().unwrap_or_default();
                builder.leave_out(label, "it is in the trash");
            }
            "URL" => entry(&fields, &mut builder),
            "SEPERATOR" | "SEPARATOR" => builder.losses().part("separators"),
            "NOTE" => builder.losses().part("notes without a URL"),
            _ => builder.losses().part("records of another kind"),
        }
    }
    builder.finish()
}

/// Opens a folder, and returns true if it is in the trash.
fn folder(fields: &Fields<'_>, is_trash: bool, builder: &mut TreeBuilder) -> bool {
    let is_trash = is_trash || fields.get("TRASH FOLDER") == Some(&"YES");
    let losses = builder.losses();
    losses.part_if(fields.contains_key("CREATED"), FOLDER_DATES);
    losses.part_if(fields.contains_key("DESCRIPTION"), "notes on folders");
    if !is_trash {
        builder.open(fields.get("NAME").copied().unwrap_or_default());
    }
    is_trash
}

fn entry(fields: &Fields<'_>, builder: &mut TreeBuilder) {
    let value = |name: &str| fields.get(name).copied().unwrap_or_default();
    for (name, value) in fields {
        let is_lost =
            !value.is_empty() && !HANDLED_FIELDS.split('|').any(|handled| handled == name);
        builder.losses().field_if(is_lost, name);
    }
    let added = builder.date(value("CREATED"));
    builder.entry(&Entry {
        title: value("NAME").to_owned(),
        url: value("URL").to_owned(),
        note: value("DESCRIPTION")
            .replace("\u{2}\u{2}", "\n")
            .replace('\u{2}', "\n"),
        added,
        ..Entry::default()
    });
}
