//! The real terminal: taken, given back on every way out.

use std::io::{self, BufWriter, Stdout, Write, stdout};
use std::panic;
use std::thread;

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::execute;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use rustix::process::{Signal, kill_current_process_group};

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

/// What the loop asks of a real terminal.
pub(super) struct Tty;

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
}
