//! The received octets of a page, and its lines.
//!
//! Octets are stored in blocks of 256 KiB at most, so that growing neither copies old octets nor doubles the memory. A
//! full block is sealed: it is shared (`Arc`) and never changes, so that a task on another thread can read it while
//! more arrives. A line is one piece, or several where it is longer than 16 KiB; texts have a row for each piece. A
//! piece never crosses the end of a block (its beginning is moved to the next block).
//!
//! The offset of every eighth piece is stored, so that a million short lines need half a megabyte. The pieces between
//! are found from there, as the octets tell where a piece ends.
//!
//! A large received buffer becomes a block itself. Only the incomplete pieces at its ends are copied.
//!
//! A buffer can flag lines, such as those with a link, while it finds them: a second search for the lines of a long
//! page takes as long as the first.

mod block;

use std::sync::Arc;
use std::{iter, mem};

use memchr::memchr;

pub use self::block::LINE;
use self::block::RankedBits;
pub(super) use self::block::without_line_end;
use self::block::{BufferBlock, STEP};
use super::continuation::Insertions;

/// The minimum size of a received buffer that becomes a block itself, in octets.
const LARGE: usize = 32 * 1024;

/// A growing buffer of octets with its lines. A clone is cheap: it shares the sealed blocks and copies the last, open
/// block.
#[derive(Clone, Debug, Default)]
pub struct LineBuffer {
    sealed: Vec<SealedBlock>,
    open: BufferBlock,
    /// The number of pieces that start in sealed blocks.
    pieces: usize,
    /// The number of octets in sealed blocks.
    octets: usize,
    /// The numbers of pieces that continue the line of the piece before.
    continued: Insertions,
    flags: Option<LineFlags>,
}

/// The flags of lines.
#[derive(Clone, Debug)]
struct LineFlags {
    /// Returns true if the line that begins with this piece, which may be incomplete, is flagged.
    is_flagged: fn(&[u8]) -> bool,
    /// One bit for each piece.
    pieces: RankedBits,
}

#[derive(Clone, Debug)]
struct SealedBlock {
    block: Arc<BufferBlock>,
    /// The number of the first piece in the block.
    piece: usize,
}

impl LineBuffer {
    /// Returns a buffer with `octets`.
    pub fn from_octets(octets: &[u8]) -> Self {
        let mut raw = Self::default();
        raw.append(octets);
        raw
    }

    /// Returns an empty buffer that flags lines. `is_flagged` gets the first piece of each, with its line end.
    pub(super) fn flagging(is_flagged: fn(&[u8]) -> bool) -> Self {
        let pieces = RankedBits::default();
        Self {
            flags: Some(LineFlags { is_flagged, pieces }),
            ..Self::default()
        }
    }

    /// The flags of the pieces, if this buffer flags lines. A piece that continues a line is never flagged.
    pub(super) fn flagged(&self) -> Option<&RankedBits> {
        self.flags.as_ref().map(|flags| &flags.pieces)
    }

    /// Appends received octets.
    pub fn append(&mut self, mut octets: &[u8]) {
        while !octets.is_empty() {
            let room = self.open.room();
            if room == 0 {
                self.seal();
                let room = self.open.room();
                self.open.octets.reserve_exact(room);
                continue;
            }
            let (now, later) = octets.split_at(room.min(octets.len()));
            self.open.append(now);
            self.note_pieces();
            octets = later;
        }
    }

    /// Appends received octets, and stores a large buffer without copying it.
    pub fn take(&mut self, mut octets: Vec<u8>) {
        let Some(first) = memchr(b'\n', &octets).filter(|_| octets.len() >= LARGE) else {
            return self.append(&octets);
        };
        let begun = !self.open.own().is_empty();
        let head = if begun && !self.open.is_ended() {
            first + 1
        } else {
            0
        };
        if head > 0 {
            // The incomplete last line is completed in a small block of its own.
            self.seal();
            self.append(octets.get(..head).unwrap_or_default());
        }
        if begun {
            self.seal();
        }
        if head == octets.len() {
            return;
        }
        if octets.capacity() - octets.len() > octets.len() / 8 {
            octets.shrink_to_fit();
        }
        self.open = BufferBlock::received(octets, head);
        self.note_pieces();
    }

    /// The number of line pieces so far.
    pub fn pieces(&self) -> usize {
        self.pieces + self.open.pieces
    }

    /// The number of lines so far, including an incomplete last one.
    pub fn lines(&self) -> usize {
        self.pieces() - self.continued.len()
    }

    /// The number of lines so far that have their line end.
    pub fn complete_lines(&self) -> usize {
        let is_open = !self.open.own().is_empty() && !self.open.is_ended();
        self.lines() - usize::from(is_open)
    }

    /// The number of octets so far.
    pub fn len(&self) -> usize {
        self.octets + self.open.own().len()
    }

    /// The memory use, in octets: the received octets, and the stored offsets.
    pub fn memory(&self) -> usize {
        self.len()
            + self.pieces() / STEP * size_of::<u32>()
            + self.sealed.len() * size_of::<SealedBlock>()
            + self.continued.memory()
            + self.flagged().map_or(0, RankedBits::memory)
    }

    /// Returns true if the buffer is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Line `number` from 0, without its line end (CRLF, LF or CR); only the first piece of a long line.
    pub fn line(&self, number: usize) -> Option<&[u8]> {
        self.piece(self.piece_of(number))
    }

