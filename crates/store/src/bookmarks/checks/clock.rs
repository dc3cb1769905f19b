//! The clock by which ages of link checks are counted. A machine may start years ahead, and then every state is old: a
//! query by an age selects bookmarks for a change only if a stored check bears the clock out.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Maximum time since the newest check of an earlier day.
const MAX_GAP: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Minimum time to a check of an earlier day: a run over midnight confirms nothing.
const MIN_GAP: SignedDuration = SignedDuration::from_hours(12);

/// Returns true if one of the times bears `now` out: that of an earlier day, at most 30 days ago.
pub(super) fn confirm(now: Timestamp, times: impl Iterator<Item = Timestamp>) -> bool {
    let newest = times.filter(|time| is_earlier(*time, now)).max();
    newest.is_some_and(|newest| now.duration_since(newest) <= MAX_GAP)
}

/// Returns true if a time is of an earlier day than `now`, so that it says something of the clock.
pub(super) fn is_earlier(time: Timestamp, now: Timestamp) -> bool {
    now.duration_since(time) >= MIN_GAP && day(time) < day(now)
}

fn day(time: Timestamp) -> Date {
    time.to_zoned(TimeZone::UTC).date()
}
