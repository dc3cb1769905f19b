//! The sync: the sources are read from the user's files, and gone through. The command line and the browser share it.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_page::load::{FormAnswers, LoadId, Request};
use geomys_store::files::cache::Cache;
use geomys_store::outbox::Sender;
use geomys_store::sync::lock::SyncLock;
use geomys_store::sync::progress::SyncProgress;
use geomys_store::sync::report::{SourceReport, SyncSummary};
use geomys_store::sync::run::{SyncOptions, SyncRun};
use geomys_store::sync::sources::SyncSources;
use geomys_wire::net::Net;
use geomys_wire::task::blocking;
use geomys_wire::text::Text;
use rfc1738::Url;

use super::library::followed_groups;
use super::tasks::Tasks;
use crate::app::credentials::request_defaults::RequestDefaults;
use crate::app::library::message::{OutboxUse, SyncOrder, SyncStep};
use crate::app::{LibraryMessage, Message};
use crate::config::UserPaths;

/// A sync to be run.
pub(crate) struct Sync<'a> {
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
    pub(crate) progress: &'a (dyn Fn(SyncProgress<'_>) + Send + std::marker::Sync),
}

/// The reports of the sources, and their sum.
pub(crate) type SyncReports = (Vec<SourceReport>, SyncSummary);

impl<'a> Sync<'a> {
    /// Runs the sync, unless another one runs. If it is dropped, what came is stored.
    ///
    /// # Errors
    /// A sentence: another sync runs, or a file of the user cannot be read.
    pub(crate) fn run(self) -> BoxFuture<'a, Result<SyncReports, String>> {
        async move {
            let lock = self.paths.sync_lock();
            let lock = (!self.is_dry).then(|| blocking(move || SyncLock::take(&lock)));
            let _lock = match lock {
                Some(lock) => Some(lock.await.map_err(|error| error.to_string())?),
                None => None,
            };
            let settings = self.defaults.settings();
            let (store, newsrcs) = (self.paths.bookmarks(), settings.newsrcs.clone());
            let reading = blocking(move || (store.load(), followed_groups(&newsrcs)));
            let (bookmarks, groups) = reading.await;
            let bookmarks = bookmarks.map_err(|error| error.to_string())?;
            let request = |url: Url| {
                let mut request = Request {
                    // The user has not seen each form.
                    answers: FormAnswers::Unconfirmed,
                    limit: Some(u64::MAX),
                    ..Request::show(url)
                };
                self.defaults.apply(&mut request);
                request
            };
            let is_excluded = |url: &Url| settings.history.excludes(url);
            let options = SyncOptions {
                size: settings.sync_size,
                page: Some(settings.cache.page).filter(|&page| page > 0),
                is_dry: self.is_dry,
                request: &request,
                is_excluded: &is_excluded,
                progress: self.progress,
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
            let mut run = SyncRun::new(self.net, self.cache, options);
            run.run(&sources).await.map_err(|error| error.to_string())
        }
        .boxed()
    }
}

impl Tasks {
    /// Starts a sync.
    pub(super) fn sync(&mut self, load: LoadId, order: SyncOrder) {
        let ((net, messages), cache) = (self.services(), Arc::clone(&self.cache));
        let paths = self.user_paths();
        let ended = messages.clone();
        let work = async move {
            let progress = |now: SyncProgress<'_>| {
                let step = SyncStep {
                    source: Text::of(&now.source.title),
                    pages: now.pages,
                    octets: now.octets,
                };
                // Once the main loop has ended, nobody listens.
                let _ = messages.send(LibraryMessage::SyncProgress(load, step).into());
            };
            let sync = Sync {
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
