//! The part of the app that has made a request, and gets its answer.

use std::path::PathBuf;

use geomys_load::{Reason, Request};
use geomys_page::document::Document;
use geomys_page::document::find::SearchText;
use geomys_wire::net::Security;
use geomys_wire::text::Text;
use rfc1738::Url;

use crate::action::Action;
use crate::news::message::WantedArticle;

/// The part of the app that has made a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requester {
    /// The pane with the focus: the page arrives there.
    Pane(Arrival),
    /// The draft that is being sent.
    Draft,
    /// A transfer, which writes the answer to the disk.
    Transfer(TransferId),
}

/// The id of a transfer in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransferId(pub u64);

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

/// A link that the user has opened.
#[derive(Clone, Debug)]
pub(crate) struct LinkToOpen {
    /// Its request.
    pub(crate) request: Request,
    /// Its label.
    pub(crate) label: Text,
    /// The pane for its page.
    pub(crate) open_in: OpenIn,
}

/// A page to open.
#[derive(Clone, Debug)]
pub(crate) struct OpenPage {
    pub(crate) target: OpenTarget,
    /// The label of the link to it.
    pub(crate) title: Option<Text>,
    pub(crate) open_in: OpenIn,
    /// The step that follows when the page is complete.
    pub(crate) next_step: Option<NextStep>,
}

/// The target of a page to open.
#[derive(Clone, Debug)]
pub(crate) enum OpenTarget {
    /// A URL and the reason why it is opened.
    Url(Url, Reason),
    /// A request, of a link for example.
    Request(Box<Request>),
    /// A request for a link of the shown page, which says where the request goes.
    Link(Box<Request>),
    /// A document that was made here.
    Made(Box<MadePage>),
}

/// A document that was made here, of what another page has.
#[derive(Clone, Debug)]
pub(crate) struct MadePage {
    pub(crate) url: Url,
    pub(crate) document: Document,
    pub(crate) security: Option<Security>,
    /// The reason to request its URL, when it is loaded again.
    pub(crate) reason: Reason,
}

impl From<Request> for OpenPage {
    fn from(request: Request) -> Self {
        Self::new(OpenTarget::Request(Box::new(request)))
    }
}

impl OpenPage {
    /// Opens a target in the pane with the focus.
    fn new(target: OpenTarget) -> Self {
        Self {
            target,
            title: None,
            open_in: OpenIn::ThisPane,
            next_step: None,
        }
    }

    /// Opens a URL for a reason.
    pub(crate) fn at(url: Url, reason: Reason) -> Self {
        Self::new(OpenTarget::Url(url, reason))
    }

    /// Opens a link of the shown page.
    pub(crate) fn link(request: Request) -> Self {
        Self::new(OpenTarget::Link(Box::new(request)))
    }

    /// Shows a document that was made here.
    pub(crate) fn made(
        url: Url,
        document: Document,
        security: Option<Security>,
        reason: Reason,
    ) -> Self {
        let made = MadePage {
            url,
            document,
            security,
            reason,
        };
        Self::new(OpenTarget::Made(Box::new(made)))
    }

    pub(crate) fn titled(self, title: impl Into<Option<Text>>) -> Self {
        let title = title.into();
        Self { title, ..self }
    }

    pub(crate) fn open_in(self, open_in: OpenIn) -> Self {
        Self { open_in, ..self }
    }

    pub(crate) fn then(self, next_step: NextStep) -> Self {
        Self {
            next_step: Some(next_step),
            ..self
        }
    }
}

/// A request that waits for an answer of the user.
#[derive(Clone, Debug)]
pub struct PendingRequest {
    /// The request.
    pub request: Request,
    /// The title of the page or transfer.
    pub title: Text,
    /// The part of the app that has made the request.
    pub requester: Requester,
    /// The step that follows when the page is complete.
    pub next_step: Option<NextStep>,
    /// The key that the user made the request with, by its number ([`crate::Context::asked_at`]).
    pub(crate) asked_at: Option<u64>,
}

/// The step that follows when a page is complete, if the user did nothing else meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Selects an article of the group, or goes on to the next group.
    Select(WantedArticle),
    /// Puts the cursor on the link to this URL.
    SelectLink(Url),
    /// Finds the words of a search, where they are best.
    FindWords(SearchText),
    /// Scrolls to the row that the fragment of the page's URL names.
    GoToFragment,
    /// Runs an action on the article.
    Run(Action),
    /// Writes the reply to a form to the file that the user typed.
    Save(PathBuf),
}

impl PendingRequest {
    /// Creates a request without a next step.
    pub(crate) fn new(request: Request, title: Text, requester: Requester) -> Self {
        Self {
            request,
            title,
            requester,
            next_step: None,
            asked_at: None,
        }
    }

    /// Creates the request of a page for the pane with the focus.
    pub(crate) fn for_pane(request: Request, title: Text, arrival: Arrival) -> Self {
        Self::new(request, title, Requester::Pane(arrival))
    }

    /// Sets the step that follows when the page is complete.
    pub(crate) fn then(self, next_step: impl Into<Option<NextStep>>) -> Self {
        Self {
            next_step: next_step.into(),
            ..self
        }
    }

    /// Returns the transfer that has made the request.
    pub fn transfer(&self) -> Option<TransferId> {
        match self.requester {
            Requester::Transfer(id) => Some(id),
            Requester::Pane(_) | Requester::Draft => None,
        }
    }

    /// Returns true if a transfer has made the request.
    pub fn is_transfer(&self) -> bool {
        self.transfer().is_some()
    }
}

/// The destination of an incoming page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// After the shown page, in place of the forward history.
    Append,
    /// In place of the shown page, from the top.
    Replace,
    /// In place of the shown page, of which it is a newer copy, with the same view.
    Reload,
}
