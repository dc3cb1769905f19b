//! Run of a sync: its limits, the pages that it admits, and their order.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use geomys_load::check::{JobLimits, PageContent, host_key};
use geomys_load::{EXCLUDED as EXCLUDED_HOST, Reason, Request, cache_key};
use geomys_wire::net::Net;
use geomys_wire::task::blocking;
use jiff::Timestamp;
use rfc1738::{Protocol, Url};
use tokio::time::Instant;

use super::budget::Budget;
use super::copies::{self, KnownVersion};
use super::fetch::HeldPage;
use super::hosts::HostAnswers;
use super::page::NoPage;
use super::progress::{PageCount, SyncProgress};
use super::report::{EarlyEnd, SourceReport};
use super::state::SyncState;
use geomys_store::files::cache::Cache;

/// Longest pause of a server that is waited for: the next run asks those that want a longer one.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// Limits for the pages that are fetched at once.
pub(super) const LIMITS: JobLimits = JobLimits {
    total: 16,
    per_host: 2,
    per_gopher: 1,
    per_gemini: 2,
};

/// Maximum number of pages of one bookmark in one run; the next run goes on.
const MAX_PAGES: usize = 1000;

/// Reason why a page is not requested: the user has named its host.
pub(super) const EXCLUDED: NoPage = NoPage::NotStored(EXCLUDED_HOST);

/// Limits and settings of a run.
pub struct SyncOptions<'a> {
    /// Maximum number of octets of all pages, those in flight included; a page that is the first to come whole may
    /// exceed it.
    pub size: u64,
    /// Maximum number of octets of one page; `None` for no limit.
    pub page: Option<u64>,
    /// Space that stays free on the disk, in octets: other programs lose data when it is full.
    pub reserve: u64,
    /// True if nothing is requested.
    pub is_dry: bool,
    /// Makes the request for a URL, for a reason.
    pub request: &'a (dyn Fn(Url, Reason) -> Request + Send + Sync),
    /// Returns true for a URL of which nothing is stored.
    pub is_excluded: &'a (dyn Fn(&Url) -> bool + Send + Sync),
    /// Maximum time of one source.
    pub source_time: Duration,
    /// Is told how far the run is.
    pub progress: &'a (dyn Fn(SyncProgress<'_>) + Send + Sync),
}

/// Page to be fetched.
pub struct WantedPage {
    /// Index of its source.
    pub source: usize,
    /// Request.
    pub request: Request,
    /// Title, if the page has none.
    pub title: Option<String>,
    /// True if its links are followed.
    pub is_followed: bool,
    /// What its server can be asked of its copy; `None` without a copy.
    pub(super) copy: Option<KnownVersion>,
}

impl WantedPage {
    /// Creates a page whose links are not followed.
    pub(super) fn new(source: usize, request: Request) -> Self {
        Self {
            source,
            request,
            title: None,
            is_followed: false,
            copy: None,
        }
    }
}

/// Directory of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The pages that are saved for later.
    Saved,
    /// The pages that were not shown.
    Synced,
}

/// What is done with the pages of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// They are stored.
    Ignore,
    /// The links of those that are followed are returned, if they lead to the host of their page.
    Return,
    /// They are compared with their last state, and their contents are returned.
    Look,
}

/// What has come of a fetch.
#[derive(Default)]
pub(super) struct Found {
    /// Links, each with the index of the source.
    pub(super) links: Vec<(usize, Url)>,
    /// For each source whose page was looked at, its content; `None` if the server has answered without it.
    pub(super) contents: Vec<(usize, Option<PageContent>)>,
    /// Pages that can only be looked at as files: they are too large, or of no kind that is shown.
    pub(super) files: Vec<WantedPage>,
}

/// Running sync.
pub struct SyncRun<'a> {
    pub(super) net: &'a Net,
    pub(super) cache: Arc<Cache>,
    pub(super) options: SyncOptions<'a>,
    pub(super) state: SyncState,
    pub(super) pages: PageCount,
    pub(super) budget: Arc<Budget>,
    /// Keys of the pages that were requested.
    requested: HashSet<Url>,
    pub(super) hosts: HostAnswers,
    /// Pages of redirected hosts, until it is known that no network answers for them.
    pub(super) held: Vec<HeldPage>,
    end: Option<EarlyEnd>,
}

impl<'a> SyncRun<'a> {
    /// Creates a run that follows those that `state` knows.
    pub fn new(
        net: &'a Net,
        cache: Arc<Cache>,
        options: SyncOptions<'a>,
        state: SyncState,
    ) -> Self {
        Self {
            net,
            cache,
            state,
            pages: PageCount::default(),
            budget: Arc::new(Budget::new(options.size)),
            requested: HashSet::new(),
            hosts: HostAnswers::default(),
            held: Vec::new(),
            end: None,
            options,
        }
    }

    /// Returns what the next run should know.
    pub fn into_state(self) -> SyncState {
        self.state
    }

    /// Returns the reason why the run ended early.
    pub(super) fn end(&self) -> Option<&EarlyEnd> {
        self.end.as_ref()
    }

    /// Returns true if nothing more is requested in this stage.
    pub(super) fn is_over(&self) -> bool {
        self.end.is_some() || self.budget.is_full()
    }

