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
mod tasks;
mod touched;
mod transfers;
mod writing;

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::Event;
use futures_util::{Stream, StreamExt};
use ratatui::Terminal;
use ratatui::backend::Backend;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use self::tasks::{Reports, Tasks};
use crate::app::write::{Errand, Outcome};
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
