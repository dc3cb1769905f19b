//! The next unread article, which is fetched while one is read: the next key shows it at once.

use geomys_load::{LoadId, Part, Request};
use rfc1738::Url;

use crate::news::article_of;
use crate::news::next_unread::{ArticleContext, CurrentArticle};
use crate::view::View;
use crate::view::context::State;
use crate::{Context, Credentials, Effect, Page, Tabs};

/// The most octets of an article that is fetched ahead.
const MAX_BYTES: usize = 1 << 20;

/// The article that is fetched while one is read, if there is one.
#[derive(Debug, Default)]
pub(crate) struct FetchAhead {
    article: Option<ArticleAhead>,
}

/// An article that is fetched ahead.
#[derive(Debug)]
struct ArticleAhead {
    load: LoadId,
    /// The URL of the article that is read meanwhile.
    read: Url,
    request: Request,
    /// The parts that have arrived.
    parts: Vec<Part>,
    /// The octets in these parts.
    bytes: usize,
    is_complete: bool,
}

impl ArticleAhead {
    fn is_for(&self, request: &Request) -> bool {
        is_same_article(&self.request, request)
    }
}

/// Returns true if two requests get the same article in the same way: the second one waits for the first.
pub(crate) fn is_same_article(one: &Request, other: &Request) -> bool {
    article_of(&one.url).is_some()
        && one.url == other.url
        && one.news_query.server == other.news_query.server
        && one.purpose == other.purpose
        && one.cache_use == other.cache_use
        && one.login == other.login
        && one.consents.plain_login == other.consents.plain_login
}

impl FetchAhead {
    /// Returns true if a load fetches an article ahead.
    pub(crate) fn is_fetching_ahead(&self, load: LoadId) -> bool {
        let article = self.article.as_ref();
        article.is_some_and(|article| article.load == load)
    }

    /// Fetches the unread article that follows the shown one, when that is complete and its group is loaded.
    pub(super) fn fetch_ahead(
        &mut self,
        url: &Url,
        tabs: &Tabs,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        let is_read = |page: &Page| {
            page.url == *url
                && page.state == State::Whole
                && page.cached.is_none()
                && matches!(page.view, View::Article(_))
        };
        if cx.settings.offline || tabs.page().is_none_or(|page| !is_read(page)) {
            return;
        }
        let Some(mut request) = next_request(tabs) else {
            return;
        };
        credentials.apply_defaults(&mut request, &cx.settings);
        let article = self.article.as_ref();
        if article.is_some_and(|article| article.is_for(&request)) {
            return;
        }
        self.drop_ahead(cx);
        let load = cx.next_load();
        self.article = Some(ArticleAhead {
            load,
            read: url.clone(),
            request: request.clone(),
            parts: Vec::new(),
            bytes: 0,
            is_complete: false,
        });
        cx.emit(Effect::Load(load, request));
    }

    /// Stores a part of an article that is fetched ahead. After an error nothing is stored: the key that opens the
    /// article loads it, and gets the error.
    pub(crate) fn ahead_part(&mut self, part: Part, cx: &mut Context) {
        let Some(ahead) = &mut self.article else {
            return;
        };
        match &part {
            Part::Octets(octets) => ahead.bytes += octets.len(),
            Part::End(end) => {
                ahead.is_complete = true;
                if end.is_err() {
                    self.article = None;
                    return;
                }
            }
            _ => {}
        }
        if ahead.bytes > MAX_BYTES {
            return self.drop_ahead(cx);
        }
        ahead.parts.push(part);
    }

    /// Returns the load that has fetched the article of this request, or is fetching it, and its parts up to now.
    pub(crate) fn take_ahead(&mut self, request: &Request) -> Option<(LoadId, Vec<Part>)> {
        let ahead = self.article.take_if(|ahead| ahead.is_for(request))?;
        Some((ahead.load, ahead.parts))
    }

    /// Cancels the load of an article ahead when the reader has left the article before it, or is about to.
    pub(crate) fn cancel_left_ahead(&mut self, tabs: &Tabs, cx: &mut Context) {
        let running = self.article.as_ref().filter(|ahead| !ahead.is_complete);
        if running.is_some_and(|ahead| !tabs.stay_on(&ahead.read)) {
            self.drop_ahead(cx);
        }
    }

    fn drop_ahead(&mut self, cx: &mut Context) {
        let dropped = self.article.take().filter(|ahead| !ahead.is_complete);
        cx.cancel(dropped.map(|ahead| ahead.load));
    }
}

/// The request for the unread article after the shown one.
fn next_request(tabs: &Tabs) -> Option<Request> {
    let shown = CurrentArticle::of(tabs)?;
    let page = tabs.group_page(&shown.server, &shown.group)?;
    let document = page.own_document()?;
    if shown.context != ArticleContext::Article || page.state != State::Whole {
        return None;
    }
    let here = document.numbered_article(shown.number)?;
    let next = document.unread_from(Some(here.line)).next()?;
    let link = document.article_link(next.line)?;
    let url = link.target.ok()?;
    (next.line != here.line).then(|| tabs.request_from_page(url))
}
