//! The commands by which the parts of the app tell each other what to do. The answers of dialogs are commands too.
//!
//! A command is data. [`App::update`] carries it out after the part that queued it has returned.
//!
//! [`App::update`]: super::App::update

use std::path::PathBuf;

use crate::app::Overlay;
use crate::app::action::Action;
use crate::app::bookmarks::form::BookmarkForm;
use crate::app::dialogs::dialog::Dialog;
use crate::app::news::NewsAuthority;
use crate::app::news::mark::CatchUpRange;
use crate::app::news::next_group::GroupSearch;
use crate::app::requester::{NextStep, PendingRequest};
use crate::app::tabs::open::OpenIn;
use crate::app::transfers::{TransferId, ViewerJob};
use crate::bookmarks::{Bookmarks, NewBookmark};
use crate::document::Document;
use crate::document::score::NewRule;
use crate::files::draft::StoredDraft;
use crate::load::{LoadId, Login, OverviewGoal, Question, Request};
use crate::net::UntrustedCertificate;
use crate::text::{CharsetSetting, Text};
use crate::transfer::download::PartialFilePolicy;
use crate::transfer::queue::Destination;
use crate::transfer::tree::TreeSummary;
use crate::url::Url;

/// A command to a part of the app.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    /// Open a URL; the text is the label of its link.
    Open(Url, Option<Text>, OpenIn),
    /// Open a request; the text is the label of its link.
    OpenRequest(Box<Request>, Option<Text>, OpenIn),
    /// Open a request in the pane with the focus; the step follows when its page is complete.
    OpenThen(Box<Request>, NextStep),
    /// Set the step that follows when the incoming page is complete.
    SetNextStep(NextStep),
    /// Open each address in its own tab, behind the shown one.
    OpenInTabs(Vec<(Text, Url)>),
    /// Open the home page.
    OpenHome,
    /// Open the home page in a pane that shows no page.
    OpenHomeIfEmpty,
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
    /// Run an action in its scope.
    CarryOut(Action),
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
    /// A command to the news part.
    News(NewsCommand),
    /// A command about the draft.
    Compose(ComposeCommand),
    /// A command to the credentials.
    Credentials(CredentialCommand),
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
    /// Show the failures of a directory transfer on a new page.
    ShowFailures(TreeSummary, Url),
    /// Request the changes of cached lists that were shown at once.
    RequestListChanges,
    /// Request more articles of an open group.
    LoadArticles(NewsAuthority, Vec<u8>, OverviewGoal),
}

/// A command to the bookmarks.
#[derive(Clone, Debug)]
pub(crate) enum BookmarkCommand {
    /// Remove items of these bookmarks.
    Remove(Bookmarks, Vec<usize>),
    /// Replace faulty URLs by fixed ones.
    Repair(Bookmarks, Vec<(usize, Url)>),
    /// Check the links of these bookmarks.
    Check(Bookmarks, Vec<usize>),
    /// Watch the pages of these bookmarks.
    Watch(Bookmarks, Vec<usize>),
    /// Remove the tag of watched pages from these bookmarks.
    Unwatch(Bookmarks, Vec<usize>),
    /// Ask for the folder of these links; the string is the proposed name.
    AskLinksFolder(Vec<NewBookmark>, String),
    /// Move the cursor to this bookmark.
    GoTo(Bookmarks, usize),
    /// Save a form although another bookmark has the same address.
    SaveDuplicate(Box<BookmarkForm>),
}

/// A command to the transfers.
#[derive(Clone, Debug)]
pub(crate) enum TransferCommand {
    /// Download a request.
    Download(Box<Request>),
    /// Download a request to this destination.
    Add(Box<Request>, Destination),
    /// Ask for the path of a file to be saved; the string is its proposed name.
    AskPath(Box<PendingRequest>, String),
    /// Fetch a file under this name, and view it.
    View(Box<Request>, String, ViewerJob),
    /// Go on with this policy for the partial file.
    SetPartial(TransferId, PartialFilePolicy),
    /// Find a local directory for a transfer of a directory.
    FindDestination(TransferId),
    /// Add the files to a directory with other files.
    Merge(TransferId),
    /// Go on beyond the announced size.
    AcceptOversize(TransferId),
    /// Remove a transfer and its partial file.
    Erase(TransferId),
    /// Save the complete reply to a form.
    SaveReply(Box<Document>, PathBuf),
}

/// A command to the news part.
#[derive(Clone, Debug)]
pub(crate) enum NewsCommand {
    /// Request the counts of the subscribed groups of a server, to go on with a search.
    CountGroups(NewsAuthority, Option<GroupSearch>),
    /// Mark articles of a group read.
    CatchUp(NewsAuthority, Vec<u8>, CatchUpRange),
    /// Ask where a score rule is to count: the group, the score, the header and its text.
    AskRuleScope(Vec<u8>, i32, &'static str, String),
    /// Add a score rule for the groups of a wildmat.
    AddRule(String, NewRule),
    /// Apply the state of the server to the page of a load that has begun.
    PageBegun(LoadId),
    /// Go on after the page of a URL was finished.
    PageFinished(Url),
    /// Mark the article of a URL read, if its load has failed because the server no longer has it.
    ArticleFailed(Url),
}

/// A command about the draft that is being written.
#[derive(Clone, Debug)]
pub(crate) enum ComposeCommand {
    /// Send the draft.
    Send,
    /// Send the draft to the server that it was begun for.
    SendToFirstServer,
    /// Edit the draft.
    Edit,
    /// Close the draft; its file stays.
    Close,
    /// Remove the draft in this file.
    Remove(PathBuf),
    /// Send these stored drafts.
    SendAll(Vec<StoredDraft>),
    /// Load the group again to which an article was posted.
    ReloadGroup(Url),
}

/// A command to the credentials.
#[derive(Clone, Debug)]
pub(crate) enum CredentialCommand {
    /// Send passwords to this authority without TLS, and go on with the request.
    AcceptPlainLogin(Box<PendingRequest>, String),
    /// Accept the hazards of a URL, and go on with the request.
    AcceptHazards(Box<PendingRequest>),
    /// Trust a certificate, and go on with the request.
    Trust(
        Box<UntrustedCertificate>,
        Box<PendingRequest>,
        TrustDuration,
    ),
    /// Reject a certificate, and end the request.
    RejectCertificate(String, Box<PendingRequest>),
    /// Store a password in the keyring for this login scope.
    Store(String, Login),
    /// Remember the login of a request that a server has accepted.
    Remember(Box<Request>),
}

/// The time for which a certificate is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrustDuration {
    /// Until the browser exits.
    Session,
    /// Always.
    Always,
}
