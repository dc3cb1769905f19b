//! The import of a file, or of a directory of files: its format, its entries, and what is left out.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, stdin};
use std::path::Path;

use geomys_wire::text::{self, Text};
use rfc1738::without_secrets;

use super::{BookmarkFormat, BookmarkTree, LeftOut, LossReport, MAX_FILE_BYTES};
use super::{detect, opened, other_format};
use crate::bookmarks::Bookmarks;
use crate::bookmarks::followed::depth_of_tag;

/// The largest number of entries that a report lists one by one; more are counted.
pub const MAX_LISTED: usize = 10;

/// The largest number of files that are read of a directory: more is no directory of bookmarks.
const MAX_FILES: usize = 10_000;

/// What of a file is imported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// The format; by the content without one.
    pub format: Option<BookmarkFormat>,
    /// True imports URLs that are bookmarked already, too.
    pub again: bool,
    /// True removes passwords from URLs.
    pub drop_passwords: bool,
    /// True keeps the tags that follow pages.
    pub keep_follow: bool,
}

/// What was read from a file or a directory.
#[derive(Clone, Debug)]
pub struct Import {
    /// The path, as it is shown.
    pub name: String,
    /// The name of the format; of a directory the number of its files.
    pub kind: String,
    /// The entries, with what was left out.
    pub tree: BookmarkTree,
    /// Sentences about the files that were not read.
    pub unread: Vec<String>,
    /// The labels of the entries with a password in their URLs.
    pub passwords: Vec<String>,
    /// The number of entries that lost the tag that follows them.
    pub dropped_tags: usize,
}

impl Import {
    /// Reads a file, `-` for standard input, or all files of a directory whose names a format has. Directories in it
    /// become folders; links in it are not followed.
    ///
    /// # Errors
    /// A sentence: the path cannot be read, or has no bookmark.
    pub fn read(path: &Path, format: Option<BookmarkFormat>) -> Result<Self, String> {
        let import = if path.is_dir() {
            Self::read_directory(path, format)?
        } else {
            let (format, tree) = read_file(path, format)?;
            Self {
                name: shown(path),
                kind: format.to_string(),
                tree,
                unread: Vec::new(),
                passwords: Vec::new(),
                dropped_tags: 0,
            }
        };
        Ok(import)
    }

    /// Reads the files of a directory and of those in it, in the order of their names. A file that cannot be read is
    /// left out, with a remark.
    fn read_directory(top: &Path, format: Option<BookmarkFormat>) -> Result<Self, String> {
        let mut tree = BookmarkTree::default();
        let mut unread = Vec::new();
        let mut files = 0;
        let mut waiting = vec![(top.to_owned(), Vec::new())];
        while let Some((directory, folder)) = waiting.pop() {
            let unreadable = |error| format!("{} cannot be read: {error}", shown(&directory));
            let entries = fs::read_dir(&directory).and_then(Iterator::collect);
            let mut entries: Vec<fs::DirEntry> = match entries.map_err(unreadable) {
                Ok(entries) => entries,
                Err(error) if directory == top => return Err(error),
                Err(error) => {
                    unread.push(error);
                    continue;
                }
            };
            entries.sort_by_key(fs::DirEntry::file_name);
            let mut inner = Vec::new();
            for entry in entries {
                let name = entry.file_name().to_string_lossy().into_owned();
                let kind = entry.file_type().map_err(unreadable)?;
                if kind.is_dir() {
                    inner.push((entry.path(), [folder.clone(), vec![name]].concat()));
                } else if kind.is_file() && BookmarkFormat::of_file(&name).is_some() {
                    match read_file(&entry.path(), format) {
                        Ok((_, mut read)) => {
                            for entry in &mut read.losses.entries {
                                entry.label = format!("{}: {}", clean(&name), entry.label);
                            }
                            tree.append(&folder, read);
                        }
                        Err(error) => unread.push(error),
                    }
                    files += 1;
                    if files > MAX_FILES {
                        return Err(format!(
                            "{} is not imported: it has more than {} files",
                            shown(top),
                            text::count(MAX_FILES)
                        ));
                    }
                }
            }
            // The first directory is the next one.
            waiting.extend(inner.into_iter().rev());
        }
        let kind = match files {
            1 => "1 file".to_owned(),
            count => format!("{} files", text::count(count)),
        };
        Ok(Self {
            name: shown(top),
            kind,
            tree,
            unread,
            passwords: Vec::new(),
            dropped_tags: 0,
        })
    }

    /// Returns the sentence about a file without a bookmark; `None` if it has one.
    pub fn fault(&self) -> Option<String> {
        let is_empty = self.tree.entries().next().is_none();
        is_empty.then(|| {
            format!(
                "{} is not imported: no bookmarks in it ({})",
                self.name, self.kind
            )
        })
    }

    /// Removes what is not imported into these bookmarks: URLs that they have, passwords, tags that follow pages.
    pub fn select(&mut self, bookmarks: &Bookmarks, options: ImportOptions) {
        self.find_passwords(options.drop_passwords);
        if !options.again {
            self.tree.remove_existing(bookmarks);
        }
        if !options.keep_follow {
            self.drop_follow_tags();
        }
    }

