//! Going to places: links, addresses, what is above a page; and stopping on the way.

use super::action::Action;
use super::choice::{Choice, OpenLocal};
use super::page::{Content, Page, State};
use super::pane::{Arrival, Incoming};
use super::prompt::{Prompt, Wants};
use super::tab::Tab;
use super::{App, Effect, Focus, help, title_of};
use crate::document::Link;
use crate::load::{GopherItem, Phase, Question, Request, UseKept, wants_words};
use crate::text::Text;
use crate::url::{Parts, Scheme, Url, forgiven, mask};

/// Where a link opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// In the pane with the focus.
    Here,
    /// In a new pane to the right.
    Beside,
    /// In a new tab.
    Tab,
}

impl App {
    /// Opens what a person named, each in a tab of its own; the home page when nothing is named.
    pub fn start(&mut self, addresses: &[String]) -> Vec<Effect> {
        let mut effects = self.read_known();
        if addresses.is_empty() {
            effects.extend(self.open_home());
        }
        for (index, address) in addresses.iter().enumerate() {
            if index > 0 {
                self.tabs.push(Tab::default());
                self.tab = self.tabs.len() - 1;
            }
            match self.typed(address) {
                // A question is about the page that is looked at: of several only one is.
                Ok(url) if addresses.len() == 1 => effects.extend(self.open_typed(url)),
                Ok(url) => {
                    let request = self.request_from_page(url);
                    effects.extend(self.open_page(request, None, Where::Here));
                }
                Err(error) => {
                    effects.extend(self.open_home());
                    self.complain(&format!("{}: {error}", mask(address)));
                }
            }
        }
        self.tab = 0;
        self.focus = if addresses.is_empty() {
            Focus::Bookmarks
        } else {
            Focus::Panes
        };
        self.has_opened_by_itself();
        effects
    }

    /// The home page.
    pub(super) fn open_home(&mut self) -> Vec<Effect> {
        self.open_ours(help::HOME)
    }

    pub(super) fn open_help(&mut self) -> Vec<Effect> {
        self.focus = Focus::Panes;
        if self
            .page()
            .is_some_and(|page| page.url.as_str() == help::HELP)
        {
            return self.turn(false);
        }
        self.open_ours(help::HELP)
    }

    fn open_ours(&mut self, address: &str) -> Vec<Effect> {
        match Url::accept(address) {
            Ok(url) => self.open(url, None, Where::Here),
            Err(_) => Vec::new(),
        }
    }

    /// Opens a URL; `title` is what the link to it said.
    pub(super) fn open(&mut self, url: Url, title: Option<Text>, place: Where) -> Vec<Effect> {
        let request = self.request_from_page(url);
        self.open_request(request, title, place)
    }

    pub(super) fn open_request(
        &mut self,
        request: Request,
        title: Option<Text>,
        place: Where,
    ) -> Vec<Effect> {
        let is_ours = help::is_ours(&request.url);
        self.note_opened(&request.url);
        if let Some(effects) = (!is_ours).then(|| self.hand_on(&request.url)).flatten() {
            return effects;
        }
        self.open_page(request, title, place)
    }

    /// Opens the page that tells what an address is that nobody here speaks.
    pub(super) fn open_unspoken(&mut self, url: Url) -> Vec<Effect> {
        self.open_page(Request::show(url), None, Where::Here)
    }

