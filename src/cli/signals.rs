//! The signals that stop a command, those that end the browser, and job control: the browser stops as a job of a shell,
//! and continues.

use std::io;
use std::io::stdout;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use crossterm::event::Event;
use crossterm::terminal::{disable_raw_mode, is_raw_mode_enabled};
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, Stream, StreamExt, stream};
use geomys_wire::task;
use rustix::process::{Signal, getpgrp, getpid, kill_current_process_group, kill_process};
use rustix::termios::tcgetpgrp;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::Receiver;
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;

use super::browse::{LATE_SAVE_DEADLINE, SAVE_DEADLINE};
use super::terminal::restore;
use crate::run::terminal_input::Input;

/// The time for the end of a program that has the terminal, beside the time to save files.
const PROGRAM_DEADLINE: Duration = Duration::from_secs(2);

/// The offset added to a signal number for an exit status, as in shells.
const SIGNALLED: i32 = 128;

/// Returns the wait for SIGINT or SIGTERM, so that a command can save its results and remove its temporary files. From
/// this call on they do not end the process. SIGHUP is left alone: `nohup` ignores it.
pub(super) fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    SAVES_AT_SIGNAL.store(true, Ordering::SeqCst);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// The signals beside those of a closed terminal, of keys and of `kill` that end a process unless it handles them. What
/// a fault of the program itself raises (SIGSEGV, SIGBUS, SIGFPE, SIGILL) is left alone: the program could not go on
/// from there.
fn other_ends() -> Vec<Signal> {
    let mut signals = vec![
        Signal::ABORT,
        Signal::ALARM,
        Signal::PROF,
        Signal::SYS,
        Signal::TRAP,
        Signal::USR1,
        Signal::USR2,
        Signal::VTALARM,
        Signal::XCPU,
    ];
    #[cfg(target_os = "linux")]
    signals.extend([Signal::IO, Signal::POWER]);
    signals
}

/// The signal that has ended the browser, if it is one that nobody sends to end a program in order: then the shell is
/// to know.
static ENDED_BY: OnceLock<Signal> = OnceLock::new();

/// Ends the process as the signal does on its own that has ended the browser, if it is one of [`other_ends`]. All else
/// must be done.
pub(super) fn end_as_signalled() {
    if let Some(signal) = ENDED_BY.get() {
        end_by(*signal);
    }
}

/// Ends the process as this signal does where it is not handled.
fn end_by(signal: Signal) -> ! {
    // Only for a signal without such an action it returns.
    let _ = emulate_default_handler(signal.as_raw());
    exit(SIGNALLED + signal.as_raw());
}

/// Returns the wait for a signal that ends the browser, and the task that watches for it, which has to run on another
/// thread than the loop. A browser that hangs, and has not ended in the time that saving may take, is ended there: the
/// terminal is restored, whatever the thread of the loop does. From this call on the signals do not end the process.
///
/// `is_lent` is true while another program has the terminal.
pub(super) fn end_signal(
    is_lent: Arc<AtomicBool>,
) -> io::Result<(impl Future<Output = ()> + Send, BoxFuture<'static, ()>)> {
    let mut term = signal(SignalKind::terminate())?;
    let mut hup = signal(SignalKind::hangup())?;
    // In raw mode the keys for these two signals send none; other processes may.
    let mut int = signal(SignalKind::interrupt())?;
    let mut quit = signal(SignalKind::quit())?;
    // A file that grows too large is an error of its write.
    drop(named(Signal::XFSZ)?);
    let mut others = other_signals()?;
    let (end, ended) = oneshot::channel();
    let watch = async move {
        let signal = loop {
            // Keys send the last two signals to the process that has the terminal.
            let (signal, is_key) = tokio::select! {
                _ = term.recv() => (Signal::TERM, false),
                _ = hup.recv() => (Signal::HUP, false),
                Some(signal) = others.next() => {
                    let _ = ENDED_BY.set(signal);
                    (signal, false)
                }
                _ = int.recv() => (Signal::INT, true),
                _ = quit.recv() => (Signal::QUIT, true),
            };
            if !(is_key && is_lent.load(Ordering::SeqCst)) {
                break signal;
            }
        };
        // The browser may have ended already.
        let _ = end.send(());
        sleep(SAVE_DEADLINE + LATE_SAVE_DEADLINE + PROGRAM_DEADLINE).await;
        // Errors of a closed terminal are ignored.
        let _ = restore();
        end_as_signalled();
        exit(SIGNALLED + signal.as_raw());
    };
    let wait = async move {
        let _ = ended.await;
    };
    Ok((wait, watch.boxed()))
}

