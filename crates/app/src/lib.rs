//! The state of the browser, and the one function that changes it.
//!
//! [`App::update`] takes a [`Message`] and returns [`Effect`]s. It reads no file, opens no socket, starts no task and
//! reads no clock (the time comes with the message), so a test can replay everything the browser does. Each load has
//! an id. A part of a load that no page waits for is ignored.

pub mod action;
pub mod bookmarks;
mod card;
mod command;
pub mod compose;
pub mod config_report;
mod context;
pub mod copies;
pub mod credentials;
mod desktop;
pub mod dialogs;
mod geometry;
mod handlers;
pub mod home;
pub mod keymap;
pub mod keys;
pub mod layout;
pub mod library;
pub mod manual;
mod message;
mod motion;
pub mod mouse;
pub mod name;
pub mod news;
mod panes;
mod private;
pub mod requester;
pub mod settings;
pub mod tabs;
pub mod theme;
pub mod tour;
pub mod transfers;
mod update;
pub mod view;

pub use self::bookmarks::BookmarksPane;
pub(crate) use self::bookmarks::message::BookmarkCommand;
pub use self::bookmarks::message::{BookmarkEffect, BookmarkMessage, HistoryStep};
pub(crate) use self::command::Command;
pub(crate) use self::compose::Compose;
pub(crate) use self::compose::message::ComposeCommand;
pub use self::config_report::{ConfigMistake, ConfigReport, FileLine, SettingLine};
pub use self::context::{Context, Notice};
pub use self::credentials::Credentials;
pub(crate) use self::credentials::message::CredentialCommand;
pub use self::credentials::message::{CredentialEffect, CredentialMessage};
pub use self::dialogs::Dialogs;
pub use self::dialogs::dialog::Dialog;
pub use self::dialogs::dialog::Overlay;
pub use self::geometry::{Position, Rect};
pub use self::layout::{Focus, Layout};
pub use self::library::Library;
pub(crate) use self::library::message::LibraryCommand;
pub use self::library::message::{LibraryEffect, LibraryMessage};
pub use self::message::{CardEnd, Effect, Message};
pub use self::name::title_of;
pub(crate) use self::news::News;
pub(crate) use self::news::message::NewsCommand;
pub use self::news::message::{NewsEffect, NewsMessage};
pub use self::requester::{OpenIn, PendingRequest};
pub use self::settings::{Mailcaps, Memory, Settings};
pub use self::tabs::Tabs;
pub(crate) use self::tabs::message::TabsCommand;
pub use self::tabs::message::{TabsEffect, TabsMessage};
pub use self::tabs::page::Page;
pub use self::transfers::Transfers;
pub(crate) use self::transfers::message::TransferCommand;
pub use self::transfers::message::{TransferEffect, TransferMessage};
pub use self::view::work::{Work, WorkId, WorkResult};

use std::sync::Arc;

use geomys_load::{
    CookieJar, FormAnswers, GopherItem, GopherRequest, NameHints, Reason, Request, request_preview,
};
use geomys_page::document::{Document, Link, facts};
use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::checks::day;
use geomys_store::files::charsets::HostCharsets;
use geomys_store::files::session::SessionState;
use geomys_store::files::trust::Pins;
use geomys_store::transfer::queue::UnfinishedTransfer;
use geomys_wire::text::Text;
use rfc1738::{Url, mask};

use self::dialogs::search_history::SearchHistory;
use self::home::ReadItems;
pub use self::keys::sequence::Continuations;
pub(crate) use self::keys::sequence::QuitKey;
use self::layout::{BookmarksParams, LayoutParams};
use self::library::session::SessionStore;
use self::mouse::Mouse;
use self::tabs::tab::Tab;
use self::transfers::TransferQueue;
use self::view::choices::Choices;
use crate::bookmarks::check::LinkChecks;
use crate::keymap::{Key, Keymap};
use crate::library::copies::find_copies;
use crate::library::later::{queue_link, save_for_later};
use crate::requester::LinkToOpen;
use crate::requester::OpenPage;
use crate::requester::OpenTarget;
use crate::tabs::open::{no_link_words, offer_save};
use crate::transfers::message::SiteFile;
use crate::transfers::save::copy;
use crate::transfers::site::ask_site;
use crate::transfers::verbs::name_of_download;
use crate::view::context::Outcome;