    fn open_page(&mut self, request: Request, title: Option<Text>, place: Where) -> Vec<Effect> {
        let url = request.url.clone();
        let in_session = self.page().is_some_and(|page| page.state.is_held());
        // A session would end if another page took its place.
        let place = if in_session && place == Where::Here {
            Where::Tab
        } else {
            place
        };
        match place {
            Where::Here => {}
            Where::Beside => {
                if let Some(tab) = self.tab_mut() {
                    tab.split();
                }
            }
            Where::Tab => {
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
            return self.arrive(page, Arrival::Next);
        }
        let request = Request {
            use_kept: UseKept::First,
            ..request
        };
        self.request(request, title, Arrival::Next)
    }

    /// Starts a load for the pane with the focus. The page that is shown stays until the answer begins.
    pub(super) fn request(
        &mut self,
        mut request: Request,
        title: Text,
        arrival: Arrival,
    ) -> Vec<Effect> {
        if arrival == Arrival::Draft {
            return self.go_on_with_draft(request);
        }
        if let Arrival::Transfer(id) = arrival {
            return self.go_on(id, request);
        }
        // What was looked for in another page is looked for no longer.
        self.awaited = None;
        self.complete(&mut request);
        let load = self.next_load();
        let Some(pane) = self.pane_mut() else {
            return Vec::new();
        };
        let incoming = Incoming {
            load,
            request: request.clone(),
            title,
            phase: Phase::Connecting,
            arrival,
            question: None,
            keep: None,
        };
        let old = pane.incoming.take();
        let mut effects: Vec<Effect> = old.map(|old| Effect::Drop(old.load)).into_iter().collect();
        if self.questions.by_key && wants_words(&request) {
            // What follows the key is typed for the search already.
            effects.extend(self.put_question(Question::Search, incoming));
            return effects;
        }
        if let Some(pane) = self.pane_mut() {
            pane.incoming = Some(incoming);
        }
        effects.push(Effect::Load(load, request));
        effects
    }

    /// Remembers a name and password that a server took.
    pub(super) fn remember(&mut self, request: &Request) {
        if let (Some(place), Some(login)) = (request.place(), request.login.clone()) {
            self.logins.retain(|(known, _)| *known != place);
            self.logins.push((place, login));
        }
        self.ask_to_keep(request);
    }

    /// A request for what a link of the shown page leads to: `news:` goes to the server that the page came from, and over
    /// TLS where that did.
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

    pub(super) fn arrive(&mut self, page: Page, arrival: Arrival) -> Vec<Effect> {
        let dropped = self
            .pane_mut()
            .map(|pane| pane.arrive(page, arrival))
            .unwrap_or_default();
        dropped.into_iter().map(Effect::Drop).collect()
    }

    /// The link that is chosen: in the bookmarks, or in the page.
    pub(super) fn chosen(&self) -> Option<Link> {
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

    pub(super) fn open_chosen(&mut self, place: Where) -> Vec<Effect> {
        if self.focus == Focus::Transfers {
            return self.open_transfer(place);
        }
        if self.focus == Focus::Bookmarks && self.sidebar.bookmark().is_none() {
            self.sidebar.fold();
            self.reveal_all();
            return Vec::new();
        }
        // A bookmark with a fault says what it opens as, where there is a URL that means the same.
        if let (Focus::Bookmarks, Some(bookmark)) = (self.focus, self.sidebar.bookmark())
            && bookmark.has_fault
            && let Ok(url) = forgiven(bookmark.written().as_str())
        {
            let label = bookmark.label();
            return self.open(url, Some(label), place);
        }
        if self.focus == Focus::Panes && self.page().is_some_and(|page| page.session().is_some()) {
            return self.switch_keys();
        }
        if self.focus == Focus::Panes && self.fold_remark() {
            return Vec::new();
        }
        if let Some(effects) = self.open_quotation() {
            return effects;
        }
        if let Some(effects) = self.ask_save_attachment() {
            return effects;
        }
        let Some((label, request)) = self.chosen_request() else {
            return Vec::new();
        };
        match self.remote_page_to_file(&request.url) {
            Some(page) => {
                let open_in = OpenLocal::Pane(place);
                self.choose(Choice::local_file(request, label, &page, open_in))
            }
            None => self.open_request(request, Some(label), place),
        }
    }

    /// The page of a server whose link leads to this file of this machine; nothing where somebody else names it.
    pub(super) fn remote_page_to_file(&self, url: &Url) -> Option<Url> {
        let page = self.page().filter(|_| self.focus == Focus::Panes)?;
        let is_local = page.url.scheme() == Scheme::File || help::is_ours(&page.url);
        (url.scheme() == Scheme::File && !is_local).then(|| page.url.clone())
    }

    /// Folds or unfolds the remark under the cursor; whether there is one.
    fn fold_remark(&mut self) -> bool {
        let Some((page, view)) = self.page_view() else {
            return false;
        };
        let cursor = page.place.cursor;
        let Content::Document(document) = &mut page.content else {
            return false;
        };
        let folded = document.fold(cursor);
        page.reveal(view);
        folded
    }

    /// A request for what the chosen link leads to, which knows its mirrors; when there is none, the status line says
    /// why.
    pub(super) fn chosen_request(&mut self) -> Option<(Text, Request)> {
        let link = self.chosen();
        let is_plus = link.as_ref().is_some_and(|link| link.about.is_some());
        let mirrors = link.map(|link| link.mirrors).unwrap_or_default();
        let (label, url) = self.chosen_url()?;
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

    /// The chosen link's text and URL; when there is none, the status line says why.
    pub(super) fn chosen_url(&mut self) -> Option<(Text, Url)> {
        match self.chosen() {
            Some(Link {
                label,
                target: Ok(url),
                ..
            }) => Some((label, url)),
            Some(Link {
                target: Err(error), ..
            }) => {
                self.complain(&error.to_string());
                None
            }
            None => {
                let why = self.no_link();
                self.tell(&why);
                None
            }
        }
    }

    /// Why no link is chosen, in words.
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

    /// Every group of the server that the shown group, or anything in it, is on.
    pub(super) fn all_groups(&self, to_root: bool) -> Option<Request> {
        match self.page()?.url.reading() {
            Parts::Nntp(nntp) if to_root || nntp.number.is_none() => {
                Some(self.request_from_page(Url::parse("news:*").ok()?))
            }
            _ => None,
        }
    }

    /// The address that the address line shows: of the page on its way, or else of the page.
    pub(super) fn address(&self) -> Option<(Text, Url)> {
        let pane = self.pane()?;
        match &pane.incoming {
            Some(incoming) => Some((incoming.title.clone(), incoming.request.url.clone())),
            None => pane
                .page()
                .map(|page| (page.title.clone(), page.url.clone())),
        }
    }

    pub(super) fn edit_url(&mut self) -> Vec<Effect> {
        let url = self
            .address()
            .map(|(_, url)| url.without_password().to_string());
        self.prompt(Prompt::new(Wants::Edited, &url.unwrap_or_default()))
    }

    /// Stops the nearest thing that can be stopped: a load, the find, a download.
    pub(super) fn stop(&mut self) -> Vec<Effect> {
        self.awaited = None;
        if self.focus == Focus::Transfers {
            return self.toggle_transfers();
        }
        if self.focus == Focus::Bookmarks
            && let Some(effects) = self.stop_check()
        {
            return effects;
        }
        if self.stop_in_bookmarks() {
            return Vec::new();
        }
        if let Some(effects) = self.stop_draft() {
            return effects;
        }
        let Some(pane) = self.pane_mut() else {
            return Vec::new();
        };
        if let Some(incoming) = pane.incoming.take() {
            self.tell("stopped");
            return vec![Effect::Drop(incoming.load)];
        }
        if let Some(page) = pane.page_mut() {
            if let Some(load) = page.load() {
                page.state = State::Stopped;
                let mut effects = vec![Effect::Drop(load)];
                effects.extend(self.finish_page());
                self.tell("stopped; what came is here");
                return effects;
            }
            if page.needle.take().is_some() {
                page.finding = None;
                return Vec::new();
            }
        }
        if let Some(effects) = self.unfilter() {
            return effects;
        }
        match self.downloads.pop() {
            Some(download) => {
                self.tell(&format!(
                    "stopped; what came of {} is in its .part file",
                    download.name
                ));
                vec![Effect::Drop(download.progress.load)]
            }
            None => self.stop_check().unwrap_or_default(),
        }
    }
}
