//! `geomys search`: words in all copies, bookmarks and visits.

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use clap::Args;
use geomys_page::document::Zone;
use geomys_store::bookmarks::records;
use geomys_store::files::history;
use geomys_store::search::{self, Rank, SearchHit, SearchQuery, SearchedCopies};
use geomys_wire::text::{self, Text};
use jiff::Timestamp;
use serde::Serialize;

use super::argument::{ExitStatus, LineEnds};
use super::context::CliContext;
use super::error::{CliError, Output};
use super::url::json;
use crate::cli::locale::stderr;
use crate::run::library::{UNREAD_FAILED, searched_unread};

/// Search the text of all cached and saved pages, and the titles of bookmarks and visits
///
/// No server is contacted. Case and accents do not count, unless a word is typed with an accent. The pages with whole
/// words come first, then those with parts of words: of both those with the words in their title, then in the label of
/// a link, then in one paragraph, each time the newest first (tab-separated: time, URL, title, line). The time is that
/// of publication, else of the copy.
#[derive(Debug, Args)]
pub(super) struct SearchCommand {
    /// Print one JSON object a line for each page
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    exit_status: ExitStatus,

    #[command(flatten)]
    line_ends: LineEnds,

    /// Words that a page must have
    ///
    /// `'"two words"'` is a phrase, `'word*'` the start of words, `one OR two` takes either; after `--`, `-word` leaves
    /// out pages with it. `in:news`, `in:web` and `in:gopher` name a kind or a scheme, `host:` a host with those below
    /// it, `in:kept` the pages that you keep, `is:unread` those you have not read, `from:` an author of articles,
    /// `subject:` a part of the subject, `url:` one of the URL, `title:` one of the title, `since:2w`,
    /// `since:2026-11-02` and `until:2025` a time; `-in:` and the like leave these pages out.
    #[arg(value_name = "WORD", required = true)]
    words: Vec<String>,
}

impl SearchCommand {
    pub(super) fn run(&self, context: &CliContext) -> Result<(), CliError> {
        let words = self.words.join(" ");
        let query = SearchQuery::parse(&words, Timestamp::now()).map_err(|error| {
            let caret = error.caret(&words);
            CliError::Usage(format!("not a query\n  {words}\n  {caret}"))
        })?;
        let titles = titles(&query, context)?;
        let cache = context.config.cache(&context.paths);
        let settings = &context.config.settings;
        let marks = (context.paths.as_ref(), &settings.newsrcs);
        let unread = searched_unread(&query, &cache, marks);
        let unread = unread.ok_or_else(|| CliError::new(UNREAD_FAILED))?;
        let copies = SearchedCopies {
            cache: &cache,
            charset: settings.charset,
            is_unread: &|url| unread.is_unread(url),
        };
        let is_stopped = AtomicBool::new(false);
        let found = Mutex::new(Vec::new());
        let add = |hit| {
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            found.push(hit);
        };
        let summary = search::search(&copies, &query, titles, &is_stopped, &add);
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        search::sort(&mut found);
        self.print(&found)?;
        if found.is_empty() {
            let copies = text::count(summary.copies);
            writeln!(stderr(), "geomys: nothing found; pages searched: {copies}")?;
        }
        if summary.failed > 0 {
            let failed = text::count(summary.failed);
            writeln!(stderr(), "geomys: pages that could not be read: {failed}")?;
        }
        self.exit_status.of(!found.is_empty())
    }

    /// Prints the hits.
    fn print(&self, hits: &[SearchHit]) -> Result<(), CliError> {
        let mut output = Output::new();
        let mut out = self.line_ends.of(&mut output);
        for hit in hits {
            if self.json {
                let mut line = Vec::new();
                // Writing strings to memory cannot fail.
                let _ = json::line(&Entry::of(hit), &mut line);
                out.write_all(&line)?;
            } else {
                let date = hit.date.map(|time| Zone::system().written(time));
                let [title, line] = [&hit.title, &hit.line].map(|text| Text::of(text));
                let date = date.unwrap_or_default();
                writeln!(out, "{date}\t{}\t{title}\t{line}", hit.url.masked())?;
            }
        }
        output.end()?;
        Ok(())
    }
}

/// Returns the bookmarks and visits with the words in their title.
fn titles(query: &SearchQuery, context: &CliContext) -> Result<search::Titles, CliError> {
    let settings = &context.config.settings.history;
    let visits = history::load(&context.paths.history(), settings, Timestamp::now())?;
    let bookmarks = context.paths.bookmarks().load()?;
    let added = records::load(&context.paths.bookmark_dates())?;
    Ok(search::title_hits(query, &bookmarks, &added, &visits))
}

/// All keys in order, as scripts read them.
#[derive(Serialize)]
struct Entry {
    time: Option<String>,
    url: String,
    title: String,
    line: String,
    count: usize,
    r#match: &'static str,
}

impl Entry {
    fn of(hit: &SearchHit) -> Self {
        Self {
            time: hit.date.map(|time| time.to_string()),
            url: hit.url.masked().to_string(),
            title: hit.title.clone(),
            line: hit.line.clone(),
            count: hit.count,
            r#match: match hit.rank {
                Rank::Title => "title",
                Rank::Link => "link",
                Rank::Near => "near",
                Rank::Far => "far",
            },
        }
    }
}
