//! Navigation between articles: the next unread one, in this group and then in the next one; parents and replies.

use geomys_page::document::{Fold, GroupArticle, Relation};
use geomys_page::load::OverviewGoal;
use rfc1738::Url;

use crate::app::action::Action;
use crate::app::news::message::{GroupSearch, GroupTarget, UnreadStep, WantedArticle};
use crate::app::news::server::NewsAuthority;
use crate::app::news::{article_of, group_of};
use crate::app::requester::OpenPage;
use crate::app::requester::PendingRequest;
use crate::app::requester::{Arrival, NextStep};
use crate::app::tabs::pane::Pane;
use crate::app::view::context::State;
use crate::app::{Context, Effect, Focus, News, Page, Tabs, TabsCommand};

/// The current article: the one that is shown, or the one under the cursor of its group.
#[derive(Clone, Debug)]
pub(crate) struct CurrentArticle {
    pub(crate) server: NewsAuthority,
    pub(crate) group: Vec<u8>,
    pub(crate) number: u64,
    pub(crate) context: ArticleContext,
}

/// The kind of the page that has the current article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArticleContext {
    /// A page of the group; the cursor is on the article.
    Group,
    /// The page of the article itself.
    Article,
}

impl Tabs {
    /// Returns the article that keys act on.
    pub(crate) fn article_here(&self) -> Option<CurrentArticle> {
        let page = self.page()?;
        let server = NewsAuthority::of(page)?;
        if page.group().is_some() {
            let number = page.document()?.article(page.cursor())?.number;
            let group = group_of(&page.url)?;
            return Some(CurrentArticle {
                server,
                group,
                number,
                context: ArticleContext::Group,
            });
        }
        if !page.is_article() {
            return None;
        }
        let numbers = match article_of(&page.url) {
            Some(number) => vec![number],
            // The numbers of a cached article belong to the server that sent it then.
            None if page.cached.is_some() => Vec::new(),
            None => page.document()?.cross_posts(),
        };
        let is_open = |number: &&(Vec<u8>, u64)| self.group_page(&server, &number.0).is_some();
        let (group, number) = numbers.iter().find(is_open).or(numbers.first())?.clone();
        Some(CurrentArticle {
            server,
            group,
            number,
            context: ArticleContext::Article,
        })
    }

    /// Returns a page of a group: the nearest one back in the history, else one in another pane. A page of the complete
    /// group comes before one of a range of articles.
    pub(crate) fn group_page(&self, server: &NewsAuthority, group: &[u8]) -> Option<&Page> {
        let is_group = |page: &&Page| page.is_group(server, group) && page.own_document().is_some();
        let mut here = self.pane().into_iter().flat_map(Pane::pages_from_here);
        here.find(is_group)
            .or_else(|| self.whole_group_page(server, group))
            .or_else(|| self.pages_from_here().find(is_group))
    }

    /// Returns a page of the complete group.
    pub(super) fn whole_group_page(&self, server: &NewsAuthority, group: &[u8]) -> Option<&Page> {
        let is_group =
            |page: &&Page| page.is_whole_group(server, group) && page.own_document().is_some();
        self.pages_from_here().find(is_group)
    }

    /// Returns the pages of this pane, backward in the history first, then those of all panes.
    fn pages_from_here(&self) -> impl Iterator<Item = &Page> {
        let here = self.pane().into_iter().flat_map(Pane::pages_from_here);
        here.chain(self.pages())
    }

    /// Moves the cursor of every page of a group to an article. Folded threads stay folded.
    fn move_cursor_to(
        &mut self,
        server: &NewsAuthority,
        group: &[u8],
        line: usize,
        cx: &mut Context,
    ) {
        for page in self.pages_mut() {
            if page.is_group(server, group)
                && let Some(rows) = page.view.rows_mut()
                && let Some(row) = rows.document.nearest_row(line)
            {
                rows.position.cursor = row;
                // Its thread may be unfolding.
                rows.goes_to = rows.finishing.map(|_| line);
            }
        }
        cx.reveal_all();
    }

    /// Opens the first unread article of a group when its marks are loaded.
    fn open_unread_later(&mut self, shown: &CurrentArticle) {
        let (server, group) = (&shown.server, &shown.group);
        if let Some(page) = self.find_page(|page| page.is_whole_group(server, group)) {
            let search = GroupSearch::to(UnreadStep::Open);
            let wanted = WantedArticle::unread(server.clone(), group.clone(), search);
            page.next_step = Some(NextStep::Select(wanted));
        }
    }

