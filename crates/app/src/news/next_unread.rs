//! Navigation between articles: the next unread one, in this group and then in the next one; parents and replies.
//!
//! Open lists of groups and the last counts of the server tell which groups have unread articles. If none has, the
//! server is asked for the counts of all subscribed groups before the user reads that nothing else is unread.

use std::collections::HashMap;

use geomys_load::OverviewGoal;
use geomys_page::document::marks::ServerMarks;
use geomys_page::document::{Document, Fold, GroupArticle, Shape};
use geomys_wire::text;
use geomys_wire::text::{Charset, Text};
use rfc1738::Url;

use crate::action::Action;
use crate::news::group_of;
use crate::news::message::{GroupSearch, GroupTarget, SearchEnd, UnreadStep, WantedArticle};
use crate::news::server::NewsAuthority;
use crate::requester::NextStep;
use crate::view::context::State;
use crate::{Context, Effect, Focus, LibraryCommand, News, NewsCommand, Page, Tabs, TabsCommand};

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

    /// Goes to the next unread article: of this group the oldest, then of the next subscribed groups; then to the next
    /// new item of the home page.
    pub(crate) fn next_unread(&self, tabs: &mut Tabs, cx: &mut Context) {
        let search = GroupSearch::to(UnreadStep::Select).then_other_items();
        self.go_to_next_unread(search, tabs, cx);
    }

    /// Opens the next unread article: of this group the oldest, then that of the next subscribed groups. In a list of
    /// groups, opens the group under the cursor, or the next one with unread articles.
    pub(crate) fn read_on(&self, tabs: &mut Tabs, cx: &mut Context) {
        let shape = tabs.page().and_then(Page::shape);
        let step = match shape {
            Some(Shape::Groups) => UnreadStep::Select,
            _ => UnreadStep::Open,
        };
        self.go_to_next_unread(GroupSearch::to(step), tabs, cx);
    }

    /// Returns true if the shown page lists the articles of a group, or subscribed groups only, and has unread ones.
    pub(crate) fn lists_unread(&self, tabs: &Tabs) -> bool {
        let shown = tabs.page();
        let Some((page, document)) = shown.and_then(|page| Some((page, page.own_document()?)))
        else {
            return false;
        };
        match document.shape() {
            Shape::Group => {
                document.unread_from(None).next().is_some() || self.has_more_unread(page)
            }
            Shape::Groups => {
                document.lists_subscribed_only() && !document.groups_with_unread().is_empty()
            }
            _ => false,
        }
    }

    fn go_to_next_unread(&self, search: GroupSearch, tabs: &mut Tabs, cx: &mut Context) {
        cx.focus = Focus::Panes;
        let Some(shown) = CurrentArticle::of(tabs) else {
            return self.open_next_group(search, tabs, cx);
        };
        let Some(page) = tabs.group_page(&shown.server, &shown.group) else {
            if search.end == SearchEnd::OtherItems {
                return cx.command(LibraryCommand::ReadNext(None));
            }
            let open = cx.key_of(Action::WholeThread);
            return cx.notify(&format!(
                "The group of this article is not open ({open} open)"
            ));
        };
        let next = page.own_document().and_then(|document| {
            // In a group the oldest comes first, wherever the cursor is, unless its article is on the screen.
            let is_shown = shown.context == ArticleContext::Article || tabs.shows_beside(cx);
            let here = document.numbered_article(shown.number);
            next_readable(
                document,
                here.filter(|_| is_shown).map(|here| here.line),
                cx,
            )
        });
        match next {
            Some(next) => tabs.open_listed(&shown, next, None, cx),
            None if page.state.is_arriving() => {
                cx.notify("Wait until the group is loaded");
            }
            None if self.marks(&shown.server).is_none() => {
                // The first unread article is opened when the marks are loaded.
                let is_group = |page: &Page| page.is_whole_group(&shown.server, &shown.group);
                if let Some(page) = tabs.find_page(is_group) {
                    let search = GroupSearch {
                        step: UnreadStep::Open,
                        ..search
                    };
                    let wanted = WantedArticle::unread(shown.server, shown.group, search);
                    page.next_step = Some(NextStep::Select(wanted));
                }
            }
            None if self.has_more_unread(page) => {
                cx.notify("Older unread articles are loading");
                let command =
                    TabsCommand::LoadArticles(shown.server, shown.group, OverviewGoal::Unread);
                cx.command(command);
            }
            None => self.open_next_group(search, tabs, cx),
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
                if is_complete(page)
                    && page.is_whole_group(&wanted.server, &wanted.group)
                    // Without the marks no article is known to be unread.
                    && self.marks(&wanted.server).is_some())
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
            GroupTarget::Unread(_) => next_readable(document, None, cx),
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
            let (server, group) = (wanted.server.clone(), wanted.group.clone());
            let is_group =
                |page: &Page| page.is_whole_group(&server, &group) && page.can_load_more();
            if let Some(page) = tabs.find_page(is_group) {
                page.next_step = Some(NextStep::Select(wanted));
                cx.command(TabsCommand::LoadArticles(server, group, goal));
            }
            return;
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
            (None, GroupTarget::Article(_)) => cx.notify("The group does not list this article"),
        }
    }

    /// Goes from an article to its group, with the cursor on it and its thread unfolded; in a group, unfolds the
    /// thread.
    pub(crate) fn whole_thread(&mut self, tabs: &mut Tabs, cx: &mut Context) {
        let Some(shown) = CurrentArticle::of(tabs) else {
            return cx.notify("The group of this article is unknown");
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
        let wanted = WantedArticle {
            server: shown.server,
            group: shown.group,
            target: GroupTarget::Article(shown.number),
        };
        wanted.open_group(tabs, cx);
    }
}