/// The state that private tabs have in place of the stored one, until the program ends.
#[derive(Debug)]
pub(crate) struct PrivateState {
    news: News,
    /// The new items that were opened in them.
    opened: ReadItems,
}

impl PrivateState {
    /// Puts this state in the place of the stored one, or back.
    fn exchange(&mut self, news: &mut News, opened: &mut ReadItems) {
        std::mem::swap(news, &mut self.news);
        std::mem::swap(opened, &mut self.opened);
    }
}

impl Default for PrivateState {
    fn default() -> Self {
        Self {
            news: News::private(),
            opened: ReadItems::default(),
        }
    }
}

/// The whole state of the browser: its parts, and the routes of messages, commands and keys between them.
#[derive(Debug)]
pub struct App {
    /// The settings, the time, and the queues of effects and commands.
    pub cx: Context,
    /// The tabs with their panes and pages.
    pub tabs: Tabs,
    /// The bookmarks and their checks.
    pub bookmarks: BookmarksPane,
    /// The downloads.
    pub transfers: Transfers,
    /// The history of visited pages.
    pub library: Library,
    /// The questions and other elements above the page.
    pub dialogs: Dialogs,
    /// An incomplete key sequence, or the digits of a link's number typed so far.
    pub pending_keys: PendingKeys,
    /// The list of keys that may follow a prefix key.
    pub continuations: Continuations,
    quit_key: QuitKey,
    /// The read articles and subscriptions of news servers.
    pub news: News,
    /// What private tabs have in place of the stored state.
    private: PrivateState,
    /// The article or mail being written.
    pub(crate) compose: Compose,
    /// The logins, certificates and hazards that were accepted.
    credentials: Credentials,
    /// The size of the screen in columns and lines.
    pub size: (u16, u16),
    /// The tour of the demo, while it is on.
    pub tour: Option<tour::Tour>,
    /// The mouse, and what can be pressed with it.
    pub mouse: Mouse,
}

/// Typed keys that do not yet form a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PendingKeys {
    /// No typed keys.
    #[default]
    None,
    /// The beginning of a key sequence.
    Sequence(Vec<Key>),
    /// The first digits of a link's number.
    Digits(String),
}

/// What earlier runs have stored.
pub struct StoredState {
    /// The certificates that the user accepted.
    pub pins: Pins,
    /// The charsets that the user chose for hosts.
    pub charsets: HostCharsets,
    /// The session of the last run; `None` if another process owns its file.
    pub session: Option<SessionState>,
    /// The unfinished transfers.
    pub transfers: Vec<UnfinishedTransfer>,
}

impl App {
    /// Creates a browser with one empty tab, on a screen of `size` columns and lines.
    pub fn new(keymap: Keymap, settings: Settings, bookmarks: Bookmarks, size: (u16, u16)) -> Self {
        let (tabs, bookmarks) = (Tabs::default(), BookmarksPane::new(bookmarks));
        let layout = layout_of(&tabs, &bookmarks, Focus::Panes, size);
        Self {
            cx: Context::new(keymap, settings, layout),
            tabs,
            bookmarks,
            transfers: Transfers::default(),
            library: Library::default(),
            dialogs: Dialogs::default(),
            pending_keys: PendingKeys::None,
            continuations: Continuations::Hidden,
            quit_key: QuitKey::default(),
            news: News::default(),
            private: PrivateState::default(),
            compose: Compose::default(),
            credentials: Credentials::default(),
            size,
            tour: None,
            mouse: Mouse::default(),
        }
    }

    /// Stores visits of pages, and reads those that are stored.
    #[must_use]
    pub fn with_history(mut self) -> Self {
        self.library.stores_visits = true;
        self
    }

    /// Takes up what earlier runs have stored.
    #[must_use]
    pub fn with_stored(mut self, stored: StoredState) -> Self {
        self.credentials = Credentials::of_pins(stored.pins);
        self.tabs.choices.charsets = Choices::of(stored.charsets);
        if let Some(session) = &stored.session {
            self.bookmarks
                .sidebar
                .close_folders(&session.closed_folders);
            self.bookmarks.sort.order = session.bookmark_order;
            self.tabs.choices.restore(session);
            self.dialogs.searches = SearchHistory::of(&session.searches);
        }
        self.library.session = stored
            .session
            .map_or(SessionStore::Other, SessionStore::own);
        self.transfers.queue = TransferQueue::unfinished(stored.transfers);
        self.cx.transfers_changed();
        self
    }

