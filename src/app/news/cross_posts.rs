//! Articles that are marked read because of others: the same article in other groups, and articles that rules hide.

use geomys_page::document::marks::MarkChange;
use geomys_page::document::{ArticleNumbers, CrossPosts, Document, Shape};
use rfc1738::Url;

use crate::app::news::group_of;
use crate::app::news::server::NewsAuthority;
use crate::app::view::context::State;
use crate::app::{Context, News, Page, Tabs};

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
            Some((server, group_of(&page.url)?, hidden))
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
