//! Sessions: the screen that one covers, and the question before an action that ends them. Other actions never end one:
//! a page that would take the place of a session opens in a new tab.

use crate::action::Action;
use crate::tabs::pane::Pane;
use crate::tabs::tab::Tab;
use crate::view::View;
use crate::view::context::State;
use crate::view::terminal::TerminalView;
use crate::{Command, Context, Dialog, Focus, Layout, Page, Tabs};

impl Page {
    /// Returns the session, if the page is one, with the state of its load.
    fn terminal(&self) -> Option<(&TerminalView, &State)> {
        match &self.view {
            View::Terminal(terminal) => Some((terminal, &self.state)),
            _ => None,
        }
    }

    /// Returns true if the keys go to the shown session.
    pub fn session_has_keys(&self, cx: &Context) -> bool {
        let terminal = self.terminal();
        terminal.is_some_and(|(terminal, state)| terminal.has_keys(state, cx))
    }
}

impl Tab {
    /// Returns the layout of a screen of `size` while the shown session covers it; `has_overlay` is true while an
    /// element is shown above the page.
    pub(crate) fn zoomed_layout(
        &self,
        size: (u16, u16),
        has_overlay: bool,
        cx: &Context,
    ) -> Option<Layout> {
        let (terminal, state) = self.pane().page()?.terminal()?;
        if cx.focus != Focus::Panes || !state.is_in_session() || !terminal.is_zoomed {
            return None;
        }
        let has_status = !terminal.has_keys(state, cx) || has_overlay || cx.notice.is_some();
        Some(Layout::zoomed(size, self.focus(), has_status))
    }
}

impl Tabs {
    /// Asks before an action that ends running sessions. Returns true if the action is not to be carried out now.
    pub(crate) fn keeps_session(&mut self, action: Action, cx: &mut Context) -> bool {
        let is_here = cx.focus == Focus::Panes && self.page().is_some_and(is_running);
        if action == Action::Stop && is_here {
            // Esc ends no session: it ends the commands of the browser.
            if let Some(View::Terminal(terminal)) = self.page_mut().map(|page| &mut page.view) {
                terminal.give_keys();
            }
            return true;
        }
        let ending = self.ending_sessions(action, is_here);
        let question = match ending.as_slice() {
            [] => return false,
            [host] => format!("End the session with {host}?"),
            hosts => format!("End {} sessions?", hosts.len()),
        };
        cx.ask(Dialog::confirm(&question, Command::CarryOut(action)));
        true
    }

    /// Returns the hosts of the sessions that an action ends; `is_here` is true if the shown page is a running session.
    fn ending_sessions(&self, action: Action, is_here: bool) -> Vec<String> {
        let Some((tab, pane)) = self.tab().zip(self.pane()) else {
            return Vec::new();
        };
        let has_others = self.tabs().len() > 1;
        let is_loading = pane.incoming.is_some();
        let in_pane = || hosts([pane].into_iter());
        match action {
            Action::Back if is_here && !is_loading && pane.shown_index() > 0 => in_pane(),
            Action::Forward
                if is_here && !is_loading && pane.shown_index() + 1 < pane.pages().count() =>
            {
                in_pane()
            }
            Action::Reload if is_here && !is_loading => in_pane(),
            Action::ClosePane if is_here && (has_others || tab.count() > 1) => in_pane(),
            Action::CloseTab if has_others => hosts(tab.panes()),
            Action::Quit => hosts(self.tabs().iter().flat_map(Tab::panes)),
            _ => Vec::new(),
        }
    }
}

/// Returns true if a page is a running session.
fn is_running(page: &Page) -> bool {
    page.state.is_in_session()
}

/// Returns the hosts of the running sessions in these panes.
fn hosts<'a>(panes: impl Iterator<Item = &'a Pane>) -> Vec<String> {
    let pages = panes.filter_map(Pane::page).filter(|page| is_running(page));
    pages.map(host).collect()
}

fn host(page: &Page) -> String {
    let parts = page.url.base_parts();
    parts
        .address()
        .map_or("", |address| address.text)
        .to_owned()
}
