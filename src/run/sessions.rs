//! Sessions that are held: what a person says goes to the load that holds one.

use std::collections::HashMap;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::load::{LoadId, Request, Typed, is_session};

/// The ways to say something in sessions, by the loads that hold them.
#[derive(Default)]
pub(super) struct Sessions(HashMap<LoadId, UnboundedSender<Typed>>);

impl Sessions {
    /// A way to the load `id`, when what it asks for is a session.
    pub(super) fn begin(
        &mut self,
        id: LoadId,
        request: &Request,
    ) -> Option<UnboundedReceiver<Typed>> {
        if !is_session(&request.url) {
            return None;
        }
        let (sender, receiver) = unbounded_channel();
        self.0.insert(id, sender);
        Some(receiver)
    }

    /// Says something in a session; one that has ended hears nothing.
    pub(super) fn say(&self, id: LoadId, typed: Typed) {
        if let Some(session) = self.0.get(&id) {
            let _ = session.send(typed);
        }
    }

    /// Forgets a session.
    pub(super) fn drop(&mut self, id: LoadId) {
        self.0.remove(&id);
    }
}
