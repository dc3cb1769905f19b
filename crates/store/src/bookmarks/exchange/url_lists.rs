//! Lists of one address a line: lftp, newsboat, and the groups of newsreaders.

use std::fmt::Write;

use rfc1738::{Url, without_secrets};

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, Entry, LossReport};
use super::url_line::UrlLine;
use crate::bookmarks::line::text;
use crate::files::newsrc::Newsrc;

/// Parses bookmarks of lftp: a name of one word and an address, one per line. A name with slashes is in folders, and
/// passwords are left out.
pub(super) fn read_lftp(text: &str) -> BookmarkTree {
    let mut builder = TreeBuilder::default();
    let mut links = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let Some(line) = UrlLine::parse(line) else {
            builder.losses().entry(line, "it has no URL");
            continue;
        };
        let url = without_secrets(line.url).into_owned();
        builder.losses().part_if(url != line.url, "passwords");
        let names: Vec<&str> = line
            .words
            .split('/')
            .filter(|name| !name.is_empty())
            .collect();
        let (title, folders) = names.split_last().unwrap_or((&"", &[]));
        links.push((folders.to_vec(), *title, url));
    }
    // The lines of a folder may stand anywhere.
    links.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    for (folders, title, url) in links {
        builder.go(&folders);
        builder.link(title, &url);
    }
    builder.finish()
}

/// Beginnings of feeds that newsboat derives from others.
pub(super) const OWN: [&str; 3] = ["query:", "filter:", "exec:"];

/// Parses the `urls` file of newsboat: one feed per line, followed by its tags in quotes; the tag that starts with `~`
/// is the title.
///
/// ```text
/// line = url *( blank ( tag / DQUOTE "~" title DQUOTE ) ) / "#" comment
/// ```
///
/// A line without a URL, mostly in quotes, is a heading that some files have: a folder.
/// Feeds that newsboat derives from others (`query:`, `filter:`, `exec:`) have no address, and are reported as lost.
pub(super) fn read_newsboat(text: &str) -> BookmarkTree {
    let mut builder = TreeBuilder::default();
    for (index, line) in text.lines().map(str::trim).enumerate() {
        builder.at_line(index);
        if line.is_empty() {
            continue;
        }
        if line.starts_with('#') {
            builder.losses().part("comments");
            continue;
        }
        let mut words = words(line).into_iter();
        if is_heading(line) {
            let heading: Vec<String> = words.collect();
            builder.go(&[heading.join(" ")]);
            continue;
        }
        let url = words.next().unwrap_or_default();
        if OWN.iter().any(|own| url.starts_with(own)) {
            builder.leave_out(&url, "newsboat creates it itself");
            continue;
        }
        let (titles, mut tags): (Vec<String>, Vec<String>) =
            words.partition(|word| word.starts_with('~'));
        let title = titles.first().and_then(|title| title.strip_prefix('~'));
        let count = tags.len();
        tags.retain(|tag| tag != "!");
        let is_hidden = tags.len() < count;
        builder.losses().part_if(is_hidden, "marks of hidden feeds");
        builder.entry(&Entry {
            title: title.unwrap_or_default().to_owned(),
            url,
            tags,
            ..Entry::default()
        });
    }
    builder.finish()
}

/// Returns true for a line without a URL: one quoted string, or a first word that cannot be an address.
pub(super) fn is_heading(line: &str) -> bool {
    let line = line.trim();
    let first = line.split_whitespace().next().unwrap_or_default();
    if let Some(quoted) = first.strip_prefix('"') {
        let is_own = OWN.iter().any(|own| quoted.starts_with(own));
        return !is_own && !quoted.contains("://") && words(line).len() == 1;
    }
    !line.starts_with('#') && !first.contains([':', '/', '.'])
}

/// Splits a line into words and quoted strings; in quotes, a backslash escapes a quote or another backslash. A quote
/// inside a word is a letter of it, as in a URL.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let (mut is_quoted, mut is_word) = (false, false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted || !is_word => {
                is_quoted = !is_quoted;
                is_word = true;
            }
            '\\' if is_quoted && matches!(chars.peek(), Some('"' | '\\')) => {
                word.extend(chars.next());
            }
            c if c.is_whitespace() && !is_quoted => {
                if std::mem::take(&mut is_word) {
                    words.push(std::mem::take(&mut word));
                }
            }
            c => {
                word.push(c);
                is_word = true;
            }
        }
    }
    if is_word {
        words.push(word);
    }
    words
}

pub(super) fn write_newsboat(tree: &BookmarkTree, losses: &mut LossReport) -> String {
    let mut lines = String::new();
    for (folder, entry) in tree.entries() {
        let (scheme, _) = entry.url.split_once(':').unwrap_or_default();
        let scheme = scheme.to_ascii_lowercase();
        if !["http", "https", "file"].contains(&scheme.as_str()) {
            losses.entry(&entry.label(), "newsboat reads http, https and file only");
            continue;
        }
        losses.part_if(!folder.is_empty(), "folders");
        losses.part_if(!entry.note.is_empty(), "notes");
        losses.part_if(entry.added.is_some(), "dates");
        lines.push_str(&entry.url);
        // Writing to a string cannot fail.
        if !entry.title.is_empty() {
            let _ = write!(lines, " \"~{}\"", quoted(&entry.title));
        }
        for tag in &entry.tags {
            losses.part_if(
                tag.starts_with('~') || tag == "!",
                "tags that mean something else there",
            );
            let _ = write!(lines, " \"{}\"", quoted(tag));
        }
        lines.push('\n');
    }
    lines
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Parses the groups of a newsreader, as news URLs.
pub(super) fn read_newsrc(octets: &[u8]) -> BookmarkTree {
    let mut builder = TreeBuilder::default();
    let newsrc = Newsrc::parse(octets);
    let mut groups = 0;
    for (name, marked) in newsrc.groups() {
        groups += 1;
        if !marked.is_subscribed {
            builder.losses().part("unsubscribed groups");
            continue;
        }
        match Url::news_group(name) {
            Ok(url) => builder.link("", url.as_str()),
            Err(_) => builder
                .losses()
                .entry(text(name).as_str(), "not a group name"),
        }
        let is_read = *marked.read != geomys_page::document::ArticleNumbers::default();
        builder.losses().part_if(is_read, "read marks");
    }
    let lines = octets.split(|&octet| octet == b'\n');
    let lines = lines.filter(|line| !line.trim_ascii().is_empty()).count();
    let others = lines.saturating_sub(groups);
    builder.losses().count(others, "lines that are not a group");
    builder.finish()
}
