//! Dates in the files of other programs, as seconds since 1970.
//!
//! ```text
//! date = number                     ; of seconds, milliseconds or microseconds since 1970, or microseconds since 1601 (Chromium)
//!      / date-time                  ; RFC 3339; UTC without an offset, midnight without a time
//!      / RFC 822 date               ; OPML
//!      / "Tue Oct 26 12:00:00 1993" ; Mosaic
//! ```

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;

/// Seconds between 1601 and 1970.
const SECONDS_FROM_1601: i64 = 11_644_473_600;

/// Returns the seconds since 1970 of a date in any of these forms.
pub(super) fn parse(written: &str) -> Option<i64> {
    let written = written.trim();
    if let Some(number) = number(written) {
        return from_number(number);
    }
    let timestamp = written.parse::<Timestamp>().ok();
    let timestamp =
        timestamp.or_else(|| civil(written)?.to_zoned(TimeZone::UTC).ok().map(Into::into));
    let timestamp = timestamp.or_else(|| {
        let parser = rfc2822::DateTimeParser::new();
        parser.parse_timestamp(written).ok()
    });
    timestamp.map(Timestamp::as_second)
}

/// Formats seconds since 1970 as a date of RFC 822, and as one of RFC 3339 for the years that RFC 822 has not.
pub(super) fn rfc822(seconds: i64) -> Option<String> {
    let timestamp = Timestamp::from_second(seconds).ok()?;
    let written = rfc2822::DateTimePrinter::new().timestamp_to_string(&timestamp);
    Some(written.unwrap_or_else(|_| timestamp.to_string()))
}

/// Returns a number without its fraction.
fn number(written: &str) -> Option<i64> {
    let (whole, fraction) = written.split_once('.').unwrap_or((written, ""));
    let is_fraction = fraction.bytes().all(|octet| octet.is_ascii_digit());
    whole.parse().ok().filter(|_| is_fraction)
}

/// Returns the seconds of a number whose unit follows from its size.
fn from_number(number: i64) -> Option<i64> {
    let is_date = |seconds: &i64| Timestamp::from_second(*seconds).is_ok();
    let of_chromium = (number / 1_000_000).checked_sub(SECONDS_FROM_1601);
    let units = [1, 1000, 1_000_000].map(|unit| number / unit);
    match of_chromium {
        // Otherwise it would be a date after the year 2338.
        Some(seconds @ 0..) => Some(seconds).filter(is_date),
        Some(_) | None => units.into_iter().find(is_date),
    }
}

fn civil(written: &str) -> Option<DateTime> {
    let date = written.parse().ok();
    date.or_else(|| DateTime::strptime("%a %b %e %H:%M:%S %Y", written).ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn all_forms_of_a_date_are_the_same_second() {
        for written in [
            "1714557600",
            " 1714557600 ",
            "1714557600.75",
            "1714557600123",
            "1714557600123456",
            "13359031200000000",
            "2024-05-01T10:00:00Z",
            "2024-05-01T12:00:00.5+02:00",
            "2024-05-01 10:00:00",
            "Wed, 01 May 2024 10:00:00 GMT",
            "Wed, 01 May 2024 12:00:00 +0200",
            "Wed May  1 10:00:00 2024",
        ] {
            assert_eq!(parse(written), Some(1_714_557_600), "{written}");
        }
        assert_eq!(parse("2024-05-01"), Some(1_714_521_600));
        for other in ["", "yesterday", "1.2.2024", "12h", "2024-13-01"] {
            assert_eq!(parse(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn every_second_is_parsed_as_it_was_written(
            second in Timestamp::MIN.as_second()..=Timestamp::MAX.as_second(),
        ) {
            prop_assert_eq!(parse(&second.to_string()), Some(second));
            prop_assert_eq!(parse(&rfc822(second).unwrap()), Some(second));
        }

        #[test]
        fn any_text_is_a_date_or_none(written in "\\PC{0,24}") {
            if let Some(second) = parse(&written) {
                prop_assert!(Timestamp::from_second(second).is_ok());
            }
        }
    }
}
