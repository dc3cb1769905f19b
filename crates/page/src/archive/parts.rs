//! Parts of a file whose rest is on a server, or on the disk: the directory of a zip is at its end, and a member is
//! read alone.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::rc::Rc;
use std::sync::Arc;

/// The most octets that are fetched before they are read: those of the directory, and of a member. A longer one is read
/// while it comes.
pub const MAX_FETCHED_BYTES: u64 = 8 * 1024 * 1024;

/// The octets of a file, as far as they are known.
#[derive(Clone, Debug, Default)]
pub struct KnownParts {
    size: u64,
    /// The parts by their offsets; none overlaps the next one.
    parts: BTreeMap<u64, Vec<u8>>,
    /// The file, if it is on the disk: all of it is known.
    file: Option<Arc<File>>,
}

impl KnownParts {
    /// Creates the parts of a file of `size` octets, none of which is known.
    pub fn new(size: u64) -> Self {
        Self {
            size,
            parts: BTreeMap::new(),
            file: None,
        }
    }

    /// Creates the parts of a file on the disk.
    pub fn of_file(file: File, size: u64) -> Self {
        Self {
            file: Some(Arc::new(file)),
            ..Self::new(size)
        }
    }

    /// Returns the size of the file.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Adds the octets from an offset on; those that are known already stay.
    pub fn add(&mut self, offset: u64, mut octets: Vec<u8>) {
        let Some(missing) = self.missing(offset..offset.saturating_add(octets.len() as u64)) else {
            return;
        };
        let skipped = usize::try_from(missing.start - offset).unwrap_or(usize::MAX);
        octets.drain(..skipped.min(octets.len()));
        let length = usize::try_from(missing.end - missing.start).unwrap_or(usize::MAX);
        octets.truncate(length);
        self.parts.insert(missing.start, octets);
    }

    /// Returns the first octets of the file, at most 64, as far as they are known.
    pub fn beginning(&self) -> &[u8] {
        let start = self.part_at(0).unwrap_or_default();
        start.get(..64).unwrap_or(start)
    }

    /// Forgets the largest parts until all have at most so many octets: those of members that were read.
    pub fn shrink_to(&mut self, max_bytes: usize) {
        let mut count: usize = self.parts.values().map(Vec::len).sum();
        while count > max_bytes
            && let Some((&start, part)) = self.parts.iter().max_by_key(|(_, part)| part.len())
        {
            count -= part.len();
            self.parts.remove(&start);
        }
    }

    /// Returns the first octets of a range that are not known; None if all are, as far as the file goes.
    pub fn missing(&self, range: Range<u64>) -> Option<Range<u64>> {
        let end = range.end.min(self.size);
        let mut at = range.start;
        while at < end && self.file.is_none() {
            match self.part_at(at) {
                Some(rest) => at += rest.len() as u64,
                None => {
                    let next = self.parts.range(at..end).next();
                    return Some(at..next.map_or(end, |(&start, _)| start));
                }
            }
        }
        None
    }

    /// Returns all that is known, in pieces.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        self.parts.values().map(Vec::as_slice)
    }

    /// Returns the known octets from an offset on, one at least.
    fn part_at(&self, at: u64) -> Option<&[u8]> {
        let (start, part) = self.parts.range(..=at).next_back()?;
        let rest = part.get(usize::try_from(at - start).ok()?..)?;
        (!rest.is_empty()).then_some(rest)
    }
}

/// A part of a file that is read while it comes: once, and forwards. It may have any length.
pub struct ComingPart<'a> {
    /// The part, without what was read.
    range: Range<u64>,
    octets: Box<dyn Read + 'a>,
}

impl<'a> ComingPart<'a> {
    /// Creates the part of this range, of which `octets` reads.
    pub fn new(range: Range<u64>, octets: impl Read + 'a) -> Self {
        Self {
            range,
            octets: Box::new(octets),
        }
    }

    pub(super) fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// Reads octets from an offset in the part on, and passes over those before it.
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let passed = at - self.range.start;
        let octets = self.octets.by_ref();
        io::copy(&mut octets.take(passed), &mut io::sink())?;
        let count = octets.read(buffer)?;
        self.range.start = at + count as u64;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(count)
    }
}

/// A reader of known parts, and of one that comes. Where an octet is missing it fails, and records the range.
pub(super) struct PartsReader<'a> {
    parts: &'a KnownParts,
    coming: Option<ComingPart<'a>>,
    at: u64,
    missing: Rc<RefCell<Option<Range<u64>>>>,
}

impl<'a> PartsReader<'a> {
    pub(super) fn new(
        parts: &'a KnownParts,
        coming: Option<ComingPart<'a>>,
        missing: &Rc<RefCell<Option<Range<u64>>>>,
    ) -> Self {
        Self {
            parts,
            coming,
            at: 0,
            missing: Rc::clone(missing),
        }
    }
}

impl Read for PartsReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.parts.size || buffer.is_empty() {
            return Ok(0);
        }
        if let Some(file) = &self.parts.file {
            let count = file.read_at(buffer, self.at)?;
            self.at += count as u64;
            return Ok(count);
        }
        let is_coming = |part: &&mut ComingPart<'_>| part.range.contains(&self.at);
        let Some(mut rest) = self.parts.part_at(self.at) else {
            if let Some(part) = self.coming.as_mut().filter(is_coming) {
                let count = part.read_at(self.at, buffer)?;
                self.at += count as u64;
                return Ok(count);
            }
            // The first failure counts: a reader may look elsewhere after it.
            let range = self.at..self.at.saturating_add(MAX_FETCHED_BYTES);
            let mut missing = self.missing.borrow_mut();
            *missing = missing.take().or_else(|| self.parts.missing(range));
            return Err(io::Error::other("this part is not known"));
        };
        let count = rest.read(buffer)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for PartsReader<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.parts.size.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn position(offset: u64) -> usize {
        usize::try_from(offset).unwrap()
    }

    proptest! {
        #[test]
        fn added_parts_are_read_and_others_are_missing(
            ranges in proptest::collection::vec((0_u64..100, 0_u64..40), 0..8),
            from in 0_u64..120,
        ) {
            let file: Vec<u8> = (0..100).collect();
            let mut parts = KnownParts::new(100);
            let mut known = [false; 100];
            for (start, length) in ranges {
                let end = (start + length).min(100);
                // What is known is fetched again only up to the next known part.
                if let Some(missing) = parts.missing(start..end) {
                    let range = position(missing.start)..position(missing.end);
                    parts.add(missing.start, file[range.clone()].to_vec());
                    known[range].fill(true);
                }
            }
            let missing = Rc::default();
            let mut reader = PartsReader::new(&parts, None, &missing);
            reader.seek(SeekFrom::Start(from)).unwrap();
            let mut read = Vec::new();
            let end = reader.read_to_end(&mut read);
            let skipped = position(from);
            let expected = known.iter().skip(skipped).take_while(|known| **known).count();
            prop_assert_eq!(&read, &file.iter().copied().skip(skipped).take(expected).collect::<Vec<u8>>());
            prop_assert_eq!(end.is_ok(), skipped + expected >= 100);
            let first = missing.borrow().clone().map(|range: Range<u64>| range.start);
            prop_assert_eq!(first, end.is_err().then_some(from + expected as u64));
        }
    }
}
