//! Retries of transfers after a failed connection: with growing delays, resuming the partial file.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_load::{Failure, FailureCause, FailureKind, Request, Stop};
use geomys_wire::net::{Net, trace};
use tokio::time::{Instant, sleep};

use super::download::{
    DownloadOrder, Error, EventReport, PartialFilePolicy, SavedFile, TransferEvent, fetch,
};

/// Interval between two reports of the remaining delay.
const TICK: Duration = Duration::from_secs(1);

/// Maximum number of attempts at a server that answers with errors of its own.
const MAX_SERVER_ERRORS: u32 = 3;

/// Policy of retries: number, delays and total time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Delay before the first retry; doubled for each further retry without progress.
    pub initial_delay: Duration,
    /// Maximum delay.
    pub max_delay: Duration,
    /// Maximum number of consecutive retries without progress.
    pub max_attempts: u32,
    /// Maximum time of consecutive retries without progress.
    pub max_elapsed: Duration,
    /// True if a server that did not begin to answer is asked again.
    pub retries_silence: bool,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            initial_delay: Duration::from_secs(1),
            max_delay: Duration::from_mins(5),
            max_attempts: 1000,
            max_elapsed: Duration::from_hours(24),
            retries_silence: true,
        }
    }
}

/// State of the retries of one transfer.
#[derive(Debug, Default)]
pub struct RetryState {
    /// Number of failures since the last progress.
    failures: u32,
    /// Time of the first of them.
    since: Option<Instant>,
    was_connected: bool,
    /// True if the server has begun to answer this request.
    has_begun: bool,
}

impl RetryState {
    /// Notes that the server has started a reply.
    pub fn connected(&mut self) {
        self.was_connected = true;
        self.has_begun = true;
    }

    /// Notes that new octets were received.
    pub(super) fn progressed(&mut self) {
        self.failures = 0;
        self.since = None;
    }

    /// Returns the delay after this failure; `None` if there is no retry. A server that was never reached is not tried
    /// again: the address may be wrong.
    pub fn wait(&mut self, failure: &Failure, retry_policy: &RetryPolicy) -> Option<Duration> {
        if failure.cause == FailureCause::Local {
            // What this machine lacks is no fault of the server, and asking again needs more of it.
            return None;
        }
        let is_silent = failure.cause == FailureCause::Silence && !self.has_begun;
        if is_silent && !retry_policy.retries_silence {
            return None;
        }
        let is_temporary = match failure.kind {
            FailureKind::Transient | FailureKind::Busy | FailureKind::ResumeMismatch => true,
            // An answer, though not a final one.
            FailureKind::ServerError => self.failures + 1 < MAX_SERVER_ERRORS,
            FailureKind::Unreachable => self.was_connected,
            FailureKind::Permanent | FailureKind::Malformed | FailureKind::Missing => false,
        };
        if !is_temporary || self.failures >= retry_policy.max_attempts {
            return None;
        }
        let now = Instant::now();
        let factor = 2_u32.saturating_pow(self.failures);
        let delay = retry_policy.initial_delay.saturating_mul(factor);
        let delay = delay.min(retry_policy.max_delay);
        let elapsed = now - *self.since.get_or_insert(now);
        if elapsed.saturating_add(delay) > retry_policy.max_elapsed {
            return None;
        }
        self.failures += 1;
        Some(delay)
    }
}

/// Returns the state of retries of a request: connected, if its host was reached before.
pub fn retries_of(net: &Net, request: &Request) -> RetryState {
    let parts = request.url.base_parts();
    let host = parts.address().map(|address| address.node());
    RetryState {
        was_connected: host.is_some_and(|host| net.has_reached(host)),
        ..RetryState::default()
    }
}

/// Waits for a delay, reports it, and then the remaining time every second.
pub async fn wait(time: Duration, why: &str, report: &mut EventReport<'_>) {
    trace::note("", format_args!("retry in {} ms: {why}", time.as_millis()));
    report(TransferEvent::Outage(time, why.to_owned()));
    let end = Instant::now() + time;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        report(TransferEvent::Retry(left, why.to_owned()));
        sleep(left.min(TICK)).await;
    }
}

/// Executes an order; after a failed connection it resumes the partial file, as often as `retry_policy` allows.
///
/// # Errors
/// Any [`Error`] of the last attempt. Dropping the future stops the load or the delay, and leaves the partial file.
pub fn transfer<'a>(
    net: &'a Net,
    order: DownloadOrder,
    retry_policy: &'a RetryPolicy,
    report: &'a mut EventReport<'a>,
) -> BoxFuture<'a, Result<SavedFile, Error>> {
    fetch_with_retries(net, order, retry_policy, report).boxed()
}

