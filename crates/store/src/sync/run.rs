//! Run of a sync: the pages of a source are fetched at once, within limits for each host, and stored one after the other.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_page::load::check::{JobLimits, LinkStatus, UrlJob, host_key, run_jobs};
use geomys_page::load::{FailureKind, Reason, Request, Stop, cache_key};
use geomys_wire::net::{Net, compared_url};
use geomys_wire::task::blocking;
use rfc1738::{Protocol, Url};
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::{Instant, sleep_until, timeout};

use super::copies::{self, Stored};
use super::hosts::{HostAnswers, other_host};
use super::page::{FetchedPage, NoPage};
use super::progress::{PageCount, SyncProgress};
use super::report::{EarlyEnd, SourceReport};
use crate::files::cache::Cache;

/// Time limit of one page.
const DEADLINE: Duration = Duration::from_mins(10);

/// Longest pause of a server that is waited for: the next run asks those that want a longer one.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// Limits for the pages that are fetched at once.
pub(super) const LIMITS: JobLimits = JobLimits {
    total: 16,
    per_host: 2,
    per_gopher: 1,
};

/// Space that a run leaves free on the disk, in octets: other programs lose data when it is full.
const RESERVE: u64 = 200 * 1024 * 1024;

/// Reason why a page is not requested: the user has named its host.
pub(super) const EXCLUDED: NoPage = NoPage::NotStored("its host is in [history] except");

/// Limits and settings of a run.
pub struct SyncOptions<'a> {
    /// Maximum number of octets of all pages.
    pub size: u64,
    /// Maximum number of octets of one page; `None` for no limit.
    pub page: Option<u64>,
    /// True if nothing is requested.
    pub is_dry: bool,
    /// Makes the request for a URL, for a reason.
    pub request: &'a (dyn Fn(Url, Reason) -> Request + Send + Sync),
    /// Returns true for a URL of which nothing is stored.
    pub is_excluded: &'a (dyn Fn(&Url) -> bool + Send + Sync),
    /// Maximum time of one source.
    pub source_time: Duration,
    /// Sources that the run goes through, as [`SourceReport::key`] names them; `None` for all.
    pub only: Option<HashSet<String>>,
    /// Returns true if the network was found to be down.
    pub is_down: &'a (dyn Fn() -> bool + Send + Sync),
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
}

/// Directory of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The pages that are saved for later.
    Saved,
    /// The pages that were not shown.
    Synced,
}

/// The use of the links of the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// They are not read.
    Ignore,
    /// They are returned, with the index of the source, if they lead to the host of their page.
    Return,
}

/// Running sync.
pub struct SyncRun<'a> {
    pub(super) net: &'a Net,
    pub(super) cache: Arc<Cache>,
    pub(super) options: SyncOptions<'a>,
    pub(super) pages: PageCount,
    spent: u64,
    /// Space that stays free on the disk, in octets.
    reserve: u64,
    /// Keys of the pages that were requested.
    requested: HashSet<Url>,
    pub(super) hosts: HostAnswers,
    /// Pages of redirected hosts, until a host has answered by itself.
    held: Vec<(Url, WantedPage, FetchedPage)>,
    end: Option<EarlyEnd>,
}

/// Fetch of a whole page.
#[derive(Clone, Copy)]
struct FetchPage;

impl UrlJob for FetchPage {
    type Outcome = Result<FetchedPage, NoPage>;

    fn run<'a>(self, net: &'a Net, request: &'a Request) -> BoxFuture<'a, Self::Outcome> {
        let fetching = timeout(DEADLINE, FetchedPage::fetch(net, request.clone(), PATIENCE));
        fetching
            .map(|fetched| fetched.unwrap_or_else(|_| Err(Stop::Closed.into())))
            .boxed()
    }

    fn missing_answer(outcome: &Self::Outcome) -> Option<&str> {
        match outcome {
            Err(NoPage::Stopped(stop)) => match &**stop {
                Stop::Failed(failure) if failure.kind == FailureKind::Unreachable => {
                    Some(&failure.sentence)
                }
                Stop::Failed(_) | Stop::Needs(_) | Stop::Truncated(_) | Stop::Closed => None,
            },
            Err(NoPage::Skipped(LinkStatus::Unreachable(words))) => Some(words),
            Ok(_) | Err(_) => None,
        }
    }

    fn failed(status: LinkStatus) -> Self::Outcome {
        Err(NoPage::Skipped(status))
    }
}

impl<'a> SyncRun<'a> {
    /// Creates a run.
    pub fn new(net: &'a Net, cache: Arc<Cache>, options: SyncOptions<'a>) -> Self {
        Self {
            net,
            cache,
            options,
            pages: PageCount::default(),
            spent: 0,
            reserve: RESERVE,
            requested: HashSet::new(),
            hosts: HostAnswers::default(),
            held: Vec::new(),
            end: None,
        }
    }

