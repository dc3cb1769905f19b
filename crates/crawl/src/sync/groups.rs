//! Subscribed groups as sources of a sync: their overviews as the browser caches them, and the unread articles.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use geomys_load::check::{JobOutcomes, LinkStatus, host_key};
use geomys_load::{
    FailureCause, OverviewFilter, OverviewGoal, OverviewQuery, ReadArticles, Reason, Request,
    cache_key,
};
use geomys_page::document::{ArticleNumbers, Document, Shape};
use geomys_wire::task::blocking;
use geomys_wire::text::{Charset, CharsetSetting, Text};
use jiff::Timestamp;
use rfc1738::Url;

use super::copies;
use super::fetch::{FetchPage, Fetched};
use super::page::{FetchedPage, NoPage, PageUse};
use super::report::{EarlyEnd, SourceReport};
use super::run::{EXCLUDED, Links, Place, SyncRun, WantedPage};
use super::unread::{FollowedGroup, UnreadMarks};
use geomys_store::files::cache::{Cache, PageHeader};

/// Maximum number of unread articles that are fetched of one group in a run, the newest ones; the next run goes on.
const MAX_ARTICLES: usize = 500;

/// Overview of a group, as it is now.
struct Overview {
    /// True if it differs from its copy.
    is_new: bool,
    /// URLs of the unread articles, the newest first.
    unread: Vec<Url>,
}

/// Group whose overview is fetched.
struct OpenGroup<'g> {
    /// Index of its source.
    source: usize,
    url: &'g Url,
    read: &'g Arc<ArticleNumbers>,
}

impl SyncRun<'_> {
    /// Fetches the overviews of groups, and the unread articles that are not here: the newest of each group first.
    pub(super) async fn groups(&mut self, groups: &[FollowedGroup]) -> Vec<SourceReport> {
        let (mut reports, mut open, mut requests) = (Vec::new(), Vec::new(), Vec::new());
        for group in groups {
            let is_here = |url: &&Url| self.cache.has(url);
            let Some(url) = group.urls.iter().find(is_here).or(group.urls.first()) else {
                continue;
            };
            let name = url.group().map(|name| name.octets().into_owned());
            let name = Text::new(&name.unwrap_or_default(), Charset::default());
            let mut report = SourceReport::new("group", name.as_str(), Some(url));
            let (server, host) = self.server_of(url);
            if (self.options.is_excluded)(url) {
                report.note(url, &EXCLUDED);
            } else if self.options.is_dry {
                report.planned += 1;
            } else if self.is_over() {
                report.left += 1;
            } else if self.hosts.is_silent(&server) {
                report.leave_silent(&host);
            } else {
                self.expect(&mut report, 1);
                requests.push(self.overview_request(url, &group.read).await);
                open.push(OpenGroup {
                    source: reports.len(),
                    url,
                    read: &group.read,
                });
            }
            reports.push(report);
        }
        let articles = self.overviews(&mut reports, &open, &requests).await;
        let mut wanted = Vec::new();
        for (source, group, articles) in articles {
            let requests = articles.into_iter().filter_map(|url| {
                let request = self.request(url, Reason::Followed(group.clone()));
                let is_here = cache_key(&request).is_some_and(|key| self.cache.has(&key));
                (!is_here).then_some(request)
            });
            let mut requests: Vec<_> = requests.collect();
            if let Some(report) = reports.get_mut(source) {
                report.left += requests.len().saturating_sub(MAX_ARTICLES);
            }
            requests.truncate(MAX_ARTICLES);
            let pages = requests.into_iter();
            wanted.extend(pages.map(|request| WantedPage::new(source, request)));
        }
        self.fetch(&mut reports, wanted, (Place::Synced, Links::Ignore))
            .await;
        reports
    }

    /// Returns the `host:port` and the host of the server of a group.
    fn server_of(&self, url: &Url) -> (String, String) {
        let request = self.request(url.clone(), Reason::Bookmark);
        host_key(&request).unwrap_or_default()
    }

    /// Returns the request for what is new of an overview.
    async fn overview_request(&self, url: &Url, read: &Arc<ArticleNumbers>) -> Request {
        let (cache, key) = (Arc::clone(&self.cache), url.clone());
        let reading = blocking(move || StoredOverview::read(&cache, &key));
        let stored = reading.await.unwrap_or_default();
        let mut request = self.request(url.clone(), Reason::Bookmark);
        let mut query = OverviewQuery {
            goal: OverviewGoal::Open,
            read: ReadArticles::Known(Arc::clone(read)),
            known: None,
            highest: None,
        };
        query.set_known(stored.covered);
        request.news_query.overview = Some(query);
        request
    }

    /// Fetches overviews, one after another on a connection to each server. Returns the unread articles of each group
    /// with its source.
    async fn overviews<'g>(
        &mut self,
        reports: &mut [SourceReport],
        open: &[OpenGroup<'g>],
        requests: &[Request],
    ) -> Vec<(usize, &'g Url, Vec<Url>)> {
        let job = FetchPage {
            budget: Arc::clone(&self.budget),
            page_use: PageUse::Store,
        };
        let mut outcomes = JobOutcomes::start(job, self.net, requests, self.options.limits);
        let mut found = Vec::new();
        let mut left: BTreeSet<usize> = (0..open.len()).collect();
        while self.end().is_none()
            && let Some((number, outcome)) = outcomes.next().await
        {
            left.remove(&number);
            let Some(group) = open.get(number) else {
                continue;
            };
            let articles = self.take_overview(reports, group, outcome).await;
            found.push((group.source, group.url, articles));
        }
        for group in left.into_iter().filter_map(|number| open.get(number)) {
            if let Some(report) = reports.get_mut(group.source) {
                report.left += 1;
                self.settle(report, false);
            }
        }
        found.sort_by_key(|(source, ..)| *source);
        found
    }

    /// Takes the answer to a request for an overview, and stores it with what is here. Returns the unread articles.
    async fn take_overview(
        &mut self,
        reports: &mut [SourceReport],
        group: &OpenGroup<'_>,
        outcome: Fetched,
    ) -> Vec<Url> {
        let OpenGroup { source, url, read } = *group;
        let (server, host) = self.server_of(url);
        let Some(report) = reports.get_mut(source) else {
            return Vec::new();
        };
        let cause = outcome
            .as_ref()
            .map_or_else(NoPage::cause, |_| Some(FailureCause::Server));
        self.hosts.note((&server, &host), cause);
        let mut articles = Vec::new();
        match outcome {
            Ok(page) => {
                report.bytes += page.len();
                self.check_disk(page.len());
                if self.end().is_some() {
                    report.left += 1;
                } else {
                    articles = self.store_overview(report, (url, read), page).await;
                }
            }
            Err(NoPage::Skipped(LinkStatus::Unreachable(_))) => report.leave_silent(&host),
            Err(NoPage::Skipped(LinkStatus::Refused(words))) => report.leave_refused(&host, &words),
            Err(why) if cause == Some(FailureCause::Local) => {
                report.left += 1;
                self.stop(EarlyEnd::Local(why.sentence()));
            }
            Err(why) => {
                report.note(url, &why);
            }
        }
        if self.hosts.is_network_down() {
            self.stop(EarlyEnd::Offline);
        }
        self.settle(report, false);
        articles
    }

    async fn store_overview(
        &mut self,
        report: &mut SourceReport,
        (url, read): (&Url, &Arc<ArticleNumbers>),
        page: FetchedPage,
    ) -> Vec<Url> {
        let (cache, read) = (Arc::clone(&self.cache), Arc::clone(read));
        let marks = Arc::clone(&self.options.unread);
        let oldest = self.cache.max_age();
        let oldest = oldest.and_then(|age| Timestamp::now().checked_sub(age).ok());
        let key = url.clone();
        let storing = blocking(move || {
            let stored = StoredOverview::read(&cache, &key).unwrap_or_default();
            stored.merge((&cache, &marks), key, &page, (read, oldest))
        });
        match storing.await {
            Ok(Overview { is_new, unread }) => {
                if is_new {
                    report.new += 1;
                } else {
                    report.same += 1;
                }
                unread
            }
            Err(error) => {
                report.left += 1;
                self.stop(EarlyEnd::of(&error));
                Vec::new()
            }
        }
    }
}

