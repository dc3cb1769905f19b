//! The supervisor process of the browser: it restores the terminal if the browser cannot, because a signal or a failed
//! allocation has ended it.
//!
//! The process forks: the child is the browser, in the same process group and on the same terminal, and the parent waits.
//! Signals of the terminal or a shell to the group reach both: Ctrl-Z stops both. Signals to the parent alone are forwarded.
//! The browser ends when the parent ends: the parent holds the other end of a pipe that is never written to.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, PipeReader, Write, stderr, stdin, stdout};
use std::os::fd::{AsFd, OwnedFd};
use std::process::ExitCode;

use fork::{Fork, fork};
use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, waitpid};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{
    SIGABRT, SIGBUS, SIGCHLD, SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGSEGV, SIGTERM,
};
use signal_hook::iterator::Signals;
use signal_hook::low_level::signal_name;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;

use super::terminal::leave;

/// The offset added to a signal number for an exit status, as in shells.
const SIGNALLED: i32 = 128;

/// Forks, and returns in the child, which is the browser, with the pipe for [`supervisor_ended`]. Without a terminal to
/// restore there is no fork and no pipe. It is called before any thread is started, as a child has only the thread that forks.
///
/// # Errors
/// The exit status of the browser, in the parent.
pub(super) fn supervise() -> Result<Option<PipeReader>, ExitCode> {
    let Some(terminal) = SavedTerminal::new() else {
        return Ok(None);
    };
    let Ok((watched, held)) = io::pipe() else {
        return Ok(None);
    };
    match fork() {
        Ok(Fork::Child) => Ok(Some(watched)),
        Ok(Fork::Parent(id)) => {
            let status = Pid::from_raw(id).map_or(ExitCode::FAILURE, |id| wait(id, &terminal));
            // The browser must not see the end of the pipe before.
            drop(held);
            Err(status)
        }
        Err(_) => Ok(None),
    }
}

/// Waits until the supervisor process has ended, which holds the other end of this pipe.
pub(super) async fn supervisor_ended(pipe: Option<PipeReader>) {
    if let Some(pipe) = pipe
        && let Ok(mut pipe) = Receiver::from_owned_fd(pipe.into())
    {
        while matches!(pipe.read(&mut [0]).await, Ok(1..)) {}
    } else {
        // Without the pipe there is nothing to wait for.
        std::future::pending::<()>().await;
    }
}

/// Waits for the end of the browser, restores the terminal if a signal has ended it, and returns the exit status.
fn wait(browser: Pid, terminal: &SavedTerminal) -> ExitCode {
    let Some(status) = forward_signals(browser, terminal) else {
        terminal.restore();
        return ExitCode::FAILURE;
    };
    if let Some(code) = status.exit_status() {
        return exit_code(code);
    }
    let signal = status.terminating_signal().unwrap_or_default();
    terminal.restore();
    let _ = writeln!(stderr(), "geomys: {}", sentence(signal));
    exit_code(SIGNALLED + signal)
}

/// Forwards the signals to this process until the browser ends, and returns how it ended, if that can be told.
fn forward_signals(browser: Pid, terminal: &SavedTerminal) -> Option<WaitStatus> {
    // If SIGCHLD were ignored, as it may be from the start, the exit status of the browser would be lost.
    let Ok(mut signals) = Signals::new([SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT]) else {
        return end(browser, WaitOptions::empty()).ok()?;
    };
    loop {
        // Also before the first signal: the browser may have ended before this process expected it.
        if let Some(status) = end(browser, WaitOptions::NOHANG).ok()? {
            return Some(status);
        }
        for signal in signals.wait().filter_map(Signal::from_named_raw) {
            // The terminal sends these signals to the program in the foreground itself.
            let is_key = matches!(signal, Signal::INT | Signal::QUIT) && terminal.sends_signals();
            if signal != Signal::CHILD && !is_key {
                let _ = kill_process(browser, signal);
            }
        }
    }
}

/// Returns how the browser ended; `None` if it has not ended.
fn end(browser: Pid, options: WaitOptions) -> rustix::io::Result<Option<WaitStatus>> {
    let ended = retry_on_intr(|| waitpid(Some(browser), options))?;
    Ok(ended.map(|(_, status)| status))
}

/// The terminal and its modes before the start of the browser.
struct SavedTerminal {
    terminal: OwnedFd,
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
        SIGABRT => ": a bug in Geomys, or out of memory",
        SIGKILL => ": killed by a user, or out of memory",
        SIGSEGV | SIGBUS => ": a bug in Geomys or a library, or out of memory",
        _ => "",
    };
    format!("the browser was killed by {name}{cause}; the terminal was restored")
}

fn exit_code(code: i32) -> ExitCode {
    u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from)
}
