//! `geomys check`: checks every link of a page, or of all pages of a site.

use std::io::{self, Write};
use std::time::Duration;

use clap::Args;
use geomys_crawl::site::MAX_PAGES;
use geomys_crawl::site::check::{
    FaultKind, HostReport, PageLint, SiteCheck, SiteCheckOptions, SiteFault,
};
use geomys_crawl::tree::NameFilter;
use geomys_load::{Purpose, Reason};
use geomys_wire::text::{self, Text};
use rfc1738::{Url, mask};
use serde::Serialize;

use super::argument::UrlArgument;
use super::context::{CliContext, address, block_on};
use super::error::{CliError, Output};
use super::signals::stop_signal;
use super::url::{caret, json, terminal_width};
use crate::cli::locale::stderr;

/// The pause before what was not reached is asked again.
const PAUSE: Duration = Duration::from_secs(2);

/// The indentation of a malformed URL and its caret.
const INDENT: &str = "    ";

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
    #[serde(skip)]
    kinds: Vec<FaultKind>,
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
        let faults = check.faults();
        let (pages, left) = check.pages();
        let summary = Summary {
            pages,
            urls: check.urls(),
            wrong: faults.iter().filter(|fault| fault.kind.is_wrong()).count(),
            left,
            excluded: check.excluded(),
            hosts: check
                .hosts(&faults)
                .into_iter()
                .map(HostObject::of)
                .collect(),
            stopped: ended.is_none(),
        };
        self.print(&faults, &summary)?;
        match ended {
            None => Err(CliError::new("stopped; what was found is printed")),
            Some(Err(error)) => Err(CliError::new(error)),
            Some(Ok(())) if summary.wrong + summary.left > 0 => Err(CliError::new("")),
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

    fn print(&self, faults: &[SiteFault], summary: &Summary) -> Result<(), CliError> {
        let mut out = Output::new();
        if self.json {
            for fault in faults {
                json::line(&FaultObject::of(fault), &mut out)?;
            }
            json::line(summary, &mut out)?;
            return Ok(out.end()?);
        }
        for fault in faults {
            write_fault(fault, &mut out)?;
        }
        out.end()?;
        if summary.hosts.len() > 1 {
            for host in &summary.hosts {
                let (name, urls) = (Text::of(&host.host), many(host.urls, "URL"));
                writeln!(stderr(), "{name}: {urls}: {}", counts(&host.kinds, true))?;
            }
        }
        writeln!(stderr(), "{}", summary.sentence(faults))?;
        Ok(())
    }
}

impl Summary {
    /// Formats the numbers as one line: `3 pages, 40 URLs: 2 dead, 1 moved`. All is well only if every page was read.
    fn sentence(&self, faults: &[SiteFault]) -> String {
        let pages = if self.left > 0 {
            let all = many(self.pages + self.left, "page");
            format!("only {} of {all} read", text::count(self.pages))
        } else {
            many(self.pages, "page")
        };
        let kinds: Vec<FaultKind> = faults.iter().map(|fault| fault.kind).collect();
        let is_complete = self.left == 0 && !self.stopped;
        let counts = counts(&kinds, is_complete);
        let excluded = if self.excluded > 0 {
            format!(", {} excluded", text::count(self.excluded))
        } else {
            String::new()
        };
        format!("{pages}, {}{excluded}: {counts}", many(self.urls, "URL"))
    }
}

impl HostObject {
    fn of(report: HostReport) -> Self {
        let wrong = report.faults.iter().filter(|kind| kind.is_wrong());
        Self {
            wrong: wrong.count(),
            host: report.host,
            urls: report.urls,
            kinds: report.faults,
        }
    }
}

/// Formats a number of things: `1 page`, `3 pages`.
fn many(count: usize, one: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{} {one}{s}", text::count(count))
}

/// Formats the number of faults of each kind.
fn counts(kinds: &[FaultKind], is_complete: bool) -> String {
    let counts = FaultKind::ALL.iter().filter_map(|kind| {
        let count = kinds.iter().filter(|other| *other == kind).count();
        (count > 0).then(|| format!("{} {}", text::count(count), kind.name()))
    });
    let counts: Vec<String> = counts.collect();
    match (counts.is_empty(), is_complete) {
        (true, true) => "all well".to_owned(),
        (true, false) => "no fault in what was read".to_owned(),
        (false, _) => counts.join(", "),
    }
}

/// Prints a fault for people: the page and the row, what is wrong, the target, and the details.
fn write_fault(fault: &SiteFault, out: &mut impl Write) -> io::Result<()> {
    let shown = |url: &Url| Text::of(&url.masked_answers());
    if let Some(page) = &fault.page {
        write!(out, "{}: ", shown(page))?;
    }
    if fault.row > 0 {
        write!(out, "row {}: ", text::count(fault.row))?;
    }
    write!(out, "{}", fault.kind.name())?;
    if let Some(reference) = &fault.reference {
        let written = mask(&reference.written);
        let error = reference.error.masked(&reference.written);
        let width = terminal_width().map(|width| width.saturating_sub(INDENT.len()));
        writeln!(out, "\n{INDENT}{}", Text::of(&written))?;
        for line in caret(&written, &error, width).lines() {
            writeln!(out, "{INDENT}{line}")?;
        }
        return Ok(());
    }
    if let Some(target) = &fault.target {
        write!(out, ": {}", shown(target))?;
    }
    if !fault.words.is_empty() {
        write!(out, ": {}", Text::of(&fault.words))?;
    }
    writeln!(out)
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
