//! The report of a check of a site in words: the command line prints it, and the browser saves it.

use std::io::{self, Write};
use std::time::Duration;

use geomys_crawl::site::check::{FaultKind, HostReport, SiteCheck, SiteFault};
use geomys_wire::text::{self, Text};
use rfc1738::{ParseError, Url, mask};

/// The pause before what was not reached is asked again.
pub(crate) const PAUSE: Duration = Duration::from_secs(2);

/// The indentation of a malformed URL and its caret.
pub(crate) const INDENT: &str = "    ";

/// What a check of a site has found.
pub(crate) struct SiteReport {
    /// The number of pages that were read.
    pub(crate) pages: usize,
    /// The number of pages that were not read: they were too many, or their server did not send them.
    pub(crate) left: usize,
    /// The number of URLs.
    pub(crate) urls: usize,
    /// The number of different links that were left out.
    pub(crate) excluded: usize,
    /// The faults, and the remarks.
    pub(crate) faults: Vec<SiteFault>,
    /// The hosts of all URLs.
    pub(crate) hosts: Vec<HostReport>,
    /// True if the check was stopped.
    pub(crate) is_stopped: bool,
}

impl SiteReport {
    /// Returns the report of a check.
    pub(crate) fn of(check: &SiteCheck<'_>, is_stopped: bool) -> Self {
        let faults = check.faults();
        let (pages, left) = check.pages();
        Self {
            pages,
            left,
            urls: check.urls(),
            excluded: check.excluded(),
            hosts: check.hosts(&faults),
            faults,
            is_stopped,
        }
    }

    /// Returns the number of faults that are no remarks.
    pub(crate) fn wrong(&self) -> usize {
        let wrong = self.faults.iter().filter(|fault| fault.kind.is_wrong());
        wrong.count()
    }

    /// Formats the numbers as one line: `3 pages, 40 URLs: 2 dead, 1 moved`. All is well only if every page was read.
    pub(crate) fn sentence(&self) -> String {
        let pages = if self.left > 0 {
            let all = many(self.pages + self.left, "page");
            format!("only {} of {all} read", text::count(self.pages))
        } else {
            many(self.pages, "page")
        };
        let kinds: Vec<FaultKind> = self.faults.iter().map(|fault| fault.kind).collect();
        let counts = counts(&kinds, self.left == 0 && !self.is_stopped);
        let excluded = if self.excluded > 0 {
            format!(", {} excluded", text::count(self.excluded))
        } else {
            String::new()
        };
        format!("{pages}, {}{excluded}: {counts}", many(self.urls, "URL"))
    }

    /// Formats the counts of each host as a line, if there are several.
    pub(crate) fn host_lines(&self) -> impl Iterator<Item = String> {
        let hosts = self.hosts.iter().filter(|_| self.hosts.len() > 1);
        hosts.map(|host| {
            let (name, urls) = (Text::of(&host.host), many(host.urls, "URL"));
            format!("{name}: {urls}: {}", counts(&host.faults, true))
        })
    }

    /// Writes the faults. `caret` returns the lines with the caret of a fault in a URL.
    ///
    /// # Errors
    /// Errors of writing.
    pub(crate) fn write_faults(
        &self,
        caret: &dyn Fn(&str, &ParseError) -> String,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let mut faults = self.faults.iter();
        faults.try_for_each(|fault| write_fault(fault, caret, out))
    }

    /// Returns the whole report: the numbers, those of each host, and the faults.
    pub(crate) fn text(&self) -> Vec<u8> {
        let mut text = format!("{}\n", self.sentence()).into_bytes();
        for line in self.host_lines() {
            text.extend(format!("{line}\n").bytes());
        }
        text.push(b'\n');
        // Writing to memory cannot fail.
        let _ = self.write_faults(&|_, fault| fault.caret(), &mut text);
        text
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

/// Writes a fault for people: the page and the row, what is wrong, the target, and the details. `caret` returns the
/// lines with the caret of a fault in a URL.
fn write_fault(
    fault: &SiteFault,
    caret: &dyn Fn(&str, &ParseError) -> String,
    out: &mut impl Write,
) -> io::Result<()> {
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
        writeln!(out, "\n{INDENT}{}", Text::of(&written))?;
        for line in caret(&written, &error).lines() {
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
