//! A block of received octets with its pieces, and a growing bit vector with rank and select: how many bits before one
//! are set, and which is the nth set bit.

use std::iter;

use geomys_wire::text;
use memchr::memchr;

/// The size of a block, in octets.
const BLOCK: usize = 256 * 1024;

/// The maximum length of a piece of a line, in octets. The CR of a line end may follow it.
pub const LINE: usize = 16 * 1024;

/// The number of pieces from one with a stored offset to the next.
pub(super) const STEP: usize = 8;

/// A block of octets. The offset of every [`STEP`]th piece is stored, and the pieces between are found from there.
#[derive(Clone, Debug, Default)]
pub(super) struct BufferBlock {
    pub(super) octets: Vec<u8>,
    /// The offset of the block's own octets. The octets before it are copied to the previous block.
    from: usize,
    /// True for a received buffer. It does not grow beyond its capacity.
    is_received: bool,
    /// The number of pieces.
    pub(super) pieces: usize,
    /// The offsets of every [`STEP`]th piece, from the block's beginning.
    pub(super) starts: Vec<u32>,
    /// The offset of the last piece.
    last: usize,
}

impl BufferBlock {
    /// Makes a block of a received buffer, whose own octets begin at `from` with a new line. Its pieces are not
    /// recorded yet.
    pub(super) fn received(octets: Vec<u8>, from: usize) -> Self {
        Self {
            octets,
            from,
            is_received: true,
            ..Self::default()
        }
    }

    /// The block's own octets.
    pub(super) fn own(&self) -> &[u8] {
        self.octets.get(self.from..).unwrap_or_default()
    }

    /// Returns true if the last line has its line end.
    pub(super) fn is_ended(&self) -> bool {
        self.own().last() == Some(&b'\n')
    }

    /// The number of octets that can be appended.
    pub(super) fn room(&self) -> usize {
        let limit = if self.is_received {
            self.octets.capacity()
        } else {
            BLOCK
        };
        limit.saturating_sub(self.octets.len())
    }

    /// Appends octets, whose pieces are not recorded yet.
    pub(super) fn append(&mut self, octets: &[u8]) {
        if self.octets.capacity() == 0 && octets.len() > BLOCK / 16 {
            // A page that begins with a large buffer is probably large; a small page should not waste memory.
            self.octets.reserve_exact(BLOCK);
        }
        self.octets.extend_from_slice(octets);
    }

    /// Records the new pieces. `note` gets for each its index, its octets with the line end, and whether it is the
    /// first to continue its line here; the last piece from before comes first again, as it may have grown.
    pub(super) fn note_pieces(&mut self, mut note: impl FnMut(usize, &[u8], bool)) {
        let mut start = if self.pieces == 0 {
            self.from
        } else {
            self.last
        };
        while let Some(rest) = self.octets.get(start..).filter(|rest| !rest.is_empty()) {
            let mut continues = false;
            if self.pieces == 0 || start > self.last {
                continues = self.pieces > 0 && self.octets.get(start - 1) != Some(&b'\n');
                if self.pieces.is_multiple_of(STEP) {
                    self.starts.push(offset(start));
                }
                self.pieces += 1;
                self.last = start;
            }
            let end = piece_end(rest);
            note(self.pieces - 1, rest.get(..end).unwrap_or(rest), continues);
            start += end;
        }
    }

    /// Moves the incomplete last piece of a full block to a new block, and returns that block.
    pub(super) fn split_last_piece(&mut self) -> Self {
        let mut next = Self::default();
        if self.pieces > 0 && !self.is_ended() {
            self.pieces -= 1;
            if self.pieces.is_multiple_of(STEP) {
                self.starts.pop();
            }
            next.append(self.octets.get(self.last..).unwrap_or_default());
            // It was recorded in this block.
            next.note_pieces(|_, _, _| {});
            self.octets.truncate(self.last);
        }
        next
    }

    pub(super) fn piece(&self, index: usize) -> Option<&[u8]> {
        let mut rest = self.octets_from(index);
        for _ in 0..index % STEP {
            rest = rest.get(piece_end(rest)..)?;
        }
        let piece = rest.get(..piece_end(rest))?;
        (!piece.is_empty()).then(|| without_line_end(piece))
    }

    /// The pieces from this index on.
    pub(super) fn pieces_from(&self, index: usize) -> impl Iterator<Item = &[u8]> {
        let mut rest = self.octets_from(index);
        let pieces = iter::from_fn(move || {
            let (piece, after) = rest.split_at_checked(piece_end(rest))?;
            rest = after;
            (!piece.is_empty()).then(|| without_line_end(piece))
        });
        pieces.skip(index % STEP)
    }

