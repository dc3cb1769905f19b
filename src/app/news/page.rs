//! The news that a page shows: its server, its group and its article.

use geomys_page::load::{NewsHost, news_host};
use geomys_wire::net::authority;
use rfc1738::{Dialect, Parts, Url};

use crate::app::Page;
use crate::app::news::server::{NewsAuthority, article_of, group_of, range_of};
use crate::app::view::View;

impl Page {
    /// Returns true if the page came from this news server.
    pub(crate) fn is_of(&self, server: &NewsAuthority) -> bool {
        NewsAuthority::of(self).as_ref() == Some(server)
    }

    /// Returns true if the page shows this group of this server, or a range of its articles.
    pub(crate) fn is_group(&self, server: &NewsAuthority, group: &[u8]) -> bool {
        self.group().is_some()
            && self.is_of(server)
            && group_of(&self.url).as_deref() == Some(group)
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

    /// Returns true if the page shows that the server has no article of this number.
    pub(super) fn is_article_missing(&self) -> bool {
        match &self.view {
            View::Failure(view) => {
                let said = view.failure.said.first();
                said.is_some_and(|said| said.as_str().starts_with("423"))
            }
            _ => false,
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
    /// Returns the server that a page of news came from.
    pub(crate) fn of(page: &Page) -> Option<Self> {
        let parts = page.url.base_parts();
        if !parts.is_news() {
            return None;
        }
        if let Some(address) = parts.address() {
            return Some(Self::new(address.node(), address.port()));
        }
        page.request.news_server.as_ref().map(Self::from)
    }
}
