//! The overview of a group on a page: the part that has arrived, and the requests for more of it.

use std::sync::Arc;

use geomys_page::document::ArticleNumbers;
use geomys_page::load::{
    CacheUse, OverviewGoal, OverviewQuery, Purpose, ReadArticles, Request, cache_key, news_host,
};

use crate::app::action::Action;
use crate::app::motion::{Edge, Motion};
use crate::app::news::message::WantedArticle;
use crate::app::news::server::NewsAuthority;
use crate::app::news::{article_of, group_of, range_of};
use crate::app::requester::NextStep;
use crate::app::transfers::Progress;
use crate::app::view::View;
use crate::app::view::context::State;
use crate::app::{Context, Credentials, Effect, News, Page, Settings, Tabs, TabsCommand};

impl Page {
    /// Returns the numbers of the articles of the group that have not arrived.
    pub(super) fn missing_articles(&self) -> ArticleNumbers {
        let missing = self.group().map(|group| group.overview.missing());
        missing.unwrap_or_default()
    }

    /// Returns true if more articles of the group can be requested now.
    fn can_load_more(&self) -> bool {
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
        let host = news_host(url, request.news_server.as_ref());
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
        request.overview = Some(OverviewQuery {
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

impl Tabs {
    /// Requests more articles of an open group.
    pub(crate) fn load_articles(
        &mut self,
        server: &NewsAuthority,
        group: &[u8],
        goal: OverviewGoal,
        (news, credentials): (&News, &Credentials),
        cx: &mut Context,
    ) {
        let Some(marks) = news.marks(server) else {
            return cx.notify("read marks are still loading");
        };
        let read = ReadArticles::Known(marks.read(group));
        let load = cx.next_load();
        let is_group = |page: &Page| page.is_whole_group(server, group) && page.can_load_more();
        let Some(page) = self.find_page(is_group) else {
            return;
        };
        let View::Group(group) = &mut page.view else {
            return;
        };
        let mut request = Request {
            news_server: page.request.news_server.clone(),
            overview: Some(OverviewQuery {
                goal,
                read,
                known: Some(Arc::new(group.overview.covered.clone())),
            }),
            ..Request::show(page.url.clone())
        };
        page.cache_key = cache_key(&request).filter(|_| cx.settings.history.includes(&request.url));
        group.overview.is_update = true;
        page.state = State::Arriving(Progress::new(load, None, cx.now));
        credentials.apply_defaults(&mut request, &cx.settings);
        cx.emit(Effect::Load(load, request));
    }

    /// Requests the articles that an open group needs for its next step, which follows when they are there.
    pub(crate) fn wait_for_articles(
        &mut self,
        wanted: WantedArticle,
        goal: OverviewGoal,
        cx: &mut Context,
    ) {
        let (server, group) = (wanted.server.clone(), wanted.group.clone());
        let is_group = |page: &Page| page.is_whole_group(&server, &group) && page.can_load_more();
        let Some(page) = self.find_page(is_group) else {
            return;
        };
        page.next_step = Some(NextStep::Select(wanted));
        let command = TabsCommand::LoadArticles(server, group, goal);
        cx.command(command);
    }

    /// Requests older articles of the shown group.
    pub(crate) fn load_older(&self, cx: &mut Context) {
        let is_begun = |page: &&Page| page.group().is_some_and(|group| group.overview.is_begun());
        let Some(page) = self.page().filter(is_begun) else {
            return cx.notify("not a group of a news server");
        };
        if page.missing_articles().is_empty() {
            return cx.notify("All articles are loaded");
        }
        if page.cached.is_some() {
            let again = cx.key_of(Action::Reload);
            return cx.notify(&format!("From the cache ({again} reload from the server)"));
        }
        let (Some(server), Some(group)) = (NewsAuthority::of(page), group_of(&page.url)) else {
            return;
        };
        let command = TabsCommand::LoadArticles(server, group, OverviewGoal::Older);
        cx.command(command);
    }

    /// Requests older articles when the cursor was moved down at the end of a group.
    pub(crate) fn load_older_at_end(&self, motion: Motion, cx: &mut Context) {
        let is_down = match motion {
            Motion::Rows(rows) => rows > 0,
            Motion::Screens(screens, _) => screens > 0,
            Motion::Edge(edge) => edge == Edge::Bottom,
        };
        let is_end = self.page().is_some_and(|page| {
            let document = page.document();
            page.can_load_more()
                && !page.missing_articles().is_empty()
                && page.cursor() + 1 >= page.count()
                && document.is_some_and(|document| document.filter_summary().is_none())
        });
        if is_down && is_end {
            self.load_older(cx);
        }
    }
}
