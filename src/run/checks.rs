//! Bookmarks checked, and the watched ones fetched, beside the loop.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use futures_util::{StreamExt, stream};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use super::FRAME;
use crate::app::Message;
use crate::app::check::{Report, Round, Watching};
use crate::files::bookmarks::Bookmarks;
use crate::files::checks::{self, Finding, Key};
use crate::files::watch::{self, Event, is_watched};
use crate::load::check::{AtOnce, Verdict, all, content};
use crate::load::{LoadId, Request};
use crate::net::Net;
use crate::url::Url;

/// Watched bookmarks that are fetched at once: nobody waits for them.
const WATCHED: usize = 2;

/// Findings that are told of at once at most.
const REPORTED: usize = 1000;

/// What is known of the bookmarks, as the files have it.
pub(super) fn known(checks: &Path, watched: &Path) -> Message {
    let known = || {
        let checks = checks::load(checks).map_err(|error| error.to_string())?;
        let watched = watch::load(watched).map_err(|error| error.to_string())?;
        Ok((checks, watched))
    };
    Message::Known(known())
}

/// Carries a check out, and tells what it finds.
pub(super) async fn check(
    net: Arc<Net>,
    messages: UnboundedSender<Message>,
    id: LoadId,
    round: Round,
) {
    // Each URL is parsed and spelled: of many that takes a while.
    let asked = tokio::task::spawn_blocking(move || {
        let items = round.items.iter();
        let urls = items.filter_map(|&index| url_of(&round.bookmarks, index));
        requests(urls, |request| round.known.complete(request))
    });
    let (keys, requests): (Vec<Key>, Vec<Request>) =
        asked.await.unwrap_or_default().into_iter().unzip();
    let (sender, findings) = mpsc::unbounded_channel();
    let asking = async {
        let hear = move |number: usize, checked| {
            if let Some(key) = keys.get(number) {
                // Nobody listens once the check has been stopped.
                let _ = sender.send(Finding {
                    key: key.clone(),
                    checked,
                    at: checks::now(),
                });
            }
        };
        all(&net, &requests, AtOnce::default(), hear).await;
    };
    tokio::join!(asking, report(&messages, id, findings, requests.len()));
    let _ = messages.send(Message::CheckEnded(id));
}

/// Tells what is found out, no more than a few times a second, as the screen shows no more.
async fn report(
    messages: &UnboundedSender<Message>,
    id: LoadId,
    mut findings: UnboundedReceiver<Finding>,
    total: usize,
) {
    let mut more = Vec::new();
    while findings.recv_many(&mut more, REPORTED).await > 0 {
        let findings = std::mem::take(&mut more);
        let _ = messages.send(Message::Checked(id, Report { findings, total }));
        tokio::time::sleep(FRAME * 4).await;
    }
}

/// Fetches what is watched and due, and tells what came.
pub(super) async fn fetch(net: Arc<Net>, messages: UnboundedSender<Message>, watching: Watching) {
    let due = tokio::task::spawn_blocking(move || {
        // Most files have no such tag, and need not be read line by line.
        if !may_be_watched(watching.bookmarks.octets()) {
            return (BTreeMap::new(), None);
        }
        let (mut due, mut new) = (Vec::new(), Vec::new());
        for bookmark in watching.bookmarks.bookmarks().filter(is_watched) {
            let Ok(url) = bookmark.url() else { continue };
            if !watching.watched.is_confirmed(&url) {
                new.push(bookmark.index);
            } else if watching.wants(&url) {
                due.push(url);
            }
        }
        let new = (!new.is_empty() && watching.only.is_none()).then_some(new);
        let due = requests(due.into_iter(), |request| watching.known.complete(request));
        (due, new.map(|new| (watching.bookmarks, new)))
    });
    let (due, new) = due.await.unwrap_or_default();
    if let Some((bookmarks, items)) = new {
        let _ = messages.send(Message::NewlyWatched(bookmarks, items));
    }
    let fetching = due.into_iter().map(|(key, request)| {
        let net = &net;
        async move { (key, content(net, &request).await) }
    });
    let mut fetched = stream::iter(fetching).buffer_unordered(WATCHED);
    while let Some((key, content)) = fetched.next().await {
        if matches!(content, Err(Verdict::NoAnswer(_) | Verdict::Unasked(_))) {
            // Who was not reached, as without a network, is asked again at the next start.
            continue;
        }
        let event = Event::Fetched(key, content.ok(), checks::now());
        let _ = messages.send(Message::Watched(vec![event]));
    }
}

fn may_be_watched(file: &[u8]) -> bool {
    memchr::memchr_iter(b'#', file).any(|at| {
        let tag = file.get(at + 1..at + 6);
        tag.is_some_and(|tag| tag.eq_ignore_ascii_case(b"watch"))
    })
}

fn url_of(bookmarks: &Bookmarks, index: usize) -> Option<Url> {
    bookmarks.bookmark(index)?.url().ok()
}

/// A request for each of these places, each once.
fn requests(
    urls: impl Iterator<Item = Url>,
    complete: impl Fn(&mut Request),
) -> BTreeMap<Key, Request> {
    let requests = urls.map(|url| {
        let key = Key::of(&url);
        let mut request = Request::show(url);
        complete(&mut request);
        (key, request)
    });
    requests.collect()
}
