//! The memory of pages: all of them together have a budget.
//!
//! Above the budget the least recently shown pages are dropped: first complete ones, then those that still arrive in
//! hidden tabs. A dropped page retains its URL, title, arrangement and scroll position, and is loaded again when it is
//! shown: from the cache, else from its server. Only pictures on the screen have pixels. Answers to a form are not sent
//! again without a request by the user. If the pages on the screen alone exceed the budget, those that arrive are
//! truncated.

use geomys_load::LoadId;
use geomys_wire::text;

use crate::tabs::pane::Pane;
use crate::tabs::tab::Tab;
use crate::view::View;
use crate::view::context::State;
use crate::view::failure::DroppedView;
use crate::{Context, Page, Tabs};

impl Tabs {
    /// Drops pages until the others fit into the budget.
    pub(crate) fn enforce_memory_limit(&mut self, cx: &mut Context) {
        let budget = cx.settings.memory.pages;
        for page in self.hidden_pages() {
            page.view.kind_mut().leave_screen();
        }
        let panes = self.tab_mut().into_iter().flat_map(Tab::panes_mut);
        for page in panes.filter_map(Pane::page_mut) {
            page.shown_at = cx.now;
        }
        let sizes = self.pages().map(Page::memory);
        let mut used = sizes.fold(0, u64::saturating_add);
        if used <= budget {
            return;
        }
        self.drop_hidden(&mut used, cx);
        let panes = self.tab_mut().into_iter().flat_map(Tab::panes_mut);
        for page in panes.filter_map(Pane::page_mut).filter(|_| used > budget) {
            page.truncate(budget, cx);
        }
    }

    /// Returns the pages that are not on the screen.
    fn hidden_pages(&mut self) -> impl Iterator<Item = &mut Page> {
        let shown_tab = self.index;
        let tabs = self.list.iter_mut().enumerate();
        tabs.flat_map(move |(index, tab)| {
            tab.panes_mut().flat_map(move |pane| {
                let shown = (index == shown_tab).then_some(pane.shown_index());
                let pages = pane.pages_mut().enumerate();
                pages.filter_map(move |(at, page)| (Some(at) != shown).then_some(page))
            })
        })
    }

    /// Drops the least recently shown hidden pages, until `used` fits into the budget.
    fn drop_hidden(&mut self, used: &mut u64, cx: &mut Context) {
        let budget = cx.settings.memory.pages;
        let mut hidden: Vec<&mut Page> = self.hidden_pages().collect();
        // The reply to a form may have to be saved when it is complete.
        hidden.retain(|page| page.document().is_some() && page.next_step.is_none());
        hidden.sort_by_key(|page| (page.state.is_arriving(), page.shown_at));
        for page in hidden {
            if *used <= budget {
                break;
            }
            *used = used.saturating_sub(page.memory());
            cx.cancel(page.drop_content());
        }
    }
}

impl Page {
    /// Returns the memory that the content uses, in octets.
    pub fn memory(&self) -> u64 {
        self.view.kind().memory() as u64
    }

    /// Drops the document, and returns the load, which is to be cancelled.
    fn drop_content(&mut self) -> Option<LoadId> {
        let load = self.load();
        let saved = self.view.kind().stored();
        self.view = View::Dropped(DroppedView { saved });
        self.state = State::Whole;
        self.cache_key = None;
        load
    }

    /// Ends a load that arrives on the screen, as the budget has no room for more.
    fn truncate(&mut self, budget: u64, cx: &mut Context) {
        if !self.state.is_arriving() {
            return;
        }
        cx.cancel(self.load());
        self.state = State::Truncated(budget);
        if let Some(rows) = self.view.rows_mut() {
            rows.finish(cx);
        }
        let most = text::octets(budget);
        cx.report_error(&format!("Page cut: all open pages share {most}"));
    }
}
