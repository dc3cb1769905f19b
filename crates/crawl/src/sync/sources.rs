//! Sources of a sync, in their order: the outbox, pages saved for later, watched pages with their new entries,
//! bookmarks that are followed with the pages that they link to, and subscribed groups.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use geomys_load::check::{LinkStatus, host_key};
use geomys_load::{FailureCause, Reason, Request, cache_key};
use geomys_wire::net::compared_url;
use geomys_wire::task::blocking;
use jiff::Timestamp;
use rfc1738::Url;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::timeout;

use super::look::{read, save, save_looks};
use super::page::NoPage;
use super::report::{EarlyEnd, SAVED, SourceReport, SyncSummary};
use super::run::{EXCLUDED, Links, PATIENCE, Place, SyncRun, WantedPage, is_here};
use super::unread::FollowedGroup;
use crate::robots::{self, Robots};
use crate::site::needs_words;
use geomys_store::bookmarks::checks::UrlKey;
use geomys_store::bookmarks::followed::{self, depth, is_followed, never_asks};
use geomys_store::bookmarks::watch::{self, WatchEvent, WatchedEntry, WatchedPages};
use geomys_store::bookmarks::{Bookmark, Bookmarks};
use geomys_store::files::later;
use geomys_store::files::user_file::FileError;
use geomys_store::outbox::Sender;

