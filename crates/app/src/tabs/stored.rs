//! Tabs as the session stores them: taken from the tabs, and made tabs again.

use geomys_load::{GopherItem, Namer, PrivateHosts, Reason, Request, needs_search_words};
use geomys_store::files::session::{PageState, PaneState, SessionState, TabState};
use geomys_wire::text::Text;
use rfc1738::{Dialect, Protocol, Url};

use crate::settings::Colours;
use crate::tabs::page::{AnswerFacts, PageRequest, ReloadPolicy, Restored};
use crate::tabs::pane::Pane;
use crate::tabs::tab::{ClosedTabs, Tab};
use crate::view::View;
use crate::view::builtin;
use crate::view::choices::{Choices, UserChoices};
use crate::view::failure::DroppedView;
use crate::view::position::ScrollPosition;
use crate::view::viewport::SavedView;
use crate::{Context, Focus, Page, Tabs};

/// The maximum number of stored pages of a pane: the nearest ones.
const MAX_PAGES: usize = 50;

/// The maximum number of closed tabs that can be opened again.
const MAX_CLOSED_TABS: usize = 20;

/// The highest row or column of a stored position.
const MAX_ROW: usize = 1 << 30;

/// The maximum length of a stored title, in characters.
const MAX_TITLE_CHARS: usize = 200;

impl ClosedTabs {
    /// Remembers the tabs of a session that the user declined as closed ones: the shown one opens first.
    pub(crate) fn decline(&mut self, mut state: SessionState) {
        self.0 = state.closed;
        if state.shown < state.tabs.len() {
            let shown = state.tabs.remove(state.shown);
            state.tabs.push(shown);
        }
        let tabs = state.tabs.into_iter();
        for state in tabs.filter(|state| tab(state).is_some_and(|tab| !is_blank(&tab))) {
            self.add(state);
        }
    }

    /// Takes the closed tabs of a session over.
    pub(crate) fn take_over(&mut self, state: &SessionState) {
        self.0.clone_from(&state.closed);
        self.1 = 0;
    }

    /// Returns true if a tab was closed in this run that was not opened again.
    pub(crate) fn has_new(&self) -> bool {
        self.1 > 0
    }

    /// Removes the tab that was closed last, and returns it.
    fn pop(&mut self) -> Option<TabState> {
        self.1 = self.1.saturating_sub(1);
        self.0.pop()
    }

    /// Remembers a tab that was closed, unless it is private or empty.
    pub(super) fn remember(&mut self, closed: &Tab) {
        if closed.is_private {
            return;
        }
        let state = tab_state(closed);
        if state.panes.iter().any(|pane| !pane.pages.is_empty()) {
            self.add(state);
        }
    }

    fn add(&mut self, state: TabState) {
        self.0.push(state);
        self.1 += 1;
        let surplus = self.0.len().saturating_sub(MAX_CLOSED_TABS);
        self.0.drain(..surplus);
    }
}

impl UserChoices {
    /// Sets the sort orders and the display of colours that the user chose in an earlier session.
    pub(crate) fn restore(&mut self, state: &SessionState) {
        let colours = state.colours.iter().map(|(host, &is_shown)| {
            let colours = if is_shown {
                Colours::Shown
            } else {
                Colours::Hidden
            };
            (host.clone(), colours)
        });
        self.colours = Choices::of(colours.collect());
        self.orders = Choices::of(state.orders.clone());
    }
}

/// Returns a session that waits; the tabs of this run are closed ones beside it.
pub(crate) fn beside(current: SessionState, waiting: &SessionState) -> SessionState {
    let mut closed = ClosedTabs(current.closed, 0);
    for state in current.tabs {
        if tab(&state).is_some_and(|tab| !is_blank(&tab)) {
            closed.add(state);
        }
    }
    SessionState {
        tabs: waiting.tabs.clone(),
        shown: waiting.shown,
        closed: closed.0,
        ..current
    }
}

