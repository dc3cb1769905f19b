//! `urls` file of newsboat: one feed per line, followed by its tags in quotes; the tag that starts with `~` is the title.
//!
//! ```text
//! line = url *( blank ( tag / DQUOTE "~" title DQUOTE ) ) / "#" comment
//! ```
//!
//! Feeds that newsboat derives from others (`query:`, `filter:`, `exec:`) have no address, and are reported as lost.

use std::fmt::Write;

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, Entry, LossReport};

pub(super) fn read(text: &str) -> BookmarkTree {
    let mut builder = TreeBuilder::default();
    for line in text.lines().map(str::trim) {
        if line.is_empty() {
            continue;
        }
        if line.starts_with('#') {
            builder.losses().part("comments");
            continue;
        }
        let mut words = words(line).into_iter();
        let url = words.next().unwrap_or_default();
        let own = ["query:", "filter:", "exec:"];
        if own.iter().any(|own| url.starts_with(own)) {
            builder.losses().entry(&url, "newsboat creates it itself");
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

/// Splits a line into words and quoted strings; in quotes, a backslash escapes a quote or another backslash.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let (mut is_quoted, mut is_word) = (false, false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
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

pub(super) fn write(tree: &BookmarkTree, losses: &mut LossReport) -> String {
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
