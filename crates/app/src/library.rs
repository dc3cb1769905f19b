//! The library: the history of visited pages, the session, and the cached pages that links lead to.

pub mod copies;
pub mod identities;
pub mod later;
pub mod message;
pub mod session;
pub mod sync;
pub mod visits;

use geomys_load::{Namer, Reason};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use geomys_crawl::sync::report::{ASKS, Note};
use geomys_store::files::history::{History, VisitKind};
use geomys_wire::net::{page_text, page_url};
use geomys_wire::text::Text;
use jiff::Timestamp;
use rfc1738::{Dialect, Protocol, Url};

use crate::action::Action;
use crate::home::new_items::{NewCounts, ReadItems};
use crate::library::identities::identities_page;
use crate::library::later::notify_saved;
use crate::library::message::{
    LibraryCommand, LibraryEffect, LibraryMessage, RunningSync, SavedForLater, StoredGroup,
    VisitList,
};
use crate::library::session::{SessionChoices, SessionStore};
use crate::library::sync::{ask_sync, record_sync, sync_ended};
use crate::requester::{Arrival, LinkToOpen};
use crate::view::builtin;
use crate::view::context::State;
use crate::{Command, Context, Credentials, Focus, Page, Tabs};

/// The state of the library.
#[derive(Debug, Default)]
pub struct Library {
    /// True if visits are stored: not in a browser without files.
    pub(crate) stores_visits: bool,
    /// The stored visits of all processes at the last reading, and those of this process since.
    history: History,
    /// The hashes of the visited URLs.
    visited: HashSet<u64>,
    /// The session that is stored.
    pub(crate) session: SessionStore,
    /// The data of the home page beside the visits.
    pub(crate) home: HomeState,
    /// The link that was opened while the copies were read, in the offline mode.
    held: Option<Box<LinkToOpen>>,
    /// The sync.
    pub sync: SyncState,
}

/// The sync of this browser.
#[derive(Debug, Default)]
pub struct SyncState {
    /// The running sync.
    pub running: Option<RunningSync>,
    /// The pages that the last sync could not fetch, with the word for their kind: without those of the queue.
    pub(crate) notes: Vec<(&'static str, Note)>,
    /// Why pages of the queue did not come when they were last requested, with the word for their kind.
    pub(crate) unfetched: HashMap<String, (&'static str, String)>,
    /// True if that is newer than the shown page of the queue.
    pub(crate) is_unlisted: bool,
}

/// The state of the home page.
#[derive(Debug, Default)]
pub(crate) struct HomeState {
    /// The subscribed groups with cached overviews.
    pub(crate) groups: Vec<StoredGroup>,
    /// The counts that the home page shows now; `None` while another page is shown.
    pub(crate) shown: Option<HomeCounts>,
    /// True if visits, groups or saved pages have changed since the home page was made.
    pub(crate) has_changed: bool,
    /// What one key has opened of the new items on it.
    pub(crate) opened: ReadItems,
}

/// The counts on the home page that change without a message of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HomeCounts {
    /// The number of new items.
    pub(crate) new: NewCounts,
    /// The number of unfinished transfers.
    pub(crate) transfers: usize,
    /// The number of bookmarks and folders.
    pub(crate) bookmarks: usize,
    /// The number of tabs of the session that waits.
    pub(crate) waiting_tabs: usize,
    /// True on a screen with room for two columns.
    pub(crate) is_wide: bool,
}

impl Library {
    /// Returns true if a page of this URL was visited.
    pub fn is_visited(&self, url: &Url) -> bool {
        !self.visited.is_empty() && self.visited.contains(&hash(page_url(url).as_str()))
    }

    /// Returns the visits, the oldest first.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Returns the time of the last visit of a URL, if it is stored.
    pub(crate) fn last_visit(&self, url: &Url) -> Option<Timestamp> {
        let page = page_url(url);
        let mut visits = self.history.iter().rev();
        let last = visits.find(|visit| visit.key() == page.as_str())?;
        Timestamp::from_second(last.second).ok()
    }

    /// Queues the reading of the stored visits.
    pub(crate) fn start(&self, cx: &mut Context) {
        if self.stores_visits && cx.settings.history.is_on {
            cx.emit(LibraryEffect::Read(cx.settings.history.clone()));
        }
    }

