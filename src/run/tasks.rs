//! Running tasks, and the channels of their messages.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_crawl::mirrored::Mirrors;
use geomys_load::{Failure, LoadId, Part, PartSender, Request, Sink, run_telnet};
use geomys_page::document::Document;
use geomys_store::files::cache::Cache;
use geomys_store::transfer::download;
use geomys_store::transfer::download::Target;
use geomys_store::transfer::records::DirectoryRecords;
use geomys_store::transfer::retry::RetryPolicy;
use geomys_wire::net::{Net, Reachability};
use geomys_wire::task::{self, Workers};
use rfc1738::Url;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinHandle;

use super::file_watcher::ConfigChanges;
use super::file_watcher::FileWatcher;
use super::file_writer::{FileJob, Files, unreported, write_all};
use super::reports::TelnetInputs;
use super::reports::{panic_sentence, panicked};
use super::{PARTS, drafts, external, mirrored};
use crate::config::UserPaths;
use geomys_app::compose::message::{DraftJob, DraftOutcome};
use geomys_app::{BookmarkMessage, LibraryMessage, Message, TransferMessage};

/// The channels from the tasks to the main loop.
pub(super) struct Reports {
    pub(super) parts: mpsc::Receiver<(LoadId, Part)>,
    pub(super) messages: mpsc::UnboundedReceiver<Message>,
    pub(super) configs: ConfigChanges,
}

/// The running tasks.
pub(super) struct Tasks {
    pub(super) net: Arc<Net>,
    /// The network of the pages, by which it is judged whether it is down.
    page_net: Arc<Net>,
    pub(super) cache: Arc<Cache>,
    mirrors: Arc<Mirrors>,
    paths: Arc<UserPaths>,
    parts: mpsc::Sender<(LoadId, Part)>,
    messages: mpsc::UnboundedSender<Message>,
    /// The loads and downloads that can be cancelled.
    pub(super) running: HashMap<LoadId, JoinHandle<()>>,
    /// The tasks that were cancelled since the last one was started.
    cancelled: Vec<JoinHandle<()>>,
    pub(super) retry_policy: RetryPolicy,
    pub(super) telnet_inputs: TelnetInputs,
    /// The channel of jobs for the user's files, carried out in order.
    file_jobs: mpsc::UnboundedSender<FileJob>,
    saving: JoinHandle<Vec<String>>,
    /// The watchers that report edits of the bookmark file, and the ends of syncs of other processes.
    watchers: [FileWatcher; 2],
    /// The threads of all tasks but that of the user's files.
    pub(super) workers: Workers,
}

impl Tasks {
    pub(super) fn new(
        files: Files,
        configs: ConfigChanges,
        net: Arc<Net>,
        cache: Arc<Cache>,
        retry_policy: RetryPolicy,
    ) -> (Self, Reports) {
        let (parts, part_reports) = mpsc::channel(PARTS);
        let (messages, message_reports) = mpsc::unbounded_channel();
        let (file_jobs, jobs) = mpsc::unbounded_channel();
        let paths = Arc::clone(&files.paths);
        let watched = vec![files.bookmarks.path().to_owned()];
        let saving = tokio::spawn(write_all(files, jobs, messages.clone()));
        let touched = messages.clone();
        let bookmarks = FileWatcher::new(watched, move || {
            // The receiver is closed once the main loop has ended.
            let _ = touched.send(BookmarkMessage::Touched.into());
        });
        let found = messages.clone();
        let reachability = Reachability::new(move |is_down| {
            let _ = found.send(Message::NetworkDown(is_down));
        });
        let page_net = Arc::new(Net::clone(&net).with_reachability(reachability));
        let touched = messages.clone();
        // A sync closes its lock when it ends.
        let syncs = FileWatcher::new(vec![paths.sync_lock()], move || {
            let _ = touched.send(LibraryMessage::Touched.into());
        });
        let tasks = Self {
            net,
            page_net,
            cache,
            mirrors: Arc::new(Mirrors::new(DirectoryRecords::new(paths.sources()))),
            paths,
            parts,
            messages,
            running: HashMap::new(),
            cancelled: Vec::new(),
            retry_policy,
            telnet_inputs: TelnetInputs::default(),
            file_jobs,
            saving,
            watchers: [bookmarks, syncs],
            workers: Workers::default(),
        };
        (
            tasks,
            Reports {
                parts: part_reports,
                messages: message_reports,
                configs,
            },
        )
    }

