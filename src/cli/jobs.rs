//! Job control: the browser stops as a job of a shell, and continues.

use std::io::{self, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::event::Event;
use rustix::process::{
    Pid, Signal, getpgid, getpgrp, getpid, getppid, getsid, kill_current_process_group,
    kill_process,
};
use rustix::termios::tcgetpgrp;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{self, Receiver};

use crate::run::terminal_input::Input;
use crate::task;

/// The maximum number of signals that wait for the loop.
const MAX_SIGNALS: usize = 8;

/// Returns the signals that stop and continue the browser, and those of a new size of the terminal, as input.
///
/// While another program has the terminal (`is_lent`), the browser only stops with its job, and leaves the terminal to the program.
pub(super) fn job_signals(is_lent: Arc<AtomicBool>) -> io::Result<Receiver<Input>> {
    let named = |named: Signal| signal(SignalKind::from_raw(named.as_raw()));
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

/// Returns true if the job is in the foreground. A shell takes the terminal as soon as one process of the job has stopped.
pub(super) fn has_terminal() -> bool {
    tcgetpgrp(stdout()).is_ok_and(|group| group == getpgrp())
}

/// Stops the whole job, and returns when it is continued. All of it stops, as with Ctrl-Z in a normal terminal: otherwise
/// `sudo` or a script that runs Geomys would wait, and the shell with it.
///
/// SIGSTOP does it, as the handler of SIGTSTP can not be removed.
pub(super) fn stop_job() -> io::Result<()> {
    Ok(kill_current_process_group(Signal::STOP)?)
}

/// Returns true if a shell can continue the job: POSIX calls a process group orphaned if no member has a parent in another group of the
/// same session, and lets SIGTSTP not stop it.
fn has_shell() -> bool {
    let (group, Ok(session)) = (getpgrp(), getsid(None)) else {
        return false;
    };
    let mut ancestor = getppid();
    while let Some(process) = ancestor {
        if getsid(Some(process)) != Ok(session) {
            return false;
        }
        if getpgid(Some(process)) != Ok(group) {
            return true;
        }
        ancestor = match parent(process) {
            Ok(parent) => parent,
            // This system does not tell.
            Err(_) => return true,
        };
    }
    false
}

/// Returns the parent of a process (proc(5), `/proc/pid/stat`: the second field after the name in brackets).
fn parent(process: Pid) -> io::Result<Option<Pid>> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    let fields = stat.rsplit_once(')').map(|(_, fields)| fields);
    let id = fields.and_then(|fields| fields.split_whitespace().nth(1));
    Ok(id.and_then(|id| id.parse().ok()).and_then(Pid::from_raw))
}
