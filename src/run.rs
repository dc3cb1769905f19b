//! The one loop: keys and reports in, effects out, a frame when something has changed.
//!
//! Keys come before reports, so that a flood never outruns the key that stops it; frames are at most sixty a second;
//! nothing ticks when nothing happens. The loop is generic over the terminal's backend and the stream of input, and
//! gives the state back: a test drives the real thing.

mod checks;
mod drafts;
pub mod kept;
mod outside;
mod sessions;
mod touched;
mod transfers;
mod writing;

use std::collections::HashMap;
use std::io;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::Event;
use futures_util::{FutureExt, Stream, StreamExt};
use ratatui::Terminal;
use ratatui::backend::Backend;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use self::sessions::Sessions;
use self::writing::{Files, Writing, unheard, write_all};
use crate::app::check::{Round, Watching};
use crate::app::write::{Errand, Outcome};
use crate::app::{App, Effect, Message};
use crate::document::find::find;
use crate::files::bookmarks::Store;
use crate::files::cache::Cache;
use crate::files::retry::Patience;
use crate::files::{download, keyring, mailcap};
use crate::load::{Failure, LoadId, Login, Part, Request, Sink, Stop, hold, rules};
use crate::net::Net;
use crate::ui::{self, Theme};
use crate::url::Url;

/// Between two frames at the least.
const FRAME: Duration = Duration::from_millis(16);

/// Parts that may wait for the loop, of all loads together; a load waits when they do.
const PARTS: usize = 64;

/// Parts taken before the next look for a key: looking costs more than taking one, and this many take a millisecond or
/// two.
const AT_ONCE: usize = 32;

/// What the loop stands on besides the state.
pub struct Ground {
    /// The way to the network.
    pub net: Arc<Net>,
    /// Colours and glyphs.
    pub theme: Theme,
    /// The bookmark file.
    pub bookmarks: Store,
    /// The certificates that a person has accepted.
    pub trust: PathBuf,
    /// The transfers that have not ended.
    pub transfers: PathBuf,
    /// What is known of the URLs of bookmarks.
    pub checks: PathBuf,
    /// What was seen at watched ones.
    pub watched: PathBuf,
    /// The directory of what is being written.
    pub drafts: PathBuf,
    /// Pages that are kept.
    pub cache: Arc<Cache>,
    /// How often a transfer is tried again, and when.
    pub patience: Patience,
}

/// What the browser has under way before its loop runs: what the start asked for need not wait for the terminal.
pub struct Started {
    tasks: Tasks,
    reports: Reports,
    theme: Theme,
    is_busy: bool,
}

impl Started {
    /// Starts what `effects` ask for; those that need a terminal are not for a start.
    pub fn new(ground: Ground, effects: Vec<Effect>) -> Self {
        let (mut tasks, reports) = Tasks::new(&ground);
        let is_load = |effect: &Effect| matches!(effect, Effect::Load(..));
        let is_busy = effects.iter().any(is_load);
        for effect in effects {
            tasks.start(effect);
        }
        Self {
            tasks,
            reports,
            theme: ground.theme,
            is_busy,
        }
    }
}

/// What only a real terminal can do.
pub trait Console {
    /// Puts text on the clipboard.
    fn copy(&mut self, text: &str) -> io::Result<()>;

    /// Gives the terminal back, stops the process, and takes the terminal again when the shell says go on.
    fn suspend(&mut self) -> io::Result<()>;

    /// Gives the terminal to another program until that has ended: the program, then its arguments.
    fn run(&mut self, arguments: &[String]) -> io::Result<ExitStatus>;
}

/// What is left when the loop has ended.
pub struct Ending {
    /// The last state.
    pub app: App,
    /// Writes to the user's files what is still to be written: to be awaited once the terminal is given back. Gives the
    /// sentences about what could not be written that nobody has seen.
    pub saving: JoinHandle<Vec<String>>,
}

