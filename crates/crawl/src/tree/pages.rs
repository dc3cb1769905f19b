//! Pages of a walk: of a site each page is a file, and its entries are the pages that it links to.
//!
//! A page is fetched as any file of a walk is, and its links are read from the local file. A redirect is not followed:
//! its target is an entry like any other, so that the scope and the rules of the host hold for it. A page that is the
//! same as its copy keeps the copy's time.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use geomys_load::check::host_key;
use geomys_load::{
    Failure, FailureCause, FailureKind, MAX_REDIRECTS, NextReason, Request, Stop, names_packed_file,
};
use geomys_wire::net::compared_url;
use geomys_wire::task::blocking;
use geomys_wire::text::{self, Text};
use rfc1738::Url;

use super::files::TakenNames;
use super::found::FoundUrls;
use super::job::FileOutcome;
use super::listing::{ItemKind, RemoteItem, SizeReliability};
use super::page::{MAX_PAGE_BYTES, links};
use super::site_names::{SiteNames, lists_others};
use super::unlinked::says_gone;
use super::{DirectoryRoute, PendingDirectory, RunMode, TreeWalk, is_local};
use crate::hosts::{HostAnswers, cause_of};
use crate::names::link_below;
use crate::robots::{KnownRobots, Robots};
use crate::site::links::PageLinks;
use crate::site::{MAX_PAGES, ReadMenus, SiteScope, host_of, needs_words, slash_twin};
use geomys_store::files::regular;
use geomys_store::transfer::download::Error;
use geomys_store::transfer::records::locked;

/// The purpose of the program, as `robots.txt` names it.
const PURPOSES: &[&str] = &["archiver"];

/// The pages of a site that a mirror fetches.
#[derive(Clone, Debug)]
pub struct SiteOptions {
    /// Maximum number of links from the first page to another; `None` for no limit.
    pub depth: Option<usize>,
    /// Other hosts whose pages are fetched too, in lower case.
    pub span: Vec<String>,
    /// Maximum number of pages.
    pub pages: usize,
}

impl Default for SiteOptions {
    fn default() -> Self {
        Self {
            depth: None,
            span: Vec::new(),
            pages: MAX_PAGES,
        }
    }
}

/// State of the walk of a site.
pub(super) struct SiteWalk {
    pub(super) scope: SiteScope,
    options: SiteOptions,
    pub(super) robots: KnownRobots,
    names: SiteNames,
    /// URLs that were found, with the pages that link to them for an archive.
    pub(super) found: FoundUrls,
    /// Number of redirects that led to a URL.
    redirects: HashMap<Url, usize>,
    /// Targets of the redirects of the site, by the keys of their pages.
    targets: HashMap<Url, Url>,
    /// The menus of Gopher that were read.
    menus: ReadMenus,
    /// Pages that the pages of this level lead to.
    next: Vec<Url>,
    /// Number of pages that were taken.
    taken: usize,
    /// URLs, without passwords, of pages of which the server has said in this walk that they are gone.
    pub(super) gone: HashSet<String>,
    /// True while the pages that nothing links to are asked for: their links are not followed.
    pub(super) is_asking_unlinked: bool,
    pub(super) hosts: HostAnswers,
    /// Hosts that were silent, each with the number of pages that were left.
    silent: BTreeMap<String, usize>,
    /// Directories that were made for pages that did not come.
    unfilled: BTreeSet<PathBuf>,
    /// True if links were left out: what is behind them is unknown.
    pub(super) is_partial: bool,
}

/// How a page leads to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkKind {
    Page,
    /// A file of the page that no row shows.
    File,
    /// The target of a redirect, and the number of redirects so far.
    Redirect(usize),
}

