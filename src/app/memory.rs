//! The memory of pages: all of them together have a budget.
//!
//! Over it those go that nobody has looked at for longest: first whole ones, then those that still arrive in hidden tabs.
//! A dropped page keeps its address, its title, its arrangement and where it was read, and is loaded again when it is
//! shown: from the cache, else from its server. What was sent with answers to a form is not sent again unasked. Where
//! pages on the screen are too large by themselves, those that arrive are cut.

use super::page::{Content, Page, State, Told};
use super::pane::Pane;
use super::{App, Effect, WorkId};
use crate::document::Document;
use crate::load::LoadId;
use crate::text;

impl App {
    /// Drops pages until those that are left fit into the budget.
    pub(super) fn fit_memory(&mut self) -> Vec<Effect> {
        let budget = self.settings.memory.pages;
        let mut held: u64 = 0;
        let now = self.now;
        for (index, tab) in self.tabs.iter_mut().enumerate() {
            for pane in tab.panes_mut() {
                held = pane
                    .pages()
                    .map(Page::memory)
                    .fold(held, u64::saturating_add);
                let shown = pane.shown_index();
                for (at, page) in pane.pages_mut().enumerate() {
                    if index != self.tab || at != shown {
                        page.drop_rows();
                    }
                }
                if let Some(page) = pane.page_mut().filter(|_| index == self.tab) {
                    page.shown_at = now;
                }
            }
        }
        if held <= budget {
            return Vec::new();
        }
        let mut effects = self.drop_hidden(&mut held);
        if held > budget {
            effects.extend(self.cut_shown());
        }
        effects
    }

    /// Drops the oldest pages out of sight, until `held` fits into the budget.
    fn drop_hidden(&mut self, held: &mut u64) -> Vec<Effect> {
        let budget = self.settings.memory.pages;
        let mut hidden: Vec<&mut Page> = Vec::new();
        for (index, tab) in self.tabs.iter_mut().enumerate() {
            for pane in tab.panes_mut() {
                let shown = pane.shown_index();
                let pages = pane.pages_mut().enumerate();
                let out_of_sight = pages.filter(|(at, _)| index != self.tab || *at != shown);
                hidden.extend(out_of_sight.map(|(_, page)| page));
            }
        }
        // What a form asked to be saved is saved when it is whole.
        hidden.retain(|page| page.document().is_some() && page.keep.is_none());
        hidden.sort_by_key(|page| (page.state.is_arriving(), page.shown_at));
        let mut loads = Vec::new();
        for page in hidden {
            if *held <= budget {
                break;
            }
            *held = held.saturating_sub(page.memory());
            loads.extend(page.forget());
        }
        loads.into_iter().map(Effect::Drop).collect()
    }

    /// Ends the loads of pages on the screen: the budget has no room for more of them.
    fn cut_shown(&mut self) -> Vec<Effect> {
        let budget = self.settings.memory.pages;
        let mut effects = Vec::new();
        let mut work = self.next_work();
        while let Some((load, finishing)) = self.cut_next(work, budget) {
            effects.push(Effect::Drop(load));
            effects.extend(self.finish_now_or_later(finishing));
            let most = text::octets(budget);
            self.complain(&format!("Page cut: all pages hold {most}"));
            work = self.next_work();
        }
        effects
    }

    fn cut_next(
        &mut self,
        work: WorkId,
        limit: u64,
    ) -> Option<(LoadId, Option<(WorkId, Document)>)> {
        let panes = self.tabs.get_mut(self.tab)?.panes_mut();
        let mut pages = panes.filter_map(Pane::page_mut);
        let page = pages.find(|page| page.state.is_arriving())?;
        let load = page.load()?;
        page.state = State::Cut(limit);
        Some((load, page.finish(work)))
    }
}

impl Page {
    /// Octets of memory that its content takes.
    pub fn memory(&self) -> u64 {
        // The source shares the octets of the page that it is the source of.
        let rendered = self.rendered.as_ref().map(|rendered| &*rendered.document);
        let document = rendered.or(self.document());
        document.map_or(0, |document| document.memory() as u64)
    }

    /// Empties its cache of rows: it is not on the screen.
    fn drop_rows(&mut self) {
        if let Content::Document(document) = &mut self.content {
            document.drop_rows();
        }
    }

    /// Lets its document go, and gives its load, as nobody awaits that any more.
    fn forget(&mut self) -> Option<LoadId> {
        let load = self.load();
        if let Some(rendered) = self.rendered.take() {
            (self.place, self.wrap) = (rendered.place, rendered.wrap);
            self.content = Content::Document(rendered.document);
        }
        let arrangement = self.document().map(Document::arrangement);
        self.restore = arrangement.map(|arrangement| (self.place, arrangement));
        self.content = Content::Forgotten;
        self.state = State::Whole;
        self.told = Told::default();
        self.finishing = None;
        self.arranging = None;
        self.finding = None;
        self.kept_as = None;
        load
    }
}
