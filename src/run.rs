//! The one loop: keys and reports in, effects out, a frame when something has changed.
//!
//! Keys come before reports, so that a flood never outruns the key that stops it; frames are at most sixty a second;
//! nothing ticks when nothing happens. The loop is generic over the terminal's backend and the stream of input, and
//! gives the state back: a test drives the real thing.

mod checks;
mod drafts;
mod file_watcher;
mod file_writer;
mod outside;
pub mod page_cache;
mod sending;
mod sessions;
mod tasks;
mod transfers;

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::Event;
use futures_util::{FutureExt, Stream, StreamExt};
use ratatui::Terminal;
use ratatui::backend::Backend;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use self::tasks::{Reports, Tasks};
use crate::app::outside::Program;
use crate::app::write::{DraftJob, Outcome};
use crate::app::{App, Effect, Message};
use crate::files::bookmarks::Store;
use crate::files::cache::Cache;
use crate::files::download;
use crate::files::retry::Patience;
use crate::files::sources::Sources;
use crate::load::Stop;
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
    /// Where the files of downloaded directories came from.
    pub sources: Sources,
    /// What is known of the URLs of bookmarks.
    pub checks: PathBuf,
    /// What was seen at watched ones.
    pub watched: PathBuf,
    /// The directory of what is being written.
    pub drafts: PathBuf,
    /// The file of the secret for Cancel-Locks.
    pub secret: PathBuf,
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

    /// Gives the terminal to another program until that has ended: the program, then its arguments. Where `terminate` comes
    /// first, the program is told to end, and nothing is given.
    fn run(
        &mut self,
        arguments: &[String],
        terminate: impl Future<Output = ()> + Send,
    ) -> impl Future<Output = io::Result<Option<ExitStatus>>> + Send;
}

/// What is left when the loop has ended.
pub struct Ending {
    /// The last state.
    pub app: App,
    /// Writes to the user's files what is still to be written: to be awaited before the terminal is given back. Gives the
    /// sentences about what could not be written that nobody has seen.
    pub saving: JoinHandle<Vec<String>>,
}

/// Runs the browser until it is over; `terminate` ends it from outside, as a terminal does that cannot be drawn on. What
/// is unsaved is written in both cases.
pub async fn run<B, I, C>(
    terminal: &mut Terminal<B>,
    input: I,
    console: &mut C,
    app: App,
    started: Started,
    terminate: impl Future<Output = ()> + Send,
) -> (Ending, Result<(), B::Error>)
where
    B: Backend,
    I: Stream<Item = io::Result<Event>> + Unpin,
    C: Console,
{
    let start = Instant::now();
    // What the start asked for may be here in no time: then the first frame is one with rows.
    let due = if started.is_busy {
        start + FRAME
    } else {
        start
    };
    let mut browser = Browser {
        app,
        tasks: started.tasks,
        reports: started.reports,
        start,
        waiting: VecDeque::new(),
    };
    let terminate = terminate.fuse();
    tokio::pin!(terminate);
    let theme = &started.theme;
    let drawn = browser
        .run(terminal, input, console, theme, due, terminate)
        .await;
    if drawn.is_err() {
        browser.update(Message::Terminate);
        browser.start_waiting();
    }
    let ending = Ending {
        app: browser.app,
        saving: browser.tasks.end(browser.reports),
    };
    (ending, drawn)
}

/// The state, and what is under way.
struct Browser {
    app: App,
    tasks: Tasks,
    reports: Reports,
    start: Instant,
    /// Effects that are still to be carried out.
    waiting: VecDeque<Effect>,
}

impl Browser {
    async fn run<B: Backend, C: Console>(
        &mut self,
        terminal: &mut Terminal<B>,
        mut input: impl Stream<Item = io::Result<Event>> + Unpin,
        console: &mut C,
        theme: &Theme,
        mut due: Instant,
        mut terminate: Pin<&mut (impl Future<Output = ()> + Send)>,
    ) -> Result<(), B::Error> {
        let mut stale = true;
        loop {
            self.carry_out(terminal, console, terminate.as_mut())
                .await?;
            if self.app.is_over {
                return Ok(());
            }
            if stale && Instant::now() >= due {
                terminal.draw(|frame| ui::draw(&self.app, theme, frame))?;
                stale = false;
                due = Instant::now() + FRAME;
            }
            let message = tokio::select! {
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
                Some(message) = self.reports.messages.recv() => message,
                Some((id, part)) = self.reports.parts.recv() => Message::Part(id, part),
                () = tokio::time::sleep_until(due), if stale => continue,
            };
            stale = true;
            if self.take(message) {
                due = Instant::now();
            }
        }
    }

    /// Takes a message, and of parts as many as are here and do not keep a key waiting. Gives whether a person waits for
    /// what they bring: the first rows and the end do not wait for their turn.
    fn take(&mut self, message: Message) -> bool {
        let mut message = message;
        let mut taken = 0;
        loop {
            taken += 1;
            let is_part = matches!(message, Message::Part(..));
            let is_end = self.tasks.has_ended(&message);
            let was_blank = is_blank(&self.app);
            self.update(message);
            let is_awaited = is_end || was_blank && !is_blank(&self.app);
            if is_awaited || !is_part || !self.waiting.is_empty() || taken == AT_ONCE {
                return is_awaited;
            }
            match self.reports.parts.try_recv() {
                Ok((id, part)) => message = Message::Part(id, part),
                Err(_) => return false,
            }
        }
    }

