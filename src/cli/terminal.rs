//! The real terminal: taken, given back on every way out.

use std::io::{self, BufWriter, Stdout, Write, stdout};
use std::panic;
use std::pin::Pin;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event, EventStream};
use crossterm::execute;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use futures_util::Stream;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use rustix::io::ioctl_fionbio;
use rustix::process::{Signal, kill_current_process_group};
use rustix::termios::{QueueSelector, tcflush};

use crate::files::command::ended;
use crate::run::Console;

/// Octets of a frame that go out at once; standard output by itself would send a kibibyte at a time.
const FRAME: usize = 32 * 1024;

/// The terminal while the browser has it; dropping it gives the terminal back.
pub(super) struct Screen {
    /// What is drawn on.
    pub(super) terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
}

impl Screen {
    /// Takes the terminal. From here on a panic gives it back before it says anything.
    pub(super) fn take() -> io::Result<Self> {
        let main = thread::current().id();
        let say = panic::take_hook();
        panic::set_hook(Box::new(move |what| {
            // Only the loop's thread has the terminal: a task that panics ends alone, and the browser goes on.
            if thread::current().id() == main {
                let _ = give_back();
                say(what);
            }
        }));
        enter()?;
        Ok(Self {
            terminal: Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(
                FRAME,
                stdout(),
            )))?,
        })
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // There is nobody to tell when the terminal has gone.
        let _ = give_back();
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste)
}

fn give_back() -> io::Result<()> {
    let modes = disable_raw_mode();
    execute!(
        stdout(),
        DisableBracketedPaste,
        LeaveAlternateScreen,
        crossterm::cursor::Show
    )?;
    stdout().flush()?;
    modes
}

/// Keys as they are pressed. Whoever else is to read the terminal gets it whole: what reads it here is closed first,
/// and opened again when the loop asks for the next key.
#[derive(Clone, Default)]
pub(super) struct Keys(Arc<Mutex<Option<EventStream>>>);

impl Keys {
    fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Stream for Keys {
    type Item = io::Result<Event>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Pin::new(keys.get_or_insert_with(EventStream::new)).poll_next(context)
    }
}

/// Takes back what the terminal still has to tell of keys that another program has read: crossterm would wait for them
/// in a read that does not end before the next key, or pass over that. Keys that nobody has read are dropped, as nobody
/// could see what they do.
fn settle() {
    let input = io::stdin();
    // What cannot be set here costs one key at the worst.
    let _ = ioctl_fionbio(&input, true);
    let _ = event::poll(Duration::ZERO);
    let _ = tcflush(&input, QueueSelector::IFlush);
    let _ = event::poll(Duration::ZERO);
    let _ = ioctl_fionbio(&input, false);
}

/// What the loop asks of a real terminal.
#[derive(Default)]
pub(super) struct Tty {
    /// What reads it.
    pub(super) keys: Keys,
    /// Another program has it: the signals of its keys are for that.
    pub(super) is_lent: Arc<AtomicBool>,
}

impl Console for Tty {
    fn copy(&mut self, text: &str) -> io::Result<()> {
        execute!(stdout(), CopyToClipboard::to_clipboard_from(text))
    }

    fn suspend(&mut self) -> io::Result<()> {
        give_back()?;
        // The whole job stops, as it does when the terminal itself hears Ctrl-Z: `sudo` or a script that runs us would
        // else wait, and the shell with it. The shell takes over here, and we go on from here when it says `fg`.
        kill_current_process_group(Signal::TSTP)?;
        enter()
    }

    fn run(&mut self, arguments: &[String]) -> io::Result<ExitStatus> {
        let Some((program, arguments)) = arguments.split_first() else {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        };
        self.keys.close();
        give_back()?;
        self.is_lent.store(true, Ordering::SeqCst);
        let status = Command::new(program).args(arguments).status();
        if let Ok(status) = &status
            && !status.success()
        {
            // What it said last would be gone before it was read.
            let mut out = stdout();
            write!(
                out,
                "\n{}; Enter goes back to Geomys ",
                ended(program, *status)
            )?;
            out.flush()?;
            let _ = io::stdin().read_line(&mut String::new());
        }
        self.is_lent.store(false, Ordering::SeqCst);
        settle();
        enter()?;
        status
    }
}
