//! The reports of tasks: their frequency, and the sentences about failures; and what the user types into the load that holds a
//! terminal session.

use std::collections::HashMap;
use std::time::Duration;

use geomys_page::load::{LoadId, Request, TelnetInput, is_telnet};
use geomys_store::transfer::download;
use rfc1738::Url;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;

use crate::app::Message;

/// The minimum time between two frames.
pub(super) const FRAME: Duration = Duration::from_millis(16);

/// Limits reports to a few times a second, as the screen shows no more.
#[derive(Default)]
pub(super) struct ReportThrottle(Option<Instant>);

impl ReportThrottle {
    /// Returns true if a report is due, which counts as sent then.
    pub(super) fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let is_due = self
            .0
            .is_none_or(|last| now.duration_since(last) > FRAME * 6);
        if is_due {
            self.0 = Some(now);
        }
        is_due
    }
}

/// Returns the message about a task that has panicked: a bug in Geomys, not an error of the server.
pub(super) fn panic_sentence(problem: &str, url: &Url) -> String {
    let address = url.masked();
    format!("failed to {problem} {address}: a bug in Geomys")
}

/// Returns the message of a task that has panicked.
pub(super) fn panicked(not_done: &'static str) -> Message {
    Message::TaskPanicked(format!("{not_done}: a bug in Geomys"))
}

/// Returns the reason why a download ended, as a sentence.
pub fn sentence(error: &download::Error) -> String {
    let download::Error::Stopped { stop, part } = error else {
        return error.to_string();
    };
    let why = stop.sentence();
    match part {
        Some(part) => format!("not saved: {why}; partial file: {}", part.display()),
        None => format!("not saved: {why}"),
    }
}

/// The input channels of sessions, by load.
#[derive(Default)]
pub(super) struct TelnetInputs(HashMap<LoadId, UnboundedSender<TelnetInput>>);

impl TelnetInputs {
    /// Creates the input channel of the load `id`, if the request is for a session.
    pub(super) fn begin(
        &mut self,
        id: LoadId,
        request: &Request,
    ) -> Option<UnboundedReceiver<TelnetInput>> {
        if !is_telnet(&request.url) {
            return None;
        }
        let (sender, receiver) = unbounded_channel();
        self.0.insert(id, sender);
        Some(receiver)
    }

    /// Sends input to a session; does nothing if the session has ended.
    pub(super) fn send(&self, id: LoadId, typed: TelnetInput) {
        if let Some(session) = self.0.get(&id) {
            let _ = session.send(typed);
        }
    }

    /// Removes a session.
    pub(super) fn drop(&mut self, id: LoadId) {
        self.0.remove(&id);
    }
}
