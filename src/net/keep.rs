//! Connections at rest between two loads.

use std::any::{Any, TypeId};
use std::sync::PoisonError;
use std::time::Instant;

use super::Net;

/// A connection between two loads.
pub(super) struct Kept {
    place: String,
    since: Instant,
    kind: TypeId,
    connection: Box<dyn Any + Send>,
}

impl Net {
    /// A kept connection to `place` of this type, if one is still young enough; the caller tries it and dials anew
    /// when the other end has gone.
    pub fn take<C: Send + 'static>(&self, place: &str) -> Option<C> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|entry| entry.since.elapsed() < self.limits.keep);
        let at = kept
            .iter()
            .rposition(|entry| entry.kind == TypeId::of::<C>() && entry.place == place)?;
        kept.remove(at)
            .connection
            .downcast()
            .ok()
            .map(|connection| *connection)
    }

    /// Keeps a connection whose dialogue is at rest. Never one after a fault, a deadline or a stop: its replies would
    /// answer the wrong question.
    pub fn keep<C: Send + 'static>(&self, place: &str, connection: C) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|entry| entry.since.elapsed() < self.limits.keep);
        kept.push(Kept {
            place: place.to_owned(),
            since: Instant::now(),
            kind: TypeId::of::<C>(),
            connection: Box::new(connection),
        });
    }
}
