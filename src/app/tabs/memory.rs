//! The memory of pages: all of them together have a budget.
//!
//! Above the budget the least recently shown pages are dropped: first complete ones, then those that still arrive in
//! hidden tabs. A dropped page retains its URL, title, arrangement and scroll position, and is loaded again when it is
//! shown: from the cache, else from its server. Answers to a form are not sent again without a request by the user. If
//! the pages on the screen alone exceed the budget, those that arrive are truncated.

use crate::app::tabs::page::{Content, MenuAttributes, Page, State};
use crate::app::tabs::pane::Pane;
use crate::app::{Context, Effect, Tabs, WorkId};
use crate::document::Document;
use crate::load::LoadId;
use crate::text;

impl Tabs {
    /// Drops pages until the others fit into the budget.
    pub(crate) fn enforce_memory_limit(&mut self, cx: &mut Context) {
        let budget = cx.settings.memory.pages;
        let mut used: u64 = 0;
        let now = cx.now;
        for (index, tab) in self.list.iter_mut().enumerate() {
            for pane in tab.panes_mut() {
                used = pane
                    .pages()
                    .map(Page::memory)
                    .fold(used, u64::saturating_add);
                let shown = pane.shown_index();
                for (at, page) in pane.pages_mut().enumerate() {
                    if index != self.index || at != shown {
                        page.drop_rows();
                    }
                }
                if let Some(page) = pane.page_mut().filter(|_| index == self.index) {
                    page.shown_at = now;
                }
            }
        }
        if used <= budget {
            return;
        }
        self.drop_hidden(&mut used, cx);
        if used > budget {
            self.truncate_shown(cx);
        }
    }

    /// Drops the least recently shown hidden pages, until `used` fits into the budget.
    fn drop_hidden(&mut self, used: &mut u64, cx: &mut Context) {
        let budget = cx.settings.memory.pages;
        let mut hidden: Vec<&mut Page> = Vec::new();
        for (index, tab) in self.list.iter_mut().enumerate() {
            for pane in tab.panes_mut() {
                let shown = pane.shown_index();
                let pages = pane.pages_mut().enumerate();
                let out_of_sight = pages.filter(|(at, _)| index != self.index || *at != shown);
                hidden.extend(out_of_sight.map(|(_, page)| page));
            }
        }
        // The reply to a form may have to be saved when it is complete.
        hidden.retain(|page| page.document().is_some() && page.next_step.is_none());
        hidden.sort_by_key(|page| (page.state.is_arriving(), page.shown_at));
        let mut loads = Vec::new();
        for page in hidden {
            if *used <= budget {
                break;
            }
            *used = used.saturating_sub(page.memory());
            loads.extend(page.drop_content());
        }
        cx.effects.extend(loads.into_iter().map(Effect::Drop));
    }

    /// Ends the loads of pages on the screen, as the budget has no room for more.
    fn truncate_shown(&mut self, cx: &mut Context) {
        let budget = cx.settings.memory.pages;

        let mut work = cx.next_work();
        while let Some((load, finishing)) = self.truncate_next(work, budget) {
            cx.emit(Effect::Drop(load));
            self.finish_now_or_later(finishing, cx);
            let most = text::octets(budget);
            cx.report_error(&format!("Page cut: all pages hold {most}"));
            work = cx.next_work();
        }
    }

    fn truncate_next(
        &mut self,
        work: WorkId,
        limit: u64,
    ) -> Option<(LoadId, Option<(WorkId, Document)>)> {
        let panes = self.list.get_mut(self.index)?.panes_mut();
        let mut pages = panes.filter_map(Pane::page_mut);
        let page = pages.find(|page| page.state.is_arriving())?;
        let load = page.load()?;
        page.state = State::Truncated(limit);
        Some((load, page.finish(work)))
    }
}

impl Page {
    /// Returns the memory that the content uses, in octets.
    pub fn memory(&self) -> u64 {
        // The source view shares the octets of the rendered document.
        let rendered = self.rendered.as_ref().map(|rendered| &*rendered.document);
        let document = rendered.or(self.document());
        document.map_or(0, |document| document.memory() as u64)
    }

    /// Empties the cache of laid-out rows of a page that is not on the screen.
    fn drop_rows(&mut self) {
        if let Content::Document(document) = &mut self.content {
            document.drop_rows();
        }
    }

    /// Drops the document, and returns the load, which is to be cancelled.
    fn drop_content(&mut self) -> Option<LoadId> {
        let load = self.load();
        if let Some(rendered) = self.rendered.take() {
            (self.position, self.wrap) = (rendered.position, rendered.wrap);
            self.content = Content::Document(rendered.document);
        }
        let arrangement = self.document().map(Document::arrangement);
        self.restore = arrangement.map(|arrangement| (self.position, arrangement));
        self.content = Content::Dropped;
        self.state = State::Whole;
        self.menu_attributes = MenuAttributes::default();
        self.finishing = None;
        self.arranging = None;
        self.finding = None;
        self.cache_key = None;
        load
    }
}
