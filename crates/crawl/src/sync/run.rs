//! Run of a sync: its limits, the pages that it admits, and their order.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use geomys_load::check::{JobLimits, host_key};
use geomys_load::{
    EXCLUDED as EXCLUDED_HOST, Reason, RedirectPolicy, RedirectRules, Request, cache_key,
};
use geomys_wire::net::Net;
use geomys_wire::task::blocking;
use jiff::Timestamp;
use rfc1738::{Protocol, Url};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

use super::budget::Budget;
use super::copies::{self, KnownVersion};
use super::fetch::HeldPage;
use super::page::NoPage;
use super::progress::{PageCount, SyncProgress};
use super::report::{EarlyEnd, SourceReport};
use super::state::SyncState;
use super::unread::UnreadMarks;
use crate::hosts::HostAnswers;
use crate::robots::{KnownRobots, Robots};
use geomys_store::bookmarks::watch::WatchEvent;
use geomys_store::files::cache::Cache;

/// Longest pause of a server that is waited for: the next run asks those that want a longer one.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// Limits for the pages that a sync fetches at once.
pub const LIMITS: JobLimits = JobLimits {
    total: 16,
    per_host: 2,
    per_gopher: 1,
    per_gemini: 2,
    per_news: 1,
};

/// Limits beside a user who opens pages and does not wait for those of the run.
pub const LOW_LIMITS: JobLimits = JobLimits { total: 2, ..LIMITS };

/// Maximum number of pages of one bookmark in one run; the next run goes on.
const MAX_PAGES: usize = 1000;

/// Number of articles of a group that are fetched in its turn: each turn costs a GROUP.
const ARTICLES_A_TURN: usize = 100;

/// Reason why a page is not requested: the user has named its host.
pub(super) const EXCLUDED: NoPage = NoPage::NotStored(EXCLUDED_HOST);

/// Limits and settings of a run.
pub struct SyncOptions<'a> {
    /// Maximum number of octets of all pages, those in flight included; a page that is the first to come whole may
    /// exceed it.
    pub size: u64,
    /// Maximum number of octets of one page; `None` for no limit.
    pub page: Option<u64>,
    /// Limits for the pages that are fetched at once.
    pub limits: JobLimits,
    /// Space that stays free on the disk, in octets: other programs lose data when it is full.
    pub reserve: u64,
    /// True if nothing is requested.
    pub is_dry: bool,
    /// Makes the request for a URL, for a reason.
    pub request: &'a (dyn Fn(Url, Reason) -> Request + Send + Sync),
    /// Returns true for a URL of which nothing is stored.
    pub is_excluded: Arc<dyn Fn(&Url) -> bool + Send + Sync>,
    /// Says what is unread, when that needs room.
    pub unread: Arc<UnreadMarks>,
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
    /// Time of publication, as the page that lists this one has it.
    pub published: Option<Timestamp>,
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
            published: None,
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
    /// The same, but only pages without a copy that were never asked for are requested: earlier runs have left them.
    ReturnOfNew,
    /// They are compared with their last state, and their new states are told.
    Look,
}

impl Links {
    /// Returns true if links are returned: the rules of the hosts for programs hold.
    pub(super) fn are_returned(self) -> bool {
        matches!(self, Self::Return | Self::ReturnOfNew)
    }
}

/// Returns true for a file of this machine: it is only looked at.
pub(super) fn is_here(url: &Url) -> bool {
    matches!(url.protocol(), Protocol::File(_))
}

/// Whether a page is requested.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Admission {
    Admitted,
    /// It was requested already, or is left for the next run: its copy is followed.
    NotNow,
    /// A rule forbids it.
    Refused,
}

