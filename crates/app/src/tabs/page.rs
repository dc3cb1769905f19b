//! A page: one URL, what a pane shows of it, and the state of its load.

use std::time::Duration;

use crate::Rect;
use crate::action::Action;
use geomys_load::{
    CachedInfo, Failure, GopherItem, LoadId, Namer, NewsHost, Reason, RelevantDocument, Request,
    UnpackedFile, Version,
};
use geomys_page::archive::segments;
use geomys_page::document::{Document, Link, Shape};
use geomys_wire::net::{Security, TransferEnd};
use geomys_wire::text::Text;
use rfc1738::Url;

use crate::Context;
use crate::requester::NextStep;
use crate::settings::{Reading, Settings};
use crate::tabs::open::reason_of_link;
use crate::view::View;
use crate::view::choices::UserChoices;
use crate::view::context::{State, ViewContext};
use crate::view::group::GroupView;
use crate::view::gutter::between_margins;
use crate::view::kind::{KeyHint, ViewKind, with_open};
use crate::view::text::TEXT_HINTS;
use crate::view::text_area::Gutter;
use crate::view::text_area::TextArea;
use crate::view::viewport::Viewport;

/// A page in a pane's history.
#[derive(Debug)]
pub struct Page {
    /// The URL of the page.
    pub url: Url,
    /// The title: from the link to the page, or from the server.
    pub title: Text,
    /// The half that depends on the kind of the page.
    pub view: View,
    /// The state of its load.
    pub state: State,
    /// The parts, beside the URL, of the request that gets it again.
    pub request: PageRequest,
    /// What is known of the answer that it came with.
    pub answer: AnswerFacts,
    /// The end of the transfer of a complete page.
    pub end: TransferEnd,
    /// The time of the cached copy and the reason for its use, if the page comes from the cache.
    pub cached: Option<CachedInfo>,
    /// The URL under which the complete page is cached; `None` if it is not to be cached.
    pub cache_key: Option<Url>,
    /// The last time when it was on the screen, by the clock of the main loop.
    pub shown_at: Duration,
    /// True until its visit is stored, which waits for the title in the page.
    pub(crate) has_new_visit: bool,
    /// The step that follows when the page is complete.
    pub next_step: Option<NextStep>,
}

/// What is known of the answer that a page came with.
#[derive(Clone, Debug, Default)]
pub struct AnswerFacts {
    /// The security of the connection that it came over; `None` if it came over no connection.
    pub security: Option<Security>,
    /// The name of the client certificate that its server could see.
    pub identity: Option<Text>,
    /// True if its news server has said that it refuses posts.
    pub refuses_posts: bool,
    /// The languages that the server declares.
    pub languages: Option<Text>,
    /// The version of the page, as the server reported it.
    pub version: Version,
    /// The file that was unpacked for the page; `None` if it is shown as it was sent.
    pub unpacked: Option<UnpackedFile>,
}

/// The parts, beside the URL, of the request that gets a page again.
#[derive(Clone, Debug, Default)]
pub struct PageRequest {
    /// The news server that sent the page. Its `news:` links lead to this server.
    pub news_server: Option<NewsHost>,
    /// The reason why it was requested; `None` for a page of Geomys itself.
    pub reason: Option<Reason>,
    /// The document to which the documents of this WAIS search are similar.
    pub relevant: Option<Box<RelevantDocument>>,
    /// The kind of Gopher item, as the menu with its link said it.
    pub gopher_item: GopherItem,
    /// The requested maximum in octets, if it differs from the default.
    pub limit: Option<u64>,
    /// The POST request of the page, if it was not redirected. It is sent again only if the user confirms it.
    pub posted: Option<Box<Request>>,
    /// The way in which a dropped or incomplete page is loaded again.
    pub reload: ReloadPolicy,
    /// The part that an earlier session has in the page.
    pub restored: Restored,
    /// True if the page is never written to a file: it needs a login, or answers what the user typed.
    pub is_private: bool,
}

impl Page {
    /// Returns true if the server sent the page with the status of an error.
    pub(crate) fn is_error(&self) -> bool {
        self.rows().is_some_and(|rows| rows.error_status.is_some())
    }
}

