//! The progress of a run: which source began, how many of its pages are done, and which has ended.

use tokio::time::Instant;

use super::report::SourceReport;
use super::run::SyncRun;

/// The state of a run: told when a source begins, after each of its pages, and when it has ended.
#[derive(Clone, Copy, Debug)]
pub struct SyncProgress<'a> {
    /// The source, with what has come of it.
    pub source: &'a SourceReport,
    /// True if nothing more comes of the source in this run.
    pub has_ended: bool,
    /// The pages of all sources, and the drafts.
    pub pages: PageCount,
    /// The octets that came.
    pub octets: u64,
}

/// The pages and drafts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageCount {
    /// The number of those that were fetched or sent, or did not come.
    pub done: usize,
    /// The number of those that are known so far.
    pub found: usize,
}

impl SyncRun<'_> {
    /// Counts pages or drafts of a source that are about to be requested.
    pub(super) fn expect(&mut self, report: &mut SourceReport, pages: usize) {
        report.open += pages;
        report.began.get_or_insert_with(Instant::now);
        self.pages.found += pages;
        self.tell(report);
    }

    /// Counts a page or a draft of a source as done. If `is_last` is true, the source ends with the last one that is
    /// open.
    pub(super) fn settle(&mut self, report: &mut SourceReport, is_last: bool) {
        report.open = report.open.saturating_sub(1);
        self.pages.done += 1;
        report.has_ended = is_last && report.open == 0;
        if report.has_ended {
            report.note_unasked();
        }
        self.tell(report);
    }

    /// Tells once for each of these sources that it has ended.
    pub(super) fn finish<'r>(&self, reports: impl IntoIterator<Item = &'r mut SourceReport>) {
        for report in reports {
            report.note_unasked();
            if !std::mem::replace(&mut report.has_ended, true) {
                self.tell(report);
            }
        }
    }

    fn tell(&self, source: &SourceReport) {
        (self.options.progress)(SyncProgress {
            source,
            has_ended: source.has_ended,
            pages: self.pages,
            octets: self.budget.came(),
        });
    }
}
