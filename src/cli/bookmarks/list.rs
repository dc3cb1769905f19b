//! `geomys bookmarks list`.

use std::io::{BufWriter, Write, stdout};

use clap::Args;
use serde::Serialize;

use crate::cli::Trouble;
use crate::cli::url::json::{self, Fault};
use crate::files::bookmarks::{Bookmark, Bookmarks, Query, Searched, Store};
use crate::text::Text;
use crate::url::mask;

#[derive(Debug, Args)]
pub(super) struct List {
    /// One JSON object a bookmark, on a line of its own
    #[arg(long)]
    json: bool,

    /// Find as the browser does, also by scattered letters, and print the best first; `#word` begins a tag, `is:fault` finds
    /// bad URLs
    #[arg(long)]
    fuzzy: bool,

    /// Only those that hold all of these words in title, URL, folder, tags or note, whatever their case
    #[arg(value_name = "QUERY")]
    query: Vec<String>,
}

impl List {
    pub(super) fn run(&self, store: &Store) -> Result<(), Trouble> {
        let file = store.load()?;
        let mut out = BufWriter::with_capacity(64 * 1024, stdout().lock());
        let mut folder = (None, Vec::new());
        for index in self.found(&file) {
            let Some(bookmark) = file.bookmark(index) else {
                continue;
            };
            let parent = file.parent(index);
            if folder.0 != parent {
                folder = (parent, file.folder_of(index));
            }
            if self.json {
                json::line(&Entry::of(&bookmark, &folder.1), &mut out)?;
            } else {
                writeln!(out, "{}", line(&bookmark, &folder.1))?;
            }
        }
        Ok(out.flush()?)
    }

    fn found(&self, file: &Bookmarks) -> Vec<usize> {
        let query = Query::new(&self.query.join(" "));
        if self.fuzzy && !query.is_blank() {
            return Searched::new(file).find(&query, None, &|_, _| None);
        }
        file.holding(&self.query)
    }
}

/// A bookmark as it is listed.
pub(super) fn listed(file: &Bookmarks, bookmark: &Bookmark<'_>) -> String {
    line(bookmark, &file.folder_of(bookmark.index))
}

fn line(bookmark: &Bookmark<'_>, folder: &[String]) -> String {
    let written = bookmark.written();
    let mut line = format!(
        "{}\t{}\t{}\t",
        bookmark.title(),
        mask(written.as_str()),
        folder.join("/")
    );
    for (number, tag) in bookmark.tags().iter().enumerate() {
        line.push_str(if number == 0 { "#" } else { " #" });
        line.push_str(tag.as_str());
    }
    line
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
    fn of(bookmark: &Bookmark<'_>, folder: &'a [String]) -> Self {
        let written = bookmark.written();
        let fault = bookmark.has_fault.then(|| bookmark.url().err()).flatten();
        let notes = bookmark.notes();
        let notes: Vec<&str> = notes.iter().map(Text::as_str).collect();
        Entry {
            line: bookmark.line + 1,
            title: bookmark.title().to_string(),
            url: mask(written.as_str()).into_owned(),
            folder,
            tags: bookmark.tags().iter().map(Text::to_string).collect(),
            note: notes.join("\n"),
            error: fault.map(|fault| Fault::of(&fault.masked(written.as_str()))),
        }
    }
}