    /// Sets the link check state of the bookmarks.
    #[must_use]
    pub fn with_link_checks(mut self, link_checks: LinkChecks) -> Self {
        self.bookmarks.checks = link_checks;
        self
    }

    /// Returns the browser with questions that accept keys as soon as they open. For tests in real time.
    #[must_use]
    pub fn accepting_keys_at_once(mut self) -> Self {
        self.dialogs.accept_keys_at_once();
        self
    }

    /// Returns the lines that the tour takes from the bottom of the screen.
    pub fn tour_lines(&self) -> u16 {
        tour::Tour::lines(self.tour.as_ref(), self.size.1)
    }

    /// Returns the positions of all parts of the screen.
    pub fn layout(&self) -> Layout {
        let has_overlay = self.dialogs.overlay.is_some();
        let size = (self.size.0, self.size.1 - self.tour_lines());
        let zoomed = self
            .tabs
            .tab()
            .and_then(|tab| tab.zoomed_layout(size, has_overlay, &self.cx));
        let layout =
            zoomed.unwrap_or_else(|| layout_of(&self.tabs, &self.bookmarks, self.cx.focus, size));
        Layout {
            sync_rows: u16::from(self.library.sync.running.is_some()),
            ..layout
        }
    }

    /// Returns the page with the focus.
    pub fn page(&self) -> Option<&Page> {
        self.tabs.page()
    }
}

/// Returns the selected link of the bookmarks, the transfers or the page.
pub(crate) fn selected_link(app: &App) -> Option<Link> {
    match app.cx.focus {
        Focus::Bookmarks => app.bookmarks.selected_link(),
        Focus::Transfers => app.transfers.selected_link(),
        Focus::Panes => app.tabs.page()?.link(),
    }
}

/// The commands on the selected link, in whichever part has the focus.
impl App {
    /// Opens what is selected in the part with the focus.
    pub(crate) fn open_selected(&mut self, open_in: OpenIn) {
        let cx = &mut self.cx;
        let is_open = match cx.focus {
            Focus::Transfers => return self.transfers.open_selected(open_in, cx),
            Focus::Bookmarks => self.bookmarks.open_here(open_in, cx).is_some(),
            Focus::Panes => {
                let outcome = self.tabs.ask(cx, |view, at| view.open(at));
                Tabs::follow(outcome.unwrap_or(Outcome::Ignored).open_in(open_in), cx)
            }
        };
        if is_open {
            return;
        }
        let Some((label, request)) = self.selected_request() else {
            return;
        };
        let link = LinkToOpen {
            request,
            label,
            open_in,
        };
        self.open_link(link);
    }

    /// Opens a link, or puts it into the queue of the next sync.
    pub(crate) fn open_link(&mut self, link: LinkToOpen) {
        let Some(LinkToOpen {
            request,
            label,
            open_in,
        }) = self.library.hold(link, &self.cx)
        else {
            return;
        };
        if queue_link(&request, &label, &self.tabs, &mut self.cx) {
            return;
        }
        if self.cx.focus == Focus::Bookmarks {
            self.bookmarks.sidebar.clear_filter(&mut self.cx);
        }
        let (tabs, cx) = (&mut self.tabs, &mut self.cx);
        if open_in == OpenIn::ThisPane
            && tabs
                .tab_mut()
                .is_some_and(|tab| tab.open_beside_group(&request, &label, cx))
        {
            return;
        }
        match self.tabs.remote_page_to_file(&request.url, &self.cx) {
            Some(page) => {
                let dialog = Dialog::local_file(request, label, &page, Some(open_in));
                self.cx.ask(dialog);
            }
            None => {
                let (tabs, credentials) = (&self.tabs, &self.credentials);
                if !tabs.rules.request_tls_port(
                    tabs.page().map(|page| &page.url),
                    &request,
                    &label,
                    open_in,
                    credentials,
                    &mut self.cx,
                ) {
                    self.open(OpenPage::from(request).titled(label).open_in(open_in));
                }
            }
        }
    }