    /// Opens an article of a group. It replaces a shown article, so that the way back leads to the group.
    pub(crate) fn open_listed(
        &mut self,
        shown: &CurrentArticle,
        listed: GroupArticle,
        next_step: Option<NextStep>,
        cx: &mut Context,
    ) {
        let page = self.group_page(&shown.server, &shown.group);
        let link = page.and_then(|page| page.own_document()?.article_link(listed.line));
        let Some(link) = link else {
            return;
        };
        let url = match link.target {
            Ok(url) => url,
            Err(error) => {
                return cx.report_error(&error.to_string());
            }
        };
        self.move_cursor_to(&shown.server, &shown.group, listed.line, cx);
        let arrival = match shown.context {
            ArticleContext::Group => Arrival::Append,
            ArticleContext::Article => Arrival::Replace,
        };
        let request = self.request_from_page(url);
        if shown.context == ArticleContext::Group
            && next_step.is_none()
            && self.open_beside_group(&request, &link.label, cx)
        {
            return;
        }
        cx.load(PendingRequest::for_pane(request, link.label, arrival).then(next_step));
    }

    /// Opens a group to select an article in it.
    pub(super) fn open_group(&self, wanted: WantedArticle, cx: &mut Context) {
        match self.group_url(&wanted.server, &wanted.group) {
            Ok(url) => {
                let request = self.request_from_page(url);
                cx.open(OpenPage::from(request).then(NextStep::Select(wanted)));
            }
            Err(error) => cx.report_error(&error.to_string()),
        }
    }

    /// Returns the URL of a group: with implicit TLS if this page's server uses it.
    pub(crate) fn group_url(
        &self,
        server: &NewsAuthority,
        group: &[u8],
    ) -> Result<Url, rfc1738::ParseError> {
        let here = self.page().and_then(Page::news_host);
        let same = here.filter(|here| NewsAuthority::from(here) == *server);
        match same {
            Some(here) if here.is_tls => Url::nntps(&here.host, here.port, group),
            Some(_) | None => Url::nntp(&server.host, server.port, group, None),
        }
    }

    /// Goes to a related article: moves the cursor in a group; on the page of an article, opens it.
    pub(crate) fn go_to_related(&mut self, relation: Relation, cx: &mut Context) {
        let none = match relation {
            Relation::Parent => "this article is not a reply",
            Relation::Root => "this is the first article of its thread",
            Relation::Reply => "no replies to this article here",
        };
        let Some(shown) = self.article_here() else {
            return self.go_to_reference(None, relation, none, cx);
        };
        let page = self.group_page(&shown.server, &shown.group);
        let document = page.and_then(Page::own_document);
        let here = document.and_then(|document| document.numbered_article(shown.number));
        let related = here.and_then(|here| document?.related(here.line, relation));
        match (related, shown.context) {
            (Some(related), ArticleContext::Group) => {
                self.move_cursor_to(&shown.server, &shown.group, related.line, cx);
            }
            (Some(related), ArticleContext::Article) => {
                let shown = CurrentArticle {
                    context: ArticleContext::Group,
                    ..shown
                };
                self.open_listed(&shown, related, None, cx);
            }
            (None, _) => self.go_to_reference(here.map(|here| here.line), relation, none, cx),
        }
    }

    /// Opens an article that the group does not have, by the References of this one.
    fn go_to_reference(
        &self,
        line: Option<usize>,
        relation: Relation,
        none: &str,
        cx: &mut Context,
    ) {
        let references = self
            .page()
            .and_then(Page::document)
            .map(|document| document.references(line))
            .unwrap_or_default();
        let url = match relation {
            Relation::Parent => references.last(),
            Relation::Root => references.first(),
            Relation::Reply => None,
        };
        match url.cloned() {
            Some(url) => {
                let request = self.request_from_page(url);
                cx.open(request);
            }
            None => cx.notify(none),
        }
    }
}

impl News {
    /// Unfolds the thread of a line in the shown group, and moves the cursor to its article.
    fn unfold_at(
        &mut self,
        server: &NewsAuthority,
        group: &[u8],
        line: usize,
        tabs: &mut Tabs,
        cx: &mut Context,
    ) {
        tabs.move_cursor_to(server, group, line, cx);
        self.fold_thread(Some(Fold::Open), tabs, cx);
        // The article has its own row only now.
        tabs.move_cursor_to(server, group, line, cx);
    }

    /// Goes to the next unread article: of this group after the cursor, then of the next subscribed groups.
    pub(crate) fn next_unread(&self, tabs: &mut Tabs, cx: &mut Context) {
        self.go_to_next_unread(UnreadStep::Select, tabs, cx);
    }

    /// Opens the next unread article: of this group after the cursor, then the first one of the next subscribed groups.
    pub(crate) fn read_on(&self, tabs: &mut Tabs, cx: &mut Context) {
        self.go_to_next_unread(UnreadStep::Open, tabs, cx);
    }