    /// Piece `number` from 0: a line without its line end, or a part of a longer one.
    pub fn piece(&self, number: usize) -> Option<&[u8]> {
        let (first, index) = self.block_of(number);
        let sealed = self.sealed.get(first).map(|sealed| &*sealed.block);
        sealed.unwrap_or(&self.open).piece(index)
    }

    /// The pieces from piece `number` on. Faster than [`LineBuffer::piece`] for each of them.
    pub fn pieces_from(&self, number: usize) -> impl Iterator<Item = &[u8]> {
        let (first, mut index) = self.block_of(number);
        let sealed = self.sealed.get(first..).unwrap_or_default().iter();
        let blocks = sealed.map(|sealed| &*sealed.block);
        let blocks = blocks.chain(iter::once(&self.open));
        blocks.flat_map(move |block| block.pieces_from(mem::take(&mut index)))
    }

    /// The index of the block that holds piece `number`, the open block being the last one, and the index of the piece
    /// in it.
    fn block_of(&self, number: usize) -> (usize, usize) {
        if let Some(index) = number.checked_sub(self.pieces) {
            return (self.sealed.len(), index);
        }
        let after = self.sealed.partition_point(|sealed| sealed.piece <= number);
        let block = after.saturating_sub(1);
        let first = self.sealed.get(block).map_or(0, |sealed| sealed.piece);
        (block, number - first)
    }

    /// The lines from line `number` on, of a long one the first piece. Faster than [`LineBuffer::line`] for each of
    /// them.
    pub fn lines_from(&self, number: usize) -> impl Iterator<Item = &[u8]> {
        let first = self.piece_of(number);
        let pieces = (first..).zip(self.pieces_from(first));
        pieces.filter_map(|(number, piece)| (!self.continues(number)).then_some(piece))
    }

    /// The lines with these numbers, of a long one the first piece. Faster than [`LineBuffer::line`] for each of them
    /// where a number is one more than the one before it.
    pub fn lines_at(
        &self,
        numbers: impl Iterator<Item = usize>,
    ) -> impl Iterator<Item = Option<&[u8]>> {
        let (mut lines, mut next) = (self.lines_from(0), 0);
        numbers.map(move |number| {
            if number != next {
                lines = self.lines_from(number);
            }
            next = number + 1;
            lines.next()
        })
    }

    /// Returns true if piece `number` continues the line of the piece before it.
    pub fn continues(&self, number: usize) -> bool {
        self.continued.contains(number)
    }

    /// The number of pieces that continue lines.
    pub(super) fn continuing(&self) -> usize {
        self.continued.len()
    }

    /// The number of the first piece of line `number`.
    pub fn piece_of(&self, number: usize) -> usize {
        self.continued.number_of(number)
    }

    /// The first piece of the line that contains piece `number`.
    pub fn first_of(&self, number: usize) -> usize {
        match self.continued.index(number) {
            Ok(index) => self.piece_of(number.saturating_sub(index + 1)),
            Err(_) => number,
        }
    }

    /// The octets, block by block, for saving and searching.
    pub fn blocks(&self) -> impl Iterator<Item = &[u8]> {
        let sealed = self.sealed.iter().map(|sealed| sealed.block.own());
        sealed.chain(iter::once(self.open.own()))
    }

    /// The octets in one vector, for formats that must be decoded as a whole.
    pub fn to_vec(&self) -> Vec<u8> {
        self.beginning(self.len())
    }

    /// Returns the last octets, up to `limit`.
    pub(super) fn ending(&self, limit: usize) -> Vec<u8> {
        let sealed = self.sealed.iter().rev();
        let blocks = iter::once(self.open.own()).chain(sealed.map(|sealed| sealed.block.own()));
        let (mut parts, mut rest) = (Vec::new(), limit);
        for block in blocks {
            let part = block.get(block.len().saturating_sub(rest)..);
            rest -= part.map_or(0, <[u8]>::len);
            parts.extend(part);
            if rest == 0 {
                break;
            }
        }
        parts.reverse();
        parts.concat()
    }

    /// The first octets, at most `limit`, in one vector.
    pub(super) fn beginning(&self, limit: usize) -> Vec<u8> {
        let mut octets = Vec::with_capacity(limit.min(self.len()));
        for block in self.blocks() {
            let room = limit - octets.len();
            octets.extend_from_slice(block.get(..room).unwrap_or(block));
        }
        octets
    }

    fn seal(&mut self) {
        let next = self.open.split_last_piece();
        let mut full = mem::replace(&mut self.open, next);
        if full.own().is_empty() {
            return;
        }
        full.starts.shrink_to_fit();
        if full.octets.capacity() - full.octets.len() > full.octets.len() / 8 {
            full.octets.shrink_to_fit();
        }
        let piece = self.pieces;
        self.pieces += full.pieces;
        self.octets += full.own().len();
        self.sealed.push(SealedBlock {
            block: Arc::new(full),
            piece,
        });
    }

    /// Records the new pieces of the open block.
    fn note_pieces(&mut self) {
        let (continued, flags) = (&mut self.continued, &mut self.flags);
        self.open.note_pieces(|index, piece, continues| {
            let number = self.pieces + index;
            if continues {
                continued.push(number);
            }
            if let Some(flags) = flags {
                let is_flagged = (flags.is_flagged)(piece) && !continued.contains(number);
                flags.pieces.set_last(number, is_flagged);
            }
        });
    }
}

#[cfg(test)]
mod tests;