    /// Creates a request for the selected link, with its mirrors. If there is none, the status line shows the reason.
    pub(crate) fn selected_request(&mut self) -> Option<(Text, Request)> {
        let link = selected_link(self);
        let gopher_item = link.as_ref().map(GopherItem::of).unwrap_or_default();
        let answers = link.as_ref().map(FormAnswers::of).unwrap_or_default();
        let (label, url) = self.selected_url()?;
        let page = self.tabs.page().filter(|_| self.cx.focus == Focus::Panes);
        let document = page.and_then(Page::document);
        let prior = document.and_then(Document::expected_charset);
        let charset = match document {
            Some(document) => document.charset_setting(),
            None => self.tabs.choices.charset_of(&url, &self.cx),
        };
        let from_page = match self.cx.focus {
            Focus::Panes => self.tabs.request_from_page(url),
            Focus::Bookmarks | Focus::Transfers => {
                let reason = self.transfers.reason_of_selected();
                let reason = reason.filter(|_| self.cx.focus == Focus::Transfers);
                let reason = reason.unwrap_or(Reason::Bookmark);
                self.tabs.request_to(OpenTarget::Url(url, reason))
            }
        };
        let request = Request {
            gopher: GopherRequest {
                alternates: link.map(|link| link.alternates).unwrap_or_default(),
                item: gopher_item,
                ..from_page.gopher
            },
            answers,
            name_hints: NameHints {
                title: Some(label.clone()),
                charset,
                prior,
                ..NameHints::default()
            },
            ..from_page
        };
        Some((label, request))
    }

    /// Returns the selected link's label and URL. If there is none, the status line shows the reason.
    fn selected_url(&mut self) -> Option<(Text, Url)> {
        let link = selected_link(self);
        match link.map(|link| (link.label, link.target)) {
            Some((label, Ok(url))) => return Some((label, url)),
            Some((_, Err(error))) => self.cx.report_error(&error.to_string()),
            None => {
                let why = no_link_words(self.tabs.page(), &self.cx);
                self.cx.notify(&why);
            }
        }
        None
    }

    /// Bookmarks the selected link.
    pub(crate) fn bookmark_link(&mut self) {
        if let Some((label, url)) = self.selected_url() {
            self.bookmarks.bookmark(&label, &url, &mut self.cx);
        }
    }

    /// Copies the URL of the selected link.
    pub(crate) fn copy_link(&mut self) {
        if let Some((_, url)) = self.selected_url() {
            copy(&url, &mut self.cx);
        }
    }

    /// Returns the days on which a bookmark was added and last visited, and where its page was before, as far as they
    /// are stored.
    fn dates(&self, url: &Url) -> Vec<(Text, Text)> {
        let is_bookmark = self.cx.focus == Focus::Bookmarks;
        let added = self
            .bookmarks
            .checks
            .added
            .added(url)
            .filter(|_| is_bookmark);
        let visited = self.library.last_visit(url).filter(|_| is_bookmark);
        let days = [("added", added), ("last visit", visited)].into_iter();
        let days = days.filter_map(|(name, time)| Some((name, time?)));
        let days = days.map(|(name, time)| (name, day(time)));
        let former = match self.bookmarks.checks.added.former(url) {
            former if is_bookmark => former,
            _ => Vec::new(),
        };
        let moves = (former.len() > 1).then(|| match former.len() {
            2 => "twice".to_owned(),
            more => format!("{more} times"),
        });
        let was = former.iter().map(|one| {
            let (url, until) = (mask(&one.url), day(one.until));
            ("was", format!("{url} until {until}"))
        });
        let lines = days.chain(moves.map(|times| ("moved", times))).chain(was);
        lines
            .map(|(name, value)| (Text::of(name), Text::of(&value)))
            .collect()
    }

