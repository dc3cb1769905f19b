//! The offset of the server's listing clock from UTC. It is computed from one file that appears both in the listing and
//! in the reply to MDTM (RFC 3659, section 3: always UTC).

use geomys_wire::protocol::ftp::listing::{Clock, Date, Day, Entry, Format, Kind, Line, SAMPLE};
use geomys_wire::protocol::octets;

/// The smallest step between time zones, in minutes.
const ZONE: i64 = 15;

/// The largest offset of a time zone from UTC, in minutes, including the odd ones at the date line.
const MAX_OFFSET_MINUTES: i64 = 15 * 60;

/// The tolerance between two times of one file, in minutes: listings leave out the seconds.
const TOLERANCE: i64 = 2;

/// A file with a time in the listing, used to compute the clock offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ClockSample {
    /// The file name.
    pub(super) name: Vec<u8>,
    /// The time of the last change, by the server's clock.
    date: Date,
}

/// Returns the first file in these whole lines of a listing whose time is in the server's own zone.
pub(super) fn sample(octets: &[u8], format: Option<Format>, today: Day) -> Option<ClockSample> {
    let lines = || octets::lines(octets).take(SAMPLE);
    let format = format.unwrap_or_else(|| Format::guess(lines()));
    lines().find_map(|line| match format.line(line, today) {
        Line::Entry(Entry {
            name,
            kind: Kind::File,
            date: Some(date),
            ..
        }) if date.time.is_some() && date.clock == Clock::Server => Some(ClockSample {
            name: name.to_vec(),
            date,
        }),
        Line::Entry(_) | Line::Metadata | Line::Unrecognized => None,
    })
}

impl ClockSample {
    /// Returns the minutes by which the server's clock is ahead, given the fourteen digits of MDTM for the same file.
    /// None when the difference is not that of a time zone: the file has changed meanwhile, or one of the times means
    /// something else.
    pub(super) fn ahead(&self, modified: &str) -> Option<i32> {
        let utc = seconds(modified)?;
        let minutes = (self.date.seconds(0) - utc).div_euclid(60);
        let zone = (minutes + ZONE / 2).div_euclid(ZONE) * ZONE;
        let is_zone = (minutes - zone).abs() <= TOLERANCE && zone.abs() <= MAX_OFFSET_MINUTES;
        i32::try_from(zone).ok().filter(|_| is_zone)
    }
}

/// Converts fourteen digits to seconds since 1970.
fn seconds(digits: &str) -> Option<i64> {
    let date = jiff::civil::DateTime::strptime("%Y%m%d%H%M%S", digits).ok()?;
    let instant = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(instant.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: Day = Day {
        year: 2026,
        month: 11,
        day: 20,
    };

    fn ahead(list: &[u8], modified: &str) -> Option<i32> {
        sample(list, None, TODAY)?.ahead(modified)
    }

    #[test]
    fn a_file_of_both_tells_the_zone() {
        const LIST: &[u8] = b"total 3\r\n\
            drwxr-xr-x 1 ftp ftp 12 Nov 20 10:00 directory\r\n\
            -rw-r--r-- 1 ftp ftp 12 Mar 14 1994 old\r\n\
            -rw-r--r-- 1 ftp ftp 12 Nov 20 10:00 file\r\n";
        assert_eq!(
            sample(LIST, None, TODAY).map(|sample| sample.name),
            Some(b"file".to_vec())
        );
        for (modified, expected) in [
            ("20261120100031", Some(0)),
            ("20261120090000", Some(60)),
            ("20261120150059", Some(-300)),
            ("20261120043000", Some(330)),
            // Nepal.
            ("20261120041510", Some(345)),
            // The file has changed since, or the time is unrelated.
            ("20261120093300", None),
            ("20261118100000", None),
            ("2026112010", None),
            ("99999999999999", None),
        ] {
            assert_eq!(ahead(LIST, modified), expected, "{modified}");
        }
    }

    #[test]
    fn a_listing_that_has_its_own_zone_needs_none() {
        let facts = b"type=file;modify=20261120100000; file\r\n";
        assert_eq!(sample(facts, Some(Format::Facts), TODAY), None);
        let iso = b"-rw-r--r-- 1 ftp ftp 12 2026-11-20 10:00:00.000000000 +0100 file\r\n";
        assert_eq!(sample(iso, None, TODAY), None);
    }
}
