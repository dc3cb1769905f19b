//! The `[BOOKMARKS]` of bombadillo's configuration: `title=address`, a line each.

use super::builder::Builder;
use super::shelf::{Entry, Lost, Shelf};

/// The section of bookmarks.
const SECTION: &str = "[BOOKMARKS]";

pub(super) fn read(text: &str) -> Shelf {
    let mut builder = Builder::default();
    let mut is_ours = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') && line.ends_with(']') {
            is_ours = line.eq_ignore_ascii_case(SECTION);
        } else if is_ours && !line.is_empty() {
            match parted(line) {
                Some((title, url)) => builder.entry(&Entry {
                    title: title.to_owned(),
                    url: url.to_owned(),
                    ..Entry::default()
                }),
                None => builder.lost().whole(line, "it has no address"),
            }
        }
    }
    builder.done()
}

/// Title and address: at the first `=` behind which an address begins, as both may have others.
fn parted(line: &str) -> Option<(&str, &str)> {
    let begins = |rest: &str| {
        let scheme = rest.split(':').next().unwrap_or_default();
        scheme.len() < rest.len()
            && !scheme.is_empty()
            && scheme
                .bytes()
                .all(|octet| octet.is_ascii_alphanumeric() || b"+-.".contains(&octet))
    };
    let mut places = line.match_indices('=').map(|(at, _)| at);
    let at = places.find(|at| line.get(at + 1..).is_some_and(begins));
    let (title, url) = match at {
        Some(at) => line.split_at_checked(at)?,
        None => line.split_at_checked(line.find('=')?)?,
    };
    Some((title, url.strip_prefix('=')?))
}

pub(super) fn write(shelf: &Shelf, lost: &mut Lost) -> String {
    let mut lines = format!("{SECTION}\n");
    for (folder, entry) in shelf.entries() {
        lost.part_if(!folder.is_empty(), "folders");
        lost.part_if(!entry.tags.is_empty(), "tags");
        lost.part_if(!entry.note.is_empty(), "notes");
        lost.part_if(entry.added.is_some(), "dates");
        // The first = ends the title there.
        let title = entry.title.replace('=', "-");
        lost.part_if(title != entry.title, "= in titles, which became -");
        let title = title.strip_prefix('[').unwrap_or(&title);
        lines.push_str(title);
        lines.push('=');
        lines.push_str(&entry.url);
        lines.push('\n');
    }
    lines
}