    /// Begins to report edits of the bookmark file, and syncs.
    pub(super) fn start_watchers(&mut self) {
        self.watchers.iter_mut().for_each(FileWatcher::start);
    }

    /// Cancels a load, a download or a session.
    pub(super) fn cancel(&mut self, id: LoadId) {
        self.telnet_inputs.drop(id);
        if let Some(task) = self.running.remove(&id) {
            task.abort();
            self.cancelled.push(task);
        }
    }

    /// Queues a job for the user's files. Once the main loop has ended, there are no more jobs.
    pub(super) fn put(&self, job: FileJob) {
        let _ = self.file_jobs.send(job);
    }

    /// Returns what ends once the jobs for the user's files are done that were queued before.
    pub(super) fn written(&self) -> oneshot::Receiver<()> {
        let (done, written) = oneshot::channel();
        let nothing = |_: &mut Files| Ok::<_, String>(());
        self.put(FileJob::new("the files were not written", nothing, |_| {
            // A cancelled task waits no more.
            let _ = done.send(());
            Message::Written(Ok(()))
        }));
        written
    }

    /// Starts a task that can be cancelled by the load. It begins when the tasks that were cancelled before have ended:
    /// only then their connections are on the way to the pool, and a server may allow only one.
    pub(super) fn spawn(&mut self, id: LoadId, work: impl Future<Output = ()> + Send + 'static) {
        let cancelled = std::mem::take(&mut self.cancelled);
        let work = async move {
            for task in cancelled {
                // What a cancelled task has to say does not matter.
                let _ = task.await;
            }
            work.await;
        };
        self.running.insert(id, self.workers.spawn(work));
    }

    /// Starts a job over many URLs, which can be cancelled by the load. `not_done` is the error message if it
    /// panics.
    pub(super) fn run_bulk(
        &mut self,
        id: LoadId,
        not_done: &'static str,
        work: impl Future<Output = ()> + Send + 'static,
    ) {
        self.spawn(
            id,
            end_bulk(self.messages.clone(), id, not_done, work.boxed()),
        );
    }

    /// Starts a task that ends with a message. `not_done` is the error message if it panics.
    pub(super) fn report(
        &self,
        not_done: &'static str,
        work: impl Future<Output = Message> + Send + 'static,
    ) {
        let work = end_task(self.messages.clone(), not_done, work.boxed());
        self.workers.spawn(work);
    }

    /// Starts a blocking task that ends with a message. `not_done` is the error message if it panics.
    pub(super) fn compute(
        &self,
        not_done: &'static str,
        work: impl FnOnce() -> Message + Send + 'static,
    ) {
        self.report(not_done, task::blocking(work));
    }

    /// Like [`Tasks::compute`], for work on a whole document, which may take as much memory as the document: two
    /// documents at a time.
    pub(super) fn compute_document(
        &self,
        not_done: &'static str,
        work: impl FnOnce() -> Message + Send + 'static,
    ) {
        static TURNS: Semaphore = Semaphore::const_new(2);
        self.report(not_done, async {
            // Nothing closes the semaphore.
            let _turn = TURNS.acquire().await;
            task::blocking(work).await
        });
    }

    /// Sends a message after this time.
    pub(super) fn send_after(&self, delay: Duration, message: Message) {
        let messages = self.messages.clone();
        self.workers.spawn(async move {
            tokio::time::sleep(delay).await;
            let _ = messages.send(message);
        });
    }

    /// Returns the access to the network and the channel of messages, for a task.
    pub(super) fn services(&self) -> (Arc<Net>, mpsc::UnboundedSender<Message>) {
        (Arc::clone(&self.net), self.messages.clone())
    }

