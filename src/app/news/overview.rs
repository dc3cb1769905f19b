//! The overview of a group on a page: the part that has arrived, and the requests for more of it.

use std::sync::Arc;

use geomys_page::document::ArticleNumbers;
use geomys_page::load::{
    CacheUse, OverviewGoal, OverviewQuery, Purpose, ReadArticles, Request, news_host,
};

use crate::app::news::server::NewsAuthority;
use crate::app::news::{article_of, group_of, range_of};
use crate::app::{News, Page, Settings};

impl Page {
    /// Returns the numbers of the articles of the group that have not arrived.
    pub(crate) fn missing_articles(&self) -> ArticleNumbers {
        let missing = self.group().map(|group| group.overview.missing());
        missing.unwrap_or_default()
    }

    /// Returns the number of unread articles of the group, and of all articles that have arrived or are unread. For those
    /// that have not arrived, the range of the server counts.
    pub fn unread(&self) -> Option<(usize, usize)> {
        let document = self.document()?;
        let (unread, of) = document.unread()?;
        let missing = document.unread_of(self.missing_articles());
        let missing = usize::try_from(missing).unwrap_or(usize::MAX);
        Some((unread.saturating_add(missing), of.saturating_add(missing)))
    }

    /// Returns true if more articles of the group can be requested now.
    pub(crate) fn can_load_more(&self) -> bool {
        !self.state.is_arriving()
            && self.cached.is_none()
            && self.group().is_some_and(|group| {
                let rows = &group.rows;
                group.overview.is_begun() && rows.finishing.is_none() && rows.rendered.is_none()
            })
    }
}

impl News {
    /// Sets the read articles in a request for a group: its unread articles are requested first.
    pub(crate) fn apply_marks(&self, request: &mut Request, settings: &Settings) {
        let url = &request.url;
        let is_part = article_of(url).is_some() || range_of(url).is_some();
        let group = group_of(url).filter(|_| !is_part && request.purpose == Purpose::Show);
        let host = news_host(url, request.news_query.server.as_ref());
        let Some((group, host)) = group.zip(host) else {
            return;
        };
        let server = NewsAuthority::from(&host);
        let read = match (self.marks(&server), settings.newsrcs.path(&server)) {
            (Some(marks), _) => ReadArticles::Known(marks.read(&group)),
            (None, Some(path)) => ReadArticles::File(path),
            (None, None) => ReadArticles::Known(Arc::default()),
        };
        // A page is opened with what is cached, and reloaded without.
        let goal = match request.cache_use {
            CacheUse::BeforeRequest | CacheUse::Always(_) => OverviewGoal::Open,
            CacheUse::IfUnreachable => OverviewGoal::Reload,
        };
        request.news_query.overview = Some(OverviewQuery {
            goal,
            read,
            known: None,
        });
    }

    /// Returns true if articles of a group that are not on its page are unread.
    pub(crate) fn has_more_unread(&self, page: &Page) -> bool {
        let read = NewsAuthority::of(page)
            .zip(group_of(&page.url))
            .and_then(|(server, group)| Some(self.marks(&server)?.read(&group)));
        let Some(read) = read.filter(|_| page.cached.is_none()) else {
            return false;
        };
        let mut missing = page.missing_articles();
        missing.remove_all(&read);
        !missing.is_empty()
    }
}