impl SiteWalk {
    /// Returns the walk of a site; `None` for a URL with a listing, like that of an archive or of a directory in it.
    pub(super) fn of(url: &Url, options: &SiteOptions) -> Option<Self> {
        let scope = SiteScope::of(url)?;
        if names_packed_file(url) {
            return None;
        }
        Some(Self {
            names: SiteNames::new(scope.clone()),
            scope,
            options: options.clone(),
            robots: KnownRobots::new(PURPOSES),
            found: FoundUrls::default(),
            redirects: HashMap::new(),
            targets: HashMap::new(),
            menus: ReadMenus::default(),
            next: Vec::new(),
            taken: 0,
            gone: HashSet::new(),
            is_asking_unlinked: false,
            hosts: HostAnswers::default(),
            silent: BTreeMap::new(),
            unfilled: BTreeSet::new(),
            is_partial: false,
        })
    }

    /// Returns true for a page that the walk fetches.
    pub(super) fn covers(&self, url: &Url) -> bool {
        let spans = |host: &str| self.options.span.iter().any(|span| *span == host);
        self.scope.covers(url)
            || SiteScope::of(url).is_some() && host_of(url).is_some_and(|host| spans(&host))
    }
}

impl TreeWalk<'_> {
    /// Walks a site, level by level.
    ///
    /// # Errors
    /// As of [`super::tree`]; the rules of its host are unknown or refuse the first page.
    pub(super) async fn walk_site(&mut self) -> Result<(), Error> {
        let top = self.order.request.url.without_fragment();
        let request = self.request_for(top.clone());
        self.check_robots(&request).await?;
        let into = self.order.into.clone();
        let was_there = blocking({
            let into = into.clone();
            move || into.is_dir()
        });
        let was_there = was_there.await;
        if self.order.mirror.run == RunMode::Real {
            blocking(move || TakenNames::in_new(into)).await?;
        }
        self.open_record().await?;
        self.note_recorded_names();
        let mut level = vec![top.clone()];
        if let Some(site) = &mut self.site {
            site.found.add(&top, None);
        }
        let mut depth = 0;
        while !level.is_empty() && self.stopped.is_none() {
            let items = self.named_items(level).await;
            let directory = self.site_directory(&top, depth);
            self.take(directory, items, &TakenNames::default()).await;
            depth += 1;
            level = self.next_level(depth);
        }
        self.note_left_out();
        self.ask_unlinked(&top).await;
        self.remove_unfilled(was_there).await;
        Ok(())
    }

    /// Returns the directory of the pages of a level.
    pub(super) fn site_directory(&self, top: &Url, depth: usize) -> PendingDirectory {
        PendingDirectory {
            url: top.clone(),
            path: self.order.into.clone(),
            depth,
            route: DirectoryRoute::Direct,
            charset: None,
            parent: None,
            via: None,
        }
    }

    /// Notes that the directory of a page may have been made for nothing.
    pub(super) fn note_unfilled(&mut self, path: &Path) {
        if let (Some(site), Some(directory)) = (&mut self.site, path.parent()) {
            site.unfilled.insert(directory.to_owned());
        }
    }

    /// Removes the directories that were made for pages that did not come, and that of the walk unless it was there.
    async fn remove_unfilled(&mut self, was_there: bool) {
        let Some(site) = &mut self.site else { return };
        let (unfilled, into) = (std::mem::take(&mut site.unfilled), self.order.into.clone());
        let removing = blocking(move || {
            for directory in unfilled.iter().rev() {
                let above = directory.ancestors();
                let own = above.take_while(|above| above.starts_with(&into));
                for directory in own.filter(|own| !was_there || **own != *into) {
                    // One that is not empty stays, and so do those above it.
                    if std::fs::remove_dir(directory).is_err() {
                        break;
                    }
                }
            }
        });
        removing.await;
    }

    /// Checks that the rules of the host are known and allow the first page.
    async fn check_robots(&mut self, request: &Request) -> Result<(), Error> {
        self.learn_robots(request).await;
        let Some(site) = &mut self.site else {
            return Ok(());
        };
        let (robots, _) = site.robots.of(self.net, request).await;
        let why = match robots {
            Robots::Unknown { why, .. } => {
                format!("robots.txt cannot be read, so nothing is fetched: {why}")
            }
            robots if !robots.admits(&request.url) => {
                format!(
                    "the robots.txt of the host refuses {}",
                    request.url.masked()
                )
            }
            Robots::All | Robots::Rules(_) => return Ok(()),
        };
        Err(Error::stopped(Failure::new(why), None))
    }

    /// Takes the names of the files that earlier runs have fetched: they stay.
    fn note_recorded_names(&mut self) {
        if let (Some(site), Some(record)) = (&mut self.site, &self.record) {
            for (name, _) in locked(record).files() {
                site.names.take(name);
            }
        }
    }

    /// Returns the pages of a level with their local names, whose directories are created.
    async fn named_items(&mut self, level: Vec<Url>) -> Vec<RemoteItem> {
        let mut items = Vec::new();
        for url in level {
            let Some(site) = &mut self.site else { break };
            let shown = Text::of(&url.masked());
            if site.taken >= site.options.pages {
                self.summary.left_out.pages += 1;
                continue;
            }
            let record = self.record.as_deref();
            let recorded = record.and_then(|record| {
                let record = locked(record);
                let path = record.paths(&url).into_iter().next()?;
                Some(path.strip_prefix(record.directory()).ok()?.to_owned())
            });
            let Some(name) = recorded.or_else(|| site.names.name(&url)) else {
                self.fail(shown, "not fetched: its path is too deep".to_owned());
                continue;
            };
            if !self
                .order
                .mirror
                .filter
                .admits_below(&name, item_kind(&url))
            {
                self.summary.left_out.excluded += 1;
                continue;
            }
            site.taken += 1;
            let (into, path) = (self.order.into.clone(), self.order.into.join(&name));
            let is_dry = self.order.mirror.run == RunMode::Dry;
            let made = blocking(move || {
                let directory = path.parent().unwrap_or(&into);
                if let Some(link) = link_below(&into, directory) {
                    return Err(Error::Link { path: link });
                }
                if is_dry {
                    return Ok(());
                }
                let made = std::fs::create_dir_all(directory);
                made.map_err(|source| Error::Create {
                    path: directory.to_owned(),
                    source,
                })
            });
            if let Err(error) = made.await {
                if is_local(&error) {
                    self.stop(&shown, &error);
                    break;
                }
                self.fail(shown, error.to_string());
                continue;
            }
            self.step.found += 1;
            items.push(page_item(url, name));
        }
        items
    }

    /// Returns the pages that those of the last level lead to, unless they are too deep.
    fn next_level(&mut self, depth: usize) -> Vec<Url> {
        let Some(site) = &mut self.site else {
            return Vec::new();
        };
        let next = std::mem::take(&mut site.next);
        if site.options.depth.is_some_and(|deepest| depth > deepest) {
            site.is_partial |= !next.is_empty();
            self.summary.left_out.depth += next.len();
            return Vec::new();
        }
        next
    }

    /// Reads the links of a page that is here, and adds those that are fetched. Returns true for a menu that repeats
    /// another one, and adds nothing.
    pub(super) async fn read_links(
        &mut self,
        url: &Url,
        path: &Path,
        media_type: Option<String>,
    ) -> bool {
        let Some(site) = &mut self.site else {
            return false;
        };
        if slash_twin(url).is_some() {
            let file = path.to_owned();
            let octets = blocking(move || regular::read(&file, MAX_PAGE_BYTES)).await;
            // What cannot be read repeats nothing.
            if octets.is_ok_and(|octets| site.menus.repeats(url, &octets)) {
                return true;
            }
        }
        let (page, file) = (url.clone(), path.to_owned());
        let reading = blocking(move || links(&page, &file, media_type.as_deref()));
        let links = reading.await;
        self.add_links(url, links).await;
        false
    }

    /// Removes a menu that repeats another one, and was fetched now.
    pub(super) async fn leave_repeated(&mut self, path: &Path) {
        self.summary.left_out.repeated += 1;
        let name = path.strip_prefix(&self.order.into).map(Path::to_owned);
        let (Ok(name), Some(record)) = (name, self.record.clone()) else {
            return;
        };
        let path = path.to_owned();
        let removing = blocking(move || {
            // The failure is noticed with the next file.
            let _ = std::fs::remove_file(path);
            let _ = locked(&record).forget(&name);
        });
        removing.await;
    }

    /// Adds the links of a page that are fetched. What only a page leads to that nothing links to is not.
    pub(super) async fn add_links(&mut self, url: &Url, links: PageLinks) {
        if self.is_asking_unlinked() {
            return;
        }
        for link in links.pages {
            self.add_page(link, url, LinkKind::Page).await;
        }
        for file in links.files {
            self.add_page(file, url, LinkKind::File).await;
        }
    }

    /// Adds the target of a redirect in place of its page; one that leaves the site is noted. Returns false if the
    /// failure is none, and for the first page of a site that is elsewhere.
    pub(super) async fn add_redirect(&mut self, url: &Url, stop: &Stop) -> bool {
        let Stop::Failed(failure) = stop else {
            return false;
        };
        let link = failure
            .next
            .as_ref()
            .filter(|_| failure.next_reason != NextReason::Tls);
        let target = link.and_then(|link| link.target.clone().ok());
        let (Some(target), Some(site)) = (target, &self.site) else {
            return false;
        };
        let target = target.without_fragment();
        let redirects = site.redirects.get(url).copied().unwrap_or_default() + 1;
        let is_of_site = site.covers(&target);
        if !is_of_site && *url == self.order.request.url {
            return false;
        }
        if let Some(record) = &self.record {
            let is_permanent = failure.next_reason == NextReason::MovedForGood;
            locked(record).add_redirect(url, &target, is_permanent);
        }
        let shown = Text::of(&url.masked());
        if !is_of_site {
            let target = Text::of(&target.masked());
            self.note(format!("{shown} was left out: it redirects to {target}"));
            return true;
        }
        if self.redirects_in_a_loop(url, &target) {
            let first = compared_url(&self.order.request.url);
            if [compared_url(url), compared_url(&target)].contains(&first) {
                self.fail(shown, "it redirects in a loop".to_owned());
                return true;
            }
            // A dead link, as one to a page that does not exist.
            self.summary.missing += 1;
            self.note(format!("{shown} is missing: it redirects in a loop"));
            return true;
        }
        if redirects > MAX_REDIRECTS {
            self.fail(shown, format!("more than {MAX_REDIRECTS} redirects"));
            return true;
        }
        self.step.found = self.step.found.saturating_sub(1);
        let kind = LinkKind::Redirect(redirects);
        self.add_page(target, url, kind).await;
        true
    }

    /// Notes a redirect within the site. Returns true if its target leads back to its page.
    fn redirects_in_a_loop(&mut self, url: &Url, target: &Url) -> bool {
        let Some(site) = &mut self.site else {
            return false;
        };
        let (own, mut next) = (compared_url(url), compared_url(target));
        site.targets.insert(own.clone(), next.clone());
        for _ in 0..=MAX_REDIRECTS {
            if next == own {
                return true;
            }
            let Some(further) = site.targets.get(&next) else {
                return false;
            };
            next = further.clone();
        }
        false
    }

    /// Adds a link to the next level, if it is one of the site that was not found before and that the rules of its host
    /// allow.
    async fn add_page(&mut self, url: Url, via: &Url, kind: LinkKind) {
        let Some(site) = &mut self.site else { return };
        let via = self.order.archive.as_ref().map(|_| via);
        if !site.found.add(&url, via) {
            return;
        }
        // The files of a page stand anywhere on its server.
        let is_own = kind == LinkKind::File && site.scope.is_own_server(&url);
        if !site.covers(&url) && !is_own {
            self.summary.left_out.scope += 1;
        } else if needs_words(&url) {
            self.summary.left_out.kind += 1;
        } else if !self.robots_admit(&url).await {
            self.summary.left_out.robots += 1;
        } else if let Some(site) = &mut self.site {
            if let LinkKind::Redirect(redirects) = kind {
                site.redirects.insert(url.clone(), redirects);
            }
            site.next.push(url);
        }
    }

    /// Returns true if the rules of the host of a page allow it. Rules that cannot be read are a failure, once, and
    /// allow nothing.
    pub(super) async fn robots_admit(&mut self, url: &Url) -> bool {
        let request = self.request_for(url.clone());
        let is_new = self.learn_robots(&request).await;
        let Some(site) = &mut self.site else {
            return false;
        };
        let (robots, _) = site.robots.of(self.net, &request).await;
        let admits = robots.admits(url);
        if let (Robots::Unknown { why, .. }, true) = (robots, is_new) {
            let why = format!("its robots.txt cannot be read: {why}");
            self.fail(Text::of(&url.masked()), why);
        }
        admits
    }

    /// Notes a page of a site that did not come: a dead link is no failure of the walk, nor is a page that asks a
    /// question, unless it is the first one.
    pub(super) fn note_missing(&mut self, url: &Url, stop: &Stop) {
        let shown = Text::of(&url.masked());
        let is_first = *url == self.order.request.url;
        match stop {
            Stop::Failed(failure) if failure.kind == FailureKind::Missing && !is_first => {
                if let (Some(site), true) = (&mut self.site, says_gone(url, failure)) {
                    site.gone.insert(url.without_password().to_string());
                }
                self.summary.missing += 1;
                self.note(format!("{shown} is missing: {}", stop.sentence()));
            }
            Stop::Needs(question) if !is_first => {
                self.summary.unanswered += 1;
                self.note(format!("{shown} was left out: {}", question.unanswered()));
            }
            Stop::Failed(_) | Stop::Needs(_) | Stop::Truncated(_) | Stop::Closed => {
                self.fail(shown, stop.sentence());
            }
        }
    }

    /// Leaves a page of a host that was silent. Returns false if the host answers.
    pub(super) fn leave_silent(&mut self, request: &Request) -> bool {
        let (Some(site), Some((server, host))) = (&mut self.site, host_key(request)) else {
            return false;
        };
        if !site.hosts.is_silent(&server) {
            return false;
        }
        site.is_partial = true;
        if !site.is_asking_unlinked {
            *site.silent.entry(host).or_default() += 1;
            self.summary.left_out.silent += 1;
        }
        true
    }

    /// Notes what the end of the transfer of a page shows of its host.
    pub(super) fn note_answer(&mut self, request: &Request, outcome: &Result<FileOutcome, Error>) {
        let cause = match outcome {
            Ok(FileOutcome::Postponed) => None,
            Ok(_) => Some(FailureCause::Server),
            Err(Error::Stopped { stop, .. }) => cause_of(stop),
            Err(_) => None,
        };
        if let (Some(site), Some((server, host))) = (&mut self.site, host_key(request)) {
            site.hosts.note((&server, &host), cause);
        }
    }

    /// Adds what was left out to the summary.
    fn note_left_out(&mut self) {
        let Some(site) = &self.site else { return };
        self.summary.directories = site.names.directories();
        let silent = site.silent.clone();
        let (left_out, pages) = (&self.summary.left_out, site.options.pages);
        if let Some(sentence) = left_out.sentence() {
            self.summary.notes.push(sentence);
        }
        for (host, left) in silent {
            let why = format!("it was silent: {} pages left", text::count(left));
            self.fail(Text::of(&host), why);
        }
        let (left_out, pages) = (&self.summary.left_out, pages);
        if left_out.pages > 0 {
            let (left, pages) = (text::count(left_out.pages), text::count(pages));
            let shown = Text::of(&self.order.request.url.masked());
            let why = format!("{left} pages were left out: {pages} are fetched at most (--pages)");
            self.fail(shown, why);
        }
    }
}

/// Returns a page as an entry of a directory. `name` is its path below the local directory.
pub(super) fn page_item(url: Url, name: PathBuf) -> RemoteItem {
    RemoteItem {
        name: name.into_os_string().into(),
        kind: ItemKind::File,
        url,
        size: None,
        modified: None,
        size_reliability: SizeReliability::Estimate,
    }
}

/// Returns what a page is for the filter of names: one that probably has links is a directory.
pub(super) fn item_kind(url: &Url) -> ItemKind {
    if lists_others(url) {
        ItemKind::Directory
    } else {
        ItemKind::File
    }
}
