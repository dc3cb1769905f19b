//! Navigation: links, addresses, built-in pages, and stopping a load.

use geomys_load::{
    CacheUse, GopherItem, GopherRequest, NameHints, NewsQuery, NoRequestReason, Reason, Request,
};
use geomys_page::document::Link;
use geomys_page::document::find::SearchText;
use geomys_store::search::SearchQuery;
use geomys_wire::text::Text;
use jiff::Timestamp;
use rfc1738::{Dialect, Scheme, Url};

use crate::action::Action;
use crate::dialogs::text_input::{InputCommand, TextInput};
use crate::requester::{Arrival, MadePage, NextStep, OpenIn, OpenPage, OpenTarget, PendingRequest};
use crate::tabs::page::{AnswerFacts, PageRequest};
use crate::tabs::pane::Pane;
use crate::view::View;
use crate::view::builtin;
use crate::view::context::State;
use crate::view::position::ScrollPosition;
use crate::view::viewport::Viewport;
use crate::{
    BookmarkCommand, Command, Context, Dialog, Focus, LibraryCommand, LibraryEffect, Page, Tabs,
    title_of,
};

impl Tabs {
    /// Opens a request in a pane; `next_step` follows when its page is complete.
    pub(crate) fn open_page(&mut self, page: OpenPage, cx: &mut Context) {
        let OpenPage {
            target,
            title,
            open_in,
            next_step,
        } = page;
        let request = match target {
            OpenTarget::Made(made) => {
                self.go_to(open_in, cx);
                return self.show_made(*made, title, cx);
            }
            target => self.request_to(target),
        };
        if next_step.is_none()
            && open_in == OpenIn::ThisPane
            && let Some(page) = self.page_mut()
            && page.go_to_fragment(&request, cx)
        {
            // It may be an entry of a feed.
            cx.command(Command::Shown(request.url));
            return;
        }
        let url = request.url.clone();
        let page = self.page().filter(|_| cx.focus == Focus::Panes);
        let (mut reason, mut words) = page.map_or((None, None), |page| {
            (copies_reason(page), found_words(page))
        });
        // The rows of a long text are not looked through: no text is such a list.
        if (reason.is_some() || words.is_some())
            && page
                .and_then(Page::rows)
                .is_none_or(|rows| rows.row_of(&url).is_none())
        {
            (reason, words) = (None, None);
        }
        let cache_use = match request.cache_use {
            CacheUse::Always(reason) => CacheUse::Always(reason),
            CacheUse::IfUnreachable | CacheUse::BeforeRequest => {
                reason.map_or(CacheUse::BeforeRequest, CacheUse::Always)
            }
        };
        let next_step = next_step.or(words);
        let in_session = self.page().is_some_and(|page| page.state.is_in_session());
        // A session would end if another page replaced it.
        let open_in = if in_session && open_in == OpenIn::ThisPane {
            OpenIn::NewTab
        } else {
            open_in
        };
        self.go_to(open_in, cx);
        cx.focus = Focus::Panes;
        cx.reveal_all();
        let title = link_title(title, &url);
        if let Some(document) = builtin::page(&url, &cx.keymap, &cx.settings) {
            let mut page = Page::new(url, title, document, State::Whole);
            page.next_step = page.url.fragment().map(|_| NextStep::GoToFragment);
            page.go_to_named_row(cx);
            return self.arrive(page, Arrival::Append, cx);
        }
        if url.as_str() == builtin::HOME {
            return cx.command(LibraryCommand::Home(Arrival::Append));
        }
        if url.as_str() == builtin::HISTORY {
            return cx.command(LibraryCommand::List(Arrival::Append));
        }
        if url.as_str() == builtin::LATER {
            return cx.emit(LibraryEffect::ListLater(Arrival::Append));
        }
        if url.as_str() == builtin::IDENTITIES {
            return cx.emit(LibraryEffect::Identities(Arrival::Append, None));
        }
        if url.as_str() == builtin::IMPORT {
            return cx.command(BookmarkCommand::ShowImport(Arrival::Append));
        }
        let request = Request {
            cache_use,
            ..request
        };
        cx.load(PendingRequest::for_pane(request, title, Arrival::Append).then(next_step));
    }

    /// Creates a request for a link of the shown page. A `news:` URL is requested from the server of the page, over
    /// TLS if the page was; an item of its Gopher server likewise.
    pub fn request_from_page(&self, url: Url) -> Request {
        let page = self.page();
        let url = match page {
            Some(page) => self.rules.at_tls_port(url, &page.url),
            None => url,
        };
        let news_page = page.filter(|_| url.scheme() == Scheme::News);
        let reason = page.map_or(Reason::Typed, |page| reason_of_link(page, &url));
        Request {
            news_query: NewsQuery {
                server: news_page.and_then(Page::news_host),
                ..NewsQuery::default()
            },
            ..Request::show(url, reason)
        }
    }

