//! `geomys bookmarks list`.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use geomys_load::check::LinkStatus;
use geomys_store::bookmarks::archive::Archives;
use geomys_store::bookmarks::dates::{self, BookmarkOrder, LastVisits};
use geomys_store::bookmarks::records::{self, BookmarkRecords, FormerUrl};
use geomys_store::bookmarks::{Bookmark, Bookmarks, FuzzyIndex, Query, ScannedBookmark, Store};
use geomys_store::files::history;
use geomys_wire::text::Text;
use jiff::Timestamp;
use rfc1738::{Url, mask};
use serde::Serialize;

use super::resolve::LinkRecords;
use crate::cli::argument::{ExitStatus, LineEnds};
use crate::cli::context::CliContext;
use crate::cli::error::CliError;
use crate::cli::locale::stdout;
use crate::cli::url::json::{self, Fault};

#[derive(Debug, Args)]
pub(super) struct List {
    /// Print one JSON object a line for each bookmark
    #[arg(long)]
    json: bool,

    /// Match scattered letters too, the best first
    ///
    /// As the filter of the browser does. `#word` is the beginning of a tag.
    #[arg(long)]
    fuzzy: bool,

    /// Sort by this; without it, in the order of the file
    ///
    /// Dates are sorted the newest first, bookmarks without one last. The dates are in --json.
    #[arg(long, value_name = "ORDER", conflicts_with = "fuzzy")]
    sort: Option<SortOrder>,

    #[command(flatten)]
    exit_status: ExitStatus,

    #[command(flatten)]
    line_ends: LineEnds,

    /// List only bookmarks that contain all of these words
    ///
    /// In title, URL, folder, tags or note, in any case. After `--`, `-word` leaves out those that contain it; `'"two
    /// words"'` is a phrase, `a OR b` takes either, `/regex/` is a pattern.
    /// `is:fault` matches malformed URLs, `is:duplicate` URLs of several bookmarks, `is:repeated` all of these but the
    /// first, `is:untagged` and `is:untitled` what lacks a tag or a title; `is:dead`, `dead>30d` and the like match
    /// results of checks, `added>1y`, `since:2019` and `until:2020` the date of addition, `host:sdf.org` the host and
    /// those below it, `folder:Work/Old` the folder and what is in it.
    #[arg(value_name = "QUERY")]
    query: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SortOrder {
    /// By the date added
    Added,
    /// By the last visit
    Visited,
    /// By title
    Title,
    /// By host
    Host,
}

impl SortOrder {
    fn order(self) -> BookmarkOrder {
        match self {
            Self::Added => BookmarkOrder::Added,
            Self::Visited => BookmarkOrder::Visited,
            Self::Title => BookmarkOrder::Title,
            Self::Host => BookmarkOrder::Host,
        }
    }
}

impl List {
    pub(super) fn run(&self, store: &Store, context: &CliContext) -> Result<(), CliError> {
        let query = Query::complete(&self.query.join(" "))?;
        let records = if query.needs_states() {
            LinkRecords::load(context)?
        } else {
            LinkRecords::default()
        };
        let matches = |word: &str, url: Option<&Url>| records.matches(word, url);
        let dates = match self.sort {
            None | Some(SortOrder::Title | SortOrder::Host) if !self.json => Dates::default(),
            _ => Dates::load(context)?,
        };
        let archived = self.json.then(|| Archived::load(context)).transpose()?;
        let archived = archived.flatten();
        let mut out = self.line_ends.of(stdout());
        let is_fuzzy = self.fuzzy && !query.is_blank();
        if is_fuzzy || self.sort.is_some() {
            let file = store.load()?;
            let mut indices = if is_fuzzy {
                FuzzyIndex::new(&file).find(&query, None, &matches)
            } else {
                file.matching(&query, &matches)
            };
            if let Some(sort) = self.sort {
                let order = sort.order();
                dates::sort(&file, &mut indices, order, &dates.added, &dates.visits);
            }
            let mut lines = Vec::new();
            for bookmark in indices.into_iter().filter_map(|index| file.bookmark(index)) {
                let folder = file.folder_of(bookmark.index);
                let bookmark = bookmark.scanned(&folder);
                self.write(&bookmark, &dates, archived.as_ref(), &mut lines);
            }
            out.write_all(&lines)?;
            return self.exit_status.of(!lines.is_empty());
        }
        let write = |passed: &ScannedBookmark<'_>, lines: &mut Vec<u8>| {
            self.write(passed, &dates, archived.as_ref(), lines);
        };
        let mut has_found = false;
        for lines in query.scan(&store.octets()?, &matches, write) {
            out.write_all(&lines)?;
            has_found |= !lines.is_empty();
        }
        out.flush()?;
        self.exit_status.of(has_found)
    }

