//! Bookmarks of lftp: a name of one word and an address, one per line.

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, LossReport};

/// Schemes that lftp can open.
const SCHEMES: [&str; 8] = [
    "ftp", "ftps", "sftp", "fish", "http", "https", "hftp", "file",
];

pub(super) fn read(text: &str) -> BookmarkTree {
    let mut builder = TreeBuilder::default();
    for line in text.lines().map(str::trim) {
        let end = line.find(char::is_whitespace).unwrap_or(line.len());
        let (name, url) = line.split_at_checked(end).unwrap_or_default();
        if url.trim().is_empty() {
            if !name.is_empty() {
                builder.losses().entry(name, "it has no URL");
            }
            continue;
        }
        builder.link(name, url.trim());
    }
    builder.finish()
}

pub(super) fn write(tree: &BookmarkTree, losses: &mut LossReport) -> String {
    let mut lines = String::new();
    for (folder, entry) in tree.entries() {
        let (scheme, rest) = entry.url.split_once(':').unwrap_or_default();
        if !SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) {
            losses.entry(&entry.label(), "lftp does not open its scheme");
            continue;
        }
        losses.part_if(!folder.is_empty(), "folders");
        losses.part_if(!entry.tags.is_empty(), "tags");
        losses.part_if(!entry.note.is_empty(), "notes");
        losses.part_if(entry.added.is_some(), "dates");
        let name = entry.title.split_whitespace().collect::<Vec<_>>().join("_");
        losses.part_if(name != entry.title, "blanks in titles, which became _");
        let rest = rest.trim_start_matches('/');
        let host = rest.split('/').next().unwrap_or_default();
        let host = host.rsplit('@').next().unwrap_or_default();
        let name = if name.is_empty() { host } else { &name };
        lines.push_str(if name.is_empty() { scheme } else { name });
        lines.push('\t');
        lines.push_str(&entry.url);
        lines.push('\n');
    }
    lines
}
