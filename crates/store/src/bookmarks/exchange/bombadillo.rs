//! Section `[BOOKMARKS]` of bombadillo's configuration: `title=address`, one per line.

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, LossReport};

/// Name of the section.
const SECTION: &str = "[BOOKMARKS]";

pub(super) fn read(text: &str) -> BookmarkTree {
    let mut builder = TreeBuilder::default();
    let mut is_ours = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') && line.ends_with(']') {
            is_ours = line.eq_ignore_ascii_case(SECTION);
        } else if is_ours && !line.is_empty() {
            match split_title(line) {
                Some((title, url)) => builder.link(title, url),
                None => builder.losses().entry(line, "it has no URL"),
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

pub(super) fn write(tree: &BookmarkTree, losses: &mut LossReport) -> String {
    let mut lines = format!("{SECTION}\n");
    for (folder, entry) in tree.entries() {
        losses.part_if(!folder.is_empty(), "folders");
        losses.part_if(!entry.tags.is_empty(), "tags");
        losses.part_if(!entry.note.is_empty(), "notes");
        losses.part_if(entry.added.is_some(), "dates");
        // The first = ends the title there.
        let title = entry.title.replace('=', "-");
        losses.part_if(title != entry.title, "= in titles, which became -");
        let title = title.strip_prefix('[').unwrap_or(&title);
        lines.push_str(title);
        lines.push('=');
        lines.push_str(&entry.url);
        lines.push('\n');
    }
    lines
}