/// What has come of a fetch.
#[derive(Default)]
pub(super) struct Found {
    /// Links, each with the index of the source.
    pub(super) links: Vec<(usize, Url)>,
    /// Keys of the followed pages that came with their links, each with the index of the source.
    pub(super) read: HashSet<(usize, Url)>,
    /// Pages that can only be looked at as files, each with the reason why it is not stored: they are too large, of no
    /// kind that is shown, or groups.
    pub(super) files: Vec<(WantedPage, &'static str)>,
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
    pub(super) requested: HashSet<Url>,
    /// Rules of the hosts that were asked for them.
    pub(super) robots: KnownRobots,
    redirects: RedirectPolicy,
    pub(super) hosts: HostAnswers,
    /// Pages of redirected hosts, until it is known that no network answers for them.
    pub(super) held: Vec<HeldPage>,
    /// Takes the states of the pages that are looked at.
    pub(super) looks: Option<UnboundedSender<WatchEvent>>,
    /// Reason why the copy of a page that was looked at had no room.
    pub(super) lacks_room: Option<EarlyEnd>,
    /// True if a page that is saved for later had no room.
    pub(super) lacks_saved_room: bool,
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
        let robots = KnownRobots::new(&["archiver"]);
        let (known, is_excluded) = (robots.clone(), Arc::clone(&options.is_excluded));
        let redirects = RedirectRules::new(move |target| {
            if is_excluded(target) {
                return Err("it redirects to a host in [history] except");
            }
            match known.known(target) {
                Some(robots) if !robots.admits(target) => {
                    Err("it redirects to a page that robots.txt refuses")
                }
                _ => Ok(()),
            }
        });
        Self {
            net,
            cache,
            robots,
            redirects: RedirectPolicy::FollowWithin(redirects),
            state,
            pages: PageCount::default(),
            budget: Arc::new(Budget::new(options.size)),
            requested: HashSet::new(),
            hosts: HostAnswers::default(),
            held: Vec::new(),
            looks: None,
            lacks_room: None,
            lacks_saved_room: false,
            end: None,
            options,
        }
    }

