//! Fetch of the pages of a run: within limits for each host, and stored one after the other as they come.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_load::check::{JobOutcomes, LinkStatus, PageContent, UrlJob, host_key, page_content};
use geomys_load::{
    Failure, FailureCause, FailureKind, Question, Reason, Request, Stop, announce_articles,
    cache_key,
};
use geomys_wire::net::{Net, compared_url};
use geomys_wire::task::blocking;
use jiff::Timestamp;
use rfc1738::{Protocol, Url};
use tokio::time::{Instant, sleep_until, timeout};

use super::budget::Budget;
use super::copies::{self, Stored};
use super::page::{FetchedPage, GROUPS, NoPage, PageUse};
use super::report::{EarlyEnd, SourceReport};
use super::run::{Found, Links, PATIENCE, Place, SyncRun, WantedPage, is_here};
use crate::site::links::links_of;
use geomys_store::bookmarks::checks::{self, UrlKey};
use geomys_store::bookmarks::watch::WatchEvent;

/// Time limit of one page.
const DEADLINE: Duration = Duration::from_mins(10);

/// Octets of the pages of redirected hosts that are held in memory at most.
const MAX_HELD: u64 = 32 << 20;

/// Fetch of a whole page, within the budget of a run.
#[derive(Clone)]
pub(super) struct FetchPage {
    pub(super) budget: Arc<Budget>,
    pub(super) page_use: PageUse,
}

/// Outcome of a fetch.
pub(super) type Fetched = Result<FetchedPage, NoPage>;

/// Page of a host that redirects to another one, and did not before.
pub(super) struct HeldPage {
    /// Address to which it redirects.
    to: String,
    key: Url,
    wanted: WantedPage,
    page: FetchedPage,
}

impl FetchPage {
    /// Fetches a page once.
    async fn fetch(&self, net: &Net, request: &Request) -> Fetched {
        // A file of this machine comes from no network.
        let unlimited = is_here(&request.url).then(|| Budget::new(u64::MAX));
        let share = unlimited.as_ref().unwrap_or(&self.budget).begin();
        let order = (PATIENCE, self.page_use);
        let fetching = FetchedPage::fetch_within(net, request.clone(), order, share);
        let fetched = timeout(DEADLINE, fetching).await;
        fetched.unwrap_or_else(|_| Err(Stop::Closed.into()))
    }
}

/// Returns the failure of a request for news, if it is of this kind and the server was not silent.
fn news_failure<'o>(
    request: &Request,
    outcome: &'o Fetched,
    kind: FailureKind,
) -> Option<&'o Failure> {
    let (Protocol::Nntp(_), Err(NoPage::Stopped(stop))) = (request.url.protocol(), outcome) else {
        return None;
    };
    match &**stop {
        Stop::Failed(failure) if failure.cause == FailureCause::Server => {
            Some(failure).filter(|failure| failure.kind == kind)
        }
        Stop::Failed(_) | Stop::Needs(_) | Stop::Truncated(_) | Stop::Closed => None,
    }
}

impl UrlJob for FetchPage {
    type Outcome = Fetched;

    fn run<'a>(self, net: &'a Net, request: &'a Request) -> BoxFuture<'a, Self::Outcome> {
        async move {
            let fetched = self.fetch(net, request).await;
            if news_failure(request, &fetched, FailureKind::Transient).is_none() {
                return fetched;
            }
            // The connection was lost with all that was under way on it.
            self.fetch(net, request).await
        }
        .boxed()
    }

    fn missing_answer(outcome: &Self::Outcome) -> Option<&str> {
        match outcome {
            Err(NoPage::Stopped(stop)) => match &**stop {
                Stop::Failed(failure) if failure.cause == FailureCause::Silence => {
                    Some(&failure.sentence)
                }
                Stop::Failed(failure) if failure.kind == FailureKind::Unreachable => {
                    Some(&failure.sentence)
                }
                Stop::Failed(_) | Stop::Needs(_) | Stop::Truncated(_) | Stop::Closed => None,
            },
            Err(NoPage::Skipped(LinkStatus::Unreachable(words))) => Some(words),
            Ok(_) | Err(_) => None,
        }
    }

