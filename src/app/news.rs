//! State of news servers: the marks of read articles and the folds, which every page of a server shows.
//!
//! The files of a server are read when the first page of it is shown. Actions of the user change the state at once; the
//! changes are written within two seconds (`marks`). Changes by other newsreaders are read back with the answer.

mod counts;
mod cross_post_load;
mod cross_posts;
mod fetch_ahead;
mod folds;
pub mod mark;
mod mark_shown;
mod marks;
pub mod message;
pub mod next_group;
pub mod next_unread;
pub mod overview;
mod page;
pub(crate) mod rules;
pub mod server;
mod undo;
mod unseen_cross_posts;
mod update;

pub use self::marks::SOON;
pub(crate) use self::server::{article_of, group_of, range_of};

use std::collections::{HashMap, VecDeque};

use geomys_page::document::marks::{MarkChange, ServerMarks};
use geomys_page::document::{ArticleNumbers, Shape};
use geomys_page::load::LoadId;
use rfc1738::Url;

use self::counts::GroupCounts;
use self::cross_post_load::CrossPostLoad;
use self::fetch_ahead::ArticleAhead;
use self::folds::FoldState;
use self::message::MarkChanges;
use self::server::NewsAuthority;
use self::undo::MarkHistory;
use crate::app::{Context, Credentials, Page, Tabs};

/// The maximum number of groups of one article that are marked read: no real header has thousands of them.
const MAX_GROUPS: usize = 100;

/// The state of a news server.
#[derive(Debug)]
pub(crate) struct NewsServerState {
    server: NewsAuthority,
    /// The marks of its groups; `None` while their file is read.
    marks: Option<ServerMarks>,
    /// Changes that are not written yet.
    unwritten: MarkChanges,
    /// Changes that are being written.
    writing: VecDeque<MarkChanges>,
    /// The folded threads.
    folds: FoldState,
    /// The last highest article number of each group, as sent by the server.
    highest: HashMap<Vec<u8>, u64>,
    /// The counts of its subscribed groups.
    counts: GroupCounts,
}

/// The state of all news servers.
#[derive(Debug, Default)]
pub(crate) struct News {
    servers: Vec<NewsServerState>,
    /// The loads that look for cross-posts of articles that were marked read.
    cross_post_loads: Vec<CrossPostLoad>,
    /// The article that is fetched ahead.
    ahead: Option<ArticleAhead>,
    /// The changes of marks that can be undone and redone.
    history: MarkHistory,
    /// True while a write is scheduled.
    is_scheduled: bool,
    /// True while a request of counts is scheduled.
    is_refresh_scheduled: bool,
}

impl News {
    /// Returns the state of a server, if a page of it was shown.
    fn server(&self, server: &NewsAuthority) -> Option<&NewsServerState> {
        self.servers.iter().find(|state| state.server == *server)
    }

    /// Returns the state of a server to be changed.
    fn server_mut(&mut self, server: &NewsAuthority) -> Option<&mut NewsServerState> {
        let mut servers = self.servers.iter_mut();
        servers.find(|state| state.server == *server)
    }

    /// Returns the marks of a server; `None` while their file is read.
    pub(crate) fn marks(&self, server: &NewsAuthority) -> Option<&ServerMarks> {
        self.server(server)?.marks.as_ref()
    }

    /// Handles the begin of a page of news: applies the state of its server, and reads its files for its first page.
    pub(crate) fn page_begun(&mut self, load: LoadId, tabs: &mut Tabs, cx: &mut Context) {
        let begun = tabs
            .find_page(|page| page.load() == Some(load))
            .and_then(|page| {
                let server = NewsAuthority::of(page)?;
                // An empty group may have no number, and a cached page has an old one: neither is used.
                let highest = page.group().and_then(|group| group.highest);
                let highest = highest.filter(|&highest| highest > 0);
                let highest = highest.filter(|_| page.cached.is_none());
                Some((server, group_of(&page.url).zip(highest)))
            });
        let Some((server, highest)) = begun else {
            return;
        };
        self.read_news_files(&server, cx);
        self.apply_news_state(|page| page.load() == Some(load), tabs, cx);
        if let Some((group, highest)) = highest {
            if let Some(state) = self.server_mut(&server) {
                state.highest.insert(group.clone(), highest);
            }
            self.notify_renumbered(&server, &group, cx);
        }
    }