    /// Returns the records of the URLs of downloaded directories.
    pub(super) fn sources(&self) -> DirectoryRecords {
        DirectoryRecords::new(self.paths.sources())
    }

    /// Saves a document to a file. If `made` is given, this directory is created if it is missing, but no other.
    pub(super) fn save(
        &mut self,
        id: LoadId,
        document: Document,
        target: Target,
        made: Option<PathBuf>,
    ) {
        let messages = self.messages.clone();
        self.spawn(id, async move {
            let saving = async {
                if let Some(made) = made {
                    external::check_directory(&target, &made).await?;
                }
                let saved = download::save(document.sent().blocks(), target).await;
                saved.map_err(|error| error.to_string())
            };
            let saved = match AssertUnwindSafe(saving).catch_unwind().await {
                Ok(saved) => saved,
                Err(_) => Err(panic_sentence("save", document.url())),
            };
            let _ = messages.send(TransferMessage::Downloaded(id, saved).into());
        });
    }

    /// Starts a load or a session.
    pub(super) fn load(&mut self, id: LoadId, request: Request) {
        let (net, cache) = (Arc::clone(&self.page_net), Arc::clone(&self.cache));
        let mirrors = Arc::clone(&self.mirrors);
        let (url, parts) = (request.url.clone(), self.parts_of(id));
        let typed = self.telnet_inputs.begin(id, &request);
        let sender = parts.clone();
        let loading = async move {
            match typed {
                Some(typed) => run_telnet(&net, request, typed, Sink::of(parts)).await,
                None => mirrored::load(&net, (&mirrors, &cache), request, parts).await,
            }
        };
        self.spawn_load(id, url, sender, loading.boxed());
    }

    /// Returns the sender for the parts of a load.
    pub(super) fn parts_of(&self, id: LoadId) -> PartSender {
        PartSender::Shared(id, self.parts.clone())
    }

    /// Returns the paths of the user's files.
    pub(super) fn user_paths(&self) -> Arc<UserPaths> {
        Arc::clone(&self.paths)
    }

    /// Starts a task that sends the page of a URL. If it panics, the page fails.
    pub(super) fn spawn_load(
        &mut self,
        id: LoadId,
        url: Url,
        parts: PartSender,
        loading: BoxFuture<'static, ()>,
    ) {
        self.spawn(id, async move {
            if AssertUnwindSafe(loading).catch_unwind().await.is_err() {
                // Without this the page would stay in the loading state.
                let failure = Failure::new(panic_sentence("load", &url));
                let _ = parts.send(Part::End(Err(failure.into()))).await;
            }
        });
    }

    /// Starts a job for a draft.
    pub(super) fn write(&mut self, job: DraftJob) {
        let context = drafts::DraftContext {
            drafts: self.paths.drafts(),
            secret: self.paths.cancel_secret(),
            net: Arc::clone(&self.net),
            parts: self.parts.clone(),
        };
        let messages = self.messages.clone();
        let load = drafts::load_of(&job);
        let task = self.workers.spawn(async move {
            let _ = messages.send(drafts::carry_out(context, job).await);
        });
        if let Some(load) = load {
            self.running.insert(load, task);
        }
    }

    /// Returns true if this is the last message of a load or a download, which cannot be cancelled any more.
    pub(super) fn has_ended(&mut self, message: &Message) -> bool {
        let (Message::Load(id, Part::End(_))
        | Message::Transfers(
            TransferMessage::Downloaded(id, _)
            | TransferMessage::Ended(id, _)
            | TransferMessage::Fetched(id, _),
        )
        | Message::Compose(DraftOutcome::Listed(id, _) | DraftOutcome::Sent(id, _))
        | Message::Bookmarks(BookmarkMessage::BulkEnded(id))
        | Message::Library(LibraryMessage::SyncEnded(id, _))) = message
        else {
            return false;
        };
        self.running.remove(id);
        self.telnet_inputs.drop(*id);
        true
    }