    /// Returns the request for a URL, which no redirect leads to where the rules of the run forbid it.
    pub(super) fn request(&self, url: Url, reason: Reason) -> Request {
        let mut request = (self.options.request)(url, reason);
        request.save.redirects = self.redirects.clone();
        request
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
        // A look needs no room.
        if !wanted.is_empty() && links != Links::Look {
            self.check_disk(0);
        }
        let (mut admitted, mut followed) = (Vec::new(), Vec::new());
        for mut page in wanted {
            let admission = self.admit(reports, &mut page, links);
            if page.is_followed && admission != Admission::Refused {
                followed.push((page.source, page.request.clone()));
            }
            if admission == Admission::Admitted {
                admitted.push(page);
            }
        }
        let cache = Arc::clone(&self.cache);
        let admitted = blocking(move || copies::add_versions(&cache, place, admitted)).await;
        let pages = self.in_order(reports, admitted, links);
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
        // What did not come now is here as it came before: the pages that it leads to are known.
        for (source, request) in followed {
            let key = cache_key(&request);
            if let Some(key) = key.filter(|key| !found.read.contains(&(source, key.clone()))) {
                let below = self.links_of_copy((key, request.url), place).await;
                found
                    .links
                    .extend(below.into_iter().map(|url| (source, url)));
            }
        }
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

    /// Judges whether a page may be requested, and notes the reason if it may not.
    fn admit(
        &self,
        reports: &mut [SourceReport],
        page: &mut WantedPage,
        links: Links,
    ) -> Admission {
        let Some(report) = reports.get_mut(page.source) else {
            return Admission::Refused;
        };
        let url = &page.request.url;
        let size = Some(self.options.size).filter(|_| !is_here(url));
        let limit = [self.options.page, size].into_iter().flatten().min();
        page.request.limit = limit.or(page.request.limit);
        if links != Links::Look && is_here(url) {
            return Admission::Refused;
        }
        // The pass through all pages tells it.
        let is_told = links != Links::ReturnOfNew;
        if let Err(why) = self.judge(url, links) {
            if is_told {
                report.note(url, &why);
            }
            return Admission::Refused;
        }
        let Some(key) = cache_key(&page.request) else {
            if links != Links::Look {
                report.note(url, &NoPage::NotStored("it is never written to disk"));
                return Admission::Refused;
            }
            return Admission::Admitted;
        };
        let is_known = self.requested.contains(&key);
        if report.is_late || links.are_returned() && self.lacks_rules(url) {
            let is_noted = report.is_noted(url);
            report.left += usize::from(is_told && !is_noted && !is_known);
            return Admission::NotNow;
        }
        if is_known {
            return Admission::NotNow;
        }
        Admission::Admitted
    }

    /// Judges a URL by the rules of the user and of its host.
    fn judge(&self, url: &Url, links: Links) -> Result<(), NoPage> {
        if (self.options.is_excluded)(url) {
            return Err(EXCLUDED);
        }
        match self.robots.known(url) {
            Some(robots @ Robots::Rules(_)) if links.are_returned() && !robots.admits(url) => {
                Err(NoPage::NotStored("its robots.txt refuses it"))
            }
            // Where nobody was asked, the other tests leave the page.
            Some(Robots::All | Robots::Rules(_) | Robots::Unknown { .. }) | None => Ok(()),
        }
    }

    /// Returns true if the host of a URL could not say its rules.
    fn lacks_rules(&self, url: &Url) -> bool {
        matches!(self.robots.known(url), Some(Robots::Unknown { .. }))
    }

    /// Returns the pages that are requested in this run: first what was never asked for and has no copy, then what was
    /// asked for longest ago, the pages of the sources by turns.
    fn in_order(
        &mut self,
        reports: &mut [SourceReport],
        pages: Vec<WantedPage>,
        links: Links,
    ) -> Vec<WantedPage> {
        let now = Timestamp::now();
        let mut ranked = Vec::new();
        for page in pages {
            let key = cache_key(&page.request);
            let asked = key.as_ref().and_then(|key| self.state.asked(key));
            if links == Links::ReturnOfNew && (page.copy.is_some() || asked.is_some()) {
                continue;
            }
            let is_due = page.copy != Some(KnownVersion::None)
                || key
                    .as_ref()
                    .is_none_or(|key| !self.state.was_asked_today(key, now));
            if links == Links::Return && !is_due && !self.options.is_dry {
                if let Some(report) = reports.get_mut(page.source) {
                    report.today += 1;
                }
                self.requested.extend(key);
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
                report.planned += usize::from(!is_here(&page.request.url));
                continue;
            }
            if links.are_returned() && report.admitted >= MAX_PAGES {
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
            let in_turn = match page.request.url.protocol() {
                Protocol::Nntp(_) => ARTICLES_A_TURN,
                _ => 1,
            };
            let before = turns.entry(page.source).or_default();
            admitted.push(((is_known, *before / in_turn), page));
            *before += 1;
        }
        admitted.sort_by_key(|(rank, _)| *rank);
        let admitted = admitted.into_iter().map(|(_, page)| page);
        admitted.collect()
    }

    /// Ends the run before all its pages, unless it has ended.
    pub(super) fn stop(&mut self, end: EarlyEnd) {
        self.end.get_or_insert(end);
    }

    /// Ends the run if the disk would have less than the reserve with so many octets more.
    pub(super) fn check_disk(&mut self, octets: u64) {
        if let Err(end) = self.disk_room(octets) {
            self.stop(end);
        }
    }

    /// Returns an error if the disk would have less than the reserve with so many octets more.
    pub(super) fn disk_room(&self, octets: u64) -> Result<(), EarlyEnd> {
        let (free, reserve) = (self.cache.free_bytes(), self.options.reserve);
        let is_full = free.is_some_and(|free| free.saturating_sub(octets) < reserve);
        if is_full && !self.options.is_dry {
            return Err(EarlyEnd::Reserve(reserve));
        }
        Ok(())
    }
}