impl Tabs {
    /// Returns the tabs, except the private ones, as the session stores them.
    pub(crate) fn session_state(&self) -> SessionState {
        let public = || {
            self.list
                .iter()
                .enumerate()
                .filter(|(_, tab)| !tab.is_private)
        };
        let before = public().filter(|(index, _)| *index < self.index).count();
        let colours = self.choices.colours.stored().iter();
        let tabs: Vec<TabState> = public().map(|(_, tab)| tab_state(tab)).collect();
        SessionState {
            shown: before.min(tabs.len().saturating_sub(1)),
            tabs,
            closed: self.closed.0.clone(),
            orders: self.choices.orders.stored().clone(),
            colours: colours
                .map(|(host, &colours)| (host.clone(), colours == Colours::Shown))
                .collect(),
            ..SessionState::default()
        }
    }

    /// Opens the tabs of a session to the left of those that show more than the home page. Returns the number of
    /// restored tabs.
    pub(crate) fn restore_session(&mut self, state: SessionState) -> usize {
        self.closed.0 = state.closed;
        let restored: Vec<Tab> = state.tabs.iter().filter_map(tab).collect();
        if restored.iter().all(is_blank) {
            return 0;
        }
        let count = restored.len();
        self.list.retain(|tab| !is_blank(tab));
        self.list.splice(..0, restored);
        self.index = state.shown.min(count - 1);
        count
    }

    /// Opens the tab again that was closed last.
    pub(crate) fn reopen_tab(&mut self, cx: &mut Context) {
        let reopened = std::iter::from_fn(|| self.closed.pop()).find_map(|state| tab(&state));
        let Some(tab) = reopened else {
            return cx.notify("No tab was closed");
        };
        self.add_next();
        if let Some(shown) = self.tab_mut() {
            *shown = tab;
        }
        cx.focus = Focus::Panes;
        cx.pages_changed();
        cx.reveal_all();
    }
}

/// Leaves out of a session what tells of the excepted hosts: their pages, those that they have named lose their namer,
/// and what was chosen for them.
pub(crate) fn leave_out(except: &PrivateHosts, state: &mut SessionState) {
    let is_private = |text: &str| match Dialect::Extended.parse(text) {
        Ok(url) => except.include(&url),
        Err(_) => except.include_host(text),
    };
    let tabs = state.tabs.iter_mut().chain(&mut state.closed);
    for pane in tabs.flat_map(|tab| &mut tab.panes) {
        let before = pane.pages.iter().take(pane.shown);
        let before = before.filter(|page| !is_private(&page.url)).count();
        pane.pages.retain(|page| !is_private(&page.url));
        pane.shown = before.min(pane.pages.len().saturating_sub(1));
        for page in &mut pane.pages {
            page.referrer.take_if(|namer| is_private(namer));
        }
    }
    state.orders.retain(|key, _| !is_private(key));
    state.colours.retain(|host, _| !is_private(host));
}

/// Returns the number of tabs of a session; none if they show nothing but the home page.
pub(crate) fn count_tabs(state: &SessionState) -> usize {
    let tabs: Vec<Tab> = state.tabs.iter().filter_map(tab).collect();
    if tabs.iter().all(is_blank) {
        0
    } else {
        tabs.len()
    }
}

/// Returns true if a tab shows nothing but the home page.
fn is_blank(tab: &Tab) -> bool {
    tab.panes().all(|pane| {
        let mut pages = pane.pages();
        pane.incoming.is_none() && pages.all(|page| page.url.as_str() == builtin::HOME)
    })
}

fn tab_state(tab: &Tab) -> TabState {
    TabState {
        panes: tab.panes().map(pane_state).collect(),
        focus: tab.focus(),
    }
}

fn pane_state(pane: &Pane) -> PaneState {
    let shown = pane.shown_index();
    let first = shown.saturating_sub(MAX_PAGES / 2);
    let pages = pane.pages().skip(first).take(MAX_PAGES);
    let mut pages: Vec<PageState> = pages.map(page_state).collect();
    let mut shown = shown - first;
    if let Some(incoming) = pane.incoming.as_ref().filter(|_| pages.is_empty()) {
        // The first page of the pane has not arrived yet.
        let (url, title) = (incoming.request.url.clone(), incoming.title.clone());
        pages.push(page_state(&Page {
            request: PageRequest {
                reason: Some(incoming.request.reason.clone()),
                ..PageRequest::default()
            },
            ..Page::of(url, title, View::Dropped(DroppedView::default()))
        }));
        shown = 0;
    }
    PaneState { pages, shown }
}

