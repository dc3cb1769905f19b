//! Check of a site: every page below a URL, and every link of these pages, each requested once.
//!
//! The pages are received level by level, and their links read. Then the other links are checked: those to other servers and
//! above the path. What no server answered is asked once more at the end, after a pause; it is unreachable, not dead.

use std::collections::HashMap;
use std::time::Duration;

use geomys_page::load::check::{CheckPage, CheckedPage, JobLimits, LinkStatus, host_key, run_jobs};
use geomys_page::load::{FormAnswers, Purpose, Reason, Request};
use geomys_wire::net::Net;
use geomys_wire::task::blocking;
use rfc1738::{Parts, Url};
use tokio::sync::mpsc::unbounded_channel;

use super::target::{PageReport, Place, Target, needs_answers, page_request};
use super::{SiteScope, page_key};
use crate::sync::robots::{KnownRobots, Robots};

pub use super::faults::Lint as PageLint;
pub use super::report::{FaultKind, SiteFault};

/// Maximum number of pages that are received, unless the user names another.
pub const MAX_PAGES: usize = 10_000;

/// Limits for the requests that are made at once.
const LIMITS: JobLimits = JobLimits {
    total: 64,
    per_host: 4,
    per_gopher: 1,
};

/// The octets of a file of Gopher on another server that tell its type.
const SAMPLE: u64 = 4096;

/// The longest pause of a server that the second attempt waits for, in seconds.
const MAX_PAUSE: u64 = 60;

/// The purpose of the program, as `robots.txt` names it: among others to find broken links.
const PURPOSES: &[&str] = &["researcher"];

/// Options of a check.
pub struct SiteCheckOptions<'a> {
    /// Makes the request for a URL.
    pub request: &'a (dyn Fn(Url, Reason) -> Request + Send + Sync),
    /// Whether the look of pages is checked.
    pub lint: PageLint,
    /// True if the rules for programs of the site itself are not asked for.
    pub ignores_robots: bool,
    /// True if the pages that the first one leads to are received, and their links checked too.
    pub is_recursive: bool,
    /// Maximum number of pages.
    pub pages: usize,
    /// The pause before the second attempt at what was not reached.
    pub pause: Duration,
}

/// A running check.
pub struct SiteCheck<'a> {
    net: &'a Net,
    options: SiteCheckOptions<'a>,
    scope: SiteScope,
    robots: KnownRobots,
    targets: Vec<Target>,
    numbers: HashMap<Url, usize>,
    /// Faults of pages and of malformed links, with the number of the page.
    faults: Vec<(usize, SiteFault)>,
    /// Number of requests that have ended.
    answered: usize,
    /// Number of pages that were received.
    pages: usize,
    /// Number of pages that were left out, as the limit was reached.
    left: usize,
}

/// The reason why a site cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum CannotCheck {
    /// The protocol has no pages with links.
    #[error("a site is of Gopher, Gemini, Spartan, nex or the Web: {0}")]
    NoSite(String),
    /// The rules of the host are unknown, so none of its pages may be requested.
    #[error("robots.txt cannot be read: {0}; --ignore-robots checks your own site")]
    NoRobots(String),
    /// The first page was not reached.
    #[error("{0}")]
    Unreachable(String),
}

impl<'a> SiteCheck<'a> {
    /// Creates the check of the pages below a URL.
    ///
    /// # Errors
    /// [`CannotCheck::NoSite`].
    pub fn new(
        net: &'a Net,
        url: &Url,
        options: SiteCheckOptions<'a>,
    ) -> Result<Self, CannotCheck> {
        let url = url.without_fragment();
        let scope = SiteScope::of(&url);
        let scope = scope.ok_or_else(|| CannotCheck::NoSite(url.masked().into_owned()))?;
        let top = Target {
            request: page_request((options.request)(url.clone(), Reason::CommandLine)),
            is_page: true,
            places: Vec::new(),
            status: None,
            fault: None,
        };
        Ok(Self {
            net,
            options,
            scope,
            robots: KnownRobots::new(PURPOSES),
            numbers: HashMap::from([(page_key(&url), 0)]),
            targets: vec![top],
            faults: Vec::new(),
            answered: 0,
            pages: 0,
            left: 0,
        })
    }

