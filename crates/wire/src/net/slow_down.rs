//! Servers that have asked for a pause before the next request.

use std::sync::PoisonError;
use std::time::Duration;

use tokio::time::Instant;

use super::Net;

/// The longest pause that is kept.
const MAX_PAUSE: Duration = Duration::from_hours(1);

/// The highest number of recorded servers. The pauses that end first are forgotten.
const SERVERS: usize = 1024;

impl Net {
    /// Records that `authority` (`host:port`) wants no request for a while, an hour at most.
    pub fn pause(&self, authority: &str, seconds: u64) {
        let now = Instant::now();
        let mut pauses = self.pauses.lock().unwrap_or_else(PoisonError::into_inner);
        pauses.retain(|_, end| *end > now);
        while pauses.len() >= SERVERS
            && let Some(first) = pauses.iter().min_by_key(|(_, end)| **end)
        {
            let first = first.0.clone();
            pauses.remove(&first);
        }
        let end = now + Duration::from_secs(seconds).min(MAX_PAUSE);
        pauses.insert(authority.to_ascii_lowercase(), end);
    }

    /// The rest of the pause that `authority` (`host:port`) has asked for, in seconds; `None` if requests may be sent.
    pub fn pause_left(&self, authority: &str) -> Option<u64> {
        let pauses = self.pauses.lock().unwrap_or_else(PoisonError::into_inner);
        let end = pauses.get(&authority.to_ascii_lowercase())?;
        let left = end.checked_duration_since(Instant::now())?;
        let seconds = left.as_secs() + u64::from(left.subsec_nanos() > 0);
        (seconds > 0).then_some(seconds)
    }
}