/// Runs the browser until it is over; `terminate` ends it from outside.
///
/// # Errors
/// What the backend says when it cannot draw.
pub async fn run<B, I, C>(
    terminal: &mut Terminal<B>,
    mut input: I,
    console: &mut C,
    mut app: App,
    started: Started,
    terminate: impl Future<Output = ()>,
) -> Result<Ending, B::Error>
where
    B: Backend,
    I: Stream<Item = io::Result<Event>> + Unpin,
    C: Console,
{
    let start = Instant::now();
    let Started {
        mut tasks,
        mut reports,
        theme,
        is_busy,
    } = started;
    // What the start asked for may be here in no time: then the first frame is one with rows.
    let mut due = if is_busy { start + FRAME } else { start };
    let mut stale = true;
    tokio::pin!(terminate);
    let mut waiting = Vec::new();
    loop {
        let mut more = Vec::new();
        for effect in waiting.drain(..) {
            match effect {
                Effect::Redraw => redraw(terminal)?,
                Effect::Suspend => match console.suspend() {
                    Ok(()) => more.extend(resume(terminal, &mut app, start)?),
                    Err(error) => {
                        app.complain(&format!("the terminal could not be given back: {error}"));
                    }
                },
                Effect::Run(program) if program.in_terminal => {
                    let ran = outside::how(&program, console.run(&program.arguments));
                    more.extend(resume(terminal, &mut app, start)?);
                    app.ran(ran);
                }
                Effect::Write(Errand::Edit(program)) => {
                    let edited = drafts::edited(&program, console.run(&program.arguments));
                    more.extend(resume(terminal, &mut app, start)?);
                    let edited = Message::Written(Outcome::Edited(edited));
                    more.extend(app.update(edited, start.elapsed()));
                }
                Effect::Copy(text) => {
                    if let Err(error) = console.copy(&text) {
                        app.complain(&format!("the clipboard could not be reached: {error}"));
                    }
                }
                effect => tasks.start(effect),
            }
        }
        if app.is_over {
            break;
        }
        if !more.is_empty() {
            waiting = more;
            continue;
        }
        if stale && Instant::now() >= due {
            terminal.draw(|frame| ui::draw(&app, &theme, frame))?;
            stale = false;
            due = Instant::now() + FRAME;
        }
        let mut message = tokio::select! {
            biased;
            () = &mut terminate => Message::Terminate,
            event = input.next() => match event {
                Some(Ok(Event::Key(key))) => Message::Key(key),
                Some(Ok(Event::Paste(text))) => Message::Paste(text),
                Some(Ok(Event::Resize(width, height))) => Message::Resize(width, height),
                Some(Ok(Event::FocusGained | Event::FocusLost | Event::Mouse(_))) => continue,
                // The terminal has gone.
                Some(Err(_)) | None => Message::Terminate,
            },
            Some(message) = reports.messages.recv() => message,
            Some((id, part)) = reports.parts.recv() => Message::Part(id, part),
            () = tokio::time::sleep_until(due), if stale => continue,
        };
        stale = true;
        let mut taken = 0;
        loop {
            taken += 1;
            let is_part = matches!(message, Message::Part(..));
            let is_end = tasks.has_ended(&message);
            let was_blank = is_blank(&app);
            waiting.extend(app.update(message, start.elapsed()));
            // The first rows and the end are what a person waits for: they do not wait for their turn.
            let is_awaited = is_end || was_blank && !is_blank(&app);
            if is_awaited {
                due = Instant::now();
            }
            if is_awaited || !is_part || !waiting.is_empty() || taken == AT_ONCE {
                break;
            }
            match reports.parts.try_recv() {
                Ok((id, part)) => message = Message::Part(id, part),
                Err(_) => break,
            }
        }
    }
    Ok(Ending {
        app,
        saving: tasks.end(reports),
    })
}

/// Whether the page with the focus has no row to show yet.
fn is_blank(app: &App) -> bool {
    app.page().is_none_or(|page| page.count() == 0)
}

/// After the terminal was somebody else's: only what is in the foreground hears of a new size.
fn resume<B: Backend>(
    terminal: &mut Terminal<B>,
    app: &mut App,
    start: Instant,
) -> Result<Vec<Effect>, B::Error> {
    let size = terminal.size()?;
    let resize = Message::Resize(size.width, size.height);
    let effects = app.update(resize, start.elapsed());
    redraw(terminal)?;
    Ok(effects)
}

/// Every cell is sent again. `Terminal::clear` would ask the terminal where its cursor is, and the answer would come
/// as input.
fn redraw<B: Backend>(terminal: &mut Terminal<B>) -> Result<(), B::Error> {
    let size = terminal.size()?;
    terminal.resize(ratatui::layout::Rect::from((
        ratatui::layout::Position::ORIGIN,
        size,
    )))
}

/// What tasks report to the loop.
struct Reports {
    parts: mpsc::Receiver<(LoadId, Part)>,
    messages: mpsc::UnboundedReceiver<Message>,
}

/// What is under way.
struct Tasks {
    net: Arc<Net>,
    cache: Arc<Cache>,
    drafts: PathBuf,
    /// Of what is known of bookmarks, and of what was seen of the watched ones.
    known: (PathBuf, PathBuf),
    parts: mpsc::Sender<(LoadId, Part)>,
    messages: mpsc::UnboundedSender<Message>,
    /// Loads and downloads that can be dropped.
    running: HashMap<LoadId, JoinHandle<()>>,
    patience: Patience,
    sessions: Sessions,
    /// What is to be written to the user's files, one after the other.
    writings: mpsc::UnboundedSender<Writing>,
    saving: JoinHandle<Vec<String>>,
    /// Tells of edits of the bookmark file, as long as it lives.
    _watcher: Option<notify::RecommendedWatcher>,
}