    /// Sets the space that stays free on the disk, in octets, instead of 200 MiB.
    #[must_use]
    pub fn with_reserve(self, reserve: u64) -> Self {
        Self { reserve, ..self }
    }

    /// Returns the reason why the run ended early.
    pub(super) fn end(&self) -> Option<&EarlyEnd> {
        self.end.as_ref()
    }

    /// Returns the octets that came.
    pub(super) fn spent(&self) -> u64 {
        self.spent
    }

    /// Fetches and stores pages. Returns the links that are asked for.
    pub(super) async fn fetch(
        &mut self,
        reports: &mut [SourceReport],
        wanted: Vec<WantedPage>,
        (place, links): (Place, Links),
    ) -> Vec<(usize, Url)> {
        let mut found = Vec::new();
        if !wanted.is_empty() {
            self.check_disk(0);
        }
        let wanted = wanted
            .into_iter()
            .filter_map(|page| self.admit(reports, page));
        let pages = wanted.collect();
        if links == Links::Ignore {
            self.finish(reports.iter_mut().filter(|report| report.open == 0));
        }
        let links_of_pages = self.fetch_within(reports, pages, (place, links));
        found.extend(Box::pin(links_of_pages).await);
        if self.end.is_none() {
            found.extend(self.store_held(reports, (place, links)).await);
        }
        for (_, wanted, _) in std::mem::take(&mut self.held) {
            self.leave(reports, &wanted, links);
        }
        if links == Links::Ignore {
            self.finish(reports);
        }
        found
    }

    /// Leaves a page for the next run.
    fn leave(&mut self, reports: &mut [SourceReport], page: &WantedPage, links: Links) {
        if let Some(report) = reports.get_mut(page.source) {
            report.left += 1;
            self.settle(report, links == Links::Ignore);
        }
    }