    fn lacks_connection(request: &Request, outcome: &Self::Outcome) -> Option<String> {
        let failure = news_failure(request, outcome, FailureKind::Busy)?;
        let said = failure.said.first();
        Some(said.map_or_else(|| failure.sentence.clone(), ToString::to_string))
    }

    fn failed(status: LinkStatus) -> Self::Outcome {
        Err(NoPage::Skipped(status))
    }
}

impl SyncRun<'_> {
    /// Fetches and stores these pages.
    pub(super) async fn fetch_pages(
        &mut self,
        reports: &mut [SourceReport],
        wanted: Vec<WantedPage>,
        (place, links): (Place, Links),
        found: &mut Found,
    ) {
        let mut requests: Vec<Request> = wanted.iter().map(|page| page.request.clone()).collect();
        announce_articles(requests.iter_mut());
        let mut pages: Vec<Option<WantedPage>> = wanted.into_iter().map(Some).collect();
        let job = FetchPage {
            budget: Arc::clone(&self.budget),
            page_use: match links {
                Links::Look => PageUse::Look,
                Links::Ignore | Links::Return | Links::ReturnOfNew => PageUse::Store,
            },
        };
        let mut outcomes = JobOutcomes::start(job, self.net, &requests, self.options.limits);
        while self.end().is_none() && pages.iter().any(Option::is_some) {
            let limit = self.options.source_time;
            let deadline = reports.iter().filter_map(|report| report.deadline(limit));
            let deadline = deadline.min();
            let outcome = tokio::select! {
                biased;
                outcome = outcomes.next() => outcome,
                () = until(deadline) => {
                    self.leave_late(reports, &mut pages, links);
                    continue;
                }
            };
            let Some((number, outcome)) = outcome else {
                break;
            };
            if let Some(page) = pages.get_mut(number).and_then(Option::take) {
                self.take(reports, page, outcome, (place, links), found)
                    .await;
            }
        }
        for page in pages.into_iter().flatten() {
            self.leave(reports, &page, links);
        }
    }

    /// Takes the outcome of a page.
    async fn take(
        &mut self,
        reports: &mut [SourceReport],
        wanted: WantedPage,
        outcome: Result<FetchedPage, NoPage>,
        order: (Place, Links),
        found: &mut Found,
    ) {
        let server = host_key(&wanted.request);
        let key = cache_key(&wanted.request);
        let cause = outcome
            .as_ref()
            .map_or_else(NoPage::cause, |_| Some(FailureCause::Server));
        if let (Some(key), Some(FailureCause::Server | FailureCause::Silence)) = (&key, cause) {
            self.state.note_asked(key, Timestamp::now());
        }
        if let Some((server, host)) = &server {
            self.hosts.note((server, host), cause);
        }
        let (_, host) = server.unwrap_or_default();
        match outcome {
            Ok(mut page) => {
                if key.is_none() {
                    page.unstored = Some("it is never written to disk");
                }
                if let Some(report) = reports.get_mut(wanted.source)
                    && !is_here(&wanted.request.url)
                {
                    report.bytes += page.len();
                }
                let key = key.unwrap_or_else(|| wanted.request.url.clone());
                if let Some(to) = copies::new_redirect(&page, &wanted.request) {
                    self.hosts.redirect(&to, &host);
                    let held = HeldPage {
                        to,
                        key,
                        wanted,
                        page,
                    };
                    self.held.push(held);
                    if self.held.iter().map(|held| held.page.len()).sum::<u64>() > MAX_HELD {
                        self.store_held(reports, order, found).await;
                    }
                } else {
                    self.store(reports, (key, wanted), page, order, found).await;
                }
            }
            Err(why) if why.is_left() => self.leave(reports, &wanted, order.1),
            Err(why) if cause == Some(FailureCause::Local) => {
                // What this machine lacks is no fault of the server.
                self.stop(EarlyEnd::Local(why.sentence()));
                self.leave(reports, &wanted, order.1);
            }
            Err(why) => {
                if let (Place::Saved, NoPage::Stopped(stop), Some(key)) = (order.0, &why, &key)
                    && matches!(**stop, Stop::Needs(_))
                {
                    // A bookmark of the same page is a source of its own, and is told, too.
                    self.requested.remove(key);
                }
                self.absent(reports, wanted, &why, (order.1, &host), found);
            }
        }
        if self.hosts.is_network_down() {
            self.stop(EarlyEnd::Offline);
        }
    }

    /// Notes a page that did not come.
    fn absent(
        &mut self,
        reports: &mut [SourceReport],
        wanted: WantedPage,
        why: &NoPage,
        (links, host): (Links, &str),
        found: &mut Found,
    ) {
        let Some(report) = reports.get_mut(wanted.source) else {
            return;
        };
        if links == Links::Look
            && let Some(reason) = file_reason(why)
        {
            found.files.push((wanted, reason));
            // It is settled when it was looked at.
            return;
        }
        match why {
            NoPage::Skipped(LinkStatus::Unreachable(_)) => report.leave_silent(host),
            NoPage::Skipped(LinkStatus::Refused(words)) => report.leave_refused(host, words),
            NoPage::Stopped(_) | NoPage::NotStored(_) | NoPage::Skipped(_) => {
                let before = report.answers_without_page();
                report.note(&wanted.request.url, why);
                // The next start of the day does not ask again for what a server refuses, or asks for.
                let is_answer = !matches!(why, NoPage::Skipped(LinkStatus::NotChecked(_)));
                if links == Links::Look && is_answer && report.answers_without_page() > before {
                    self.tell_look(&wanted.request.url, None);
                }
            }
        }
        self.settle(report, links == Links::Ignore);
    }

    /// Stores a page, and takes its links or its content.
    async fn store(
        &mut self,
        reports: &mut [SourceReport],
        (key, wanted): (Url, WantedPage),
        mut page: FetchedPage,
        (place, links): (Place, Links),
        found: &mut Found,
    ) {
        let is_look = links == Links::Look;
        let room = self.disk_room(page.len());
        if let (Err(end), false) = (&room, is_look) {
            self.stop(end.clone());
        }
        if self.end().is_some() {
            return self.leave(reports, &wanted, links);
        }
        let (cache, unread) = (Arc::clone(&self.cache), Arc::clone(&self.options.unread));
        let (source, title, published) = (wanted.source, wanted.title, wanted.published);
        let (url, is_followed) = (wanted.request.url.clone(), wanted.is_followed);
        let storing = blocking(move || {
            let stored = match page.unstored {
                _ if is_here(&url) => Ok(Stored::Nothing),
                Some(why) => Ok(Stored::Not(NoPage::NotStored(why))),
                None => {
                    let order = (place, room);
                    let page_facts = (key.clone(), title, published);
                    copies::store((&cache, &unread), order, page_facts, &page)
                }
            };
            let is_worse = matches!(stored, Ok(Stored::Worse(_)));
            let is_good = stored.is_ok() && !is_worse;
            let was_unchanged = page.head.is_unchanged;
            page.fill_from(copies::copy(&cache, place, &key));
            // A page of the same version without a copy has no content.
            let has_content = !is_worse && (!was_unchanged || !page.octets.is_empty());
            let content = (is_look && has_content).then(|| {
                let octets = page.octets.concat();
                page_content(octets, &page.head, page.end, url.clone())
            });
            let below = (is_followed && is_good).then(|| own_links_of(page, &url));
            (stored, below, content, key)
        });
        let (stored, below, content, key) = storing.await;
        if let Some(below) = below {
            found.read.insert((source, key));
            let below = below.into_iter().map(|url| (source, url));
            found.links.extend(below);
        }
        let Some(report) = reports.get_mut(source) else {
            return;
        };
        if is_look {
            self.tell_look(&wanted.request.url, content);
        }
        match stored {
            Ok(Stored::New) => report.new += 1,
            Ok(Stored::Same) => report.same += 1,
            Ok(Stored::Nothing) => {}
            Ok(Stored::Not(why) | Stored::Worse(why)) => {
                report.note(&wanted.request.url, &why);
            }
            Err(end) => {
                report.left += 1;
                match (end, place) {
                    // A look needs no room: the other pages are compared, too.
                    (end, _) if is_look => {
                        self.lacks_room.get_or_insert(end);
                    }
                    // What the user keeps has a space of its own.
                    (EarlyEnd::Full, Place::Saved) => self.lacks_saved_room = true,
                    (end, Place::Saved | Place::Synced) => self.stop(end),
                }
            }
        }
        self.settle(report, links == Links::Ignore);
    }

    /// Tells the content of a page that was looked at; `None` if the server has answered without it.
    fn tell_look(&self, url: &Url, content: Option<PageContent>) {
        if let Some(looks) = &self.looks {
            let now = checks::current_second();
            // Without a receiver the states cannot be saved, and the run ends with that error.
            let _ = looks.send(WatchEvent::Fetched(UrlKey::of(url), content, now));
        }
    }

    /// Stores the pages of redirected hosts, unless the network answers for them.
    pub(super) async fn store_held(
        &mut self,
        reports: &mut [SourceReport],
        order: (Place, Links),
        found: &mut Found,
    ) {
        for held in std::mem::take(&mut self.held) {
            if let Some(hosts) = self.hosts.captives(&held.to) {
                if let Some(report) = reports.get_mut(held.wanted.source) {
                    let to = &held.to;
                    let why = format!("this network answers for {hosts} hosts with {to}");
                    let why = NoPage::Skipped(LinkStatus::Unreachable(why));
                    report.note(&held.wanted.request.url, &why);
                }
                self.leave(reports, &held.wanted, order.1);
                continue;
            }
            let page = (held.key, held.wanted);
            self.store(reports, page, held.page, order, found).await;
        }
    }

    /// Returns the links of the copy of a page, by its key and its URL.
    pub(super) async fn links_of_copy(&self, (key, url): (Url, Url), place: Place) -> Vec<Url> {
        let cache = Arc::clone(&self.cache);
        let reading = blocking(move || {
            let copy = copies::copy(&cache, place, &key)?;
            Some(own_links_of(FetchedPage::of_copy(copy), &url))
        });
        reading.await.unwrap_or_default()
    }
}