impl Tasks {
    fn new(ground: &Ground) -> (Self, Reports) {
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
        let watcher = touched::watch(ground.bookmarks.path(), messages.clone());
        let net = Arc::clone(&ground.net);
        let tasks = Self {
            net,
            cache: Arc::clone(&ground.cache),
            drafts: ground.drafts.clone(),
            known: (ground.checks.clone(), ground.watched.clone()),
            parts,
            messages,
            running: HashMap::new(),
            patience: ground.patience,
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
    fn start(&mut self, effect: Effect) {
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
            Effect::Sift(work, search) => {
                self.compute(move || Message::Sifted(work, Box::new(search.run())));
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
            Effect::Transfer(id, job) => {
                let (net, messages) = (Arc::clone(&self.net), self.messages.clone());
                let running = transfers::run(net, messages, id, *job, self.patience);
                self.running.insert(id, tokio::spawn(running));
            }
            Effect::Transfers(was, now) => self.put(Writing::Transfers(was, now)),
            Effect::Forget(id, order) => {
                let running = id.and_then(|id| self.running.remove(&id));
                outside::report(&self.messages, transfers::forget(running, order));
            }
            Effect::Save(id, document, target) => {
                let messages = self.messages.clone();
                let task = tokio::spawn(async move {
                    let saving = download::save(document.raw().blocks(), target);
                    let saved = match AssertUnwindSafe(saving).catch_unwind().await {
                        Ok(saved) => saved.map_err(|error| error.to_string()),
                        Err(_) => Err(own_fault("save", document.url())),
                    };
                    let _ = messages.send(Message::Downloaded(id, saved));
                });
                self.running.insert(id, task);
            }
            Effect::Marks(server, path, changes) => self.put(Writing::Marks(server, path, changes)),
            Effect::Rule(path, group, rule) => self.put(Writing::Rule(path, group, rule)),
            Effect::KeepPage(head, document) => {
                let cache = Arc::clone(&self.cache);
                self.compute(move || kept::keep(&cache, &head, &document));
            }
            Effect::Offline(offline) => self.net.set_offline(offline),
            Effect::Write(errand) => self.write(errand),
            // The loop carries these out itself.
            Effect::Copy(_) | Effect::Redraw | Effect::Suspend => {}
        }
    }

    /// Has something written down. Nobody does so any more once the loop has ended.
    fn put(&self, writing: Writing) {
        let _ = self.writings.send(writing);
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
                    None => kept::load(&net, &cache, request, id, parts.clone()).await,
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

    /// An errand for what is being written.
    fn write(&mut self, errand: Errand) {
        let desk = drafts::Desk {
            drafts: self.drafts.clone(),
            net: Arc::clone(&self.net),
            parts: self.parts.clone(),
        };
        let messages = self.messages.clone();
        let load = drafts::load_of(&errand);
        let task = tokio::spawn(async move {
            let _ = messages.send(drafts::carry_out(desk, errand).await);
        });
        if let Some(load) = load {
            self.running.insert(load, task);
        }
    }

    /// Whether this is a load's or a download's last word; it cannot be dropped any more then.
    fn has_ended(&mut self, message: &Message) -> bool {
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

    fn end(self, mut reports: Reports) -> JoinHandle<Vec<String>> {
        for task in self.running.into_values() {
            task.abort();
        }
        // What is sent from now on comes back to who sends it.
        reports.messages.close();
        tokio::spawn(unheard(reports.messages, self.saving))
    }
}

/// What is said when a task has panicked: a mistake of ours, and no server's.
fn own_fault(deed: &str, url: &Url) -> String {
    let address = url.masked();
    format!("Geomys itself failed to {deed} {address}: that is a mistake in Geomys")
}

/// Why a download ended, in one sentence.
pub fn sentence(error: &download::Error) -> String {
    let download::Error::Stopped { stop, part } = error else {
        return error.to_string();
    };
    let why = match &**stop {
        Stop::Failed(failure) => failure.sentence.clone(),
        Stop::Needs(question) => question.unanswered(),
        Stop::Cut(_) | Stop::Unheard => "it was stopped".to_owned(),
    };
    match part {
        Some(part) => format!("not saved: {why}; what came is in {}", part.display()),
        None => format!("not saved: {why}"),
    }
}