/// Returns the signals of [`other_ends`] as they come.
fn other_signals() -> io::Result<impl Stream<Item = Signal> + Send + Unpin> {
    let signals = other_ends().into_iter().map(|signal| {
        let mut received = named(signal)?;
        let stream = stream::poll_fn(move |context| received.poll_recv(context));
        Ok(stream.map(move |()| signal))
    });
    Ok(stream::select_all(signals.collect::<io::Result<Vec<_>>>()?))
}

fn named(signal: Signal) -> io::Result<tokio::signal::unix::Signal> {
    self::signal(SignalKind::from_raw(signal.as_raw()))
}

/// True once a command saves its results before a signal ends it.
static SAVES_AT_SIGNAL: AtomicBool = AtomicBool::new(false);

/// Has a signal that ends the process restore the modes of the terminal first, if a question of a command has changed
/// them. To be called before it does, any number of times.
pub(super) fn restore_at_signal() -> io::Result<()> {
    static IS_STARTED: AtomicBool = AtomicBool::new(false);
    if IS_STARTED.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    let stops = [Signal::TERM, Signal::INT];
    let others = [Signal::HUP, Signal::QUIT].into_iter().chain(other_ends());
    let mut signals = Signals::new(others.chain(stops).map(Signal::as_raw))?;
    thread::Builder::new().spawn(move || {
        for number in signals.forever() {
            let Some(signal) = Signal::from_named_raw(number) else {
                continue;
            };
            let is_asking = is_raw_mode_enabled().unwrap_or(false);
            // The thread of a command that asks waits for the answer, and cannot save anything.
            if is_asking || !stops.contains(&signal) || !SAVES_AT_SIGNAL.load(Ordering::SeqCst) {
                let _ = disable_raw_mode();
                end_by(signal);
            }
        }
    })?;
    Ok(())
}

/// The maximum number of signals that wait for the loop.
const MAX_SIGNALS: usize = 8;

/// Returns the signals that stop and continue the browser, and those of a new size of the terminal, as input.
///
/// While another program has the terminal (`is_lent`), the browser only stops with its job, and leaves the terminal to
/// the program.
pub(super) fn job_signals(is_lent: Arc<AtomicBool>) -> io::Result<Receiver<Input>> {
    let (mut stop, mut go_on) = (named(Signal::TSTP)?, named(Signal::CONT)?);
    let mut resize = signal(SignalKind::window_change())?;
    let (sender, receiver) = mpsc::channel(MAX_SIGNALS);
    task::spawn(async move {
        loop {
            let input = tokio::select! {
                _ = stop.recv() => Some(Input::Stop),
                _ = go_on.recv() => Some(Input::Continue),
                _ = resize.recv() => new_size(),
            };
            if is_lent.load(Ordering::SeqCst) {
                if input == Some(Input::Stop) {
                    stop_alone();
                }
            } else if let Some(input) = input
                && sender.send(input).await.is_err()
            {
                return;
            }
        }
    });
    Ok(receiver)
}

fn new_size() -> Option<Input> {
    let (columns, rows) = crossterm::terminal::size().ok()?;
    Some(Input::Event(Event::Resize(columns, rows)))
}

/// Stops the browser while another program of its job has the terminal: that program stops as it does on its own.
fn stop_alone() {
    if has_shell() {
        // A failure leaves the browser running.
        let _ = kill_process(getpid(), Signal::STOP);
    }
}

/// Returns an error if nobody could continue the browser after a stop.
pub(super) fn check_shell() -> io::Result<()> {
    if has_shell() {
        return Ok(());
    }
    Err(io::Error::other("no shell could continue Geomys"))
}

