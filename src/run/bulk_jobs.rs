//! Jobs over the URLs of bookmarks in tasks: link checks, the fetch of titles, and of watched pages.

use std::path::Path;
use std::sync::Arc;

use geomys_load::check::{CheckLink, FetchTitle, JobLimits};
use geomys_load::{LoadId, Reason, Request};
use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::checks::{self, CheckResult, UrlKey};
use geomys_store::bookmarks::followed::{is_followed, may_follow};
use geomys_store::bookmarks::url_jobs::{UrlTarget, run_on_targets, targets};
use geomys_store::bookmarks::watch;
use geomys_store::files::cache::Cache;
use geomys_wire::net::Net;
use geomys_wire::task::blocking;
use rfc1738::Url;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use super::reports::FRAME;
use super::sync::look;
use crate::config::UserPaths;
use geomys_app::bookmarks::message::{BulkJob, BulkKind, BulkOutcome, BulkReport, DuePages};
use geomys_app::{BookmarkMessage, Message};

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

/// Runs a job on each of its URLs, and reports the outcomes.
pub(super) async fn run(
    (net, messages): (Arc<Net>, UnboundedSender<Message>),
    (paths, cache): (Arc<UserPaths>, Arc<Cache>),
    id: LoadId,
    job: BulkJob,
) {
    // Parsing and formatting many URLs takes time.
    let (job, targets, new) = blocking(move || {
        let (urls, new) = urls(&job);
        let key = match job.kind {
            BulkKind::Check(_) | BulkKind::FetchTitles(_) => UrlKey::with_login,
            BulkKind::Watch(_) => UrlKey::of,
        };
        let targets = targets(urls.into_iter(), key, |url| {
            let mut request = Request::show(url, Reason::Bookmark);
            job.defaults.apply(&mut request);
            request
        });
        (job, targets, new)
    })
    .await;
    if !new.is_empty() {
        let _ = messages.send(BookmarkMessage::NewlyWatched(job.bookmarks.clone(), new).into());
    }
    let (sender, outcomes) = mpsc::unbounded_channel();
    let total = targets.len();
    let running = run_by_kind((&net, cache), (&paths, &job), &targets, sender);
    tokio::join!(running, report(&messages, id, outcomes, total));
}

/// Runs a job on targets, and sends their outcomes. The receiver is closed once the job was stopped.
async fn run_by_kind(
    (net, cache): (&Net, Arc<Cache>),
    (paths, job): (&UserPaths, &BulkJob),
    targets: &[UrlTarget],
    outcomes: UnboundedSender<BulkOutcome>,
) {
    let limits = JobLimits::default();
    match &job.kind {
        BulkKind::Check(_) => {
            let mut send = |target: &UrlTarget, checked| {
                let _ = outcomes.send(BulkOutcome::Checked(CheckResult {
                    key: target.key.clone(),
                    checked,
                    at: checks::current_second(),
                }));
            };
            run_on_targets(CheckLink, net, targets, limits, &mut send).await;
        }
        BulkKind::FetchTitles(_) => {
            let mut send = |target: &UrlTarget, title| {
                let _ = outcomes.send(BulkOutcome::Titled(target.items.clone(), title));
            };
            run_on_targets(FetchTitle, net, targets, limits, &mut send).await;
        }
        BulkKind::Watch(pages) => {
            let urls = targets.iter().map(|target| target.request.url.clone());
            let pages = (urls.collect(), pages.watched.as_ref());
            let (sender, mut looks) = mpsc::unbounded_channel();
            let telling = async {
                while let Some(event) = looks.recv().await {
                    let _ = outcomes.send(BulkOutcome::Watched(event));
                }
            };
            tokio::join!(
                look((net, cache), (paths, &job.defaults), pages, sender),
                telling
            );
        }
    }
}

/// Reports outcomes, at most a few times a second, as the screen shows no more.
async fn report(
    messages: &UnboundedSender<Message>,
    id: LoadId,
    mut outcomes: UnboundedReceiver<BulkOutcome>,
    total: usize,
) {
    let mut more = Vec::new();
    while outcomes.recv_many(&mut more, REPORTED).await > 0 {
        let outcomes = std::mem::take(&mut more);
        let _ =
            messages.send(BookmarkMessage::BulkReported(id, BulkReport { outcomes, total }).into());
        tokio::time::sleep(FRAME * 4).await;
    }
}

/// Returns the bookmarks of a job with their URLs, and the watched ones that are to be confirmed first.
fn urls(job: &BulkJob) -> (Vec<(usize, Url)>, Vec<usize>) {
    match &job.kind {
        BulkKind::Check(items) | BulkKind::FetchTitles(items) => {
            let url = |item: usize| job.bookmarks.bookmark(item)?.repaired_url().ok();
            let urls = items.iter().filter_map(|&item| Some((item, url(item)?)));
            (urls.collect(), Vec::new())
        }
        BulkKind::Watch(pages) => due_urls(&job.bookmarks, pages),
    }
}

fn due_urls(bookmarks: &Bookmarks, pages: &DuePages) -> (Vec<(usize, Url)>, Vec<usize>) {
    let (mut due, mut new) = (Vec::new(), Vec::new());
    if !may_follow(bookmarks.octets()) {
        return (due, new);
    }
    for bookmark in bookmarks.bookmarks().filter(is_followed) {
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
