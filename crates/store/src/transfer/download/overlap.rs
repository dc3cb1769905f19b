//! Overlap of a partial file and the octets that a server sends on resume: comparison of both.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use geomys_page::load::Version;

/// Reaction to received octets that differ from the stored ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MismatchPolicy {
    /// Overwrite the stored octets.
    Overwrite,
    /// Write nothing more.
    Refuse,
}

/// Writes a block at `at`. Up to `stored` the block is compared with the stored octets, so that a transfer that ends early
/// loses nothing. Returns false if the block was refused.
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

/// Returns true if an equal overlap from `offset` to `stored` proves that the partial file belongs to the file on the server.
/// `was` is the version that the server reported for the partial file, `is` the version that it reports now. A server that
/// ignores the offset sends the octets of the start, which may be equal, and two files may be equal in an overlap of zeros.
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