    pub(super) fn end(self, mut reports: Reports) -> JoinHandle<Vec<String>> {
        for task in self.running.into_values() {
            task.abort();
        }
        // From now on, a message returns to its sender as an error.
        reports.messages.close();
        let (saving, workers) = (self.saving, self.workers);
        tokio::spawn(async {
            let errors = unreported(reports.messages, saving).await;
            drop(workers);
            errors
        })
    }
}

/// Sends the message at the end of a task.
async fn end_task(
    messages: mpsc::UnboundedSender<Message>,
    not_done: &'static str,
    work: BoxFuture<'static, Message>,
) {
    let done = AssertUnwindSafe(work).catch_unwind().await;
    let _ = messages.send(done.unwrap_or_else(|_| panicked(not_done)));
}

/// Sends the messages at the end of a job over many URLs.
async fn end_bulk(
    messages: mpsc::UnboundedSender<Message>,
    id: LoadId,
    not_done: &'static str,
    work: BoxFuture<'static, ()>,
) {
    let done = AssertUnwindSafe(work).catch_unwind().await;
    let _ = messages.send(BookmarkMessage::BulkEnded(id).into());
    if done.is_err() {
        // After the summary of the end.
        let _ = messages.send(panicked(not_done));
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use geomys_store::files::cache::CacheLimits;
    use geomys_wire::net::Limits;

    use super::*;
    use geomys_app::news::SOON;
    use geomys_app::{Effect, NewsEffect, NewsMessage};

    /// Starts no task, with files in this directory.
    fn tasks(directory: &Path) -> (Tasks, Reports) {
        let paths = UserPaths::new(Some(directory.to_owned())).unwrap();
        let configs = ConfigChanges::of(None, &paths);
        let cache = Arc::new(Cache::new(paths.cache.clone(), CacheLimits::default()));
        let store = paths.bookmarks();
        let files = Files::new(Arc::new(paths), store, None);
        let net = Arc::new(Net::new(Limits::default()));
        Tasks::new(files, configs, net, cache, RetryPolicy::default())
    }

    #[tokio::test]
    async fn panic_of_a_task_is_reported() {
        let directory = tempfile::tempdir().unwrap();
        let (tasks, mut reports) = tasks(directory.path());
        let mut said = async || match reports.messages.recv().await {
            Some(Message::TaskPanicked(sentence)) => sentence,
            other => panic!("{other:?}"),
        };
        tasks.compute("the page was not laid out", || panic!("on purpose"));
        assert_eq!(said().await, "the page was not laid out: a bug in Geomys");
        tasks.report("the file was not read", async { panic!("on purpose") });
        assert_eq!(said().await, "the file was not read: a bug in Geomys");
    }

    #[tokio::test]
    async fn panic_of_a_link_check_ends_it_and_is_reported() {
        let directory = tempfile::tempdir().unwrap();
        let (mut tasks, mut reports) = tasks(directory.path());
        let id = LoadId(7);
        tasks.run_bulk(id, "not all links were checked", async {
            panic!("on purpose")
        });
        let ended = reports.messages.recv().await.unwrap();
        let is_end =
            matches!(ended, Message::Bookmarks(BookmarkMessage::BulkEnded(ended)) if ended == id);
        assert!(is_end, "the progress disappears: {ended:?}");
        assert!(tasks.has_ended(&ended));
        assert!(tasks.running.is_empty(), "there is nothing to cancel");
        match reports.messages.recv().await {
            Some(Message::TaskPanicked(sentence)) => {
                assert_eq!(sentence, "not all links were checked: a bug in Geomys");
            }
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn marks_are_due_within_two_seconds() {
        let directory = tempfile::tempdir().unwrap();
        let (mut tasks, mut reports) = tasks(directory.path());
        tasks.start(Effect::News(NewsEffect::Schedule));
        let idle = tokio::time::timeout(SOON / 2, reports.messages.recv()).await;
        assert!(idle.is_err(), "changes are collected first: {idle:?}");
        let due = tokio::time::timeout(Duration::from_secs(1), reports.messages.recv()).await;
        assert!(
            matches!(due, Ok(Some(Message::News(NewsMessage::Due)))),
            "{due:?}"
        );
        assert!(reports.messages.try_recv().is_err(), "once");
    }
}