    /// Shows the properties of the selected link.
    pub(crate) fn show_info(&mut self) {
        // Invalid links have an info too: it shows their error.
        let cookies = self.cookie_facts();
        let page = self.tabs.page().filter(|_| self.cx.focus == Focus::Panes);
        let row = page.and_then(Page::row_text);
        let Some(link) = selected_link(self) else {
            let row = row.map(|row| (Text::of("row"), row));
            let mut lines = Vec::from_iter(row);
            lines.extend(page.and_then(Page::end_detail));
            lines.extend(cookies);
            if lines.is_empty() {
                drop(self.selected_url());
            } else {
                self.cx.show(Overlay::Info(lines));
            }
            return;
        };
        // The label may lack a part of what the row shows.
        let row = row.filter(|row| *row != link.label);
        let row = row.map(|row| (Text::of("row"), row));
        let mut lines = Vec::from_iter(row);
        lines.push((Text::of("title"), link.label));
        match link.target {
            Ok(url) => {
                lines.extend(facts(&url));
                lines.extend(self.bookmarks.checks.facts(&url));
                lines.extend(self.dates(&url));
                let preview = request_preview(&url);
                lines.extend(preview.map(|line| (Text::of("sends"), Text::of(&line))));
            }
            Err(error) => lines.push((Text::of("fault"), Text::of(&error.to_string()))),
        }
        if let Some(page) = self.tabs.page().filter(|_| self.cx.focus == Focus::Panes) {
            lines.extend(page.details());
        }
        lines.extend(cookies);
        self.cx.show(Overlay::Info(lines));
    }

    /// Returns the page with the focus and the cookies of its tab; None if there are none.
    fn page_with_cookies(&self) -> Option<(&Page, Arc<CookieJar>)> {
        let page = self.tabs.page().filter(|_| self.cx.focus == Focus::Panes)?;
        let jar = self.tabs.cookies(&self.credentials, &self.cx.settings)?;
        Some((page, jar))
    }

    /// Returns the cookies that a request for the page sends, for the panel of details.
    fn cookie_facts(&self) -> Vec<(Text, Text)> {
        let Some((page, jar)) = self.page_with_cookies() else {
            return Vec::new();
        };
        let mut facts: Vec<(Text, Text)> = jar
            .facts(&page.url)
            .into_iter()
            .map(|fact| (Text::of("cookie"), fact))
            .collect();
        if !facts.is_empty() {
            let advice = "removes the first cookie";
            facts.push((Text::of("X"), Text::of(advice)));
        }
        facts
    }

    /// Removes the first cookie of the panel of details. Returns false if there is none.
    fn remove_cookie(&mut self) -> bool {
        let removed = self.page_with_cookies();
        let removed = removed.and_then(|(page, jar)| jar.remove_first(&page.url));
        let Some(name) = removed else {
            return false;
        };
        if !self.cookie_facts().is_empty() {
            self.show_info();
        }
        self.cx.notify(&format!("Cookie {name} removed"));
        true
    }

    /// Adds the target of the selected link to the queue: a file at once, a directory after a question.
    pub(crate) fn download_selected(&mut self) {
        if self.download_marked() {
            return;
        }
        let Some((label, request)) = self.selected_request() else {
            return offer_save(&self.tabs, &mut self.cx);
        };
        match self.tabs.remote_page_to_file(&request.url, &self.cx) {
            Some(page) => self.cx.ask(Dialog::local_file(request, label, &page, None)),
            None => self.transfers.download_or_ask(request, &mut self.cx),
        }
    }

    /// Puts the selected link, or else the page, into the queue of pages to read later.
    pub(crate) fn save_for_later(&mut self) {
        let page = self.tabs.page().filter(|_| selected_link(self).is_none());
        let page = page.map(|page| {
            let request = Request {
                reason: page.request.reason(),
                ..self.tabs.request_from_page(page.url.clone())
            };
            (page.title.clone(), request)
        });
        if let Some((title, request)) = page.or_else(|| self.selected_request()) {
            save_for_later(request, &title, &self.credentials, &mut self.cx);
        }
    }

    /// Asks for the path of the selected link's target, and for the treatment of a file that is there.
    pub(crate) fn download_selected_as(&mut self) {
        let Some((label, request)) = self.selected_request() else {
            return offer_save(&self.tabs, &mut self.cx);
        };
        match self.tabs.remote_page_to_file(&request.url, &self.cx) {
            Some(page) => self.cx.ask(Dialog::local_file(request, label, &page, None)),
            None => self.transfers.download_as(request, &mut self.cx),
        }
    }