/// Overview that is here.
#[derive(Default)]
struct StoredOverview {
    octets: Vec<u8>,
    covered: ArticleNumbers,
}

impl StoredOverview {
    /// Reads the overview of a group. Blocks.
    fn read(cache: &Cache, url: &Url) -> io::Result<Self> {
        let Some(mut page) = cache.page(url) else {
            return Ok(Self::default());
        };
        let mut octets = Vec::new();
        while let Some(block) = page.octets()? {
            octets.extend(block);
        }
        let covered = page.head.covered;
        Ok(Self { octets, covered })
    }

    /// Stores the lines that came with those that are here and that the server still has, and lists the unread articles
    /// of it that are not older than a time. Blocks.
    fn merge(
        self,
        (cache, marks): (&Cache, &UnreadMarks),
        url: Url,
        page: &FetchedPage,
        (read, oldest): (Arc<ArticleNumbers>, Option<Timestamp>),
    ) -> io::Result<Overview> {
        let known = &page.head.known;
        let bounds = known.ranges().next().zip(known.highest());
        let mut octets = match bounds {
            Some(((first, _), last)) => OverviewFilter::new(first, last).filter(self.octets),
            None => Vec::new(),
        };
        if !octets.is_empty() && !octets.ends_with(b"\n") {
            octets.extend(b"\r\n");
        }
        octets.extend(page.octets.concat());
        let mut covered = known.clone();
        covered.insert_all(&page.covered);
        let is_new = covered != self.covered;
        let mut document = Document::new(url.clone(), Shape::Group, CharsetSetting::default());
        document.set_read(Arc::clone(&read));
        document.append(&octets);
        let mut unread = Vec::new();
        let mut numbers = covered.without(&read);
        while let Some(number) = numbers.highest() {
            numbers.remove(number, number);
            // A number without an article has no line.
            let Some(article) = document.numbered_article(number) else {
                continue;
            };
            let time = document.article_time(article.line);
            let is_old = time.zip(oldest).is_some_and(|(time, oldest)| time < oldest);
            let link = document.article_link(article.line).filter(|_| !is_old);
            unread.extend(link.and_then(|link| link.target.ok()));
        }
        if is_new && cache.synced().is_some() {
            let header = PageHeader {
                covered,
                ..page.header(url, None)
            };
            let octets = std::iter::once(octets.as_slice());
            copies::store_synced((cache, marks), &header, octets)?;
        }
        Ok(Overview { is_new, unread })
    }
}
