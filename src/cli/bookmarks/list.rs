//! `geomys bookmarks list`.

use std::io::{self, Write, stdout};

use clap::Args;
use serde::Serialize;

use super::query::Known;
use crate::cli::url::json::{self, Fault};
use crate::cli::{Setting, Trouble};
use crate::files::bookmarks::{Bookmark, Bookmarks, Passed, Query, Searched, Store, Words, sweep};
use crate::text::Text;
use crate::url::{Url, mask};

#[derive(Debug, Args)]
pub(super) struct List {
    /// One JSON object a bookmark, on a line of its own
    #[arg(long)]
    json: bool,

    /// Find as the browser does, also by scattered letters, and print the best first; `#word` begins a tag
    #[arg(long)]
    fuzzy: bool,

    /// Only those that hold all of these words in title, URL, folder, tags or note, whatever their case; `is:fault` is held
    /// by a bad URL, `is:gone`, `gone>30d` and their like by what a check has found
    #[arg(value_name = "QUERY")]
    query: Vec<String>,
}

impl List {
    pub(super) fn run(&self, store: &Store, setting: &Setting) -> Result<(), Trouble> {
        let query = Query::new(&self.query.join(" "));
        let words = Words::new(&self.query);
        let known = if words.ask_what_is_known() {
            Known::load(setting)?
        } else {
            Known::nothing()
        };
        let fits = |word: &str, url: Option<&Url>| known.fits(word, url);
        let mut out = stdout().lock();
        if self.fuzzy && !query.is_blank() {
            let file = store.load()?;
            let found = Searched::new(&file).find(&query, None, &fits);
            let mut lines = Vec::new();
            for bookmark in found.into_iter().filter_map(|index| file.bookmark(index)) {
                let folder = file.folder_of(bookmark.index);
                if let Some(passed) = bookmark.passed(&folder) {
                    self.write(&passed, &mut lines);
                }
            }
            return Ok(out.write_all(&lines)?);
        }
        let write = |passed: &Passed<'_>, lines: &mut Vec<u8>| self.write(passed, lines);
        for lines in sweep(&store.octets()?, &words, &fits, &write) {
            out.write_all(&lines)?;
        }
        Ok(out.flush()?)
    }

    fn write(&self, passed: &Passed<'_>, lines: &mut Vec<u8>) {
        // Into memory, and of strings and numbers alone: nothing in it can fail.
        let _ = if self.json {
            json::line(&Entry::of(passed), lines)
        } else {
            write_line(passed, lines).and_then(|()| lines.write_all(b"\n"))
        };
    }
}

/// A bookmark as it is listed.
pub(super) fn listed(file: &Bookmarks, bookmark: &Bookmark<'_>) -> String {
    let folder = file.folder_of(bookmark.index);
    let mut line = Vec::new();
    if let Some(passed) = bookmark.passed(&folder) {
        // As above.
        let _ = write_line(&passed, &mut line);
    }
    String::from_utf8(line).unwrap_or_default()
}

fn write_line(bookmark: &Passed<'_>, line: &mut Vec<u8>) -> io::Result<()> {
    let written = bookmark.written();
    write!(line, "{}\t{}\t", bookmark.title(), mask(written.as_str()))?;
    for (number, name) in bookmark.folder.iter().enumerate() {
        line.extend_from_slice(if number == 0 { b"" } else { b"/" });
        line.extend_from_slice(name.as_bytes());
    }
    line.push(b'\t');
    for (number, tag) in bookmark.tags().iter().enumerate() {
        line.extend_from_slice(if number == 0 { b"#" } else { b" #" });
        line.extend_from_slice(tag.as_str().as_bytes());
    }
    Ok(())
}

/// All keys, in their order, which scripts read.
#[derive(Serialize)]
struct Entry<'a> {
    /// From 1.
    line: usize,
    title: String,
    url: String,
    folder: &'a [String],
    tags: Vec<String>,
    /// A line end between two lines.
    note: String,
    error: Option<Fault>,
}

impl<'a> Entry<'a> {
    fn of(bookmark: &Passed<'a>) -> Self {
        let written = bookmark.written();
        let fault = bookmark.url().err();
        let notes = bookmark.notes();
        let notes: Vec<&str> = notes.iter().map(Text::as_str).collect();
        Entry {
            line: bookmark.line + 1,
            title: bookmark.title().to_string(),
            url: mask(written.as_str()).into_owned(),
            folder: bookmark.folder,
            tags: bookmark.tags().iter().map(Text::to_string).collect(),
            note: notes.join("\n"),
            error: fault.map(|fault| Fault::of(&fault.masked(written.as_str()))),
        }
    }
}