    /// Creates the request to a target. A URL that the user named is requested from the same server as with
    /// [`Tabs::request_from_page`].
    pub(crate) fn request_to(&self, target: OpenTarget) -> Request {
        match target {
            OpenTarget::Url(url, reason) => Request {
                reason,
                ..self.request_from_page(url)
            },
            OpenTarget::Request(request) => *request,
            OpenTarget::Link(request) => Request {
                gopher: GopherRequest {
                    directory: request.gopher.directory,
                    ..GopherRequest::default()
                },
                ..self.request_from_page(request.url)
            },
            OpenTarget::Made(made) => Request::show(made.url, made.reason),
        }
    }

    /// Shows a page that is made at once in the pane with the focus.
    pub(crate) fn arrive(&mut self, page: Page, arrival: Arrival, cx: &mut Context) {
        if let Some(pane) = self.pane_mut() {
            pane.receive(page, arrival, cx);
        }
    }

    /// Shows a document that was made here, and drops the load in progress.
    fn show_made(&mut self, made: MadePage, title: Option<Text>, cx: &mut Context) {
        cx.focus = Focus::Panes;
        let incoming = self.pane_mut().and_then(|pane| pane.incoming.take());
        cx.cancel(incoming.map(|incoming| incoming.load));
        let title = link_title(title, &made.url);
        let mut page = Page {
            answer: AnswerFacts {
                security: made.security,
                ..AnswerFacts::default()
            },
            request: PageRequest {
                reason: Some(made.reason),
                ..PageRequest::default()
            },
            ..Page::new(made.url, title, made.document, State::Whole)
        };
        if let Some(rows) = page.view.rows_mut() {
            rows.finish(cx);
        }
        let is_stored = self
            .tab()
            .is_some_and(|tab| tab.stores_visits(&page.url, cx));
        page.has_new_visit = page.is_in_archive() && is_stored;
        page.store_visit(cx);
        self.arrive(page, Arrival::Append, cx);
        cx.reveal_all();
    }

    /// Returns the page of a server if it is the source of a link to this local file; `None` if the link comes from the
    /// user, a local page or a built-in page.
    pub(crate) fn remote_page_to_file(&self, url: &Url, cx: &Context) -> Option<Url> {
        let page = self.page().filter(|_| cx.focus == Focus::Panes)?;
        let is_local = page.url.scheme() == Scheme::File || builtin::is_builtin(&page.url);
        (url.scheme() == Scheme::File && !is_local).then(|| page.url.clone())
    }

    /// Returns a request for each marked row of the page with the focus; `None` if no row is marked.
    pub(crate) fn marked_requests(&self, cx: &Context) -> Option<Vec<Request>> {
        let page = self.page().filter(|_| cx.focus == Focus::Panes)?;
        let rows = page.rows()?;
        let document = &rows.document;
        let links = Some(rows.marks.links(document)).filter(|links| !links.is_empty())?;
        let (charset, prior) = (document.charset_setting(), document.expected_charset());
        let request = |link: Link| {
            let gopher_item = GopherItem::of(&link);
            let url = link.target.ok()?;
            // A local file on a remote page is saved only by itself, after a question.
            if self.remote_page_to_file(&url, cx).is_some() {
                return None;
            }
            Some(Request {
                gopher: GopherRequest {
                    item: gopher_item,
                    alternates: link.alternates,
                    ..GopherRequest::default()
                },
                name_hints: NameHints {
                    title: Some(link.label),
                    charset,
                    prior,
                    ..NameHints::default()
                },
                ..self.request_from_page(url)
            })
        };
        Some(links.into_iter().filter_map(request).collect())
    }
}

impl Page {
    /// Scrolls to the fragment of a request for this page, without a load. Returns false for another page.
    fn go_to_fragment(&mut self, request: &Request, cx: &mut Context) -> bool {
        let url = &request.url;
        let is_here = url.fragment().is_some()
            && !request.sends_answers()
            && !self.is_in_archive()
            // It is not the page that was asked for.
            && !self.is_error()
            // It names a message inside the article.
            && !self.is_article()
            && self.url.before_fragment() == url.before_fragment();
        let rows = self.view.rows_mut().filter(|_| is_here);
        let Some(rows) = rows else {
            return false;
        };
        rows.position.top = (0, 0);
        self.url = url.clone();
        self.next_step = Some(NextStep::GoToFragment);
        self.go_to_named_row(cx);
        true
    }
}

impl Pane {
    /// Shows a page that is made at once.
    pub(super) fn receive(&mut self, page: Page, arrival: Arrival, cx: &mut Context) {
        let height = cx.layout.panes_height();
        cx.cancel(self.arrive(page, arrival));
        // A built-in page arrives complete.
        if let Some(rows) = self.page_mut().and_then(|page| page.view.rows_mut()) {
            rows.choose_first_link(height);
        }
        cx.pages_changed();
    }

