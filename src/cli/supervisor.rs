//! The supervisor process of the browser: it restores the terminal if the browser cannot, because a signal or a failed
//! allocation has ended it.
//!
//! `geomys` starts itself again as the browser, in the same process group and on the same terminal, and waits. Signals of
//! the terminal or a shell to the group reach both: Ctrl-Z stops both. Signals to this process alone are forwarded. The
//! browser ends when this process ends: this process holds the other end of a pipe that is never written to.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write, stderr, stdin, stdout};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitCode};
use std::thread;

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGABRT, SIGBUS, SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGSEGV, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::signal_name;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;

use super::terminal::leave;

/// The offset added to a signal number for an exit status, as in shells.
const SIGNALLED: i32 = 128;

/// Words of command lines that run no browser, or that already run as the browser process.
const OTHER_COMMANDS: [&str; 12] = [
    "url",
    "links",
    "dump",
    "get",
    "bookmarks",
    "help",
    "--serve",
    "--supervised",
    "-h",
    "--help",
    "-V",
    "--version",
];

/// Returns true if a command line has to run the browser in another process. It is not parsed, which would delay the start:
/// errors in it are reported by the browser process.
fn runs_browser(words: &[OsString]) -> bool {
    !words.iter().skip(1).any(|word| {
        let word = word.as_encoded_bytes();
        let name = word.split(|&octet| octet == b'=').next();
        OTHER_COMMANDS
            .iter()
            .any(|other| name == Some(other.as_bytes()))
    })
}

/// Runs the browser in another process and returns its exit status. `None` if the command line runs no browser, if this is
/// the browser process, or if there is no terminal to restore.
pub fn supervise(words: &[OsString]) -> Option<ExitCode> {
    if !runs_browser(words) {
        return None;
    }
    let terminal = SavedTerminal::new()?;
    let (mut browser, pipe) = start(words).ok()?;
    forward_signals(&browser, &terminal);
    // If waiting fails, there is nothing to report.
    let status = browser.wait().ok()?;
    drop(pipe);
    let signal = match (status.code(), status.signal()) {
        (Some(code), _) => return Some(exit_code(code)),
        (None, signal) => signal.unwrap_or_default(),
    };
    terminal.restore();
    let _ = writeln!(stderr(), "geomys: {}", sentence(signal));
    Some(exit_code(SIGNALLED + signal))
}

/// Waits until the supervisor process has ended, which holds the other end of this pipe.
pub(super) async fn supervisor_ended(pipe: Option<u32>) {
    if let Some(pipe) = pipe
        && let Ok(mut pipe) = pipe::OpenOptions::new().open_receiver(format!("/dev/fd/{pipe}"))
    {
        while matches!(pipe.read(&mut [0]).await, Ok(1..)) {}
    } else {
        // Without the pipe there is nothing to wait for.
        std::future::pending::<()>().await;
    }
}

/// Starts the browser and returns the end of the pipe to hold.
fn start(words: &[OsString]) -> io::Result<(Child, io::PipeWriter)> {
    let (watched, held) = io::pipe()?;
    // Only this end is inherited by the browser.
    fcntl_setfd(&watched, FdFlags::empty())?;
    let (name, words) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let browser = Command::new(std::env::current_exe()?)
        .arg0(name)
        .arg(format!("--supervised={}", watched.as_raw_fd()))
        .args(words)
        .spawn()?;
    Ok((browser, held))
}

/// Starts a thread that forwards the signals to this process.
fn forward_signals(browser: &Child, terminal: &SavedTerminal) {
    let Ok(mut signals) = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT]) else {
        return;
    };
    let browser = Pid::from_child(browser);
    let terminal = terminal.clone();
    thread::spawn(move || {
        for signal in signals.forever() {
            let signal = match signal {
                SIGHUP => Signal::HUP,
                SIGINT => Signal::INT,
                SIGQUIT => Signal::QUIT,
                _ => Signal::TERM,
            };
            let is_key = matches!(signal, Signal::INT | Signal::QUIT) && terminal.sends_signals();
            // The terminal sends these signals to the program in the foreground itself.
            if !is_key {
                let _ = kill_process(browser, signal);
            }
        }
    });
}

/// The terminal and its modes before the start of the browser.
#[derive(Clone)]
struct SavedTerminal {
    terminal: std::sync::Arc<OwnedFd>,
    modes: Termios,
}

impl SavedTerminal {
    /// Opens the terminal; `None` if there is none.
    fn new() -> Option<Self> {
        let terminal = if stdin().is_terminal() {
            stdin().as_fd().try_clone_to_owned().ok()?
        } else {
            let tty: File = OpenOptions::new()
                .read(true)
                .write(true)
                .open("/dev/tty")
                .ok()?;
            tty.into()
        };
        let modes = tcgetattr(&terminal).ok()?;
        let terminal = terminal.into();
        Some(Self { terminal, modes })
    }

    /// Returns true if keys send signals; the browser turns that off.
    fn sends_signals(&self) -> bool {
        let modes = tcgetattr(&self.terminal);
        modes.is_ok_and(|modes| modes.local_modes.contains(LocalModes::ISIG))
    }

    /// Restores the modes and the main screen of the terminal, if the browser has not done it.
    fn restore(&self) {
        let is_as_before = tcgetattr(&self.terminal).is_ok_and(|now| {
            let saved = &self.modes;
            (now.input_modes, now.output_modes, now.local_modes)
                == (saved.input_modes, saved.output_modes, saved.local_modes)
        });
        if is_as_before {
            return;
        }
        // Errors of a closed terminal are ignored. Pending input was not meant for the shell and is dropped.
        let _ = leave(&mut stdout());
        let _ = tcsetattr(&self.terminal, OptionalActions::Flush, &self.modes);
    }
}

/// Returns the message for a browser that was ended by a signal.
fn sentence(signal: i32) -> String {
    let name = signal_name(signal).unwrap_or("a signal");
    let cause = match signal {
        SIGABRT => ": a fault in Geomys, or no memory was left",
        SIGKILL => ": killed by a person, or by the system as no memory was left",
        SIGSEGV | SIGBUS => ": a fault in Geomys or a library, or no memory was left",
        _ => "",
    };
    format!("the browser was ended by {name}{cause}; the terminal was restored")
}

fn exit_code(code: i32) -> ExitCode {
    u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Arguments;

    #[test]
    fn every_subcommand_but_the_demo_runs_in_this_process() {
        let command = Arguments::command();
        for name in command.get_subcommands().map(clap::Command::get_name) {
            let words = ["geomys".into(), "--offline".into(), name.into(), "x".into()];
            assert_eq!(runs_browser(&words), name == "demo", "{name}");
        }
        let runs = |words: &[&str]| {
            let words = ["geomys"].iter().chain(words).map(OsString::from);
            runs_browser(&words.collect::<Vec<_>>())
        };
        assert!(runs(&[]) && runs(&["--config", "x", "gopher://dump/"]));
        assert!(!runs(&["--supervised=3"]) && !runs(&["demo", "--serve"]) && !runs(&["-h"]));
    }
}
