//! Cached pages: those to be cached, those that come from the cache, and the offline mode.

use geomys_page::load::{CachedInfo, ChangesQuery, FailureKind, LoadId, Request, Stop, cache_key};
use geomys_store::files::cache::PageHeader;
use geomys_wire::net::TransferEnd;
use geomys_wire::text;

use crate::app::action::Action;
use crate::app::news::server::NewsAuthority;
use crate::app::requester::Arrival;
use crate::app::requester::PendingRequest;
use crate::app::tabs::page::State;
use crate::app::transfers::Progress;
use crate::app::{Context, Credentials, Effect, LibraryCommand, News, Page, Tabs, TabsEffect};

impl Page {
    /// Returns true if the page comes from the cache, and its changes since then can be requested.
    fn waits_for_changes(&self) -> bool {
        let cached = self.cached.as_ref();
        cached.is_some_and(|cached| cached.reason.is_none())
            && self.list_date.is_some()
            && self.state == State::Whole
            && self.finishing.is_none()
            && self.rendered.is_none()
    }

    /// Returns true while the changes since the page was cached are loaded.
    pub(crate) fn is_updating(&self) -> bool {
        self.cached.is_some() && self.cache_key.is_some()
    }

    /// Returns the effect that caches a complete page, or the part of an overview that has arrived; only once.
    pub(crate) fn take_cache_effect(&mut self) -> Option<Effect> {
        if self.state != State::Whole && !self.overview.is_worth_caching()
            || self.overview.is_cached()
        {
            return None;
        }
        let url = self.cache_key.take()?;
        let document = self.own_document()?.clone();
        let real = self.url.without_password();
        let head = PageHeader {
            shape: document.shape(),
            charset: document.declared_charset(),
            languages: self.languages.as_ref().map(ToString::to_string),
            offset: document.clock(),
            title: Some(self.title.to_string()),
            highest: self.highest,
            covered: self.overview.covered.clone(),
            list_date: self.list_date,
            whole: None,
            is_unconfirmed: self.end.is_unconfirmed(),
            real: (real != url).then_some(real),
            url,
        };
        Some(Effect::Tabs(TabsEffect::CachePage(
            Box::new(head),
            document,
        )))
    }
}

impl Tabs {
    /// Handles the end of the load of changes to a cached list, or its failure.
    pub(crate) fn list_changes_ended(
        &mut self,
        load: LoadId,
        end: Result<TransferEnd, Stop>,
        cx: &mut Context,
    ) {
        let work = cx.next_work();
        let is_shown = self.page().and_then(Page::load) == Some(load);
        let is_free = is_shown && self.incoming().is_none();
        let Some(page) = self.find_page(|page| page.load() == Some(load)) else {
            return;
        };
        page.state = State::Whole;
        let why = match end {
            Ok(_) => {
                page.cached = None;
                let caching = page.take_cache_effect();
                let finishing = page.finish(work);
                self.finish_now_or_later(finishing, cx);
                cx.effects.extend(caching);
                return;
            }
            // The server cannot list the changes, so the complete list is loaded.
            Err(Stop::Failed(failure)) if failure.kind == FailureKind::ResumeMismatch => {
                page.list_date = None;
                let (url, title) = (page.url.clone(), page.title.clone());
                if is_free {
                    let request = self.request_from_page(url);
                    return cx.load(PendingRequest::for_pane(request, title, Arrival::Reload));
                }
                // A user who looks at another page, or waits for one here, is not interrupted.
                failure.sentence
            }
            Err(stop) => stop.sentence(),
        };
        page.cache_key = None;
        if let Some(cached) = &mut page.cached {
            cached.reason = Some(why);
            let cached = cached.clone();
            notify_cached(&cached, cx);
        }
    }

    /// Requests the changes of cached lists that were shown at once: when a list is complete, and the marks of its server
    /// are loaded.
    pub(crate) fn request_list_changes(
        &mut self,
        news: &News,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        let waits = |page: &Page| page.waits_for_changes();
        let waiting = self.pages().filter(|page| waits(page));
        let servers: Vec<_> = waiting.filter_map(NewsAuthority::of).collect();
        for server in servers {
            let Some(marks) = news.marks(&server) else {
                continue;
            };
            let subscribed = marks.subscribed().into_iter().map(<[u8]>::to_vec);
            let subscribed = subscribed.collect();
            let load = cx.next_load();
            let is_of =
                |page: &Page| waits(page) && NewsAuthority::of(page).as_ref() == Some(&server);
            let Some(page) = self.find_page(is_of) else {
                continue;
            };
            let mut request = Request {
                news_server: page.news_server.clone(),
                ..Request::show(page.url.clone())
            };
            page.cache_key =
                cache_key(&request).filter(|_| cx.settings.history.includes(&request.url));
            request.since = page.list_date.map(|date| ChangesQuery {
                date: Some(date),
                subscribed,
            });
            page.state = State::Arriving(Progress::new(load, None, cx.now));
            credentials.apply_defaults(&mut request, &cx.settings);
            cx.emit(Effect::Load(load, request));
        }
    }
}

/// Notifies the user why a page comes from the cache.
pub(crate) fn notify_cached(cached: &CachedInfo, cx: &mut Context) {
    let sentence = if cx.settings.offline {
        let online = cx.key_of(Action::Offline);
        format!("offline: from the cache ({online} go online)")
    } else if let Some(why) = &cached.reason {
        let again = cx.key_of(Action::Reload);
        format!("from the cache: {why} ({again} retry)")
    } else {
        return;
    };
    cx.notify(&sentence);
}

/// Notifies the user of the number of new groups in a list.
pub(crate) fn notify_new_groups(count: usize, cx: &mut Context) {
    match count {
        0 => {}
        1 => cx.notify("1 new group since this list was cached"),
        count => cx.notify(&format!(
            "{} new groups since this list was cached",
            text::count(count)
        )),
    }
}

/// Toggles the offline mode.
pub(crate) fn toggle_offline(cx: &mut Context) {
    let offline = !cx.settings.offline;
    cx.settings.offline = offline;
    cx.notify(if offline {
        "offline: pages come from the cache"
    } else {
        "online"
    });
    cx.emit(Effect::Offline(offline));
    cx.command(LibraryCommand::FollowOffline);
}
