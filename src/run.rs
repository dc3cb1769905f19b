//! The main loop: it takes keys and reports, carries out effects, and draws a frame after a change.
//!
//! Keys come before reports, so that many reports never delay the key that stops them. There are at most sixty frames a
//! second, and no timer runs without need. The loop is generic over the terminal's backend and the stream of input, and
//! returns the state, so that tests run the real loop.

mod bulk_jobs;
mod cached_group;
mod card;
mod drafts;
mod effects;
mod external;
mod file_watcher;
mod file_writer;
mod frame;
mod later;
mod launch;
pub(crate) mod library;
mod mirrored;
pub mod page_cache;
mod pipe;
mod reports;
mod search;
mod site;
pub(crate) mod sync;
mod tasks;
pub mod terminal_input;
mod transfers;
mod turn;

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::process::ExitStatus;

use crossterm::event::Event;
use futures_util::{FutureExt, Stream, StreamExt};
use geomys_wire::task::blocking;
use ratatui::Terminal;
use ratatui::backend::Backend;
use tokio::task::{JoinHandle, yield_now};
use tokio::time::Instant;

use self::external::TextFile;
pub use self::file_watcher::ReadConfig;
pub use self::frame::Console;
use self::frame::{Pixels, graphics, redraw};
use self::launch::Later;
pub use self::launch::{Launch, RunContext};
use self::reports::FRAME;
pub use self::reports::sentence;
use self::tasks::{Reports, Tasks};
use self::terminal_input::Input;
use self::turn::{Step, Turn};
use crate::ui::{self, Theme};
use geomys_app::compose::message::{DraftJob, DraftOutcome};
use geomys_app::tabs::message::Program;
use geomys_app::{App, BookmarkMessage, Effect, FileLine, Message};

/// The capacity of the channel for parts of all loads. A load waits while the channel is full.
const PARTS: usize = 8;

/// The result of the main loop.
pub struct RunOutcome {
    /// The final state.
    pub app: App,
    /// Writes the unsaved changes to the user's files; to be awaited before the terminal is restored. Returns the error
    /// messages that were not displayed.
    pub saving: JoinHandle<Vec<String>>,
}

/// Runs the browser until the user quits. `terminate` ends it from outside, as does an error of the terminal. Unsaved
/// changes are written in all cases.
pub async fn run<B, I, C>(
    terminal: &mut Terminal<B>,
    input: I,
    console: &mut C,
    launch: Launch,
    terminate: impl Future<Output = ()> + Send,
) -> (RunOutcome, Result<(), B::Error>)
where
    B: Backend,
    I: Stream<Item = io::Result<Input>> + Unpin,
    C: Console,
{
    let mut browser = Browser {
        app: launch.app,
        tasks: launch.tasks,
        reports: launch.reports,
        start: Instant::now(),
        waiting: VecDeque::new(),
        later: Some(launch.later),
        pixels: Pixels::default(),
        turn: Turn::default(),
        is_background_asked: false,
    };
    let terminate = terminate.fuse();
    tokio::pin!(terminate);
    let mut theme = launch.theme;
    // A terminal that cannot be written to ends the loop at the first frame.
    browser.is_background_asked =
        theme.needs_background() && console.ask_background().unwrap_or(false);
    let drawn = browser
        .run(terminal, input, console, &mut theme, terminate)
        .await;
    if drawn.is_err() {
        browser.update(Message::Terminate);
        browser.start_waiting();
    }
    let ending = RunOutcome {
        app: browser.app,
        saving: browser.tasks.end(browser.reports),
    };
    (ending, drawn)
}

/// The state and the running tasks.
struct Browser {
    app: App,
    tasks: Tasks,
    reports: Reports,
    start: Instant,
    /// The effects that are not carried out yet.
    waiting: VecDeque<Effect>,
    /// What waits for the first frame, until then.
    later: Option<Later>,
    pixels: Pixels,
    /// The work since the loop has looked for a key.
    turn: Turn,
    /// True if the terminal was asked for its background.
    is_background_asked: bool,
}

