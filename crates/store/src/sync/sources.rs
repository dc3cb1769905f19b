//! Sources of a sync, in their order: the outbox, pages saved for later, watched pages with their new entries, bookmarks with the
//! tag `#offline` with the pages that they link to, and subscribed groups.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_page::load::check::{FetchContent, LinkStatus, PageContent, host_key, run_jobs};
use geomys_page::load::{FormAnswers, Reason, cache_key};
use geomys_page::load::{Request, SaveRequest};
use geomys_wire::task::blocking;
use rfc1738::Url;

use super::groups::FollowedGroup;
use super::page::NoPage;
use super::report::{SourceReport, SyncSummary};
use super::robots::{KnownRobots, Robots};
use super::run::{EXCLUDED, LIMITS, Links, Place, SyncRun, WantedPage};
use crate::bookmarks::Bookmarks;
use crate::bookmarks::checks::{self, UrlKey};
use crate::bookmarks::watch::{self, WatchEvent, WatchedPages, is_watched};
use crate::files::later;
use crate::files::user_file::FileError;
use crate::outbox::Sender;

/// Tag of a bookmark that is kept with its links; a digit after it is the depth, 1 without one.
const TAG: &str = "offline";

/// Maximum number of new entries of one watched page.
const MAX_ENTRIES: usize = 20;

/// Maximum number of pages of one bookmark.
const MAX_PAGES: usize = 1000;

/// What is followed, beside the pages that are saved for later.
pub struct SyncSources<'a> {
    /// Directory of the drafts, among them those of the outbox; `None` if nothing is sent.
    pub drafts: Option<&'a Path>,
    /// What sending a draft needs to know.
    pub sender: &'a Sender,
    /// Bookmarks.
    pub bookmarks: &'a Bookmarks,
    /// File of the states of watched pages.
    pub watched: &'a Path,
    /// Subscribed groups.
    pub groups: &'a [FollowedGroup],
}

