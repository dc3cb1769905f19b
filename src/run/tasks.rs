//! What is under way: every effect that takes its time is a task, or waits for the one that writes.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::file_writer::{Files, Writing, unheard, write_all};
use super::sessions::Sessions;
use super::{
    Ground, PARTS, checks, drafts, file_watcher, outside, own_fault, page_cache, transfers,
};
use crate::app::check::{Round, Watching};
use crate::app::news::SOON;
use crate::app::transfers::Job;
use crate::app::write::{DraftJob, Outcome};
use crate::app::{Effect, Message};
use crate::document::Document;
use crate::document::find::find;
use crate::files::cache::Cache;
use crate::files::download::Target;
use crate::files::retry::Patience;
use crate::files::sources::Sources;
use crate::files::{download, keyring, mailcap};
use crate::load::{Failure, LoadId, Login, Part, Request, Sink, hold, rules};
use crate::net::Net;

/// What tasks report to the loop.
pub(super) struct Reports {
    pub(super) parts: mpsc::Receiver<(LoadId, Part)>,
    pub(super) messages: mpsc::UnboundedReceiver<Message>,
}

/// What is under way.
pub(super) struct Tasks {
    net: Arc<Net>,
    cache: Arc<Cache>,
    drafts: PathBuf,
    secret: PathBuf,
    /// Of what is known of bookmarks, and of what was seen of the watched ones.
    known: (PathBuf, PathBuf),
    parts: mpsc::Sender<(LoadId, Part)>,
    messages: mpsc::UnboundedSender<Message>,
    /// Loads and downloads that can be dropped.
    running: HashMap<LoadId, JoinHandle<()>>,
    patience: Patience,
    sources: Sources,
    sessions: Sessions,
    /// What is to be written to the user's files, one after the other.
    writings: mpsc::UnboundedSender<Writing>,
    saving: JoinHandle<Vec<String>>,
    /// Tells of edits of the bookmark file, as long as it lives.
    _watcher: Option<notify::RecommendedWatcher>,
}