    /// Leaves the pages of the sources that take too long for the next run.
    fn leave_late(
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

    /// Returns true if the run goes through a source.
    pub(super) fn includes(&self, report: &SourceReport) -> bool {
        let only = self.options.only.as_ref();
        only.is_none_or(|only| only.contains(&report.key()))
    }

    /// Returns a page that may be requested, in a real run.
    fn admit(&mut self, reports: &mut [SourceReport], mut page: WantedPage) -> Option<WantedPage> {
        let report = reports.get_mut(page.source)?;
        let url = &page.request.url;
        if matches!(url.protocol(), Protocol::File(_)) {
            // It is here.
            return None;
        }
        let Some(key) = cache_key(&page.request) else {
            report.note(url, &NoPage::NotStored("it is never written to disk"));
            return None;
        };
        if (self.options.is_excluded)(url) {
            report.note(url, &EXCLUDED);
            return None;
        }
        if report.is_late {
            report.left += 1;
            return None;
        }
        if !self.requested.insert(key) {
            return None;
        }
        if self.options.is_dry {
            report.planned += 1;
            return None;
        }
        page.request.limit = self.options.page;
        self.expect(report, 1);
        Some(page)
    }

    async fn fetch_within(
        &mut self,
        reports: &mut [SourceReport],
        wanted: Vec<WantedPage>,
        (place, links): (Place, Links),
    ) -> Vec<(usize, Url)> {
        let cache = Arc::clone(&self.cache);
        let wanted = blocking(move || copies::add_versions(&cache, place, wanted)).await;
        let requests: Vec<Request> = wanted.iter().map(|page| page.request.clone()).collect();
        let mut pages: Vec<Option<WantedPage>> = wanted.into_iter().map(Some).collect();
        let (sender, mut outcomes) = unbounded_channel();
        let mut send = |number: usize, outcome| {
            let _ = sender.send((number, outcome));
        };
        let net = self.net;
        let running = run_jobs(FetchPage, net, &requests, LIMITS, &mut send);
        tokio::pin!(running);
        let (mut is_running, mut found) = (true, Vec::new());
        while self.end.is_none() && pages.iter().any(Option::is_some) {
            let limit = self.options.source_time;
            let deadline = reports.iter().filter_map(|report| report.deadline(limit));
            let deadline = deadline.min();
            let (number, outcome) = tokio::select! {
                biased;
                Some(outcome) = outcomes.recv() => outcome,
                () = &mut running, if is_running => {
                    is_running = false;
                    continue;
                }
                () = until(deadline) => {
                    self.leave_late(reports, &mut pages, links);
                    continue;
                }
                () = std::future::ready(()), if !is_running => break,
            };
            if let Some(page) = pages.get_mut(number).and_then(Option::take) {
                found.extend(self.take(reports, page, outcome, (place, links)).await);
            }
        }
        for page in pages.into_iter().flatten() {
            self.leave(reports, &page, links);
        }
        found
    }

    /// Takes the outcome of a page.
    async fn take(
        &mut self,
        reports: &mut [SourceReport],
        wanted: WantedPage,
        outcome: Result<FetchedPage, NoPage>,
        (place, links): (Place, Links),
    ) -> Vec<(usize, Url)> {
        let host = host_key(&wanted.request).map(|(_, host)| host);
        let host = host.unwrap_or_default();
        let page = match outcome {
            Ok(page) => page,
            Err(why) => {
                if let Some(report) = reports.get_mut(wanted.source) {
                    let is_unreachable = report.note(&wanted.request.url, &why);
                    self.note_absence(host, is_unreachable);
                    self.settle(report, links == Links::Ignore);
                }
                return Vec::new();
            }
        };
        self.spent += page.len();
        if let Some(report) = reports.get_mut(wanted.source) {
            report.bytes += page.len();
        }
        let Some(key) = cache_key(&wanted.request) else {
            return Vec::new();
        };
        if let Some(target) = other_host(&page, &host) {
            self.hosts.redirected.insert(host, target);
            self.held.push((key, wanted, page));
            if !self.hosts.is_online {
                if let Some(captor) = self.hosts.captor() {
                    self.end = Some(EarlyEnd::Captive(captor.clone()));
                }
                return Vec::new();
            }
        } else {
            self.hosts.is_online = true;
            self.held.push((key, wanted, page));
        }
        self.store_held(reports, (place, links)).await
    }

    /// Counts octets that came.
    pub(super) fn spend(&mut self, octets: u64) {
        self.spent += octets;
        if self.spent >= self.options.size {
            self.stop(EarlyEnd::Size);
        }
    }

    /// Ends the run before all its pages, unless it has ended.
    pub(super) fn stop(&mut self, end: EarlyEnd) {
        self.end.get_or_insert(end);
    }

    /// Ends the run if the disk would be full with so many octets more.
    pub(super) fn check_disk(&mut self, octets: u64) {
        let free = self.cache.free_bytes();
        let is_full = free.is_some_and(|free| free.saturating_sub(octets) < self.reserve);
        if is_full && !self.options.is_dry {
            self.stop(EarlyEnd::DiskFull);
        }
    }

    /// Stores the pages that have waited for a host that answers by itself.
    async fn store_held(
        &mut self,
        reports: &mut [SourceReport],
        (place, links): (Place, Links),
    ) -> Vec<(usize, Url)> {
        let mut found = Vec::new();
        for (key, wanted, mut page) in std::mem::take(&mut self.held) {
            self.check_disk(page.len());
            if self.end.is_some() {
                // It stays among those that are left.
                self.held.push((key, wanted, page));
                continue;
            }
            let cache = Arc::clone(&self.cache);
            let (url, title, source) = (wanted.request.url.clone(), wanted.title, wanted.source);
            let storing = blocking(move || {
                let stored = copies::store(&cache, place, (key.clone(), title), &page);
                let below = match links {
                    Links::Ignore => Vec::new(),
                    Links::Return => {
                        page.fill_from(copies::copy(&cache, place, &key));
                        links_of(&page, &url)
                    }
                };
                (stored, below)
            });
            let (stored, below) = storing.await;
            found.extend(below.into_iter().map(|url| (source, url)));
            let Some(report) = reports.get_mut(source) else {
                continue;
            };
            match stored {
                Ok(Stored::New) => report.new += 1,
                Ok(Stored::Same) => report.same += 1,
                Ok(Stored::Not(why)) => {
                    report.note(&wanted.request.url, &why);
                }
                Err(error) => {
                    report.left += 1;
                    self.end = Some(EarlyEnd::of(&error));
                }
            }
            self.settle(report, links == Links::Ignore);
        }
        if self.spent >= self.options.size && self.end.is_none() {
            self.end = Some(EarlyEnd::Size);
        }
        found
    }
}

/// Waits until a time; for ever without one.
async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Returns the links of a page that lead to its own host and port, each once. Takes time for a long page.
fn links_of(page: &FetchedPage, requested: &Url) -> Vec<Url> {
    // A page of the Web has no links before its layout.
    let document = page.document(requested).finished();
    let authority = |url: &Url| {
        host_key(&Request::show(url.clone(), Reason::Link(requested.clone())))
            .map(|(authority, _)| authority)
    };
    let own = authority(requested);
    let mut seen = HashSet::new();
    let rows = 0..document.count();
    let links = rows.flat_map(|row| document.links(row));
    let urls = links.filter(|link| link.form.is_none());
    let urls = urls.filter_map(|link| link.target.ok());
    let urls = urls.map(|url| url.without_fragment());
    urls.filter(|url| {
        url.scheme_name() == requested.scheme_name()
            && authority(url) == own
            && seen.insert(compared_url(url))
    })
    .collect()
}
