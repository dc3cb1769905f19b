//! The tabs: panes with pages, their loads, and what is known of the servers they come from.

pub mod arrange;
pub mod article_view;
pub mod attributes;
pub mod charset;
pub mod display;
pub mod document_view;
pub mod external;
pub mod go_up;
pub mod help;
pub mod hints;
pub mod load_events;
pub mod memory;
pub mod motion;
pub mod offline;
pub mod open;
pub mod page;
pub mod pane;
pub mod reload;
pub mod scroll;
pub mod send_form;
pub mod server_form;
pub mod session;
pub mod tab;

use crate::app::command::TabsCommand;
use crate::app::layout::view;
use crate::app::tabs::page::Page;
use crate::app::tabs::pane::Pane;
use crate::app::tabs::scroll::Viewport;
use crate::app::tabs::tab::Tab;
use crate::app::{Context, Credentials, Focus, News};
use crate::document::Shape;
use crate::keymap::Context as KeyContext;
use crate::load::{HostRules, LoadId};
use crate::text::CharsetSetting;

/// The tabs, one of them shown.
#[derive(Debug)]
pub struct Tabs {
    /// The tabs, from left to right.
    pub(crate) list: Vec<Tab>,
    /// The index of the shown tab.
    pub(crate) index: usize,
    /// The charsets that the user chose for hosts.
    pub(crate) charsets: Vec<(String, CharsetSetting)>,
    /// The selector rules (caps.txt) of the servers that were queried; `None` for a server without rules.
    pub(crate) selector_rules: Vec<(String, Option<HostRules>)>,
}

impl Default for Tabs {
    fn default() -> Self {
        Self {
            list: vec![Tab::default()],
            index: 0,
            charsets: Vec::new(),
            selector_rules: Vec::new(),
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

    /// Returns the page with the focus and the space for its text.
    pub(crate) fn page_view(&mut self, cx: &Context) -> Option<(&mut Page, Viewport)> {
        let focus = self.tab()?.focus();
        let (_, area) = *cx.layout.panes.iter().find(|(index, _)| *index == focus)?;
        let page = self.page_mut()?;
        let view = view(page, area);
        Some((page, view))
    }

    pub(crate) fn awaits(&self, load: LoadId) -> bool {
        self.list.iter().any(|tab| tab.loads().contains(&load))
    }

    /// Returns the active key contexts, the most specific first.
    pub fn contexts(&self, cx: &Context) -> Vec<KeyContext> {
        let document = self.page().and_then(Page::document);
        let mut contexts = match cx.focus {
            Focus::Bookmarks => vec![KeyContext::Bookmarks],
            Focus::Transfers => vec![KeyContext::Transfers],
            Focus::Panes if self.form(cx).is_some() => vec![KeyContext::Form],
            Focus::Panes if self.page().is_some_and(|page| page.session().is_some()) => {
                vec![KeyContext::Session, KeyContext::Page]
            }
            Focus::Panes => {
                let failed = self.page().filter(|page| page.is_article());
                let kind = document.and_then(|document| match document.shape() {
                    Shape::Group => Some(KeyContext::Group),
                    Shape::Article => Some(KeyContext::Article),
                    Shape::Groups => Some(KeyContext::Groups),
                    Shape::Menu
                    | Shape::Attributes
                    | Shape::People
                    | Shape::Hits
                    | Shape::Html
                    | Shape::Text
                    | Shape::Listing { .. } => None,
                });
                let kind = kind.or(failed.map(|_| KeyContext::Article));
                let list = document.filter(|document| document.is_list());
                let list = list.map(|_| KeyContext::List);
                kind.into_iter()
                    .chain(list)
                    .chain([KeyContext::Page])
                    .collect()
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

    /// Shows the first tab.
    pub(crate) fn show_first(&mut self) {
        self.index = 0;
    }
}

impl Tabs {
    /// Carries out a command of another part.
    pub(crate) fn carry_out(
        &mut self,
        command: TabsCommand,
        news: &News,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        match command {
            TabsCommand::OpenUnsupported(url) => self.open_unsupported(url, cx),
            TabsCommand::SetCharset(read_as) => self.set_charset(read_as, cx),
            TabsCommand::ReadFormFile(path) => self.read_file(path, cx),
            TabsCommand::ConfirmReplyPath(path) => self.confirm_reply_path(path, cx),
            TabsCommand::Run(arguments) => self.run_confirmed(arguments, cx),
            TabsCommand::ShowFailures(summary, url) => self.show_failures(&summary, url, cx),
            TabsCommand::RequestListChanges => self.request_list_changes(news, credentials, cx),
        }
    }
}
