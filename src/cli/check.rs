//! `geomys check`: checks every link of a page, or of all pages of a site.

use std::io::Write;

use clap::Args;
use geomys_crawl::site::MAX_PAGES;
use geomys_crawl::site::check::{HostReport, PageLint, SiteCheck, SiteCheckOptions, SiteFault};
use geomys_crawl::tree::NameFilter;
use geomys_load::{Purpose, Reason};
use geomys_wire::text;
use rfc1738::{Url, mask};
use serde::Serialize;

use super::argument::UrlArgument;
use super::context::{CliContext, address, block_on};
use super::error::{CliError, Output};
use super::signals::stop_signal;
use super::url::{caret, json, terminal_width};
use crate::cli::locale::stderr;
use crate::site_report::{INDENT, PAUSE, SiteReport};

#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(super) struct Check {
    /// Page whose links are checked
    #[arg(value_name = "URL")]
    address: UrlArgument,

    /// Check all pages of the host below the path, too
    #[arg(short, long)]
    recursive: bool,

    /// Report rows over 70 columns in texts and menus
    #[arg(long)]
    lint: bool,

    /// Ignore the robots.txt of your own site
    #[arg(long)]
    ignore_robots: bool,

    /// With -r: read at most N pages
    #[arg(long, value_name = "N", default_value_t = MAX_PAGES, requires = "recursive")]
    pages: usize,

    /// Leave out links whose path matches
    ///
    /// As `get -r` has it: `*` is any text, `?` any character, `NAME/` a directory with all below it; a pattern with a
    /// `/` is matched with the path below the site. One with `://` is matched with the whole URL. May be repeated.
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,

    /// Print one JSON object a line for each fault, and one for the run
    #[arg(long)]
    json: bool,
}

/// A fault, as printed. The keys and their order are part of the interface: scripts read them.
#[derive(Serialize)]
struct FaultObject {
    verdict: &'static str,
    wrong: bool,
    page: Option<String>,
    row: usize,
    url: Option<String>,
    words: String,
    moved: Option<String>,
    /// The malformed reference as it is written, and its error.
    written: Option<String>,
    error: Option<json::Fault>,
}

/// The URLs of one host, likewise.
#[derive(Serialize)]
struct HostObject {
    host: String,
    urls: usize,
    wrong: usize,
}

/// The result of a run, likewise.
#[derive(Serialize)]
struct Summary {
    pages: usize,
    urls: usize,
    wrong: usize,
    /// The number of pages of the site that were not read: `--pages` has left them out, or their server did not send
    /// them.
    left: usize,
    /// The number of different links that `--exclude` has left out.
    excluded: usize,
    /// The hosts of all URLs.
    hosts: Vec<HostObject>,
    /// True if the run was stopped.
    stopped: bool,
}

impl Check {
    pub(super) fn run(&self, context: &CliContext) -> Result<(), CliError> {
        let url = address(&self.address, &context.config.settings);
        let url = url.map_err(CliError::before_work)?;
        let credentials = context.credentials()?;
        let request = |url: Url, reason: Reason| {
            context.request_with(url, reason, Purpose::Show, &credentials)
        };
        let options = SiteCheckOptions {
            request: &request,
            lint: if self.lint {
                PageLint::On
            } else {
                PageLint::Off
            },
            ignores_robots: self.ignore_robots,
            is_recursive: self.recursive,
            pages: self.pages,
            pause: PAUSE,
            exclude: self.excluded(),
        };
        let net = context.config.net(&context.paths);
        let mut check = SiteCheck::new(&net, &url, options).map_err(CliError::cannot_run)?;
        let is_terminal = stderr().is_terminal();
        let mut progress = |done: usize, known: usize| {
            if is_terminal {
                let (done, known) = (text::count(done), text::count(known));
                // Progress display: write errors are ignored.
                let _ = write!(stderr(), "\r\x1b[Kchecked {done} of {known}");
            }
        };
        let ended = block_on(async {
            let stopped = stop_signal()?;
            tokio::select! {
                biased;
                () = stopped => Ok(None),
                ended = check.run(&mut progress) => Ok::<_, CliError>(Some(ended)),
            }
        })??;
        if is_terminal {
            let _ = write!(stderr(), "\r\x1b[K");
        }
        let report = SiteReport::of(&check, ended.is_none());
        self.print(&report)?;
        match ended {
            None => Err(CliError::new("stopped; what was found is printed")),
            Some(Err(error)) => Err(CliError::new(error)),
            Some(Ok(())) if report.wrong() + report.left > 0 => Err(CliError::new("")),
            Some(Ok(())) => Ok(()),
        }
    }

    /// Returns the patterns of what is left out: of whole URLs, and of paths.
    fn excluded(&self) -> (Vec<String>, NameFilter) {
        let patterns = self.exclude.iter().cloned();
        let (whole, exclude) = patterns.partition(|pattern: &String| pattern.contains("://"));
        let filter = NameFilter {
            exclude,
            ..NameFilter::default()
        };
        (whole, filter)
    }

    fn print(&self, report: &SiteReport) -> Result<(), CliError> {
        let mut out = Output::new();
        if self.json {
            for fault in &report.faults {
                json::line(&FaultObject::of(fault), &mut out)?;
            }
            json::line(&Summary::of(report), &mut out)?;
            return Ok(out.end()?);
        }
        let width = terminal_width().map(|width| width.saturating_sub(INDENT.len()));
        report.write_faults(&|url, fault| caret(url, fault, width), &mut out)?;
        out.end()?;
        for line in report.host_lines() {
            writeln!(stderr(), "{line}")?;
        }
        writeln!(stderr(), "{}", report.sentence())?;
        Ok(())
    }
}

impl Summary {
    fn of(report: &SiteReport) -> Self {
        Self {
            pages: report.pages,
            urls: report.urls,
            wrong: report.wrong(),
            left: report.left,
            excluded: report.excluded,
            hosts: report.hosts.iter().map(HostObject::of).collect(),
            stopped: report.is_stopped,
        }
    }
}

impl HostObject {
    fn of(report: &HostReport) -> Self {
        let wrong = report.faults.iter().filter(|kind| kind.is_wrong());
        Self {
            wrong: wrong.count(),
            host: report.host.clone(),
            urls: report.urls,
        }
    }
}

impl FaultObject {
    fn of(fault: &SiteFault) -> Self {
        let masked = |url: &Url| url.masked_answers().into_owned();
        let reference = fault.reference.as_ref();
        Self {
            verdict: fault.kind.name(),
            wrong: fault.kind.is_wrong(),
            page: fault.page.as_ref().map(masked),
            row: fault.row,
            url: fault.target.as_ref().map(masked),
            words: fault.words.clone(),
            moved: fault.moved.as_ref().map(masked),
            written: reference.map(|reference| mask(&reference.written).into_owned()),
            error: reference
                .map(|reference| json::Fault::of(&reference.error.masked(&reference.written))),
        }
    }
}
