//! Check of a site: every page below a URL, and every link of these pages, each requested once.
//!
//! The pages are received level by level, and their links read. Then the other links are checked: those to other
//! servers and above the path, and the files that belong to pages of the Web. What no server answered is asked once
//! more at the end, after a pause; it is unreachable, not dead. A fragment is looked up on the page that was read.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use geomys_load::check::{
    CheckPage, CheckedPage, JobLimits, JobOutcomes, LinkStatus, UrlJob, host_key,
};
use geomys_load::{
    FailureCause, FormAnswers, Purpose, Reason, RedirectPolicy, RedirectRules, Request,
};
use geomys_page::document::FragmentNames;
use geomys_wire::net::{Net, compared_url};
use geomys_wire::protocol::nntp::glob;
use geomys_wire::task::blocking;
use rfc1738::{Parts, Url};

use super::target::{PageReport, Place, Target, page_request};
use super::{ReadMenus, SiteScope, host_of, needs_words, path_of};
use crate::hosts::HostAnswers;
use crate::robots::{KnownRobots, Robots};
use crate::tree::NameFilter;

pub use super::faults::Lint as PageLint;
pub use super::report::{FaultKind, HostReport, SiteFault};

/// Limits for the requests that are made at once.
const LIMITS: JobLimits = JobLimits {
    total: 64,
    per_host: 4,
    per_gopher: 1,
    per_gemini: 1,
    per_news: 4,
};

/// The octets of a file of Gopher on another server that tell its type.
const SAMPLE: u64 = 4096;

/// Why a page of the site is not requested.
const REFUSED_BY_ROBOTS: &str = "the robots.txt of the site refuses it";

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
    /// The patterns of links that are left out: of whole URLs, and of paths below the site or on another server.
    pub exclude: (Vec<String>, NameFilter),
}

