//! Basis of a resume: the state file of a partial file with the source of its octets, and the comparison of the overlap
//! of both with the octets that the server sends.
//!
//! ```text
//! state = "geomys transfer 1" LF *( line LF )
//! line  = "url" SP url / "size" SP digits / "modified" SP digits / "tag" SP tag / "octets" SP digits
//!       / "whole" SP device SP inode SP octets [ SP "unconfirmed" ]
//! ```
//!
//! Any other line is ignored. The URL is without its password. `octets` is written when a transfer ends early and the
//! octets are on the disk; without it, the length of the partial file is used. `whole` is written when all octets are
//! on the disk, before the file gets its final name: a transfer that is stopped before its state is removed finds the
//! file by it.

use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fs, io};

use geomys_load::Version;

use crate::files::{atomic, regular};

/// First line of the file.
const HEAD: &str = "geomys transfer 1";

/// Maximum size of a state file, in octets.
const CAP: u64 = 256 * 1024;

/// The word for a file whose end the server did not confirm.
const UNCONFIRMED: &str = "unconfirmed";

/// State of a partial file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// Source of the octets, without a password.
    pub(super) url: String,
    /// Version of the complete file, as the server reported it.
    pub(super) version: Version,
    /// Number of octets that are safely on the disk.
    pub(super) octets: Option<u64>,
    /// The whole file.
    pub(super) whole: Option<WholeFileId>,
}

/// A file that has all its octets, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WholeFileId {
    /// The device and the inode.
    inode: (u64, u64),
    /// The length in octets: an inode is used again when its file is gone.
    octets: u64,
    /// True if the server did not confirm the end.
    pub(super) is_unconfirmed: bool,
}

impl WholeFileId {
    /// Returns the identity of an open file.
    ///
    /// # Errors
    /// The file cannot be examined.
    pub(super) fn of(file: &File, is_unconfirmed: bool) -> io::Result<Self> {
        let is = file.metadata()?;
        Ok(Self {
            inode: (is.dev(), is.ino()),
            octets: is.len(),
            is_unconfirmed,
        })
    }

    /// Returns the path of the file in a directory, and its length in octets. Blocks.
    pub(super) fn find(&self, directory: &Path) -> Option<(PathBuf, u64)> {
        let entries = fs::read_dir(directory).ok()?;
        entries.flatten().find_map(|entry| {
            let is = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            let is_own = (is.dev(), is.ino()) == self.inode && is.len() == self.octets;
            is_own.then(|| (entry.path(), is.len()))
        })
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let inode = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let octets = words.next()?.parse().ok()?;
        let is_unconfirmed = words.next() == Some(UNCONFIRMED);
        Some(Self {
            inode,
            octets,
            is_unconfirmed,
        })
    }
}

impl State {
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        if lines.next() != Some(HEAD) {
            return None;
        }
        let mut state = Self::default();
        for line in lines {
            match line.split_once(' ') {
                Some(("url", url)) => url.clone_into(&mut state.url),
                Some(("size", digits)) => state.version.size = digits.parse().ok(),
                Some(("modified", digits)) if time(digits).is_some() => {
                    state.version.modified = Some(digits.to_owned());
                }
                Some(("tag", tag)) => state.version.tag = Some(tag.into()),
                Some(("octets", digits)) => state.octets = digits.parse().ok(),
                Some(("whole", file)) => state.whole = WholeFileId::parse(file),
                Some(_) | None => {}
            }
        }
        (!state.url.is_empty()).then_some(state)
    }

    fn to_text(&self) -> String {
        let Version {
            size,
            modified,
            tag,
        } = &self.version;
        let modified = modified
            .as_ref()
            .filter(|modified| time(modified).is_some());
        let tag = tag.as_ref().filter(|tag| !tag.contains(char::is_control));
        let mut lines = vec![HEAD.to_owned(), format!("url {}", self.url)];
        lines.extend(size.map(|size| format!("size {size}")));
        lines.extend(modified.map(|modified| format!("modified {modified}")));
        lines.extend(tag.map(|tag| format!("tag {tag}")));
        lines.extend(self.octets.map(|octets| format!("octets {octets}")));
        lines.extend(self.whole.map(|file| {
            let (device, inode) = file.inode;
            let mut line = format!("whole {device} {inode} {}", file.octets);
            if file.is_unconfirmed {
                line.extend([" ", UNCONFIRMED]);
            }
            line
        }));
        lines.join("\n") + "\n"
    }

    /// Reads the state of a partial file; `None` if there is no readable one.
    pub(super) fn read(part: &Path) -> Option<Self> {
        let path = beside(part);
        let is_link = fs::symlink_metadata(&path).ok()?.is_symlink();
        let octets = (!is_link).then(|| regular::read(&path, CAP));
        Self::parse(&String::from_utf8(octets?.ok()?).ok()?)
    }

    /// Replaces the state of a partial file atomically.
    pub(super) fn write(&self, part: &Path) -> io::Result<()> {
        atomic::replace_unlinked(&beside(part), self.to_text().as_bytes())
    }
}