impl Tasks {
    pub(super) fn new(ground: &Ground) -> (Self, Reports) {
        let (parts, part_reports) = mpsc::channel(PARTS);
        let (messages, message_reports) = mpsc::unbounded_channel();
        let (writings, wanted) = mpsc::unbounded_channel();
        let files = Files {
            bookmarks: ground.bookmarks.clone(),
            trust: ground.trust.clone(),
            transfers: ground.transfers.clone(),
            checks: ground.checks.clone(),
            watched: ground.watched.clone(),
        };
        let saving = tokio::spawn(write_all(files, wanted, messages.clone()));
        let watcher = file_watcher::watch(ground.bookmarks.path(), messages.clone());
        let net = Arc::clone(&ground.net);
        let tasks = Self {
            net,
            cache: Arc::clone(&ground.cache),
            drafts: ground.drafts.clone(),
            secret: ground.secret.clone(),
            known: (ground.checks.clone(), ground.watched.clone()),
            parts,
            messages,
            running: HashMap::new(),
            patience: ground.patience,
            sources: ground.sources.clone(),
            sessions: Sessions::default(),
            writings,
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

    /// Starts what an effect asks for. Nobody listens for what is sent once the loop has ended.
    pub(super) fn start(&mut self, effect: Effect) {
        match effect {
            Effect::Load(id, request) => self.load(id, request),
            Effect::Say(id, typed) => self.sessions.say(id, typed),
            Effect::Drop(id) => {
                self.sessions.drop(id);
                if let Some(task) = self.running.remove(&id) {
                    task.abort();
                }
            }
            Effect::Finish(work, document) => {
                self.compute(move || Message::Finished(work, document.finished()));
            }
            Effect::Arrange(work, document, wanted) => {
                self.compute(move || Message::Finished(work, document.arranged(wanted)));
            }
            Effect::Find(work, document, needle, from, direction) => {
                self.compute(move || {
                    Message::Found(work, find(&document, &needle, from, direction))
                });
            }
            Effect::Bookmarks(history, change, known) => {
                self.put(Writing::Bookmarks(history, change, known));
            }
            Effect::ReadBookmarks(known) => self.put(Writing::ReadBookmarks(known)),
            Effect::FilterBookmarks(work, search) => {
                self.compute(move || Message::Filtered(work, Box::new(search.run())));
            }
            Effect::Known => {
                let (checks, watched) = self.known.clone();
                self.compute(move || checks::known(&checks, &watched));
            }
            Effect::Check(id, round) => self.check(id, *round),
            Effect::Watch(id, watching) => self.watch(id, *watching),
            Effect::Findings(findings, bookmarks) => {
                self.put(Writing::Findings(findings, bookmarks));
            }
            Effect::Seen(events) => self.put(Writing::Seen(events)),
            Effect::Pin(place, fingerprint) => self.put(Writing::Pin(place, fingerprint)),
            Effect::Read(work, path) => {
                outside::report(&self.messages, outside::read(work, path));
            }
            Effect::Keyring(work, place, user) => {
                outside::report(&self.messages, async move {
                    let password = keyring::password(&place, &user).await;
                    Message::Keyring(work, password.map(|password| Login::new(user, password)))
                });
            }
            Effect::Keep(place, login) => outside::report(&self.messages, async move {
                let password = login.password.unwrap_or_default();
                Message::Kept(keyring::keep(&place, &login.user, &password).await)
            }),
            Effect::Rules(work, host, caps) => {
                let net = Arc::clone(&self.net);
                outside::report(&self.messages, async move {
                    let rules = rules(&net, &caps).await;
                    Message::Rules(work, host, rules)
                });
            }
            Effect::Viewers(paths) => {
                self.compute(move || Message::Viewers(mailcap::read(&paths)));
            }
            Effect::Run(program) => self.compute(move || Message::Ran(outside::run(&program))),
            Effect::Fetch(id, request, name) => {
                let (net, messages) = (Arc::clone(&self.net), self.messages.clone());
                let fetching = outside::fetch(net, messages, id, request, name);
                self.running.insert(id, tokio::spawn(fetching));
            }
            Effect::Transfer(id, job) => self.transfer(id, *job),
            Effect::Destination(directory, url, base) => {
                let sources = self.sources.clone();
                self.compute(move || {
                    Message::Destination(directory, sources.destination(&base, &url))
                });
            }
            Effect::Transfers(was, now) => self.put(Writing::Transfers(was, now)),
            Effect::Forget(id, order) => {
                let running = id.and_then(|id| self.running.remove(&id));
                outside::report(&self.messages, transfers::forget(running, order));
            }
            Effect::Save(id, document, target) => self.save(id, document, target, None),
            Effect::SaveReply(id, page, to, made) => self.save_reply(id, page, to, made),
            Effect::Marks(server, path, changes) => self.put(Writing::Marks(server, path, changes)),
            Effect::Folds(server, path, changes) => self.put(Writing::Folds(server, path, changes)),
            Effect::MarksSoon => outside::report(&self.messages, async {
                tokio::time::sleep(SOON).await;
                Message::MarksDue
            }),
            Effect::Rule(path, group, rule) => self.put(Writing::Rule(path, group, rule)),
            Effect::KeepPage(head, document) => {
                let cache = Arc::clone(&self.cache);
                self.compute(move || page_cache::keep(&cache, &head, &document));
            }
            Effect::Offline(offline) => self.net.set_offline(offline),
            Effect::Write(job) => self.write(job),
            // The loop carries these out itself.
            Effect::Copy(_) | Effect::Redraw | Effect::Suspend => {}
        }
    }

    /// Has something written down. Nobody does so any more once the loop has ended.
    fn put(&self, writing: Writing) {
        let _ = self.writings.send(writing);
    }

    fn transfer(&mut self, id: LoadId, job: Job) {
        let (net, messages) = (Arc::clone(&self.net), self.messages.clone());
        let settings = (self.sources.clone(), self.patience);
        let running = transfers::run(net, messages, id, job, settings);
        self.running.insert(id, tokio::spawn(running));
    }

    /// Writes the reply to a form to a file.
    fn save_reply(&mut self, id: LoadId, reply: Document, to: PathBuf, made: PathBuf) {
        self.save(id, reply, Target::Free(to), Some(made));
    }

    /// Writes a document to a file. Where `made` is given, that directory alone is made if it is missing.
    fn save(&mut self, id: LoadId, document: Document, target: Target, made: Option<PathBuf>) {
        let messages = self.messages.clone();
        let task = tokio::spawn(async move {
            let saving = async {
                if let Some(made) = made {
                    outside::has_directory(&target, &made).await?;
                }
                let saved = download::save(document.raw().blocks(), target).await;
                saved.map_err(|error| error.to_string())
            };
            let saved = match AssertUnwindSafe(saving).catch_unwind().await {
                Ok(saved) => saved,
                Err(_) => Err(own_fault("save", document.url())),
            };
            let _ = messages.send(Message::Downloaded(id, saved));
        });
        self.running.insert(id, task);
    }

    fn check(&mut self, id: LoadId, round: Round) {
        let (net, messages) = (Arc::clone(&self.net), self.messages.clone());
        let task = tokio::spawn(checks::check(net, messages, id, round));
        self.running.insert(id, task);
    }

    fn watch(&mut self, id: LoadId, watching: Watching) {
        let (net, messages) = (Arc::clone(&self.net), self.messages.clone());
        let task = tokio::spawn(checks::fetch(net, messages, watching));
        self.running.insert(id, task);
    }

    fn load(&mut self, id: LoadId, request: Request) {
        let (net, cache) = (Arc::clone(&self.net), Arc::clone(&self.cache));
        let parts = self.parts.clone();
        let typed = self.sessions.begin(id, &request);
        let task = tokio::spawn(async move {
            let url = request.url.clone();
            let loading = async {
                match typed {
                    Some(typed) => hold(&net, request, typed, Sink::new(id, parts.clone())).await,
                    None => page_cache::load(&net, &cache, request, id, parts.clone()).await,
                }
            };
            if AssertUnwindSafe(loading).catch_unwind().await.is_err() {
                // Else the page would arrive for ever.
                let failure = Failure::new(own_fault("load", &url));
                let _ = parts.send((id, Part::End(Err(failure.into())))).await;
            }
        });
        self.running.insert(id, task);
    }

    /// An job for what is being written.
    fn write(&mut self, job: DraftJob) {
        let desk = drafts::Desk {
            drafts: self.drafts.clone(),
            secret: self.secret.clone(),
            net: Arc::clone(&self.net),
            parts: self.parts.clone(),
        };
        let messages = self.messages.clone();
        let load = drafts::load_of(&job);
        let task = tokio::spawn(async move {
            let _ = messages.send(drafts::carry_out(desk, job).await);
        });
        if let Some(load) = load {
            self.running.insert(load, task);
        }
    }

    /// Whether this is a load's or a download's last word; it cannot be dropped any more then.
    pub(super) fn has_ended(&mut self, message: &Message) -> bool {
        let (Message::Part(id, Part::End(_))
        | Message::Downloaded(id, _)
        | Message::Written(Outcome::Listed(id, _) | Outcome::Sent(id, _))
        | Message::Transferred(id, _)
        | Message::CheckEnded(id)
        | Message::Fetched(id, _)) = message
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
        // What is sent from now on comes back to who sends it.
        reports.messages.close();
        tokio::spawn(unheard(reports.messages, self.saving))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::files::bookmarks::Store;
    use crate::net::Limits;
    use crate::ui::Theme;

    #[tokio::test(start_paused = true)]
    async fn marks_are_due_within_two_seconds() {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str| directory.path().join(name);
        let ground = Ground {
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
            patience: Patience::default(),
        };
        let (mut tasks, mut reports) = Tasks::new(&ground);
        tasks.start(Effect::MarksSoon);
        let idle = tokio::time::timeout(SOON / 2, reports.messages.recv()).await;
        assert!(idle.is_err(), "changes are collected first: {idle:?}");
        let due = tokio::time::timeout(Duration::from_secs(1), reports.messages.recv()).await;
        assert!(matches!(due, Ok(Some(Message::MarksDue))), "{due:?}");
        assert!(reports.messages.try_recv().is_err(), "once");
    }
}
