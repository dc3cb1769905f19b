//! The cross-posts of articles that are marked read without being on a page: their overview is loaded for its Xref fields.

use std::sync::Arc;

use geomys_page::document::{ArticleNumbers, CrossPosts};
use geomys_page::load::{
    LoadId, NewsQuery, OverviewGoal, OverviewQuery, Part, ReadArticles, Request,
};
use rfc1738::Url;

use crate::app::news::cross_post_load::CrossPostLoad;
use crate::app::news::server::NewsAuthority;
use crate::app::{Context, Credentials, Effect, News, Page, Tabs};

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
                }),
                ..NewsQuery::default()
            },
            ..Request::show(url)
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
