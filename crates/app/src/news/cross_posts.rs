//! Articles that are marked read because of others: the same article in other groups, and articles that rules hide. For
//! articles that are on no page, the overview is loaded for its Xref fields.

use std::sync::Arc;

use geomys_load::{
    LoadId, NewsQuery, OverviewGoal, OverviewQuery, Part, ReadArticles, Reason, Request,
};
use geomys_page::document::marks::MarkChange;
use geomys_page::document::{ArticleNumbers, CrossPosts, Document, Shape};
use rfc1738::Url;

use crate::news::server::NewsAuthority;
use crate::view::context::State;
use crate::{Context, Credentials, Effect, News, Page, Tabs};

impl News {
    /// Marks articles of an open group read in all other groups of the newsrc that they were posted to, by their Xref.
    pub(crate) fn mark_cross_posts(
        &mut self,
        server: &NewsAuthority,
        group: &[u8],
        numbers: &ArticleNumbers,
        tabs: &Tabs,
        cx: &mut Context,
    ) {
        let page = tabs.group_page(server, group);
        let others = page.and_then(Page::own_document);
        if let Some(others) = others.map(|document| document.cross_posts_of(numbers)) {
            self.mark_found(server, group, others, cx);
        }
    }

    /// Marks cross-posts of articles of a group read, in the groups of the newsrc.
    pub(super) fn mark_found(
        &mut self,
        server: &NewsAuthority,
        group: &[u8],
        others: CrossPosts,
        cx: &mut Context,
    ) {
        for (other, numbers) in others.groups {
            let is_known = |news: &Self| Some(news.marks(server)?.group(&other)?.clone());
            let marks = is_known(self).filter(|_| other != group);
            if let Some(marks) = marks {
                let mut unread = numbers;
                unread.remove_all(&marks.read);
                if !unread.is_empty() {
                    self.store_change(server, &other, MarkChange::Read(unread), cx);
                }
            }
        }
    }

    /// Marks the articles read that rules hide in the open groups of a server.
    pub(crate) fn mark_all_hidden_read(
        &mut self,
        server: &NewsAuthority,
        tabs: &mut Tabs,
        cx: &mut Context,
    ) {
        let is_group = |page: &&Page| page.is_of(server) && page.shape() == Some(Shape::Group);
        let groups = tabs.pages().filter(is_group);
        let urls: Vec<Url> = groups.map(|page| page.url.clone()).collect();
        for url in urls {
            self.mark_hidden_read(&url, tabs, cx);
        }
    }

    /// Marks the articles read that rules hide in a complete group, if the newsrc has the group: nobody reads them, and
    /// lists of groups do not count them any more.
    pub(crate) fn mark_hidden_read(&mut self, url: &Url, tabs: &mut Tabs, cx: &mut Context) {
        let is_complete =
            |page: &Page| page.url == *url && page.state == State::Whole && !page.is_finishing();
        let page = tabs.pages().find(|page| is_complete(page));
        let hidden = page.and_then(|page| {
            let server = NewsAuthority::of(page)?;
            let hidden = page.own_document().map(Document::hidden_numbers)?;
            Some((server, page.group_name()?, hidden))
        });
        let Some((server, group, mut hidden)) = hidden else {
            return;
        };
        let Some(marks) = self.marks(&server).and_then(|marks| marks.group(&group)) else {
            return;
        };
        hidden.remove_all(&marks.read);
        if !hidden.is_empty() {
            self.mark_cross_posts(&server, &group, &hidden, tabs, cx);
            self.change(&server, &group, MarkChange::Read(hidden), tabs, cx);
        }
    }
}

/// The most octets of a line of an overview whose end has not arrived.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// A load of the overview of articles that are marked read.
#[derive(Debug)]
pub(super) struct CrossPostLoad {
    pub(super) id: LoadId,
    pub(super) server: NewsAuthority,
    pub(super) group: Vec<u8>,
    pub(super) numbers: ArticleNumbers,
    /// The beginning of a line.
    pub(super) line: Vec<u8>,
    pub(super) found: CrossPosts,
}

