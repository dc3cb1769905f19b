//! Reload of pages: at the user's request, to get more of a truncated page, or because the page was dropped.

use geomys_load::{
    CacheUse, GopherRequest, KnownCopy, NoRequestReason, Request, SaveRequest, cache_key,
};

use crate::Dialog;
use crate::PendingRequest;
use crate::action::Action;
use crate::requester::Arrival;
use crate::requester::Requester;
use crate::tabs::external::open_externally;
use crate::tabs::offline::try_network;
use crate::tabs::page::{ReloadPolicy, Restored};
use crate::tabs::pane::Pane;
use crate::tabs::tab::shows_private;
use crate::view::View;
use crate::view::builtin;
use crate::view::context::State;
use crate::{BookmarkCommand, Compose, Context, LibraryCommand, LibraryEffect, Page, Tabs};

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
        let (url, title) = (page.url.clone(), page.title.clone());
        let again = page.request.clone();
        let limit = match page.state {
            State::Truncated(limit) => cx.settings.memory.next_limit(limit).or(again.limit),
            _ => again.limit,
        };
        if let Some(posted) = again.posted {
            let requester = Requester::Pane(Arrival::Reload);
            let pending = PendingRequest::new(*posted, title, requester);
            return cx.ask(Dialog::post_again(pending));
        }
        if url.as_str() == builtin::HOME {
            return cx.command(LibraryCommand::Home(Arrival::Reload));
        }
        if url.as_str() == builtin::HISTORY {
            return cx.command(LibraryCommand::List(Arrival::Reload));
        }
        if let Some(document) = builtin::page(&url, &cx.keymap, &cx.settings) {
            let page = Page::new(url, title, document, State::Whole);
            return self.arrive(page, Arrival::Reload, cx);
        }
        if url.as_str() == builtin::LATER {
            return cx.emit(LibraryEffect::ListLater(Arrival::Reload));
        }
        if url.as_str() == builtin::IDENTITIES {
            return cx.emit(LibraryEffect::Identities(Arrival::Reload, None));
        }
        if url.as_str() == builtin::IMPORT {
            return cx.command(BookmarkCommand::ShowImport(Arrival::Reload));
        }
        let is_builtin = builtin::is_builtin(&url);
        if !is_builtin && open_externally(&url, compose, self, cx) {
            return;
        }
        // The server need not send a page again that is here; a private tab tells nobody what is here.
        let is_private = shows_private(self.tab());
        let is_known = cache_use == CacheUse::IfUnreachable && !is_private;
        let copy = is_known.then(|| Box::new(KnownCopy::none(url.clone())));
        let request = Request {
            cache_use,
            save: SaveRequest {
                copy,
                ..SaveRequest::default()
            },
            gopher: GopherRequest {
                item: again.gopher_item,
                ..GopherRequest::default()
            },
            limit,
            reason: again.reason(),
            relevant: again.relevant,
            ..self.request_from_page(url)
        };
        let is_shown = self.page().is_some_and(|page| page.document().is_some());
        if cx.settings.offline && is_shown && !is_builtin && cache_key(&request).is_none() {
            // The page on screen is better than the message that no server was contacted.
            let online = cx.key_of(Action::Offline);
            cx.notify(&format!("Offline ({online} go online)"));
            return;
        }
        cx.load(PendingRequest::for_pane(request, title, Arrival::Reload));
    }

    /// Loads the shown page again if it was dropped, or left before it was complete.
    pub(crate) fn load_dropped(&mut self, compose: &mut Compose, cx: &mut Context) {
        let pane = self.pane_mut().filter(|pane| pane.incoming.is_none());
        let page = pane.and_then(Pane::page_mut);
        if let Some(page) = page.filter(|page| page.needs_reload()) {
            // Only once: if the user stops this load, the page stays as it is.
            page.request.reload = ReloadPolicy::OnRequest;
            let cache_use = match page.view {
                View::Dropped(_) if page.request.restored == Restored::No => {
                    CacheUse::Always(NoRequestReason::Dropped)
                }
                View::Dropped(_) => CacheUse::Always(NoRequestReason::Restored),
                _ => CacheUse::IfUnreachable,
            };
            self.load_page_again(cache_use, compose, cx);
        }
    }

    pub(crate) fn focus_pane(&mut self, index: usize) {
        if let Some(tab) = self.tab_mut() {
            tab.set_focus(index);
        }
    }

    pub(crate) fn reload(&mut self, compose: &mut Compose, cx: &mut Context) {
        try_network(cx);
        if let Some(incoming) = self.incoming()
            && incoming.request.posted().is_some()
        {
            let pending = PendingRequest::new(
                incoming.request.clone(),
                incoming.title.clone(),
                Requester::Pane(incoming.arrival),
            );
            return cx.ask(Dialog::post_again(pending));
        }
        match self.pane_mut().and_then(|pane| pane.incoming.take()) {
            Some(incoming) => {
                cx.cancel([incoming.load]);
                cx.load(incoming.into());
            }
            None => {
                if let Some(page) = self.page_mut() {
                    page.request.restored = Restored::No;
                }
                // A list of groups is long, and its changes are short.
                let is_list = self
                    .page()
                    .is_some_and(|page| matches!(page.view, View::Groups(_)));
                let cache_use = if is_list {
                    CacheUse::BeforeRequest
                } else {
                    CacheUse::IfUnreachable
                };
                self.load_page_again(cache_use, compose, cx);
            }
        }
    }
}