impl Browser {
    async fn run<B: Backend, C: Console>(
        &mut self,
        terminal: &mut Terminal<B>,
        mut input: impl Stream<Item = io::Result<Input>> + Unpin,
        console: &mut C,
        theme: &mut Theme,
        mut terminate: Pin<&mut (impl Future<Output = ()> + Send)>,
    ) -> Result<(), B::Error> {
        let (mut stale, mut due) = (true, self.start);
        loop {
            self.carry_out(terminal, console, theme, terminate.as_mut())
                .await?;
            if self.app.cx.should_exit {
                return Ok(());
            }
            if stale && Instant::now() >= due {
                let step = Step::draw();
                theme.set_name(self.app.cx.settings.theme);
                console.set_frame(true);
                let drawn = self.pixels.draw(terminal, console, (&self.app, theme));
                console.set_frame(false);
                self.app.mouse.regions = drawn?.regions;
                self.app.dialogs.drawn();
                console.set_title(&ui::window_title(&self.app));
                self.start_later();
                self.follow_graphics_policy(console, theme);
                stale = false;
                due = Instant::now() + FRAME;
                self.turn.add(step);
            }
            self.turn.end();
            // The runtime learns of a key only when the loop waits, which it never does while parts come in fast.
            yield_now().await;
            let message = tokio::select! {
                biased;
                () = &mut terminate => Message::Terminate,
                event = input.next() => match event {
                    Some(Ok(Input::Background(background))) => {
                        if self.is_background_asked {
                            theme.set_background(background);
                            stale = true;
                        }
                        continue;
                    }
                    Some(Ok(Input::Stop)) => {
                        self.waiting.push_back(Effect::Suspend);
                        continue;
                    }
                    Some(Ok(Input::Continue)) => {
                        match console.resume() {
                            Ok(()) => self.resume(terminal)?,
                            Err(_) => self.update(Message::Terminate),
                        }
                        stale = true;
                        continue;
                    }
                    Some(Ok(input)) => match self.message(input, console) {
                        Some(message) => message,
                        None => continue,
                    },
                    // The terminal is closed.
                    Some(Err(_)) | None => Message::Terminate,
                },
                Some(message) = self.reports.messages.recv() => message,
                Some(config) = self.reports.configs.changed.recv() => {
                    self.tasks.net.set_rate_limit(config.settings.transfers.rate);
                    file_watcher::apply(*config, theme)
                }
                Some((id, part)) = self.reports.parts.recv() => Message::Load(id, part),
                () = tokio::time::sleep_until(due), if stale => continue,
            };
            stale = true;
            if self.take(message) {
                due = Instant::now();
            }
        }
    }

    /// Returns the message of an input; `None` if it has none.
    fn message(&mut self, input: Input, console: &impl Console) -> Option<Message> {
        let event = match input {
            Input::Event(event) => event,
            Input::Graphics(protocol) if self.pixels.is_asked() => {
                return Some(graphics(Some(protocol), console));
            }
            Input::Navigate(forward) => return Some(Message::Navigate(forward)),
            Input::Graphics(_) | Input::Background(_) | Input::Stop | Input::Continue => {
                return None;
            }
        };
        Some(match event {
            Event::Key(key) => Message::Key(key),
            Event::Paste(text) => Message::Paste(text),
            Event::Resize(width, height) => {
                self.resized(console);
                Message::Resize(width, height)
            }
            Event::Mouse(event) => Message::Mouse(event),
            Event::FocusGained | Event::FocusLost => return None,
        })
    }

    /// Starts what waits for the first frame, once.
    fn start_later(&mut self) {
        let Some(later) = self.later.take() else {
            return;
        };
        self.tasks.workers.start(later.threads);
        if let Some(watch) = later.watch {
            self.tasks.workers.spawn(watch);
        }
        for effect in later.effects {
            self.tasks.start(effect);
        }
        self.tasks.start_watchers();
        self.reports.configs.start();
    }

