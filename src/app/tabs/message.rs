//! The commands, messages and effects of the tabs, and the data that they carry.

use std::path::PathBuf;
use std::sync::Arc;

use geomys_page::document::find::{Direction, FindStart, MatchCount, MatchPosition, SearchText};
use geomys_page::document::picture::{Graphics, Picture, RenderRequest, RenderedPicture};
use geomys_page::document::{Arrangement, Document};
use geomys_page::load::{HostRules, OverviewGoal, Request};
use geomys_store::files::cache::PageHeader;
use geomys_store::files::later::LaterEntry;
use geomys_store::files::mailcap::Entry;
use geomys_store::transfer::tree::TreeSummary;
use geomys_store::transfer::view::TemporaryFile;
use geomys_wire::text::{CharsetSetting, Text};
use rfc1738::Url;

use crate::app::news::server::NewsAuthority;
use crate::app::requester::Arrival;

/// The id of one long computation, to match its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkId(pub u64);

/// The target pane for a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenIn {
    /// The pane with the focus.
    ThisPane,
    /// A new pane to the right.
    NewPane,
    /// A new tab.
    NewTab,
}

/// A program to be run.
#[derive(Debug)]
pub struct Program {
    /// The program, then its arguments.
    pub arguments: Vec<String>,
    /// True if it uses the terminal while it runs; false if it has its own window.
    pub in_terminal: bool,
    /// The file that it shows; the file is deleted when the program has ended.
    pub file: Option<TemporaryFile>,
}

/// A message to the tabs and their pages.
#[derive(Debug)]
pub enum TabsMessage {
    /// A document was finished, or its rows were arranged.
    Finished(WorkId, Document),
    /// A document that still arrives was laid out.
    LaidOut(WorkId, Document),
    /// A search in a page has ended: the match, if there is one.
    Found(WorkId, Option<MatchPosition>),
    /// The matches of a search were counted.
    Counted(WorkId, MatchCount),
    /// The shown part of a picture was rendered.
    PictureRendered(WorkId, RenderedPicture),
    /// The graphics of the terminal.
    Graphics(Option<Graphics>),
    /// The rules of a server for its selectors, requested for this command on this page; `None` if it sends none.
    Rules(Url, String, Option<HostRules>, RulesUse),
    /// The programs that mailcap names.
    Viewers(Vec<Entry>),
    /// A file that is to be sent with a form was read, or the error.
    FileRead(WorkId, Result<Vec<u8>, String>),
    /// A program has ended with this result, or could not be started.
    ProgramEnded(Result<String, String>),
    /// A page was saved for later, with its title; or the error.
    SavedForLater(Result<String, String>),
    /// The pages to read later, to be shown in this way; or the error.
    LaterListed(Result<Vec<LaterEntry>, String>, Arrival),
    /// A page was removed from the pages to read later, which are these; or the error.
    LaterRemoved(Result<Vec<LaterEntry>, String>),
}

/// A task for the tabs and their pages.
#[derive(Debug)]
pub enum TabsEffect {
    /// Finish a document on a blocking task.
    Finish(WorkId, Document),
    /// Render the shown part of a picture on a blocking task.
    RenderPicture(WorkId, Arc<Picture>, RenderRequest),
    /// Lay out a document that still arrives, on a blocking task.
    LayOut(WorkId, Document),
    /// Sort and filter a document's rows on a blocking task.
    Arrange(WorkId, Document, Arrangement),
    /// Search a document on a blocking task, from this position in this direction.
    Find(WorkId, Document, SearchText, FindStart, Direction),
    /// Count the matches in a document on a blocking task, and the number of this one.
    Count(WorkId, Document, SearchText, MatchPosition),
    /// Request the rules for the selectors of the server with this name, for this command on this page.
    Rules(Url, String, Box<Request>, RulesUse),
    /// Read the mailcap files.
    Viewers(Vec<PathBuf>),
    /// Read a file that is to be sent with a form.
    ReadFile(WorkId, PathBuf, u64),
    /// Store the charset for the pages of this host.
    StoreCharset(String, CharsetSetting),
    /// Cache a page, for use without a network.
    CachePage(Box<PageHeader>, Document),
    /// Put a page with this title into the queue of pages to read later, and fetch it.
    SaveForLater(Box<Request>, String),
    /// Read the queue of pages to read later, to be shown in this way.
    ListLater(Arrival),
    /// Remove a page from the queue of pages to read later, and read the queue.
    RemoveLater(Url),
}

/// A command to the tabs and their pages.
#[derive(Clone, Debug)]
pub(crate) enum TabsCommand {
    /// Open the page that explains an address with an unsupported scheme.
    OpenUnsupported(Url),
    /// Read the page in this charset.
    SetCharset(CharsetSetting),
    /// Read the file that is sent with the form.
    ReadFormFile(PathBuf),
    /// Send the form, and save its reply to this file outside the download directory.
    ConfirmReplyPath(PathBuf),
    /// Run another program.
    Run(Vec<String>),
    /// Run a program that has a window of its own.
    RunOnDesktop(Vec<String>),
    /// Show the failures of a directory transfer on a new page.
    ShowFailures(TreeSummary, Url),
    /// Give a pane of the shown tab the focus.
    FocusPane(usize),
    /// Request the changes of cached lists that were shown at once.
    RequestListChanges,
    /// Request more articles of an open group.
    LoadArticles(NewsAuthority, Vec<u8>, OverviewGoal),
}

/// The command that the rules of a server were requested for.
#[derive(Debug)]
pub enum RulesUse {
    /// Going up.
    GoUp,
    /// Opening an item with this title, over TLS if the server answers there.
    Open(Box<Request>, Text, OpenIn),
}
