//! Running tasks: every effect that takes time is a task, or waits for the task that writes files.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::file_writer::{FilePaths, FileWrite, unreported, write_all};
use super::reports::panic_sentence;
use super::sessions::Sessions;
use super::{PARTS, RunContext, checks, drafts, external, file_watcher, page_cache, transfers};
use crate::app::bookmarks::check::{LinkCheckRequest, WatchRequest};
use crate::app::compose::{DraftJob, DraftOutcome};
use crate::app::news::SOON;
use crate::app::transfers::TransferJob;
use crate::app::{
    BookmarkEffect, BookmarkMessage, CredentialEffect, CredentialMessage, Effect, Message,
    NewsEffect, NewsMessage, TabsEffect, TabsMessage, TransferEffect, TransferMessage,
};
use crate::document::Document;
use crate::document::find::find;
use crate::files::cache::Cache;
use crate::files::{keyring, mailcap};
use crate::load::{Failure, LoadId, Login, Part, Request, Sink, host_rules, run_session};
use crate::net::Net;
use crate::transfer::download;
use crate::transfer::download::Target;
use crate::transfer::retry::RetryPolicy;
use crate::transfer::sources::Sources;

/// The channels from the tasks to the main loop.
pub(super) struct Reports {
    pub(super) parts: mpsc::Receiver<(LoadId, Part)>,
    pub(super) messages: mpsc::UnboundedReceiver<Message>,
}

/// The running tasks.
pub(super) struct Tasks {
    net: Arc<Net>,
    cache: Arc<Cache>,
    drafts: PathBuf,
    secret: PathBuf,
    /// The files of link check results and of watched bookmarks.
    check_files: (PathBuf, PathBuf),
    parts: mpsc::Sender<(LoadId, Part)>,
    messages: mpsc::UnboundedSender<Message>,
    /// The loads and downloads that can be cancelled.
    running: HashMap<LoadId, JoinHandle<()>>,
    retry_policy: RetryPolicy,
    sources: Sources,
    sessions: Sessions,
    /// The channel of changes to the user's files, written in order.
    file_writes: mpsc::UnboundedSender<FileWrite>,
    saving: JoinHandle<Vec<String>>,
    /// The watcher that reports edits of the bookmark file until it is dropped.
    _watcher: Option<notify::RecommendedWatcher>,
}

impl Tasks {
    pub(super) fn new(context: &RunContext) -> (Self, Reports) {
        let (parts, part_reports) = mpsc::channel(PARTS);
        let (messages, message_reports) = mpsc::unbounded_channel();
        let (file_writes, changes) = mpsc::unbounded_channel();
        let files = FilePaths {
            bookmarks: context.bookmarks.clone(),
            trust: context.trust.clone(),
            transfers: context.transfers.clone(),
            checks: context.checks.clone(),
            watched: context.watched.clone(),
        };
        let saving = tokio::spawn(write_all(files, changes, messages.clone()));
        let watcher = file_watcher::watch(context.bookmarks.path(), messages.clone());
        let net = Arc::clone(&context.net);
        let tasks = Self {
            net,
            cache: Arc::clone(&context.cache),
            drafts: context.drafts.clone(),
            secret: context.secret.clone(),
            check_files: (context.checks.clone(), context.watched.clone()),
            parts,
            messages,
            running: HashMap::new(),
            retry_policy: context.retry_policy,
            sources: context.sources.clone(),
            sessions: Sessions::default(),
            file_writes,
            saving,
            _watcher: watcher,
        };
        (
            tasks,
            Reports {
                parts: part_reports,
                messages: message_reports,
            },
        )
    }