    /// Marks an article read that the group lists but the server no longer has (423), so that the user can go on.
    pub(crate) fn mark_missing_article_read(
        &mut self,
        url: &Url,
        tabs: &mut Tabs,
        cx: &mut Context,
    ) {
        let Some((group, number)) = article_of(url) else {
            return;
        };
        let missing = tabs
            .page()
            .filter(|page| page.url == *url && page.is_article_missing());
        let Some(server) = missing.and_then(NewsAuthority::of) else {
            return;
        };
        // A URL can contain any number. A number above the highest one of the group was never an article.
        let highest = self
            .server(&server)
            .and_then(|state| state.highest.get(&group));
        if highest.is_none_or(|highest| number > *highest) {
            return;
        }
        self.read_news_files(&server, cx);
        self.mark_read(&server, vec![(group, number)], tabs, cx);
    }

    /// Applies marks, folds and score rules to the pages that match.
    pub(crate) fn apply_news_state(
        &self,
        is_match: impl Fn(&Page) -> bool,
        tabs: &mut Tabs,
        cx: &Context,
    ) {
        let rules = &cx.settings.rules;
        for page in tabs.pages_mut() {
            if !matches!(page.shape(), Some(Shape::Group | Shape::Groups)) || !is_match(page) {
                continue;
            }
            let server = NewsAuthority::of(page);
            let state = server.and_then(|server| self.server(&server));
            let marks = state.and_then(|state| state.marks.as_ref());
            let folds = state.and_then(|state| state.folds.folds.as_ref());
            let group = group_of(&page.url);
            let Some(rows) = page.view.rows_mut() else {
                continue;
            };
            let document = rows.own_document_mut();
            document.set_rules(std::sync::Arc::clone(rules));
            if let (Some(folds), Some(group)) = (folds, &group) {
                document.set_folds(&folds.of(group));
            }
            if let Some(marks) = marks {
                if let Some(group) = group {
                    document.set_read(marks.read(&group));
                }
                document.set_marks(marks.clone());
            }
        }
    }

    /// Marks these articles read, except those that are read already: they need no write.
    fn mark_read(
        &mut self,
        server: &NewsAuthority,
        numbers: Vec<(Vec<u8>, u64)>,
        tabs: &mut Tabs,
        cx: &mut Context,
    ) {
        let unread: Vec<_> = numbers
            .into_iter()
            .take(MAX_GROUPS)
            .filter(|(group, number)| !self.is_read(server, group, *number))
            .collect();
        if unread.is_empty() {
            return;
        }
        for (group, number) in unread {
            self.store_change(
                server,
                &group,
                MarkChange::Read(ArticleNumbers::range(number, number)),
                cx,
            );
        }
        self.apply_news_state(|page| page.is_of(server), tabs, cx);
    }

    fn is_read(&self, server: &NewsAuthority, group: &[u8], number: u64) -> bool {
        self.marks(server)
            .is_some_and(|marks| marks.read(group).contains(number))
    }

    /// Handles a finished page: applies newer state, and goes to the article that was requested.
    pub(crate) fn page_finished(
        &mut self,
        url: &Url,
        tabs: &mut Tabs,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        self.apply_news_state(|page| page.url == *url, tabs, cx);
        tabs.finish_changed_pages(|page| page.url == *url, cx);
        self.mark_hidden_read(url, tabs, cx);
        self.select_wanted_article(url, tabs, cx);
        tabs.run_on_fetched(url, cx);
        self.fetch_ahead(url, tabs, credentials, cx);
    }
}