    /// Fetches and stores pages, or leaves them with their number in the reports.
    pub(super) async fn fetch(
        &mut self,
        reports: &mut [SourceReport],
        wanted: Vec<WantedPage>,
        (place, links): (Place, Links),
    ) -> Found {
        let mut found = Found::default();
        if !wanted.is_empty() {
            self.check_disk(0);
        }
        let mut admitted = Vec::new();
        for page in wanted {
            admitted.extend(self.admit(reports, page, links, &mut found.files));
        }
        // What was asked for already is here: its links are.
        let known = std::mem::take(&mut found.files);
        let cache = Arc::clone(&self.cache);
        let admitted = blocking(move || copies::add_versions(&cache, place, admitted)).await;
        let (pages, today) = self.in_order(reports, admitted, links);
        for page in known.into_iter().chain(today) {
            if page.is_followed {
                found.links.extend(self.links_of_copy(page, place).await);
            }
        }
        for page in &pages {
            if let Some(report) = reports.get_mut(page.source) {
                self.expect(report, 1);
            }
        }
        if links == Links::Ignore {
            self.finish(reports.iter_mut().filter(|report| report.open == 0));
        }
        let fetching = self.fetch_pages(reports, pages, (place, links), &mut found);
        Box::pin(fetching).await;
        self.store_held(reports, (place, links), &mut found).await;
        if links == Links::Ignore {
            self.finish(reports);
        }
        found
    }

    /// Leaves a page for the next run.
    pub(super) fn leave(&mut self, reports: &mut [SourceReport], page: &WantedPage, links: Links) {
        if let Some(report) = reports.get_mut(page.source) {
            report.left += 1;
            self.settle(report, links == Links::Ignore);
        }
    }

    /// Leaves the pages of the sources that take too long for the next run.
    pub(super) fn leave_late(
        &mut self,
        reports: &mut [SourceReport],
        pages: &mut [Option<WantedPage>],
        links: Links,
    ) {
        let limit = self.options.source_time;
        let now = Instant::now();
        let is_late = |report: &&mut SourceReport| {
            let deadline = report.deadline(limit);
            deadline.is_some_and(|deadline| deadline <= now)
        };
        for report in reports.iter_mut().filter(is_late) {
            report.give_up(limit);
        }
        for page in pages {
            let report = page.as_ref().and_then(|page| reports.get(page.source));
            if report.is_some_and(|report| report.is_late)
                && let Some(page) = page.take()
            {
                self.leave(reports, &page, links);
            }
        }
    }

    /// Returns a page that may be requested, in a real run. One that was requested already is put to the `known` ones.
    fn admit(
        &mut self,
        reports: &mut [SourceReport],
        mut page: WantedPage,
        links: Links,
        known: &mut Vec<WantedPage>,
    ) -> Option<WantedPage> {
        let report = reports.get_mut(page.source)?;
        let url = &page.request.url;
        if matches!(url.protocol(), Protocol::File(_)) {
            // It is here.
            return None;
        }
        let Some(key) = cache_key(&page.request) else {
            if links != Links::Look {
                report.note(url, &NoPage::NotStored("it is never written to disk"));
                return None;
            }
            return Some(page);
        };
        if (self.options.is_excluded)(url) {
            report.note(url, &EXCLUDED);
            return None;
        }
        if report.is_late {
            report.left += 1;
            return None;
        }
        if self.requested.contains(&key) {
            known.push(page);
            return None;
        }
        let limits = [self.options.page, Some(self.options.size)];
        page.request.limit = limits.into_iter().flatten().min();
        Some(page)
    }

    /// Returns the pages that are requested in this run, and those that were asked for today: first what was never
    /// asked for and has no copy, then what was asked for longest ago, the pages of the sources by turns.
    fn in_order(
        &mut self,
        reports: &mut [SourceReport],
        pages: Vec<WantedPage>,
        links: Links,
    ) -> (Vec<WantedPage>, Vec<WantedPage>) {
        let now = Timestamp::now();
        let (mut today, mut ranked) = (Vec::new(), Vec::new());
        for page in pages {
            let key = cache_key(&page.request);
            let asked = key.as_ref().and_then(|key| self.state.asked(key));
            let is_due = page.copy != Some(KnownVersion::None)
                || key
                    .as_ref()
                    .is_none_or(|key| !self.state.was_asked_today(key, now));
            if links == Links::Return && !is_due && !self.options.is_dry {
                if let Some(report) = reports.get_mut(page.source) {
                    report.today += 1;
                }
                self.requested.extend(key);
                today.push(page);
                continue;
            }
            ranked.push(((page.copy.is_some() || asked.is_some(), asked), key, page));
        }
        ranked.sort_by_key(|(rank, ..)| *rank);
        let mut turns: HashMap<usize, usize> = HashMap::new();
        let mut admitted = Vec::new();
        for ((is_known, _), key, page) in ranked {
            let Some(report) = reports.get_mut(page.source) else {
                continue;
            };
            if key.is_some_and(|key| !self.requested.insert(key)) {
                continue;
            }
            if self.options.is_dry {
                report.planned += 1;
                continue;
            }
            if links == Links::Return && report.admitted >= MAX_PAGES {
                report.left += 1;
                continue;
            }
            if let Some((server, host)) = host_key(&page.request)
                && self.hosts.is_silent(&server)
            {
                report.leave_silent(&host);
                continue;
            }
            report.admitted += 1;
            let turn = turns.entry(page.source).or_default();
            admitted.push(((is_known, *turn), page));
            *turn += 1;
        }
        admitted.sort_by_key(|(rank, _)| *rank);
        let admitted = admitted.into_iter().map(|(_, page)| page);
        (admitted.collect(), today)
    }

    /// Ends the run before all its pages, unless it has ended.
    pub(super) fn stop(&mut self, end: EarlyEnd) {
        self.end.get_or_insert(end);
    }

    /// Ends the run if the disk would have less than the reserve with so many octets more.
    pub(super) fn check_disk(&mut self, octets: u64) {
        let (free, reserve) = (self.cache.free_bytes(), self.options.reserve);
        let is_full = free.is_some_and(|free| free.saturating_sub(octets) < reserve);
        if is_full && !self.options.is_dry {
            self.stop(EarlyEnd::Reserve(reserve));
        }
    }
}
