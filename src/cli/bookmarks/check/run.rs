//! A running check: each verdict is printed when it arrives and saved in batches, with a summary at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use geomys_load::check::{LinkCheckResult, LinkStatus};
use geomys_store::bookmarks::checks::{self, CheckResult, UrlKey};
use geomys_store::bookmarks::moves::{Move, doubtful_moves};
use geomys_store::bookmarks::url_jobs::UrlTarget;
use geomys_store::bookmarks::{Bookmark, Bookmarks};
use geomys_wire::text::count;

use super::{Check, CheckReport};
use crate::cli::bookmarks::resolve::LinkRecords;
use crate::cli::context::CliContext;
use crate::cli::error::CliError;
use crate::cli::locale::{stderr, stdout};

/// The number of results saved at once.
const BATCH: usize = 500;

/// A running check.
pub(super) struct CheckRun<'a> {
    check: &'a Check,
    context: &'a CliContext,
    bookmarks: &'a Bookmarks,
    records: LinkRecords,
    listed: BTreeSet<UrlKey>,
    results: Vec<CheckResult>,
    /// The moves, which are printed last: where several lead to one URL, their pages are perhaps gone.
    moved: Vec<(Move, CheckReport)>,
    /// The number of bookmarks to check; `counts` is the number of reported ones by verdict.
    pub(super) total: usize,
    counts: BTreeMap<&'static str, usize>,
    /// The number of bookmarks that were checked by their repaired URLs.
    faults: usize,
    is_terminal: bool,
}

/// The word for an invalid URL.
const BAD: &str = "bad";

/// The verdicts, in the order of a summary.
const VERDICTS: [&str; 7] = [
    "alive",
    "moved",
    "dead",
    "refused",
    "unreachable",
    "not checked",
    BAD,
];

impl<'a> CheckRun<'a> {
    pub(super) fn new(
        check: &'a Check,
        context: &'a CliContext,
        bookmarks: &'a Bookmarks,
        records: LinkRecords,
    ) -> Self {
        let urls = bookmarks.bookmarks();
        let urls = urls.filter_map(|one| one.repaired_url().ok());
        Self {
            check,
            context,
            bookmarks,
            records,
            listed: urls.map(|url| UrlKey::with_login(&url)).collect(),
            results: Vec::new(),
            moved: Vec::new(),
            total: 0,
            counts: BTreeMap::new(),
            faults: 0,
            is_terminal: stderr().is_terminal(),
        }
    }

    pub(super) fn report_bad(
        &mut self,
        bookmark: &Bookmark<'_>,
        fault: String,
    ) -> Result<(), CliError> {
        self.print(&CheckReport::new(self.bookmarks, bookmark, BAD, fault))
    }

    /// Processes the verdict for all bookmarks of a target.
    pub(super) fn receive(
        &mut self,
        target: &UrlTarget,
        checked: LinkCheckResult,
    ) -> Result<(), CliError> {
        if let LinkStatus::Local(why) = &checked.verdict {
            // What this machine lacks is no fault of a server, and the next check would lack it, too.
            return Err(CliError::new(format!("stopped: {why}")));
        }
        let at = checks::current_second();
        let is_checked = !matches!(checked.verdict, LinkStatus::NotChecked(_));
        let result = CheckResult {
            key: target.key.clone(),
            checked,
            at,
        };
        self.records.checks.note(&result);
        let verdict = &result.checked.verdict;
        let state = self.records.checks.of(&target.request.url);
        let bookmarks = self.bookmarks;
        let mut reports = Vec::new();
        for bookmark in target
            .items
            .iter()
            .filter_map(|&item| bookmarks.bookmark(item))
        {
            let mut report = CheckReport::of(bookmarks, &bookmark, verdict);
            if let Some(state) = state.filter(|_| is_checked) {
                report.set_times(state);
            }
            self.faults += usize::from(report.set_fault(&bookmark));
            match (verdict, bookmark.repaired_url()) {
                (LinkStatus::Moved(to), Ok(from)) => {
                    let (index, to) = (bookmark.index, to.clone());
                    self.moved.push((Move { index, from, to }, report));
                }
                _ => reports.push(report),
            }
        }
        reports.iter().try_for_each(|report| self.print(report))?;
        self.results.push(result);
        if self.results.len() >= BATCH {
            self.save()?;
        }
        Ok(())
    }

    /// Prints the moves.
    pub(super) fn print_moved(&mut self) -> Result<(), CliError> {
        let (moves, reports): (Vec<Move>, Vec<CheckReport>) =
            std::mem::take(&mut self.moved).into_iter().unzip();
        let doubtful = doubtful_moves(&moves);
        for (one, mut report) in moves.iter().zip(reports) {
            if doubtful.contains(&one.index) {
                report.set_perhaps_gone();
            }
            self.print(&report)?;
        }
        Ok(())
    }

    fn print(&mut self, report: &CheckReport) -> Result<(), CliError> {
        *self.counts.entry(report.verdict).or_default() += 1;
        self.clear_progress();
        let mut out = stdout();
        report.write(self.check.json, &mut out)?;
        out.flush()?;
        drop(out);
        if self.is_terminal {
            let done: usize = self.counts.values().sum();
            let dead = self.counts.get("dead").copied().unwrap_or_default();
            let (done, total, dead) = (count(done), count(self.total), count(dead));
            // Progress display: write errors are ignored.
            let _ = write!(stderr(), "checked {done} of {total}, {dead} dead");
        }
        Ok(())
    }

    /// Clears the progress line.
    fn clear_progress(&self) {
        if self.is_terminal {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }

    /// Saves the results so far.
    pub(super) fn save(&mut self) -> Result<(), CliError> {
        let results = std::mem::take(&mut self.results);
        if results.is_empty() {
            return Ok(());
        }
        let path = self.context.paths.checks();
        checks::save(&path, &results, &self.listed, self.records.now)?;
        Ok(())
    }

    /// Prints the summary on standard error. Fails if a link is dead, unreachable or invalid; one that was checked by
    /// its repair is not.
    pub(super) fn summarize(&self, has_ended: bool) -> Result<(), CliError> {
        self.clear_progress();
        let counted = VERDICTS.iter().filter_map(|verdict| {
            let number = self.counts.get(verdict)?;
            Some(format!("{} {verdict}", count(*number)))
        });
        let faults = (self.faults > 0).then(|| format!("{} with a fault", count(self.faults)));
        let counted: Vec<String> = counted.chain(faults).collect();
        let done: usize = self.counts.values().sum();
        let bookmarks = match done {
            1 => "1 bookmark".to_owned(),
            done => format!("{} bookmarks", count(done)),
        };
        let parts = if counted.is_empty() {
            String::new()
        } else {
            format!(": {}", counted.join(", "))
        };
        // A closed standard error cannot show the summary.
        let _ = writeln!(stderr(), "{bookmarks}{parts}");
        if !has_ended {
            return Err(CliError::new("stopped; results saved"));
        }
        let is_bad = |verdict: &&str| self.counts.contains_key(*verdict);
        let is_ok = !["dead", "unreachable", BAD].iter().any(is_bad);
        if is_ok {
            Ok(())
        } else {
            Err(CliError::new(""))
        }
    }
}