    /// Queues the reading of what a sync changes, of another process too: the overviews of subscribed groups, the pages
    /// saved for later, and the copies, if they are needed.
    pub(crate) fn read_stored(&mut self, cx: &mut Context) {
        if !self.stores_visits {
            return;
        }
        Self::read_groups(cx);
        cx.emit(LibraryEffect::ReadLater);
        self.follow_offline(cx);
    }

    /// Queues the reading of what is stored about subscribed groups.
    pub(crate) fn read_groups(cx: &mut Context) {
        let newsrcs = &cx.settings.newsrcs;
        if newsrcs.directory.is_some() || !newsrcs.named.is_empty() {
            cx.emit(LibraryEffect::ReadGroups(newsrcs.clone()));
        }
    }

    /// Handles a message.
    pub(crate) fn update(
        &mut self,
        message: LibraryMessage,
        tabs: &mut Tabs,
        chosen: &SessionChoices<'_>,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        match message {
            LibraryMessage::Read(Ok(history)) => self.set_history(history),
            LibraryMessage::Stored(visit) => {
                self.visited.insert(hash(&page_text(&visit.url)));
                self.history.push(&visit);
                self.home.has_changed = true;
            }
            LibraryMessage::Listed(arrival, Ok((history, document))) => {
                self.set_history(history);
                let title = Text::of("History");
                let url = document.url().clone();
                tabs.arrive(Page::new(url, title, document, State::Whole), arrival, cx);
                if let Some(rows) = tabs.page_mut().and_then(|page| page.view.rows_mut()) {
                    rows.restore_arrangement(cx);
                }
                cx.pages_changed();
                cx.reveal_all();
            }
            LibraryMessage::Read(Err(sentence)) | LibraryMessage::Listed(_, Err(sentence)) => {
                cx.report_error(&sentence);
            }
            LibraryMessage::Groups(groups) => {
                self.home.has_changed |= self.home.groups != groups;
                self.home.groups = groups;
            }
            LibraryMessage::Copies(copies) => copies::offer(*copies, cx),
            LibraryMessage::Cached(urls) => {
                self.set_copies(cx.settings.offline.then_some(urls), cx);
            }
            LibraryMessage::Later(entries) => {
                let is_unlisted = std::mem::take(&mut self.sync.is_unlisted);
                let has_changed = self.set_later(entries.clone(), cx) || is_unlisted;
                if has_changed && tabs.shows(builtin::LATER) {
                    self.later_listed(Ok(entries), Arrival::Reload, tabs, None, cx);
                }
            }
            LibraryMessage::Touched => self.read_stored(cx),
            LibraryMessage::Outbox(Ok(outbox)) => ask_sync(&outbox, cx),
            LibraryMessage::SyncProgress(load, step) => record_sync(&mut self.sync, load, step, cx),
            LibraryMessage::SyncEnded(load, result) => {
                sync_ended(&mut self.sync, load, result, cx);
                self.read_stored(cx);
            }
            LibraryMessage::SessionDue => self.session.due(tabs, chosen, cx),
            LibraryMessage::SavedForLater(saved) => {
                notify_saved(&saved, cx);
                if let SavedForLater::Asks(url, reason) = saved {
                    self.sync.unfetched.insert(url.to_string(), (ASKS, reason));
                    self.sync.is_unlisted = true;
                }
                cx.emit(LibraryEffect::ReadLater);
            }
            LibraryMessage::LaterListed(listed, arrival) => {
                self.later_listed(listed, arrival, tabs, Some(credentials), cx);
            }
            LibraryMessage::LaterRemoved(listed) => {
                self.later_listed(listed, Arrival::Reload, tabs, None, cx);
            }
            LibraryMessage::Outbox(Err(sentence))
            | LibraryMessage::IdentitiesListed(Err(sentence), _) => cx.report_error(&sentence),
            LibraryMessage::IdentitiesListed(Ok(identities), arrival) => {
                let is_left = arrival == Arrival::Reload && !tabs.shows(builtin::IDENTITIES);
                if let Some(page) = identities_page(&identities, tabs).filter(|_| !is_left) {
                    tabs.arrive(page, arrival, cx);
                    cx.reveal_all();
                }
            }
            LibraryMessage::SessionSaved(Ok(())) => {}
            LibraryMessage::SessionSaved(Err(sentence)) => {
                // Each of the next writes would fail too.
                self.session = SessionStore::Other;
                cx.report_error(&sentence);
            }
        }
    }