    /// Starts the task of an effect. Its messages are ignored once the main loop has ended.
    pub(super) fn start(&mut self, effect: Effect) {
        match effect {
            Effect::Load(id, request) => self.load(id, request),
            Effect::SendToSession(id, typed) => self.sessions.send(id, typed),
            Effect::Drop(id) => {
                self.sessions.drop(id);
                if let Some(task) = self.running.remove(&id) {
                    task.abort();
                }
            }
            Effect::Tabs(TabsEffect::Finish(work, document)) => {
                self.compute(move || {
                    Message::Tabs(TabsMessage::Finished(work, document.finished()))
                });
            }
            Effect::Tabs(TabsEffect::Arrange(work, document, arrangement)) => {
                self.compute(move || {
                    Message::Tabs(TabsMessage::Finished(work, document.arranged(arrangement)))
                });
            }
            Effect::Tabs(TabsEffect::Find(work, document, needle, from, direction)) => {
                self.compute(move || {
                    Message::Tabs(TabsMessage::Found(
                        work,
                        find(&document, &needle, from, direction),
                    ))
                });
            }
            Effect::Bookmarks(BookmarkEffect::Save(history, change, base)) => {
                self.put(FileWrite::Bookmarks(history, change, base));
            }
            Effect::Bookmarks(BookmarkEffect::Read(base)) => {
                self.put(FileWrite::ReadBookmarks(base))
            }
            Effect::Bookmarks(BookmarkEffect::Filter(work, search)) => {
                self.compute(move || {
                    Message::Bookmarks(BookmarkMessage::Filtered(work, Box::new(search.run())))
                });
            }
            Effect::Bookmarks(BookmarkEffect::ReadCheckResults) => {
                let (checks, watched) = self.check_files.clone();
                self.compute(move || checks::read_results(&checks, &watched));
            }
            Effect::Bookmarks(BookmarkEffect::Check(id, round)) => self.check(id, *round),
            Effect::Bookmarks(BookmarkEffect::Watch(id, watching)) => self.watch(id, *watching),
            Effect::Bookmarks(BookmarkEffect::WriteCheckResults(findings, bookmarks)) => {
                self.put(FileWrite::CheckResults(findings, bookmarks));
            }
            Effect::Bookmarks(BookmarkEffect::WriteWatchEvents(events)) => {
                self.put(FileWrite::WatchEvents(events))
            }
            Effect::Credentials(CredentialEffect::Pin(authority, fingerprint)) => {
                self.put(FileWrite::Pin(authority, fingerprint))
            }
            Effect::Tabs(TabsEffect::ReadFile(work, path)) => {
                external::report(&self.messages, external::read(work, path));
            }
            Effect::Credentials(CredentialEffect::Keyring(work, scope, user)) => {
                external::report(&self.messages, async move {
                    let password = keyring::password(&scope, &user).await;
                    Message::Credentials(CredentialMessage::Keyring(
                        work,
                        password.map(|password| Login::new(user, password)),
                    ))
                })
            }
            Effect::Credentials(CredentialEffect::StorePassword(scope, login)) => {
                external::report(&self.messages, async move {
                    let password = login.password.unwrap_or_default();
                    Message::Credentials(CredentialMessage::PasswordStored(
                        keyring::store(&scope, &login.user, &password).await,
                    ))
                })
            }
            Effect::Tabs(TabsEffect::Rules(from, host, caps)) => {
                let net = Arc::clone(&self.net);
                let rules = async move {
                    Message::Tabs(TabsMessage::Rules(
                        from,
                        host,
                        host_rules(&net, &caps).await,
                    ))
                };
                external::report(&self.messages, rules);
            }
            Effect::Tabs(TabsEffect::Viewers(paths)) => {
                self.compute(move || Message::Tabs(TabsMessage::Viewers(mailcap::read(&paths))));
            }
            Effect::Run(program) => {
                self.compute(move || {
                    Message::Tabs(TabsMessage::ProgramEnded(external::run(&program)))
                });
            }
            Effect::Transfers(TransferEffect::Fetch(id, request, name)) => {
                let net = Arc::clone(&self.net);
                let fetching = external::fetch(net, self.messages.clone(), id, request, name);
                self.running.insert(id, tokio::spawn(fetching));
            }
            Effect::Transfers(TransferEffect::Start(id, job)) => self.transfer(id, *job),
            Effect::Transfers(TransferEffect::Destination(directory, url, base)) => {
                let sources = self.sources.clone();
                self.compute(move || {
                    Message::Transfers(TransferMessage::Destination(
                        directory,
                        sources.destination(&base, &url),
                    ))
                });
            }
            Effect::Transfers(TransferEffect::WriteList(was, now)) => {
                self.put(FileWrite::Transfers(was, now))
            }
            Effect::Transfers(TransferEffect::RemovePartial(id, order)) => {
                let running = id.and_then(|id| self.running.remove(&id));
                external::report(&self.messages, transfers::remove_partial(running, order));
            }
            Effect::Transfers(TransferEffect::Save(id, document, target)) => {
                self.save(id, document, target, None)
            }
            Effect::Transfers(TransferEffect::SaveReply(id, page, to, made)) => {
                self.save_reply(id, page, to, made)
            }
            Effect::News(NewsEffect::Marks(server, path, changes)) => {
                self.put(FileWrite::Marks(server, path, changes));
            }
            Effect::News(NewsEffect::Folds(server, path, changes)) => {
                self.put(FileWrite::Folds(server, path, changes));
            }
            Effect::News(NewsEffect::Schedule) => external::report(&self.messages, async {
                tokio::time::sleep(SOON).await;
                Message::News(NewsMessage::Due)
            }),
            Effect::News(NewsEffect::Rule(path, group, rule)) => {
                self.put(FileWrite::Rule(path, group, rule))
            }
            Effect::Tabs(TabsEffect::CachePage(head, document)) => {
                let cache = Arc::clone(&self.cache);
                self.compute(move || page_cache::store(&cache, &head, &document));
            }
            Effect::Offline(offline) => self.net.set_offline(offline),
            Effect::Compose(job) => self.write(job),
            // The main loop carries these out itself.
            Effect::Copy(_) | Effect::Redraw | Effect::Suspend => {}
        }
    }

    /// Queues a change to be written to a file. Once the main loop has ended, there are no more changes.
    fn put(&self, writing: FileWrite) {
        let _ = self.file_writes.send(writing);
    }

    /// Starts a task that can be cancelled by the load.
    fn spawn(&mut self, id: LoadId, work: impl Future<Output = ()> + Send + 'static) {
        self.running.insert(id, tokio::spawn(work));
    }

