//! The sync: the sources are read from the user's files, and gone through. The command line and the browser share it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_crawl::sync::lock::SyncLock;
use geomys_crawl::sync::progress::SyncProgress;
use geomys_crawl::sync::report::{SourceReport, SyncSummary};
use geomys_crawl::sync::run::{LIMITS, LOW_LIMITS, SyncOptions, SyncRun};
use geomys_crawl::sync::sources::SyncSources;
use geomys_crawl::sync::state::SyncState;
use geomys_load::{FormAnswers, LoadId, Reason, Request};
use geomys_store::bookmarks::watch::{WatchEvent, WatchedPages};
use geomys_store::files::cache::Cache;
use geomys_store::outbox::{self, Sender};
use geomys_wire::net::Net;
use geomys_wire::task::blocking;
use geomys_wire::text::Text;
use rfc1738::Url;
use tokio::sync::mpsc::UnboundedSender;

use super::library::{followed_groups, unread_marks};
use super::tasks::Tasks;
use crate::config::UserPaths;
use geomys_app::credentials::request_defaults::RequestDefaults;
use geomys_app::library::message::{OutboxUse, SyncOrder, SyncStep};
use geomys_app::{LibraryMessage, Message, Settings};

/// The maximum time of one source.
const SOURCE_TIME: Duration = Duration::from_mins(10);

/// A sync to be run.
pub(crate) struct SyncJob<'a> {
    /// The access to the network.
    pub(crate) net: &'a Net,
    /// The copies of pages.
    pub(crate) cache: Arc<Cache>,
    /// The user's files.
    pub(crate) paths: &'a UserPaths,
    /// The defaults of each request.
    pub(crate) defaults: &'a RequestDefaults,
    /// The use of the outbox.
    pub(crate) outbox: OutboxUse,
    /// True if no server is contacted.
    pub(crate) is_dry: bool,
    /// Is told how far the sync is.
    pub(crate) progress: &'a (dyn Fn(SyncProgress<'_>) + Send + Sync),
}

/// The reports of the sources, and their sum.
pub(crate) type SyncReports = (Vec<SourceReport>, SyncSummary);

impl<'a> SyncJob<'a> {
    /// Runs the sync, unless another one runs. If it is dropped, what came is stored.
    ///
    /// # Errors
    /// A sentence: another sync runs, or a file of the user cannot be read.
    pub(crate) fn run(self) -> BoxFuture<'a, Result<SyncReports, String>> {
        async move {
            let lock = self.paths.sync_lock();
            let lock = (!self.is_dry).then(|| blocking(move || SyncLock::take(&lock)));
            let lock = match lock {
                Some(lock) => Some(lock.await.map_err(|error| error.to_string())?),
                None => None,
            };
            let settings = self.defaults.settings();
            let (store, newsrcs) = (self.paths.bookmarks(), settings.newsrcs.clone());
            let reading = blocking(move || (store.load(), followed_groups(&newsrcs)));
            let (bookmarks, groups) = reading.await;
            let bookmarks = bookmarks.map_err(|error| error.to_string())?;
            let request = |url, reason| request(self.defaults, url, reason);
            let options = SyncOptions {
                is_dry: self.is_dry,
                progress: self.progress,
                ..options((self.paths, settings), &request)
            };
            let (drafts, watched) = (self.paths.drafts(), self.paths.watched());
            let sender = Sender {
                author: settings.author.clone(),
                secret: self.paths.cancel_secret(),
            };
            let sources = SyncSources {
                drafts: match self.outbox {
                    OutboxUse::Send => Some(&drafts),
                    OutboxUse::Leave => None,
                },
                sender: &sender,
                bookmarks: &bookmarks,
                watched: &watched,
                groups: &groups,
            };
            let state = blocking(move || (lock.as_ref().map(SyncLock::state), lock));
            let (state, lock) = state.await;
            let mut run = SyncRun::new(self.net, self.cache, options, state.unwrap_or_default());
            let ended = run.run(&sources).await.map_err(|error| error.to_string())?;
            let state = run.into_state();
            if let Some(mut lock) = lock {
                let recording = blocking(move || lock.record(&state));
                recording.await.map_err(|error| error.to_string())?;
            }
            Ok(ended)
        }
        .boxed()
    }
}

/// Looks at followed pages, and does nothing else: each new state is told, and the copy of its page is stored. If it is
/// dropped, what came is stored.
pub(super) async fn look(
    (net, cache): (&Net, Arc<Cache>),
    (paths, defaults): (&UserPaths, &RequestDefaults),
    (urls, states): (Vec<Url>, &WatchedPages),
    looks: UnboundedSender<WatchEvent>,
) {
    let request = |url, reason| request(defaults, url, reason);
    let options = SyncOptions {
        limits: LOW_LIMITS,
        ..options((paths, defaults.settings()), &request)
    };
    let mut run = SyncRun::new(net, cache, options, SyncState::default());
    run.look_only(urls, states, looks).await;
}

/// Returns the request of a run for a URL.
pub(super) fn request(defaults: &RequestDefaults, url: Url, reason: Reason) -> Request {
    let mut request = Request {
        // The user has not seen each form.
        answers: FormAnswers::Unconfirmed,
        limit: Some(u64::MAX),
        ..Request::show(url, reason)
    };
    defaults.apply(&mut request);
    request
}

/// Returns the options of a run that tells nothing of its progress.
fn options<'a>(
    (paths, settings): (&UserPaths, &Settings),
    request: &'a (dyn Fn(Url, Reason) -> Request + Send + Sync),
) -> SyncOptions<'a> {
    let history = settings.history.clone();
    SyncOptions {
        size: settings.sync_size,
        page: Some(settings.cache.page).filter(|&page| page > 0),
        limits: LIMITS,
        reserve: settings.sync_reserve,
        is_dry: false,
        request,
        is_excluded: Arc::new(move |url| history.excludes(url)),
        unread: Arc::new(unread_marks(paths, &settings.newsrcs)),
        source_time: SOURCE_TIME,
        progress: &|_| (),
    }
}

impl Tasks {
    /// Starts to list the drafts that wait for a sync.
    pub(super) fn read_outbox(&self) {
        let drafts = self.user_paths().drafts();
        self.compute("the outbox was not read", move || {
            LibraryMessage::Outbox(outbox::waiting(&drafts)).into()
        });
    }

    /// Starts a sync.
    pub(super) fn sync(&mut self, load: LoadId, order: SyncOrder) {
        let ((net, messages), cache) = (self.services(), Arc::clone(&self.cache));
        let paths = self.user_paths();
        let ended = messages.clone();
        // The bookmark that was just saved is a source.
        let written = self.written();
        let work = async move {
            // The jobs end with the browser alone.
            let _ = written.await;
            let progress = |now: SyncProgress<'_>| {
                let step = SyncStep {
                    source: Text::of(&now.source.title),
                    pages: now.pages,
                    octets: now.octets,
                };
                // Once the main loop has ended, nobody listens.
                let _ = messages.send(LibraryMessage::SyncProgress(load, step).into());
            };
            let sync = SyncJob {
                net: &net,
                cache,
                paths: &paths,
                defaults: &order.defaults,
                outbox: order.outbox,
                is_dry: false,
                progress: &progress,
            };
            sync.run().await
        };
        self.spawn(load, async move {
            let done = std::panic::AssertUnwindSafe(work).catch_unwind().await;
            let done =
                done.unwrap_or_else(|_| Err("the sync was lost: a bug in Geomys".to_owned()));
            let _ = ended.send(Message::from(LibraryMessage::SyncEnded(
                load,
                done.map(Box::new),
            )));
        });
    }
}
