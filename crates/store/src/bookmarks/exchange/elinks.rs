//! Bookmarks of elinks: a line for each entry and folder, with its depth. Only read.
//!
//! ```text
//! line = title TAB url TAB depth TAB flags      ; flags: F for a folder, E for one that is open
//! ```
//!
//! A line without a URL is a folder, or with the title `-` a line between entries.

use super::builder::TreeBuilder;
use super::tree::BookmarkTree;

pub(super) fn read(text: &str) -> BookmarkTree {
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
            builder.losses().part("lines between entries");
        } else {
            builder.link(title, url);
        }
    }
    builder.finish()
}

/// Returns true for a line of such a file.
pub(super) fn is_line(line: &[u8]) -> bool {
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
    let is_line = fields.next().is_none() && flags.bytes().all(is_flag);
    is_line.then_some((title, url, depth, flags))
}