/// The reason why a file that is followed is not stored.
pub(super) const NO_PAGE: &str = "it is no page: only its changes are followed";

/// Returns the reason why a page that can only be looked at as a file is not stored; `None` for any other.
fn file_reason(why: &NoPage) -> Option<&'static str> {
    match why {
        NoPage::Stopped(stop) => match &**stop {
            Stop::Truncated(1..) => Some("it is longer than a page: only its changes are followed"),
            Stop::Needs(Question::Save { .. }) => Some(NO_PAGE),
            Stop::Failed(_) | Stop::Needs(_) | Stop::Truncated(_) | Stop::Closed => None,
        },
        NoPage::NotStored(reason) => (*reason == GROUPS).then_some(GROUPS),
        NoPage::Skipped(_) => None,
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
fn own_links_of(page: FetchedPage, requested: &Url) -> Vec<Url> {
    let authority = |url: &Url| {
        host_key(&Request::show(url.clone(), Reason::Link(requested.clone())))
            .map(|(authority, _)| authority)
    };
    let own = authority(requested);
    let mut seen = HashSet::new();
    let urls = links_of(page.received(), requested).pages.into_iter();
    urls.filter(|url| {
        url.scheme_name() == requested.scheme_name()
            && authority(url) == own
            && seen.insert(compared_url(url))
    })
    .collect()
}
