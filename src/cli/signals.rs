//! The signals that stop a command.

use std::io;

use tokio::signal::unix::{SignalKind, signal};

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
