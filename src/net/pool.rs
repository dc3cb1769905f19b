//! Connections at rest between two loads.

use std::any::{Any, TypeId};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::Net;

/// How many are kept of one place, and in all; the oldest go first.
const OF_ONE: usize = 4;
const IN_ALL: usize = 32;

/// Those that are kept.
pub(super) type Shelf = Arc<Mutex<Vec<Kept>>>;

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
        if self.is_offline() {
            return None;
        }
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

    /// Keeps a connection whose dialogue is at rest, until it has been quiet for too long. Never one after a fault, a
    /// deadline or a stop: its replies would answer the wrong question.
    pub fn keep<C: Send + 'static>(&self, place: &str, connection: C) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|entry| entry.since.elapsed() < self.limits.keep);
        kept.push(Kept {
            place: place.to_owned(),
            since: Instant::now(),
            kind: TypeId::of::<C>(),
            connection: Box::new(connection),
        });
        let of_one = kept.iter().filter(|entry| entry.place == place).count();
        let is_too_many = kept.len() > IN_ALL;
        let oldest = kept
            .iter()
            .position(|entry| is_too_many || of_one > OF_ONE && entry.place == place);
        if let Some(oldest) = oldest.filter(|_| is_too_many || of_one > OF_ONE) {
            kept.remove(oldest);
        }
        drop(kept);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(let_go(Arc::downgrade(&self.kept), self.limits.keep));
        }
    }
}

/// Closes what has been quiet for so long, though nobody asks for anything any more.
async fn let_go(kept: Weak<Mutex<Vec<Kept>>>, quiet: Duration) {
    tokio::time::sleep(quiet).await;
    if let Some(kept) = kept.upgrade() {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|entry| entry.since.elapsed() < quiet);
    }
}
