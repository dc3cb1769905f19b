//! Ages and dates in a query.
//!
//! ```text
//! age  = 1*DIGIT ( "h" / "d" / "w" / "y" )     ; a year has 365 days
//! date = year [ "-" month [ "-" day ] ]        ; 2019, 2019-05, 2019-05-03
//! ```

use std::ops::Range;

use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

/// What [`period_of`] takes, in words.
pub(crate) const PERIODS: &str = "2w, 3d, 1y, 2019, 2026-11 or 2026-11-02";

/// Parses a time span: `30d`, `12h`, `2w`, `1y`; digits alone are days.
pub fn age_of(text: &str) -> Option<SignedDuration> {
    let (digits, hours) = match text.strip_suffix(['h', 'd', 'w', 'y']) {
        Some(digits) if text.ends_with('h') => (digits, 1),
        Some(digits) if text.ends_with('w') => (digits, 7 * 24),
        Some(digits) if text.ends_with('y') => (digits, 365 * 24),
        Some(digits) => (digits, 24),
        None => (text, 24),
    };
    // 65535 days are longer than the net has existed.
    let count = digits.parse::<u16>().ok()?;
    Some(SignedDuration::from_hours(i64::from(count) * hours))
}

/// Returns the time that an age counted back from `now` or a date names, the local time zone's: an instant for an age,
/// a year, a month or a day for a date. The end does not belong to it.
pub(crate) fn period_of(value: &str, now: Timestamp) -> Option<Range<Timestamp>> {
    if value.ends_with(['h', 'd', 'w', 'y']) {
        let start = now.checked_sub(age_of(value)?).ok()?;
        return Some(start..start);
    }
    let mut numbers = value.splitn(3, '-');
    let mut number = |digits: usize| {
        let number = numbers.next()?;
        let is_number =
            number.len() == digits && number.bytes().all(|octet| octet.is_ascii_digit());
        Some(if is_number {
            number.parse::<i16>().ok()
        } else {
            None
        })
    };
    let (year, month, day) = (number(4)??, number(2), number(2));
    let small = |number: Option<i16>| i8::try_from(number?).ok();
    let (first, after) = match (month, day) {
        (None, _) => {
            let first = Date::new(year, 1, 1).ok()?;
            (first, first.checked_add(1.year()))
        }
        (Some(month), None) => {
            let first = Date::new(year, small(month)?, 1).ok()?;
            (first, first.checked_add(1.month()))
        }
        (Some(month), Some(day)) => {
            let first = Date::new(year, small(month)?, small(day)?).ok()?;
            (first, first.checked_add(1.day()))
        }
    };
    let midnight = |date: Date| {
        let zoned = date.to_zoned(TimeZone::system()).ok()?;
        Some(zoned.timestamp())
    };
    Some(midnight(first)?..midnight(after.unwrap_or(date(9999, 12, 31)))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_periods_and_ages_instants() {
        let now: Timestamp = "2026-11-22T12:00:00Z".parse().unwrap();
        let days = |value: &str| {
            let period = period_of(value, now)?;
            let days = period.end.duration_since(period.start).as_hours() / 24;
            Some(days)
        };
        for (value, expected) in [
            ("2019", Some(365)),
            ("2020", Some(366)),
            ("2020-02", Some(29)),
            ("2020-02-29", Some(1)),
            ("2w", Some(0)),
            ("1y", Some(0)),
            ("2021-02-29", None),
            ("2019-5", None),
            ("2019-", None),
            ("19", None),
            ("+019", None),
            ("yesterday", None),
            ("", None),
            ("2019-01-01-01", None),
        ] {
            assert_eq!(days(value), expected, "{value}");
        }
        let year = period_of("1y", now).unwrap();
        assert_eq!(now.duration_since(year.start).as_hours(), 365 * 24);
    }
}