    /// The octets from the last piece on that has a stored offset and is not behind this one.
    fn octets_from(&self, index: usize) -> &[u8] {
        let start = self.starts.get(index / STEP);
        let octets = start.and_then(|&start| self.octets.get(start as usize..));
        octets.unwrap_or_default()
    }
}

/// The length of the first piece, with its line end. It depends on nothing but the octets, so pieces are found again.
fn piece_end(octets: &[u8]) -> usize {
    let longest = octets.get(..LINE + 2);
    match (memchr(b'\n', longest.unwrap_or(octets)), longest) {
        (Some(end), _) => end + 1,
        (None, None) => octets.len(),
        (None, Some(longest)) => text::cut(longest.get(..LINE).unwrap_or_default()).max(1),
    }
}

/// A line without the line feed at its end, and the carriage returns before it: two where a server has added one to a
/// CRLF.
pub(in crate::document) fn without_line_end(line: &[u8]) -> &[u8] {
    let line = match line.strip_suffix(b"\n") {
        Some(ended) => ended.strip_suffix(b"\r").unwrap_or(ended),
        None => line,
    };
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn offset(at: usize) -> u32 {
    // A block has 256 KiB at most, so the conversion cannot fail.
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The number of bits of one [`Word`].
const BITS: usize = u64::BITS as usize;

/// A bit vector that grows at its end. A million bits need a quarter of a megabyte.
#[derive(Clone, Debug, Default)]
pub(in crate::document) struct RankedBits(Vec<Word>);

/// [`BITS`] bits, the first one is the lowest.
#[derive(Clone, Copy, Debug)]
struct Word {
    bits: u64,
    /// The number of set bits in the words before.
    before: usize,
}

impl Word {
    fn count(self) -> usize {
        self.before + self.bits.count_ones() as usize
    }
}

impl RankedBits {
    /// Sets or clears bit `number`: the last one, or the one behind it.
    pub(super) fn set_last(&mut self, number: usize, is_set: bool) {
        if number / BITS >= self.0.len() {
            let before = self.count();
            self.0.push(Word { bits: 0, before });
        }
        if let Some(word) = self.0.last_mut() {
            let at = number % BITS;
            word.bits = word.bits & !(1 << at) | u64::from(is_set) << at;
        }
    }

    /// Returns true if bit `number` is set.
    pub(in crate::document) fn contains(&self, number: usize) -> bool {
        let word = self.0.get(number / BITS);
        word.is_some_and(|word| word.bits >> (number % BITS) & 1 == 1)
    }

    /// The number of set bits.
    pub(in crate::document) fn count(&self) -> usize {
        self.0.last().map_or(0, |word| word.count())
    }

    /// The number of set bits before bit `number`.
    pub(in crate::document) fn rank(&self, number: usize) -> usize {
        match self.0.get(number / BITS) {
            Some(word) => {
                let below = word.bits & ((1 << (number % BITS)) - 1);
                word.before + below.count_ones() as usize
            }
            None => self.count(),
        }
    }

    /// The number of the set bit that has `rank` set bits before it.
    pub(in crate::document) fn select(&self, rank: usize) -> Option<usize> {
        let index = self.0.partition_point(|word| word.count() <= rank);
        let word = self.0.get(index)?;
        let mut bits = word.bits;
        for _ in word.before..rank {
            // Clears the lowest set bit.
            bits &= bits - 1;
        }
        Some(index * BITS + bits.trailing_zeros() as usize)
    }

    /// The memory use, in octets.
    pub(super) fn memory(&self) -> usize {
        self.0.len() * size_of::<Word>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rank_and_select_count_the_set_bits(
            bits in proptest::collection::vec((any::<bool>(), any::<bool>()), 0..400),
        ) {
            let mut ranked = RankedBits::default();
            for (number, (first, last)) in bits.iter().enumerate() {
                // The last bit may change.
                ranked.set_last(number, *first);
                ranked.set_last(number, *last);
            }
            let set: Vec<usize> = (0..bits.len()).filter(|&number| bits[number].1).collect();
            prop_assert_eq!(ranked.count(), set.len());
            for number in 0..bits.len() + 70 {
                prop_assert_eq!(ranked.contains(number), set.contains(&number));
                let before = set.iter().filter(|&&one| one < number).count();
                prop_assert_eq!(ranked.rank(number), before);
            }
            let selected: Vec<usize> = (0..).map_while(|rank| ranked.select(rank)).collect();
            prop_assert_eq!(selected, set);
        }
    }
}