/// Maximum number of new entries of one watched page.
const MAX_ENTRIES: usize = 20;

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
            let bookmarks = sources.bookmarks;
            let has = |is: &dyn Fn(&Bookmark<'_>) -> bool| {
                u64::from(bookmarks.bookmarks().any(|bookmark| is(&bookmark)))
            };
            let groups = u64::from(!sources.groups.is_empty());
            let offline = groups + has(&|bookmark| depth(bookmark) > Some(0));
            let watched = offline + has(&is_followed);
            self.budget.begin_stage(watched);
            reports.extend(self.saved().await?);
            self.budget.begin_stage(offline);
            reports.extend(self.watched(bookmarks, sources.watched).await?);
            self.budget.begin_stage(groups);
            let looked: HashSet<String> =
                reports.iter().filter_map(|one| one.url.clone()).collect();
            let states = read(sources.watched).await?;
            let known = (&looked, &states);
            reports.extend(self.offline(bookmarks, known).await);
            self.budget.begin_stage(0);
            reports.extend(self.groups(sources.groups).await);
            if self.hosts.is_offline() {
                self.stop(EarlyEnd::Offline);
            } else if self.budget.has_left() {
                self.stop(EarlyEnd::Size);
            } else if self.lacks_saved_room {
                self.stop(EarlyEnd::SavedFull);
            }
            let is_online = !matches!(self.end(), Some(EarlyEnd::Offline));
            for report in &mut reports {
                if is_online {
                    self.state.note_source(report, Timestamp::now());
                }
            }
            let summary = SyncSummary::new(&reports, self.budget.came(), self.end());
            Ok((reports, summary))
        }
        .boxed()
    }

    /// Fetches the pages that are saved for later and are not here, the newest first: links that were followed offline
    /// before pages that did not come in earlier runs.
    ///
    /// # Errors
    /// Errors of reading the queue.
    async fn saved(&mut self) -> Result<Option<SourceReport>, FileError> {
        let mut reports = [SourceReport::new(SAVED, "kept pages", None)];
        let cache = Arc::clone(&self.cache);
        let listing = blocking(move || {
            let room = cache.saved().and_then(|saved| saved.room().ok());
            let entries = cache.saved().map_or(Ok(Vec::new()), later::entries);
            entries.map(|entries| (entries, room.unwrap_or(u64::MAX)))
        });
        let (entries, room) = listing.await?;
        let missing = entries.into_iter().rev().filter(|entry| !entry.is_stored);
        let wanted = missing.map(|entry| {
            let reason = Reason::Queued(entry.namer.clone());
            let mut request = self.request(entry.url.clone(), reason);
            entry.accept_answers(&mut request);
            WantedPage {
                title: Some(entry.title),
                ..WantedPage::new(0, request)
            }
        });
        // What did not fit waits until there is more room, and is not fetched in vain by each run.
        let lacks_room = self.state.saved_room().is_some_and(|full| room <= full);
        let waits = |page: &WantedPage| {
            let key = cache_key(&page.request);
            lacks_room && key.is_some_and(|key| self.state.asked(&key).is_some())
        };
        let (waiting, wanted): (Vec<_>, Vec<_>) = wanted.partition(waits);
        let [report] = &mut reports;
        report.left += waiting.len();
        self.lacks_saved_room = !waiting.is_empty();
        let how = (Place::Saved, Links::Ignore);
        self.fetch(&mut reports, wanted, how).await;
        if !self.options.is_dry {
            self.note_saved_room().await;
        }
        let [report] = reports;
        Ok(Some(report))
    }

    /// Notes the room of the pages that are saved for later if a page did not fit.
    async fn note_saved_room(&mut self) {
        let cache = Arc::clone(&self.cache);
        let counting = blocking(move || cache.saved().and_then(|saved| saved.room().ok()));
        let room = counting.await.filter(|_| self.lacks_saved_room);
        self.state.note_saved_room(room);
    }

    /// Fetches the watched pages, stores those that have changed, and fetches their new entries.
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
        for bookmark in bookmarks.bookmarks().filter(is_followed) {
            let Ok(url) = bookmark.url() else { continue };
            let label = bookmark.label();
            let mut report = SourceReport::new("followed", label.as_str(), Some(&url));
            if (self.options.is_excluded)(&url) {
                report.note(&url, &EXCLUDED);
            } else if states.is_confirmed(&url) {
                urls.push((reports.len(), url));
            } else if never_asks(&bookmark) {
                // It is fetched with its links.
                continue;
            } else {
                let tag = followed::tag(&bookmark).unwrap_or_default();
                let why =
                    format!("it was never followed: geomys bookmarks edit URL --add-tag {tag}");
                let why = NoPage::Skipped(LinkStatus::NotChecked(why));
                report.note(&url, &why);
            }
            reports.push(report);
        }
        let was_seen = |url| states.of(url).is_some_and(|state| state.entries.is_some());
        let unseen = urls.iter().filter(|(_, url)| !was_seen(url));
        let unseen: HashSet<UrlKey> = unseen.map(|(_, url)| UrlKey::of(url)).collect();
        let (sender, looks) = unbounded_channel();
        let looking = self.look(&mut reports, &urls, &states, sender);
        let ((), first_states) = tokio::join!(looking, save_looks(path, &unseen, looks));
        let first_states = first_states?;
        let mut states = read(path).await?;
        for event in &first_states {
            states.note(event);
        }
        let (mut wanted, mut first) = (Vec::new(), Vec::new());
        for (source, url) in &urls {
            let is_first = unseen.contains(&UrlKey::of(url));
            let (entries, cut) = self.entries(&states, url, is_first);
            if let Some(report) = reports.get_mut(*source) {
                report.left += cut.len();
            }
            let own = entries
                .iter()
                .filter(|(entry, _)| is_first || entry.is_wanted);
            let own = own.map(|(entry, request)| (entry.id.clone(), request.clone()));
            first.push((*source, url, own.collect::<Vec<_>>(), cut));
            let pages = entries.into_iter();
            wanted.extend(pages.map(|(entry, request)| WantedPage {
                published: Some(entry.published()),
                ..WantedPage::new(*source, request)
            }));
        }
        let how = (Place::Synced, Links::Ignore);
        self.fetch(&mut reports, wanted, how).await;
        let mut events = first_states;
        for (source, url, entries, cut) in first {
            let is_missing = |(_, request): &&(String, Request)| {
                let report = reports.get(source);
                self.copy_time(request).is_none()
                    && report.is_none_or(|report| !report.is_refused(&request.url))
            };
            let left = entries.iter().filter(is_missing).map(|(id, _)| id.clone());
            let left: BTreeSet<String> = left.chain(cut).collect();
            let known = states.of(url).and_then(|state| state.entries.as_ref());
            if known.is_some_and(|entries| entries.wanted() != left) {
                events.push(WatchEvent::Wanted(UrlKey::of(url), left));
            }
        }
        if !self.options.is_dry {
            save(path, events).await?;
        }
        Ok(reports)
    }

    /// Returns the time when the copy of a page was last used; `None` without a copy.
    fn copy_time(&self, request: &Request) -> Option<Timestamp> {
        cache_key(request).and_then(|key| self.cache.last_used(&key))
    }

    /// Returns the entries of a watched page that are new or were left and have no copy, each with its request, the
    /// newest first, and the identities of those that are left for the next run. Of a page that was fetched for the
    /// first time, the newest ones are wanted.
    fn entries<'w>(
        &self,
        states: &'w WatchedPages,
        page: &Url,
        is_first: bool,
    ) -> (Vec<(&'w WatchedEntry, Request)>, Vec<String>) {
        let entries = states.of(page).and_then(|state| state.entries.as_ref());
        let entries = entries.into_iter().flat_map(watch::WatchedEntries::iter);
        let lacks = |entry: &WatchedEntry| is_first || entry.is_new || entry.is_wanted;
        let mut entries: Vec<_> = entries
            .filter(|entry| lacks(entry) || entry.changed.is_some())
            .collect();
        entries.sort_by(|a, b| WatchedEntry::order(a, b));
        let requests = entries.into_iter().filter_map(|entry| {
            let url = entry.url().filter(|url| !is_here(url))?;
            let request = self.request(url, Reason::Followed(page.clone()));
            let is_wanted = match (self.copy_time(&request), entry.changed) {
                // The copy is of the entry before its change.
                (Some(used), Some(changed)) => used < changed,
                (Some(_), None) => false,
                (None, _) => lacks(entry),
            };
            is_wanted.then_some((entry, request))
        });
        let mut requests: Vec<_> = requests.collect();
        let left = requests.split_off(MAX_ENTRIES.min(requests.len()));
        let left = left.into_iter().filter(|_| !is_first);
        let left = left.map(|(entry, _)| entry.id.clone()).collect();
        (requests, left)
    }

    /// Fetches the bookmarks that are followed to a depth, and the pages of their hosts that they link to.
    async fn offline(
        &mut self,
        bookmarks: &Bookmarks,
        (looked, states): (&HashSet<String>, &WatchedPages),
    ) -> Vec<SourceReport> {
        let (mut reports, mut level, mut sources) = (Vec::new(), Vec::new(), Vec::new());
        for bookmark in bookmarks.bookmarks() {
            let (Some(depth @ 1..), Ok(url)) = (depth(&bookmark), bookmark.url()) else {
                continue;
            };
            if !never_asks(&bookmark) && !states.is_confirmed(&url) {
                // It has a line of its own.
                continue;
            }
            let label = bookmark.label();
            level.push((reports.len(), url.clone()));
            let mut report = SourceReport::new("links", label.as_str(), Some(&url));
            if report.url.as_ref().is_some_and(|url| looked.contains(url)) {
                // The page has a line of its own.
                report.title.push_str(", links");
            }
            reports.push(report);
            sources.push((url, depth));
        }
        let was_left = |(source, _): &&(usize, Url)| {
            let report = reports.get(*source);
            report.is_some_and(|report| self.state.was_left(report))
        };
        let behind: Vec<(usize, Url)> = level.iter().filter(was_left).cloned().collect();
        let behind = (behind, Links::ReturnOfNew);
        self.levels(&mut reports, &sources, behind).await;
        let all = (level, Links::Return);
        self.levels(&mut reports, &sources, all).await;
        self.finish(&mut reports);
        reports
    }

    /// Fetches pages level by level, each within the depth of its source, which is told with its first page.
    async fn levels(
        &mut self,
        reports: &mut [SourceReport],
        sources: &[(Url, u8)],
        (mut level, links): (Vec<(usize, Url)>, Links),
    ) {
        let mut seen: HashSet<(usize, Url)> = HashSet::new();
        for depth in 0..=u8::MAX {
            level.retain(|(source, url)| seen.insert((*source, compared_url(url))));
            if links == Links::Return {
                let open: HashSet<usize> = level.iter().map(|(source, _)| *source).collect();
                let numbered = reports.iter_mut().enumerate();
                let ended = numbered.filter(|(source, _)| !open.contains(source));
                self.finish(ended.map(|(_, report)| report));
            }
            if level.is_empty() {
                break;
            }
            let mut wanted = Vec::new();
            for (source, url) in std::mem::take(&mut level) {
                let Some((top, deepest)) = sources.get(source) else {
                    continue;
                };
                let reason = if url == *top {
                    Reason::Bookmark
                } else {
                    Reason::Followed(top.clone())
                };
                let request = self.request(url, reason);
                let is_page = cache_key(&request).is_some() && !needs_words(&request.url);
                if depth == 0 || is_page {
                    wanted.push(WantedPage {
                        is_followed: depth < *deepest,
                        ..WantedPage::new(source, request)
                    });
                }
            }
            if !self.options.is_dry {
                self.read_robots(reports, &wanted).await;
            }
            let how = (Place::Synced, links);
            level = self.fetch(reports, wanted, how).await.links;
        }
    }

    /// Reads the rules of the hosts that were not asked yet, within the time that a silent server has. A host that
    /// cannot say them is left for the run.
    async fn read_robots(&mut self, reports: &mut [SourceReport], wanted: &[WantedPage]) {
        let mut asked: HashMap<String, (usize, Request)> = HashMap::new();
        for page in wanted {
            let url = &page.request.url;
            let is_excluded = (self.options.is_excluded)(&page.request.url);
            let server = host_key(&page.request).map(|(server, _)| server);
            let is_silent = server.is_some_and(|server| self.hosts.is_silent(&server));
            let is_left = is_excluded || is_here(url) || is_silent || self.is_over();
            if self.robots.known(url).is_none() && !is_left {
                let page = (page.source, page.request.clone());
                asked.entry(robots::rules_key(&page.1.url)).or_insert(page);
            }
        }
        let (net, limits) = (self.net, self.net.limits());
        let limit = limits.connect + limits.idle + PATIENCE;
        let known = self.robots.clone();
        let reading = asked.into_values().map(|(source, request)| {
            let known = known.clone();
            async move {
                let reading = known.of(net, &request);
                if timeout(limit, reading).await.is_err() {
                    known.give_up(&request.url, format!("no end within {} s", limit.as_secs()));
                }
                (source, request)
            }
        });
        let mut reading = stream::iter(reading).buffer_unordered(self.options.limits.total);
        while let Some((source, request)) = reading.next().await {
            let robots = self.robots.known(&request.url);
            let (server, host) = host_key(&request).unwrap_or_default();
            let report = reports.get_mut(source);
            if let (Some(Robots::Unknown { why, is_reached }), Some(report)) = (&robots, report) {
                let why = NoPage::Skipped(LinkStatus::Unreachable(format!("no robots.txt: {why}")));
                report.note(&request.url, &why);
                if !is_reached {
                    self.hosts.leave(&server);
                }
            } else {
                self.hosts
                    .note((&server, &host), Some(FailureCause::Server));
            }
        }
    }
}