    /// Handles a message, and further available parts until the loop has to look for a key. Returns true if the result
    /// is to be drawn at once: the first rows, and the end of a load.
    fn take(&mut self, message: Message) -> bool {
        let mut message = message;
        loop {
            let is_part = matches!(message, Message::Load(..));
            let is_end = self.tasks.has_ended(&message);
            let was_blank = is_blank(&self.app);
            self.update(message);
            let is_awaited = is_end || was_blank && !is_blank(&self.app);
            if is_awaited || !is_part || !self.waiting.is_empty() || self.turn.is_over() {
                return is_awaited;
            }
            match self.reports.parts.try_recv() {
                Ok((id, part)) => message = Message::Load(id, part),
                Err(_) => return false,
            }
        }
    }

    fn update(&mut self, message: Message) {
        let step = Step::message(&message);
        let effects = self.app.update(message, self.start.elapsed());
        self.waiting.extend(effects);
        self.turn.add(step);
    }

    /// Carries out the waiting effects, and those that they cause.
    async fn carry_out<B: Backend, C: Console>(
        &mut self,
        terminal: &mut Terminal<B>,
        console: &mut C,
        theme: &Theme,
        mut terminate: Pin<&mut (impl Future<Output = ()> + Send)>,
    ) -> Result<(), B::Error> {
        while let Some(effect) = self.waiting.pop_front() {
            if self.app.cx.should_exit {
                self.waiting.push_front(effect);
                self.start_waiting();
                return Ok(());
            }
            match effect {
                Effect::Redraw => {
                    self.pixels.forget();
                    redraw(terminal)?;
                }
                Effect::Suspend => match console.suspend() {
                    Ok(()) => self.resume(terminal)?,
                    Err(error) => {
                        let sentence = format!("the terminal could not be given back: {error}");
                        self.app.cx.report_error(&sentence);
                    }
                },
                Effect::Run(program) if program.in_terminal => {
                    if let Some(status) = self
                        .run_in_terminal(console, &program, terminate.as_mut())
                        .await
                    {
                        self.resume(terminal)?;
                        let result = external::program_result(&program, status);
                        self.app.cx.report(result);
                    }
                }
                Effect::Compose(DraftJob::Edit(program)) => {
                    if let Some(status) = self
                        .run_in_terminal(console, &program, terminate.as_mut())
                        .await
                    {
                        self.resume(terminal)?;
                        let edited = external::editor_result(&program, status);
                        self.update(Message::Compose(DraftOutcome::Edited(edited)));
                    }
                }
                Effect::EditText(editor, text) => {
                    let edited = self
                        .edit_text(console, editor, text, terminate.as_mut())
                        .await;
                    if let Some(edited) = edited {
                        self.resume(terminal)?;
                        self.update(Message::Edited(edited));
                    }
                }
                // Drawing reports the error of a closed terminal.
                Effect::UseMouse(is_used) => console.use_mouse(is_used),
                Effect::ReadConfig => self.reports.configs.read(),
                // A page may have come since the user named the file.
                Effect::SaveCard(..) if let Some(refusal) = self.app.card_refusal() => {
                    self.app.cx.notify(refusal);
                }
                Effect::SaveCard(path, replaces) => {
                    let picture = card::draw(&self.app, theme);
                    self.tasks.compute("the screen was not saved", move || {
                        Message::Card(card::write(path, &picture, replaces))
                    });
                }
                Effect::EditFile(line) => {
                    self.edit_file(terminal, console, line, terminate.as_mut())
                        .await?;
                }
                Effect::Copy(text) => {
                    if let Err(error) = console.copy(&text) {
                        let sentence = format!("the clipboard could not be reached: {error}");
                        self.app.cx.report_error(&sentence);
                    }
                }
                effect => {
                    let step = Step::effect(&effect);
                    self.tasks.start(effect);
                    self.turn.add(step);
                }
            }
        }
        Ok(())
    }

