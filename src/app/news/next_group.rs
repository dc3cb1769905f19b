//! The search for the next subscribed group with unread articles.
//!
//! Open lists of groups and the last counts of the server tell which groups have some. If none has, the server is asked
//! for the counts of all subscribed groups before the user reads that nothing else is unread.

use geomys_page::document::marks::ServerMarks;
use geomys_page::document::{Document, Shape};
use geomys_wire::text::{self, Charset, Text};

use crate::app::news::group_of;
use crate::app::news::message::{GroupSearch, WantedArticle};
use crate::app::news::server::NewsAuthority;
use crate::app::view::context::State;
use crate::app::{Context, Focus, News, NewsCommand, Page, Tabs};

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
        else {
            return cx.notify("Not a page of a news server");
        };
        let here = group_of(&page.url);
        let subscribed = self.marks(&server).map(ServerMarks::subscribed);
        let subscribed = subscribed.unwrap_or_default();
        // The groups after this one come first, then those before it.
        let at = subscribed
            .iter()
            .position(|name| Some(*name) == here.as_deref());
        let (before, after) = subscribed.split_at(at.map_or(0, |at| at + 1));
        let listed = listed_unread(&server, tabs);
        let is_next = |name: &&&[u8]| {
            let is_listed = listed.iter().any(|other| other == **name);
            Some(**name) != here.as_deref()
                && !search.tried.iter().any(|tried| tried == **name)
                && (is_listed || self.is_counted_unread(&server, name))
                && !self.is_open_and_read(&server, name, tabs)
        };
        let next = after.iter().chain(before).find(is_next);
        if let Some(group) = next {
            let shown = Text::new(group, Charset::default());
            WantedArticle::unread(server, group.to_vec(), search).open_group(tabs, cx);
            return cx.notify(&format!("Next group: {shown}"));
        }
        if search.is_counted || subscribed.is_empty() {
            return cx.notify("No unread articles in subscribed groups");
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

/// The groups with unread articles by an open list of groups.
fn listed_unread(server: &NewsAuthority, tabs: &Tabs) -> Vec<Vec<u8>> {
    let is_list = |page: &&Page| {
        page.shape() == Some(Shape::Groups) && page.state == State::Whole && page.is_of(server)
    };
    let mut lists = tabs.pages().filter(is_list);
    let unread = lists.find_map(Page::own_document);
    unread.map(Document::groups_with_unread).unwrap_or_default()
}
