//! A pane: a history of pages, one of them shown, and at most one incoming page.

use geomys_load::{LoadId, Phase, Question, Request};
use geomys_page::document::Shape;
use geomys_wire::text::Text;

use crate::requester::{Arrival, NextStep, Requester};
use crate::transfers::Progress;
use crate::view::View;
use crate::view::context::State;
use crate::{Page, PendingRequest};

/// One column of the screen, with its history.
#[derive(Debug, Default)]
pub struct Pane {
    pages: Vec<Page>,
    at: usize,
    /// The incoming page. Until its answer begins, the page before it stays on screen.
    pub incoming: Option<IncomingPage>,
    /// The pane's share of the screen among those of its tab; 0 if the user has chosen none.
    pub share: u16,
}

/// A requested page whose answer has not begun.
#[derive(Clone, Debug)]
pub struct IncomingPage {
    /// The load of the page.
    pub load: LoadId,
    /// The request.
    pub request: Request,
    /// The title of the link to the page.
    pub title: Text,
    /// The current phase of the load.
    pub phase: Phase,
    /// The progress of an archive in which the page is searched.
    pub progress: Option<Progress>,
    /// The position that the page gets in the history.
    pub arrival: Arrival,
    /// The question that its load ended with, until the user answers it.
    pub question: Option<Question>,
    /// The step that follows when the page is complete.
    pub next_step: Option<NextStep>,
    /// The key that the user made the request with.
    pub(crate) asked_at: Option<u64>,
}

impl IncomingPage {
    /// Creates the incoming page of a load that has just started.
    pub(crate) fn new(load: LoadId, pending: PendingRequest, arrival: Arrival) -> Self {
        Self {
            load,
            request: pending.request,
            title: pending.title,
            phase: Phase::Connecting,
            progress: None,
            arrival,
            question: None,
            next_step: pending.next_step,
            asked_at: pending.asked_at,
        }
    }
}

impl Pane {
    /// Creates a pane with these pages, of which the one with the index `at` is shown.
    pub(crate) fn of(pages: Vec<Page>, at: usize) -> Self {
        Self {
            pages,
            at,
            incoming: None,
            share: 0,
        }
    }

    /// Returns true if there is a page before the shown one.
    pub fn can_go_back(&self) -> bool {
        self.at > 0
    }

    /// Returns the page before the shown one.
    pub(crate) fn page_before(&self) -> Option<&Page> {
        self.pages.get(self.at.checked_sub(1)?)
    }

    /// Returns the shown page.
    pub fn page(&self) -> Option<&Page> {
        self.pages.get(self.at)
    }

    /// Returns the shown page to be changed.
    pub fn page_mut(&mut self) -> Option<&mut Page> {
        self.pages.get_mut(self.at)
    }

    /// Returns the title of the incoming page, or else of the shown one; empty if there is none.
    pub fn title(&self) -> &str {
        let coming = self.incoming.as_ref().map(|incoming| &incoming.title);
        let shown = self.page().map(|page| &page.title);
        coming.or(shown).map_or("", |title| title.as_str().trim())
    }

    /// Cancels the action that was to run when the shown or the incoming page is complete.
    pub(crate) fn cancel_run(&mut self) {
        let incoming = self
            .incoming
            .as_mut()
            .map(|incoming| &mut incoming.next_step);
        let page = self.pages.get_mut(self.at).map(|page| &mut page.next_step);
        for next_step in incoming.into_iter().chain(page) {
            next_step.take_if(|step| matches!(step, NextStep::Run(_)));
        }
    }

    /// Returns the index of the shown page.
    pub fn shown_index(&self) -> usize {
        self.at
    }

    /// Returns all pages.
    pub fn pages(&self) -> impl Iterator<Item = &Page> {
        self.pages.iter()
    }

    /// Returns true if a page of the pane is requested or arrives.
    pub(crate) fn is_loading(&self) -> bool {
        let is_arriving = |page: &Page| page.state.is_arriving();
        self.incoming.is_some() || self.page().is_some_and(is_arriving)
    }

    /// Returns all pages, backward from the shown one first.
    pub fn pages_from_here(&self) -> impl Iterator<Item = &Page> {
        let here = self.pages.len().min(self.at + 1);
        let (back, forward) = self.pages.split_at(here);
        back.iter().rev().chain(forward)
    }

