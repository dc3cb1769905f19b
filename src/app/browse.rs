//! Navigation: links, addresses, built-in pages, and stopping a load.

use super::action::Action;
use super::choice::{Choice, LocalFileAction};
use super::page::{Content, Page, State};
use super::pane::{Arrival, IncomingPage, NextStep};
use super::prompt::{Prompt, PromptKind};
use super::tab::Tab;
use super::{App, Effect, Focus, help, title_of};
use crate::document::Link;
use crate::load::{CacheUse, GopherItem, Phase, Question, Request, needs_search_words};
use crate::text::Text;
use crate::url::{Parts, Scheme, Url, accept_or_repair, mask};

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

impl App {
    /// Opens the addresses of the command line, each in its own tab; the home page if there are none.
    pub fn start(&mut self, addresses: &[String]) -> Vec<Effect> {
        self.load_link_checks();
        if addresses.is_empty() {
            self.open_home();
        }
        for (index, address) in addresses.iter().enumerate() {
            if index > 0 {
                self.tabs.push(Tab::default());
                self.tab = self.tabs.len() - 1;
            }
            match self.parse_typed(address) {
                // Questions belong to the shown page. With several addresses only one page is shown.
                Ok(url) if addresses.len() == 1 => self.open_typed(url),
                Ok(url) => {
                    let request = self.request_from_page(url);
                    self.open_page(request, None, OpenIn::ThisPane);
                }
                Err(error) => {
                    self.open_home();
                    self.report_error(&format!("{}: {error}", mask(address)));
                }
            }
        }
        self.tab = 0;
        self.focus = if addresses.is_empty() {
            Focus::Bookmarks
        } else {
            Focus::Panes
        };
        self.question_opened_unprompted();
        std::mem::take(&mut self.effects)
    }

    /// Opens the home page.
    pub(super) fn open_home(&mut self) {
        self.open_builtin(help::HOME);
    }

    pub(super) fn open_help(&mut self) {
        self.focus = Focus::Panes;
        if self
            .page()
            .is_some_and(|page| page.url.as_str() == help::HELP)
        {
            return self.go_in_history(false);
        }
        self.open_builtin(help::HELP);
    }

    fn open_builtin(&mut self, address: &str) {
        if let Ok(url) = Url::accept(address) {
            self.open(url, None, OpenIn::ThisPane);
        }
    }

    /// Opens a URL; `title` is the label of its link.
    pub(super) fn open(&mut self, url: Url, title: Option<Text>, open_in: OpenIn) {
        let request = self.request_from_page(url);
        self.open_request(request, title, open_in);
    }

    pub(super) fn open_request(&mut self, request: Request, title: Option<Text>, open_in: OpenIn) {
        let is_builtin = help::is_builtin(&request.url);
        self.mark_opened(&request.url);
        if (!is_builtin)
            .then(|| self.open_externally(&request.url))
            .flatten()
            .is_some()
        {
            return;
        }
        self.open_page(request, title, open_in);
    }

    /// Opens a request in the pane with the focus; `next_step` follows when its page is complete.
    pub(super) fn open_then(&mut self, request: Request, next_step: NextStep) {
        self.open_request(request, None, OpenIn::ThisPane);
        self.set_next_step(next_step);
    }

    /// Sets the step that follows when the incoming page is complete.
    pub(super) fn set_next_step(&mut self, next_step: NextStep) {
        if let Some(incoming) = self.pane_mut().and_then(|pane| pane.incoming.as_mut()) {
            incoming.next_step = Some(next_step);
        }
    }

    /// Opens the page that explains an address with an unsupported scheme.
    pub(super) fn open_unsupported(&mut self, url: Url) {
        self.open_page(Request::show(url), None, OpenIn::ThisPane);
    }

    fn open_page(&mut self, request: Request, title: Option<Text>, open_in: OpenIn) {
        let url = request.url.clone();
        let in_session = self.page().is_some_and(|page| page.state.is_in_session());
        // A session would end if another page replaced it.
        let open_in = if in_session && open_in == OpenIn::ThisPane {
            OpenIn::NewTab
        } else {
            open_in
        };
        match open_in {
            OpenIn::ThisPane => {}
            OpenIn::NewPane => {
                if let Some(tab) = self.tab_mut() {
                    tab.split();
                }
            }
            OpenIn::NewTab => {
                self.tabs
                    .insert((self.tab + 1).min(self.tabs.len()), Tab::default());
                self.tab = (self.tab + 1).min(self.tabs.len() - 1);
            }
        }
        self.focus = Focus::Panes;
        self.reveal_all();
        let title = title
            .filter(|title| !title.is_blank())
            .unwrap_or_else(|| title_of(&url));
        if let Some(document) = help::page(&url, &self.keymap) {
            let page = Page::new(url, title, document, State::Whole);
            return self.arrive(page, Arrival::Append);
        }
        let request = Request {
            cache_use: CacheUse::BeforeRequest,
            ..request
        };
        self.request(request, title, Arrival::Append);
    }