    fn transfer(&mut self, id: LoadId, job: TransferJob) {
        let (net, messages) = (Arc::clone(&self.net), self.messages.clone());
        let settings = (self.sources.clone(), self.retry_policy);
        self.spawn(id, transfers::run(net, messages, id, job, settings));
    }

    /// Saves the reply to a form to a file.
    fn save_reply(&mut self, id: LoadId, reply: Document, to: PathBuf, made: PathBuf) {
        self.save(id, reply, Target::Free(to), Some(made));
    }

    /// Saves a document to a file. If `made` is given, this directory is created if it is missing, but no other.
    fn save(&mut self, id: LoadId, document: Document, target: Target, made: Option<PathBuf>) {
        let messages = self.messages.clone();
        self.spawn(id, async move {
            let saving = async {
                if let Some(made) = made {
                    external::check_directory(&target, &made).await?;
                }
                let saved = download::save(document.raw().blocks(), target).await;
                saved.map_err(|error| error.to_string())
            };
            let saved = match AssertUnwindSafe(saving).catch_unwind().await {
                Ok(saved) => saved,
                Err(_) => Err(panic_sentence("save", document.url())),
            };
            let _ = messages.send(Message::Transfers(TransferMessage::Downloaded(id, saved)));
        });
    }

    fn check(&mut self, id: LoadId, round: LinkCheckRequest) {
        let (net, messages) = (Arc::clone(&self.net), self.messages.clone());
        self.spawn(id, checks::check(net, messages, id, round));
    }

    fn watch(&mut self, id: LoadId, watching: WatchRequest) {
        let (net, messages) = (Arc::clone(&self.net), self.messages.clone());
        self.spawn(id, checks::fetch(net, messages, watching));
    }

    fn load(&mut self, id: LoadId, request: Request) {
        let (net, cache) = (Arc::clone(&self.net), Arc::clone(&self.cache));
        let parts = self.parts.clone();
        let typed = self.sessions.begin(id, &request);
        self.spawn(id, async move {
            let url = request.url.clone();
            let loading = async {
                match typed {
                    Some(typed) => {
                        run_session(&net, request, typed, Sink::new(id, parts.clone())).await;
                    }
                    None => page_cache::load(&net, &cache, request, id, parts.clone()).await,
                }
            };
            if AssertUnwindSafe(loading).catch_unwind().await.is_err() {
                // Without this the page would stay in the loading state.
                let failure = Failure::new(panic_sentence("load", &url));
                let _ = parts.send((id, Part::End(Err(failure.into())))).await;
            }
        });
    }

    /// Starts a job for a draft.
    fn write(&mut self, job: DraftJob) {
        let context = drafts::DraftContext {
            drafts: self.drafts.clone(),
            secret: self.secret.clone(),
            net: Arc::clone(&self.net),
            parts: self.parts.clone(),
        };
        let messages = self.messages.clone();
        let load = drafts::load_of(&job);
        let task = tokio::spawn(async move {
            let _ = messages.send(drafts::carry_out(context, job).await);
        });
        if let Some(load) = load {
            self.running.insert(load, task);
        }
    }

    /// Returns true if this is the last message of a load or a download, which cannot be cancelled any more.
    pub(super) fn has_ended(&mut self, message: &Message) -> bool {
        let (Message::Load(id, Part::End(_))
        | Message::Transfers(TransferMessage::Downloaded(id, _))
        | Message::Compose(DraftOutcome::Listed(id, _) | DraftOutcome::Sent(id, _))
        | Message::Transfers(TransferMessage::Ended(id, _))
        | Message::Bookmarks(BookmarkMessage::CheckEnded(id))
        | Message::Transfers(TransferMessage::Fetched(id, _))) = message
        else {
            return false;
        };
        self.running.remove(id);
        self.sessions.drop(*id);
        true
    }

    fn compute(&self, work: impl FnOnce() -> Message + Send + 'static) {
        let messages = self.messages.clone();
        tokio::task::spawn_blocking(move || {
            let _ = messages.send(work());
        });
    }

    pub(super) fn end(self, mut reports: Reports) -> JoinHandle<Vec<String>> {
        for task in self.running.into_values() {
            task.abort();
        }
        // From now on, a message returns to its sender as an error.
        reports.messages.close();
        tokio::spawn(unreported(reports.messages, self.saving))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::bookmarks::Store;
    use crate::net::Limits;
    use crate::ui::Theme;

    #[tokio::test(start_paused = true)]
    async fn marks_are_due_within_two_seconds() {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str| directory.path().join(name);
        let context = RunContext {
            net: Arc::new(Net::new(Limits::default())),
            theme: Theme::default(),
            bookmarks: Store::new(file("bookmarks.txt"), ""),
            trust: file("trust"),
            transfers: file("transfers"),
            checks: file("checks"),
            watched: file("watched"),
            drafts: file("drafts"),
            secret: file("secret"),
            sources: Sources::new(file("sources")),
            cache: Arc::new(Cache::new(file("cache"), 0)),
            retry_policy: RetryPolicy::default(),
        };
        let (mut tasks, mut reports) = Tasks::new(&context);
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
