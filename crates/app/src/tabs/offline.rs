//! Cached pages: those to be cached, those that come from the cache, and the offline mode.

use geomys_load::{
    CachedInfo, ChangesQuery, FailureKind, LoadId, NewsQuery, Request, ServerDate, Stop, cache_key,
};
use geomys_wire::net::TransferEnd;
use geomys_wire::text;

use crate::action::Action;
use crate::news::server::NewsAuthority;
use crate::requester::Arrival;
use crate::requester::PendingRequest;
use crate::transfers::Progress;
use crate::view::View;
use crate::view::context::State;
use crate::{Context, Credentials, Effect, LibraryCommand, News, Page, Tabs};

impl Page {
    /// Returns the date from which on the changes of the page can be requested; `None` unless it comes from the cache.
    fn waits_for_changes(&self) -> Option<ServerDate> {
        let View::Groups(groups) = &self.view else {
            return None;
        };
        let cached = self.cached.as_ref();
        let waits = cached.is_some_and(|cached| cached.reason.is_none())
            && self.state == State::Whole
            && groups.rows.finishing.is_none()
            && groups.rows.rendered.is_none();
        groups.date.filter(|_| waits)
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
        let is_shown = self.page().and_then(Page::load) == Some(load);
        let is_free = is_shown && self.incoming().is_none();
        let Some(page) = self.find_page(|page| page.load() == Some(load)) else {
            return;
        };
        page.state = State::Whole;
        let why = match end {
            Ok(_) => {
                page.cached = None;
                cx.effects.extend(page.take_cache_effect());
                if let Some(rows) = page.view.rows_mut() {
                    rows.finish(cx);
                }
                return;
            }
            // The server cannot list the changes, so the complete list is loaded.
            Err(Stop::Failed(failure)) if failure.kind == FailureKind::ResumeMismatch => {
                if let View::Groups(groups) = &mut page.view {
                    groups.date = None;
                }
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

    /// Requests the changes of cached lists that were shown at once: when a list is complete, and the marks of its
    /// server are loaded.
    pub(crate) fn request_list_changes(
        &mut self,
        news: &News,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        let waits = |page: &Page| page.waits_for_changes().is_some();
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
                news_query: NewsQuery {
                    server: page.request.news_server.clone(),
                    ..NewsQuery::default()
                },
                ..Request::show(page.url.clone(), page.request.reason())
            };
            page.cache_key = cache_key(&request)
                .filter(|_| cx.settings.history.includes(&request.url) && !cx.found.is_private);
            request.news_query.since = page.waits_for_changes().map(|date| ChangesQuery {
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
    if cx.settings.offline && cx.is_network_down {
        // The user was told so once.
        return;
    }
    let sentence = if cx.settings.offline {
        let online = cx.key_of(Action::Offline);
        format!("offline: from the cache ({online} go online)")
    } else if let Some(why) = &cached.reason {
        let again = cx.key_of(Action::Reload);
        format!("from the cache ({again} retry): {why}")
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
    cx.is_network_down = false;
    set_offline(offline, cx);
    cx.notify(if offline {
        "offline: pages come from the cache"
    } else {
        "online"
    });
}

fn set_offline(offline: bool, cx: &mut Context) {
    cx.settings.offline = offline;
    cx.emit(Effect::Offline(offline));
    cx.command(LibraryCommand::FollowOffline);
}

/// Begins the offline mode when the network is down, and ends it when a host has answered. The user is told once.
pub(crate) fn network_changed(is_down: bool, cx: &mut Context) {
    let was_down = std::mem::replace(&mut cx.is_network_down, is_down);
    match (is_down, cx.settings.offline) {
        (true, false) => {
            set_offline(true, cx);
            if !was_down {
                let again = cx.key_of(Action::Reload);
                cx.notify(&format!(
                    "Offline: the network is down ({again} tries again)"
                ));
            }
        }
        // The user has chosen it.
        (true, true) => cx.is_network_down = was_down,
        (false, is_offline) if was_down => {
            if is_offline {
                set_offline(false, cx);
            }
            cx.notify("Online again");
        }
        (false, _) => {}
    }
}

/// Lets the next requests go to the network, at the user's request, if the offline mode follows from a network that is
/// down.
pub(crate) fn try_network(cx: &mut Context) {
    if cx.is_network_down && cx.settings.offline {
        set_offline(false, cx);
    }
}
