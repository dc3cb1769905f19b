//! Messages to the state of the application, and effects that it requests.

use std::path::PathBuf;
use std::time::Duration;

use crossterm::event::KeyEvent;

use crate::app::bookmarks::check::{LinkCheckReport, LinkCheckRequest, WatchRequest};
use crate::app::bookmarks::filter::{BookmarkSearch, BookmarkSearchResult};
use crate::app::compose::{DraftJob, DraftOutcome};
use crate::app::news::{FoldChanges, MarkChanges, NewsAuthority};
use crate::app::tabs::external::Program;
use crate::app::tabs::go_up::RulesUse;
use crate::app::tabs::page::WorkId;
use crate::app::transfers::{
    BinaryJob, DirectoryTransfer, PipeJob, TransferInterruption, TransferJob, TransferOutcome,
};
use crate::bookmarks::checks::{CheckResult, Checks};
use crate::bookmarks::watch::{WatchEvent, WatchedPages};
use crate::bookmarks::{AppliedChange, Bookmarks, Change};
use crate::document::binary::FileCheck;
use crate::document::find::{Direction, SearchText};
use crate::document::marks::ServerMarks;
use crate::document::{Arrangement, Document, score};
use crate::files::cache::PageHeader;
use crate::files::folds::ServerFolds;
use crate::files::mailcap::Entry;
use crate::load::{HostRules, LoadId, Login, Part, Request, SessionInput};
use crate::net::{Fingerprint, Pin};
use crate::text::{CharsetSetting, Text};
use crate::transfer::download::{
    DownloadOrder as Fetch, SavedFile, Target, TransferEvent as Downloading,
};
use crate::transfer::queue::UnfinishedTransfer;
use crate::transfer::tree::TreeProgress;
use crate::transfer::view::TemporaryFile;
use crate::url::Url;

/// An event that changes the state.
#[derive(Debug)]
pub enum Message {
    /// A key was pressed.
    Key(KeyEvent),
    /// Text was pasted.
    Paste(String),
    /// The terminal was resized to this number of columns and lines.
    Resize(u16, u16),
    /// The system requests the end of the process (SIGTERM, SIGHUP).
    Terminate,
    /// A part of a load has arrived.
    Load(LoadId, Part),
    /// A message to the tabs.
    Tabs(TabsMessage),
    /// A message to the bookmarks.
    Bookmarks(BookmarkMessage),
    /// A message to the transfers.
    Transfers(TransferMessage),
    /// A message to the news part.
    News(NewsMessage),
    /// A job for a draft has ended.
    Compose(DraftOutcome),
    /// A message to the credentials.
    Credentials(CredentialMessage),
}

/// A message to the tabs and their pages.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // One message exists at a time: a box would save no memory.
pub enum TabsMessage {
    /// A document was finished, or its rows were arranged.
    Finished(WorkId, Document),
    /// A document that still arrives was laid out.
    LaidOut(WorkId, Document),
    /// A search in a page has ended: the row of the match, if there is one.
    Found(WorkId, Option<usize>),
    /// The rules of a server for its selectors, requested for this command on this page; `None` if it sends none.
    Rules(Url, String, Option<HostRules>, RulesUse),
    /// The programs that mailcap names.
    Viewers(Vec<Entry>),
    /// A file that is to be sent with a form was read, or the error.
    FileRead(WorkId, Result<Vec<u8>, String>),
    /// A program has ended with this result, or could not be started.
    ProgramEnded(Result<String, String>),
    /// A page was cached, or the error.
    PageCached(Result<(), String>),
    /// The charset of a host was stored, or the error.
    CharsetStored(Result<(), String>),
}

