//! The rate of a transfer over the last few seconds, so that a stall shows and a short delay does not.

use std::collections::VecDeque;
use std::time::Duration;

/// The time span of the rate.
const SPAN: Duration = Duration::from_secs(5);

/// The minimum time between two stored moments.
const STEP: Duration = Duration::from_millis(100);

/// The minimum time before there is a rate.
const LEAST: Duration = Duration::from_millis(250);

/// The recent amounts of octets, with their times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    moments: VecDeque<(Duration, u64)>,
}

impl Rate {
    /// Records the number of octets so far at the time `now` (since any start).
    pub fn record(&mut self, now: Duration, octets: u64) {
        // The last moment is replaced until it is far enough from the one before.
        let before_last = self.moments.iter().rev().nth(1).map(|(at, _)| *at);
        if before_last.is_some_and(|before| now.saturating_sub(before) < STEP) {
            self.moments.pop_back();
        }
        self.moments.push_back((now, octets));
        // One moment before the span stays, so that the rate covers the complete span.
        while self
            .moments
            .get(1)
            .is_some_and(|(at, _)| now.saturating_sub(*at) >= SPAN)
        {
            self.moments.pop_front();
        }
    }

    /// Returns the rate in octets a second; `None` before the minimum time.
    pub fn octets_per_second(&self) -> Option<u64> {
        let ((since, first), (now, last)) = (self.moments.front()?, self.moments.back()?);
        let span = now.saturating_sub(*since);
        if span < LEAST {
            return None;
        }
        let millis = u64::try_from(span.as_millis()).ok()?;
        let came = last.saturating_sub(*first);
        came.saturating_mul(1000).checked_div(millis)
    }

    /// Returns the remaining time in seconds for `size` octets.
    pub fn seconds_left(&self, size: u64) -> Option<u64> {
        let (_, here) = self.moments.back()?;
        size.saturating_sub(*here)
            .checked_div(self.octets_per_second()?)
    }
}

/// Formats a time span with one unit: `42 s`, `12 min`, `3 h`.
pub fn time(seconds: u64) -> String {
    match seconds {
        0..=99 => format!("{seconds} s"),
        100..=5999 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_steady_flow_has_its_rate_and_what_is_left_its_time() {
        let mut rate = Rate::default();
        for tenth in 0..=100 {
            rate.record(at(tenth * 100), 5000 + tenth * 100);
        }
        assert_eq!(rate.octets_per_second(), Some(1000));
        assert_eq!(rate.seconds_left(20_000), Some(5));
        assert_eq!(rate.seconds_left(1), Some(0));
    }

    #[test]
    fn what_was_here_before_is_no_speed_and_long_ago_is_forgotten() {
        let mut rate = Rate::default();
        assert_eq!(rate.octets_per_second(), None);
        rate.record(at(0), 1_000_000);
        rate.record(at(100), 1_000_100);
        assert_eq!(rate.octets_per_second(), None, "too soon");
        rate.record(at(1000), 1_001_000);
        assert_eq!(rate.octets_per_second(), Some(1000));
        for second in 2..=20 {
            rate.record(at(second * 1000), 1_001_000);
        }
        assert_eq!(
            rate.octets_per_second(),
            Some(0),
            "nothing has come for a while"
        );
        assert_eq!(rate.seconds_left(2_000_000), None);
    }

    proptest! {
        #[test]
        fn it_keeps_few_moments(steps in proptest::collection::vec((0_u64..2000, 0_u64..1_000_000), 1..400)) {
            let (mut rate, mut now, mut octets) = (Rate::default(), 0, 0);
            for (step, more) in steps {
                now += step;
                octets += more;
                rate.record(at(now), octets);
                prop_assert!(rate.moments.len() <= 110, "{}", rate.moments.len());
            }
        }
    }
}