/// A running check.
pub struct SiteCheck<'a> {
    net: &'a Net,
    options: SiteCheckOptions<'a>,
    scope: SiteScope,
    robots: KnownRobots,
    hosts: HostAnswers,
    targets: Vec<Target>,
    numbers: HashMap<Url, usize>,
    /// Faults of pages and of malformed links, with the number of the page.
    faults: Vec<(usize, SiteFault)>,
    /// Number of requests that have ended.
    answered: usize,
    /// Number of pages that were requested.
    requested: usize,
    /// The links that [`SiteCheckOptions::exclude`] leaves out.
    excluded: HashSet<Url>,
    /// The rules for redirects, which are those for links.
    redirects: RedirectPolicy,
    /// The menus of Gopher that were read.
    menus: ReadMenus,
    /// What this machine lacks: nothing more is requested.
    lack: Option<String>,
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
    /// This machine lacks something: the check ended before all was asked.
    #[error("stopped: {0}")]
    Local(String),
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
        let request = page_request((options.request)(url.clone(), Reason::CommandLine));
        let top = Target::new(request, true);
        Ok(Self {
            net,
            options,
            scope,
            robots: KnownRobots::new(PURPOSES),
            hosts: HostAnswers::default(),
            numbers: HashMap::from([(compared_url(&url), 0)]),
            targets: vec![top],
            faults: Vec::new(),
            answered: 0,
            requested: 0,
            excluded: HashSet::new(),
            redirects: RedirectPolicy::default(),
            menus: ReadMenus::default(),
            lack: None,
        })
    }

    /// Runs the check. `progress` receives the number of requests that have ended, and of the URLs that are known.
    /// After it was dropped, what it has found so far is still known.
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
            return Err(CannotCheck::NoRobots(why));
        }
        self.redirects = self.redirect_rules();
        if let Some(top) = self.targets.first_mut() {
            top.request.save.redirects = self.redirects.clone();
        }
        self.follow(vec![0], progress).await;
        let again: Vec<usize> = (0..self.targets.len())
            .filter(|&number| self.is_unanswered(number))
            .collect();
        if !again.is_empty() && self.lack.is_none() {
            tokio::time::sleep(self.options.pause).await;
            let pages = again.iter().filter_map(|&number| self.targets.get(number));
            self.requested -= pages.filter(|target| target.is_page).count();
            self.answered -= again.len();
            self.hosts = HostAnswers::default();
            self.follow(again, progress).await;
        }
        if let Some(why) = &self.lack {
            return Err(CannotCheck::Local(why.clone()));
        }
        match self.targets.first().and_then(|top| top.status.as_ref()) {
            Some(LinkStatus::Unreachable(why) | LinkStatus::NotChecked(why)) => {
                Err(CannotCheck::Unreachable(why.clone()))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Returns the rules for redirects: those of the user, and those of the server for programs.
    fn redirect_rules(&self) -> RedirectPolicy {
        let (exclude, scope) = (self.options.exclude.clone(), self.scope.clone());
        let robots = self.robots.clone();
        RedirectPolicy::FollowWithin(RedirectRules::new(move |target| {
            if is_excluded(&exclude, &scope, target) {
                return Err("--exclude leaves it out");
            }
            let robots = robots.known(target);
            if robots.is_some_and(|robots| !robots.admits(target)) {
                return Err(REFUSED_BY_ROBOTS);
            }
            Ok(())
        }))
    }

    /// Returns true for a target that was not requested, by its own URL or as the target of a redirect.
    fn is_waiting(&self, number: usize) -> bool {
        let target = self.targets.get(number);
        target.is_some_and(|target| target.status.is_none())
    }

    fn is_unanswered(&self, number: usize) -> bool {
        let target = self.targets.get(number);
        target.is_some_and(|target| {
            let is_unreachable = matches!(target.status, Some(LinkStatus::Unreachable(_)));
            is_unreachable && !target.is_answered
        })
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
        while !level.is_empty() && self.lack.is_none() {
            let room = self.options.pages.saturating_sub(self.requested);
            level.truncate(room);
            self.requested += level.len();
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
        let numbers: Vec<usize> = numbers
            .iter()
            .copied()
            .filter(|&number| self.lack.is_none() && !self.leave_silent(number))
            .collect();
        let targets = numbers
            .iter()
            .filter_map(|&number| self.targets.get(number));
        let requests: Vec<Request> = targets.map(|target| target.request.clone()).collect();
        let mut outcomes = JobOutcomes::start(CheckPage, self.net, &requests, LIMITS);
        let mut found = Vec::new();
        while self.lack.is_none()
            && let Some((index, outcome)) = outcomes.next().await
        {
            if let Some(&number) = numbers.get(index) {
                found.extend(self.note(number, outcome).await);
            }
            self.answered += 1;
            progress(self.answered, self.targets.len());
        }
        found
    }

    /// Leaves a target whose server was silent. Returns false if the server answers.
    fn leave_silent(&mut self, number: usize) -> bool {
        let Some(target) = self.targets.get_mut(number) else {
            return false;
        };
        let key = host_key(&target.request);
        let is_silent = key.is_some_and(|(server, _)| self.hosts.is_silent(&server));
        if is_silent {
            let why = "its server was silent".to_owned();
            target.status = Some(LinkStatus::Unreachable(why));
            self.answered += 1;
        }
        is_silent
    }

    /// Notes the outcome of a target. Returns the numbers of the new targets that its page leads to.
    async fn note(&mut self, number: usize, outcome: CheckedPage) -> Vec<usize> {
        let Some(target) = self.targets.get_mut(number) else {
            return Vec::new();
        };
        if let LinkStatus::Local(why) = outcome.result.verdict {
            // No host is blamed, and what was not asked is left.
            self.lack = Some(why);
            return Vec::new();
        }
        let is_silent = CheckPage::missing_answer(&outcome).is_some();
        let cause = if is_silent {
            FailureCause::Silence
        } else {
            FailureCause::Server
        };
        if let Some((server, host)) = host_key(&target.request) {
            self.hosts.note((&server, &host), Some(cause));
        }
        // It came by a redirect meanwhile.
        let is_joined = target.status == Some(LinkStatus::Alive);
        target.is_answered = outcome.result.is_answered;
        target.status = Some(outcome.result.verdict);
        target.is_read = matches!(target.status, Some(LinkStatus::Dead(_)));
        let is_there = matches!(
            target.status,
            Some(LinkStatus::Alive | LinkStatus::Moved(_))
        );
        // A page that asks for words is there, and has nothing to read; so has one on another server.
        target.is_read |= is_there;
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
        let is_repeated = self.menus.repeats(&here, &page.octets);
        let lint = self.options.lint;
        let report = blocking(move || PageReport::of(&page, &url, is_own, lint)).await;
        let error = report.error.map(|words| (FaultKind::PerhapsDead, words));
        let fault = report.type_fault.map(|words| (FaultKind::WrongType, words));
        target.fault = error.or(fault);
        let names = report.names.map(Arc::new);
        target.names.clone_from(&names);
        if is_joined || self.is_known_elsewhere(number, &here, names) || is_repeated {
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
    fn is_known_elsewhere(
        &mut self,
        number: usize,
        here: &Url,
        names: Option<Arc<FragmentNames>>,
    ) -> bool {
        let key = compared_url(here);
        if let Some(&other) = self.numbers.get(&key) {
            let known = self.targets.get_mut(other).filter(|_| other != number);
            // A page that waits is not requested again.
            let status = known.map(|known| {
                known.names = known.names.take().or(names);
                // Its content has come by the redirect, whichever of both was answered first.
                known.is_read = true;
                known.status.replace(LinkStatus::Alive)
            });
            return status.flatten().is_some();
        }
        let Some(target) = self.targets.get(number) else {
            return false;
        };
        let request = Request {
            url: here.clone(),
            ..target.request.clone()
        };
        let joined = Target {
            names,
            status: Some(LinkStatus::Alive),
            ..Target::new(request, false)
        };
        self.numbers.insert(key, self.targets.len());
        self.targets.push(joined);
        false
    }

    /// Adds a link of a page. Returns its number if it is to be requested.
    async fn add(&mut self, url: Url, place: Place, page: &Url) -> Option<usize> {
        let fragment = url.fragment().map(|fragment| fragment.as_str().to_owned());
        let url = url.without_fragment();
        let key = compared_url(&url);
        if let Some(&number) = self.numbers.get(&key) {
            self.targets.get_mut(number)?.link(place, fragment);
            return None;
        }
        if is_excluded(&self.options.exclude, &self.scope, &url) {
            self.excluded.insert(key);
            return None;
        }
        let number = self.targets.len();
        let is_below = self.options.is_recursive && self.scope.covers(&url);
        let is_page = is_below && !needs_words(&url);
        let mut own = Request {
            answers: FormAnswers::Unconfirmed,
            ..(self.options.request)(url.clone(), Reason::Link(page.clone()))
        };
        own.save.redirects = self.redirects.clone();
        let mut status = None;
        if !self.options.ignores_robots && self.scope.is_own_server(&url) {
            let (robots, _) = self.robots.of(self.net, &own).await;
            if !robots.admits(&url) {
                status = Some(LinkStatus::NotChecked(REFUSED_BY_ROBOTS.to_owned()));
            }
        }
        let is_gopher = matches!(url.base_parts(), Parts::Gopher(_)) && !needs_words(&url);
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
        let mut target = Target {
            status,
            ..Target::new(request, is_page)
        };
        target.link(place, fragment);
        self.targets.push(target);
        is_requested.then_some(number)
    }

    /// Returns the number of pages that were read, and of those of the site that were not: the limit has left them out,
    /// or their server did not send them.
    pub fn pages(&self) -> (usize, usize) {
        let pages = self.targets.iter().filter(|target| target.is_page);
        let read = pages.clone().filter(|target| target.is_read).count();
        (read, pages.filter(|target| target.is_unread()).count())
    }

    /// Returns the number of different links that were left out as the user wants it.
    pub fn excluded(&self) -> usize {
        self.excluded.len()
    }

    /// Returns the hosts in the order of their names; `faults` are those of [`faults`](Self::faults).
    pub fn hosts(&self, faults: &[SiteFault]) -> Vec<HostReport> {
        let mut hosts = BTreeMap::new();
        for target in &self.targets {
            if let Some(host) = host_of(&target.request.url) {
                let report = hosts.entry(host.clone());
                let new = || HostReport {
                    host,
                    urls: 0,
                    faults: Vec::new(),
                };
                report.or_insert_with(new).urls += 1;
            }
        }
        for fault in faults {
            let url = fault.target.as_ref().or(fault.page.as_ref());
            if let Some(report) = url.and_then(host_of).and_then(|host| hosts.get_mut(&host)) {
                report.faults.push(fault.kind);
            }
        }
        hosts.into_values().collect()
    }

    /// Returns the number of different URLs that are known.
    pub fn urls(&self) -> usize {
        self.targets.len()
    }

    /// Returns what was found, in the order of the pages and their rows: each fault of a target once for each link to
    /// it.
    pub fn faults(&self) -> Vec<SiteFault> {
        let mut faults = self.faults.clone();
        let at = |(page, row): Place, fault: SiteFault| {
            let page_url = self.targets.get(page)?.request.url.clone();
            let page_url = Some(page_url);
            Some((
                page,
                SiteFault {
                    page: page_url,
                    row,
                    ..fault
                },
            ))
        };
        for target in &self.targets {
            let fragments = target.dead_fragments().into_iter();
            faults.extend(fragments.filter_map(|(place, fault)| at(place, fault)));
            for fault in target.faults() {
                let places = target.places.iter();
                let mut placed: Vec<_> = places
                    .filter_map(|&place| at(place, fault.clone()))
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

/// Returns true for a URL that these patterns leave out: by the whole of it, or by its path.
fn is_excluded((whole, below): &(Vec<String>, NameFilter), scope: &SiteScope, url: &Url) -> bool {
    let text = url.as_str().as_bytes();
    if whole.iter().any(|pattern| glob(pattern.as_bytes(), text)) {
        return true;
    }
    let path = scope.path_below(url).or_else(|| path_of(url));
    path.is_some_and(|path| below.excludes(&path))
}
