//! The overview of a group on a page: the part that has arrived, and the requests for more of it.

use std::sync::Arc;

use crate::app::action::Action;
use crate::app::command::TabsCommand;
use crate::app::motion::{Edge, Motion};
use crate::app::news::next_unread::WantedArticle;
use crate::app::news::{NewsAuthority, article_of, group_of, range_of};
use crate::app::requester::NextStep;
use crate::app::tabs::page::{Page, Progress, State};
use crate::app::{Command, Context, Credentials, Effect, News, Settings, Tabs};
use crate::document::{ArticleNumbers, Document, Shape};
use crate::load::{
    CacheUse, OverviewGoal, OverviewQuery, PageHead, Purpose, ReadArticles, Request, cache_key,
    news_host,
};

/// The part of a group's overview that a page has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupOverview {
    /// The numbers of the articles that the server has, as far as they exist.
    span: ArticleNumbers,
    /// The numbers of those that have arrived.
    pub(crate) covered: ArticleNumbers,
    /// The numbers of the cached articles, and of those that have not been read from the cache yet.
    cached: ArticleNumbers,
    pending: ArticleNumbers,
    /// True while more articles are loaded for a page that was complete.
    pub(crate) is_update: bool,
}

impl GroupOverview {
    /// Creates the state of an overview that begins to arrive.
    pub(crate) fn new(head: &PageHead) -> Self {
        Self {
            span: span(head),
            cached: head.known.clone(),
            pending: head.known.clone(),
            ..Self::default()
        }
    }

    /// Takes the numbers of the articles that the server has now.
    pub(crate) fn update(&mut self, head: &PageHead) {
        self.span = span(head);
    }

    /// Takes the articles with these numbers as arrived.
    pub(crate) fn arrived(&mut self, numbers: &ArticleNumbers) {
        self.covered.insert_all(numbers);
        self.pending.remove_all(numbers);
    }

    /// Returns true if the page is a group of a server.
    pub(crate) fn is_begun(&self) -> bool {
        !self.span.is_empty()
    }

    /// Returns true if the part that has arrived is worth caching though it is not complete: all that was cached is in it.
    pub(crate) fn is_worth_caching(&self) -> bool {
        self.pending.is_empty() && !self.covered.is_empty()
    }

    /// Returns true if all that has arrived came from the cache.
    pub(crate) fn is_cached(&self) -> bool {
        !self.covered.is_empty() && self.covered == self.cached
    }

    /// Returns the numbers of the articles that have not arrived.
    pub(crate) fn missing(&self) -> ArticleNumbers {
        let mut missing = self.span.clone();
        missing.remove_all(&self.covered);
        missing
    }

    /// Returns the number of the articles that have not arrived, about.
    pub fn older(&self) -> usize {
        usize::try_from(self.missing().count(1, u64::MAX)).unwrap_or(usize::MAX)
    }
}

/// The numbers of the articles that a server has, by the head of the page.
fn span(head: &PageHead) -> ArticleNumbers {
    match (head.lowest, head.highest) {
        (Some(lowest), Some(highest)) => ArticleNumbers::range(lowest.max(1), highest),
        (_, _) => ArticleNumbers::default(),
    }
}

impl Page {
    /// Appends octets to the document. Rows of an overview that arrives may come above others: the cursor stays on its
    /// article, except at the top of the page.
    pub(crate) fn take_octets(&mut self, octets: Vec<u8>) {
        let Some(document) = self.content.document_mut() else {
            return;
        };
        let is_overview = document.shape() == Shape::Group && document.order().is_none();
        let (cursor, top) = (self.position.cursor, self.position.top.0);
        // The cursor of a reloaded page goes back to its article at the end.
        if !is_overview || cursor == 0 && top == 0 || self.restore.is_some() {
            return document.take(octets);
        }
        let [at_cursor, at_top] = [cursor, top].map(|row| document.origin(row));
        document.take(octets);
        let row = |document: &Document, origin| document.row_of(origin);
        let moved = at_cursor.and_then(|origin| row(document, origin));
        self.position.cursor = moved.unwrap_or(cursor);
        let moved = at_top.and_then(|origin| row(document, origin));
        self.position.top.0 = moved.unwrap_or(top);
    }

    /// Returns true if more articles of the group can be requested now.
    fn can_load_more(&self) -> bool {
        !self.state.is_arriving()
            && self.finishing.is_none()
            && self.rendered.is_none()
            && self.cached.is_none()
            && self.overview.is_begun()
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
            CacheUse::BeforeRequest | CacheUse::Always => OverviewGoal::Open,
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
        let mut missing = page.overview.missing();
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
            return cx.notify("it is not known yet what was read here");
        };
        let read = ReadArticles::Known(marks.read(group));
        let load = cx.next_load();
        let is_group = |page: &Page| page.is_whole_group(server, group) && page.can_load_more();
        let Some(page) = self.find_page(is_group) else {
            return;
        };
        let mut request = Request {
            news_server: page.news_server.clone(),
            overview: Some(OverviewQuery {
                goal,
                read,
                known: Some(Arc::new(page.overview.covered.clone())),
            }),
            ..Request::show(page.url.clone())
        };
        page.cache_key = cache_key(&request);
        page.overview.is_update = true;
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
        cx.command(Command::Tabs(command));
    }

    /// Requests older articles of the shown group.
    pub(crate) fn load_older(&self, cx: &mut Context) {
        let Some(page) = self.page().filter(|page| page.overview.is_begun()) else {
            return cx.notify("this page is no group of a server");
        };
        if page.overview.missing().is_empty() {
            return cx.notify("All articles of the group are here");
        }
        if page.cached.is_some() {
            let again = cx.key_of(Action::Reload);
            return cx.notify(&format!(
                "This page comes from the cache: {again} asks the server"
            ));
        }
        let (Some(server), Some(group)) = (NewsAuthority::of(page), group_of(&page.url)) else {
            return;
        };
        let command = TabsCommand::LoadArticles(server, group, OverviewGoal::Older);
        cx.command(Command::Tabs(command));
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
                && !page.overview.missing().is_empty()
                && page.position.cursor + 1 >= page.count()
                && document.is_some_and(|document| document.filter_summary().is_none())
        });
        if is_down && is_end {
            self.load_older(cx);
        }
    }
}