/// Returns true if the job is in the foreground. A shell takes the terminal as soon as one process of the job has
/// stopped.
pub(super) fn has_terminal() -> bool {
    Process::read("self").map_or_else(
        |_| tcgetpgrp(stdout()).is_ok_and(|group| group == getpgrp()),
        |process| process.group == process.foreground,
    )
}

/// Stops the whole job, and returns when it is continued. All of it stops, as with Ctrl-Z in a normal terminal:
/// otherwise `sudo` or a script that runs Geomys would wait, and the shell with it.
///
/// SIGSTOP does it, as the handler of SIGTSTP can not be removed.
pub(super) fn stop_job() -> io::Result<()> {
    Ok(kill_current_process_group(Signal::STOP)?)
}

/// Returns true if a shell can continue the job, or if the system does not tell.
fn has_shell() -> bool {
    Process::read("self").map_or(true, |process| {
        process.has_shell(|id| Process::read(&id.to_string()).ok())
    })
}

/// The ids that proc(5) tells of a process in `/proc/PID/stat`, behind its name in brackets. An id is 0 for a process
/// outside of the namespace, which is why rustix is not asked: it takes 0 for an error of the system.
#[derive(Clone, Copy, Debug)]
struct Process {
    parent: i32,
    group: i32,
    session: i32,
    /// The group that has the terminal.
    foreground: i32,
}

impl Process {
    fn read(id: &str) -> io::Result<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat"))?;
        Self::parse(&stat).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    fn parse(stat: &str) -> Option<Self> {
        let (_, fields) = stat.rsplit_once(')')?;
        let mut ids = fields
            .split_whitespace()
            .skip(1)
            .map_while(|id| id.parse().ok());
        let (parent, group, session) = (ids.next()?, ids.next()?, ids.next()?);
        let foreground = ids.nth(1)?;
        Some(Self {
            parent,
            group,
            session,
            foreground,
        })
    }

    /// Returns true if a shell can continue the process: POSIX calls a process group orphaned if no member has a parent
    /// in another group of the same session, and lets SIGTSTP not stop it.
    fn has_shell(self, read: impl Fn(i32) -> Option<Self>) -> bool {
        let mut process = self;
        while process.parent != 0 {
            let Some(parent) = read(process.parent) else {
                return true;
            };
            if parent.session != self.session {
                return false;
            }
            if parent.group != self.group {
                return true;
            }
            process = parent;
        }
        // A session from outside of the namespace has its shell there.
        self.session == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether the last of these processes has a shell; the id of each is its place, from 1 on.
    fn has_shell(processes: &[(i32, i32, i32)]) -> bool {
        let processes: Vec<Process> = processes
            .iter()
            .map(|(parent, group, session)| {
                let stat = format!("7 (a) b) S {parent} {group} {session} 34816 {group} 4194304");
                Process::parse(&stat).unwrap()
            })
            .collect();
        let read = |id| processes.get(usize::try_from(id).ok()? - 1).copied();
        processes.last().unwrap().has_shell(read)
    }

    #[test]
    fn shell_is_a_parent_of_another_group_in_the_session() {
        // A shell and its job; a script of the shell between them.
        assert!(has_shell(&[(0, 1, 1), (1, 2, 1)]));
        assert!(has_shell(&[(0, 1, 1), (1, 2, 1), (2, 2, 1)]));
        // A terminal emulator starts the program itself.
        assert!(!has_shell(&[(0, 1, 1), (1, 2, 2)]));
    }

    #[test]
    fn parents_outside_of_the_namespace_are_no_error() {
        // The first process of a container, and a child of it.
        assert!(!has_shell(&[(0, 1, 1)]));
        assert!(!has_shell(&[(0, 1, 1), (1, 1, 1)]));
        // A program that entered the container with a terminal of its own.
        assert!(!has_shell(&[(0, 0, 0), (1, 2, 2)]));
        // A program that `unshare` started from a shell.
        assert!(has_shell(&[(0, 0, 0)]));
    }
}
