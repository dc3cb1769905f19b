//! The database of buku, `buku.db`: the table `bookmarks` of an `SQLite` database. Only read.
//!
//! ```text
//! bookmarks = id URL metadata tags desc flags    ; metadata: title; tags: ,one,two,; desc: note
//! ```

use super::builder::TreeBuilder;
use super::sqlite::{self, Table, Value};
use super::tree::{BookmarkTree, Entry, FormatError};

pub(super) fn read(octets: &[u8]) -> Result<BookmarkTree, FormatError> {
    let missing =
        || FormatError("it is an SQLite database without the bookmarks of buku".to_owned());
    let Table { columns, rows } = sqlite::table(octets, "bookmarks")?.ok_or_else(missing)?;
    let place = |name: &str| columns.iter().position(|column| column == name);
    let url = place("url").ok_or_else(missing)?;
    let [title, tags, note, flags] = ["metadata", "tags", "desc", "flags"].map(place);
    let mut builder = TreeBuilder::default();
    for row in rows {
        let text = |place: Option<usize>| match place.and_then(|place| row.get(place)) {
            Some(Value::Text(text)) => text.clone(),
            Some(Value::Null | Value::Integer(_) | Value::Other) | None => String::new(),
        };
        let flags = flags.and_then(|flags| row.get(flags));
        let has_flags = matches!(flags, Some(Value::Integer(flags)) if *flags != 0);
        builder.losses().part_if(has_flags, "flags");
        builder.entry(&Entry {
            title: text(title),
            url: text(Some(url)),
            tags: text(tags).split(',').map(str::to_owned).collect(),
            note: text(note),
            added: None,
        });
    }
    Ok(builder.finish())
}
