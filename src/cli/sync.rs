//! `geomys sync`: fetches everything that the user follows, to be read without a network.

use std::io::Write;
use std::sync::Arc;

use clap::Args;
use geomys_page::load::{FormAnswers, Purpose, Request};
use geomys_store::outbox::Sender;
use geomys_store::sync::lock::SyncLock;
use geomys_store::sync::report::{Note, SourceReport, SyncSummary};
use geomys_store::sync::run::{SyncOptions, SyncRun};
use geomys_store::sync::sources::SyncSources;
use geomys_wire::text;
use rfc1738::Url;

use super::context::{CliContext, block_on};
use super::error::{CliError, Output};
use super::signals::stop_signal;
use super::url::json;
use crate::cli::locale::stderr;
use crate::run::library::followed_groups;

#[derive(Debug, Args)]
pub(super) struct Sync {
    /// Print what would be fetched, and contact no server
    #[arg(long)]
    dry_run: bool,

    /// Print one JSON object a line for each source, and one for the run
    #[arg(long)]
    json: bool,

    /// Print only what failed
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
}

impl Sync {
    pub(super) fn run(&self, context: &CliContext) -> Result<(), CliError> {
        let _lock = if self.dry_run {
            None
        } else {
            Some(SyncLock::take(&context.paths.sync_lock()).map_err(CliError::new)?)
        };
        let (reports, summary) = self.sync(context)?;
        self.print(&reports, &summary)?;
        if let Some(why) = summary.stopped {
            return Err(CliError::new(why));
        }
        match summary.failed {
            0 => Ok(()),
            // The failures are printed already.
            _ => Err(CliError::new("")),
        }
    }

    fn sync(&self, context: &CliContext) -> Result<(Vec<SourceReport>, SyncSummary), CliError> {
        let bookmarks = context.paths.bookmarks().load()?;
        let (credentials, settings) = (context.credentials()?, &context.config.settings);
        let request = |url: Url| Request {
            // The user has not seen each form.
            answers: FormAnswers::Unconfirmed,
            ..context.request_with(url, Purpose::Show, &credentials)
        };
        let is_excluded = |url: &Url| settings.history.excludes(url);
        let options = SyncOptions {
            size: settings.sync_size,
            page: Some(settings.cache.page).filter(|&page| page > 0),
            is_dry: self.dry_run,
            request: &request,
            is_excluded: &is_excluded,
            progress: &|_| {},
        };
        let net = context.config.net(&context.paths);
        let cache = Arc::new(context.config.cache(&context.paths));
        let mut run = SyncRun::new(&net, cache, options);
        let sources = SyncSources {
            drafts: &context.paths.drafts(),
            sender: &Sender {
                author: settings.author.clone(),
                secret: context.paths.cancel_secret(),
            },
            bookmarks: &bookmarks,
            watched: &context.paths.watched(),
            groups: &followed_groups(&settings.newsrcs),
        };
        block_on(async {
            let stopped = stop_signal()?;
            tokio::select! {
                biased;
                () = stopped => Err(CliError::new("stopped; what came is stored")),
                reports = run.run(&sources) => Ok(reports?),
            }
        })?
    }

    fn print(&self, reports: &[SourceReport], summary: &SyncSummary) -> Result<(), CliError> {
        let mut out = Output::new();
        if self.json {
            for report in reports {
                json::line(report, &mut out)?;
            }
            json::line(summary, &mut out)?;
            return Ok(out.end()?);
        }
        for report in reports.iter().filter(|_| !self.quiet) {
            writeln!(out, "{}", report.line())?;
        }
        let failed = reports.iter().flat_map(|report| &report.failed);
        print_notes("failed", failed)?;
        if !self.quiet {
            print_notes("later", reports.iter().flat_map(|report| &report.later))?;
            print_notes("to answer", reports.iter().flat_map(|report| &report.asks))?;
            let not_stored = reports.iter().flat_map(|report| &report.not_stored);
            print_notes("not stored", not_stored)?;
            if !self.dry_run {
                let (new, bytes) = (text::count(summary.new), text::octets(summary.bytes));
                writeln!(out, "{new} new pages, {bytes}")?;
            }
        }
        Ok(out.end()?)
    }
}

/// Prints pages that need attention, with their reasons.
fn print_notes<'a>(word: &str, notes: impl Iterator<Item = &'a Note>) -> Result<(), CliError> {
    for note in notes {
        writeln!(stderr(), "geomys: {word}: {}: {}", note.url, note.reason)?;
    }
    Ok(())
}