    /// Returns lines about the files that were not read, and about what was changed or dropped.
    pub fn remarks(&self) -> Vec<String> {
        let passwords = self.passwords.iter();
        let passwords = passwords.map(|label| format!("password removed: {label}"));
        let dropped = (self.dropped_tags > 0).then(|| {
            format!(
                "tags that follow dropped: {}",
                text::count(self.dropped_tags)
            )
        });
        let unread = self.unread.iter().cloned();
        let remarks = unread.chain(passwords).chain(dropped);
        remarks
            .chain(self.tree.losses.details("imported"))
            .collect()
    }

    /// Drops the tags by which other people follow, so that their addresses are not contacted each day.
    fn drop_follow_tags(&mut self) {
        for entry in self.tree.entries_mut() {
            let before = entry.tags.len();
            entry.tags.retain(|tag| depth_of_tag(tag).is_none());
            self.dropped_tags += usize::from(entry.tags.len() < before);
        }
    }

    /// Removes passwords from URLs, or only tells where they are. A URL with a fault has one, too.
    fn find_passwords(&mut self, removes: bool) {
        for entry in self.tree.entries_mut() {
            let without = without_secrets(&entry.url);
            if without == entry.url {
                continue;
            }
            let without = without.into_owned();
            self.passwords.push(entry.label());
            if removes {
                entry.url = without;
            }
        }
    }
}

impl LossReport {
    /// Returns a line for each kind of thing that was left out, and for each of a few entries. `done` is what the rest
    /// was: imported or exported.
    pub fn lines(&self, done: &str) -> Vec<String> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in &self.entries {
            *counts.entry(entry.reason).or_default() += 1;
        }
        counts.retain(|_, count| *count > MAX_LISTED);
        let entries = self.entries.iter();
        let single = entries.filter(|entry| !counts.contains_key(entry.reason));
        let single = single.map(|entry| format!("left out: {}", entry.sentence()));
        let mut lines: Vec<String> = single.collect();
        lines.extend(
            counts
                .iter()
                .map(|(why, count)| format!("left out: {} entries: {why}", text::count(*count))),
        );
        lines.extend(self.details(done));
        lines
    }

    /// Returns a line for each kind of detail that was dropped, as [`LossReport::lines`].
    pub fn details(&self, done: &str) -> Vec<String> {
        let mut lines: Vec<String> = (self.parts.iter())
            .map(|(what, count)| format!("not {done}: {} ({})", clean(what), text::count(*count)))
            .collect();
        if !self.fields.is_empty() {
            let names = self.fields.iter().take(MAX_LISTED);
            let names =
                names.map(|(name, count)| format!("“{}” ({})", clean(name), text::count(*count)));
            let mut names: Vec<String> = names.collect();
            if let Some(more) = self
                .fields
                .len()
                .checked_sub(MAX_LISTED)
                .filter(|more| *more > 0)
            {
                names.push(format!("{} more", text::count(more)));
            }
            let names = names.join(", ");
            lines.push(format!("not {done}: fields that no bookmark has: {names}"));
        }
        lines
    }
}

impl LeftOut {
    /// Returns its line, its label and the reason.
    pub fn sentence(&self) -> String {
        let line = self
            .line
            .map(|line| format!("line {}: ", text::count(line)));
        let label = match self.label.as_str() {
            "" => "an entry",
            label => label,
        };
        let (line, why) = (line.unwrap_or_default(), self.reason);
        format!("{line}{}: {why}", clean(label))
    }
}

/// Reads a file in its format; the error is a sentence.
fn read_file(
    path: &Path,
    chosen: Option<BookmarkFormat>,
) -> Result<(BookmarkFormat, BookmarkTree), String> {
    let name = shown(path);
    let octets = octets(path).map_err(|error| format!("{name} cannot be read: {error}"))?;
    let octets = opened(&octets).map_err(|error| format!("{name} is not imported: {error}"))?;
    if let Some(other) = other_format(&octets, chosen) {
        return Err(format!("{name} is not imported: it is {other}"));
    }
    let format = chosen.unwrap_or_else(|| detect(&octets));
    let malformed = |error| format!("{name} is not read as {format}: {error}");
    let mut tree = format.read(&octets).map_err(malformed)?;
    if tree.entries().next().is_none() && octets.contains(&0) {
        return Err(format!(
            "{name} is not imported: no bookmarks in it (binary data)"
        ));
    }
    if matches!(format, BookmarkFormat::Shortcut | BookmarkFormat::Safari) {
        tree.name_untitled(path);
    }
    Ok((format, tree))
}

fn octets(path: &Path) -> io::Result<Vec<u8>> {
    let max = u64::try_from(MAX_FILE_BYTES)
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    let mut octets = Vec::new();
    if path == Path::new("-") {
        stdin().lock().take(max).read_to_end(&mut octets)?;
    } else {
        fs::File::open(path)?.take(max).read_to_end(&mut octets)?;
    }
    Ok(octets)
}

/// Returns a path as it is shown.
fn shown(path: &Path) -> String {
    Text::of(&path.to_string_lossy()).to_string()
}

fn clean(text: &str) -> String {
    Text::of(text).to_string()
}
