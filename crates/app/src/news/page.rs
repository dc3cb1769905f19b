//! The news that a page shows: its server, its group and its article; and the part of its overview that has arrived.

use std::sync::Arc;

use geomys_load::{
    CacheUse, NewsHost, OverviewGoal, OverviewQuery, Purpose, ReadArticles, Request, news_host,
};
use geomys_page::document::ArticleNumbers;
use geomys_wire::net::authority;
use rfc1738::{Dialect, Parts, Url};

use crate::news::server::{NewsAuthority, article_of, group_of, range_of};
use crate::view::View;
use crate::{News, Page, Settings};

impl Page {
    /// Returns true if the page came from this news server.
    pub(crate) fn is_of(&self, server: &NewsAuthority) -> bool {
        NewsAuthority::of(self).as_ref() == Some(server)
    }

    /// Returns true if the page shows this group of this server, or a range of its articles.
    pub(crate) fn is_group(&self, server: &NewsAuthority, group: &[u8]) -> bool {
        self.group().is_some() && self.is_of(server) && self.group_name().as_deref() == Some(group)
    }

    /// Returns true if the page shows this complete group of this server.
    pub(crate) fn is_whole_group(&self, server: &NewsAuthority, group: &[u8]) -> bool {
        self.is_group(server, group) && range_of(&self.url).is_none()
    }

    /// Returns true if the page shows an article, or the failure of an article.
    pub(crate) fn is_article(&self) -> bool {
        match &self.view {
            View::Failure(_) => article_of(&self.url).is_some(),
            view => matches!(view, View::Article(_)),
        }
    }

    /// Returns the server that the `news:` links of the page lead to: the one that the page came from.
    pub(crate) fn news_host(&self) -> Option<NewsHost> {
        let server = self.request.news_server.as_ref();
        if self.url.base_parts().is_news() {
            news_host(&self.url, server)
        } else {
            server.cloned()
        }
    }

    /// Returns a URL on the server of the page; its own, unless that is a `news:` URL, which names no server.
    pub(crate) fn origin(&self) -> Url {
        let is_unnamed = matches!(self.url.base_parts(), Parts::News(_));
        let server = self.news_host().filter(|_| is_unnamed);
        let on_server = server.and_then(|server| {
            let authority = authority(&server.host, server.port);
            Dialect::Extended
                .parse(&format!("nntp://{authority}/a"))
                .ok()
        });
        on_server.unwrap_or_else(|| self.url.clone())
    }
}

impl NewsAuthority {
    /// Returns the server that a page of news came from, or the keeper of the marks of a mailbox.
    pub(crate) fn of(page: &Page) -> Option<Self> {
        if !page.url.base_parts().is_news() {
            return page.group_name().map(|_| Self::mailboxes());
        }
        let server = page.request.news_server.as_ref();
        Self::of_url(&page.url).or_else(|| server.map(Self::from))
    }
}

impl Page {
    /// Returns the group that the page shows, or the group of its article.
    pub(crate) fn group_name(&self) -> Option<Vec<u8>> {
        if self.url.base_parts().is_news() {
            return group_of(&self.url);
        }
        match &self.view {
            View::Group(_) => Some(mailbox(self.url.as_str())),
            _ => Some(self.article_number()?.0),
        }
    }

    /// Returns the group of the article that the page shows, and its number there, by the URL.
    pub(crate) fn article_number(&self) -> Option<(Vec<u8>, u64)> {
        if self.url.base_parts().is_news() {
            return article_of(&self.url);
        }
        let is_article = matches!(self.view, View::Article(_));
        let (group, number) = self.url.as_str().rsplit_once(['/', '#'])?;
        let is_number = is_article && number.bytes().all(|octet| octet.is_ascii_digit());
        let number = is_number.then(|| number.parse().ok())?;
        Some((mailbox(group), number?))
    }
}

/// Returns the name of a mailbox by its URL, which ends with a slash if the mailbox is a file or a directory here.
fn mailbox(url: &str) -> Vec<u8> {
    url.trim_end_matches('/').as_bytes().to_vec()
}

impl Page {
    /// Returns the numbers of the articles of the group that have not arrived.
    pub(crate) fn missing_articles(&self) -> ArticleNumbers {
        let missing = self.group().map(|group| group.overview.missing());
        missing.unwrap_or_default()
    }

    /// Returns the number of unread articles of the group, and of all articles that have arrived or are unread. For
    /// those that have not arrived, the range of the server counts.
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
        let state = self.server(&server);
        let counted = state.and_then(|state| state.counts.highest(&group));
        // A page is opened with what is cached, and reloaded without.
        let goal = match request.cache_use {
            CacheUse::BeforeRequest | CacheUse::Always(_) => OverviewGoal::Open,
            CacheUse::IfUnreachable => OverviewGoal::Reload,
        };
        request.news_query.overview = Some(OverviewQuery {
            goal,
            read,
            known: None,
            highest: counted,
        });
    }

    /// Returns true if articles of a group that are not on its page are unread.
    pub(crate) fn has_more_unread(&self, page: &Page) -> bool {
        let read = NewsAuthority::of(page)
            .zip(page.group_name())
            .and_then(|(server, group)| Some(self.marks(&server)?.read(&group)));
        let Some(read) = read.filter(|_| page.cached.is_none()) else {
            return false;
        };
        let mut missing = page.missing_articles();
        missing.remove_all(&read);
        !missing.is_empty()
    }
}
