//! A page: one address, and its document as far as it has come.

use std::path::PathBuf;
use std::time::Duration;

use super::document_view::DocumentView;
use super::place::Place;
use super::server_form::Filling;
use super::session::Session;
use crate::document::find::{Direction, Needle};
use crate::document::{Arrangement, Document, Link, Shape};
use crate::load::{Directory, Failure, Kept, LoadId, NewsHost, ServerDate};
use crate::net::Security;
use crate::text::Text;
use crate::url::Url;

/// A page in a pane's history.
#[derive(Debug)]
pub struct Page {
    /// Its address.
    pub url: Url,
    /// What the link to it, or the server, called it.
    pub title: Text,
    /// What there is to show.
    pub content: Content,
    /// How far its load is.
    pub state: State,
    /// Where it is read.
    pub place: Place,
    /// Long lines are wrapped; else they are scrolled sideways.
    pub wrap: bool,
    /// Whether the colours that its text came with are shown.
    pub colours: Colours,
    /// The words last looked for in it.
    pub needle: Option<Needle>,
    /// The page itself, while its source is shown.
    pub rendered: Option<Rendered>,
    /// The finishing or arranging whose outcome is for this page.
    pub finishing: Option<WorkId>,
    /// The arrangement that it will have then.
    pub arranging: Option<Arrangement>,
    /// The find whose outcome is for this page, and its way.
    pub finding: Option<(WorkId, Direction)>,
    /// The news server it came from: where its `news:` links lead.
    pub news_server: Option<NewsHost>,
    /// The highest number of its group, when the server said.
    pub highest: Option<u64>,
    /// The file that it is written to once it is whole: a form asked for its name.
    pub keep: Option<PathBuf>,
    /// How safe the connection was that it came over; nothing where it came over none.
    pub security: Option<Security>,
    /// What its server has told of the items of a menu.
    pub told: Told,
    /// What the clock of a news server showed when its list of groups was asked for.
    pub asked_at: Option<ServerDate>,
    /// Since when it was kept, where no server was asked.
    pub kept: Option<Kept>,
    /// The URL under which it is kept once it is whole; nothing where it is not.
    pub kept_as: Option<Url>,
    /// How much of an article was marked read because it was shown.
    pub seen: Seen,
    /// When it was last on the screen, by the loop's clock.
    pub shown_at: Duration,
    /// Whether it is loaded again by itself.
    pub reload: Reload,
    /// How many octets of it were asked for, where that is not the usual.
    pub limit: Option<u64>,
    /// Where it was read and how its rows were arranged before it was dropped, until all of it is here again.
    pub restore: Option<(Place, Arrangement)>,
}

/// How much of an article was marked read because it was shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    /// Nothing: too little of it was shown.
    #[default]
    Nothing,
    /// Its own number; the rest is still to come.
    Part,
    /// Its numbers in all its groups.
    Whole,
}

/// Whether a page that was dropped, or left before all of it had come, is loaded again when it is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reload {
    /// It is, by itself.
    #[default]
    Unasked,
    /// A person must ask for it: answers to a form would be sent again, or the load was stopped.
    Asked,
}

/// What a server has told of the items of a menu: their attributes.
#[derive(Clone, Debug, Default)]
pub enum Told {
    /// Nobody has asked.
    #[default]
    Nothing,
    /// An item was asked about by itself.
    One,
    /// All of them were asked about at once. Unless that brings something, each is asked about by itself from now on.
    Asked,
    /// The attributes of all of them.
    Every(Directory),
}

/// What becomes of the colours that a text came with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colours {
    /// They are shown.
    #[default]
    Shown,
    /// They are not.
    Hidden,
}

/// A page while its source is shown in its stead.
#[derive(Debug)]
pub struct Rendered {
    /// The page itself.
    pub document: DocumentView,
    /// Where it was read.
    pub place: Place,
    /// Its long lines were wrapped.
    pub wrap: bool,
}

/// Tells the outcome of one long computation from that of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkId(pub u64);

/// What a page shows.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // Nearly every page is a document: a box would save nothing.
pub enum Content {
    /// Rows, perhaps not all of them yet.
    Document(DocumentView),
    /// Why there is nothing.
    Failure(Failure),
    /// A form to fill.
    Form(Box<Filling>),
    /// A terminal session.
    Session(Box<Session>),
    /// Nothing any more: it was dropped to free memory, and is loaded again when it is shown.
    Forgotten,
}

/// How far a page's load is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Octets arrive.
    Arriving(Progress),
    /// A session is held by this load.
    Held(LoadId),
    /// All is here.
    Whole,
    /// A person stopped it; what came is here.
    Stopped,
    /// Another page was opened over it before all had come; it is loaded again when it is gone back to.
    Left,
    /// It reached the cap of a page, in octets; what came is here.
    Cut(u64),
    /// It failed on the way; what came is here.
    Broken(Failure),
}

