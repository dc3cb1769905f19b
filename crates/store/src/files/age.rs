//! The age of stored entries, where the user has set a limit for it.
//!
//! A clock that jumps, as on a machine without a battery when the network has told it the time, says nothing of ages
//! for a moment: in the first minute after a jump no entry is too old.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

/// Time after a jump of the clock for which no entry is too old.
const SETTLING: Duration = Duration::from_mins(1);

/// Maximum difference between what passes on the clock and the time that passes: a larger one is a jump.
const MAX_DRIFT: SignedDuration = SignedDuration::from_secs(5);

/// The clock of this process, from the first time that it was asked for an age.
static CLOCK: Mutex<Option<WatchedClock>> = Mutex::new(None);

/// Clock that is compared with the time that passes.
struct WatchedClock {
    /// The last reading, and when it was taken.
    last: (Timestamp, Instant),
    /// Time of the last jump.
    jumped: Option<Instant>,
}

impl WatchedClock {
    fn new(now: Timestamp, at: Instant) -> Self {
        Self {
            last: (now, at),
            jumped: None,
        }
    }

    /// Takes a reading. Returns true if the clock has not jumped in the last minute.
    fn is_settled(&mut self, now: Timestamp, at: Instant) -> bool {
        let (last, last_at) = self.last;
        let passed = at.saturating_duration_since(last_at);
        let passed = SignedDuration::try_from(passed).unwrap_or(SignedDuration::MAX);
        let drift = now.duration_since(last).saturating_sub(passed);
        if drift.abs() > MAX_DRIFT {
            self.jumped = Some(at);
        }
        self.last = (now, at);
        self.jumped
            .is_none_or(|jumped| at.saturating_duration_since(jumped) >= SETTLING)
    }
}

/// Returns the time before which entries are older than `age` at `now`; `None` in the first minute after the clock has
/// jumped, so that none is.
pub(crate) fn oldest(now: Timestamp, age: SignedDuration) -> Option<Timestamp> {
    let (clock, at) = (Timestamp::now(), Instant::now());
    let mut watched = CLOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let watched = watched.get_or_insert_with(|| WatchedClock::new(clock, at));
    let oldest = now.checked_sub(age).ok();
    oldest.filter(|_| watched.is_settled(clock, at))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DAY: i64 = 24 * 3600;

    #[test]
    fn nothing_is_too_old_in_the_first_minute_after_a_jump() {
        let (start, begin) = (Timestamp::from_second(100 * DAY).unwrap(), Instant::now());
        let mut clock = WatchedClock::new(start, begin);
        // The seconds that have passed, and those on the clock.
        for (passed, shown, expected) in [
            (0, 0, true),
            (3600, 3603, true),
            (3601, 3604 + 5000 * DAY, false),
            (3660, 3663 + 5000 * DAY, false),
            (3661, 3664 + 5000 * DAY, true),
            // Set right again.
            (3700, 3700, false),
            (3759, 3759, false),
            (3760, 3760, true),
            (90_000, 90_000, true),
        ] {
            let now = start + SignedDuration::from_secs(shown);
            let at = begin + Duration::from_secs(passed);
            assert_eq!(clock.is_settled(now, at), expected, "{passed} {shown}");
        }
    }

    proptest! {
        #[test]
        fn jump_of_any_size_is_seen(before in 0..1000_u64, jump in 10..10_000 * DAY, back: bool) {
            let (start, begin) = (Timestamp::from_second(20_000 * DAY).unwrap(), Instant::now());
            let mut clock = WatchedClock::new(start, begin);
            let at = begin + Duration::from_secs(before);
            let passed = SignedDuration::from_secs(i64::try_from(before).unwrap());
            prop_assert!(clock.is_settled(start + passed, at));
            let jump = SignedDuration::from_secs(if back { -jump } else { jump });
            prop_assert!(!clock.is_settled(start + passed + jump, at));
            let later = SignedDuration::from_secs(60);
            prop_assert!(clock.is_settled(start + passed + jump + later, at + Duration::from_mins(1)));
        }
    }
}
