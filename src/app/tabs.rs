//! The tabs: panes with pages, their loads, and what is known of the servers they come from.

pub mod article_pane;
pub mod charset;
pub(crate) mod choices;
pub mod external;
mod fragment;
pub mod go_up;
pub mod later;
pub mod load_events;
pub mod memory;
pub mod message;
pub mod motion;
pub mod offline;
pub mod open;
pub mod page;
pub mod pane;
pub mod panes;
pub mod pointer;
pub mod reload;
pub mod response;
pub mod select_link;
mod stored;
pub mod tab;
pub mod tls_port;
mod update;

use std::collections::HashMap;

use geomys_page::document::{Document, ListOrder, Shape};
use geomys_page::load::HostRules;
use geomys_store::files::charsets::HostCharsets;
use geomys_store::files::session::TabState;
use geomys_wire::text::CharsetSetting;
use ratatui::layout::Rect;

use crate::app::settings::Colours;
use crate::app::tabs::choices::Choices;
use crate::app::tabs::page::Content;
use crate::app::tabs::pane::{IncomingPage, Pane};
use crate::app::tabs::tab::Tab;
use crate::app::view::gutter::view;
use crate::app::view::position::Viewport;
use crate::app::{Context, Focus, Layout, Page};
use crate::keymap::KeyContext;

/// The tabs, one of them shown.
#[derive(Debug)]
pub struct Tabs {
    /// The tabs, from left to right.
    list: Vec<Tab>,
    /// The index of the shown tab.
    index: usize,
    /// The closed tabs, the one closed last at the end.
    closed: Vec<TabState>,
    /// The charsets that the user chose for hosts.
    pub(crate) charsets: HostCharsets,
    /// The charsets that the user chose for articles, by URL.
    article_charsets: HashMap<String, CharsetSetting>,
    /// The sort orders that the user chose, for the listings of hosts and for newsgroups by URL.
    pub(crate) orders: Choices<ListOrder>,
    /// The display of the pages' colours that the user chose for hosts.
    pub(crate) colours: Choices<Colours>,
    /// The selector rules (caps.txt) of the servers that were queried; `None` for a server without rules.
    selector_rules: HashMap<String, Option<HostRules>>,
}

impl Default for Tabs {
    fn default() -> Self {
        Self {
            list: vec![Tab::default()],
            index: 0,
            closed: Vec::new(),
            charsets: HostCharsets::new(),
            article_charsets: HashMap::new(),
            orders: Choices::default(),
            colours: Choices::default(),
            selector_rules: HashMap::new(),
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

    /// Returns the pane with the focus.
    pub fn pane(&self) -> Option<&Pane> {
        self.tab().map(Tab::pane)
    }

    /// Returns the page with the focus.
    pub fn page(&self) -> Option<&Page> {
        self.pane().and_then(Pane::page)
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

    pub(crate) fn take_incoming(&mut self) -> Option<IncomingPage> {
        self.pane_mut()?.incoming.take()
    }

    /// Returns the pages of all panes.
    pub(crate) fn pages(&self) -> impl Iterator<Item = &Page> {
        let panes = self.list.iter().flat_map(Tab::panes);
        panes.flat_map(Pane::pages)
    }

    pub(crate) fn pages_mut(&mut self) -> impl Iterator<Item = &mut Page> {
        let panes = self.list.iter_mut().flat_map(Tab::panes_mut);
        panes.flat_map(Pane::pages_mut)
    }

    pub(crate) fn find_page(&mut self, matches: impl Fn(&Page) -> bool) -> Option<&mut Page> {
        self.pages_mut().find(|page| matches(page))
    }

    /// Returns true if a pane on the screen shows a picture.
    pub fn shows_picture(&self) -> bool {
        let panes = self.tab().into_iter().flat_map(Tab::panes);
        let mut pages = panes.filter_map(Pane::page);
        pages.any(|page| page.shown_picture.rendered.is_some())
    }

    /// Returns the pages on the screen with the areas of their panes.
    pub(crate) fn pages_on_screen(
        &mut self,
        layout: &Layout,
    ) -> impl Iterator<Item = (&mut Page, Rect)> {
        let panes = self.tab_mut().into_iter().flat_map(Tab::panes_mut);
        let shown = panes.enumerate();
        shown.filter_map(|(index, pane)| Some((pane.page_mut()?, layout.pane(index)?)))
    }

    /// Returns the page with the focus and the space for its text.
    pub(crate) fn page_view(&mut self, cx: &Context) -> Option<(&mut Page, Viewport)> {
        let area = cx.layout.pane(self.tab()?.focus())?;
        let page = self.page_mut()?;
        let view = view(page, area, cx.settings.reading);
        Some((page, view))
    }

    /// Returns the active key contexts, the most specific first.
    pub fn contexts(&self, cx: &Context) -> Vec<KeyContext> {
        let mut contexts = match cx.focus {
            Focus::Bookmarks => vec![KeyContext::Bookmarks],
            Focus::Transfers => vec![KeyContext::Transfers],
            Focus::Panes => self.page().map_or(vec![KeyContext::Page], Page::contexts),
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
        let is_private = self.tab().is_some_and(|tab| tab.is_private);
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

    /// Returns true if a page of the pane with the focus is requested or arrives.
    pub(crate) fn is_loading(&self) -> bool {
        let is_arriving = |page: &Page| page.state.is_arriving();
        self.incoming().is_some() || self.page().is_some_and(is_arriving)
    }
}

impl Page {
    /// Returns the key contexts of the page, the most specific first.
    fn contexts(&self) -> Vec<KeyContext> {
        let is_list = self.is_list().then_some(KeyContext::List);
        let kind = match (&self.content, self.document().map(Document::shape)) {
            (Content::Form(_), _) => return vec![KeyContext::Form],
            (Content::Session(_), _) => {
                return vec![
                    KeyContext::SessionPage,
                    KeyContext::Session,
                    KeyContext::Page,
                ];
            }
            (_, Some(Shape::Group)) => Some(KeyContext::Group),
            (_, Some(Shape::Groups)) => Some(KeyContext::Groups),
            (_, Some(Shape::Visits)) => Some(KeyContext::History),
            (_, Some(Shape::Picture)) => Some(KeyContext::Picture),
            _ => self.is_article().then_some(KeyContext::Article),
        };
        let contexts = kind.into_iter().chain(is_list);
        contexts.chain([KeyContext::Page]).collect()
    }
}
