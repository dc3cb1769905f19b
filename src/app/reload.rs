//! Loading pages again: because a person wants it, to have more of one that was cut, or because it was dropped.

use super::action::Action;
use super::page::{Content, Page, Reload, State};
use super::pane::{Arrival, Pane};
use super::tab::Tab;
use super::{App, Effect, WorkId, help};
use crate::document::{Arrangement, Document};
use crate::load::{Part, Request, Stop, UseKept, kept_as};
use crate::text;

impl App {
    pub(super) fn reload(&mut self) -> Vec<Effect> {
        if let Some(incoming) = self.pane_mut().and_then(|pane| pane.incoming.take()) {
            let mut effects = vec![Effect::Drop(incoming.load)];
            effects.extend(self.request(incoming.request, incoming.title, incoming.arrival));
            return effects;
        }
        self.load_page_again(UseKept::IfAway)
    }

    /// Loads the shown page again, and more of it where it was cut.
    pub(super) fn load_page_again(&mut self, use_kept: UseKept) -> Vec<Effect> {
        let Some(page) = self.page() else {
            return Vec::new();
        };
        let (url, title, place) = (page.url.clone(), page.title.clone(), page.place);
        let limit = match page.state {
            State::Cut(limit) => self.next_limit(limit).or(page.limit),
            State::Arriving(_)
            | State::Held(_)
            | State::Whole
            | State::Stopped
            | State::Left
            | State::Broken(_) => page.limit,
        };
        if let Some(document) = help::page(&url, &self.keymap) {
            return self.arrive(
                Page::new(url, title, document, State::Whole),
                Arrival::Again(place),
            );
        }
        if let Some(effects) = self.hand_on(&url) {
            return effects;
        }
        let request = Request {
            use_kept,
            limit,
            ..self.request_from_page(url)
        };
        let is_shown = self.page().is_some_and(|page| page.document().is_some());
        if self.settings.offline && is_shown && kept_as(&request).is_none() {
            // What is here is better than to be told that nobody was asked.
            let online = self.key_of(Action::Offline);
            self.tell(&format!("offline: {online} asks servers again"));
            return Vec::new();
        }
        self.request(request, title, Arrival::Again(place))
    }

    /// Loads pages again that were dropped, or left before they were whole, and are on the screen.
    pub(super) fn load_dropped(&mut self) -> Vec<Effect> {
        let waits =
            |pane: &Pane| pane.incoming.is_none() && pane.page().is_some_and(Page::wants_load);
        let panes = self.tab().into_iter().flat_map(Tab::panes).enumerate();
        let waiting: Vec<usize> = panes
            .filter(|(_, pane)| waits(pane))
            .map(|(index, _)| index)
            .collect();
        let focus = self.tab().map_or(0, Tab::focus);
        let mut effects = Vec::new();
        for index in waiting {
            self.focus_pane(index);
            let Some(page) = self.page_mut() else {
                continue;
            };
            // Once: whoever stops that load looks at what is there.
            page.reload = Reload::Asked;
            let use_kept = match page.content {
                Content::Forgotten => UseKept::Always,
                Content::Document(_)
                | Content::Failure(_)
                | Content::Form(_)
                | Content::Session(_) => UseKept::IfAway,
            };
            effects.extend(self.load_page_again(use_kept));
            self.focus_pane(focus);
        }
        effects
    }

    fn focus_pane(&mut self, index: usize) {
        if let Some(tab) = self.tab_mut() {
            tab.set_focus(index);
        }
    }

    /// How much of a page is loaded after it was cut at `limit`; nothing where the budget of all pages has no more.
    pub fn next_limit(&self, limit: u64) -> Option<u64> {
        let budget = self.settings.memory.pages;
        (limit < budget).then(|| limit.saturating_mul(2).min(budget))
    }

    /// The key that loads more of a page that ends with this part, and how much; nothing where there is no more.
    pub(super) fn more_after(&self, part: &Part) -> Option<(String, u64)> {
        let Part::End(Err(Stop::Cut(limit))) = part else {
            return None;
        };
        Some((self.key_of(Action::Reload), self.next_limit(*limit)?))
    }
}

impl Page {
    /// The arrangement that the rows had before the page was dropped, and what is to be arranged so.
    pub(super) fn restoring(&mut self, work: WorkId) -> Option<(Document, Arrangement)> {
        let (_, arrangement) = self.restore.as_ref()?;
        let document = self.document()?;
        if !document.is_list() {
            if !document.wants_finish() {
                self.restore = None;
            }
            return None;
        }
        let arranging = (document.clone(), arrangement.clone());
        self.finishing = Some(work);
        self.arranging = Some(arranging.1.clone());
        Some(arranging)
    }
}

/// That a page was cut, and how much of it a key loads.
pub(super) fn cut_at(limit: u64, more: Option<(String, u64)>) -> String {
    let limit = text::octets(limit);
    match more {
        Some((key, more)) => {
            let more = text::octets(more);
            format!("Page cut at {limit}: {key} loads up to {more}")
        }
        None => format!("Page cut at {limit}, as much as pages may hold"),
    }
}
