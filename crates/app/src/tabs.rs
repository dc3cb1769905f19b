//! The tabs: panes with pages, their loads, and what is known of the servers they come from.

pub mod article_pane;
pub mod articles;
pub mod ending;
pub mod external;
pub mod go_up;
pub mod groups;
pub mod memory;
pub mod message;
pub mod motion;
pub mod offline;
pub mod open;
pub mod page;
pub mod page_load;
pub mod pane;
pub mod panes;
pub mod reload;
pub mod response;
pub mod screen;
pub mod stored;
pub mod tab;
pub mod tls_port;
pub mod update;

use std::sync::Arc;

use geomys_load::CookieJar;
use rfc1738::Url;

use crate::keymap::KeyContext;
use crate::settings::Colours;
use crate::tabs::pane::{IncomingPage, Pane};
use crate::tabs::tab::{ClosedTabs, Tab, shows_private};
use crate::tabs::tls_port::SelectorRules;
use crate::view::choices::UserChoices;
use crate::view::context::{Outcome, ViewContext};
use crate::view::kind::ViewKind;
use crate::view::text_area::TextArea;
use crate::view::viewport::Viewport;
use crate::{Context, Credentials, Focus, Page, Settings};

/// The tabs, one of them shown.
#[derive(Debug)]
pub struct Tabs {
    /// The tabs, from left to right.
    list: Vec<Tab>,
    /// The index of the shown tab.
    index: usize,
    /// The closed tabs, which can be opened again.
    pub(crate) closed: ClosedTabs,
    /// The choices of the user for the pages of hosts.
    pub choices: UserChoices,
    /// The selector rules of Gopher servers.
    pub(crate) rules: SelectorRules,
}

impl Default for Tabs {
    fn default() -> Self {
        Self {
            list: vec![Tab::default()],
            index: 0,
            closed: ClosedTabs::default(),
            choices: UserChoices::default(),
            rules: SelectorRules::default(),
        }
    }
}

impl Tabs {
    /// Returns the tabs, from left to right.
    pub fn tabs(&self) -> &[Tab] {
        &self.list
    }

    /// Returns the index of the shown tab, from 0.
    pub fn tab_index(&self) -> usize {
        self.index
    }

    /// Returns the shown tab.
    pub fn tab(&self) -> Option<&Tab> {
        self.list.get(self.index)
    }

    /// Returns the cookies for the pages of the shown tab; None if the settings turn them off.
    pub(crate) fn cookies(
        &self,
        credentials: &Credentials,
        settings: &Settings,
    ) -> Option<Arc<CookieJar>> {
        let tab = self.tab().filter(|_| settings.cookies)?;
        Some(tab.cookies(credentials))
    }

    /// Returns the display of colours for the pages of a URL's host in the shown tab.
    pub fn colours_of(&self, url: &Url, settings: &Settings) -> Colours {
        let is_private = shows_private(self.tab());
        self.choices.colours_of(url, settings, is_private)
    }

    /// Returns the pane with the focus.
    pub fn pane(&self) -> Option<&Pane> {
        self.tab().map(Tab::pane)
    }

    /// Returns true if the page with the focus has this address.
    pub(crate) fn shows(&self, address: &str) -> bool {
        self.page().is_some_and(|page| page.url.as_str() == address)
    }

    /// Returns the page with the focus.
    pub fn page(&self) -> Option<&Page> {
        self.pane().and_then(Pane::page)
    }

    /// Returns true if a pane of the shown tab has this page, and waits for no other one.
    pub(crate) fn stay_on(&self, url: &Url) -> bool {
        let mut panes = self.tab().into_iter().flat_map(Tab::panes);
        panes
            .any(|pane| pane.incoming.is_none() && pane.page().is_some_and(|page| page.url == *url))
    }

    pub(crate) fn tab_mut(&mut self) -> Option<&mut Tab> {
        self.list.get_mut(self.index)
    }

    pub(crate) fn pane_mut(&mut self) -> Option<&mut Pane> {
        self.tab_mut().map(Tab::pane_mut)
    }

    pub(crate) fn page_mut(&mut self) -> Option<&mut Page> {
        self.pane_mut().and_then(Pane::page_mut)
    }

