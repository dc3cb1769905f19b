//! Remarks beside a listing: the server's messages, its clock offset, the readme and the
//! descriptions of files. A page is complete without them.
//!
//! The offset of the server's listing clock from UTC is computed from one file that appears both in the listing and in
//! the reply to MDTM (RFC 3659, section 3: always UTC). The readme is found while the listing arrives.

use geomys_wire::protocol::ftp::listing::{
    self, Clock, Date, Day, Descriptions, Entry, Format, Kind, Line,
};
use geomys_wire::protocol::ftp::{DataReply, Representation};
use geomys_wire::protocol::octets;
use geomys_wire::text::Text;
use memchr::memmem::Finder;
use memchr::{memchr, memrchr};
use tokio::time::timeout;

use super::TIME_LIMIT;
use super::command::{DirectoryMessages, TargetError, TargetJob, TargetOutcome};
use crate::sniff::{SAMPLE, is_text};
use crate::words::{text, today};
use crate::{Part, Purpose, Stop};
use geomys_page::document::{Remark, SERVER_MESSAGES};

impl TargetJob<'_> {
    /// Sends the server's messages as one remark: the greeting of a new connection, and those about this directory.
    pub(super) async fn remark_on(&mut self, messages: DirectoryMessages) -> Result<(), Stop> {
        let mut said = Vec::new();
        if self.is_new || self.target.path().is_empty() {
            let login = self.connection.login_messages().clone();
            said.extend([login.banner, login.welcome]);
        }
        said.push(messages.said);
        let said: Vec<_> = said.into_iter().flatten().collect();
        if !said.is_empty() {
            let title = format!("{SERVER_MESSAGES} ({})", said.len());
            self.put_remark(&title, said.join(&b"\n"[..])).await?;
        }
        if messages.skipped > 0 {
            let skipped = b"The path has an empty name, which this server does not accept as RFC 1738 defines it. \
                           It was skipped.\n";
            self.put_remark("an empty name", skipped.to_vec()).await?;
        }
        Ok(())
    }

    async fn put_remark(&self, title: &str, octets: Vec<u8>) -> Result<(), Stop> {
        let title = Text::of(title);
        self.sink.put(Part::Remark(Remark { title, octets })).await
    }

    /// Finds the offset of the server's clock, if the listing uses that clock.
    pub(super) async fn send_clock(
        &mut self,
        ended: TargetOutcome,
        first: &[u8],
        format: Option<Format>,
    ) -> Result<TargetOutcome, Stop> {
        let whole = memchr::memrchr(b'\n', first).and_then(|end| first.get(..end));
        let sample = whole.and_then(|lines| sample(lines, format, today()));
        let (TargetOutcome::Complete(end), Some(sample), Purpose::Show) =
            (&ended, sample, self.request.purpose)
        else {
            return Ok(ended);
        };
        let asking = self.connection.modified(&sample.name);
        let Ok(Ok(modified)) = timeout(TIME_LIMIT.min(self.net.limits().idle), asking).await else {
            return Ok(TargetOutcome::OutOfStep(*end));
        };
        if let Some(minutes) = modified.and_then(|modified| sample.ahead(&modified)) {
            self.sink.put(Part::Clock(minutes)).await?;
        }
        Ok(ended)
    }

    /// Sends the beginnings of the readme and of the file with descriptions, if the listing has them.
    pub(super) async fn send_readme(
        &mut self,
        ended: TargetOutcome,
        readme: &mut ReadmeFinder,
    ) -> Result<TargetOutcome, TargetError> {
        for name in readme.names() {
            let (TargetOutcome::Complete(end), Purpose::Show) = (&ended, self.request.purpose)
            else {
                return Ok(ended);
            };
            let reading = timeout(
                TIME_LIMIT.min(self.net.limits().idle),
                self.remark_of(&name),
            );
            match reading.await {
                Ok(Err(TargetError::Load(Stop::Closed))) => return Err(Stop::Closed.into()),
                Ok(Ok(true)) => {}
                Ok(Ok(false) | Err(_)) | Err(_) => return Ok(TargetOutcome::OutOfStep(*end)),
            }
        }
        Ok(ended)
    }

    /// Fetches the beginning of a readme and sends it as a remark. Returns true if the connection is reusable.
    async fn remark_of(&mut self, name: &[u8]) -> Result<bool, TargetError> {
        let fetched = self
            .connection
            .fetch(self.net, name, Representation::Ascii, 0)
            .await?;
        let DataReply::Transfer(mut transfer) = fetched else {
            return Ok(true);
        };
        let mut octets = Vec::new();
        loop {
            let more = self.connection.read(self.net, &mut transfer).await?;
            if more.is_empty() {
                break;
            }
            octets.extend(more);
            if octets.len() > ReadmeFinder::MAX_README_BYTES {
                // The server is still sending: a new connection is faster than ABOR.
                octets.truncate(ReadmeFinder::MAX_README_BYTES);
                self.put_readme(name, octets).await?;
                return Ok(false);
            }
        }
        let ended = self.connection.finish(self.net, transfer, true).await;
        self.put_readme(name, octets).await?;
        Ok(ended.is_ok())
    }

    async fn put_readme(&self, name: &[u8], octets: Vec<u8>) -> Result<(), Stop> {
        if !is_text(octets.get(..SAMPLE).unwrap_or(&octets), None) {
            return Ok(());
        }
        let title = text(name);
        self.sink.put(Part::Remark(Remark { title, octets })).await
    }
}

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
    let lines = || octets::lines(octets).take(listing::SAMPLE);
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

