//! How fast octets come: over the last few seconds, so that a stall shows and a hiccup does not.

use std::collections::VecDeque;
use std::time::Duration;

/// How far back the rate looks.
const SPAN: Duration = Duration::from_secs(5);

/// Between two moments that are kept.
const STEP: Duration = Duration::from_millis(100);

/// Before this much has passed there is no rate to speak of.
const LEAST: Duration = Duration::from_millis(250);

/// How many octets were here, and when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    moments: VecDeque<(Duration, u64)>,
}

impl Rate {
    /// At `now` (since any start) `octets` are here.
    pub fn tell(&mut self, now: Duration, octets: u64) {
        // The last moment moves on until it is far enough from the one before.
        let before_last = self.moments.iter().rev().nth(1).map(|(at, _)| *at);
        if before_last.is_some_and(|before| now.saturating_sub(before) < STEP) {
            self.moments.pop_back();
        }
        self.moments.push_back((now, octets));
        // One moment from before the span stays: the rate is over all of it.
        while self
            .moments
            .get(1)
            .is_some_and(|(at, _)| now.saturating_sub(*at) >= SPAN)
        {
            self.moments.pop_front();
        }
    }

    /// Octets a second; nothing before there is a span to speak of.
    pub fn a_second(&self) -> Option<u64> {
        let ((since, first), (now, last)) = (self.moments.front()?, self.moments.back()?);
        let span = now.saturating_sub(*since);
        if span < LEAST {
            return None;
        }
        let millis = u64::try_from(span.as_millis()).ok()?;
        let came = last.saturating_sub(*first);
        came.saturating_mul(1000).checked_div(millis)
    }

    /// Seconds until `size` octets are here.
    pub fn seconds_left(&self, size: u64) -> Option<u64> {
        let (_, here) = self.moments.back()?;
        size.saturating_sub(*here).checked_div(self.a_second()?)
    }
}

/// A span of time as people say it: `42 s`, `12 min`, `3 h`.
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
            rate.tell(at(tenth * 100), 5000 + tenth * 100);
        }
        assert_eq!(rate.a_second(), Some(1000));
        assert_eq!(rate.seconds_left(20_000), Some(5));
        assert_eq!(rate.seconds_left(1), Some(0));
    }

    #[test]
    fn what_was_here_before_is_no_speed_and_long_ago_is_forgotten() {
        let mut rate = Rate::default();
        assert_eq!(rate.a_second(), None);
        rate.tell(at(0), 1_000_000);
        rate.tell(at(100), 1_000_100);
        assert_eq!(rate.a_second(), None, "too soon");
        rate.tell(at(1000), 1_001_000);
        assert_eq!(rate.a_second(), Some(1000));
        for second in 2..=20 {
            rate.tell(at(second * 1000), 1_001_000);
        }
        assert_eq!(rate.a_second(), Some(0), "nothing has come for a while");
        assert_eq!(rate.seconds_left(2_000_000), None);
    }

    proptest! {
        #[test]
        fn it_keeps_few_moments(steps in proptest::collection::vec((0_u64..2000, 0_u64..1_000_000), 1..400)) {
            let (mut rate, mut now, mut octets) = (Rate::default(), 0, 0);
            for (step, more) in steps {
                now += step;
                octets += more;
                rate.tell(at(now), octets);
                prop_assert!(rate.moments.len() <= 110, "{}", rate.moments.len());
            }
        }
    }
}
