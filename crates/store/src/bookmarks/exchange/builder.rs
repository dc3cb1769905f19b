//! Builder of a bookmark tree, used by the readers, and the dates that they find.

use std::collections::HashSet;
use std::iter;

use geomys_wire::text::{Text, is_harmful};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;
use rfc1738::{leading_scheme, without_secrets};

use super::tree::{BookmarkTree, Entry, Folder, Item, LossReport, WORDS_BEHIND};
use crate::bookmarks;
use crate::bookmarks::line::{encode, note_lines, one_line};
use crate::bookmarks::{Bookmark, Bookmarks};

/// Maximum depth of folders; deeper ones are moved up.
const MAX_DEPTH: usize = 64;

/// Name of a folder without a name.
const NAMELESS: &str = "Folder";

/// Schemes of what a browser has inside, and of scripts and data that are no address.
const INTERNAL_SCHEMES: [&str; 18] = [
    "place",
    "javascript",
    "vbscript",
    "data",
    "about",
    "chrome",
    "chrome-extension",
    "moz-extension",
    "edge",
    "vivaldi",
    "blob",
    "brave",
    "opera",
    "chrome-search",
    "resource",
    "res",
    "view-source",
    "wyciwyg",
];

/// Loss of such URLs.
const INTERNAL_URLS: &str =
    "scripts, searches and inner pages of a browser (place:, javascript:, data:, about:, chrome:)";

/// Builder of a bookmark tree; converts texts so that they fit the bookmark file.
#[derive(Debug, Default)]
pub(super) struct TreeBuilder {
    tree: BookmarkTree,
    /// Folders that the last item is in, outermost first.
    open: Vec<Folder>,
    /// Number of open folders; folders deeper than [`MAX_DEPTH`] are counted, but not nested.
    depth: usize,
    /// Path that was opened last.
    path: Vec<String>,
    /// True if the last entry was left out.
    is_left_out: bool,
    /// Number of the line that is read, from 1, in a format of lines.
    line: Option<usize>,
}

impl TreeBuilder {
    /// Sets the line that is read, counted from 0, for the entries that are left out.
    pub(super) fn at_line(&mut self, index: usize) {
        self.line = index.checked_add(1);
    }

    /// Opens a folder in the current folder.
    pub(super) fn open(&mut self, name: &str) {
        self.depth += 1;
        self.finish_folders(self.depth.min(MAX_DEPTH) - 1);
        let name = one_line(Text::of(name).as_str());
        self.open.push(Folder {
            name: if name.is_empty() {
                NAMELESS.to_owned()
            } else {
                name
            },
            items: Vec::new(),
        });
    }

    /// Closes the current folder.
    pub(super) fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Closes folders until `depth` are open.
    pub(super) fn close_to(&mut self, depth: usize) {
        self.depth = self.depth.min(depth);
    }

    /// Opens the folders of a path that are not open yet.
    pub(super) fn go<S: AsRef<str>>(&mut self, path: &[S]) {
        self.go_below(0, path);
    }

    /// Opens the folders of a path inside the first `parents` folders of the path that was opened last, unless they are
    /// open. The cost is that of the folders that are opened or closed, not that of the whole path.
    pub(super) fn go_below<S: AsRef<str>>(&mut self, parents: usize, path: &[S]) {
        let parents = parents.min(self.path.len());
        let below = self.path.iter().skip(parents);
        let same = path
            .iter()
            .zip(below)
            .take_while(|(one, other)| one.as_ref() == other.as_str())
            .count();
        self.path.truncate(parents + same);
        self.close_to(parents + same);
        for name in path.iter().skip(same) {
            self.open(name.as_ref());
            self.path.push(name.as_ref().to_owned());
        }
    }

    /// Adds an entry with a title to the current folder.
    pub(super) fn link(&mut self, title: &str, url: &str) {
        self.entry(&Entry {
            title: title.to_owned(),
            url: url.to_owned(),
            ..Entry::default()
        });
    }

    /// Adds an entry for a bookmark to the current folder, with this URL.
    pub(super) fn bookmark(&mut self, bookmark: &Bookmark<'_>, url: String) {
        let is_more = bookmark.has_other_words();
        self.losses().part_if(is_more, WORDS_BEHIND);
        let notes = bookmark.notes();
        let notes: Vec<&str> = notes.iter().map(Text::as_str).collect();
        self.entry(&Entry {
            title: bookmark.title().to_string(),
            url,
            tags: bookmark.tags().iter().map(Text::to_string).collect(),
            note: notes.join("\n"),
            added: None,
        });
    }

