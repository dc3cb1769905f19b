//! The reports of tasks: their frequency, and the sentences about failures; and what the user types into the load that
//! holds a terminal session.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use geomys_load::{LoadId, Request, TelnetInput, is_telnet};
use geomys_store::transfer::download;
use rfc1738::Url;
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use geomys_app::Message;

/// The minimum time between two frames.
pub(super) const FRAME: Duration = Duration::from_millis(16);

/// Sends the reports of a task a few times a second, as the screen shows no more: a report that waits is replaced by a
/// newer one, and the last one is sent too, so that a stalled load shows what has arrived.
pub(super) struct ReportThrottle {
    messages: UnboundedSender<Message>,
    waiting: Mutex<Option<Message>>,
    added: Notify,
}

impl ReportThrottle {
    pub(super) fn new(messages: &UnboundedSender<Message>) -> Self {
        Self {
            messages: messages.clone(),
            waiting: Mutex::default(),
            added: Notify::new(),
        }
    }

    /// Sends a report at once; one that waits is obsolete.
    pub(super) fn send(&self, report: impl Into<Message>) {
        self.replace(None);
        let _ = self.messages.send(report.into());
    }

    /// Lets a report wait until the next one is due.
    pub(super) fn offer(&self, report: impl Into<Message>) {
        self.replace(Some(report.into()));
        self.added.notify_one();
    }

    /// Carries out a task, and sends its reports meanwhile.
    pub(super) async fn during<T>(&self, task: impl Future<Output = T>) -> T {
        tokio::select! {
            biased;
            result = task => result,
            never = self.send_due() => match never {},
        }
    }

    async fn send_due(&self) -> Infallible {
        loop {
            self.added.notified().await;
            if let Some(report) = self.replace(None) {
                let _ = self.messages.send(report);
                tokio::time::sleep(FRAME * 6).await;
            }
        }
    }

    fn replace(&self, report: Option<Message>) -> Option<Message> {
        let waiting = self.waiting.lock();
        let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *waiting, report)
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