impl CrossPostLoad {
    /// Takes the next octets of the overview.
    pub(super) fn take(&mut self, octets: &[u8]) {
        self.line.extend_from_slice(octets);
        let end = memchr::memrchr(b'\n', &self.line).map_or(0, |at| at + 1);
        let rest = self.line.split_off(end);
        for line in self.line.split(|&octet| octet == b'\n') {
            self.found.add(line, &self.numbers);
        }
        self.line = rest;
        self.line.truncate(MAX_LINE_BYTES);
    }
}

impl News {
    /// Returns true if a load is one for cross-posts.
    pub(crate) fn is_finding_cross_posts(&self, load: LoadId) -> bool {
        self.cross_post_loads.iter().any(|one| one.id == load)
    }

    /// Loads the overview of those of the articles of a group that are on no page, if the newsrc has other groups.
    pub(super) fn find_unseen_cross_posts(
        &mut self,
        server: &NewsAuthority,
        group: &[u8],
        mut numbers: ArticleNumbers,
        (tabs, credentials): (&Tabs, &Credentials),
        cx: &mut Context,
    ) {
        let has_others = self
            .marks(server)
            .is_some_and(|marks| marks.subscribed().iter().any(|other| *other != group));
        let page = tabs.group_page(server, group);
        if let Some(group) = page.and_then(Page::group) {
            numbers.remove_all(&group.overview.covered);
        }
        let mut pages = tabs.pages().filter(|page| page.is_of(server));
        let host = pages.find_map(Page::news_host);
        let (Ok(url), Some(host)) = (Url::news_group(group), host) else {
            return;
        };
        if numbers.is_empty() || !has_others {
            return;
        }
        // Nothing else is wanted.
        let mut others = ArticleNumbers::range(1, u64::MAX);
        others.remove_all(&numbers);
        let mut request = Request {
            news_query: NewsQuery {
                server: Some(host),
                overview: Some(OverviewQuery {
                    goal: OverviewGoal::Unread,
                    read: ReadArticles::Known(Arc::new(others)),
                    known: None,
                    highest: None,
                }),
                ..NewsQuery::default()
            },
            ..Request::show(url, Reason::Setting)
        };
        credentials.apply_defaults(&mut request, &cx.settings);
        let id = cx.next_load();
        self.cross_post_loads.push(CrossPostLoad {
            id,
            server: server.clone(),
            group: group.to_vec(),
            numbers,
            line: Vec::new(),
            found: CrossPosts::default(),
        });
        cx.emit(Effect::Load(id, request));
    }

    /// Handles a part of a load for cross-posts: at its end they are marked read.
    pub(crate) fn cross_post_part(
        &mut self,
        load: LoadId,
        part: Part,
        tabs: &mut Tabs,
        cx: &mut Context,
    ) {
        let Some(at) = self.cross_post_loads.iter().position(|one| one.id == load) else {
            return;
        };
        let end = match part {
            Part::Octets(octets) => {
                if let Some(one) = self.cross_post_loads.get_mut(at) {
                    one.take(&octets);
                }
                return;
            }
            Part::End(end) => end,
            Part::Phase(_)
            | Part::Head(_)
            | Part::Terminal(_)
            | Part::Remark(_)
            | Part::Clock(_)
            | Part::Names(_)
            | Part::Size(_)
            | Part::Hole(_)
            | Part::Covered(_) => return,
        };
        let CrossPostLoad {
            server,
            group,
            found,
            ..
        } = self.cross_post_loads.swap_remove(at);
        if let Some(error) = end.err().map(|stop| stop.sentence()) {
            cx.report_error(&format!("Cross-posts were not marked read: {error}"));
        }
        // The lines before an error are right.
        self.mark_found(&server, &group, found, cx);
        let is_match = |page: &Page| page.is_of(&server);
        self.apply_news_state(is_match, tabs, cx);
        tabs.finish_changed_pages(is_match, cx);
    }
}