    /// Adds an entry to the current folder. An entry without a URL is reported as lost, and one whose URL is of use in
    /// one program only is counted.
    pub(super) fn entry(&mut self, entry: &Entry) {
        // Browsers drop line ends and tabs in a URL.
        let bare = entry.url.replace(['\r', '\n', '\t'], "");
        let scheme = leading_scheme(bare.trim()).map(str::to_ascii_lowercase);
        if scheme.is_some_and(|scheme| INTERNAL_SCHEMES.contains(&scheme.as_str())) {
            self.is_left_out = true;
            return self.losses().part(INTERNAL_URLS);
        }
        // A line end in a title keeps its words apart.
        let title = entry.title.replace(['\r', '\n', '\t'], " ");
        let title = one_line(Text::of(&title).as_str());
        let url = single_word(&entry.url);
        if url.is_empty() {
            return self.leave_out(&title, "it has no URL");
        }
        self.is_left_out = false;
        let mut tags: Vec<String> = Vec::with_capacity(entry.tags.len());
        for tag in &entry.tags {
            let text = Text::of(tag);
            let tag = text.as_str().trim().trim_start_matches('#');
            let word = tag.split_whitespace().collect::<Vec<_>>().join("_");
            if !word.is_empty() && !tags.contains(&word) {
                let is_joined = word != tag;
                self.losses()
                    .part_if(is_joined, "blanks in tags, which became _");
                tags.push(word);
            }
        }
        let title = if title == url { String::new() } else { title };
        self.finish_folders(self.depth.min(MAX_DEPTH));
        self.items().push(Item::Entry(Entry {
            title,
            url,
            tags,
            note: entry.note.clone(),
            added: entry.added,
        }));
    }

    /// Returns the seconds since 1970 of a date; one in an unknown form is reported as lost.
    pub(super) fn date(&mut self, written: &str) -> Option<i64> {
        let date = parse_date(written);
        let is_lost = date.is_none() && !written.trim().is_empty();
        self.losses().part_if(is_lost, "dates in an unknown form");
        date
    }

    /// Reports an entry as lost, with the notes that follow.
    pub(super) fn leave_out(&mut self, title: &str, reason: &'static str) {
        self.is_left_out = true;
        let line = self.line;
        let losses = self.losses();
        losses.entry(title, reason);
        if let Some(entry) = losses.entries.last_mut() {
            entry.line = line;
        }
    }

    /// Returns the last entry, if nothing was added after it.
    pub(super) fn last(&mut self) -> Option<&mut Entry> {
        if self.is_left_out {
            return None;
        }
        match self.items().last_mut()? {
            Item::Entry(entry) => Some(entry),
            Item::Folder(_) => None,
        }
    }

    /// Appends a line, or several, to the note of the last entry.
    pub(super) fn note(&mut self, line: &str) {
        match self.last() {
            Some(entry) => {
                if !entry.note.is_empty() {
                    entry.note.push('\n');
                }
                entry.note.push_str(line);
            }
            None => {
                let is_lost = !line.trim().is_empty();
                self.losses().part_if(is_lost, "notes without a bookmark");
            }
        }
    }

    /// Returns the report of lost data.
    pub(super) fn losses(&mut self) -> &mut LossReport {
        &mut self.tree.losses
    }

    /// Returns the bookmark tree.
    pub(super) fn finish(mut self) -> BookmarkTree {
        self.finish_folders(0);
        for entry in self.tree.entries_mut() {
            entry.note = note_lines(&entry.note).join("\n");
        }
        self.tree
    }

    /// Returns the items of the folder that the last item is in.
    fn items(&mut self) -> &mut Vec<Item> {
        match self.open.last_mut() {
            Some(folder) => &mut folder.items,
            None => &mut self.tree.items,
        }
    }

    /// Adds the deepest folders to the folders around them until `depth` are left.
    fn finish_folders(&mut self, depth: usize) {
        while self.open.len() > depth
            && let Some(folder) = self.open.pop()
        {
            self.items().push(Item::Folder(folder));
        }
    }
}

impl BookmarkTree {
    /// Converts a bookmark file to a tree. Passwords are removed, as exported files must not contain them.
    pub fn of(file: &Bookmarks) -> Self {
        let mut builder = TreeBuilder::default();
        builder.bookmark_file(file, |_| true);
        let what = "lines that are neither bookmark nor folder";
        builder.losses().count(file.other_lines(), what);
        builder.finish()
    }

    /// Converts some bookmarks of a file, by their indices, with the folders around them.
    pub fn of_some(file: &Bookmarks, items: &[usize]) -> Self {
        let with_folders = items
            .iter()
            .flat_map(|&item| file.ancestors(item).chain(iter::once(item)));
        let chosen: HashSet<usize> = with_folders.collect();
        let mut builder = TreeBuilder::default();
        builder.bookmark_file(file, |item| chosen.contains(&item));
        builder.finish()
    }
}

