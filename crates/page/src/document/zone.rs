//! The time zone in which dates are shown.

use std::sync::{Arc, LazyLock};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A time zone that is determined when the first date is shown. Loading the system's zone takes most of a millisecond,
/// and would slow every start.
#[derive(Clone, Debug)]
pub struct Zone {
    zone: Arc<LazyLock<TimeZone>>,
    /// The clock that determines the current day; nothing shows no date as one of today.
    clock: Option<fn() -> Timestamp>,
}

/// Zones are equal if one is a copy of the other.
impl PartialEq for Zone {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.zone, &other.zone)
    }
}

impl Zone {
    /// Returns a zone that `find` determines once, on first use.
    pub fn new(find: fn() -> TimeZone) -> Self {
        Self {
            zone: Arc::new(LazyLock::new(find)),
            clock: None,
        }
    }

    /// Returns the zone with a clock: dates of the current day are shown as times.
    #[must_use]
    pub fn with_clock(self, clock: fn() -> Timestamp) -> Self {
        Self {
            clock: Some(clock),
            ..self
        }
    }

    /// The zone of the system; UTC where it has none.
    pub fn system() -> Self {
        Self::new(TimeZone::system)
    }

    /// Formats a time in the zone, as `2026-11-20 14:03`.
    pub fn written(&self, time: Timestamp) -> String {
        let shown = self.zone.to_datetime(time);
        shown.strftime("%Y-%m-%d %H:%M").to_string()
    }

    /// Formats the day of a time in the zone, as `2026-11-20`; a time of the current day as `14:03`.
    pub(super) fn day_or_time(&self, time: Timestamp) -> String {
        let shown = self.zone.to_datetime(time);
        let today = self.clock.map(|now| self.zone.to_datetime(now()).date());
        if today == Some(shown.date()) {
            shown.strftime("%H:%M").to_string()
        } else {
            shown.date().to_string()
        }
    }

    /// The local time in the zone at `seconds` since 1970, UTC; nothing outside the supported range.
    pub(super) fn civil(&self, seconds: i64) -> Option<DateTime> {
        let stamp = Timestamp::from_second(seconds).ok()?;
        Some(self.zone.to_datetime(stamp))
    }
}

impl Default for Zone {
    /// UTC.
    fn default() -> Self {
        Self::new(|| TimeZone::UTC)
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::Offset;

    use super::*;

    #[test]
    fn times_of_today_in_the_zone_are_shown_as_times() {
        let east = Zone::new(|| TimeZone::fixed(Offset::constant(2)));
        let clock = || Timestamp::constant(1_795_376_400, 0); // 2026-11-22 21:00 UTC
        let shown = |time: &str, zone: &Zone| zone.day_or_time(time.parse().unwrap());
        let with_clock = east.clone().with_clock(clock);
        for (time, expected) in [
            ("2026-11-22T19:03:00Z", "21:03"),
            ("2026-11-22T21:59:59Z", "23:59"),
            ("2026-11-21T22:00:00Z", "00:00"),
            ("2026-11-21T21:59:59Z", "2026-11-21"),
            ("2026-11-22T22:00:00Z", "2026-11-23"),
            ("2025-11-22T19:03:00Z", "2025-11-22"),
        ] {
            assert_eq!(shown(time, &with_clock), expected, "{time}");
        }
        assert_eq!(shown("2026-11-22T19:03:00Z", &east), "2026-11-22");
    }
}