/// A message to the bookmarks.
#[derive(Debug)]
pub enum BookmarkMessage {
    /// A change to the bookmark file was saved, or the error.
    Saved(HistoryStep, Result<AppliedChange, String>),
    /// The bookmark file was touched by this or another program.
    Touched,
    /// The bookmark file was read again, or the error.
    Read(Result<Bookmarks, String>),
    /// A search in the bookmarks has ended.
    Filtered(WorkId, Box<BookmarkSearchResult>),
    /// The stored results of link checks and of watched bookmarks were read, or the error.
    CheckResultsRead(Result<(Checks, WatchedPages), String>),
    /// The results of a link check since its last report.
    Checked(LoadId, LinkCheckReport),
    /// A link check has ended.
    CheckEnded(LoadId),
    /// Watched bookmarks were fetched.
    Watched(Vec<WatchEvent>),
    /// These bookmarks have the tag of watched ones, and their URLs were never fetched.
    NewlyWatched(Bookmarks, Vec<usize>),
    /// The results of a link check, or events of watched bookmarks, were saved, or the error.
    ResultsWritten(Result<(), String>),
}

/// A message to the transfers.
#[derive(Debug)]
pub enum TransferMessage {
    /// The progress of a file that is fetched to be viewed: its octets so far, and its size.
    DownloadProgress(LoadId, u64, Option<u64>),
    /// A page was saved: the file, or the error.
    Downloaded(LoadId, Result<SavedFile, String>),
    /// A binary was joined and saved: the file and its check, or the error.
    Joined(LoadId, Result<(SavedFile, FileCheck), String>),
    /// A program got its pages: its last words, or the error.
    Piped(LoadId, Result<Text, String>),
    /// A file was fetched to be viewed, or the error.
    Fetched(LoadId, Result<TemporaryFile, String>),
    /// The local path that is proposed for a directory transfer.
    Destination(DirectoryTransfer, PathBuf),
    /// The progress of a file transfer.
    Progress(LoadId, Downloading),
    /// The progress of a directory transfer.
    DirectoryProgress(LoadId, TreeProgress),
    /// A transfer has ended.
    Ended(LoadId, Result<TransferOutcome, TransferInterruption>),
    /// The list of unfinished transfers was saved, or the error.
    ListWritten(Result<(), String>),
}

/// A message to the news part.
#[derive(Debug)]
pub enum NewsMessage {
    /// The marks of a news server after this number of changes was saved, or the error.
    Marks(NewsAuthority, usize, Result<ServerMarks, String>),
    /// The folded threads of a news server after this number of changes was saved, or the error.
    Folds(NewsAuthority, usize, Result<ServerFolds, String>),
    /// The write of marks and folds that [`NewsEffect::Schedule`] scheduled is due.
    Due,
    /// The request of counts that [`NewsEffect::Refresh`] scheduled is due.
    RefreshDue,
    /// All score rules after one was added, or the error.
    Rule(Result<score::ScoreRules, String>),
}

/// A message to the credentials.
#[derive(Debug)]
pub enum CredentialMessage {
    /// An accepted certificate was saved for this authority, or the error.
    Pinned(String, Result<Pin, String>),
    /// The result of a keyring lookup.
    Keyring(WorkId, Option<Login>),
    /// A password was stored in the keyring, or the error.
    PasswordStored(Result<(), String>),
}

/// A task that the main loop carries out for the state.
#[derive(Debug)]
pub enum Effect {
    /// Start a load.
    Load(LoadId, Request),
    /// Send input to the session that this load holds.
    SendToSession(LoadId, SessionInput),
    /// Cancel a load, or a download.
    Drop(LoadId),
    /// A task for the tabs.
    Tabs(TabsEffect),
    /// A task for the bookmarks.
    Bookmarks(BookmarkEffect),
    /// A task for the transfers.
    Transfers(TransferEffect),
    /// A task for the news part.
    News(NewsEffect),
    /// Carry out a job for a draft.
    Compose(DraftJob),
    /// A task for the credentials.
    Credentials(CredentialEffect),
    /// Run another program.
    Run(Program),
    /// Turn the offline mode on or off.
    Offline(bool),
    /// Put text on the terminal's clipboard.
    Copy(String),
    /// Draw the whole screen again.
    Redraw,
    /// Restore the terminal and stop the process until the shell continues it.
    Suspend,
}