    /// Starts a load again with what was answered or changed in its request.
    pub(super) fn request_incoming(&mut self, incoming: IncomingPage) {
        self.request(incoming.request, incoming.title, incoming.arrival);
    }

    /// Starts a load for the pane with the focus. The current page stays until the response begins.
    pub(super) fn request(&mut self, mut request: Request, title: Text, arrival: Arrival) {
        if arrival == Arrival::Draft {
            return self.resume_draft(request);
        }
        if let Arrival::Transfer(id) = arrival {
            return self.resume_transfer(id, request);
        }
        self.apply_request_defaults(&mut request);
        let load = self.next_load();
        let Some(pane) = self.pane_mut() else {
            return;
        };
        let incoming = IncomingPage {
            load,
            request: request.clone(),
            title,
            phase: Phase::Connecting,
            arrival,
            question: None,
            save_to: None,
            next_step: None,
        };
        let old = pane.incoming.take();
        self.effects.extend(old.map(|old| Effect::Drop(old.load)));
        if self.questions.by_key && needs_search_words(&request) {
            // The next typed characters are search words.
            self.open_question(Question::Search, incoming);
            return;
        }
        if let Some(pane) = self.pane_mut() {
            pane.incoming = Some(incoming);
        }
        self.emit(Effect::Load(load, request));
    }

    /// Stores a login that a server accepted, until the browser exits.
    pub(super) fn remember_login(&mut self, request: &Request) {
        if let (Some(scope), Some(login)) = (request.login_scope(), request.login.clone()) {
            self.logins.retain(|(other, _)| *other != scope);
            self.logins.push((scope, login));
        }
        self.ask_store_login(request);
    }

    /// Creates a request for a link of the shown page. A `news:` URL is requested from the server of the page, over
    /// TLS if the page was.
    pub(super) fn request_from_page(&self, url: Url) -> Request {
        let request = Request::show(url);
        let Some(page) = self.page().filter(|_| request.url.scheme() == Scheme::News) else {
            return request;
        };
        let news_server = page.news_host();
        Request {
            news_server,
            ..request
        }
    }

    pub(super) fn arrive(&mut self, page: Page, arrival: Arrival) {
        let dropped = self
            .pane_mut()
            .map(|pane| pane.arrive(page, arrival))
            .unwrap_or_default();
        self.effects.extend(dropped.into_iter().map(Effect::Drop));
    }

    /// Returns the selected link of the bookmarks, the transfers or the page.
    pub(super) fn selected_link(&self) -> Option<Link> {
        match self.focus {
            Focus::Bookmarks => {
                let bookmark = self.sidebar.bookmark()?;
                Some(Link::new(bookmark.label(), bookmark.url()))
            }
            Focus::Transfers => {
                let item = self.transfers.chosen()?;
                let url = item.request.url.clone();
                Some(Link::new(item.name.clone(), Ok(url)))
            }
            Focus::Panes => self.page()?.link(),
        }
    }

    pub(super) fn open_selected(&mut self, open_in: OpenIn) {
        if self.focus == Focus::Transfers {
            return self.open_transfer(open_in);
        }
        if self.focus == Focus::Bookmarks && self.sidebar.bookmark().is_none() {
            self.sidebar.fold();
            self.reveal_all();
            return;
        }
        // A bookmark with a fault opens the fixed URL that the list shows for it.
        if let (Focus::Bookmarks, Some(bookmark)) = (self.focus, self.sidebar.bookmark())
            && bookmark.has_fault
            && let Ok(url) = accept_or_repair(bookmark.url_text().as_str())
        {
            let label = bookmark.label();
            return self.open(url, Some(label), open_in);
        }
        if self.focus == Focus::Panes && self.page().is_some_and(|page| page.session().is_some()) {
            return self.switch_keys();
        }
        if self.focus == Focus::Panes && self.fold_remark() {
            return;
        }
        if self.open_quotation().is_some() {
            return;
        }
        if self.ask_save_attachment().is_some() {
            return;
        }
        let Some((label, request)) = self.selected_request() else {
            return;
        };
        match self.remote_page_to_file(&request.url) {
            Some(page) => {
                let open_in = LocalFileAction::Open(open_in);
                self.choose(Choice::local_file(request, label, &page, open_in));
            }
            None => self.open_request(request, Some(label), open_in),
        }
    }