    fn update(&mut self, message: Message) {
        let effects = self.app.update(message, self.start.elapsed());
        self.waiting.extend(effects);
    }

    /// Carries out the effects that wait, and those that they lead to.
    async fn carry_out<B: Backend, C: Console>(
        &mut self,
        terminal: &mut Terminal<B>,
        console: &mut C,
        mut terminate: Pin<&mut (impl Future<Output = ()> + Send)>,
    ) -> Result<(), B::Error> {
        while let Some(effect) = self.waiting.pop_front() {
            if self.app.is_over {
                self.waiting.push_front(effect);
                self.start_waiting();
                return Ok(());
            }
            match effect {
                Effect::Redraw => redraw(terminal)?,
                Effect::Suspend => match console.suspend() {
                    Ok(()) => self.resume(terminal)?,
                    Err(error) => {
                        let sentence = format!("the terminal could not be given back: {error}");
                        self.app.complain(&sentence);
                    }
                },
                Effect::Run(program) if program.in_terminal => {
                    if let Some(status) = self.lend(console, &program, terminate.as_mut()).await {
                        self.resume(terminal)?;
                        self.app.ran(outside::how(&program, status));
                    }
                }
                Effect::Write(DraftJob::Edit(program)) => {
                    if let Some(status) = self.lend(console, &program, terminate.as_mut()).await {
                        self.resume(terminal)?;
                        let edited = drafts::edited(&program, status);
                        self.update(Message::Written(Outcome::Edited(edited)));
                    }
                }
                Effect::Copy(text) => {
                    if let Err(error) = console.copy(&text) {
                        let sentence = format!("the clipboard could not be reached: {error}");
                        self.app.complain(&sentence);
                    }
                }
                effect => self.tasks.start(effect),
            }
        }
        Ok(())
    }

    /// Starts the effects that wait and need no terminal.
    fn start_waiting(&mut self) {
        for effect in std::mem::take(&mut self.waiting) {
            if !needs_terminal(&effect) {
                self.tasks.start(effect);
            }
        }
    }

    /// Gives the terminal to a program until that ends. Reports are taken meanwhile, so that loads go on. Gives nothing where
    /// the browser is terminated meanwhile.
    async fn lend<C: Console>(
        &mut self,
        console: &mut C,
        program: &Program,
        terminate: Pin<&mut (impl Future<Output = ()> + Send)>,
    ) -> Option<io::Result<ExitStatus>> {
        let running = console.run(&program.arguments, terminate);
        tokio::pin!(running);
        loop {
            let message = tokio::select! {
                biased;
                status = &mut running => match status.transpose() {
                    None => {
                        self.update(Message::Terminate);
                        return None;
                    }
                    status => return status,
                },
                Some(message) = self.reports.messages.recv() => message,
                Some((id, part)) = self.reports.parts.recv() => Message::Part(id, part),
            };
            self.tasks.has_ended(&message);
            for effect in self.app.update(message, self.start.elapsed()) {
                if needs_terminal(&effect) {
                    self.waiting.push_back(effect);
                } else {
                    self.tasks.start(effect);
                }
            }
        }
    }

    /// After the terminal was somebody else's: only what is in the foreground hears of a new size.
    fn resume<B: Backend>(&mut self, terminal: &mut Terminal<B>) -> Result<(), B::Error> {
        let size = terminal.size()?;
        self.update(Message::Resize(size.width, size.height));
        redraw(terminal)
    }
}

/// Whether only the loop can carry an effect out, as it has the terminal.
fn needs_terminal(effect: &Effect) -> bool {
    match effect {
        Effect::Redraw | Effect::Suspend | Effect::Copy(_) | Effect::Write(DraftJob::Edit(_)) => {
            true
        }
        Effect::Run(program) => program.in_terminal,
        _ => false,
    }
}

/// Whether the page with the focus has no row to show yet.
fn is_blank(app: &App) -> bool {
    app.page().is_none_or(|page| page.count() == 0)
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

/// What is said when a task has panicked: a mistake of ours, and no server's.
fn own_fault(problem: &str, url: &Url) -> String {
    let address = url.masked();
    format!("Geomys itself failed to {problem} {address}: that is a mistake in Geomys")
}

/// Why a download ended, in one sentence.
pub fn sentence(error: &download::Error) -> String {
    let download::Error::Stopped { stop, part } = error else {
        return error.to_string();
    };
    let why = match &**stop {
        Stop::Failed(failure) => failure.sentence.clone(),
        Stop::Needs(question) => question.unanswered(),
        Stop::Cut(_) | Stop::Closed => "it was stopped".to_owned(),
    };
    match part {
        Some(part) => format!("not saved: {why}; what came is in {}", part.display()),
        None => format!("not saved: {why}"),
    }
}
