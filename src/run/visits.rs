//! Visits to the URLs of bookmarks in tasks: link checks, the fetch of titles, and of watched pages.

use std::path::Path;
use std::sync::Arc;

use geomys_page::load::check::{CheckLink, FetchContent, FetchTitle, VisitLimits};
use geomys_page::load::{LoadId, Request};
use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::checks::{self, CheckResult, UrlKey};
use geomys_store::bookmarks::visits::{Target, targets, visit_targets};
use geomys_store::bookmarks::watch::{self, WatchEvent, is_watched};
use geomys_wire::net::Net;
use geomys_wire::task::blocking;
use rfc1738::Url;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use super::reports::FRAME;
use crate::app::bookmarks::message::{DuePages, VisitJob, VisitKind, VisitOutcome, VisitReport};
use crate::app::{BookmarkMessage, Message};

/// The limits for watched pages. They are low, as the user does not wait for them.
const WATCHED: VisitLimits = VisitLimits {
    total: 2,
    per_host: 2,
};

/// The maximum number of outcomes in one report.
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

/// Visits the URLs of a job, and reports their outcomes.
pub(super) async fn visit(
    net: Arc<Net>,
    messages: UnboundedSender<Message>,
    id: LoadId,
    job: VisitJob,
) {
    // Parsing and formatting many URLs takes time.
    let (job, targets, new) = blocking(move || {
        let (urls, new) = urls(&job);
        let key = match job.kind {
            VisitKind::Check(_) | VisitKind::FetchTitles(_) => UrlKey::with_login,
            VisitKind::Watch(_) => UrlKey::of,
        };
        let targets = targets(urls.into_iter(), key, |url| {
            let mut request = Request::show(url);
            job.defaults.apply(&mut request);
            request
        });
        (job, targets, new)
    })
    .await;
    if !new.is_empty() {
        let _ = messages.send(BookmarkMessage::NewlyWatched(job.bookmarks, new).into());
    }
    let (sender, outcomes) = mpsc::unbounded_channel();
    let total = targets.len();
    let visiting = visit_by_kind(&net, &job.kind, &targets, sender);
    tokio::join!(visiting, report(&messages, id, outcomes, total));
}

/// Visits targets, and sends their outcomes. The receiver is closed once the job was stopped.
async fn visit_by_kind(
    net: &Net,
    kind: &VisitKind,
    targets: &[Target],
    outcomes: UnboundedSender<VisitOutcome>,
) {
    let limits = VisitLimits::default();
    match kind {
        VisitKind::Check(_) => {
            let mut send = |target: &Target, checked| {
                let _ = outcomes.send(VisitOutcome::Checked(CheckResult {
                    key: target.key.clone(),
                    checked,
                    at: checks::now(),
                }));
            };
            visit_targets(CheckLink, net, targets, limits, &mut send).await;
        }
        VisitKind::FetchTitles(_) => {
            let mut send = |target: &Target, title| {
                let _ = outcomes.send(VisitOutcome::Titled(target.items.clone(), title));
            };
            visit_targets(FetchTitle, net, targets, limits, &mut send).await;
        }
        VisitKind::Watch(_) => {
            let mut send = |target: &Target, content| {
                let event = WatchEvent::fetched(&target.key, content, checks::now());
                if let Some(event) = event {
                    let _ = outcomes.send(VisitOutcome::Watched(event));
                }
            };
            visit_targets(FetchContent, net, targets, WATCHED, &mut send).await;
        }
    }
}

/// Reports outcomes, at most a few times a second, as the screen shows no more.
async fn report(
    messages: &UnboundedSender<Message>,
    id: LoadId,
    mut outcomes: UnboundedReceiver<VisitOutcome>,
    total: usize,
) {
    let mut more = Vec::new();
    while outcomes.recv_many(&mut more, REPORTED).await > 0 {
        let outcomes = std::mem::take(&mut more);
        let _ = messages.send(BookmarkMessage::Visited(id, VisitReport { outcomes, total }).into());
        tokio::time::sleep(FRAME * 4).await;
    }
}

/// Returns the bookmarks to visit with their URLs, and the watched ones that are to be confirmed first.
fn urls(job: &VisitJob) -> (Vec<(usize, Url)>, Vec<usize>) {
    match &job.kind {
        VisitKind::Check(items) | VisitKind::FetchTitles(items) => {
            let url = |item: usize| job.bookmarks.bookmark(item)?.repaired_url().ok();
            let urls = items.iter().filter_map(|&item| Some((item, url(item)?)));
            (urls.collect(), Vec::new())
        }
        VisitKind::Watch(pages) => due_urls(&job.bookmarks, pages),
    }
}

fn due_urls(bookmarks: &Bookmarks, pages: &DuePages) -> (Vec<(usize, Url)>, Vec<usize>) {
    let (mut due, mut new) = (Vec::new(), Vec::new());
    // Most files have no such tag. They are not parsed line by line.
    if !may_be_watched(bookmarks.octets()) {
        return (due, new);
    }
    for bookmark in bookmarks.bookmarks().filter(is_watched) {
        let Ok(url) = bookmark.url() else { continue };
        if !pages.watched.is_confirmed(&url) {
            if pages.only.is_none() {
                new.push(bookmark.index);
            }
        } else if pages.includes(&url) {
            due.push((bookmark.index, url));
        }
    }
    (due, new)
}

fn may_be_watched(file: &[u8]) -> bool {
    memchr::memchr_iter(b'#', file).any(|at| {
        let tag = file.get(at + 1..at + 6);
        tag.is_some_and(|tag| tag.eq_ignore_ascii_case(b"watch"))
    })
}