    /// Returns the incoming page of the pane with the focus.
    pub(crate) fn incoming(&self) -> Option<&IncomingPage> {
        self.pane()?.incoming.as_ref()
    }

    /// Returns the pages of all panes.
    pub(crate) fn pages(&self) -> impl Iterator<Item = &Page> {
        let panes = self.list.iter().flat_map(Tab::panes);
        panes.flat_map(Pane::pages)
    }

    /// Returns the tabs, to be changed.
    pub(crate) fn tabs_mut(&mut self) -> impl Iterator<Item = &mut Tab> {
        self.list.iter_mut()
    }

    pub(crate) fn find_page(&mut self, matches: impl Fn(&Page) -> bool) -> Option<&mut Page> {
        self.tabs_mut()
            .flat_map(Tab::pages_mut)
            .find(|page| matches(page))
    }

    /// Returns the document with the focus and the space for its text.
    pub(crate) fn rows_mut(&mut self, cx: &Context) -> Option<(&mut Viewport, TextArea)> {
        let pane = cx.layout.pane(self.tab()?.focus())?;
        let page = self.page_mut()?;
        let area = page.text_area(pane, cx.settings.reading);
        Some((page.view.rows_mut()?, area))
    }

    /// Asks the view with the focus. Returns `None` without a page.
    pub(crate) fn ask<T>(
        &mut self,
        cx: &mut Context,
        ask: impl FnOnce(&mut dyn ViewKind, &mut ViewContext<'_>) -> T,
    ) -> Option<T> {
        let tab = self.list.get_mut(self.index)?;
        let pane = cx.layout.pane(tab.focus()).unwrap_or_default();
        let is_private = tab.is_private;
        let page = tab.pane_mut().page_mut()?;
        let (view, mut context) = page.lend((pane, is_private), &mut self.choices, cx);
        Some(ask(view, &mut context))
    }

    /// Asks the view with the focus to do something. Returns false if it is not for this view.
    pub(crate) fn have_done(
        &mut self,
        cx: &mut Context,
        ask: impl FnOnce(&mut dyn ViewKind, &mut ViewContext<'_>) -> Outcome,
    ) -> bool {
        let outcome = self.ask(cx, ask).unwrap_or(Outcome::Ignored);
        Self::follow(outcome, cx)
    }

    /// Does what a view has answered. Returns false if it has done nothing.
    pub(crate) fn follow(outcome: Outcome, cx: &mut Context) -> bool {
        match outcome {
            Outcome::Ignored => return false,
            Outcome::Done => {}
            Outcome::Open(page) => cx.open(*page),
            Outcome::Ask(dialog) => cx.ask(*dialog),
        }
        true
    }

    /// Finishes complete pages again whose rows move by the new state of their news server.
    pub(crate) fn finish_changed_pages(
        &mut self,
        is_match: impl Fn(&Page) -> bool,
        cx: &mut Context,
    ) {
        for page in self.tabs_mut().flat_map(Tab::pages_mut) {
            if !page.state.is_arriving() && !page.is_finishing() && is_match(page) {
                page.finish_own(cx);
            }
        }
    }

    /// Returns the active key contexts, the most specific first.
    pub fn contexts(&self, cx: &Context) -> Vec<KeyContext> {
        let mut contexts = match cx.focus {
            Focus::Bookmarks => vec![KeyContext::Bookmarks],
            Focus::Transfers => vec![KeyContext::Transfers],
            Focus::Panes => {
                let page = self.page();
                page.map_or(vec![KeyContext::Page], |page| page.view.kind().contexts())
            }
        };
        contexts.push(KeyContext::Global);
        contexts
    }

    /// Adds a tab after the last one, and shows it.
    pub(crate) fn add_last(&mut self) {
        self.list.push(Tab::default());
        self.index = self.list.len() - 1;
    }

    /// Adds a tab after the shown one, and shows it; a private one if that one is private.
    pub(crate) fn add_related(&mut self) {
        let is_private = shows_private(self.tab());
        self.add_next();
        if let Some(tab) = self.tab_mut() {
            tab.is_private = is_private;
        }
    }

    /// Adds a tab after the shown one, and shows it.
    pub(crate) fn add_next(&mut self) {
        let next = (self.index + 1).min(self.list.len());
        self.list.insert(next, Tab::default());
        self.index = next;
    }
}
