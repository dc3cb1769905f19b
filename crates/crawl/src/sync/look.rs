//! Looks at followed pages: one request brings the copy of a page and the content that is compared with its last state.
//! A sync looks at all of them before it fetches their entries. The browser looks at those that are due, and fetches
//! nothing else.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_load::check::{FetchContent, LinkStatus, PageContent, run_jobs};
use geomys_load::{Reason, Request};
use geomys_wire::task::blocking;
use rfc1738::Url;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::time::{Instant, timeout_at};

use super::fetch::NO_PAGE;
use super::page::NoPage;
use super::report::{EarlyEnd, SourceReport};
use super::run::{Links, Place, SyncRun, WantedPage, is_here};
use geomys_store::bookmarks::checks::{self, UrlKey};
use geomys_store::bookmarks::watch::{self, WatchEvent, WatchedPages};
use geomys_store::files::user_file::FileError;

/// Minimum time between two writes of the states: each writes the whole file.
const SAVE_INTERVAL: Duration = Duration::from_secs(1);

impl SyncRun<'_> {
    /// Looks at followed pages, and does nothing else: no entry and no link is fetched, and nothing is sent. Each new
    /// state goes to `looks`, after the copy of its page was stored. Pages whose servers were not reached have none.
    pub fn look_only<'s>(
        &'s mut self,
        urls: Vec<Url>,
        states: &'s WatchedPages,
        looks: UnboundedSender<WatchEvent>,
    ) -> BoxFuture<'s, ()> {
        async move {
            let report = |url: &Url| SourceReport::new("followed", url.as_str(), Some(url));
            let mut reports: Vec<SourceReport> = urls.iter().map(report).collect();
            let urls: Vec<(usize, Url)> = urls.into_iter().enumerate().collect();
            self.look(&mut reports, &urls, states, looks).await;
        }
        .boxed()
    }

    /// Looks at followed pages, each with the index of its source. The copy of a page is stored before its state: a run
    /// that is killed in between finds the change in the copy.
    pub(super) async fn look(
        &mut self,
        reports: &mut [SourceReport],
        urls: &[(usize, Url)],
        states: &WatchedPages,
        looks: UnboundedSender<WatchEvent>,
    ) {
        self.looks = Some(looks);
        let wanted = urls.iter().map(|(source, url)| {
            let request = self.request(url.clone(), Reason::Bookmark);
            WantedPage::new(*source, request)
        });
        let wanted = wanted.collect();
        let how = (Place::Synced, Links::Look);
        let files = self.fetch(reports, wanted, how).await.files;
        self.look_at_files(reports, states, files).await;
        self.looks = None;
        if let Some(end) = self.lacks_room.take() {
            self.stop(end);
        }
    }

    /// Looks at the pages that are not shown, and not stored: they are compared as files.
    async fn look_at_files(
        &mut self,
        reports: &mut [SourceReport],
        states: &WatchedPages,
        files: Vec<(WantedPage, &'static str)>,
    ) {
        let requests = files.iter().map(|(page, _)| {
            let mut request = page.request.clone();
            request.save.copy = states.known_copy(&request.url);
            request
        });
        let requests: Vec<Request> = requests.collect();
        let mut contents = Vec::new();
        let mut receive = |number: usize, content| contents.push((number, content));
        let (net, limits) = (self.net, self.options.limits);
        run_jobs(FetchContent, net, &requests, limits, &mut receive).await;
        let mut local = None;
        for (number, content) in contents {
            let Some((page, reason)) = files.get(number) else {
                continue;
            };
            let Some(report) = reports.get_mut(page.source) else {
                continue;
            };
            let url = &page.request.url;
            match &content {
                Ok(_) if is_here(url) => {}
                // A feed of a type that is no page: its entries are stored.
                Ok(content)
                    if *reason == NO_PAGE && lists_entries(content.as_ref(), states, url) =>
                {
                    report.same += 1;
                }
                Ok(_) => {
                    report.note(url, &NoPage::NotStored(reason));
                }
                Err(LinkStatus::Local(why)) => {
                    report.left += 1;
                    local = Some(EarlyEnd::Local(why.clone()));
                }
                Err(status) => {
                    report.note(url, &NoPage::Skipped(status.clone()));
                }
            }
            let key = UrlKey::of(url);
            let event = WatchEvent::fetched(&key, content, checks::current_second());
            if let (Some(event), Some(looks)) = (event, &self.looks) {
                // Without a receiver the states cannot be saved, and the run ends with that error.
                let _ = looks.send(event);
            }
            self.settle(report, false);
        }
        if let Some(end) = local {
            self.stop(end);
        }
    }
}

/// Returns true for a page that lists entries, now or, if it is of the same version, when it was looked at before.
fn lists_entries(content: Option<&PageContent>, states: &WatchedPages, url: &Url) -> bool {
    match content {
        Some(content) => !content.entries.is_empty(),
        None => {
            let entries = states.of(url).and_then(|state| state.entries.as_ref());
            entries.is_some_and(|entries| entries.iter().next().is_some())
        }
    }
}

/// Saves the states of a run as they come, and returns those of the pages that are seen for the first time, once their
/// content came: a run that is stopped before it has fetched their first entries has not seen them.
///
/// # Errors
/// Errors of the file of watched pages.
pub(super) async fn save_looks(
    path: &Path,
    unseen: &HashSet<UrlKey>,
    mut looks: UnboundedReceiver<WatchEvent>,
) -> Result<Vec<WatchEvent>, FileError> {
    let mut first_states = Vec::new();
    while let Some(first) = looks.recv().await {
        let end = Instant::now() + SAVE_INTERVAL;
        let mut events = vec![first];
        while let Ok(Some(event)) = timeout_at(end, looks.recv()).await {
            events.push(event);
        }
        let is_first = |event: &mut WatchEvent| matches!(event, WatchEvent::Fetched(key, Some(_), _) if unseen.contains(key));
        first_states.extend(events.extract_if(.., is_first));
        save(path, events).await?;
    }
    Ok(first_states)
}

/// Adds events to the states of watched pages.
///
/// # Errors
/// Errors of the file.
pub(super) async fn save(path: &Path, events: Vec<WatchEvent>) -> Result<(), FileError> {
    if !events.is_empty() {
        let path = path.to_owned();
        blocking(move || watch::save(&path, &events, checks::current_second())).await?;
    }
    Ok(())
}

/// Reads the states of watched pages.
///
/// # Errors
/// Errors of the file.
pub(super) async fn read(path: &Path) -> Result<WatchedPages, FileError> {
    let path = path.to_owned();
    blocking(move || watch::load(&path)).await
}
