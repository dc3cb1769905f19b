//! Which of a directory's entries is there to be read first: noticed while the listing goes by.

use memchr::memmem::Finder;
use memchr::{memchr, memrchr};

use crate::protocol::ftp::listing::{Day, Entry, Format, Kind, Line};

/// Names that are read first, the best first, in small letters.
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

/// What of them stands in a line, as it is written.
const SIGNS: [&[u8]; 3] = [b"README", b"Readme", b"readme"];

/// A listing that is looked through.
pub(super) struct Readme {
    format: Option<Format>,
    /// The beginning of a line whose end has not come.
    tail: Vec<u8>,
    found: Option<(usize, Vec<u8>)>,
    finders: [Finder<'static>; 3],
}

impl Readme {
    /// How much of one is shown, in octets; a longer one is opened by itself.
    pub(super) const LONGEST: usize = 64 * 1024;

    /// Octets of a line that are looked at.
    const LINE: usize = 4096;

    /// `format` is that of the listing, where it is known.
    pub(super) fn new(format: Option<Format>) -> Self {
        Self {
            format,
            tail: Vec::new(),
            found: None,
            finders: SIGNS.map(Finder::new),
        }
    }

    /// The next octets of the listing.
    pub(super) fn take(&mut self, octets: &[u8]) {
        let Some(end) = memchr(b'\n', octets) else {
            self.keep(octets);
            return;
        };
        let (first, rest) = octets.split_at(end);
        self.keep(first);
        let line = std::mem::take(&mut self.tail);
        self.look(&line);
        let last = memrchr(b'\n', rest).unwrap_or_default();
        let (whole, tail) = rest.split_at(last);
        for finder in self.finders.clone() {
            for at in finder.find_iter(whole) {
                let (before, after) = whole.split_at(at);
                let start = memrchr(b'\n', before).map_or(0, |at| at + 1);
                let end = at + memchr(b'\n', after).unwrap_or(after.len());
                self.look(whole.get(start..end).unwrap_or_default());
            }
        }
        self.keep(tail.strip_prefix(b"\n").unwrap_or(tail));
    }

    /// The name of the one to read; nothing where there is none.
    pub(super) fn name(&mut self) -> Option<&[u8]> {
        let line = std::mem::take(&mut self.tail);
        self.look(&line);
        self.found.as_ref().map(|(_, name)| name.as_slice())
    }

    fn keep(&mut self, octets: &[u8]) {
        let room = Self::LINE.saturating_sub(self.tail.len());
        self.tail.extend(octets.iter().take(room));
    }

    fn look(&mut self, line: &[u8]) {
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
        let Line::Entry(Entry { name, kind, .. }) = format.line(line, Day::default()) else {
            return;
        };
        match kind {
            Kind::File | Kind::Unsaid | Kind::Symlink(_) => {}
            Kind::Directory | Kind::Other => return,
        }
        let small = name.to_ascii_lowercase();
        let Some(rank) = NAMES.iter().position(|known| *known == small.as_slice()) else {
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

    const LIST: &[u8] = b"total 4\r\n-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 readme.txt\r\n\
        drwxr-xr-x 1 ftp ftp 12 Mar 14 1994 README\r\n\
        -rw-r--r-- 1 ftp ftp 12 Mar 14 1994 not README\r\n\
        -rw-r--r-- 1 ftp ftp 12 Mar 14 1994 ReadMe\r\n\
        -rw-r--r-- 1 ftp ftp 12 Mar 14 1994 Readme";

    proptest::proptest! {
        #[test]
        fn the_best_is_found_however_it_comes(cuts in proptest::collection::vec(1_usize..80, 0..8)) {
            let mut readme = Readme::new(None);
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
        fn any_octets_are_looked_through(pieces: Vec<Vec<u8>>) {
            let mut readme = Readme::new(None);
            for piece in pieces {
                readme.take(&piece);
            }
            readme.name();
        }
    }
}
