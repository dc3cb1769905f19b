//! `geomys sync`: fetches everything that the user follows, to be read without a network.

use std::io::Write;
use std::sync::Arc;

use clap::Args;
use geomys_crawl::sync::progress::SyncProgress;
use geomys_crawl::sync::report::{EarlyEnd, FAILED, SourceReport, SyncSummary, notes};
use geomys_wire::text;
use tokio::sync::mpsc::unbounded_channel;

use super::context::{CliContext, block_on};
use super::error::{CliError, Output, clean};
use super::signals::stop_signal;
use super::url::json;
use crate::cli::locale::stderr;
use crate::run::sync::SyncJob;
use geomys_app::library::message::OutboxUse;

/// The maximum width of the title in the line of the progress.
const MAX_TITLE_COLUMNS: usize = 40;

#[derive(Debug, Args)]
pub(super) struct Sync {
    #[command(flatten)]
    scope: Scope,

    /// Print one JSON object a line for each source, and one for the run
    #[arg(long)]
    json: bool,

    /// Print only what failed
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
}

/// What is asked of the servers.
#[derive(Debug, Args)]
struct Scope {
    /// Print what would be fetched, and contact no server
    #[arg(long)]
    dry_run: bool,

    /// Refused: each sync asks first for what did not come
    #[arg(long, hide = true)]
    failed: bool,
}

impl Sync {
    pub(super) fn run(&self, context: &CliContext) -> Result<(), CliError> {
        let settings = &context.config.settings;
        if settings.offline && !self.scope.dry_run {
            return Err(CliError::cannot_run("offline: a sync needs the network"));
        }
        if self.scope.failed {
            let why =
                "--failed is gone: each sync asks first for what did not come; run geomys sync";
            return Err(CliError::cannot_run(why));
        }
        let defaults = context.credentials()?.request_defaults(settings);
        let net = context.config.net(&context.paths);
        let (sender, mut steps) = unbounded_channel();
        let is_terminal = stderr().is_terminal();
        let progress = |now: SyncProgress<'_>| {
            let step = if now.has_ended {
                Step::Ended(Box::new(now.source.clone()))
            } else if is_terminal && !self.quiet {
                Step::At(in_words(&now))
            } else {
                return;
            };
            // The receiver lives as long as the run.
            let _ = sender.send(step);
        };
        let sync = SyncJob {
            net: &net,
            cache: Arc::new(context.config.cache(&context.paths)),
            paths: &context.paths,
            defaults: &defaults,
            outbox: OutboxUse::Send,
            is_dry: self.scope.dry_run,
            progress: &progress,
        };
        let mut out = Output::new();
        let (reports, summary) = block_on(async {
            let stopped = stop_signal()?;
            tokio::pin!(stopped);
            let mut running = sync.run();
            let ended = loop {
                tokio::select! {
                    biased;
                    () = &mut stopped => break Err(CliError::new("stopped; fetched pages are stored")),
                    Some(step) = steps.recv() => self.show(step, &mut out)?,
                    ended = &mut running => break ended.map_err(CliError::new),
                }
            };
            while let Ok(step) = steps.try_recv() {
                self.show(step, &mut out)?;
            }
            clear_line(is_terminal)?;
            ended
        })??;
        self.print(&reports, &summary, &mut out)?;
        match summary.stopped {
            Some(why @ EarlyEnd::Offline) => Err(CliError::cannot_run(why)),
            Some(why) => Err(CliError::new(why)),
            None if summary.failed + summary.later + summary.left == 0 => Ok(()),
            // The failures and what comes later are printed already.
            None => Err(CliError::new("")),
        }
    }

    /// Prints the line of a source that has ended, or the progress of the run.
    fn show(&self, step: Step, out: &mut Output) -> Result<(), CliError> {
        let report = match step {
            Step::At(words) => {
                // Progress display: write errors are ignored.
                let _ = write!(stderr(), "\r\x1b[K{words}");
                return Ok(());
            }
            Step::Ended(report) => report,
        };
        clear_line(stderr().is_terminal())?;
        if self.json {
            json::line(&report, out)?;
        } else if !self.quiet && !report.is_idle() {
            writeln!(out, "{}", report.line())?;
        }
        Ok(out.flush()?)
    }

    /// Prints what needs attention, and the sum.
    fn print(
        &self,
        reports: &[SourceReport],
        summary: &SyncSummary,
        out: &mut Output,
    ) -> Result<(), CliError> {
        if self.json {
            json::line(summary, out)?;
            return Ok(out.end()?);
        }
        for (word, note) in notes(reports) {
            if !self.quiet || word == FAILED {
                writeln!(stderr(), "geomys: {word}: {}: {}", note.url, note.reason)?;
            }
        }
        for report in reports {
            if self.quiet && report.left > 0 && summary.stopped.is_none() {
                let left = text::count(report.left);
                writeln!(stderr(), "geomys: {left} left: {}", report.title)?;
            }
            if let Some(day) = &report.unreachable_since {
                writeln!(
                    stderr(),
                    "geomys: unreachable since {day}: {}",
                    report.title
                )?;
            }
        }
        if !self.quiet && !self.scope.dry_run {
            let (new, bytes) = (text::count(summary.new), text::octets(summary.bytes));
            let left = match summary.left {
                0 => String::new(),
                left => format!(", {} left", text::count(left)),
            };
            writeln!(out, "{new} new pages, {bytes}{left}")?;
        }
        Ok(out.end()?)
    }
}

/// An event of a running sync.
enum Step {
    /// A source has ended.
    Ended(Box<SourceReport>),
    /// The progress of the run.
    At(String),
}

/// Returns the progress of a run: `A log: 3 of 12, 1.3 MB`.
fn in_words(now: &SyncProgress<'_>) -> String {
    let (done, found) = (text::count(now.pages.done), text::count(now.pages.found));
    let title = text::shorten(&now.source.title, MAX_TITLE_COLUMNS, "…");
    let octets = text::octets(now.octets);
    clean(&format!("{title}: {done} of {found}, {octets}"))
}

/// Clears the line of the progress.
fn clear_line(is_terminal: bool) -> Result<(), CliError> {
    if is_terminal {
        write!(stderr(), "\r\x1b[K")?;
    }
    Ok(())
}