impl News {
    /// Goes to the next subscribed group that has unread articles.
    pub(crate) fn next_group(&self, tabs: &Tabs, cx: &mut Context) {
        cx.focus = Focus::Panes;
        self.open_next_group(GroupSearch::default(), tabs, cx);
    }

    /// Goes on with a search when the server has counted the groups, unless the user has gone to another page.
    pub(super) fn search_on(&self, search: GroupSearch, tabs: &Tabs, cx: &mut Context) {
        let shown = tabs.page().map(|page| &page.url);
        if shown.is_some() && shown == search.page.as_ref() && tabs.incoming().is_none() {
            let search = GroupSearch {
                is_counted: true,
                ..search
            };
            self.open_next_group(search, tabs, cx);
        }
    }

    /// Goes to the next subscribed group that has unread articles, and was not tried.
    pub(super) fn open_next_group(&self, search: GroupSearch, tabs: &Tabs, cx: &mut Context) {
        let Some((server, page)) = tabs
            .page()
            .and_then(|page| Some((NewsAuthority::of(page)?, page)))
            .filter(|(server, _)| !server.is_mailboxes())
        else {
            if search.end == SearchEnd::OtherItems {
                return cx.command(LibraryCommand::ReadNext(None));
            }
            let is_mailbox = tabs.page().and_then(NewsAuthority::of).is_some();
            return cx.notify(if is_mailbox {
                "No unread message here"
            } else {
                "Not a page of a news server"
            });
        };
        let here = group_of(&page.url);
        let subscribed = self.marks(&server).map(ServerMarks::subscribed);
        let subscribed = from_here(page, here.as_deref(), subscribed.unwrap_or_default());
        let listed = listed_unread(&server, tabs);
        let is_next = |name: &&&[u8]| {
            let is_listed = listed.iter().any(|other| other == **name);
            Some(**name) != here.as_deref()
                && !search.tried.iter().any(|tried| tried == **name)
                && (is_listed || self.is_counted_unread(&server, name))
                && !self.is_open_and_read(&server, name, tabs)
        };
        let next = subscribed.iter().find(is_next);
        if let Some(group) = next {
            let shown = Text::new(group, Charset::default());
            WantedArticle::unread(server, group.to_vec(), search).open_group(tabs, cx);
            return cx.notify(&format!("Next group: {shown}"));
        }
        // The server cannot be asked offline.
        if search.is_counted || subscribed.is_empty() || cx.settings.offline {
            return match search.end {
                SearchEnd::Notify => cx.notify("No unread articles in subscribed groups"),
                SearchEnd::OtherItems => {
                    // Without counts of the server, its other groups are read as far as they are stored.
                    let read = search.is_counted.then_some(server);
                    cx.command(LibraryCommand::ReadNext(read));
                }
            };
        }
        let count = text::count(subscribed.len());
        let search = GroupSearch {
            page: Some(page.url.clone()),
            ..search
        };
        cx.notify(&format!("Checking {count} subscribed groups"));
        cx.command(NewsCommand::CountGroups(server, Some(search)));
    }

