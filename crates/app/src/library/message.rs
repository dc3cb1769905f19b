//! The commands, messages and effects of the library, and the data that they carry.

use std::collections::HashSet;
use std::sync::Arc;

use geomys_crawl::sync::progress::PageCount;
use geomys_crawl::sync::report::{SourceReport, SyncSummary};
use geomys_load::{LoadId, Namer, Reason, Request};
use geomys_page::document::{ArticleNumbers, Document, Zone};
use geomys_store::bookmarks::archive::Archives;
use geomys_store::files::draft::StoredDraft;
use geomys_store::files::history::{History, HistorySettings, Visit, VisitKind};
use geomys_store::files::identities::StoredIdentity;
use geomys_store::files::later::LaterEntry;
use geomys_store::files::session::SessionState;
use geomys_wire::text::{CharsetSetting, Text, count};
use jiff::Timestamp;
use jiff::civil::Date;
use rfc1738::Url;

use crate::credentials::request_defaults::RequestDefaults;
use crate::news::server::{NewsAuthority, Newsrcs};
use crate::requester::Arrival;
use crate::transfers::Progress;

/// A message to the library.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // One message exists at a time: a box would save no memory.
pub enum LibraryMessage {
    /// The stored visits were read, or the error.
    Read(Result<History, String>),
    /// A visit was stored.
    Stored(Visit),
    /// The session is to be written now.
    SessionDue,
    /// The session was written, or the error.
    SessionSaved(Result<(), String>),
    /// The stored visits were read, and the page with them was made.
    Listed(Arrival, Result<(History, Document), String>),
    /// The subscribed groups with cached overviews were read.
    Groups(Vec<StoredGroup>),
    /// The URLs of the cached pages were read.
    Cached(HashSet<Url>),
    /// The pages to read later were read.
    Later(Vec<LaterEntry>),
    /// A sync of another process has ended, or another process has changed what it reads.
    Touched,
    /// The drafts that wait for a sync were listed, or the error.
    Outbox(Result<Vec<StoredDraft>, String>),
    /// The progress of the sync.
    SyncProgress(LoadId, SyncStep),
    /// The sync has ended, or the error.
    SyncEnded(
        LoadId,
        Result<Box<(Vec<SourceReport>, SyncSummary)>, String>,
    ),
    /// The copies of a dead page were looked up.
    Copies(Box<PageCopies>),
    /// The saving of a page for later has ended.
    SavedForLater(SavedForLater),
    /// The pages to read later, to be shown in this way; or the error.
    LaterListed(Result<Vec<LaterEntry>, String>, Arrival),
    /// A page was removed from the pages to read later, which are these; or the error.
    LaterRemoved(Result<Vec<LaterEntry>, String>),
    /// The client certificates, to be shown in this way; or the error.
    IdentitiesListed(Result<Vec<StoredIdentity>, String>, Arrival),
}

/// The end of saving a page for later.
#[derive(Debug)]
pub enum SavedForLater {
    /// The page is stored, under this title.
    Stored(String),
    /// The page of this URL is queued, and waits for an answer of the user: the reason in words.
    Asks(Url, String),
    /// The page is not stored: the error.
    Failed(String),
}

/// The use of the outbox in a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutboxUse {
    /// What waits is sent.
    Send,
    /// Nothing is sent.
    Leave,
}

/// A sync to be run.
#[derive(Clone, Debug)]
pub struct SyncOrder {
    /// The defaults of each request.
    pub defaults: RequestDefaults,
    /// The use of the outbox.
    pub outbox: OutboxUse,
}

/// A sync that runs.
#[derive(Clone, Debug)]
pub struct RunningSync {
    /// The octets that came, and their rate.
    pub progress: Progress,
    /// The title of the source that a page came of last.
    pub source: Text,
    /// The pages of all sources, and the drafts.
    pub pages: PageCount,
}

impl RunningSync {
    /// Returns the progress in words: `12 of 40, 1.3 MB, 120 kB/s`.
    pub fn words(&self) -> String {
        let PageCount { done, found } = self.pages;
        let (done, found) = (count(done), count(found));
        format!("{done} of {found}, {}", self.progress.words())
    }
}

/// The progress of a sync.
#[derive(Clone, Debug)]
pub struct SyncStep {
    /// The title of the source that a page came of.
    pub source: Text,
    /// The pages of all sources, and the drafts.
    pub pages: PageCount,
    /// The octets that came.
    pub octets: u64,
}

/// A subscribed group, as far as its read marks and its overview are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGroup {
    /// The server.
    pub server: NewsAuthority,
    /// The name.
    pub name: Vec<u8>,
    /// The URL of the group on the server.
    pub url: Url,
    /// The lowest article number in the overview.
    pub low: u64,
    /// The highest article number.
    pub high: u64,
    /// The numbers of read articles by the stored marks.
    pub read: Arc<ArticleNumbers>,
    /// The time when the overview came from the server.
    pub since: Timestamp,
}

