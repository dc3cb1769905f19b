//! `geomys history`: the visited pages.

use std::io::Write;

use clap::{Args, Subcommand};
use geomys_page::document::Zone;
use geomys_store::files::history::{self, VisitKind, VisitRef};
use geomys_wire::text::{self, Text};
use jiff::Timestamp;
use serde::Serialize;

use super::argument::{ExitStatus, LineEnds};
use super::ask;
use super::context::CliContext;
use super::error::CliError;
use super::error::Output;
use super::url::json;

/// List the visited pages, search them, remove them
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct HistoryCommand {
    #[command(subcommand)]
    command: Option<HistorySubcommand>,

    #[command(flatten)]
    list: List,
}

#[derive(Debug, Subcommand)]
enum HistorySubcommand {
    /// List visits, newest first (tab-separated: time, URL, title)
    List(List),
    /// List visits with all words in their URL or title
    Search(Search),
    /// Remove all visits, or those with all words in their URL or title
    Clear(Clear),
}

#[derive(Debug, Args)]
struct List {
    /// Print one JSON object a line for each visit
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    line_ends: LineEnds,
}

#[derive(Debug, Args)]
struct Search {
    #[command(flatten)]
    list: List,

    #[command(flatten)]
    exit_status: ExitStatus,

    #[arg(value_name = "WORD", required = true)]
    words: Vec<String>,
}

#[derive(Debug, Args)]
struct Clear {
    /// Print the number of removed visits as a JSON object
    #[arg(long)]
    json: bool,

    /// Remove them without a question, which is asked on a terminal
    #[arg(long)]
    yes: bool,

    #[arg(value_name = "WORD")]
    words: Vec<String>,
}

impl HistoryCommand {
    pub(super) fn run(&self, context: &CliContext) -> Result<(), CliError> {
        match &self.command {
            None => self.list.print(context, &[]).map(drop),
            Some(HistorySubcommand::List(list)) => list.print(context, &[]).map(drop),
            Some(HistorySubcommand::Search(search)) => {
                let count = search.list.print(context, &folded(&search.words))?;
                search.exit_status.of(count > 0)
            }
            Some(HistorySubcommand::Clear(clear)) => clear.run(context),
        }
    }
}

impl List {
    /// Prints the visits with these words, and returns their number.
    fn print(&self, context: &CliContext, words: &[String]) -> Result<usize, CliError> {
        let settings = &context.config.settings.history;
        let path = context.paths.history();
        let history = history::load(&path, settings, Timestamp::now())?;
        let (mut output, zone) = (Output::new(), Zone::system());
        let mut out = self.line_ends.of(&mut output);
        let mut count = 0;
        for visit in history.iter().rev().filter(|visit| visit.has(words)) {
            let line = if self.json {
                let mut line = Vec::new();
                // Writing strings to memory cannot fail.
                let _ = json::line(&Entry::of(visit), &mut line);
                line
            } else {
                let time = zone.written(visit.to_visit().time);
                let (url, title) = (Text::of(visit.url), Text::of(visit.title));
                format!("{time}\t{url}\t{title}\n").into_bytes()
            };
            out.write_all(&line)?;
            count += 1;
        }
        output.end()?;
        Ok(count)
    }
}

impl Clear {
    fn run(&self, context: &CliContext) -> Result<(), CliError> {
        let words = folded(&self.words);
        let path = context.paths.history();
        let settings = &context.config.settings.history;
        let is_asked = !self.yes && ask::is_interactive();
        if is_asked {
            let history = history::load(&path, settings, Timestamp::now())?;
            let number = history.iter().filter(|visit| visit.has(&words)).count();
            let visits = if number == 1 { "visit" } else { "visits" };
            let question = format!("Remove {} {visits}?", text::count(number));
            if number > 0 && ask::agrees(&question)? == Some(false) {
                return Err(CliError::new("nothing was removed"));
            }
        }
        let removed = history::remove(&path, |visit| visit.has(&words))?;
        let mut out = Output::new();
        if self.json {
            writeln!(out, "{{\"removed\":{removed}}}")?;
        } else {
            let visits = if removed == 1 { "visit" } else { "visits" };
            writeln!(out, "{} {visits} removed", text::count(removed))?;
        }
        Ok(out.end()?)
    }
}

fn folded(words: &[String]) -> Vec<String> {
    let words = words.iter().flat_map(|word| word.split_whitespace());
    words.map(str::to_lowercase).collect()
}

/// All keys in order, as scripts read them.
#[derive(Serialize)]
struct Entry {
    time: String,
    url: String,
    title: String,
    kind: VisitKind,
    reason: String,
}

impl Entry {
    fn of(visit: VisitRef<'_>) -> Self {
        Self {
            time: visit.to_visit().time.to_string(),
            url: Text::of(visit.url).to_string(),
            title: Text::of(visit.title).to_string(),
            kind: visit.kind,
            reason: Text::of(visit.reason).to_string(),
        }
    }
}
