//! How far the clock by which a server writes its listings is ahead of UTC: found out by one file of which both the
//! listing and MDTM (RFC 3659, section 3: always UTC) tell the time.

use crate::protocol::ftp::listing::{Clock, Date, Day, Entry, Format, Kind, Line, SAMPLE};

/// Minutes of the finest zone there is.
const ZONE: i64 = 15;

/// Minutes that a zone is at most away from UTC, the date line's odd ones included.
const FARTHEST: i64 = 15 * 60;

/// Minutes by which two times of one file may differ: listings leave the seconds out.
const SLACK: i64 = 2;

/// A file by which the clock can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sign {
    /// Its name.
    pub(super) name: Vec<u8>,
    /// When it was changed last, by the server's clock.
    date: Date,
}

/// The first file in these octets, which are whole lines of a listing, whose time is in the server's own zone.
pub(super) fn sign(octets: &[u8], format: Option<Format>, today: Day) -> Option<Sign> {
    let lines = || {
        let lines = octets.split(|&octet| octet == b'\n').take(SAMPLE);
        lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    };
    let format = format.unwrap_or_else(|| Format::guess(lines()));
    lines().find_map(|line| match format.line(line, today) {
        Line::Entry(Entry {
            name,
            kind: Kind::File,
            date: Some(date),
            ..
        }) if date.time.is_some() && date.clock == Clock::Server => Some(Sign {
            name: name.to_vec(),
            date,
        }),
        Line::Entry(_) | Line::Aside | Line::Odd => None,
    })
}

impl Sign {
    /// Minutes by which the server's clock is ahead, when MDTM gives these fourteen digits for the same file. Nothing
    /// where the two are not a zone apart: the file has changed meanwhile, or one of them tells something else.
    pub(super) fn ahead(&self, modified: &str) -> Option<i32> {
        let utc = seconds(modified)?;
        let minutes = (self.date.seconds(0) - utc).div_euclid(60);
        let zone = (minutes + ZONE / 2).div_euclid(ZONE) * ZONE;
        let fits = (minutes - zone).abs() <= SLACK && zone.abs() <= FARTHEST;
        i32::try_from(zone).ok().filter(|_| fits)
    }
}

/// Fourteen digits as seconds since 1970.
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
        sign(list, None, TODAY)?.ahead(modified)
    }

    #[test]
    fn a_file_of_both_tells_the_zone() {
        const LIST: &[u8] = b"total 3\r\n\
            drwxr-xr-x 1 ftp ftp 12 Nov 20 10:00 directory\r\n\
            -rw-r--r-- 1 ftp ftp 12 Mar 14 1994 old\r\n\
            -rw-r--r-- 1 ftp ftp 12 Nov 20 10:00 file\r\n";
        assert_eq!(
            sign(LIST, None, TODAY).map(|sign| sign.name),
            Some(b"file".to_vec())
        );
        for (modified, expected) in [
            ("20261120100031", Some(0)),
            ("20261120090000", Some(60)),
            ("20261120150059", Some(-300)),
            ("20261120043000", Some(330)),
            // Nepal.
            ("20261120041510", Some(345)),
            // It has changed since, or is another time altogether.
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
        assert_eq!(sign(facts, Some(Format::Facts), TODAY), None);
        let iso = b"-rw-r--r-- 1 ftp ftp 12 2026-11-20 10:00:00.000000000 +0100 file\r\n";
        assert_eq!(sign(iso, None, TODAY), None);
    }
}