    fn go_to_next_unread(&self, step: UnreadStep, tabs: &mut Tabs, cx: &mut Context) {
        cx.focus = Focus::Panes;
        let Some(shown) = tabs.article_here() else {
            return self.open_next_group(GroupSearch::to(step), tabs, cx);
        };
        let Some(page) = tabs.group_page(&shown.server, &shown.group) else {
            let open = cx.key_of(Action::WholeThread);
            return cx.notify(&format!(
                "the group of this article is not open ({open} open)"
            ));
        };
        let next = page.own_document().and_then(|document| {
            let line = document
                .numbered_article(shown.number)
                .map(|here| here.line);
            // On a page of the group, the article under the cursor was not read yet.
            let here = document.numbered_article(shown.number).filter(|here| {
                shown.context == ArticleContext::Group && document.is_unread_and_visible(here.line)
            });
            here.or_else(|| document.next_unread(line))
        });
        match next {
            Some(next) => tabs.open_listed(&shown, next, None, cx),
            None if page.state.is_arriving() => {
                cx.notify("wait until the group is loaded");
            }
            None if self.marks(&shown.server).is_none() => tabs.open_unread_later(&shown),
            None if self.has_more_unread(page) => {
                cx.notify("Older unread articles are loading");
                let command =
                    TabsCommand::LoadArticles(shown.server, shown.group, OverviewGoal::Unread);
                cx.command(command);
            }
            None => self.open_next_group(GroupSearch::to(step), tabs, cx),
        }
    }

    /// Handles a complete group that was opened to find an article: goes to the article, or to the next group.
    pub(crate) fn select_wanted_article(&mut self, url: &Url, tabs: &mut Tabs, cx: &mut Context) {
        let is_complete = |page: &Page| {
            // The stored folds must be applied first.
            page.url == *url && !page.state.is_arriving() && !page.is_finishing()
        };
        let waits = |page: &Page| {
            matches!(&page.next_step, Some(NextStep::Select(wanted))
                if is_complete(page) && page.is_whole_group(&wanted.server, &wanted.group))
        };
        let next_step = tabs.find_page(waits).and_then(|page| page.next_step.take());
        let Some(NextStep::Select(wanted)) = next_step else {
            return;
        };
        let page = tabs
            .pages_from_here()
            .find(|page| is_complete(page) && page.is_whole_group(&wanted.server, &wanted.group));
        let Some((page, document)) = page.and_then(|page| Some((page, page.own_document()?)))
        else {
            return;
        };
        // The cursor moves on only if this page is shown and complete.
        let is_current = page.state == State::Whole
            && tabs.page().is_some_and(|shown| std::ptr::eq(shown, page));
        let found = match &wanted.target {
            GroupTarget::Unread(_) => document.next_unread(None),
            GroupTarget::Article(number) => document.numbered_article(*number),
        };
        let missing = match wanted.target {
            GroupTarget::Unread(_) if self.has_more_unread(page) => Some(OverviewGoal::Unread),
            GroupTarget::Article(number) if page.missing_articles().contains(number) => {
                Some(OverviewGoal::Near(number))
            }
            GroupTarget::Unread(_) | GroupTarget::Article(_) => None,
        };
        if let Some(goal) = missing.filter(|_| found.is_none()) {
            return tabs.wait_for_articles(wanted, goal, cx);
        }
        match (found, wanted.target) {
            (Some(found), GroupTarget::Article(_)) if is_current => {
                self.unfold_at(&wanted.server, &wanted.group, found.line, tabs, cx);
            }
            (Some(found), GroupTarget::Unread(search))
                if is_current && search.step == UnreadStep::Open =>
            {
                let shown = CurrentArticle {
                    server: wanted.server,
                    group: wanted.group,
                    number: found.number,
                    context: ArticleContext::Group,
                };
                tabs.open_listed(&shown, found, None, cx);
            }
            (Some(found), _) => {
                tabs.move_cursor_to(&wanted.server, &wanted.group, found.line, cx);
            }
            (None, GroupTarget::Unread(_)) if !is_current => {}
            (None, GroupTarget::Unread(mut search)) => {
                search.tried.push(wanted.group);
                self.open_next_group(search, tabs, cx);
            }
            (None, GroupTarget::Article(_)) => cx.notify("the group does not list this article"),
        }
    }

    /// Goes from an article to its group, with the cursor on it and its thread unfolded; in a group, unfolds the thread.
    pub(crate) fn whole_thread(&mut self, tabs: &mut Tabs, cx: &mut Context) {
        let Some(shown) = tabs.article_here() else {
            return cx.notify("the group of this article is unknown");
        };
        if shown.context == ArticleContext::Group {
            return self.fold_thread(Some(Fold::Open), tabs, cx);
        }
        let lists = |page: &Page| {
            let document = page.own_document();
            document.is_some_and(|document| document.numbered_article(shown.number).is_some())
        };
        let is_here = |page: &Page| {
            page.is_whole_group(&shown.server, &shown.group)
                || page.is_group(&shown.server, &shown.group) && lists(page)
        };
        let turned = tabs.pane_mut().and_then(|pane| pane.show(is_here));
        if let Some(left) = turned {
            let line = tabs
                .page()
                .and_then(|page| page.document()?.numbered_article(shown.number));
            cx.effects.extend(left.map(Effect::Drop));
            cx.pages_changed();
            match line {
                Some(listed) => self.unfold_at(&shown.server, &shown.group, listed.line, tabs, cx),
                None => self.fold_thread(Some(Fold::Open), tabs, cx),
            }
            return;
        }
        tabs.open_group(
            WantedArticle {
                server: shown.server,
                group: shown.group,
                target: GroupTarget::Article(shown.number),
            },
            cx,
        );
    }
}
