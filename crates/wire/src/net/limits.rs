//! Deadlines and caps, the rate limit that all transfers share, and the pauses that servers have asked for.

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::Net;

/// The deadline of every await and the cap of every buffer.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The deadline for a name lookup plus a connection.
    pub connect: Duration,
    /// The deadline between two arrivals of octets, and for a write to be accepted.
    pub idle: Duration,
    /// The deadline for what a person waits for and could do without: more octets after what may be the end of a reply
    /// (the final dot of Gopher), data beside a page.
    pub brief: Duration,
    /// The time without any octet after which a server may be asked whether it waits for TLS, or is taken to have lost
    /// a command that was sent together with one that it has answered.
    pub silence: Duration,
    /// The cap for a reply line, in octets.
    pub line: usize,
    /// The cap for a page, in octets. A download has no such cap.
    pub page: u64,
    /// The cap for a list of groups, articles or files, in octets.
    pub list: u64,
    /// The time for which an idle connection stays in the pool.
    pub pool_lifetime: Duration,
}

impl Limits {
    /// These limits after what may be the end of a reply, where no long wait for more is of use.
    #[must_use]
    pub fn at_end(&self) -> Self {
        Self {
            idle: self.idle.min(self.brief),
            ..self.clone()
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            idle: Duration::from_secs(30),
            brief: Duration::from_secs(2),
            silence: Duration::from_secs(4),
            line: 64 * 1024,
            page: 128 * 1024 * 1024,
            list: 512 * 1024 * 1024,
            pool_lifetime: Duration::from_mins(1),
        }
    }
}

/// Parses a rate in octets a second: a number, perhaps with `k`, `M` or `G`; None for zero and other texts.
///
/// ```
/// use geomys_wire::net::parse_rate;
///
/// assert_eq!(parse_rate("500k").map(u64::from), Some(500_000));
/// ```
pub fn parse_rate(written: &str) -> Option<NonZeroU64> {
    let (digits, factor) = match written.char_indices().last() {
        Some((at, 'k' | 'K')) => (written.get(..at), 1000),
        Some((at, 'm' | 'M')) => (written.get(..at), 1_000_000),
        Some((at, 'g' | 'G')) => (written.get(..at), 1_000_000_000),
        _ => (Some(written), 1),
    };
    let number = digits?.parse::<u64>().ok()?;
    NonZeroU64::new(number.checked_mul(factor)?)
}

/// A limit in octets a second, which may change while transfers run.
#[derive(Debug, Default)]
pub(super) struct RateLimit {
    /// The rate; 0 for none.
    rate: AtomicU64,
    /// The time when all octets so far are paid for.
    paid: Mutex<Option<Instant>>,
    /// Wakes those that wait by a rate that does not hold any more.
    changed: Notify,
}

impl RateLimit {
    /// Sets the rate, which counts from now on: what was received is paid for.
    pub(super) fn set(&self, rate: Option<NonZeroU64>) {
        let rate = rate.map_or(0, NonZeroU64::get);
        if self.rate.swap(rate, Ordering::SeqCst) != rate {
            *self.paid.lock().unwrap_or_else(PoisonError::into_inner) = None;
            self.changed.notify_waiters();
        }
    }

    /// Waits after these octets were received. The socket is not read meanwhile, so that the server slows down.
    pub(super) async fn wait(&self, octets: usize) {
        let changed = self.changed.notified();
        let rate = NonZeroU64::new(self.rate.load(Ordering::SeqCst));
        if let Some(rate) = rate {
            let until = self.reserve(octets as u64, rate, Instant::now());
            tokio::select! {
                () = sleep_until(until) => {}
                () = changed => {}
            }
        }
    }

    /// Returns the time until which no more may be received after these octets.
    fn reserve(&self, octets: u64, rate: NonZeroU64, now: Instant) -> Instant {
        let mut paid = self.paid.lock().unwrap_or_else(PoisonError::into_inner);
        let nanoseconds = u128::from(octets) * 1_000_000_000 / u128::from(rate.get());
        let cost = Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX));
        let until = paid.map_or(now, |paid| paid.max(now));
        let until = until.checked_add(cost).unwrap_or(until);
        *paid = Some(until);
        until
    }
}

/// The longest pause that is kept.
const MAX_PAUSE: Duration = Duration::from_hours(1);

/// The highest number of recorded servers. The pauses that end first are forgotten.
const MAX_PAUSED_SERVERS: usize = 1024;

impl Net {
    /// Records that `authority` (`host:port`) wants no request for a while, an hour at most.
    pub fn pause(&self, authority: &str, seconds: u64) {
        let now = Instant::now();
        let mut pauses = self.pauses.lock().unwrap_or_else(PoisonError::into_inner);
        pauses.retain(|_, end| *end > now);
        while pauses.len() >= MAX_PAUSED_SERVERS
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
    async fn changed_rate_ends_the_waits_of_the_one_before() {
        let net = Net::default().with_rate_limit(NonZeroU64::new(1).unwrap());
        let start = Instant::now();
        let change = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            net.set_rate_limit(NonZeroU64::new(500_000));
        };
        tokio::join!(net.throttle(64 * 1024), net.throttle(64 * 1024), change);
        assert_eq!(start.elapsed().as_secs(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn rate_changes_while_transfers_run() {
        let net = Net::default();
        let copy = net.clone();
        net.set_rate_limit(NonZeroU64::new(100));
        let start = Instant::now();
        copy.throttle(200).await;
        assert_eq!(start.elapsed().as_secs(), 2);
        net.set_rate_limit(NonZeroU64::new(1000));
        copy.throttle(1000).await;
        assert_eq!(start.elapsed().as_secs(), 3);
        net.set_rate_limit(None);
        copy.throttle(usize::MAX).await;
        assert_eq!(start.elapsed().as_secs(), 3);
    }

    #[test]
    fn rate_is_a_number_with_a_unit() {
        for (written, expected) in [
            ("1", Some(1)),
            ("500k", Some(500_000)),
            ("2M", Some(2_000_000)),
            ("1G", Some(1_000_000_000)),
            ("0", None),
            ("k", None),
            ("", None),
            ("-1", None),
            ("1.5k", None),
            ("99999999999999999999", None),
            ("99999999999G", None),
            ("5\u{e9}", None),
        ] {
            assert_eq!(
                parse_rate(written).map(NonZeroU64::get),
                expected,
                "{written}"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn no_limit_waits_for_nothing() {
        let start = Instant::now();
        Net::default().throttle(usize::MAX).await;
        assert_eq!(start.elapsed(), Duration::ZERO);
    }
}
