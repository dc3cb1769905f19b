//! Reload of pages: at the user's request, to get more of a truncated page, or because the page was dropped.

use crate::app::action::Action;
use crate::app::tabs::help;
use crate::app::tabs::page::{Content, Page, ReloadPolicy, State};
use crate::app::tabs::pane::{Arrival, Pane};
use crate::app::tabs::tab::Tab;
use crate::app::{Compose, Context, Effect, Tabs, WorkId};
use crate::document::{Arrangement, Document};
use crate::load::{CacheUse, Part, Request, Stop, cache_key};
use crate::text;

impl Tabs {
    /// Loads the shown page again; a truncated one with a higher limit.
    pub(crate) fn load_page_again(
        &mut self,
        cache_use: CacheUse,
        compose: &mut Compose,
        cx: &mut Context,
    ) {
        let Some(page) = self.page() else {
            return;
        };
        let (url, title, position) = (page.url.clone(), page.title.clone(), page.position);
        let limit = match page.state {
            State::Truncated(limit) => cx.settings.memory.next_limit(limit).or(page.limit),
            State::Arriving(_)
            | State::InSession(_)
            | State::Whole
            | State::Stopped
            | State::Interrupted
            | State::Broken(_) => page.limit,
        };
        if let Some(document) = help::page(&url, &cx.keymap) {
            return self.arrive(
                Page::new(url, title, document, State::Whole),
                Arrival::Replace(position),
                cx,
            );
        }
        if self.open_externally(&url, compose, cx).is_some() {
            return;
        }
        let request = Request {
            cache_use,
            limit,
            ..self.request_from_page(url)
        };
        let is_shown = self.page().is_some_and(|page| page.document().is_some());
        if cx.settings.offline && is_shown && cache_key(&request).is_none() {
            // The page on screen is better than the message that no server was contacted.
            let online = cx.key_of(Action::Offline);
            cx.notify(&format!("offline: {online} asks servers again"));
            return;
        }
        cx.request(request, title, Arrival::Replace(position));
    }

    /// Loads the pages on the screen again that were dropped, or left before they were complete.
    pub(crate) fn load_dropped(&mut self, compose: &mut Compose, cx: &mut Context) {
        let waits =
            |pane: &Pane| pane.incoming.is_none() && pane.page().is_some_and(Page::needs_reload);
        let panes = self.tab().into_iter().flat_map(Tab::panes).enumerate();
        let waiting: Vec<usize> = panes
            .filter(|(_, pane)| waits(pane))
            .map(|(index, _)| index)
            .collect();
        let focus = self.tab().map_or(0, Tab::focus);

        for index in waiting {
            self.focus_pane(index);
            let Some(page) = self.page_mut() else {
                continue;
            };
            // Only once: if the user stops this load, the page stays as it is.
            page.reload = ReloadPolicy::OnRequest;
            let cache_use = match page.content {
                Content::Dropped => CacheUse::Always,
                Content::Document(_)
                | Content::Failure(_)
                | Content::Form(_)
                | Content::Session(_) => CacheUse::IfUnreachable,
            };
            self.load_page_again(cache_use, compose, cx);
            self.focus_pane(focus);
        }
    }

    fn focus_pane(&mut self, index: usize) {
        if let Some(tab) = self.tab_mut() {
            tab.set_focus(index);
        }
    }

    pub(crate) fn reload(&mut self, compose: &mut Compose, cx: &mut Context) {
        if let Some(incoming) = self.pane_mut().and_then(|pane| pane.incoming.take()) {
            cx.emit(Effect::Drop(incoming.load));
            cx.request_pending(incoming.into());
            return;
        }
        self.load_page_again(CacheUse::IfUnreachable, compose, cx);
    }
}

/// Returns the key that loads more of a page that ends with this part, and the limit of that load; `None` if it was not
/// truncated, or can have no more.
pub(crate) fn more_after(part: &Part, cx: &Context) -> Option<(String, u64)> {
    let Part::End(Err(Stop::Truncated(limit))) = part else {
        return None;
    };
    Some((
        cx.key_of(Action::Reload),
        cx.settings.memory.next_limit(*limit)?,
    ))
}

impl Page {
    /// Returns the document, and the arrangement of its rows before the page was dropped, to be arranged again.
    pub(crate) fn restoring(&mut self, work: WorkId) -> Option<(Document, Arrangement)> {
        let (_, arrangement) = self.restore.as_ref()?;
        let document = self.document()?;
        if !document.is_list() {
            if !document.needs_finish() {
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

/// Returns the message that a page was truncated, with the key that loads more.
pub(crate) fn truncated_message(limit: u64, more: Option<(String, u64)>) -> String {
    let limit = text::octets(limit);
    match more {
        Some((key, more)) => {
            let more = text::octets(more);
            format!("Page cut at {limit}: {key} loads up to {more}")
        }
        None => format!("Page cut at {limit}, as much as pages may hold"),
    }
}
