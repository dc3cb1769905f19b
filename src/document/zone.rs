//! The time zone in which dates are shown.

use std::sync::{Arc, LazyLock};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A time zone that is determined when the first date is shown. Loading the system's zone takes most of a millisecond,
/// and would slow every start.
#[derive(Clone, Debug)]
pub struct Zone(Arc<LazyLock<TimeZone>>);

impl Zone {
    /// Returns a zone that `find` determines once, on first use.
    pub fn new(find: fn() -> TimeZone) -> Self {
        Self(Arc::new(LazyLock::new(find)))
    }

    /// The zone of the system; UTC where it has none.
    pub fn system() -> Self {
        Self::new(TimeZone::system)
    }

    /// Formats a time in the zone, as `2026-11-20 14:03`.
    pub fn written(&self, time: Timestamp) -> String {
        let shown = self.0.to_datetime(time);
        shown.strftime("%Y-%m-%d %H:%M").to_string()
    }

    /// The local time in the zone at `seconds` since 1970, UTC; nothing outside the supported range.
    pub(super) fn civil(&self, seconds: i64) -> Option<DateTime> {
        let stamp = Timestamp::from_second(seconds).ok()?;
        Some(self.0.to_datetime(stamp))
    }
}

impl Default for Zone {
    /// UTC.
    fn default() -> Self {
        Self::new(|| TimeZone::UTC)
    }
}