/// The names of readme files in lower case, in order of preference.
const NAMES: [&[u8]; 8] = [
    b"readme",
    b"readme.txt",
    b"readme.md",
    b"00readme",
    b"0readme",
    b"00_readme",
    b"00-readme",
    b"readme.1st",
];

/// The part of these names, and of those of files with descriptions, to search for in a line, in all spellings that
/// occur.
const SIGNS: [&[u8]; 9] = [
    b"README",
    b"Readme",
    b"readme",
    b".BBS",
    b".bbs",
    b"DESCRIPT",
    b"descript.ion",
    b"INDEX",
    b"index",
];

/// A search for a readme, and for descriptions of files, in a listing.
pub(super) struct ReadmeFinder {
    format: Option<Format>,
    /// The day that determines the year of dates without one.
    today: Day,
    /// The beginning of an incomplete line.
    tail: Vec<u8>,
    found: Option<(usize, Vec<u8>)>,
    /// The name of the first file with descriptions.
    descriptions: Option<Vec<u8>>,
    finders: [Finder<'static>; SIGNS.len()],
}

impl ReadmeFinder {
    /// The most octets of a readme that are shown; a longer one is opened separately.
    pub(super) const MAX_README_BYTES: usize = 64 * 1024;

    /// The octets of a line that are examined.
    const LINE: usize = 4096;

    /// Creates a search; `format` is that of the listing, when known.
    pub(super) fn new(format: Option<Format>, today: Day) -> Self {
        Self {
            format,
            today,
            tail: Vec::new(),
            found: None,
            descriptions: None,
            finders: SIGNS.map(Finder::new),
        }
    }

    /// Takes the next octets of the listing.
    pub(super) fn take(&mut self, octets: &[u8]) {
        let Some(end) = memchr(b'\n', octets) else {
            self.push_tail(octets);
            return;
        };
        let (first, rest) = octets.split_at(end);
        self.push_tail(first);
        let line = std::mem::take(&mut self.tail);
        self.check_line(&line);
        let last = memrchr(b'\n', rest).unwrap_or_default();
        let (whole, tail) = rest.split_at(last);
        for finder in self.finders.clone() {
            for at in finder.find_iter(whole) {
                let (before, after) = whole.split_at(at);
                let start = memrchr(b'\n', before).map_or(0, |at| at + 1);
                let end = at + memchr(b'\n', after).unwrap_or(after.len());
                self.check_line(whole.get(start..end).unwrap_or_default());
            }
        }
        self.push_tail(tail.strip_prefix(b"\n").unwrap_or(tail));
    }

    /// Returns the names of the best readme and of the file with descriptions.
    pub(super) fn names(&mut self) -> Vec<Vec<u8>> {
        let line = std::mem::take(&mut self.tail);
        self.check_line(&line);
        let readme = self.found.as_ref().map(|(_, name)| name.clone());
        readme
            .into_iter()
            .chain(self.descriptions.clone())
            .collect()
    }

    fn push_tail(&mut self, octets: &[u8]) {
        let room = Self::LINE.saturating_sub(self.tail.len());
        self.tail.extend(octets.iter().take(room));
    }

    fn check_line(&mut self, line: &[u8]) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !self
            .finders
            .iter()
            .any(|finder| finder.find(line).is_some())
        {
            return;
        }
        let format = self
            .format
            .unwrap_or_else(|| Format::guess(std::iter::once(line)));
        let Line::Entry(Entry { name, kind, .. }) = format.line(line, self.today) else {
            return;
        };
        match kind {
            Kind::File | Kind::Unknown | Kind::Symlink(_) => {}
            Kind::Directory | Kind::Other => return,
        }
        if Descriptions::are_in(name) {
            self.descriptions.get_or_insert_with(|| name.to_vec());
            return;
        }
        let lower = name.to_ascii_lowercase();
        let Some(rank) = NAMES
            .iter()
            .position(|candidate| *candidate == lower.as_slice())
        else {
            return;
        };
        if self.found.as_ref().is_none_or(|(found, _)| rank < *found) {
            self.found = Some((rank, name.to_vec()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: Day = Day {
        year: 2026,
        month: 11,
        day: 22,
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

    const LIST: &[u8] = b"total 4\r\n-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 readme.txt\r\n\
        drwxr-xr-x 1 ftp ftp 12 Mar 14 1994 README\r\n\
        -rw-r--r-- 1 ftp ftp 12 Mar 14 1994 not README\r\n\
        -rw-r--r-- 1 ftp ftp 12 Mar 14 1994 ReadMe\r\n\
        -rw-r--r-- 1 ftp ftp 12 Mar 14 1994 Readme";

    #[test]
    fn readme_with_a_date_without_year_is_found() {
        let mut readme = ReadmeFinder::new(None, TODAY);
        readme
            .take(b"total 3\r\n-rw-r--r--    1 0        0              19 Nov 22 21:57 README\r\n");
        assert_eq!(readme.names(), [b"README"]);
    }

    proptest::proptest! {
        #[test]
        fn the_best_is_found_for_any_split(cuts in proptest::collection::vec(1_usize..80, 0..8)) {
            let mut readme = ReadmeFinder::new(None, TODAY);
            let mut rest = LIST;
            for cut in cuts {
                let (now, later) = rest.split_at(cut.min(rest.len()));
                readme.take(now);
                rest = later;
            }
            readme.take(rest);
            proptest::prop_assert_eq!(readme.names(), [b"Readme"]);
        }

        #[test]
        fn any_octets_are_accepted(pieces: Vec<Vec<u8>>) {
            let mut readme = ReadmeFinder::new(None, TODAY);
            for piece in pieces {
                readme.take(&piece);
            }
            readme.names();
        }
    }
}
