//! `geomys sync`: fetches everything that the user follows, to be read without a network.

use std::io::Write;
use std::sync::Arc;

use clap::Args;
use geomys_page::load::{FormAnswers, Purpose, Request};
use geomys_store::outbox::Sender;
use geomys_store::sync::lock::SyncLock;
use geomys_store::sync::report::{Note, SourceReport};
use geomys_store::sync::run::{SyncOptions, SyncRun};
use geomys_wire::text;
use rfc1738::Url;
use serde::Serialize;

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

/// The result of a run. The keys and their order are part of the interface: scripts read them.
#[derive(Serialize)]
struct Summary {
    sources: usize,
    sent: usize,
    new: usize,
    same: usize,
    bytes: u64,
    later: usize,
    failed: usize,
    asks: usize,
    not_stored: usize,
    left: usize,
    /// The reason why the run ended early.
    stopped: Option<String>,
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

    fn sync(&self, context: &CliContext) -> Result<(Vec<SourceReport>, Summary), CliError> {
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
        };
        let net = context.config.net(&context.paths);
        let cache = Arc::new(context.config.cache(&context.paths));
        let mut run = SyncRun::new(&net, cache, options);
        let watched = context.paths.watched();
        let groups = followed_groups(&settings.newsrcs);
        let sender = Sender {
            author: settings.author.clone(),
            secret: context.paths.cancel_secret(),
        };
        let reports = block_on(async {
            let all = async {
                let outbox = run.outbox(&context.paths.drafts(), &sender).await;
                let mut reports: Vec<_> = outbox.into_iter().collect();
                reports.push(run.saved().await?);
                reports.extend(run.watched(&bookmarks, &watched).await?);
                reports.extend(run.offline(&bookmarks).await);
                reports.extend(run.groups(&groups).await);
                Ok::<_, CliError>(reports)
            };
            let stopped = stop_signal()?;
            tokio::select! {
                biased;
                () = stopped => Err(CliError::new("stopped; what came is stored")),
                reports = all => reports,
            }
        })??;
        let sum = |count: fn(&SourceReport) -> usize| reports.iter().map(count).sum();
        let summary = Summary {
            sources: reports.len(),
            sent: sum(|report| report.sent),
            new: sum(|report| report.new),
            same: sum(|report| report.same),
            bytes: run.spent(),
            later: sum(|report| report.later.len()),
            failed: sum(|report| report.failed.len()),
            asks: sum(|report| report.asks.len()),
            not_stored: sum(|report| report.not_stored.len()),
            left: sum(|report| report.left),
            stopped: run.end().map(ToString::to_string),
        };
        Ok((reports, summary))
    }

    fn print(&self, reports: &[SourceReport], summary: &Summary) -> Result<(), CliError> {
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
