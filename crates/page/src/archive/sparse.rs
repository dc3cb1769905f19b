//! The maps of sparse files in tar archives, which contain a file without its holes.
//!
//! ```text
//! gnu  = 4piece extended size; star = extended 4piece size    ; in the header, at other offsets
//! more = 21piece extended                                     ; blocks behind the header, while `extended` is not 0
//! pax  = *( offset length )          ; records of 0.0 (pairs) or 0.1 (one list)
//!      / count *( offset length )    ; 1.0: lines of decimal digits before the data, padded to a block
//! ```

use std::io::{self, Read};
use std::ops::Range;

use geomys_wire::protocol::octets::number;
use tar::Header;

use super::error::UnpackError;
use super::tape::{BLOCK_BYTES, Block, MAX_HEADER_BYTES, octal};

/// The octets of a piece in a header: its offset and its length.
const PIECE_BYTES: usize = 24;

/// The offset of the octet behind the pieces of a block that follows the header: more follow if it is not 0.
const EXTENDED: usize = 504;

/// The pieces of a sparse file that its archive contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SparseMap {
    size: u64,
    /// In the order of the file; none is empty.
    pieces: Vec<Range<u64>>,
}

/// A part of a sparse file, with its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    Hole(u64),
    Data(u64),
}

impl SparseMap {
    /// Creates a map from the offsets and lengths of the pieces.
    fn new(size: u64, pieces: impl IntoIterator<Item = (u64, u64)>) -> Result<Self, UnpackError> {
        let mut map = Self {
            size,
            pieces: Vec::new(),
        };
        let mut end = 0;
        let mut is_aligned = true;
        for (offset, length) in pieces.into_iter().filter(|(_, length)| *length > 0) {
            let piece = offset..offset.saturating_add(length);
            // Each piece begins with a block.
            if piece.start < end || piece.end > size || !is_aligned {
                return Err(damaged());
            }
            end = piece.end;
            is_aligned = length.is_multiple_of(BLOCK_BYTES);
            map.pieces.push(piece);
        }
        Ok(map)
    }

    /// Reads the map of a member whose type says that it is sparse, with the blocks behind its header.
    pub(super) fn of_header(header: &Header, reader: &mut dyn Read) -> Result<Self, UnpackError> {
        let octets = header.as_bytes();
        let is_star = octets.ends_with(b"tar\0");
        let (pieces, extended, size) = if is_star {
            (356..452, 355, 452..464)
        } else {
            (386..482, 482, 483..495)
        };
        let size = octets.get(size).and_then(octal).ok_or_else(damaged)?;
        let mut found = octets.get(pieces).unwrap_or_default().to_vec();
        let mut is_extended = octets.get(extended).is_some_and(|&flag| flag != 0);
        while is_extended {
            let mut more: Block = [0; 512];
            reader.read_exact(&mut more)?;
            let (pieces, rest) = more.split_at(EXTENDED);
            found.extend_from_slice(pieces);
            is_extended = rest.first().is_some_and(|&flag| flag != 0);
            if found.len() as u64 > MAX_HEADER_BYTES {
                return Err(damaged());
            }
        }
        let pieces = found.chunks_exact(PIECE_BYTES).map(|piece| {
            let (offset, length) = piece.split_at(PIECE_BYTES / 2);
            // Unused ones are empty.
            Some((octal(offset)?, octal(length)?))
        });
        Self::new(size, pieces.flatten())
    }

    /// Returns the map of a member whose records say that it is sparse: the numbers of its pieces.
    pub(super) fn of_records(size: u64, numbers: &[u64]) -> Result<Self, UnpackError> {
        let pairs = numbers.chunks_exact(2).filter_map(|pair| match pair {
            [offset, length] => Some((*offset, *length)),
            _ => None,
        });
        Self::new(size, pairs)
    }

    /// Reads the map before the data of a member, in whole blocks.
    pub(super) fn of_data(size: u64, data: &mut dyn Read) -> Result<Self, UnpackError> {
        let (mut numbers, mut text) = (Vec::<u64>::new(), Vec::new());
        for _ in 0..MAX_HEADER_BYTES / BLOCK_BYTES {
            let mut block: Block = [0; 512];
            data.read_exact(&mut block)?;
            text.extend_from_slice(&block);
            while let Some(end) = memchr::memchr(b'\n', &text) {
                let line: Vec<u8> = text.drain(..=end).collect();
                numbers.push(number(line.trim_ascii_end()).ok_or_else(damaged)?);
                if let Some((count, pieces)) = numbers.split_first()
                    && pieces.len() as u64 == count.saturating_mul(2)
                {
                    return Self::of_records(size, pieces);
                }
            }
        }
        Err(damaged())
    }

