//! The commands, messages and effects of the tabs, and the data that they carry.

use std::path::PathBuf;

use geomys_load::{HostRules, OverviewGoal, Request};
use geomys_page::document::Document;
use geomys_page::document::picture::Graphics;
use geomys_store::files::cache::PageHeader;
use geomys_store::files::mailcap::Entry;
use geomys_store::transfer::view::TemporaryFile;
use geomys_wire::text::Text;
use rfc1738::Url;

use crate::news::server::NewsAuthority;
use crate::requester::OpenIn;

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
    /// The graphics of the terminal.
    Graphics(Option<Graphics>),
    /// The rules of a server for its selectors, requested for this command on this page; `None` if it sends none.
    Rules(Url, String, Option<HostRules>, RulesUse),
    /// The programs that mailcap names.
    Viewers(Vec<Entry>),
    /// A program has ended with this result, or could not be started.
    ProgramEnded(Result<String, String>),
}

/// A task for the tabs and their pages.
#[derive(Debug)]
pub enum TabsEffect {
    /// Request the rules for the selectors of the server with this name, for this command on this page.
    Rules(Url, String, Box<Request>, RulesUse),
    /// Read the mailcap files.
    Viewers(Vec<PathBuf>),
    /// Cache a page, for use without a network.
    CachePage(Box<PageHeader>, Box<Document>),
}

/// A command to the tabs and their pages.
#[derive(Clone, Debug)]
pub(crate) enum TabsCommand {
    /// Open the page that explains an address with an unsupported scheme.
    OpenUnsupported(Url),
    /// Read the file that is sent with the form.
    ReadFormFile(PathBuf),
    /// Send the form, and save its reply to this file outside the download directory.
    ConfirmReplyPath(PathBuf),
    /// Run another program.
    Run(Vec<String>),
    /// Run a program that has a window of its own.
    RunOnDesktop(Vec<String>),
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