async fn fetch_with_retries(
    net: &Net,
    mut order: DownloadOrder,
    retry_policy: &RetryPolicy,
    report: &mut EventReport<'_>,
) -> Result<SavedFile, Error> {
    let mut retries = retries_of(net, &order.request);
    let mut furthest = None;
    loop {
        let mut on_event = |event| {
            if let TransferEvent::Octets(received, _) = event {
                retries.connected();
                if furthest.is_some_and(|furthest| received > furthest) {
                    retries.progressed();
                }
                furthest = furthest.max(Some(received));
            }
            report(event);
        };
        let (stop, part) = match fetch(net, order.clone(), &mut on_event).await {
            Err(Error::Stopped { stop, part }) => (stop, part),
            other => return other,
        };
        let (time, why) = match &*stop {
            Stop::Failed(failure) => {
                let time = retries.wait(failure, retry_policy);
                if time.is_some() && failure.kind == FailureKind::Busy {
                    report(TransferEvent::Busy);
                }
                (time, failure.reason())
            }
            Stop::Needs(_) | Stop::Truncated(_) | Stop::Closed => (None, String::new()),
        };
        let Some(time) = time else {
            return Err(Error::Stopped { stop, part });
        };
        if retries.was_connected {
            // The policy for the old partial file has been applied.
            order.partial = match net.recording() {
                // The record of an answer is whole.
                Some(_) => PartialFilePolicy::Restart,
                None => PartialFilePolicy::ResumeUnchanged,
            };
        }
        // The attempt may have left a partial file.
        order.is_new = false;
        wait(time, &why, report).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(kind: FailureKind) -> Failure {
        Failure {
            kind,
            ..Failure::new("it failed")
        }
    }

    #[tokio::test(start_paused = true)]
    async fn delay_doubles_up_to_five_minutes_and_ends_after_a_day() {
        let retry_policy = RetryPolicy::default();
        let died = failure(FailureKind::Transient);
        let mut retries = RetryState::default();
        let start = Instant::now();
        let mut delays = Vec::new();
        while let Some(delay) = retries.wait(&died, &retry_policy) {
            delays.push(delay.as_secs());
            tokio::time::advance(delay).await;
        }
        assert_eq!(delays[..11], [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
        let day = Duration::from_hours(24);
        assert!(start.elapsed() <= day && start.elapsed() + retry_policy.max_delay > day);
        retries.progressed();
        assert_eq!(
            retries.wait(&died, &retry_policy),
            Some(Duration::from_secs(1))
        );
        let few = RetryPolicy {
            max_attempts: 1,
            ..retry_policy
        };
        assert_eq!(retries.wait(&died, &few), None);
    }

    #[test]
    fn refusal_and_unreachable_server_are_not_retried() {
        let retry_policy = RetryPolicy::default();
        let mut retries = RetryState::default();
        for kind in [FailureKind::Permanent, FailureKind::Unreachable] {
            assert_eq!(retries.wait(&failure(kind), &retry_policy), None);
        }
        retries.connected();
        assert!(
            retries
                .wait(&failure(FailureKind::Unreachable), &retry_policy)
                .is_some()
        );
        assert_eq!(
            retries.wait(&failure(FailureKind::Permanent), &retry_policy),
            None
        );
        let silence = Failure {
            cause: FailureCause::Silence,
            ..failure(FailureKind::Transient)
        };
        let impatient = RetryPolicy {
            retries_silence: false,
            ..retry_policy
        };
        let mut retries = RetryState::default();
        assert_eq!(retries.wait(&silence, &impatient), None);
        retries.connected();
        assert!(
            retries.wait(&silence, &impatient).is_some(),
            "in the middle of an answer"
        );
        let error = failure(FailureKind::ServerError);
        let mut retries = RetryState::default();
        let waits = (0..5).filter(|_| retries.wait(&error, &retry_policy).is_some());
        assert_eq!(waits.count(), 2, "three attempts");
        let busy = failure(FailureKind::Busy);
        assert!(RetryState::default().wait(&busy, &retry_policy).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn remaining_delay_is_reported_every_second() {
        let mut reported = Vec::new();
        let time = Duration::from_millis(2500);
        let start = Instant::now();
        wait(time, "why", &mut |report| reported.push(report)).await;
        assert_eq!(start.elapsed(), time);
        let again = |millis| TransferEvent::Retry(Duration::from_millis(millis), "why".to_owned());
        let outage = TransferEvent::Outage(time, "why".to_owned());
        assert_eq!(reported, [outage, again(2500), again(1500), again(500)]);
    }
}