    /// Returns the size of the file.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Returns the number of octets of all pieces.
    pub(super) fn stored(&self) -> u64 {
        self.pieces
            .iter()
            .map(|piece| piece.end - piece.start)
            .sum()
    }

    /// Returns the holes and pieces in the order of the file.
    pub(super) fn segments(&self) -> impl Iterator<Item = Segment> + '_ {
        let end = std::iter::once(self.size..self.size);
        let mut at = 0;
        self.pieces
            .iter()
            .cloned()
            .chain(end)
            .flat_map(move |piece| {
                let hole = Segment::Hole(piece.start - at);
                at = piece.end;
                [hole, Segment::Data(piece.end - piece.start)]
            })
            .filter(|segment| !matches!(segment, Segment::Hole(0) | Segment::Data(0)))
    }
}

fn damaged() -> UnpackError {
    UnpackError::Malformed("the map of a sparse file is damaged".to_owned())
}

/// A reader of a sparse file with its holes, from a reader of its pieces.
pub(super) struct SparseReader<'a, R> {
    reader: R,
    segments: Box<dyn Iterator<Item = Segment> + 'a>,
    segment: Segment,
}

impl<'a, R: Read> SparseReader<'a, R> {
    pub(super) fn new(reader: R, map: &'a SparseMap) -> Self {
        Self {
            reader,
            segments: Box::new(map.segments()),
            segment: Segment::Hole(0),
        }
    }
}

impl<R: Read> Read for SparseReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while matches!(self.segment, Segment::Hole(0) | Segment::Data(0)) {
            match self.segments.next() {
                Some(segment) => self.segment = segment,
                None => return Ok(0),
            }
        }
        let (Segment::Hole(left) | Segment::Data(left)) = &mut self.segment;
        let count = usize::try_from(*left)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        let buffer = buffer.get_mut(..count).unwrap_or_default();
        let left_before = *left;
        let count = match self.segment {
            Segment::Hole(_) => {
                buffer.fill(0);
                count
            }
            Segment::Data(_) => match self.reader.read(buffer)? {
                0 if count > 0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => count,
            },
        };
        let rest = left_before - count as u64;
        self.segment = match self.segment {
            Segment::Hole(_) => Segment::Hole(rest),
            Segment::Data(_) => Segment::Data(rest),
        };
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_are_read_at_their_offsets(parts in proptest::collection::vec((0_u64..2000, 1_u64..4), 0..6), end in 0_u64..2000) {
            let (mut file, mut data, mut pieces) = (Vec::new(), Vec::new(), Vec::new());
            for (hole, blocks) in parts {
                file.resize(file.len() + usize::try_from(hole).unwrap(), 0);
                let piece: Vec<u8> = (1..=u8::MAX).cycle().take(usize::try_from(blocks * BLOCK_BYTES).unwrap()).collect();
                pieces.push((file.len() as u64, piece.len() as u64));
                file.extend(&piece);
                data.extend(piece);
            }
            file.resize(file.len() + usize::try_from(end).unwrap(), 0);
            let map = SparseMap::new(file.len() as u64, pieces).unwrap();
            prop_assert_eq!(map.stored(), data.len() as u64);
            let mut read = Vec::new();
            SparseReader::new(data.as_slice(), &map).read_to_end(&mut read).unwrap();
            prop_assert_eq!(read, file);
            let total: u64 = map.segments().map(|(Segment::Hole(length) | Segment::Data(length))| length).sum();
            prop_assert_eq!(total, map.size());
        }
    }

    #[test]
    fn map_that_leads_back_or_out_is_damaged() {
        for pieces in [
            vec![(512, 512), (0, 512)],
            vec![(0, 4096)],
            vec![(u64::MAX, 512)],
            vec![(0, 7), (512, 7)],
        ] {
            assert!(SparseMap::new(2048, pieces.clone()).is_err(), "{pieces:?}");
        }
    }
}