    fn is_counted_unread(&self, server: &NewsAuthority, group: &[u8]) -> bool {
        self.server(server).is_some_and(|state| {
            let marks = state.marks.as_ref();
            marks.is_some_and(|marks| state.counts.unread(group, marks) > 0)
        })
    }

    /// Returns true if a page shows that all articles of a group are read that the server had then.
    fn is_open_and_read(&self, server: &NewsAuthority, group: &[u8], tabs: &Tabs) -> bool {
        let page = tabs.whole_group_page(server, group);
        // A stopped page may have more articles.
        let page = page.filter(|page| page.state == State::Whole && !self.has_more_unread(page));
        let counted = self
            .server(server)
            .and_then(|state| state.counts.highest(group));
        // The server may have new articles.
        let page = page.filter(|page| page.group().and_then(|group| group.highest) >= counted);
        let unread = page.and_then(|page| page.own_document()?.unread());
        unread.is_some_and(|(unread, _)| unread == 0)
    }
}

/// Returns the unread article to read after that of a line, of those that can be opened now: of all online.
fn next_readable(document: &Document, line: Option<usize>, cx: &Context) -> Option<GroupArticle> {
    let mut unread = document.unread_from(line);
    unread.find(|next| is_readable(document, next.line, cx))
}

/// Returns true if the article of a line can be opened now.
fn is_readable(document: &Document, line: usize, cx: &Context) -> bool {
    let link = document.article_link(line);
    let url = link.and_then(|link| link.target.ok());
    url.is_none_or(|url| cx.copies.may_open(&url))
}

/// The subscribed groups in the order in which a search from a page goes through them: on a list that of the rows from
/// the cursor on, else those after the group of the page; the others follow.
fn from_here<'a>(page: &Page, here: Option<&[u8]>, mut subscribed: Vec<&'a [u8]>) -> Vec<&'a [u8]> {
    let Some(list) = page.document().filter(|list| list.shape() == Shape::Groups) else {
        let at = subscribed.iter().position(|name| Some(*name) == here);
        subscribed.rotate_left(at.map_or(0, |at| at + 1));
        return subscribed;
    };
    let rows = (page.cursor()..list.count()).chain(0..page.cursor());
    let names = rows.filter_map(|row| Some(list.listed_group(row)?.0));
    let order: HashMap<Vec<u8>, usize> = names.zip(0..).collect();
    subscribed.sort_by_key(|name| order.get(*name).copied().unwrap_or(usize::MAX));
    subscribed
}

/// The groups with unread articles by an open list of groups.
fn listed_unread(server: &NewsAuthority, tabs: &Tabs) -> Vec<Vec<u8>> {
    let is_list = |page: &&Page| {
        page.shape() == Some(Shape::Groups) && page.state == State::Whole && page.is_of(server)
    };
    let mut lists = tabs.pages().filter(is_list);
    let unread = lists.find_map(Page::own_document);
    unread.map(Document::groups_with_unread).unwrap_or_default()
}