/// Removes the state of a partial file.
pub(super) fn remove(part: &Path) {
    // A state without its partial file is harmless.
    let _ = fs::remove_file(beside(part));
}

/// Removes a state without its partial file: a crash came after the file got its name and before its state was removed.
pub(super) fn remove_stale(part: &Path) {
    if fs::symlink_metadata(part).is_err() && State::read(part).is_some() {
        remove(part);
    }
}

/// Returns the path of the state file: `a.txt.part.geomys`.
pub(super) fn beside(part: &Path) -> PathBuf {
    let mut path = part.as_os_str().to_owned();
    path.push(".geomys");
    PathBuf::from(path)
}

/// Parses a time as `20261120184501` or `20261120184501.25`, in UTC (RFC 3659, section 2.3).
pub(super) fn time(written: &str) -> Option<SystemTime> {
    let (digits, fraction) = written.split_once('.').unwrap_or((written, "0"));
    let is_digits = |text: &str| text.bytes().all(|octet| octet.is_ascii_digit());
    if digits.len() != 14 || !is_digits(digits) || !is_digits(fraction) {
        return None;
    }
    let part = |range: std::ops::Range<usize>| digits.get(range)?.parse::<i16>().ok();
    let small = |range| i8::try_from(part(range)?).ok();
    let civil = jiff::civil::DateTime::new(
        part(0..4)?,
        small(4..6)?,
        small(6..8)?,
        small(8..10)?,
        small(10..12)?,
        // A leap second counts as the second before.
        small(12..14)?.min(59),
        0,
    );
    let zoned = civil.ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(zoned.timestamp().into())
}

/// Reaction to received octets that differ from the stored ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MismatchPolicy {
    /// Overwrite the stored octets.
    Overwrite,
    /// Write nothing more.
    Refuse,
}

/// Writes a block at `at`. Up to `stored` the block is compared with the stored octets, so that a transfer that ends
/// early loses nothing. Returns false if the block was refused.
pub(super) fn put(
    file: &File,
    at: &mut u64,
    stored: &mut u64,
    block: &[u8],
    policy: MismatchPolicy,
) -> io::Result<bool> {
    let overlap = usize::try_from(stored.saturating_sub(*at)).unwrap_or(usize::MAX);
    let (old, mut rest) = block.split_at(overlap.min(block.len()));
    if !old.is_empty() {
        let mut stored_block = vec![0; old.len()];
        file.read_exact_at(&mut stored_block, *at)?;
        let pairs = stored_block.iter().zip(old);
        let same = pairs.take_while(|(one, two)| one == two).count();
        if same < old.len() && policy == MismatchPolicy::Refuse {
            return Ok(false);
        }
        *at += same as u64;
        if same < old.len() {
            file.set_len(*at)?;
            *stored = *at;
            rest = block.get(same..).unwrap_or_default();
        }
    }
    file.write_all_at(rest, *at)?;
    *at += rest.len() as u64;
    *stored = (*stored).max(*at);
    Ok(true)
}