impl PageRequest {
    /// Returns the reason why the page was requested. Without one nobody knows who named it.
    pub(crate) fn reason(&self) -> Reason {
        let unknown = || Reason::Restored(Namer::Unknown);
        self.reason.clone().unwrap_or_else(unknown)
    }
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

impl AnswerFacts {
    /// What is known of a page before its answer: that the fragment of its URL names a member of an archive, or not.
    pub(crate) fn of_member(url: &Url, is_member: bool) -> Self {
        let path = url.fragment().map(|path| segments(&path.octets()));
        let name = path.and_then(|mut path| path.pop()).unwrap_or_default();
        let unpacked = is_member.then_some(UnpackedFile {
            name,
            in_archive: true,
        });
        Self {
            unpacked,
            ..Self::default()
        }
    }
}

impl Page {
    /// Creates a page of this document, scrolled to the top.
    pub fn new(url: Url, title: Text, document: Document, state: State) -> Self {
        let view = View::new(&url, document);
        Self {
            state,
            ..Self::of(url, title, view)
        }
    }

    /// Creates a page that shows the failure of its load.
    pub fn failed(url: Url, title: Text, failure: Failure) -> Self {
        let view = View::failed(&url, failure);
        Self::of(url, title, view)
    }

    /// Creates a complete page with this view.
    pub fn of(url: Url, title: Text, view: View) -> Self {
        Self {
            url,
            title,
            view,
            state: State::Whole,
            request: PageRequest::default(),
            answer: AnswerFacts::default(),
            end: TransferEnd::default(),
            cached: None,
            cache_key: None,
            shown_at: Duration::ZERO,
            has_new_visit: false,
            next_step: None,
        }
    }

    /// Returns the content of the attachment under the cursor of an article.
    pub(crate) fn attachment(&self) -> Option<Document> {
        match &self.view {
            View::Article(article) => article.attachment().map(|(_, file)| file),
            _ => None,
        }
    }

    /// Returns true for an archive, its members, and a message inside a message: the fragment of the URL names it.
    pub(crate) fn is_in_archive(&self) -> bool {
        let is_member = self.document().is_some_and(Document::is_member);
        is_member
            || self
                .answer
                .unpacked
                .as_ref()
                .is_some_and(|file| file.in_archive)
    }

    /// Returns the newsgroup, if the page is one.
    pub fn group(&self) -> Option<&GroupView> {
        match &self.view {
            View::Group(group) => Some(group),
            _ => None,
        }
    }

    /// Returns the document with its cursor, if there is one.
    pub fn rows(&self) -> Option<&Viewport> {
        self.view.rows()
    }

    /// Returns the shown document, if there is one.
    pub fn document(&self) -> Option<&Document> {
        self.rows().map(|rows| &*rows.document)
    }

    /// Returns true if the page has arrived and probably lists posts: a log or a feed.
    pub fn lists_entries(&self) -> bool {
        let rows = self.rows().filter(|rows| rows.rendered.is_none());
        !self.state.is_arriving() && rows.is_some_and(|rows| rows.document.lists_entries())
    }

    /// Returns the rendered document, even while the source is shown.
    pub(crate) fn own_document(&self) -> Option<&Document> {
        self.rows().map(Viewport::own_document)
    }

    /// Returns the title and the `news:` URL of an article.
    pub(crate) fn article_url(&self) -> Option<(Text, Url)> {
        match &self.view {
            View::Article(article) => Some((self.title.clone(), article.news_url()?)),
            _ => None,
        }
    }

    /// Returns the shape of the rendered document, even while the source is shown.
    pub(crate) fn shape(&self) -> Option<Shape> {
        self.own_document().map(Document::shape)
    }

    /// Returns true while the document is finished or sorted.
    pub(crate) fn is_finishing(&self) -> bool {
        self.rows().is_some_and(|rows| rows.finishing.is_some())
    }

    /// Returns true if the page is to be loaded again as soon as it is shown.
    pub fn needs_reload(&self) -> bool {
        let needs_load = matches!(self.view, View::Dropped(_)) || self.state == State::Interrupted;
        needs_load && self.request.reload == ReloadPolicy::Automatic
    }

    /// Returns the running load of the page.
    pub fn load(&self) -> Option<LoadId> {
        self.state.load()
    }

    /// Returns the number of rows so far.
    pub fn count(&self) -> usize {
        self.document().map_or(0, Document::count)
    }

    /// Returns true if the cursor moves from row to row; false if the rows scroll.
    pub fn is_list(&self) -> bool {
        self.document().is_some_and(Document::is_list)
    }

    /// Returns the row of the cursor.
    pub fn cursor(&self) -> usize {
        self.rows().map_or(0, |rows| rows.position.cursor)
    }

