//! Navigation: links, addresses, built-in pages, and stopping a load.

use crate::app::action::Action;
use crate::app::dialogs::dialog::Dialog;
use crate::app::dialogs::prompt::{Prompt, PromptKind};
use crate::app::requester::{NextStep, PendingRequest, Requester};
use crate::app::tabs::help;
use crate::app::tabs::page::{Content, Page, State};
use crate::app::tabs::pane::{Arrival, IncomingPage};
use crate::app::tabs::tab::Tab;
use crate::app::{App, Effect, Focus, title_of};
use crate::app::{Command, Context, Tabs};
use crate::document::Link;
use crate::load::{CacheUse, GopherItem, Question, Request, needs_search_words};
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
        self.bookmarks.load_link_checks(&mut self.cx);
        if addresses.is_empty() {
            self.open_home();
        }
        for (index, address) in addresses.iter().enumerate() {
            if index > 0 {
                self.tabs.list.push(Tab::default());
                self.tabs.index = self.tabs.list.len() - 1;
            }
            match self.bookmarks.parse_typed(address, &self.tabs, &self.cx) {
                // Questions belong to the shown page. With several addresses only one page is shown.
                Ok(url) if addresses.len() == 1 => self.dialogs.open_typed(url, &mut self.cx),
                Ok(url) => {
                    let request = self.tabs.request_from_page(url);
                    self.tabs
                        .open_page(request, None, OpenIn::ThisPane, &mut self.cx);
                }
                Err(error) => {
                    self.open_home();
                    self.cx.report_error(&format!("{}: {error}", mask(address)));
                }
            }
            self.run_commands();
        }
        self.run_commands();
        self.tabs.index = 0;
        self.cx.focus = if addresses.is_empty() {
            Focus::Bookmarks
        } else {
            Focus::Panes
        };
        self.question_opened_unprompted();
        self.take_effects()
    }

    /// Opens the home page.
    pub(crate) fn open_home(&mut self) {
        open_builtin(help::HOME, &mut self.cx);
    }

    /// Opens a URL; `title` is the label of its link.
    pub(crate) fn open(&mut self, url: Url, title: Option<Text>, open_in: OpenIn) {
        let request = self.tabs.request_from_page(url);
        self.open_request(request, title, open_in);
    }

    pub(crate) fn open_request(&mut self, request: Request, title: Option<Text>, open_in: OpenIn) {
        let is_builtin = help::is_builtin(&request.url);
        self.bookmarks.mark_opened(&request.url);
        if (!is_builtin)
            .then(|| {
                self.tabs
                    .open_externally(&request.url, &mut self.compose, &mut self.cx)
            })
            .flatten()
            .is_some()
        {
            return;
        }
        self.tabs.open_page(request, title, open_in, &mut self.cx);
    }

    /// Opens each address in its own tab; the current tab stays in front.
    pub(crate) fn open_in_tabs(&mut self, addresses: Vec<(Text, Url)>) {
        let (shown, focus) = (self.tabs.tab_index(), self.cx.focus);
        let count = addresses.len();
        for (label, url) in addresses {
            // Each tab opens to the right of the previous one.
            self.open(url, Some(label), OpenIn::NewTab);
            self.run_commands();
        }
        self.tabs.show_tab(shown, &mut self.cx);
        self.cx.focus = focus;
        self.cx.notify(&match count {
            1 => "opened in a tab".to_owned(),
            count => format!("opened in {count} tabs"),
        });
    }

    /// Opens a request in the pane with the focus; `next_step` follows when its page is complete.
    pub(crate) fn open_then(&mut self, request: Request, next_step: NextStep) {
        self.open_request(request, None, OpenIn::ThisPane);
        self.cx.command(Command::SetNextStep(next_step));
    }

    /// Starts a load for the part of the app that has requested it. In a pane the current page stays until the response
    /// begins.
    pub(crate) fn load(&mut self, mut pending: PendingRequest) {
        let arrival = match pending.requester {
            Requester::Pane(arrival) => arrival,
            Requester::Draft => {
                let (compose, credentials) = (&mut self.compose, &self.credentials);
                return compose.resume_draft(pending.request, credentials, &mut self.cx);
            }
            Requester::Transfer(id) => return self.transfers.resume_transfer(id, pending.request),
        };
        self.credentials
            .apply_request_defaults(&mut pending.request, &self.cx);
        let Some(pane) = self.tabs.pane_mut() else {
            return;
        };
        self.cx.cancel(pane.incoming.take().map(|old| old.load));
        if self.dialogs.questions.by_key && needs_search_words(&pending.request) {
            // The next typed characters are search words.
            let pending = Box::new(pending);
            return self.cx.command(Command::Ask(Question::Search, pending));
        }
        let (load, request) = (self.cx.next_load(), pending.request.clone());
        pane.incoming = Some(IncomingPage::new(load, pending, arrival));
        self.cx.emit(Effect::Load(load, request));
    }

    /// Returns the selected link of the bookmarks, the transfers or the page.
    pub(crate) fn selected_link(&self) -> Option<Link> {
        match self.cx.focus {
            Focus::Bookmarks => {
                let bookmark = self.bookmarks.sidebar.bookmark()?;
                Some(Link::new(bookmark.label(), bookmark.url()))
            }
            Focus::Transfers => {
                let item = self.transfers.queue.chosen()?;
                let url = item.request.url.clone();
                Some(Link::new(item.name.clone(), Ok(url)))
            }
            Focus::Panes => self.tabs.page()?.link(),
        }
    }

    pub(crate) fn open_selected(&mut self, open_in: OpenIn) {
        if self.cx.focus == Focus::Transfers {
            return self.open_transfer(open_in);
        }
        if self.cx.focus == Focus::Bookmarks && self.bookmarks.sidebar.bookmark().is_none() {
            self.bookmarks.sidebar.fold();
            self.reveal_all();
            return;
        }
        // A bookmark with a fault opens the fixed URL that the list shows for it.
        if let (Focus::Bookmarks, Some(bookmark)) =
            (self.cx.focus, self.bookmarks.sidebar.bookmark())
            && bookmark.has_fault
            && let Ok(url) = accept_or_repair(bookmark.url_text().as_str())
        {
            let label = bookmark.label();
            return self.open(url, Some(label), open_in);
        }
        if self.cx.focus == Focus::Panes
            && self
                .tabs
                .page()
                .is_some_and(|page| page.session().is_some())
        {
            return self.tabs.switch_keys(&mut self.cx);
        }
        if self.cx.focus == Focus::Panes && self.tabs.fold_remark(&self.cx) {
            return;
        }
        if self.tabs.open_quotation(&self.cx).is_some() {
            return;
        }
        if self.tabs.ask_save_attachment(&mut self.cx).is_some() {
            return;
        }
        let Some((label, request)) = self.selected_request() else {
            return;
        };
        match self.tabs.remote_page_to_file(&request.url, &self.cx) {
            Some(page) => {
                let dialog = Dialog::local_file(request, label, &page, Some(open_in));
                self.cx.ask(dialog);
            }
            None => self.open_request(request, Some(label), open_in),
        }
    }

    /// Creates a request for the selected link, with its mirrors. If there is none, the status line shows the reason.
    pub(crate) fn selected_request(&mut self) -> Option<(Text, Request)> {
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
            ..self.tabs.request_from_page(url)
        };
        Some((label, request))
    }

    /// Returns the selected link's label and URL. If there is none, the status line shows the reason.
    pub(crate) fn selected_url(&mut self) -> Option<(Text, Url)> {
        match self.selected_link() {
            Some(Link {
                label,
                target: Ok(url),
                ..
            }) => Some((label, url)),
            Some(Link {
                target: Err(error), ..
            }) => {
                self.cx.report_error(&error.to_string());
                None
            }
            None => {
                let why = self.tabs.no_link(&self.cx);
                self.cx.notify(&why);
                None
            }
        }
    }

    /// Stops the first of these that is active: a load, a find, a filter, a download, a link check.
    pub(crate) fn stop(&mut self) {
        if self.cx.focus == Focus::Transfers {
            return self.transfers.toggle(&mut self.cx);
        }
        if self.cx.focus == Focus::Bookmarks && self.bookmarks.stop_check(&mut self.cx).is_some() {
            return;
        }
        if self.bookmarks.stop_in_bookmarks(&mut self.cx) {
            return;
        }
        if self.compose.stop_draft(&mut self.cx).is_some() {
            return;
        }
        let Some(pane) = self.tabs.pane_mut() else {
            return;
        };
        if let Some(incoming) = pane.incoming.take() {
            self.cx.notify("stopped");
            return self.cx.emit(Effect::Drop(incoming.load));
        }
        if let Some(page) = pane.page_mut() {
            page.next_step = None;
            if let Some(load) = page.load() {
                page.state = State::Stopped;
                self.cx.emit(Effect::Drop(load));
                self.tabs.finish_page(&mut self.cx);
                self.cx.notify("stopped; what came is here");
                return;
            }
            if page.needle.take().is_some() {
                page.finding = None;
                return;
            }
        }
        if self.tabs.unfilter(&mut self.cx).is_some() {
            return;
        }
        match self.transfers.downloads.pop() {
            Some(download) => {
                self.cx.notify(&format!(
                    "stopped; what came of {} is in its .part file",
                    download.name
                ));
                self.cx.emit(Effect::Drop(download.progress.load));
            }
            None => {
                let _ = self.bookmarks.stop_check(&mut self.cx);
            }
        }
    }
}