/// Returns true if an equal overlap from `offset` to `stored` proves that the partial file belongs to the file on the
/// server. `was` is the version that the server reported for the partial file, `is` the version that it reports now. A
/// server that ignores the offset sends the octets of the start, which may be equal, and two files may be equal in an
/// overlap of zeros.
pub(super) fn proves(
    file: &File,
    (offset, stored): (u64, u64),
    (was, is): (&Version, &Version),
) -> io::Result<bool> {
    // More octets than the announced size are detected elsewhere.
    if was.size.is_some() && was.size == is.size {
        return Ok(true);
    }
    let length = usize::try_from(stored.saturating_sub(offset)).unwrap_or_default();
    let (mut overlap, mut start) = (vec![0; length], vec![0; length]);
    file.read_exact_at(&mut overlap, offset)?;
    file.read_exact_at(&mut start, 0)?;
    let is_same_time = was.modified.is_some() && was.modified == is.modified
        || was.tag.is_some() && was.tag == is.tag;
    let is_uniform = overlap.windows(2).all(|pair| pair.first() == pair.last());
    Ok(overlap != start && (is_same_time || !is_uniform))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_state_is_a_text_that_people_can_read() {
        let state = State {
            url: "ftp://ada@example.org/pub/a%20b".to_owned(),
            version: Version {
                size: Some(1200),
                modified: Some("20261120184501".to_owned()),
                tag: Some("\"a-1\"".into()),
            },
            octets: Some(7),
            whole: Some(WholeFileId {
                inode: (2, 33),
                octets: 9,
                is_unconfirmed: true,
            }),
        };
        let text = "geomys transfer 1\nurl ftp://ada@example.org/pub/a%20b\nsize 1200\n\
                    modified 20261120184501\ntag \"a-1\"\noctets 7\nwhole 2 33 9 unconfirmed\n";
        assert_eq!(state.to_text(), text);
        assert_eq!(State::parse(text), Some(state));
        assert_eq!(State::parse("geomys transfer 2\nurl x\n"), None);
        assert_eq!(State::parse("geomys transfer 1\n"), None);
        assert_eq!(State::parse("all my own words\n"), None);
    }

    #[test]
    fn a_time_is_fourteen_digits() {
        let at = |seconds| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(time("19700101000001"), at(1));
        assert_eq!(time("20000229120000.5"), at(951_825_600));
        for none in [
            "",
            "2026",
            "20261320184501",
            "2026112018450a",
            "+2026112018450",
        ] {
            assert_eq!(time(none), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            url in "[!-~]{1,40}",
            size in any::<Option<u64>>(),
            modified in proptest::option::of("(19|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|1[0-9])(0[0-9]|1[0-9])[0-5][0-9][0-5][0-9]"),
            tag in proptest::option::of("(W/)?\"[!#-~]{0,20}\""),
            octets in any::<Option<u64>>(),
            whole in any::<Option<((u64, u64), u64, bool)>>(),
        ) {
            let whole = whole.map(|(inode, octets, is_unconfirmed)| WholeFileId { inode, octets, is_unconfirmed });
            let state = State { url, version: Version { size, modified, tag: tag.map(Into::into) }, octets, whole };
            prop_assert_eq!(State::parse(&state.to_text()), Some(state));
        }

        #[test]
        fn no_text_makes_it_stumble(text in "(geomys transfer 1\n)?\\PC{0,80}") {
            let _ = State::parse(&text);
            let _ = time(&text);
        }
    }

    fn file(octets: &[u8]) -> File {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(octets, 0).unwrap();
        file
    }

    fn version(size: Option<u64>, modified: Option<&str>) -> Version {
        Version {
            size,
            modified: modified.map(str::to_owned),
            tag: None,
        }
    }

    #[test]
    fn overlap_without_size_and_time_proves_by_its_octets() {
        let nothing = Version::default();
        let sized = version(Some(9), None);
        let timed = version(None, Some("20261120184501"));
        for (octets, by_octets, by_time) in [
            (b"abcdef", true, true),
            // All alike at the end: two files may be equal there.
            (b"abc000", false, true),
            // Equal to the start: a server may have begun there.
            (b"abcabc", false, false),
            (b"000000", false, false),
        ] {
            let file = file(octets);
            let proves = |was, is| proves(&file, (3, 6), (was, is)).unwrap();
            assert_eq!(proves(&nothing, &nothing), by_octets, "{octets:?}");
            assert_eq!(proves(&timed, &nothing), by_octets, "{octets:?}");
            assert_eq!(proves(&timed, &timed), by_time, "{octets:?}");
            assert!(proves(&sized, &sized), "{octets:?}");
            assert_eq!(proves(&nothing, &sized), by_octets, "{octets:?}");
        }
    }

    #[test]
    fn differing_octets_are_refused_where_a_part_is_resumed() {
        let file = file(b"0123456789");
        let (mut at, mut stored) = (5, 10);
        assert!(!put(&file, &mut at, &mut stored, b"56x", MismatchPolicy::Refuse).unwrap());
        assert_eq!((at, stored, file.metadata().unwrap().len()), (5, 10, 10));
        assert!(
            put(
                &file,
                &mut at,
                &mut stored,
                b"56789ab",
                MismatchPolicy::Refuse
            )
            .unwrap()
        );
        assert_eq!((at, stored), (12, 12));
    }
}