/// How a transfer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Whose parts they are.
    pub load: LoadId,
    /// Octets so far.
    pub octets: u64,
    /// Octets in all, when the server said.
    pub size: Option<u64>,
    /// When the first came, by the loop's clock.
    pub since: Duration,
    /// When the last came.
    pub now: Duration,
}

impl Progress {
    /// Octets a second; nothing before there is a span to speak of.
    pub fn rate(&self) -> Option<u64> {
        let millis = u64::try_from(self.now.saturating_sub(self.since).as_millis()).ok()?;
        (millis >= 250).then(|| self.octets.saturating_mul(1000) / millis)
    }

    /// Seconds left, when the size is known.
    pub fn seconds_left(&self) -> Option<u64> {
        let left = self.size?.checked_sub(self.octets)?;
        left.checked_div(self.rate()?)
    }
}

impl Page {
    /// A page of this document, at its top.
    pub fn new(url: Url, title: Text, document: Document, state: State) -> Self {
        // What was written to be read is wrapped, and what stands in columns is not.
        let wrap = match document.shape() {
            Shape::Attributes | Shape::People => true,
            Shape::Menu
            | Shape::Hits
            | Shape::Html
            | Shape::Text
            | Shape::Groups
            | Shape::Group
            | Shape::Article
            | Shape::Listing { .. } => !document.is_list(),
        };
        Self {
            state,
            wrap,
            ..Self::of(url, title, Content::Document(document.into()))
        }
    }

    /// A page that tells why there is none.
    pub fn failed(url: Url, title: Text, failure: Failure) -> Self {
        Self::of(url, title, Content::Failure(failure))
    }

    /// A page of this content, nothing of which is still to come.
    pub fn of(url: Url, title: Text, content: Content) -> Self {
        Self {
            url,
            title,
            content,
            state: State::Whole,
            place: Place::default(),
            wrap: true,
            colours: Colours::default(),
            needle: None,
            rendered: None,
            finishing: None,
            arranging: None,
            finding: None,
            news_server: None,
            highest: None,
            keep: None,
            security: None,
            told: Told::default(),
            asked_at: None,
            kept: None,
            kept_as: None,
            seen: Seen::default(),
            shown_at: Duration::ZERO,
            reload: Reload::default(),
            limit: None,
            restore: None,
        }
    }

    /// Its form, when it is one.
    pub fn form(&self) -> Option<&Filling> {
        match &self.content {
            Content::Form(filling) => Some(filling),
            Content::Document(_)
            | Content::Failure(_)
            | Content::Session(_)
            | Content::Forgotten => None,
        }
    }

    /// Its document, when it has one.
    pub fn document(&self) -> Option<&Document> {
        self.document_view().map(|view| &**view)
    }

    /// Its document with the rows that were laid out for the screen, when it has one.
    pub fn document_view(&self) -> Option<&DocumentView> {
        match &self.content {
            Content::Document(document) => Some(document),
            Content::Failure(_) | Content::Form(_) | Content::Session(_) | Content::Forgotten => {
                None
            }
        }
    }

    /// Whether it is to be loaded again by itself when it is shown.
    pub fn wants_load(&self) -> bool {
        let is_away = matches!(self.content, Content::Forgotten) || self.state == State::Left;
        is_away && self.reload == Reload::Unasked
    }

    /// The load whose octets arrive.
    pub fn load(&self) -> Option<LoadId> {
        match &self.state {
            State::Arriving(progress) => Some(progress.load),
            State::Held(load) => Some(*load),
            State::Whole | State::Stopped | State::Left | State::Cut(_) | State::Broken(_) => None,
        }
    }

    /// Rows so far.
    pub fn count(&self) -> usize {
        self.document().map_or(0, Document::count)
    }

    /// Whether the cursor walks its rows; else they scroll.
    pub fn is_list(&self) -> bool {
        self.document().is_some_and(Document::is_list)
    }

    /// The link under the cursor; of a failure, where to go instead.
    pub fn link(&self) -> Option<Link> {
        if let Content::Failure(failure) = &self.content {
            return failure.next.as_deref().cloned();
        }
        let document = self.document()?;
        let index = if document.is_list() {
            0
        } else {
            self.place.link?
        };
        document.link(self.place.cursor, index)
    }
}

impl State {
    /// Whether octets still arrive.
    pub fn is_arriving(&self) -> bool {
        matches!(self, Self::Arriving(_))
    }

    /// Whether a session is held.
    pub fn is_held(&self) -> bool {
        matches!(self, Self::Held(_))
    }
}