    /// Returns the page of a server if it is the source of a link to this local file; `None` if the link comes from the
    /// user, a local page or a built-in page.
    pub(super) fn remote_page_to_file(&self, url: &Url) -> Option<Url> {
        let page = self.page().filter(|_| self.focus == Focus::Panes)?;
        let is_local = page.url.scheme() == Scheme::File || help::is_builtin(&page.url);
        (url.scheme() == Scheme::File && !is_local).then(|| page.url.clone())
    }

    /// Folds or unfolds the remark under the cursor. Returns true if there is one.
    fn fold_remark(&mut self) -> bool {
        let Some((page, view)) = self.page_view() else {
            return false;
        };
        let cursor = page.position.cursor;
        let Content::Document(document) = &mut page.content else {
            return false;
        };
        let folded = document.toggle_remark(cursor);
        page.reveal(view);
        folded
    }

    /// Creates a request for the selected link, with its mirrors. If there is none, the status line shows the reason.
    pub(super) fn selected_request(&mut self) -> Option<(Text, Request)> {
        let link = self.selected_link();
        let is_plus = link.as_ref().is_some_and(|link| link.attributes.is_some());
        let mirrors = link.map(|link| link.mirrors).unwrap_or_default();
        let (label, url) = self.selected_url()?;
        let request = Request {
            mirrors,
            gopher_item: if is_plus {
                GopherItem::Plus
            } else {
                GopherItem::Plain
            },
            ..self.request_from_page(url)
        };
        Some((label, request))
    }

    /// Returns the selected link's label and URL. If there is none, the status line shows the reason.
    pub(super) fn selected_url(&mut self) -> Option<(Text, Url)> {
        match self.selected_link() {
            Some(Link {
                label,
                target: Ok(url),
                ..
            }) => Some((label, url)),
            Some(Link {
                target: Err(error), ..
            }) => {
                self.report_error(&error.to_string());
                None
            }
            None => {
                let why = self.no_link();
                self.notify(&why);
                None
            }
        }
    }

    /// Returns the message that explains why no link is selected.
    fn no_link(&self) -> String {
        match self.focus {
            Focus::Bookmarks => "this is a folder, and no link".to_owned(),
            Focus::Transfers => "there is no transfer".to_owned(),
            Focus::Panes if self.page().is_some_and(Page::is_list) => {
                "no link on this row".to_owned()
            }
            Focus::Panes => {
                let next = self.key_of(Action::NextLink);
                format!("no link is chosen: {next} goes to the next one")
            }
        }
    }

    /// Creates a request for all groups of the server of the shown group or article.
    pub(super) fn all_groups(&self, to_root: bool) -> Option<Request> {
        match self.page()?.url.base_parts() {
            Parts::Nntp(nntp) if to_root || nntp.number.is_none() => {
                Some(self.request_from_page(Url::parse("news:*").ok()?))
            }
            _ => None,
        }
    }

    /// Returns the title and URL for the address line: of the page that is loading, or else of the current page.
    pub(super) fn address(&self) -> Option<(Text, Url)> {
        let pane = self.pane()?;
        match &pane.incoming {
            Some(incoming) => Some((incoming.title.clone(), incoming.request.url.clone())),
            None => pane
                .page()
                .map(|page| (page.title.clone(), page.url.clone())),
        }
    }

    pub(super) fn edit_url(&mut self) {
        let url = self
            .address()
            .map(|(_, url)| url.without_password().to_string());
        self.prompt(Prompt::new(PromptKind::EditUrl, &url.unwrap_or_default()));
    }

    /// Stops the first of these that is active: a load, a find, a filter, a download, a link check.
    pub(super) fn stop(&mut self) {
        if self.focus == Focus::Transfers {
            return self.toggle_transfers();
        }
        if self.focus == Focus::Bookmarks && self.stop_check().is_some() {
            return;
        }
        if self.stop_in_bookmarks() {
            return;
        }
        if self.stop_draft().is_some() {
            return;
        }
        let Some(pane) = self.pane_mut() else {
            return;
        };
        if let Some(incoming) = pane.incoming.take() {
            self.notify("stopped");
            return self.emit(Effect::Drop(incoming.load));
        }
        if let Some(page) = pane.page_mut() {
            page.next_step = None;
            if let Some(load) = page.load() {
                page.state = State::Stopped;
                self.emit(Effect::Drop(load));
                self.finish_page();
                self.notify("stopped; what came is here");
                return;
            }
            if page.needle.take().is_some() {
                page.finding = None;
                return;
            }
        }
        if self.unfilter().is_some() {
            return;
        }
        match self.downloads.pop() {
            Some(download) => {
                self.notify(&format!(
                    "stopped; what came of {} is in its .part file",
                    download.name
                ));
                self.emit(Effect::Drop(download.progress.load));
            }
            None => {
                let _ = self.stop_check();
            }
        }
    }
}
