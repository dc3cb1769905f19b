//! State of news servers: the marks of read articles and the folds, which every page of a server shows.
//!
//! The files of a server are read when the first page of it is shown. Actions of the user change the state at once; the
//! changes are written within two seconds (`marks`). Changes by other newsreaders are read back with the answer.

mod counts;
mod cross_posts;
pub(crate) mod fetch_ahead;
mod folds;
mod mailboxes;
pub mod mark;
mod marks;
pub mod message;
pub mod next_unread;
pub mod page;
pub(crate) mod rules;
pub mod server;
mod undo;
mod update;

pub use self::marks::SOON;
pub use self::server::{article_of, group_of, range_of};

use std::collections::{HashMap, VecDeque};

use geomys_page::document::Shape;
use geomys_page::document::marks::ServerMarks;
use rfc1738::Url;

use self::counts::{GroupCounts, Schedule};
use self::cross_posts::CrossPostLoad;
use self::fetch_ahead::FetchAhead;
use self::folds::FoldState;
use self::mailboxes::Mailboxes;
use self::message::MarkChanges;
use self::server::NewsAuthority;
use self::undo::MarkHistory;
use crate::action::Action;
use crate::tabs::tab::Tab;
use crate::{Context, Page, Tabs};

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
    /// What was pressed in a list of groups before the marks were read, with the URL of the list.
    waiting: Option<(Url, Action)>,
    /// The groups to subscribe to, or to unsubscribe from if they are subscribed to, once the marks are read.
    toggled: Vec<Vec<u8>>,
}

/// The state of all news servers.
#[derive(Debug, Default)]
pub struct News {
    /// True for the state of private tabs: its changes are never written.
    is_private: bool,
    servers: Vec<NewsServerState>,
    /// The messages of mailboxes, by which their marks are stored.
    mailboxes: Mailboxes,
    /// The loads that look for cross-posts of articles that were marked read.
    cross_post_loads: Vec<CrossPostLoad>,
    /// The article that is fetched ahead.
    pub(super) ahead: FetchAhead,
    /// The changes of marks that can be undone and redone.
    pub(super) history: MarkHistory,
    /// The next write of changes.
    write: Schedule,
    /// The next request of counts.
    refresh: Schedule,
}

impl News {
    /// Creates the state of private tabs.
    pub(crate) fn private() -> Self {
        Self {
            is_private: true,
            ..Self::default()
        }
    }

    /// Returns the state of a server, if a page of it was shown.
    pub(crate) fn server(&self, server: &NewsAuthority) -> Option<&NewsServerState> {
        self.servers.iter().find(|state| state.server == *server)
    }

    /// Returns the state of a server to be changed.
    fn server_mut(&mut self, server: &NewsAuthority) -> Option<&mut NewsServerState> {
        let mut servers = self.servers.iter_mut();
        servers.find(|state| state.server == *server)
    }

    /// Returns true if a group is subscribed to, on any server.
    pub(crate) fn is_subscribed(&self, group: &[u8]) -> bool {
        let mut marks = self.servers.iter().filter_map(|state| state.marks.as_ref());
        marks.any(|marks| marks.is_subscribed(group))
    }

    /// Returns the marks of a server; `None` while their file is read.
    pub(crate) fn marks(&self, server: &NewsAuthority) -> Option<&ServerMarks> {
        self.server(server)?.marks.as_ref()
    }

    /// Applies marks, folds and score rules to the pages that match.
    pub(crate) fn apply_news_state(
        &self,
        is_match: impl Fn(&Page) -> bool,
        tabs: &mut Tabs,
        cx: &Context,
    ) {
        let rules = &cx.settings.rules;
        let pages = tabs
            .tabs_mut()
            .filter(|tab| tab.is_private == self.is_private);
        for page in pages.flat_map(Tab::pages_mut) {
            if !matches!(page.shape(), Some(Shape::Group | Shape::Groups)) || !is_match(page) {
                continue;
            }
            let server = NewsAuthority::of(page);
            let is_server = server.as_ref().is_none_or(|server| !server.is_mailboxes());
            let state = server.and_then(|server| self.server(&server));
            let marks = state.and_then(|state| state.marks.as_ref());
            let folds = state.and_then(|state| state.folds.folds.as_ref());
            let group = page.group_name();
            let Some(rows) = page.view.rows_mut() else {
                continue;
            };
            let document = rows.own_document_mut();
            document.set_rules(std::sync::Arc::clone(rules));
            if let (Some(folds), Some(group)) = (folds, &group) {
                document.set_folds(&folds.of(group));
            }
            if let Some(marks) = marks {
                // Nothing is known of a mailbox before all of it is there.
                let is_known = |group: &Vec<u8>| is_server || marks.group(group).is_some();
                if let Some(group) = group.filter(is_known) {
                    document.set_read(marks.read(&group));
                }
                document.set_marks(marks.clone());
            }
        }
    }
}