    /// Runs the check. `progress` receives the number of requests that have ended, and of the URLs that are known. After it was
    /// dropped, what it has found so far is still known.
    ///
    /// # Errors
    /// [`CannotCheck::NoRobots`], [`CannotCheck::Unreachable`].
    pub async fn run(
        &mut self,
        progress: &mut (dyn FnMut(usize, usize) + Send),
    ) -> Result<(), CannotCheck> {
        let top = self.targets.first().map(|top| top.request.clone());
        if let Some(top) = top.filter(|_| !self.options.ignores_robots)
            && let (Robots::Unknown { why, .. }, _) = self.robots.of(self.net, &top).await
        {
            return Err(CannotCheck::NoRobots(why.clone()));
        }
        self.follow(vec![0], progress).await;
        let again: Vec<usize> = (0..self.targets.len())
            .filter(|&number| self.is_unreachable(number))
            .collect();
        if !again.is_empty() {
            tokio::time::sleep(self.pause_before(&again)).await;
            self.follow(again, progress).await;
        }
        match self.targets.first().and_then(|top| top.status.as_ref()) {
            Some(LinkStatus::Unreachable(why) | LinkStatus::NotChecked(why)) => {
                Err(CannotCheck::Unreachable(why.clone()))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Returns true for a target that was not requested, by its own URL or as the target of a redirect.
    fn is_waiting(&self, number: usize) -> bool {
        let target = self.targets.get(number);
        target.is_some_and(|target| target.status.is_none())
    }

    fn is_unreachable(&self, number: usize) -> bool {
        let status = self
            .targets
            .get(number)
            .and_then(|target| target.status.as_ref());
        matches!(status, Some(LinkStatus::Unreachable(_)))
    }

    /// Returns the pause before the second attempt: that which the servers want, if it is not too long.
    fn pause_before(&self, again: &[usize]) -> Duration {
        let targets = again.iter().filter_map(|&number| self.targets.get(number));
        let authorities = targets.filter_map(|target| Some(host_key(&target.request)?.0));
        let pauses = authorities.filter_map(|authority| self.net.pause_left(&authority));
        let longest = pauses.filter(|&seconds| seconds <= MAX_PAUSE).max();
        let longest = Duration::from_secs(longest.unwrap_or_default());
        longest.max(self.options.pause)
    }

    /// Requests these targets, the pages that they lead to, and then the other links.
    async fn follow(
        &mut self,
        numbers: Vec<usize>,
        progress: &mut (dyn FnMut(usize, usize) + Send),
    ) {
        let is_page = |check: &Self, number: usize| {
            let target = check.targets.get(number);
            target.is_some_and(|target| target.is_page)
        };
        let (mut level, mut others): (Vec<usize>, Vec<usize>) = numbers
            .into_iter()
            .partition(|&number| is_page(self, number));
        while !level.is_empty() {
            let room = self.options.pages.saturating_sub(self.pages);
            let left = level.split_off(level.len().min(room));
            self.left += left.len();
            self.pages += level.len();
            let found = self.request(&level, progress).await;
            let waiting = found.into_iter().filter(|&number| self.is_waiting(number));
            let (pages, links) = waiting.partition::<Vec<_>, _>(|&number| is_page(self, number));
            level = pages;
            others.extend(links);
        }
        self.request(&others, progress).await;
    }

    /// Requests these targets at once. Returns the numbers of the new targets that they lead to.
    async fn request(
        &mut self,
        numbers: &[usize],
        progress: &mut (dyn FnMut(usize, usize) + Send),
    ) -> Vec<usize> {
        let targets = numbers
            .iter()
            .filter_map(|&number| self.targets.get(number));
        let requests: Vec<Request> = targets.map(|target| target.request.clone()).collect();
        let (sender, mut outcomes) = unbounded_channel();
        let mut send = |index: usize, outcome: CheckedPage| {
            let _ = sender.send((index, outcome));
        };
        let net = self.net;
        let running = run_jobs(CheckPage, net, &requests, LIMITS, &mut send);
        tokio::pin!(running);
        let (mut is_running, mut found) = (true, Vec::new());
        loop {
            let (index, outcome) = tokio::select! {
                biased;
                Some(outcome) = outcomes.recv() => outcome,
                () = &mut running, if is_running => {
                    is_running = false;
                    continue;
                }
                () = std::future::ready(()), if !is_running => return found,
            };
            if let Some(&number) = numbers.get(index) {
                found.extend(self.note(number, outcome).await);
            }
            self.answered += 1;
            progress(self.answered, self.targets.len());
        }
    }

    /// Notes the outcome of a target. Returns the numbers of the new targets that its page leads to.
    async fn note(&mut self, number: usize, outcome: CheckedPage) -> Vec<usize> {
        let Some(target) = self.targets.get_mut(number) else {
            return Vec::new();
        };
        // It came by a redirect meanwhile.
        let is_joined = target.status == Some(LinkStatus::Alive);
        target.status = Some(outcome.result.verdict);
        let is_there = matches!(
            target.status,
            Some(LinkStatus::Alive | LinkStatus::Moved(_))
        );
        let Some(page) = outcome.page.filter(|_| is_there) else {
            return Vec::new();
        };
        let (url, is_page) = (target.request.url.clone(), target.is_page);
        let here = page.head.url.clone().unwrap_or_else(|| url.clone());
        if number == 0 && !self.scope.covers(&here) {
            // The site is where its first page is.
            self.scope = SiteScope::of(&here).unwrap_or_else(|| self.scope.clone());
        }
        let is_own = is_page && self.scope.covers(&here);
        let lint = self.options.lint;
        let report = blocking(move || PageReport::of(&page, &url, is_own, lint)).await;
        let error = report.error.map(|words| (FaultKind::PerhapsDead, words));
        let fault = report.type_fault.map(|words| (FaultKind::WrongType, words));
        target.fault = error.or(fault);
        if is_joined || self.is_known_elsewhere(number, &here) {
            return Vec::new();
        }
        for (row, kind, words) in report.faults {
            let fault = SiteFault {
                kind,
                page: Some(here.clone()),
                row,
                target: None,
                reference: None,
                words,
                moved: None,
            };
            self.faults.push((number, fault));
        }
        let mut found = Vec::new();
        for (row, target, reference) in report.links {
            if let Some(reference) = reference {
                let fault = SiteFault {
                    kind: FaultKind::Malformed,
                    page: Some(here.clone()),
                    row,
                    target: target.clone().ok(),
                    words: reference.error.to_string(),
                    reference: Some(reference),
                    moved: None,
                };
                self.faults.push((number, fault));
            }
            if let Ok(url) = target {
                found.extend(self.add(url, (number, row), &here).await);
            }
        }
        found
    }

    /// Joins a page with the URL that it was redirected to. Returns true if that was received by its own URL already.
    fn is_known_elsewhere(&mut self, number: usize, here: &Url) -> bool {
        let key = page_key(here);
        if let Some(&other) = self.numbers.get(&key) {
            let known = self.targets.get_mut(other).filter(|_| other != number);
            // A page that waits is not requested again.
            let status = known.map(|known| known.status.replace(LinkStatus::Alive));
            return status.flatten().is_some();
        }
        let Some(target) = self.targets.get(number) else {
            return false;
        };
        let joined = Target {
            request: Request {
                url: here.clone(),
                ..target.request.clone()
            },
            is_page: target.is_page,
            places: Vec::new(),
            status: Some(LinkStatus::Alive),
            fault: None,
        };
        self.numbers.insert(key, self.targets.len());
        self.targets.push(joined);
        false
    }

    /// Adds a link of a page. Returns its number if it is to be requested.
    async fn add(&mut self, url: Url, place: Place, page: &Url) -> Option<usize> {
        let url = url.without_fragment();
        let key = page_key(&url);
        if let Some(&number) = self.numbers.get(&key) {
            self.targets.get_mut(number)?.places.push(place);
            return None;
        }
        let number = self.targets.len();
        let is_below = self.options.is_recursive && self.scope.covers(&url);
        let is_page = is_below && !needs_answers(&url);
        let own = Request {
            answers: FormAnswers::Unconfirmed,
            ..(self.options.request)(url.clone(), Reason::Link(page.clone()))
        };
        let mut status = None;
        if !self.options.ignores_robots && self.scope.is_own_server(&url) {
            let (robots, _) = self.robots.of(self.net, &own).await;
            if !robots.admits(&url) {
                let why = "the robots.txt of the site refuses it";
                status = Some(LinkStatus::NotChecked(why.to_owned()));
            }
        }
        let is_gopher = matches!(url.base_parts(), Parts::Gopher(_)) && !needs_answers(&url);
        let request = if is_page {
            page_request(own)
        } else if is_gopher {
            Request {
                limit: Some(SAMPLE),
                ..page_request(own)
            }
        } else {
            Request {
                purpose: Purpose::Check,
                ..own
            }
        };
        let is_requested = status.is_none();
        self.numbers.insert(key, number);
        self.targets.push(Target {
            request,
            is_page,
            places: vec![place],
            status,
            fault: None,
        });
        is_requested.then_some(number)
    }

    /// Returns the number of pages that were received, and of those that the limit has left out.
    pub fn pages(&self) -> (usize, usize) {
        (self.pages, self.left)
    }

    /// Returns the number of different URLs that are known.
    pub fn urls(&self) -> usize {
        self.targets.len()
    }

    /// Returns what was found, in the order of the pages and their rows: each fault of a target once for each link to it.
    pub fn faults(&self) -> Vec<SiteFault> {
        let mut faults = self.faults.clone();
        for target in &self.targets {
            for fault in target.faults() {
                let places = target.places.iter();
                let mut placed: Vec<_> = places
                    .filter_map(|&(page, row)| {
                        let page_url = self.targets.get(page)?.request.url.clone();
                        let fault = SiteFault {
                            page: Some(page_url),
                            row,
                            ..fault.clone()
                        };
                        Some((page, fault))
                    })
                    .collect();
                if placed.is_empty() {
                    placed.push((0, fault));
                }
                faults.extend(placed);
            }
        }
        faults.sort_by_key(|(page, fault)| (*page, fault.row, fault.kind));
        faults.into_iter().map(|(_, fault)| fault).collect()
    }
}
