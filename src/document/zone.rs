//! The zone in which dates are shown.

use std::sync::{Arc, LazyLock};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::Document;

/// A time zone that is found out when the first date is shown: reading the system's takes most of a millisecond, and
/// would slow every start.
#[derive(Clone, Debug)]
pub struct Zone(Arc<LazyLock<TimeZone>>);

impl Zone {
    /// The zone that this finds out, once.
    pub fn new(find: fn() -> TimeZone) -> Self {
        Self(Arc::new(LazyLock::new(find)))
    }

    /// The system's; UTC where it has none.
    pub fn system() -> Self {
        Self::new(TimeZone::system)
    }

    /// What its clocks show then, as in `2026-11-20 14:03`.
    pub fn written(&self, time: Timestamp) -> String {
        let shown = self.0.to_datetime(time);
        shown.strftime("%Y-%m-%d %H:%M").to_string()
    }

    /// What its clocks show at so many seconds since 1970, UTC; nothing beyond the calendar.
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

impl Document {
    /// Shows dates in this zone from now on.
    pub fn set_zone(&mut self, zone: Zone) {
        if let Some(listing) = self.body.listing_mut() {
            listing.set_zone(zone);
        }
    }

    /// Takes how far the clock of a listing's server is ahead of UTC, in minutes.
    pub fn set_clock(&mut self, minutes: i32) {
        if let Some(listing) = self.body.listing_mut() {
            listing.set_clock(minutes);
        }
    }
}
