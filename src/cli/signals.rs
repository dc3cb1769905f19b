//! The signals that stop a command, and those that end the browser.

use std::io;
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::sleep;

use super::browse::{LATE_SAVE_DEADLINE, SAVE_DEADLINE};
use super::terminal::restore;

/// The time for the end of a program that has the terminal, beside the time to save files.
const PROGRAM_DEADLINE: Duration = Duration::from_secs(2);

/// The offset added to a signal number for an exit status, as in shells.
const SIGNALLED: i32 = 128;

/// Returns the wait for SIGINT or SIGTERM, so that a command can save its results and remove its temporary files. From this
/// call on they do not end the process. SIGHUP is left alone: `nohup` ignores it.
pub(super) fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Returns the wait for a signal that ends the browser, and the task that watches for it, which has to run on another thread than
/// the loop. A browser that hangs, and has not ended in the time that saving may take, is ended there: the terminal is restored,
/// whatever the thread of the loop does. From this call on the signals do not end the process.
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
    let (end, ended) = oneshot::channel();
    let watch = async move {
        let signal = loop {
            // Keys send the last two signals to the process that has the terminal.
            let (signal, is_key) = tokio::select! {
                _ = term.recv() => (Signal::TERM, false),
                _ = hup.recv() => (Signal::HUP, false),
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
        exit(SIGNALLED + signal.as_raw());
    };
    let wait = async move {
        let _ = ended.await;
    };
    Ok((wait, watch.boxed()))
}
