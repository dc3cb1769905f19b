//! Link checks of bookmarks, the fetch of their titles, and of watched bookmarks, in tasks.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use futures_util::{StreamExt, stream};
use geomys_page::load::check::{self as load_check, CheckLimits, LinkStatus, all, content};
use geomys_page::load::{LoadId, Request};
use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::checks::{self, CheckResult, UrlKey};
use geomys_store::bookmarks::watch::{self, WatchEvent, is_watched};
use geomys_wire::net::Net;
use geomys_wire::task::blocking;
use rfc1738::Url;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use super::reports::FRAME;
use crate::app::bookmarks::check::WatchRequest;
use crate::app::bookmarks::message::{LinkCheckReport, LinkCheckRequest};
use crate::app::{BookmarkMessage, Message};

/// The maximum number of watched bookmarks fetched at once. It is low, as the user does not wait for them.
const WATCHED: usize = 2;

/// The maximum number of results in one report.
const REPORTED: usize = 1000;

/// Reads the stored link check results and the state of watched bookmarks.
///
/// # Errors
/// The sentence of an error of reading.
pub(super) fn read_results(
    checks: &Path,
    watched: &Path,
) -> Result<(checks::Checks, watch::WatchedPages), String> {
    let checks = checks::load(checks).map_err(|error| error.to_string())?;
    let watched = watch::load(watched).map_err(|error| error.to_string())?;
    Ok((checks, watched))
}

/// Carries out a link check, and reports its results.
pub(super) async fn check(
    net: Arc<Net>,
    messages: UnboundedSender<Message>,
    id: LoadId,
    request: LinkCheckRequest,
) {
    // Parsing and formatting many URLs takes time.
    let targets = blocking(move || {
        let items = request.items.iter();
        let urls = items.filter_map(|&index| url_of(&request.bookmarks, index));
        requests(urls, UrlKey::with_login, |url_request| {
            request.defaults.apply(url_request);
        })
    });
    let (keys, requests): (Vec<UrlKey>, Vec<Request>) = targets.await.into_iter().unzip();
    let (sender, results) = mpsc::unbounded_channel();
    let checking = async {
        let mut on_result = move |number: usize, checked| {
            if let Some(key) = keys.get(number) {
                // The receiver is closed once the check was stopped.
                let _ = sender.send(CheckResult {
                    key: key.clone(),
                    checked,
                    at: checks::now(),
                });
            }
        };
        all(&net, &requests, CheckLimits::default(), &mut on_result).await;
    };
    tokio::join!(checking, report(&messages, id, results, requests.len()));
}

/// Reports results, at most a few times a second, as the screen shows no more.
async fn report(
    messages: &UnboundedSender<Message>,
    id: LoadId,
    mut results: UnboundedReceiver<CheckResult>,
    total: usize,
) {
    let mut more = Vec::new();
    while results.recv_many(&mut more, REPORTED).await > 0 {
        let results = std::mem::take(&mut more);
        let _ =
            messages.send(BookmarkMessage::Checked(id, LinkCheckReport { results, total }).into());
        tokio::time::sleep(FRAME * 4).await;
    }
}

/// Fetches the titles of bookmarks, each URL once, and reports each.
pub(super) async fn titles(
    net: Arc<Net>,
    messages: UnboundedSender<Message>,
    id: LoadId,
    request: LinkCheckRequest,
) {
    let targets = blocking(move || {
        let mut targets: BTreeMap<UrlKey, (Request, Vec<usize>)> = BTreeMap::new();
        for &item in &request.items {
            let Some(url) = url_of(&request.bookmarks, item) else {
                continue;
            };
            let same = targets.entry(UrlKey::with_login(&url)).or_insert_with(|| {
                let mut url_request = Request::show(url);
                request.defaults.apply(&mut url_request);
                (url_request, Vec::new())
            });
            same.1.push(item);
        }
        targets.into_values().unzip()
    });
    let (requests, items): (Vec<Request>, Vec<Vec<usize>>) = targets.await;
    let mut on_title = |number: usize, fetched| {
        let items = items.get(number).cloned().unwrap_or_default();
        let message = BookmarkMessage::TitleFetched(id, items, fetched);
        // The receiver is closed once the browser ends.
        let _ = messages.send(message.into());
    };
    load_check::titles(&net, &requests, CheckLimits::default(), &mut on_title).await;
}

/// Fetches the watched bookmarks that are due, and reports the changes.
pub(super) async fn fetch(
    net: Arc<Net>,
    messages: UnboundedSender<Message>,
    watching: WatchRequest,
) {
    let due = blocking(move || {
        // Most files have no such tag. They are not parsed line by line.
        if !may_be_watched(watching.bookmarks.octets()) {
            return (BTreeMap::new(), None);
        }
        let (mut due, mut new) = (Vec::new(), Vec::new());
        for bookmark in watching.bookmarks.bookmarks().filter(is_watched) {
            let Ok(url) = bookmark.url() else { continue };
            if !watching.watched.is_confirmed(&url) {
                new.push(bookmark.index);
            } else if watching.includes(&url) {
                due.push(url);
            }
        }
        let new = (!new.is_empty() && watching.only.is_none()).then_some(new);
        let due = requests(due.into_iter(), UrlKey::of, |request| {
            watching.defaults.apply(request);
        });
        (due, new.map(|new| (watching.bookmarks, new)))
    });
    let (due, new) = due.await;
    if let Some((bookmarks, items)) = new {
        let _ = messages.send(BookmarkMessage::NewlyWatched(bookmarks, items).into());
    }
    let fetching = due.into_iter().map(|(key, request)| {
        let net = &net;
        async move { (key, content(net, &request).await) }
    });
    let mut fetched = stream::iter(fetching).buffer_unordered(WATCHED);
    while let Some((key, content)) = fetched.next().await {
        if matches!(
            content,
            Err(LinkStatus::Unreachable(_) | LinkStatus::NotChecked(_))
        ) {
            // An unreachable server is tried again at the next start.
            continue;
        }
        let event = WatchEvent::Fetched(key, content.ok(), checks::now());
        let _ = messages.send(BookmarkMessage::Watched(vec![event]).into());
    }
}

fn may_be_watched(file: &[u8]) -> bool {
    memchr::memchr_iter(b'#', file).any(|at| {
        let tag = file.get(at + 1..at + 6);
        tag.is_some_and(|tag| tag.eq_ignore_ascii_case(b"watch"))
    })
}

fn url_of(bookmarks: &Bookmarks, index: usize) -> Option<Url> {
    bookmarks.bookmark(index)?.repaired_url().ok()
}

/// Returns one request for each key of these URLs.
fn requests<K: Ord>(
    urls: impl Iterator<Item = Url>,
    key: impl Fn(&Url) -> K,
    complete: impl Fn(&mut Request),
) -> BTreeMap<K, Request> {
    let requests = urls.map(|url| {
        let key = key(&url);
        let mut request = Request::show(url);
        complete(&mut request);
        (key, request)
    });
    requests.collect()
}