    /// Replaces the shown page with a newer copy of it. The cursor stays on its link, or on the first one.
    pub(crate) fn refresh(&mut self, page: Page, cx: &mut Context) {
        let height = cx.layout.panes_height();
        let shown = self.page().and_then(Page::rows);
        let is_first = shown.is_some_and(Viewport::is_at_first_link);
        let target = shown.and_then(Viewport::link);
        let target = target.and_then(|link| link.target.ok());
        self.receive(page, Arrival::Reload, cx);
        let Some(rows) = self.page_mut().and_then(|page| page.view.rows_mut()) else {
            return;
        };
        let same = target.filter(|_| !is_first);
        match same.and_then(|target| rows.row_of(&target)) {
            Some(row) => rows.position.cursor = row,
            None if is_first || rows.position.cursor >= rows.count() => {
                rows.position = ScrollPosition::default();
                rows.choose_first_link(height);
            }
            None => {}
        }
        cx.reveal_all();
    }

    /// Returns the title and URL for the address line: of the page that is loading, or else of the current page.
    pub(crate) fn address(&self) -> Option<(Text, Url)> {
        let (title, url) = match &self.incoming {
            Some(incoming) => (&incoming.title, &incoming.request.url),
            None => self.page().map(|page| (&page.title, &page.url))?,
        };
        Some((title.clone(), url.clone()))
    }

    /// Stops the load of the pane, or forgets the search, the filter or the marks of its page. Returns false if
    /// there is none of these.
    pub(crate) fn stop(&mut self, cx: &mut Context) -> bool {
        if let Some(incoming) = self.incoming.take() {
            cx.notify("Stopped");
            cx.cancel([incoming.load]);
            return true;
        }
        let Some(page) = self.page_mut() else {
            return false;
        };
        page.next_step = None;
        if page.load().is_some() {
            page.stop_load(cx);
            return true;
        }
        let rows = page.view.rows_mut();
        rows.is_some_and(|rows| {
            rows.selection.take().is_some()
                || rows.search.clear()
                || rows.unfilter(cx)
                || rows.marks.clear()
        })
    }
}

/// Returns the reason why the links of a page lead to stored copies.
fn copies_reason(page: &Page) -> Option<NoRequestReason> {
    match page.view {
        View::Found(_) => Some(NoRequestReason::Found),
        _ => (page.url.as_str() == builtin::LATER).then_some(NoRequestReason::Saved),
    }
}

/// Returns the step that goes to the words of the search whose results a page lists.
fn found_words(page: &Page) -> Option<NextStep> {
    let words = builtin::search_words(&page.url)?;
    let query = SearchQuery::parse(&words, Timestamp::UNIX_EPOCH).ok()?;
    SearchText::any_of(query.wanted, &words).map(NextStep::FindWords)
}

/// Opens the page of the configuration: the mistakes in it, and all settings.
pub(crate) fn open_config(tabs: &Tabs, cx: &mut Context) {
    cx.focus = Focus::Panes;
    if !tabs.shows(builtin::CONFIG) {
        open_builtin(builtin::CONFIG, cx);
    }
}

/// Opens the prompt for another URL, with that of the page.
pub(crate) fn edit_url(tabs: &Tabs, cx: &mut Context) {
    let address = tabs.pane().and_then(Pane::address);
    let url = address.map_or(String::new(), |(_, url)| url.without_password().to_string());
    let input = TextInput::new(InputCommand::Open, &url);
    cx.ask(Dialog::input("Open", input));
}

/// Returns the message that explains why no link is selected.
pub(crate) fn no_link_words(page: Option<&Page>, cx: &Context) -> String {
    match cx.focus {
        Focus::Bookmarks => "this is a folder, not a link".to_owned(),
        Focus::Transfers => "no transfers".to_owned(),
        Focus::Panes if page.is_some_and(Page::is_list) => "no link on this row".to_owned(),
        Focus::Panes => {
            let next = cx.key_of(Action::NextLink);
            format!("no link selected ({next} next link)")
        }
    }
}

/// Says how to save a text, on which no link is selected that could be downloaded.
pub(crate) fn offer_save(tabs: &Tabs, cx: &mut Context) {
    let page = tabs.page().filter(|_| cx.focus == Focus::Panes);
    let rows = page
        .filter(|page| !page.is_list())
        .and_then(|page| page.view.rows());
    if rows.is_some_and(|rows| rows.link().is_none()) {
        let save = cx.key_of(Action::Save);
        cx.notify(&format!("No link selected ({save} saves this page)"));
    }
}

/// Returns the title of a link to a URL, or else the title of the URL.
pub(crate) fn link_title(title: Option<Text>, url: &Url) -> Text {
    let title = title.filter(|title| !title.is_blank());
    title.unwrap_or_else(|| title_of(url))
}

/// Returns the reason to request the target of a link of a page. A page of Geomys lists what the user has opened or
/// named before, but for the rows of which it knows better. A page that asks for itself, or for more of it, has been
/// named by another one.
pub(crate) fn reason_of_link(page: &Page, url: &Url) -> Reason {
    match &page.view {
        View::Builtin(view) => view.reasons.get(url).cloned().unwrap_or(Reason::Typed),
        _ if builtin::is_builtin(&page.url) => Reason::Typed,
        _ if *url == page.url => page.request.reason(),
        _ => Reason::Link(page.origin()),
    }
}

pub(crate) fn open_builtin(address: &str, cx: &mut Context) {
    if let Ok(url) = Dialect::Extended.parse(address) {
        cx.open(OpenPage::at(url, Reason::Typed));
    }
}