impl SyncRun<'_> {
    /// Goes through all sources. Returns their reports.
    ///
    /// # Errors
    /// Errors of the user's files.
    pub fn run<'s>(
        &'s mut self,
        sources: &'s SyncSources<'_>,
    ) -> BoxFuture<'s, Result<(Vec<SourceReport>, SyncSummary), FileError>> {
        async {
            let mut reports = Vec::new();
            if let Some(drafts) = sources.drafts {
                reports.extend(self.outbox(drafts, sources.sender).await);
            }
            reports.extend(self.saved().await?);
            reports.extend(self.watched(sources.bookmarks, sources.watched).await?);
            reports.extend(self.offline(sources.bookmarks).await);
            reports.extend(self.groups(sources.groups).await);
            let summary = SyncSummary::new(&reports, self.spent(), self.end());
            Ok((reports, summary))
        }
        .boxed()
    }

    /// Fetches the pages that are saved for later and are not here, the newest first: links that were followed offline before pages
    /// that did not come in earlier runs.
    ///
    /// # Errors
    /// Errors of reading the queue.
    async fn saved(&mut self) -> Result<Option<SourceReport>, FileError> {
        let mut reports = [SourceReport::new("saved", "saved for later", None)];
        if !reports.iter().all(|report| self.includes(report)) {
            return Ok(None);
        }
        let cache = std::sync::Arc::clone(&self.cache);
        let listing = blocking(move || cache.saved().map_or(Ok(Vec::new()), later::entries));
        let entries = listing.await?;
        let missing = entries.into_iter().rev().filter(|entry| !entry.is_stored);
        let wanted = missing.map(|entry| WantedPage {
            source: 0,
            request: (self.options.request)(entry.url, Reason::Queued(entry.namer)),
            title: Some(entry.title),
        });
        let wanted = wanted.collect();
        let how = (Place::Saved, Links::Ignore);
        self.fetch(&mut reports, wanted, how).await;
        let [report] = reports;
        Ok(Some(report))
    }

    /// Looks for changes of the watched pages, and fetches those that have changed, and their new entries.
    ///
    /// # Errors
    /// Errors of the file of watched pages.
    async fn watched(
        &mut self,
        bookmarks: &Bookmarks,
        path: &Path,
    ) -> Result<Vec<SourceReport>, FileError> {
        let states = read(path).await?;
        let (mut reports, mut urls) = (Vec::new(), Vec::new());
        for bookmark in bookmarks.bookmarks().filter(is_watched) {
            let Ok(url) = bookmark.url() else { continue };
            let label = bookmark.label();
            let mut report = SourceReport::new("watched", label.as_str(), Some(&url));
            if !self.includes(&report) {
                continue;
            }
            if (self.options.is_excluded)(&url) {
                report.note(&url, &EXCLUDED);
            } else if states.is_confirmed(&url) {
                urls.push((reports.len(), url));
            } else {
                let why = "it was never watched: geomys bookmarks watch --confirm";
                let why = NoPage::Skipped(LinkStatus::NotChecked(why.to_owned()));
                report.note(&url, &why);
            }
            reports.push(report);
        }
        let mut changed = HashMap::new();
        if !self.options.is_dry && self.end().is_none() {
            changed = self.look(&mut reports, &urls, path).await?;
        }
        let states = read(path).await?;
        let wanted = urls.iter().flat_map(|(source, url)| {
            let is_changed = changed.get(source).copied();
            self.wanted(&states, url, is_changed)
                .into_iter()
                .map(|request| WantedPage {
                    source: *source,
                    request,
                    title: None,
                })
        });
        let wanted = wanted.collect();
        let how = (Place::Synced, Links::Ignore);
        self.fetch(&mut reports, wanted, how).await;
        Ok(reports)
    }

    /// Fetches the contents of watched pages. Returns for each source that was fetched whether it has changed.
    async fn look(
        &mut self,
        reports: &mut [SourceReport],
        urls: &[(usize, Url)],
        path: &Path,
    ) -> Result<HashMap<usize, bool>, FileError> {
        let states = read(path).await?;
        let request = |url: &Url| Request {
            // The user has not seen each form.
            answers: FormAnswers::Unconfirmed,
            save: SaveRequest {
                copy: states.known_copy(url),
                ..SaveRequest::default()
            },
            ..(self.options.request)(url.clone(), Reason::Bookmark)
        };
        let (mut events, mut changed) = (Vec::new(), HashMap::new());
        let requests: Vec<Request> = urls.iter().map(|(_, url)| request(url)).collect();
        for (source, _) in urls {
            if let Some(report) = reports.get_mut(*source) {
                self.expect(report, 1);
            }
        }
        let net = self.net;
        let mut receive = |number: usize, content: Result<Option<PageContent>, LinkStatus>| {
            let Some((source, url)) = urls.get(number) else {
                return;
            };
            if content.is_ok() {
                changed.insert(*source, false);
            }
            if let Some(report) = reports.get_mut(*source) {
                let is_unreachable = match &content {
                    Ok(_) => false,
                    Err(status) => report.note(url, &NoPage::Skipped(status.clone())),
                };
                let host =
                    host_key(&Request::show(url.clone(), Reason::Bookmark)).map(|(_, host)| host);
                self.note_absence(host.unwrap_or_default(), is_unreachable);
                self.settle(report, false);
            }
            let key = UrlKey::of(url);
            if let Some(event) = WatchEvent::fetched(&key, content, checks::now()) {
                events.push((*source, event));
            }
        };
        run_jobs(FetchContent, net, &requests, LIMITS, &mut receive).await;
        if events.is_empty() {
            return Ok(changed);
        }
        let mut states = read(path).await?;
        for (source, event) in &events {
            if states.note(event) {
                changed.insert(*source, true);
            }
        }
        let events: Vec<WatchEvent> = events.into_iter().map(|(_, event)| event).collect();
        let path = path.to_owned();
        blocking(move || watch::save(&path, &events, checks::now())).await?;
        Ok(changed)
    }

    /// Returns the requests for a watched page, if it has changed or has no copy, and for its new entries that have none.
    fn wanted(&self, states: &WatchedPages, page: &Url, is_changed: Option<bool>) -> Vec<Request> {
        let own = (self.options.request)(page.clone(), Reason::Bookmark);
        let has_copy =
            |request: &Request| cache_key(request).is_some_and(|key| self.cache.has(&key));
        let mut wanted = Vec::new();
        let entries = states.of(page).and_then(|state| state.entries.as_ref());
        let mut entries: Vec<_> = entries
            .into_iter()
            .flat_map(watch::WatchedEntries::new_ones)
            .collect();
        entries.sort_by(|a, b| watch::WatchedEntry::order(a, b));
        for url in entries
            .into_iter()
            .filter_map(watch::WatchedEntry::url)
            .take(MAX_ENTRIES)
        {
            let request = (self.options.request)(url, Reason::Followed(page.clone()));
            if !has_copy(&request) {
                wanted.push(request);
            }
        }
        // A page that was not reached is not asked twice.
        let is_reached = is_changed.is_some() || self.options.is_dry;
        if is_reached && (is_changed == Some(true) || !has_copy(&own)) {
            wanted.insert(0, own);
        }
        wanted
    }

    /// Fetches the bookmarks with the tag `#offline`, and the pages of their hosts that they link to.
    async fn offline(&mut self, bookmarks: &Bookmarks) -> Vec<SourceReport> {
        let (mut reports, mut level, mut sources) = (Vec::new(), Vec::new(), Vec::new());
        for bookmark in bookmarks.bookmarks() {
            let depth = bookmark
                .tags()
                .iter()
                .find_map(|tag| depth_of(tag.as_str()));
            let (Some(depth), Ok(url)) = (depth, bookmark.url()) else {
                continue;
            };
            let label = bookmark.label();
            let report = SourceReport::new("offline", label.as_str(), Some(&url));
            if !self.includes(&report) {
                continue;
            }
            level.push((reports.len(), url.clone()));
            reports.push(report);
            sources.push((url, depth, 0));
        }
        let mut rules = KnownRobots::new(&["archiver"]);
        for depth in 0..=u8::MAX {
            level.retain(|(source, _)| {
                sources
                    .get(*source)
                    .is_some_and(|(_, deepest, _)| depth <= *deepest)
            });
            let open: HashSet<usize> = level.iter().map(|(source, _)| *source).collect();
            let numbered = reports.iter_mut().enumerate();
            let ended = numbered.filter(|(source, _)| !open.contains(source));
            self.finish(ended.map(|(_, report)| report));
            if level.is_empty() {
                break;
            }
            let mut wanted = Vec::new();
            for (source, url) in std::mem::take(&mut level) {
                if self.end().is_some()
                    && let Some(report) = reports.get_mut(source)
                {
                    report.left += 1;
                    continue;
                }
                let Some((top, _, count)) = sources.get_mut(source) else {
                    continue;
                };
                let reason = if url == *top {
                    Reason::Bookmark
                } else {
                    Reason::Followed(top.clone())
                };
                let request = (self.options.request)(url, reason);
                *count += 1;
                let is_readable = depth == 0 || cache_key(&request).is_some();
                if is_readable
                    && *count <= MAX_PAGES
                    && self
                        .admits(&mut rules, &mut reports, source, &request)
                        .await
                {
                    wanted.push(WantedPage {
                        source,
                        request,
                        title: None,
                    });
                }
            }
            let how = (Place::Synced, Links::Return);
            level = self.fetch(&mut reports, wanted, how).await;
        }
        self.finish(&mut reports);
        reports
    }

    /// Returns true if the rules of its host allow a page.
    async fn admits(
        &mut self,
        rules: &mut KnownRobots,
        reports: &mut [SourceReport],
        source: usize,
        request: &Request,
    ) -> bool {
        if self.options.is_dry {
            return true;
        }
        let (robots, is_new) = rules.of(self.net, request).await;
        if let (Robots::Unknown { why, is_reached }, Some(report), true) =
            (robots, reports.get_mut(source), is_new)
        {
            let why = NoPage::Skipped(LinkStatus::Unreachable(format!("no robots.txt: {why}")));
            report.note(&request.url, &why);
            let host = host_key(request).map(|(_, host)| host);
            self.note_absence(host.unwrap_or_default(), !is_reached);
        }
        let is_admitted = robots.admits(&request.url);
        if !is_admitted
            && matches!(robots, Robots::Rules(_))
            && let Some(report) = reports.get_mut(source)
        {
            report.note(
                &request.url,
                &NoPage::NotStored("its robots.txt refuses it"),
            );
        }
        is_admitted
    }
}

async fn read(path: &Path) -> Result<WatchedPages, FileError> {
    let path = path.to_owned();
    blocking(move || watch::load(&path)).await
}

/// Returns the depth of a tag `offline`, `offline2` or `offline3`.
fn depth_of(tag: &str) -> Option<u8> {
    let (name, depth) = tag.split_at_checked(TAG.len())?;
    if !name.eq_ignore_ascii_case(TAG) {
        return None;
    }
    match depth {
        "" | "1" => Some(1),
        "2" => Some(2),
        "3" => Some(3),
        _ => None,
    }
}