    fn write(
        &self,
        passed: &ScannedBookmark<'_>,
        dates: &Dates,
        archived: Option<&Archived<'_>>,
        lines: &mut Vec<u8>,
    ) {
        // Writing strings and numbers to memory cannot fail.
        let _ = if self.json {
            json::line(&Entry::of(passed, dates, archived), lines)
        } else {
            write_line(passed, lines).and_then(|()| lines.write_all(b"\n"))
        };
    }
}

/// The archives of dead bookmarks, with the times when these were last alive.
struct Archived<'a> {
    archives: &'a Archives,
    records: LinkRecords,
}

impl<'a> Archived<'a> {
    /// Returns nothing if no archive is set.
    fn load(context: &'a CliContext) -> Result<Option<Self>, CliError> {
        let archives = &context.config.settings.archives;
        if *archives == Archives::default() {
            return Ok(None);
        }
        let records = LinkRecords::load(context)?;
        Ok(Some(Self { archives, records }))
    }

    /// Returns the URL of a bookmark at its archive; `None` for one that is not dead.
    fn url(&self, bookmark: &Url, added: Option<Timestamp>) -> Option<String> {
        let state = self.records.checks.of(bookmark)?;
        let is_dead = matches!(
            state.verdict,
            LinkStatus::Dead(_) | LinkStatus::Unreachable(_)
        );
        let date = added.or(state.alive).unwrap_or(self.records.now);
        let url = self.archives.url(bookmark, date).filter(|_| is_dead)?;
        Some(url.to_string())
    }
}

/// The stored dates of bookmarks.
#[derive(Default)]
struct Dates {
    added: BookmarkRecords,
    visits: LastVisits,
}

impl Dates {
    fn load(context: &CliContext) -> Result<Self, CliError> {
        let settings = &context.config.settings.history;
        let history = history::load(&context.paths.history(), settings, Timestamp::now())?;
        Ok(Self {
            added: records::load(&context.paths.bookmark_dates())?,
            visits: LastVisits::of(&history),
        })
    }
}

/// Returns the line of a bookmark in the list.
pub(super) fn list_line(file: &Bookmarks, bookmark: &Bookmark<'_>) -> String {
    let folder = file.folder_of(bookmark.index);
    let mut line = Vec::new();
    // Writing to memory cannot fail.
    let _ = write_line(&bookmark.scanned(&folder), &mut line);
    String::from_utf8(line).unwrap_or_default()
}

fn write_line(bookmark: &ScannedBookmark<'_>, line: &mut Vec<u8>) -> io::Result<()> {
    let parts = &bookmark.parts;
    let written = parts.url_text();
    write!(line, "{}\t{}\t", parts.title(), mask(written.as_str()))?;
    line.extend_from_slice(bookmark.folder.join("/").as_bytes());
    line.push(b'\t');
    for (number, tag) in parts.tags().iter().enumerate() {
        line.extend_from_slice(if number == 0 { b"#" } else { b" #" });
        line.extend_from_slice(tag.as_str().as_bytes());
    }
    Ok(())
}

/// All keys in order, as scripts read them.
#[derive(Serialize)]
struct Entry<'a> {
    /// The line number, from 1.
    line: usize,
    title: String,
    url: String,
    folder: &'a [String],
    tags: Vec<String>,
    /// The lines of the note, separated by line ends.
    note: String,
    error: Option<Fault>,
    /// The times of the addition and of the last visit, if they are known.
    added: Option<String>,
    visited: Option<String>,
    /// Where the page was before, the oldest first, each with the time until which it was there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    was: Vec<&'a FormerUrl>,
    /// The URL of a dead bookmark at the archive that is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    archive: Option<String>,
}

impl<'a> Entry<'a> {
    fn of(
        bookmark: &ScannedBookmark<'a>,
        dates: &'a Dates,
        archived: Option<&Archived<'_>>,
    ) -> Self {
        let parts = &bookmark.parts;
        let written = parts.url_text();
        let (url, fault) = match parts.url() {
            Ok(url) => (Some(url), None),
            Err(fault) => (None, Some(fault)),
        };
        let added = dates.added.added_written(written.as_str());
        let archive = archived.zip(url.as_ref());
        let archive = archive.and_then(|(archived, url)| archived.url(url, added));
        let visited = dates.visits.time(written.as_str());
        let notes = bookmark.notes();
        let notes: Vec<&str> = notes.iter().map(Text::as_str).collect();
        Entry {
            line: bookmark.line + 1,
            title: parts.title().to_string(),
            url: mask(written.as_str()).into_owned(),
            folder: bookmark.folder,
            tags: parts.tags().iter().map(Text::to_string).collect(),
            note: notes.join("\n"),
            error: fault.map(|fault| Fault::of(&fault.masked(written.as_str()))),
            added: added.map(|time| time.to_string()),
            visited: visited.map(|time| time.to_string()),
            was: dates.added.former_written(written.as_str()),
            archive,
        }
    }
}