    /// Returns all pages to be changed.
    pub fn pages_mut(&mut self) -> impl Iterator<Item = &mut Page> {
        self.pages.iter_mut()
    }

    /// Returns the running loads of this pane.
    pub fn loads(&self) -> impl Iterator<Item = LoadId> {
        let incoming = self.incoming.iter().map(|incoming| incoming.load);
        incoming.chain(self.pages.iter().filter_map(Page::load))
    }

    /// Shows an incoming page at its destination. Returns the loads to be cancelled.
    pub fn arrive(&mut self, mut page: Page, arrival: Arrival) -> Vec<LoadId> {
        match arrival {
            Arrival::Append => {
                let left = self.leave();
                let end = (self.at + 1).min(self.pages.len());
                let forward = self.pages.split_off(end);
                self.pages.push(page);
                self.at = self.pages.len() - 1;
                let dropped = forward.iter().filter_map(Page::load);
                dropped.chain(left).collect()
            }
            Arrival::Replace | Arrival::Reload => {
                let Some(shown) = self.pages.get_mut(self.at) else {
                    self.pages.push(page);
                    return Vec::new();
                };
                let saved = shown.view.kind().stored();
                let needle = shown
                    .view
                    .rows_mut()
                    .and_then(|rows| rows.search.needle.take());
                match (saved, arrival) {
                    (Some(saved), Arrival::Reload) => page.view.kind_mut().restore(saved),
                    (Some(saved), _) => {
                        if let Some(rows) = page.view.rows_mut() {
                            rows.wrap = saved.wrap;
                        }
                    }
                    (None, _) => {}
                }
                if let Some(rows) = page.view.rows_mut() {
                    rows.search.needle = needle;
                }
                std::mem::replace(shown, page).load().into_iter().collect()
            }
        }
    }

    /// Stops the load of the shown page before another page is shown. Returns the load to be cancelled.
    fn leave(&mut self) -> Option<LoadId> {
        let page = self.page_mut()?;
        let load = page.load()?;
        let arrives_on = match &page.view {
            View::Group(group) => group.overview.is_begun(),
            View::Menu(menu) => {
                menu.rows.document.shape() == Shape::Menu && page.state.is_arriving()
            }
            _ => false,
        };
        if arrives_on {
            // The rest of a group arrives while its articles are read, that of a menu while its items are.
            return None;
        }
        // The input of a session cannot be repeated.
        page.state = if page.state.is_in_session() {
            State::Stopped
        } else if page.is_updating() {
            // The cached copy is complete.
            page.cache_key = None;
            State::Whole
        } else {
            State::Interrupted
        };
        Some(load)
    }

    /// Stops the load of an article for another page of news: what nobody wants any more is read to its end on its
    /// connection, which the other page needs. Returns the load to be cancelled.
    pub(crate) fn leave_article(&mut self, next: &Request, arrival: Arrival) -> Option<LoadId> {
        let is_arriving = |page: &Page| page.is_article() && page.state.is_arriving();
        let is_left = arrival != Arrival::Reload
            && next.url.base_parts().is_news()
            && self.page().is_some_and(is_arriving);
        if is_left { self.leave() } else { None }
    }

    /// Goes one page back or forward. Returns `None` if there is none, else the load of the page that was left, if it
    /// was running.
    pub fn go_in_history(&mut self, forward: bool) -> Option<Option<LoadId>> {
        let to = if forward {
            self.at + 1
        } else {
            self.at.checked_sub(1)?
        };
        if to >= self.pages.len() {
            return None;
        }
        let left = self.leave();
        self.at = to;
        Some(left)
    }

    /// Goes back to the nearest earlier page that matches. Returns `None` if there is none, else the load of the page
    /// that was left, if it was running.
    pub fn show(&mut self, is_match: impl Fn(&Page) -> bool) -> Option<Option<LoadId>> {
        let before = self.pages.get(..self.at)?;
        let to = before.iter().rposition(is_match)?;
        let left = self.leave();
        self.at = to;
        Some(left)
    }
}

impl From<IncomingPage> for PendingRequest {
    fn from(incoming: IncomingPage) -> Self {
        Self {
            request: incoming.request,
            title: incoming.title,
            requester: Requester::Pane(incoming.arrival),
            next_step: incoming.next_step,
            asked_at: incoming.asked_at,
        }
    }
}
