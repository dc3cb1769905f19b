//! The overlap of a part and of what a server sends when it is resumed: whether both are of one file.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use super::Error;
use super::part::{PartFile, blocking};
use super::target::create;
use crate::load::Version;

/// The octets at the end of a part that are fetched again to be compared.
const OVERLAP: u64 = 8 * 1024;

impl PartFile {
    /// The offset to ask the server for, so that its octets overlap with those here; nothing for a part that is too small.
    pub(super) fn resume_at(&self) -> Option<u64> {
        self.here()
            .checked_sub(OVERLAP)
            .filter(|offset| *offset > 0)
    }

    /// Whether it may be resumed at `offset` by a file of which the server says `is` now, when the overlap is equal.
    ///
    /// # Errors
    /// [`Error::Create`]
    pub(super) async fn may_resume(
        &self,
        offset: u64,
        is: &Version,
        is_trusted: bool,
    ) -> Result<bool, Error> {
        let (was, is, known) = (self.version(), is.clone(), self.known);
        if is.size.is_some_and(|size| size < known) {
            return Ok(false);
        }
        // A person has looked at both versions.
        let was = if is_trusted { is.clone() } else { was };
        let (file, path) = (Arc::clone(&self.file), self.path.clone());
        blocking(move || {
            let is_proven = proves(&file, (offset, known), (&was, &is));
            is_proven.map_err(|source| create(&path, source))
        })
        .await
    }

    /// Whether what was here when it was resumed has been compared with what the server sends.
    pub(super) fn is_verified(&self) -> bool {
        self.resumed.is_none_or(|known| self.at >= known)
    }
}

/// What happens where octets that come differ from those that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Differing {
    /// The new ones stand in their place.
    Replaced,
    /// Nothing more is written.
    Refused,
}

/// Puts a block at `at`; whether all of it was taken. Where octets are already (up to `known`), it is compared with them:
/// while they are the same nothing is lost when this ends early.
pub(super) fn put(
    file: &File,
    at: &mut u64,
    known: &mut u64,
    block: &[u8],
    differing: Differing,
) -> io::Result<bool> {
    let overlap = usize::try_from(known.saturating_sub(*at)).unwrap_or(usize::MAX);
    let (old, mut rest) = block.split_at(overlap.min(block.len()));
    if !old.is_empty() {
        let mut here = vec![0; old.len()];
        file.read_exact_at(&mut here, *at)?;
        let same = here.iter().zip(old).take_while(|(one, two)| one == two);
        let same = same.count();
        if same < old.len() {
            if differing == Differing::Refused {
                return Ok(false);
            }
            *at += same as u64;
            file.set_len(*at)?;
            *known = *at;
            rest = block.get(same..).unwrap_or_default();
        } else {
            *at += same as u64;
        }
    }
    file.write_all_at(rest, *at)?;
    *at += rest.len() as u64;
    *known = (*known).max(*at);
    Ok(true)
}

/// Whether an equal overlap from `offset` to `known` shows that the part, of which the server said `was`, belongs to the
/// file of which it says `is` now. A server that ignores where it was to begin sends the octets of the start, which may be
/// equal, and two files may be equal in an overlap that is all zeros.
fn proves(
    file: &File,
    (offset, known): (u64, u64),
    (was, is): (&Version, &Version),
) -> io::Result<bool> {
    // More than the announced size is noticed.
    if was.size.is_some() && was.size == is.size {
        return Ok(true);
    }
    let length = usize::try_from(known.saturating_sub(offset)).unwrap_or_default();
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
    use super::*;

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
        let (mut at, mut known) = (5, 10);
        assert!(!put(&file, &mut at, &mut known, b"56x", Differing::Refused).unwrap());
        assert_eq!((at, known, file.metadata().unwrap().len()), (5, 10, 10));
        assert!(put(&file, &mut at, &mut known, b"56789ab", Differing::Refused).unwrap());
        assert_eq!((at, known), (12, 12));
    }
}
