//! Transfers that survive a connection that dies: tried again, later and later, from where they were.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::download::{Earlier, Error, Order, Report, Saved, fetch};
use crate::load::{Failure, FailureKind, Stop};
use crate::net::Net;

/// Between two reports of how long is still waited.
const TICK: Duration = Duration::from_secs(1);

/// How often something is tried again, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Before the first try; each further one without a gain is waited for twice as long.
    pub first: Duration,
    /// At most.
    pub most: Duration,
    /// Tries in a row that may bring nothing new.
    pub tries: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            first: Duration::from_secs(1),
            most: Duration::from_mins(1),
            tries: 6,
        }
    }
}

/// How it went so far.
#[derive(Debug, Default)]
pub(super) struct Tries {
    /// Failures since something came.
    in_vain: u32,
    has_begun: bool,
}

impl Tries {
    /// An answer has begun: somebody is there.
    pub(super) fn begun(&mut self) {
        self.has_begun = true;
    }

    /// Something new has come.
    pub(super) fn gained(&mut self) {
        self.in_vain = 0;
    }

    /// How long is to be waited after this failure; nothing when it is not tried again. Whoever was never reached at all
    /// is not asked again: the address may be wrong.
    pub(super) fn wait(&mut self, failure: &Failure, patience: &Patience) -> Option<Duration> {
        let is_passing = match failure.kind {
            FailureKind::Transient | FailureKind::ResumeMismatch => true,
            FailureKind::Unreachable => self.has_begun,
            FailureKind::Permanent | FailureKind::Missing => false,
        };
        if !is_passing || self.in_vain >= patience.tries {
            return None;
        }
        let factor = 2_u32.saturating_pow(self.in_vain);
        self.in_vain += 1;
        Some(patience.first.saturating_mul(factor).min(patience.most))
    }
}

/// Waits this long, and tells every second how long still.
pub(super) async fn wait(time: Duration, why: &str, report: &mut impl FnMut(Report)) {
    let end = Instant::now() + time;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        report(Report::Again(left, why.to_owned()));
        sleep(left.min(TICK)).await;
    }
}

/// Carries an order out; when the connection dies it goes on where it was, as often as `patience` has it.
///
/// # Errors
/// Any [`Error`], of the last try. Dropping the future stops the load, or the waiting, and leaves the part.
pub async fn transfer(
    net: &Net,
    order: Order,
    patience: &Patience,
    report: &mut impl FnMut(Report),
) -> Result<Saved, Error> {
    let mut order = order;
    let mut tries = Tries::default();
    let mut most = None;
    loop {
        let mut hear = |told| {
            if let Report::Octets(here, _) = told {
                tries.begun();
                if most.is_some_and(|most| here > most) {
                    tries.gained();
                }
                most = most.max(Some(here));
            }
            report(told);
        };
        let (stop, part) = match fetch(net, order.clone(), &mut hear).await {
            Err(Error::Stopped { stop, part }) => (stop, part),
            other => return other,
        };
        let (time, why) = match &*stop {
            Stop::Failed(failure) => (tries.wait(failure, patience), failure.sentence.clone()),
            Stop::Needs(_) | Stop::Cut(_) | Stop::Closed => (None, String::new()),
        };
        let Some(time) = time else {
            return Err(Error::Stopped { stop, part });
        };
        if tries.has_begun {
            // What was to become of an old part has become of it.
            order.earlier = Earlier::Checked;
        }
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

    #[test]
    fn it_waits_twice_as_long_each_time_and_gives_up() {
        let patience = Patience {
            tries: 8,
            ..Patience::default()
        };
        let died = failure(FailureKind::Transient);
        let mut tries = Tries::default();
        let waits: Vec<u64> = std::iter::from_fn(|| tries.wait(&died, &patience))
            .map(|wait| wait.as_secs())
            .collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
        tries.gained();
        assert_eq!(tries.wait(&died, &patience), Some(Duration::from_secs(1)));
    }

    #[test]
    fn a_refusal_is_not_tried_again_nor_who_was_never_there() {
        let patience = Patience::default();
        let mut tries = Tries::default();
        for kind in [FailureKind::Permanent, FailureKind::Unreachable] {
            assert_eq!(tries.wait(&failure(kind), &patience), None);
        }
        tries.begun();
        assert!(
            tries
                .wait(&failure(FailureKind::Unreachable), &patience)
                .is_some()
        );
        assert_eq!(
            tries.wait(&failure(FailureKind::Permanent), &patience),
            None
        );
    }

    #[tokio::test(start_paused = true)]
    async fn the_waiting_is_told_every_second() {
        let mut told = Vec::new();
        let time = Duration::from_millis(2500);
        let start = Instant::now();
        wait(time, "why", &mut |report| told.push(report)).await;
        assert_eq!(start.elapsed(), time);
        let again = |millis| Report::Again(Duration::from_millis(millis), "why".to_owned());
        assert_eq!(told, [again(2500), again(1500), again(500)]);
    }
}