fn page_state(page: &Page) -> PageState {
    let saved = page.view.kind().stored();
    let (position, wrap) = saved.map_or((ScrollPosition::default(), true), |saved| {
        (saved.position, saved.wrap)
    });
    let request = &page.request;
    let on_request = match page.view {
        View::Form(_) | View::Terminal(_) => true,
        _ => {
            request.posted.is_some()
                || request.restored == Restored::OnRequest
                || request.reload == ReloadPolicy::OnRequest && page.document().is_some()
                || sends_or_asks(&page.url)
        }
    };
    let member = page.url.fragment().map(|path| path.as_str().to_owned());
    PageState {
        url: page.url.without_password().to_string(),
        title: page.title.as_str().chars().take(MAX_TITLE_CHARS).collect(),
        cursor: position.cursor,
        link: position.link,
        top: position.top,
        left: position.left,
        wrap,
        plus: request.gopher_item == GopherItem::Plus,
        referrer: page.request.reason().namer().to_stored(),
        on_request,
        member: member.filter(|_| page.is_in_archive()),
    }
}

/// Returns true if loading a URL again would send search words or answers once more, ask for a password, or open a
/// session or another program.
fn sends_or_asks(url: &Url) -> bool {
    let login = url.base_parts().login();
    let has_user = login.is_some_and(|login| login.user.is_some());
    let sends = match url.protocol() {
        Protocol::Gopher(gopher) => {
            gopher.search.is_some() || matches!(gopher.item_type(), b'2' | b'7' | b'8' | b'T')
        }
        Protocol::Http(_)
        | Protocol::Gemini(_)
        | Protocol::Titan(_)
        | Protocol::Spartan(_)
        | Protocol::Nex(_) => url.as_str().contains('?'),
        Protocol::Wais(_) => {
            url.as_str().contains('?')
                || needs_search_words(&Request::show(url.clone(), Reason::Typed))
        }
        Protocol::Cso(_) | Protocol::Telnet(_) | Protocol::Mailto(_) => true,
        Protocol::Other(_) => url.scheme_name() != "geomys",
        Protocol::Ftp(_)
        | Protocol::Nntp(_)
        | Protocol::File(_)
        | Protocol::Prospero(_)
        | Protocol::Finger(_) => false,
    };
    sends || has_user
}

fn tab(state: &TabState) -> Option<Tab> {
    let panes = state.panes.iter().map(pane);
    let panes: Vec<Pane> = panes.filter(|pane| pane.page().is_some()).collect();
    Tab::of(panes, state.focus)
}

fn pane(state: &PaneState) -> Pane {
    let pages = state.pages.iter().enumerate();
    let pages = pages.filter_map(|(index, state)| Some((index, page(state)?)));
    let pages: Vec<(usize, Page)> = pages.take(MAX_PAGES).collect();
    let shown = pages
        .iter()
        .take_while(|(index, _)| *index < state.shown)
        .count();
    let shown = shown.min(pages.len().saturating_sub(1));
    Pane::of(pages.into_iter().map(|(_, page)| page).collect(), shown)
}

fn page(state: &PageState) -> Option<Page> {
    // Another program may have written the file.
    let url = Dialect::Extended.parse(&state.url).ok()?.without_password();
    let position = ScrollPosition {
        cursor: state.cursor.min(MAX_ROW),
        link: state.link,
        top: (state.top.0.min(MAX_ROW), state.top.1.min(MAX_ROW)),
        left: state.left.min(MAX_ROW),
    };
    let (reload, restored) = if state.on_request || sends_or_asks(&url) {
        (ReloadPolicy::OnRequest, Restored::OnRequest)
    } else {
        (ReloadPolicy::Automatic, Restored::Automatic)
    };
    let saved = SavedView::new(position, state.wrap);
    let view = View::Dropped(DroppedView { saved: Some(saved) });
    let request = PageRequest {
        gopher_item: if state.plus {
            GopherItem::Plus
        } else {
            GopherItem::Plain
        },
        reason: Some(Reason::Restored(Namer::from_stored(
            state.referrer.as_deref(),
        ))),
        reload,
        restored,
        ..PageRequest::default()
    };
    Some(Page {
        request,
        answer: AnswerFacts::of_member(&url, state.member.is_some()),
        ..Page::of(url, Text::of(&state.title), view)
    })
}