    /// Returns the link under the cursor; of a failed page, the link to go to instead.
    pub fn link(&self) -> Option<Link> {
        self.view.kind().link()
    }

    /// Returns what is saved, copied or piped of the page.
    pub(crate) fn offer(&self) -> Option<Document> {
        self.view.kind().offer(&self.url)
    }

    /// Returns true if the page came with a login, a client certificate or a typed secret.
    pub fn is_confidential(&self) -> bool {
        let has_user = self
            .url
            .base_parts()
            .login()
            .is_some_and(|login| login.user.is_some());
        let is_remote = self.answer.security.is_some();
        has_user
            || self.url.has_secret()
            || self.answer.identity.is_some()
            || is_remote && self.request.is_private
    }

    /// Returns the hints of the page for the status line, with this link under its cursor.
    pub fn hints(&self, link: Option<&Link>, settings: &Settings) -> Vec<KeyHint> {
        let hints = match self.rows() {
            Some(rows) if rows.rendered.is_some() => TEXT_HINTS.to_vec(),
            _ => self.view.kind().hints(&self.url, &self.state, settings),
        };
        with_open(self.view.kind(), link, hints)
    }

    /// Returns the further hints of the page, for a wide screen.
    pub fn more_hints(&self) -> &'static [KeyHint] {
        match self.rows() {
            Some(rows) if rows.rendered.is_some() => &[],
            _ => self.view.kind().more_hints(),
        }
    }

    /// Returns the actions that the page offers, by priority.
    pub(crate) fn offered(&self, settings: &Settings) -> Vec<Action> {
        let hints = self.hints(None, settings).into_iter();
        let hints = hints.chain(self.more_hints().iter().copied());
        hints.map(|(action, _)| action).collect()
    }

    /// Returns what the panel of a link tells about its row and its page.
    pub(crate) fn details(&self) -> Vec<(Text, Text)> {
        let languages = self.answer.languages.clone();
        let languages = languages.map(|languages| (Text::of("language of this page"), languages));
        let details = self.view.kind().details();
        let about_page = languages.into_iter().chain(self.end_detail());
        let target = self.link().and_then(|link| link.target.ok());
        let reason = target.map(|url| {
            let reason = reason_of_link(self, &url);
            (Text::of("reason"), Text::of(&reason.words()))
        });
        about_page.chain(details).chain(reason).collect()
    }

    /// Returns the whole text of the row under the cursor of a list, which may have no room on the screen.
    pub(crate) fn row_text(&self) -> Option<Text> {
        let rows = self.rows().filter(|rows| rows.is_list())?;
        let row = rows.document.row(rows.position.cursor)?;
        Some(Text::of(row.text().trim())).filter(|text| !text.as_str().is_empty())
    }

    /// Returns the note on the end of the page with its explanation, as a detail; `None` if there is nothing to say.
    pub(crate) fn end_detail(&self) -> Option<(Text, Text)> {
        let sentence = self.end.sentence()?;
        Some((Text::of("end of this page"), Text::of(&sentence)))
    }

    /// Returns the space for the text in a pane.
    pub fn text_area(&self, pane: Rect, reading: Reading) -> TextArea {
        let is_running = self.load().is_some();
        let has_note = self.state != State::Whole || self.end.note().is_some();
        let area = match self.rows() {
            Some(rows) => rows.area(pane, reading),
            None => {
                let area = between_margins(Gutter::default(), pane, reading);
                TextArea {
                    gutter: Gutter::default(),
                    width: usize::from(area.width).max(1),
                    columns: usize::from(area.width).max(1),
                    height: usize::from(area.height).max(1),
                    note: 0,
                }
            }
        };
        TextArea {
            note: usize::from(!is_running && has_note),
            ..area
        }
    }

    /// Returns the view, and what it is asked with.
    pub(crate) fn lend<'a>(
        &'a mut self,
        (pane, is_private): (Rect, bool),
        choices: &'a mut UserChoices,
        cx: &'a mut Context,
    ) -> (&'a mut dyn ViewKind, ViewContext<'a>) {
        let area = self.text_area(pane, cx.settings.reading);
        let is_stored = !is_private && cx.settings.history.includes(&self.url);
        let context = ViewContext {
            url: &self.url,
            title: &self.title,
            reason: self.request.reason(),
            state: &self.state,
            pane,
            area,
            choices,
            is_stored,
            cx,
        };
        (self.view.kind_mut(), context)
    }
}
