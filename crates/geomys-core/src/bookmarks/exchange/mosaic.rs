//! Hotlist of Mosaic: two lines for each entry, below two lines at the start. Only read.
//!
//! ```text
//! hotlist = "ncsa-xmosaic-hotlist-format-1" LF name LF *( url " " date LF title LF )      ; date: Tue Oct 26 12:00:00 1993
//! ```
//!
//! The later formats, 2 and 3, are lists in HTML.

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, Entry};

/// First line of the file, in lower case.
pub(super) const FIRST_LINE: &[u8] = b"ncsa-xmosaic-hotlist-format-1";

pub(super) fn read(text: &str) -> BookmarkTree {
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
