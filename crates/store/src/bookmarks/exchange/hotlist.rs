//! Hotlists of Mosaic and of Opera. Only read.
//!
//! ```text
//! mosaic = "ncsa-xmosaic-hotlist-format-1" LF name LF *( url " " date LF title LF )      ; date: Tue Oct 26 12:00:00 1993
//! opera  = "Opera Hotlist version 2.0" LF *line LF *( record / "-" )                     ; "-" ends a folder
//! record = "#URL" / "#FOLDER" / "#NOTE" / "#SEPERATOR" LF *( TAB name "=" value LF )
//! ```
//!
//! The later formats of Mosaic, 2 and 3, are lists in HTML. `bookmarks.adr` is Opera's until version 12; in a value, two octets STX
//! are a line break there.

use std::collections::BTreeMap;

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, Entry, FOLDER_DATES};

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
    let mut lines = text.lines().map(str::trim_end).peekable();
    while let Some(line) = lines.next() {
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
        while let Some(field) = lines.next_if(|line| !line.starts_with('#') && *line != "-") {
            if let Some((name, value)) = field.split_once('=') {
                fields.insert(name.trim().to_ascii_uppercase(), value);
            }
        }
        let is_trash = trash.last() == Some(&true);
        match kind {
            "FOLDER" => trash.push(folder(&fields, is_trash, &mut builder)),
            "URL" if is_trash => {
                let label = fields.get("NAME").copied().unwrap_or_default();
                builder.losses().entry(label, "it is in the trash");
            }
            "URL" => entry(&fields, &mut builder),
            "SEPERATOR" | "SEPARATOR" => builder.losses().part("lines between entries"),
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
        builder
            .losses()
            .part_if(is_lost, &format!("values of “{name}”"));
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
