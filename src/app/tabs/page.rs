//! A page: one URL, and the part of its document that has arrived.

use std::collections::BTreeSet;
use std::time::Duration;

use geomys_page::document::find::{Direction, FindStart, MatchCount, MatchPosition, SearchText};
use geomys_page::document::{Arrangement, Document, Link, Shape};
use geomys_page::load::{
    CachedInfo, Failure, GopherAttributes, GopherItem, LoadId, NewsHost, RelevantDocument, Request,
    ServerDate,
};
use geomys_wire::net::{Security, TransferEnd};
use geomys_wire::text::Text;
use rfc1738::Url;

use crate::app::WorkId;
use crate::app::news::group_overview::GroupOverview;
use crate::app::requester::NextStep;
use crate::app::settings::Colours;
use crate::app::transfers::Progress;
use crate::app::view::document_view::DocumentView;
use crate::app::view::form::FormPage;
use crate::app::view::position::ScrollPosition;
use crate::app::view::saved::PageView;
use crate::app::view::shown_picture::ShownPicture;
use crate::app::view::terminal::Session;

/// A page in a pane's history.
#[derive(Debug)]
pub struct Page {
    /// The URL of the page.
    pub url: Url,
    /// The title: from the link to the page, or from the server.
    pub title: Text,
    /// The content to display.
    pub content: Content,
    /// The state of its load.
    pub state: State,
    /// The cursor and the scroll position.
    pub position: ScrollPosition,
    /// True if wrapping on, false if they are scrolled sideways.
    pub wrap: bool,
    /// Display of the colours that are part of its text.
    pub colours: Colours,
    /// The marked rows of a list, by their lines.
    pub marked: BTreeSet<usize>,
    /// The words of the last search in the page.
    pub needle: Option<SearchText>,
    /// The rendered page, while its source is shown.
    pub rendered: Option<RenderedPage>,
    /// The task that lays out the page while it arrives.
    pub laying_out: Option<WorkId>,
    /// The finish or sort task whose result is for this page.
    pub finishing: Option<WorkId>,
    /// True if the cursor follows its entry when the document is finished, from the top row too: a key has moved the entry.
    pub(crate) follows_entry: bool,
    /// The arrangement of the rows after that task.
    pub arranging: Option<Arrangement>,
    /// The search task whose result is for this page, with its start and its direction.
    pub finding: Option<(WorkId, FindStart, Direction)>,
    /// The match that the last search found.
    pub found: Option<FoundMatch>,
    /// The news server that sent it. Its `news:` links lead to this server.
    pub news_server: Option<NewsHost>,
    /// The page that named its URL; `None` if the user did.
    pub referrer: Option<Url>,
    /// The document to which the documents of this WAIS search are similar.
    pub relevant: Option<Box<RelevantDocument>>,
    /// The highest article number of its group, if the server sent it.
    pub highest: Option<u64>,
    /// The part of its group's overview that has arrived.
    pub overview: GroupOverview,
    /// The languages that the server declares.
    pub languages: Option<Text>,
    /// The security of the connection that it came over; `None` if it came over no connection.
    pub security: Option<Security>,
    /// The end of the transfer of a complete page.
    pub end: TransferEnd,
    /// The Gopher+ attributes of the items of a menu.
    pub menu_attributes: MenuAttributes,
    /// The date of the news server's clock when its list of groups was requested.
    pub list_date: Option<ServerDate>,
    /// The time of the cached copy and the reason for its use, if the page comes from the cache.
    pub cached: Option<CachedInfo>,
    /// The URL under which the complete page is cached; `None` if it is not to be cached.
    pub cache_key: Option<Url>,
    /// The article numbers that were marked read because the article was displayed.
    pub read_extent: ReadExtent,
    /// True until its visit is stored, which waits for the title in the page.
    pub(crate) has_new_visit: bool,
    /// The last time when it was on the screen, by the clock of the main loop.
    pub shown_at: Duration,
    /// The way in which a dropped or incomplete page is loaded again.
    pub reload: ReloadPolicy,
    /// The kind of Gopher item, as the menu with its link said it.
    pub gopher_item: GopherItem,
    /// The requested maximum in octets, if it differs from the default.
    pub limit: Option<u64>,
    /// The view before the page was dropped or reloaded, until it is complete again.
    pub restore: Option<PageView>,
    /// The step that follows when the page is complete.
    pub next_step: Option<NextStep>,
    /// The part that an earlier session has in the page.
    pub restored: Restored,
    /// The picture on the screen, if the page is one.
    pub shown_picture: ShownPicture,
    /// The POST request of the page, if it was not redirected. It is sent again only if the user confirms it.
    pub posted: Option<Box<Request>>,
}

/// The match that a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundMatch {
    /// The position of the match.
    pub position: MatchPosition,
    /// The task that counts the matches.
    pub counting: WorkId,
    /// Its number among all matches, once they are counted.
    pub count: Option<MatchCount>,
}

/// The article numbers that were marked read because the article was displayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReadExtent {
    /// No number: too little of the article was displayed.
    #[default]
    Nothing,
    /// The article's own number; the rest of the article has not arrived yet.
    Part,
    /// The article's numbers in all its groups.
    Whole,
}

/// The way in which a page that was dropped, or left before it was complete, is loaded again when it is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReloadPolicy {
    /// The page is loaded again when it is shown.
    #[default]
    Automatic,
    /// The user must request the load: it would send the answers to a form again, or the user stopped the last load.
    OnRequest,
}

/// The part that an earlier session has in a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Restored {
    /// None: the page was loaded in this run, or the user has asked for its load.
    #[default]
    No,
    /// The page was restored, and is loaded when it is shown. The load asks the user nothing.
    Automatic,
    /// The page was restored, and only the user may have it loaded.
    OnRequest,
}