impl TreeBuilder {
    /// Adds the folders and bookmarks of a file that are chosen by their indices.
    fn bookmark_file(&mut self, file: &Bookmarks, is_chosen: impl Fn(usize) -> bool) {
        for item in file.items().filter(|item| is_chosen(item.index())) {
            // Headings may skip a depth.
            self.close_to(file.ancestors(item.index()).count());
            match item {
                bookmarks::Item::Folder(folder) => self.open(folder.name().as_str()),
                bookmarks::Item::Bookmark(bookmark) => {
                    let written = bookmark.url_text();
                    let url = without_secrets(written.as_str());
                    let is_changed = url != written.as_str();
                    self.losses().part_if(is_changed, "passwords");
                    self.bookmark(&bookmark, url.into_owned());
                }
            }
        }
    }
}

/// Converts a URL so that it fits in `<URL:...>`: brackets, blanks and invisible characters are encoded; line breaks
/// and TABs are removed, as browsers do.
pub(super) fn single_word(url: &str) -> String {
    let word = url.trim().replace(['\t', '\r', '\n'], "");
    encode(&word, |c| matches!(c, '<' | '>' | ' ') || is_harmful(c))
}

/// Seconds between 1601 and 1970.
const SECONDS_FROM_1601: i64 = 11_644_473_600;

/// Parses a date in the files of other programs, as seconds since 1970.
///
/// ```text
/// date = number                     ; of seconds, milliseconds or microseconds since 1970, or microseconds since 1601 (Chromium)
///      / date-time                  ; RFC 3339; UTC without an offset, midnight without a time
///      / RFC 822 date               ; OPML
///      / "Tue Oct 26 12:00:00 1993" ; Mosaic
/// ```
///
/// Returns the seconds since 1970 of a date in any of these forms.
pub(super) fn parse_date(written: &str) -> Option<i64> {
    let written = written.trim();
    if let Some(number) = number(written) {
        return from_number(number);
    }
    let timestamp = written.parse::<Timestamp>().ok();
    let timestamp =
        timestamp.or_else(|| civil(written)?.to_zoned(TimeZone::UTC).ok().map(Into::into));
    let timestamp = timestamp.or_else(|| {
        let parser = rfc2822::DateTimeParser::new();
        parser.parse_timestamp(written).ok()
    });
    timestamp.map(Timestamp::as_second)
}

/// Formats seconds since 1970 as a date of RFC 822, and as one of RFC 3339 for the years that RFC 822 has not.
pub(super) fn rfc822(seconds: i64) -> Option<String> {
    let timestamp = Timestamp::from_second(seconds).ok()?;
    let written = rfc2822::DateTimePrinter::new().timestamp_to_string(&timestamp);
    Some(written.unwrap_or_else(|_| timestamp.to_string()))
}

/// Returns a number without its fraction.
fn number(written: &str) -> Option<i64> {
    let (whole, fraction) = written.split_once('.').unwrap_or((written, ""));
    let is_fraction = fraction.bytes().all(|octet| octet.is_ascii_digit());
    whole.parse().ok().filter(|_| is_fraction)
}

/// Returns the seconds of a number whose unit follows from its size.
fn from_number(number: i64) -> Option<i64> {
    let is_date = |seconds: &i64| Timestamp::from_second(*seconds).is_ok();
    let of_chromium = (number / 1_000_000).checked_sub(SECONDS_FROM_1601);
    let units = [1, 1000, 1_000_000].map(|unit| number / unit);
    match of_chromium {
        // Otherwise it would be a date after the year 2338.
        Some(seconds @ 0..) => Some(seconds).filter(is_date),
        Some(_) | None => units.into_iter().find(is_date),
    }
}

fn civil(written: &str) -> Option<DateTime> {
    let date = written.parse().ok();
    date.or_else(|| DateTime::strptime("%a %b %e %H:%M:%S %Y", written).ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn all_forms_of_a_date_are_the_same_second() {
        for written in [
            "1714557600",
            " 1714557600 ",
            "1714557600.75",
            "1714557600123",
            "1714557600123456",
            "13359031200000000",
            "2024-05-01T10:00:00Z",
            "2024-05-01T12:00:00.5+02:00",
            "2024-05-01 10:00:00",
            "Wed, 01 May 2024 10:00:00 GMT",
            "Wed, 01 May 2024 12:00:00 +0200",
            "Wed May  1 10:00:00 2024",
        ] {
            assert_eq!(parse_date(written), Some(1_714_557_600), "{written}");
        }
        assert_eq!(parse_date("2024-05-01"), Some(1_714_521_600));
        for other in ["", "yesterday", "1.2.2024", "12h", "2024-13-01"] {
            assert_eq!(parse_date(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn every_second_is_parsed_as_it_was_written(
            second in Timestamp::MIN.as_second()..=Timestamp::MAX.as_second(),
        ) {
            prop_assert_eq!(parse_date(&second.to_string()), Some(second));
            prop_assert_eq!(parse_date(&rfc822(second).unwrap()), Some(second));
        }

        #[test]
        fn any_text_is_a_date_or_none(written in "\\PC{0,24}") {
            if let Some(second) = parse_date(&written) {
                prop_assert!(Timestamp::from_second(second).is_ok());
            }
        }
    }
}