/// A task for the library.
#[derive(Debug)]
pub enum LibraryEffect {
    /// Read the stored visits.
    Read(HistorySettings),
    /// Store a visit of a page with this title, for this reason in words.
    Store(Url, String, VisitKind, String),
    /// Send [`LibraryMessage::SessionDue`] soon.
    ScheduleSession,
    /// Write the session.
    SaveSession(SessionState),
    /// Read the stored visits, and make the page of them, after those of one URL were removed.
    List(Arrival, VisitList),
    /// Read which subscribed groups have a cached overview.
    ReadGroups(Newsrcs),
    /// Read the URLs of the cached pages.
    ListCached,
    /// List the drafts that wait for a sync.
    ReadOutbox,
    /// Run a sync.
    Sync(LoadId, Box<SyncOrder>),
    /// Look for the copies of a dead page.
    FindCopies(Box<CopiesOrder>),
    /// Put a page with this title into the queue of pages to read later, and fetch it.
    SaveForLater(Box<Request>, String),
    /// Read the queue of pages to read later.
    ReadLater,
    /// Put the page of a link with this title into that queue, without fetching it.
    QueueLink(Url, String, Namer),
    /// Note that a page of that queue was shown.
    MarkRead(Url),
    /// Note that the user has agreed to this authority, to whose local address a page of the queue leads: the next sync
    /// fetches it.
    Agree(Url, String),
    /// Read the queue of pages to read later, to be shown in this way.
    ListLater(Arrival),
    /// Remove a page from the queue of pages to read later, and read the queue.
    RemoveLater(Url),
    /// Search the stored copies, and send what is found as the page of this load.
    Search(LoadId, Box<SearchOrder>),
    /// List the client certificates, to be shown in this way, after a change.
    Identities(Arrival, Option<IdentityChange>),
}

/// The page of visits to be made.
#[derive(Clone, Debug)]
pub struct VisitList {
    /// The URL of the page.
    pub page: Url,
    /// The visits that are listed.
    pub settings: HistorySettings,
    /// The zone of the times.
    pub zone: Zone,
    /// The URL whose visits are removed first.
    pub removed: Option<String>,
}

/// A dead page whose copies are looked for.
#[derive(Clone, Debug)]
pub struct CopiesOrder {
    /// Its URL.
    pub url: Url,
    /// Its title.
    pub title: Text,
    /// The reason to request it.
    pub reason: Reason,
    /// The archives that may have it.
    pub archives: Archives,
}

/// The copies of a dead page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageCopies {
    /// The URL of the page.
    pub url: Url,
    /// Its title.
    pub title: Text,
    /// The reason to request it.
    pub reason: Reason,
    /// The day in UTC when the stored copy came from its server.
    pub cached: Option<Date>,
    /// The URL of the page at an archive, nearest to the time when it was bookmarked or was last alive.
    pub archived: Option<Url>,
    /// Its new address, if a check has found one.
    pub moved: Option<Url>,
}

/// A search of the stored copies, and of the titles of bookmarks and visits.
#[derive(Clone, Debug)]
pub struct SearchOrder {
    /// The URL of the page of what is found.
    pub page: Url,
    /// The query, as the user typed it.
    pub words: String,
    /// The charset of pages that do not declare theirs.
    pub charset: CharsetSetting,
    /// The visits that are searched.
    pub history: HistorySettings,
    /// The zone of the dates.
    pub zone: Zone,
    /// The files with the read marks of news.
    pub newsrcs: Newsrcs,
}

/// A change of the client certificates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdentityChange {
    /// Give a certificate another name.
    Rename {
        /// The name now.
        name: String,
        /// The new name.
        new: String,
    },
    /// Use a certificate for a whole host.
    Widen {
        /// The name.
        name: String,
        /// The host with its port.
        authority: String,
    },
    /// Use a certificate no longer for a path of a host and those below it.
    Leave {
        /// The name.
        name: String,
        /// The host with its port.
        authority: String,
        /// The path.
        path: String,
    },
    /// Remove a certificate with its key.
    Remove(String),
}

/// A command to the library.
#[derive(Clone, Debug)]
pub(crate) enum LibraryCommand {
    /// Store the visit of a page with this title, for this reason.
    Visited(Url, String, VisitKind, Reason),
    /// Show the home page.
    Home(Arrival),
    /// Open the next new item of the home page; the groups of this server have no unread article that can be read.
    ReadNext(Option<NewsAuthority>),
    /// Begin a sync.
    Sync(OutboxUse),
    /// Show the page of visits.
    List(Arrival),
    /// The offline mode was turned on or off.
    FollowOffline,
    /// Restore the tabs of the last session, or start a new one.
    RestoreSession(bool),
    /// Remove the visits of a URL, and show the page of visits again.
    Remove(String),
    /// Change the client certificates, and show their page again.
    ChangeIdentity(IdentityChange),
}
