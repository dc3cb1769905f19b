//! Limit of the rate of transfers, shared by all that run at once.

use std::num::NonZeroU64;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// A limit in octets a second.
#[derive(Debug)]
pub(super) struct RateLimit {
    rate: NonZeroU64,
    /// The time when all octets so far are paid for.
    paid: Mutex<Option<Instant>>,
}

impl RateLimit {
    pub(super) fn new(rate: NonZeroU64) -> Self {
        let paid = Mutex::new(None);
        Self { rate, paid }
    }

    /// Waits after these octets were received. The socket is not read meanwhile, so that the server slows down.
    pub(super) async fn wait(&self, octets: usize) {
        sleep_until(self.reserve(octets as u64, Instant::now())).await;
    }

    /// Returns the time until which no more may be received after these octets.
    fn reserve(&self, octets: u64, now: Instant) -> Instant {
        let mut paid = self.paid.lock().unwrap_or_else(PoisonError::into_inner);
        let nanoseconds = u128::from(octets) * 1_000_000_000 / u128::from(self.rate.get());
        let cost = Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX));
        let until = paid.map_or(now, |paid| paid.max(now));
        let until = until.checked_add(cost).unwrap_or(until);
        *paid = Some(until);
        until
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Net;

    #[tokio::test(start_paused = true)]
    async fn transfers_share_one_rate() {
        let net = Net::default().with_rate_limit(NonZeroU64::new(1000).unwrap());
        let start = Instant::now();
        let one = async {
            for _ in 0..4 {
                net.throttle(500).await;
            }
        };
        let other = net.throttle(3000);
        tokio::join!(one, other);
        assert_eq!(start.elapsed().as_secs(), 5);
        // A pause saves nothing up.
        tokio::time::advance(Duration::from_mins(1)).await;
        let start = Instant::now();
        net.throttle(2000).await;
        assert_eq!(start.elapsed().as_secs(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn no_limit_waits_for_nothing() {
        let start = Instant::now();
        Net::default().throttle(usize::MAX).await;
        assert_eq!(start.elapsed(), Duration::ZERO);
    }
}
