//! File of one bookmark: `.url` of Internet Explorer, or `.desktop` of free desktops. Only read; the title is the name of the file.
//!
//! ```text
//! [InternetShortcut]
//! URL=http://www.example.com/
//! Modified=F0A0A5D5B9E2C30123      ; the time of a change, in hexadecimal digits
//! ```

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, Entry};

/// Sections that have the URL, in lower case.
const SECTIONS: [&str; 2] = ["[internetshortcut]", "[desktop entry]"];

/// Sections of one of which every such file has the head at its start, in lower case.
pub(super) const FIRST_LINES: [&[u8]; 4] = [
    b"[default]",
    b"[internetshortcut]",
    b"[{000214a0-0000-0000-c000-000000000046}]",
    b"[desktop entry]",
];

/// Keys that are read, or that hold no user data, separated by blanks.
const HANDLED_KEYS: &str = "url name comment type version encoding iconindex hotkey idlist prop3";

pub(super) fn read(text: &str) -> BookmarkTree {
    let mut builder = TreeBuilder::default();
    let mut entry = Entry::default();
    let (mut base, mut is_ours) = ("", false);
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            is_ours = SECTIONS
                .iter()
                .any(|section| line.eq_ignore_ascii_case(section));
            continue;
        }
        let Some((name, value)) = line.split_once('=') else {
            continue;
        };
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
        match name.as_str() {
            "url" if is_ours => value.clone_into(&mut entry.url),
            "name" if is_ours => value.clone_into(&mut entry.title),
            "comment" if is_ours => value.clone_into(&mut entry.note),
            "iconfile" | "icon" => builder.losses().part("pictures"),
            "modified" => builder.losses().part("dates of change or visit"),
            // The address of the page in whose frames the URL is shown.
            "baseurl" | "origurl" => base = value,
            _ => {
                let is_handled = HANDLED_KEYS.split(' ').any(|handled| handled == name);
                let is_lost = !value.is_empty() && !is_handled;
                builder
                    .losses()
                    .part_if(is_lost, &format!("values of “{name}”"));
            }
        }
    }
    let has_other = !base.is_empty() && base != entry.url;
    builder.losses().part_if(has_other, "second addresses");
    builder.entry(&entry);
    builder.finish()
}