    /// Copies the directory or the site of the shown page into a directory, after a question for its path.
    pub(crate) fn mirror_page(&mut self) {
        if let Some(request) = self.request_for_site("mirror") {
            Transfers::mirror(request, &mut self.cx);
        }
    }

    /// Archives the directory or the site of the shown page, after a question for the file.
    pub(crate) fn archive_page(&mut self) {
        if let Some(request) = self.request_for_site("archive") {
            ask_site(request, SiteFile::Archive, &mut self.cx);
        }
    }

    /// Checks the selected bookmarks; on a page all links of its site, after a question for the file of the report.
    pub(crate) fn check(&mut self) {
        if self.cx.focus == Focus::Bookmarks {
            let sidebar = &self.bookmarks.sidebar;
            let checks = &mut self.bookmarks.checks;
            checks.check_selected(sidebar, &self.credentials, &mut self.cx);
        } else if let Some(request) = self.request_for_site("check") {
            let defaults = self.credentials.request_defaults(&self.cx.settings);
            ask_site(request, SiteFile::Check(Box::new(defaults)), &mut self.cx);
        }
    }

    /// Returns the request for the directory or site of the shown page; tells if there is none.
    fn request_for_site(&mut self, verb: &str) -> Option<Request> {
        let page = self
            .tabs
            .page()
            .filter(|page| !view::builtin::is_builtin(&page.url));
        let Some(page) = page.filter(|page| !page.is_error()) else {
            let sentence = format!("Open the directory or site to {verb} first");
            self.cx.notify(&sentence);
            return None;
        };
        Some(Request {
            reason: page.request.reason(),
            ..self.tabs.request_from_page(page.url.clone())
        })
    }

    /// Adds the targets of the marked rows to the queue, and removes the marks. Returns false if no row is marked.
    fn download_marked(&mut self) -> bool {
        let requests = self.tabs.marked_requests(&self.cx);
        let marked = self.tabs.page_mut().and_then(|page| page.view.rows_mut());
        let Some((requests, rows)) = requests.zip(marked) else {
            return false;
        };
        rows.marks.clear();
        let name = |request: &Request| name_of_download(&request.url, &request.name_hints);
        let names: Vec<String> = requests.iter().take(2).map(name).collect();
        let more = match requests.len().saturating_sub(names.len()) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        for request in requests {
            self.transfers.download_marked(request, &mut self.cx);
        }
        let names = names.join(", ");
        self.cx.notify(&format!("Saving {names}{more}"));
        true
    }
}

/// Offers the copies of the selected link, or of the page if no link is selected.
pub(crate) fn offer_copies(app: &mut App) {
    // The page of an error is about the one that is missing, whatever link it has.
    let is_meant = |page: &&Page| page.is_error() || selected_link(app).is_none();
    let page = app.tabs.page().filter(is_meant);
    let page = page.map(|page| (page.title.clone(), page.url.clone(), page.request.reason()));
    let link = |app: &mut App| {
        let (label, request) = app.selected_request()?;
        Some((label, request.url, request.reason))
    };
    if let Some((title, url, reason)) = page.or_else(|| link(app)) {
        find_copies(&url, &title, reason, &mut app.cx);
    }
}

/// Returns the positions of all parts of the screen.
fn layout_of(tabs: &Tabs, bookmarks: &BookmarksPane, focus: Focus, size: (u16, u16)) -> Layout {
    let sidebar = &bookmarks.sidebar;
    let tab = tabs.tab();
    let shares = tab.map_or(vec![0], Tab::shares);
    let params = LayoutParams {
        tabs: tabs.tabs().len(),
        shares: &shares,
        is_stacked: tab.is_some_and(|tab| tab.is_stacked),
        focus: tab.map_or(0, Tab::focus),
        article: tab.and_then(Tab::article_beside),
        bookmarks: BookmarksParams {
            shown: sidebar.shown && bookmarks.has_place(focus),
            wide: sidebar.is_wide || sidebar.is_filtered(),
            width: sidebar.width,
            focused: focus == Focus::Bookmarks,
        },
    };
    Layout::new(size.0, size.1, params)
}