impl Tabs {
    pub(crate) fn open_help(&mut self, cx: &mut Context) {
        cx.focus = Focus::Panes;
        if self
            .page()
            .is_some_and(|page| page.url.as_str() == help::HELP)
        {
            return self.go_in_history(false, cx);
        }
        open_builtin(help::HELP, cx);
    }

    /// Opens the page that explains an address with an unsupported scheme.
    pub(crate) fn open_unsupported(&mut self, url: Url, cx: &mut Context) {
        self.open_page(Request::show(url), None, OpenIn::ThisPane, cx);
    }

    fn open_page(
        &mut self,
        request: Request,
        title: Option<Text>,
        open_in: OpenIn,
        cx: &mut Context,
    ) {
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
                self.list
                    .insert((self.index + 1).min(self.list.len()), Tab::default());
                self.index = (self.index + 1).min(self.list.len() - 1);
            }
        }
        cx.focus = Focus::Panes;
        cx.reveal_all();
        let title = title
            .filter(|title| !title.is_blank())
            .unwrap_or_else(|| title_of(&url));
        if let Some(document) = help::page(&url, &cx.keymap) {
            let page = Page::new(url, title, document, State::Whole);
            return self.arrive(page, Arrival::Append, cx);
        }
        let request = Request {
            cache_use: CacheUse::BeforeRequest,
            ..request
        };
        cx.request(request, title, Arrival::Append);
    }

    /// Creates a request for a link of the shown page. A `news:` URL is requested from the server of the page, over
    /// TLS if the page was.
    pub(crate) fn request_from_page(&self, url: Url) -> Request {
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

    pub(crate) fn arrive(&mut self, page: Page, arrival: Arrival, cx: &mut Context) {
        let dropped = self
            .pane_mut()
            .map(|pane| pane.arrive(page, arrival))
            .unwrap_or_default();
        cx.effects.extend(dropped.into_iter().map(Effect::Drop));
    }

    /// Returns the page of a server if it is the source of a link to this local file; `None` if the link comes from the
    /// user, a local page or a built-in page.
    pub(crate) fn remote_page_to_file(&self, url: &Url, cx: &Context) -> Option<Url> {
        let page = self.page().filter(|_| cx.focus == Focus::Panes)?;
        let is_local = page.url.scheme() == Scheme::File || help::is_builtin(&page.url);
        (url.scheme() == Scheme::File && !is_local).then(|| page.url.clone())
    }

    /// Folds or unfolds the remark under the cursor. Returns true if there is one.
    fn fold_remark(&mut self, cx: &Context) -> bool {
        let Some((page, view)) = self.page_view(cx) else {
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

    /// Returns the message that explains why no link is selected.
    fn no_link(&self, cx: &Context) -> String {
        match cx.focus {
            Focus::Bookmarks => "this is a folder, and no link".to_owned(),
            Focus::Transfers => "there is no transfer".to_owned(),
            Focus::Panes if self.page().is_some_and(Page::is_list) => {
                "no link on this row".to_owned()
            }
            Focus::Panes => {
                let next = cx.key_of(Action::NextLink);
                format!("no link is chosen: {next} goes to the next one")
            }
        }
    }

    /// Creates a request for all groups of the server of the shown group or article.
    pub(crate) fn all_groups(&self, to_root: bool) -> Option<Request> {
        match self.page()?.url.base_parts() {
            Parts::Nntp(nntp) if to_root || nntp.number.is_none() => {
                Some(self.request_from_page(Url::parse("news:*").ok()?))
            }
            _ => None,
        }
    }

    /// Returns the title and URL for the address line: of the page that is loading, or else of the current page.
    pub(crate) fn address(&self) -> Option<(Text, Url)> {
        let pane = self.pane()?;
        match &pane.incoming {
            Some(incoming) => Some((incoming.title.clone(), incoming.request.url.clone())),
            None => pane
                .page()
                .map(|page| (page.title.clone(), page.url.clone())),
        }
    }

    pub(crate) fn edit_url(&self, cx: &mut Context) {
        let url = self
            .address()
            .map(|(_, url)| url.without_password().to_string());
        cx.prompt(Prompt::new(PromptKind::EditUrl, &url.unwrap_or_default()));
    }

    /// Sets the step that follows when the incoming page is complete.
    pub(crate) fn set_next_step(&mut self, next_step: NextStep) {
        if let Some(incoming) = self.pane_mut().and_then(|pane| pane.incoming.as_mut()) {
            incoming.next_step = Some(next_step);
        }
    }
}

fn open_builtin(address: &str, cx: &mut Context) {
    if let Ok(url) = Url::accept(address) {
        cx.open(url, None, OpenIn::ThisPane);
    }
}