/// The Gopher+ attributes of the items of a menu, as far as they were requested.
#[derive(Clone, Debug, Default)]
pub enum MenuAttributes {
    /// No attributes were requested yet.
    #[default]
    Unknown,
    /// The attributes of one item were requested.
    OneRequested,
    /// The attributes of all items were requested at once. Unless that succeeds, later requests are for one item each.
    AllRequested,
    /// The attributes of all items.
    All(GopherAttributes),
}

/// The rendered form of a page while its source is shown.
#[derive(Debug)]
pub struct RenderedPage {
    /// The rendered document.
    pub document: DocumentView,
    /// The scroll position in the rendered document.
    pub position: ScrollPosition,
    /// True if its long lines were wrapped.
    pub wrap: bool,
}

/// The content of a page.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every page is a document: a box would save no memory"
)]
pub enum Content {
    /// A document; some of its rows may not have arrived yet.
    Document(DocumentView),
    /// A failed load: the reason why there is no document.
    Failure(Failure),
    /// A form of the server, to be filled in.
    Form(Box<FormPage>),
    /// A terminal session.
    Session(Box<Session>),
    /// No content: it was dropped to free memory, and is loaded again when the page is shown.
    Dropped,
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

impl Page {
    /// Creates a page of this document, scrolled to the top.
    pub fn new(url: Url, title: Text, document: Document, state: State) -> Self {
        // Prose is wrapped; text in columns is not.
        let is_prose = matches!(document.shape(), Shape::Attributes | Shape::People);
        let wrap = is_prose || !document.is_list();
        Self {
            state,
            wrap,
            ..Self::of(url, title, Content::Document(document.into()))
        }
    }

    /// Creates a page that shows the failure of its load.
    pub fn failed(url: Url, title: Text, failure: Failure) -> Self {
        Self::of(url, title, Content::Failure(failure))
    }

    /// Creates a complete page of this content.
    pub fn of(url: Url, title: Text, content: Content) -> Self {
        Self {
            url,
            title,
            content,
            state: State::Whole,
            position: ScrollPosition::default(),
            wrap: true,
            colours: Colours::default(),
            marked: BTreeSet::new(),
            needle: None,
            rendered: None,
            laying_out: None,
            finishing: None,
            follows_entry: false,
            arranging: None,
            finding: None,
            found: None,
            news_server: None,
            referrer: None,
            relevant: None,
            highest: None,
            overview: GroupOverview::default(),
            languages: None,
            security: None,
            end: TransferEnd::default(),
            menu_attributes: MenuAttributes::default(),
            list_date: None,
            cached: None,
            cache_key: None,
            read_extent: ReadExtent::default(),
            has_new_visit: false,
            shown_at: Duration::ZERO,
            reload: ReloadPolicy::default(),
            gopher_item: GopherItem::default(),
            limit: None,
            restore: None,
            next_step: None,
            restored: Restored::No,
            shown_picture: ShownPicture::default(),
            posted: None,
        }
    }

    /// Returns the form, if the page is one.
    pub fn form(&self) -> Option<&FormPage> {
        self.content.form()
    }

    /// Returns the document, if there is one.
    pub fn document(&self) -> Option<&Document> {
        self.document_view().map(|view| &**view)
    }

    /// Returns the document with the rows that were laid out for the screen, if there is one.
    pub fn document_view(&self) -> Option<&DocumentView> {
        self.content.document()
    }

    /// Returns true if the page is to be loaded again as soon as it is shown.
    pub fn needs_reload(&self) -> bool {
        let needs_load =
            matches!(self.content, Content::Dropped) || self.state == State::Interrupted;
        needs_load && self.reload == ReloadPolicy::Automatic
    }

    /// Returns the running load of the page.
    pub fn load(&self) -> Option<LoadId> {
        match &self.state {
            State::Arriving(progress) => Some(progress.load),
            state => state.session(),
        }
    }

    /// Returns the number of rows so far.
    pub fn count(&self) -> usize {
        self.document().map_or(0, Document::count)
    }

    /// Returns true if the cursor moves from row to row; false if the rows scroll.
    pub fn is_list(&self) -> bool {
        self.document().is_some_and(Document::is_list)
    }

    /// Returns the link under the cursor; of a failed page, the link to go to instead.
    pub fn link(&self) -> Option<Link> {
        if let Some(failure) = self.content.failure() {
            return failure.next.as_deref().cloned();
        }
        let document = self.document()?;
        let index = if document.is_list() {
            0
        } else {
            self.position.link?
        };
        document.link(self.position.cursor, index)
    }
}

impl Content {
    pub(crate) fn document(&self) -> Option<&DocumentView> {
        match self {
            Self::Document(document) => Some(document),
            _ => None,
        }
    }

    pub(crate) fn document_mut(&mut self) -> Option<&mut DocumentView> {
        match self {
            Self::Document(document) => Some(document),
            _ => None,
        }
    }

    /// Returns the reason of a failed load.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failure(failure) => Some(failure),
            _ => None,
        }
    }

    pub(crate) fn form(&self) -> Option<&FormPage> {
        match self {
            Self::Form(form) => Some(form),
            _ => None,
        }
    }

    pub(crate) fn form_mut(&mut self) -> Option<&mut FormPage> {
        match self {
            Self::Form(form) => Some(form),
            _ => None,
        }
    }

    pub(crate) fn session(&self) -> Option<&Session> {
        match self {
            Self::Session(session) => Some(session),
            _ => None,
        }
    }

    pub(crate) fn session_mut(&mut self) -> Option<&mut Session> {
        match self {
            Self::Session(session) => Some(session),
            _ => None,
        }
    }
}

impl State {
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
