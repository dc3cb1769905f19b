//! Finds the readme among a directory's entries while the listing arrives.

use geomys_wire::protocol::ftp::listing::{Day, Entry, Format, Kind, Line};
use memchr::memmem::Finder;
use memchr::{memchr, memrchr};

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

/// The part of these names to search for in a line, in all spellings that occur.
const SIGNS: [&[u8]; 3] = [b"README", b"Readme", b"readme"];

/// A search for a readme in a listing.
pub(super) struct ReadmeFinder {
    format: Option<Format>,
    /// The day that determines the year of dates without one.
    today: Day,
    /// The beginning of an incomplete line.
    tail: Vec<u8>,
    found: Option<(usize, Vec<u8>)>,
    finders: [Finder<'static>; 3],
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

    /// Returns the name of the best readme, or None.
    pub(super) fn name(&mut self) -> Option<&[u8]> {
        let line = std::mem::take(&mut self.tail);
        self.check_line(&line);
        self.found.as_ref().map(|(_, name)| name.as_slice())
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
        assert_eq!(readme.name(), Some(b"README".as_slice()));
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
            proptest::prop_assert_eq!(readme.name(), Some(b"Readme".as_slice()));
        }

        #[test]
        fn any_octets_are_accepted(pieces: Vec<Vec<u8>>) {
            let mut readme = ReadmeFinder::new(None, TODAY);
            for piece in pieces {
                readme.take(&piece);
            }
            readme.name();
        }
    }
}
