//! Subscribed groups as sources of a sync: their overviews as the browser caches them, and the unread articles.

use std::io;
use std::sync::Arc;

use geomys_page::document::{ArticleNumbers, Document, Shape};
use geomys_page::load::{
    OverviewFilter, OverviewGoal, OverviewQuery, ReadArticles, Reason, Stop, cache_key,
};
use geomys_wire::task::blocking;
use geomys_wire::text::{Charset, CharsetSetting, Text};
use jiff::Timestamp;
use rfc1738::Url;
use tokio::time::timeout;

use super::page::FetchedPage;
use super::report::{EarlyEnd, SourceReport};
use super::run::{EXCLUDED, Links, PATIENCE, Place, SyncRun, WantedPage};
use crate::files::cache::{Cache, PageHeader};

/// Maximum number of unread articles that are fetched of one group, the newest ones.
const MAX_ARTICLES: usize = 500;

/// Group to which the user has subscribed.
#[derive(Clone, Debug)]
pub struct FollowedGroup {
    /// URLs under which its overview may be cached: the first is requested if none is.
    pub urls: Vec<Url>,
    /// Numbers of the read articles.
    pub read: Arc<ArticleNumbers>,
}

/// Overview of a group, as it is now.
struct Overview {
    /// True if it differs from its copy.
    is_new: bool,
    /// URLs of the unread articles, the newest first.
    unread: Vec<Url>,
}

impl SyncRun<'_> {
    /// Fetches the overviews of groups, and the unread articles that are not here: the newest of each group first.
    pub(super) async fn groups(&mut self, groups: &[FollowedGroup]) -> Vec<SourceReport> {
        let (mut reports, mut wanted) = (Vec::new(), Vec::new());
        for group in groups {
            let is_here = |url: &&Url| self.cache.has(url);
            let Some(url) = group.urls.iter().find(is_here).or(group.urls.first()) else {
                continue;
            };
            let name = url.group().map(|name| name.octets().into_owned());
            let name = Text::new(&name.unwrap_or_default(), Charset::default());
            let mut report = SourceReport::new("group", name.as_str(), Some(url));
            if !self.includes(&report) {
                continue;
            }
            if (self.options.is_excluded)(url) {
                report.note(url, &EXCLUDED);
            } else if self.options.is_dry {
                report.planned += 1;
            } else if self.end().is_some() {
                report.left += 1;
            } else {
                self.expect(&mut report, 1);
                let articles = self.overview(url, group, &mut report).await;
                self.settle(&mut report, false);
                let ranked = articles.into_iter().enumerate();
                wanted.extend(ranked.map(|(rank, article)| (rank, reports.len(), url, article)));
            }
            reports.push(report);
        }
        wanted.sort_by_key(|(rank, source, ..)| (*rank, *source));
        let wanted = wanted.into_iter().filter_map(|(_, source, group, url)| {
            let request = (self.options.request)(url, Reason::Followed(group.clone()));
            let is_here = cache_key(&request).is_some_and(|key| self.cache.has(&key));
            (!is_here).then_some(WantedPage {
                source,
                request,
                title: None,
            })
        });
        let wanted = wanted.collect();
        self.fetch(&mut reports, wanted, (Place::Synced, Links::Ignore))
            .await;
        reports
    }

    /// Fetches what is new of an overview, and stores it with what is here. Returns the unread articles.
    async fn overview(
        &mut self,
        url: &Url,
        group: &FollowedGroup,
        report: &mut SourceReport,
    ) -> Vec<Url> {
        let (cache, key) = (Arc::clone(&self.cache), url.clone());
        let reading = blocking(move || StoredOverview::read(&cache, &key));
        let stored = reading.await.unwrap_or_default();
        let mut request = (self.options.request)(url.clone(), Reason::Bookmark);
        let mut query = OverviewQuery {
            goal: OverviewGoal::Open,
            read: ReadArticles::Known(Arc::clone(&group.read)),
            known: None,
        };
        query.set_known(stored.covered.clone());
        request.news_query.overview = Some(query);
        let fetching = FetchedPage::fetch(self.net, request, PATIENCE);
        let fetched = timeout(self.options.source_time, fetching).await;
        let page = match fetched.unwrap_or_else(|_| Err(Stop::Closed.into())) {
            Ok(page) => page,
            Err(why) => {
                let is_unreachable = report.note(url, &why);
                let host = url
                    .base_parts()
                    .address()
                    .map(|address| address.text.to_owned());
                self.note_absence(host.unwrap_or_default(), is_unreachable);
                return Vec::new();
            }
        };
        report.bytes += page.len();
        self.spend(page.len());
        self.check_disk(page.len());
        if matches!(self.end(), Some(EarlyEnd::DiskFull)) {
            report.left += 1;
            return Vec::new();
        }
        let (cache, read) = (Arc::clone(&self.cache), Arc::clone(&group.read));
        let oldest = self.cache.max_age();
        let oldest = oldest.and_then(|age| Timestamp::now().checked_sub(age).ok());
        let key = url.clone();
        let storing = blocking(move || stored.merge(&cache, key, &page, (read, oldest)));
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

    /// Stores the lines that came with those that are here and that the server still has, and lists the unread articles of it that
    /// are not older than a time. Blocks.
    fn merge(
        self,
        cache: &Cache,
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
        while let Some(number) = numbers.highest().filter(|_| unread.len() < MAX_ARTICLES) {
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
        if let Some(pages) = cache.synced().filter(|_| is_new) {
            let header = PageHeader {
                covered,
                ..page.header(url, None)
            };
            pages.store(
                &header,
                Timestamp::now(),
                std::iter::once(octets.as_slice()),
            )?;
        }
        Ok(Overview { is_new, unread })
    }
}