/// A task for the tabs and their pages.
#[derive(Debug)]
pub enum TabsEffect {
    /// Finish a document on a blocking task.
    Finish(WorkId, Document),
    /// Lay out a document that still arrives, on a blocking task.
    LayOut(WorkId, Document),
    /// Sort and filter a document's rows on a blocking task.
    Arrange(WorkId, Document, Arrangement),
    /// Search a document on a blocking task, from this row in this direction.
    Find(WorkId, Document, SearchText, usize, Direction),
    /// Request the rules for the selectors of the server with this name, for this command on this page.
    Rules(Url, String, Box<Request>, RulesUse),
    /// Read the mailcap files.
    Viewers(Vec<PathBuf>),
    /// Read a file that is to be sent with a form.
    ReadFile(WorkId, PathBuf),
    /// Store the charset for the pages of this host.
    StoreCharset(String, CharsetSetting),
    /// Cache a page, for use without a network.
    CachePage(Box<PageHeader>, Document),
}

/// A task for the bookmarks.
#[derive(Debug)]
pub enum BookmarkEffect {
    /// Change the bookmark file, of which these bookmarks are an earlier state.
    Save(HistoryStep, Change, Bookmarks),
    /// Read the bookmark file again, of which these bookmarks are an earlier state.
    Read(Bookmarks),
    /// Search the bookmarks on a blocking task.
    Filter(WorkId, Box<BookmarkSearch>),
    /// Read the stored results of link checks and of watched bookmarks.
    ReadCheckResults,
    /// Check the links of bookmarks.
    Check(LoadId, Box<LinkCheckRequest>),
    /// Fetch the watched bookmarks that are due.
    Watch(LoadId, Box<WatchRequest>),
    /// Save results of a link check; the bookmarks are the current list.
    WriteCheckResults(Vec<CheckResult>, Bookmarks),
    /// Save events of watched bookmarks: their content was fetched, or one was opened.
    WriteWatchEvents(Vec<WatchEvent>),
}

/// A task for the transfers.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "few effects exist at the same time, and each only until it is carried out"
)]
pub enum TransferEffect {
    /// Transfer a file, or a directory with all its files, to the disk.
    Start(LoadId, Box<TransferJob>),
    /// Find a local directory for the directory of this URL: this path, or a similar one that is free.
    Destination(DirectoryTransfer, Url, PathBuf),
    /// Replace the first list of unfinished transfers by the second one in their file.
    WriteList(Vec<UnfinishedTransfer>, Vec<UnfinishedTransfer>),
    /// Remove the partial file of a transfer, after its load was cancelled.
    RemovePartial(Option<LoadId>, Box<Fetch>),
    /// Write a page's octets to a file.
    Save(LoadId, Document, Target),
    /// Write the reply to a form to this file. Its directory must exist, or be the download directory (the last path).
    SaveReply(LoadId, Document, PathBuf, PathBuf),
    /// Fetch the parts of a binary, join and check them, and write the file.
    Join(LoadId, Box<BinaryJob>),
    /// Fetch pages, and write them to the standard input of a program.
    Pipe(LoadId, Box<PipeJob>),
    /// Fetch a file under this name to view it; it is deleted afterwards.
    Fetch(LoadId, Request, String),
}

/// A task for the news part.
#[derive(Debug)]
pub enum NewsEffect {
    /// Save changes to the marks of a news server in a file, and read that file; without changes, only read it.
    Marks(NewsAuthority, PathBuf, MarkChanges),
    /// Save changes to the folded threads of a news server in a file, and read that file; without changes, only read it.
    Folds(NewsAuthority, PathBuf, FoldChanges),
    /// Send [`NewsMessage::Due`] soon, as marks or folds have changed.
    Schedule,
    /// Send [`NewsMessage::RefreshDue`] after this time.
    Refresh(Duration),
    /// Add a score rule for the articles in the groups of a wildmat to this file.
    Rule(PathBuf, String, score::NewRule),
}

/// A task for the credentials.
#[derive(Debug)]
pub enum CredentialEffect {
    /// Save an accepted certificate for an authority.
    Pin(String, Fingerprint),
    /// Look up the password for a login scope and a user in the keyring.
    Keyring(WorkId, String, String),
    /// Store a password for a login scope in the keyring.
    StorePassword(String, Login),
}

/// The kind of a change to the bookmarks in their undo history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryStep {
    /// A new change, which can be undone.
    Done,
    /// The undo of the last change.
    Undone,
    /// The redo of an undone change.
    Redone,
}