    /// Starts the waiting effects that do not need the terminal.
    fn start_waiting(&mut self) {
        for effect in std::mem::take(&mut self.waiting) {
            if !needs_terminal(&effect) {
                self.tasks.start(effect);
            }
        }
    }

    /// Runs a program in the terminal until it ends. Reports are handled meanwhile, so that loads continue. Returns
    /// `None` if the browser is terminated meanwhile.
    async fn run_in_terminal<C: Console>(
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
                Some((id, part)) = self.reports.parts.recv() => Message::Load(id, part),
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

    /// Runs the user's editor on a text in a private file, and returns what it has left. Returns `None` if the browser
    /// is terminated meanwhile.
    async fn edit_text<C: Console>(
        &mut self,
        console: &mut C,
        editor: Vec<String>,
        text: String,
        terminate: Pin<&mut (impl Future<Output = ()> + Send)>,
    ) -> Option<Result<String, String>> {
        let file = match blocking(move || TextFile::create(&text)).await {
            Ok(file) => file,
            Err(error) => return Some(Err(format!("the text was not written: {error}"))),
        };
        let program = file.program(editor);
        let status = self.run_in_terminal(console, &program, terminate).await?;
        Some(match external::editor_result(&program, status) {
            Ok(_) => blocking(move || file.read()).await,
            Err(sentence) => Err(sentence),
        })
    }

    /// Runs the user's editor on a line of a file, and reads what it has changed.
    async fn edit_file<B: Backend, C: Console>(
        &mut self,
        terminal: &mut Terminal<B>,
        console: &mut C,
        line: FileLine,
        terminate: Pin<&mut (impl Future<Output = ()> + Send)>,
    ) -> Result<(), B::Error> {
        let program = external::editor_at(&self.app.cx.settings.author.editor, &line);
        if let Some(status) = self.run_in_terminal(console, &program, terminate).await {
            self.resume(terminal)?;
            if let Err(error) = external::editor_result(&program, status) {
                self.app.cx.report_error(&error);
            }
            self.reports.configs.read();
            self.update(BookmarkMessage::Touched.into());
        }
        Ok(())
    }

    /// Redraws after another program had the terminal. The size may have changed: only the foreground process is
    /// notified.
    fn resume<B: Backend>(&mut self, terminal: &mut Terminal<B>) -> Result<(), B::Error> {
        let size = terminal.size()?;
        self.update(Message::Resize(size.width, size.height));
        self.pixels.forget();
        redraw(terminal)
    }
}

/// Returns true if only the main loop can carry out the effect, as it owns the terminal.
fn needs_terminal(effect: &Effect) -> bool {
    match effect {
        Effect::Redraw
        | Effect::Suspend
        | Effect::Copy(_)
        | Effect::UseMouse(_)
        | Effect::EditText(..)
        | Effect::EditFile(_)
        | Effect::SaveCard(..)
        | Effect::ReadConfig => true,
        Effect::Run(program) => program.in_terminal,
        Effect::Compose(job) => matches!(job, DraftJob::Edit(_)),
        Effect::Load(..)
        | Effect::SendToSession(..)
        | Effect::Drop(_)
        | Effect::Work(..)
        | Effect::ReadFile(..)
        | Effect::StoreCharset(..)
        | Effect::Tabs(_)
        | Effect::Bookmarks(_)
        | Effect::Transfers(_)
        | Effect::Library(_)
        | Effect::News(_)
        | Effect::Credentials(_)
        | Effect::StartTimer(..)
        | Effect::StoreSetting(..)
        | Effect::Offline(_) => false,
    }
}

/// Returns true if the page with the focus has no rows yet.
fn is_blank(app: &App) -> bool {
    app.page().is_none_or(|page| page.count() == 0)
}
