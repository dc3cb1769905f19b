//! Running terminal sessions: the user's input goes to the load that holds the session.

use std::collections::HashMap;

use geomys_page::load::{LoadId, Request, TelnetInput, is_telnet};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

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
