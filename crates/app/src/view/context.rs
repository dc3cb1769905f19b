//! The context in which a view is asked, and the outcome of its answer.

use crate::Rect;
use geomys_load::{Failure, LoadId, Reason};
use geomys_wire::text::Text;
use rfc1738::Url;

use crate::requester::{OpenIn, OpenPage};
use crate::transfers::Progress;
use crate::view::choices::{Chosen, UserChoices};
use crate::view::text_area::TextArea;
use crate::view::work::{Work, WorkId};
use crate::{Context, Dialog};

/// The answer of a view to an action or a key.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The view has done it.
    Done,
    /// The action or the key is not for this view.
    Ignored,
    /// A page is to be opened.
    Open(Box<OpenPage>),
    /// The user is to be asked.
    Ask(Box<Dialog>),
}

impl From<Dialog> for Outcome {
    fn from(dialog: Dialog) -> Self {
        Self::Ask(Box::new(dialog))
    }
}

impl<T: Into<OpenPage>> From<Option<T>> for Outcome {
    fn from(page: Option<T>) -> Self {
        page.map_or(Self::Ignored, |page| Self::Open(Box::new(page.into())))
    }
}

impl Outcome {
    /// Opens the page elsewhere, if the view wants one opened.
    pub(crate) fn open_in(self, open_in: OpenIn) -> Self {
        match self {
            Self::Open(page) if open_in != OpenIn::ThisPane => {
                Self::Open(Box::new(page.open_in(open_in)))
            }
            other => other,
        }
    }

    /// Returns the answer of a view that has done it or not.
    pub(crate) fn of(is_done: bool) -> Self {
        if is_done { Self::Done } else { Self::Ignored }
    }
}

/// The context of a question to a view: its page, its pane, the choices of the user, and the browser around it.
pub(crate) struct ViewContext<'a> {
    pub(crate) url: &'a Url,
    pub(crate) title: &'a Text,
    /// The reason why the page was requested.
    pub(crate) reason: Reason,
    pub(crate) state: &'a State,
    /// The area of the pane.
    pub(crate) pane: Rect,
    /// The space for its text.
    pub(crate) area: TextArea,
    pub(crate) choices: &'a mut UserChoices,
    /// True if what is done on the page may be written to disk.
    pub(crate) is_stored: bool,
    pub(crate) cx: &'a mut Context,
}

impl ViewContext<'_> {
    /// Returns where a choice on the page is made.
    pub(crate) fn chosen(&self) -> Chosen {
        Chosen {
            is_private: self.cx.found.is_private,
            is_stored: self.is_stored,
        }
    }

    /// Starts a computation.
    pub(crate) fn start(&mut self, work: Work) -> WorkId {
        let id = self.cx.next_work();
        self.cx.start_work(id, work);
        id
    }
}

/// The state of a page's load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// The load is running; octets arrive.
    Arriving(Progress),
    /// This load holds a terminal session.
    InSession(LoadId),
    /// The page is complete.
    Whole,
    /// The user stopped the load; the page has the part that arrived.
    Stopped,
    /// Another page was opened before this one was complete; it is loaded again when the user goes back to it.
    Interrupted,
    /// The page reached this maximum size, in octets; it has the part up to there.
    Truncated(u64),
    /// The load failed before its end; the page has the part that arrived.
    Broken(Failure),
}

impl State {
    /// Returns the running load.
    pub fn load(&self) -> Option<LoadId> {
        match self {
            Self::Arriving(progress) => Some(progress.load),
            state => state.session(),
        }
    }

    /// Returns the load of a running session.
    pub(crate) fn session(&self) -> Option<LoadId> {
        match self {
            Self::InSession(load) => Some(*load),
            _ => None,
        }
    }

    /// Returns true while octets arrive.
    pub fn is_arriving(&self) -> bool {
        matches!(self, Self::Arriving(_))
    }

    /// Returns true while the load holds a session.
    pub fn is_in_session(&self) -> bool {
        matches!(self, Self::InSession(_))
    }
}