    /// Carries out a command of another part.
    pub(crate) fn carry_out(&mut self, command: LibraryCommand, tabs: &mut Tabs, cx: &mut Context) {
        match command {
            LibraryCommand::Visited(url, title, kind, reason) => {
                self.store_visit(&url, title, kind, &reason, cx);
            }
            // The home page shows more than the library: the app makes it, and goes through it.
            LibraryCommand::Home(_) | LibraryCommand::ReadNext(_) | LibraryCommand::Sync(_) => {}
            LibraryCommand::List(arrival) => self.list(arrival, None, cx),
            LibraryCommand::RestoreSession(is_restored) => {
                self.session.answered(is_restored, tabs, cx);
            }
            LibraryCommand::FollowOffline => self.follow_offline(cx),
            LibraryCommand::ChangeIdentity(change) => {
                cx.emit(LibraryEffect::Identities(Arrival::Reload, Some(change)));
            }
            LibraryCommand::Remove(url) => self.list(Arrival::Reload, Some(url), cx),
        }
    }

    fn store_visit(
        &self,
        url: &Url,
        title: String,
        kind: VisitKind,
        reason: &Reason,
        cx: &mut Context,
    ) {
        let url = url.without_password();
        // The answer to a server of Gemini or Spartan is part of the URL, and may be a secret.
        let asks = matches!(url.protocol(), Protocol::Gemini(_) | Protocol::Spartan(_));
        let is_answer = asks && url.as_str().contains('?');
        let is_public = !url.has_secret() && !is_answer && cx.settings.history.includes(&url);
        if self.stores_visits && is_public {
            let is_told = match reason.namer() {
                Namer::Page(page) => !cx.settings.history.excludes(&page),
                Namer::User | Namer::Unknown => true,
            };
            let reason = if is_told {
                reason.words()
            } else {
                String::new()
            };
            cx.emit(LibraryEffect::Store(url, title, kind, reason));
        }
    }

    fn list(&self, arrival: Arrival, removed: Option<String>, cx: &mut Context) {
        if !self.stores_visits || !cx.settings.history.is_on {
            return cx.notify("The history is off: see [history] in settings.toml");
        }
        let Ok(page) = Dialect::Extended.parse(builtin::HISTORY) else {
            return;
        };
        let list = VisitList {
            page,
            settings: cx.settings.history.clone(),
            zone: cx.settings.zone.clone(),
            removed,
        };
        cx.emit(LibraryEffect::List(arrival, list));
    }

    fn set_history(&mut self, history: History) {
        self.visited = history.iter().map(|visit| hash(&visit.key())).collect();
        self.home.has_changed |= self.history != history;
        self.history = history;
    }

    /// Has the URLs of the cached pages read in the offline mode, and forgets them online. Only pages from the cache
    /// are loaded offline, so that none is added meanwhile.
    pub(crate) fn follow_offline(&mut self, cx: &mut Context) {
        if cx.settings.offline {
            cx.emit(LibraryEffect::ListCached);
        } else {
            self.set_copies(None, cx);
        }
    }

    /// Takes the keys of all copies, and opens the link that waits for them.
    fn set_copies(&mut self, keys: Option<HashSet<Url>>, cx: &mut Context) {
        cx.copies.set_keys(keys);
        if let Some(held) = self.held.take() {
            cx.command(Command::OpenLink(held));
        }
    }

    /// Holds a link in the offline mode until the copies are read. Returns it if they are.
    pub(crate) fn hold(&mut self, link: LinkToOpen, cx: &Context) -> Option<LinkToOpen> {
        if !cx.settings.offline || cx.copies.urls().is_some() {
            return Some(link);
        }
        self.held = Some(Box::new(link));
        None
    }
}

/// Shows the history, or the page before it.
pub(crate) fn toggle_history(tabs: &Tabs, cx: &mut Context) {
    cx.focus = Focus::Panes;
    if tabs.shows(builtin::HISTORY) {
        cx.command(Command::Act(Action::Back));
    } else {
        cx.command(LibraryCommand::List(Arrival::Append));
    }
}

fn hash(url: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    url.hash(&mut hasher);
    hasher.finish()
}
