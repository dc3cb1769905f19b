//! The commands by which the parts of the app tell each other what to do. The answers of dialogs are commands too.
//!
//! A command is data. [`App::update`] carries it out after the part that queued it has returned.
//!
//! [`App::update`]: super::App::update

use std::path::PathBuf;

use geomys_load::Question;
use geomys_wire::text::{CharsetSetting, Text};
use rfc1738::Url;

use crate::action::Action;
use crate::dialogs::palette::PaletteEntry;
use crate::message::from_parts;
use crate::requester::{LinkToOpen, OpenPage};
use crate::view::work::{WorkId, WorkResult};
use crate::{
    BookmarkCommand, ComposeCommand, CredentialCommand, Dialog, LibraryCommand, NewsCommand,
    Overlay, PendingRequest, TabsCommand, TransferCommand,
};

from_parts! {
    Command {
        Tabs(TabsCommand),
        Bookmarks(BookmarkCommand),
        Transfers(TransferCommand),
        Library(LibraryCommand),
        News(NewsCommand),
        Compose(ComposeCommand),
        Credentials(CredentialCommand),
    }
}

impl From<OpenPage> for Command {
    fn from(page: OpenPage) -> Self {
        Self::Open(Box::new(page))
    }
}

/// A command to a part of the app.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    /// Open a page.
    Open(Box<OpenPage>),
    /// Open a link of the part that had the focus.
    OpenLink(Box<LinkToOpen>),
    /// Open each address in its own tab, behind the shown one.
    OpenInTabs(Vec<(Text, Url)>),
    /// Open the home page.
    OpenHome,
    /// Open the home page in a pane that shows no page.
    OpenHomeIfEmpty,
    /// Mark what leads to this URL as read: its page is shown.
    Shown(Url),
    /// Start a load for the part of the app that has requested it.
    Load(Box<PendingRequest>),
    /// End a load whose question was left without an answer; with the message about it.
    CancelPending(Box<PendingRequest>, String),
    /// Ask a question for a page that is loading, or for a transfer.
    Ask(Question, Box<PendingRequest>),
    /// Ask a question that no key press caused, as soon as the user types nothing.
    AskLater(Box<Dialog>),
    /// Show an element above the page.
    Show(Overlay),
    /// Move the cursor of the part with the focus by a number of rows.
    Step(isize),
    /// Carry out an action as if its key was pressed.
    Act(Action),
    /// Carry out an entry of the palette.
    Run(Box<PaletteEntry>),
    /// Run an action in its scope.
    CarryOut(Action),
    /// Take the result of a computation that was carried out at once.
    Worked(WorkId, Box<WorkResult>),
    /// Read the page in this charset.
    SetCharset(CharsetSetting),
    /// Save the screen as a picture over this file.
    ReplaceCard(PathBuf),
    /// Leave the page of a form.
    LeavePage,
    /// Load the shown page again.
    Reload,
    /// Bring all cursors into view.
    Reveal,
    /// Exit the browser.
    Quit,
    /// A command to the tabs.
    Tabs(TabsCommand),
    /// A command to the bookmarks.
    Bookmarks(BookmarkCommand),
    /// A command to the transfers.
    Transfers(TransferCommand),
    /// A command to the library.
    Library(LibraryCommand),
    /// A command to the news part.
    News(NewsCommand),
    /// A command about the draft.
    Compose(ComposeCommand),
    /// A command to the credentials.
    Credentials(CredentialCommand),
}
