//! The octets of a page as they came, and where each line starts.
//!
//! Octets stand in blocks of 256 KiB at most, so that growing neither copies nor doubles. A full block is sealed: it is
//! shared (`Arc`) and never changes, so that a task on another thread can read it while more arrives. A line never
//! crosses a block's end (its beginning moves to the next block), but for one longer than a block, of which a row
//! shows only the first 64 KiB anyway; the blocks it runs on through hold no line start until it ends.
//!
//! A large arrival becomes a block itself and is not copied, but for the line that it breaks off at either end.

use std::sync::Arc;

use memchr::{memchr, memchr_iter};

/// A block's size, in octets.
const BLOCK: usize = 256 * 1024;

/// An arrival of this many octets becomes a block of its own.
const LARGE: usize = 32 * 1024;

/// How much of a line is ever looked at, in octets.
pub const LINE: usize = 64 * 1024;

/// Octets with their lines. A clone is cheap: it shares what is sealed and copies the last, open block.
#[derive(Clone, Debug, Default)]
pub struct Raw {
    sealed: Vec<Sealed>,
    open: Block,
    /// Lines that start in sealed blocks.
    lines: usize,
    /// Octets in sealed blocks.
    octets: usize,
}

#[derive(Clone, Debug)]
struct Sealed {
    block: Arc<Block>,
    /// The number of the first line that starts in it.
    line: usize,
}

#[derive(Clone, Debug, Default)]
struct Block {
    octets: Vec<u8>,
    /// Where its own octets begin: those before stand at the end of the block before.
    from: usize,
    /// It is an arrival as it came: it does not grow past what it has room for.
    is_arrival: bool,
    /// Where lines start, from the block's beginning.
    starts: Vec<u32>,
    /// The last line has its end.
    ended: bool,
    /// It begins inside a line that started in an earlier block.
    runs_on: bool,
}

impl Raw {
    /// All of `octets`, at once.
    pub fn from_octets(octets: &[u8]) -> Self {
        let mut raw = Self::default();
        raw.append(octets);
        raw
    }

    /// Takes what has arrived.
    pub fn append(&mut self, mut octets: &[u8]) {
        while !octets.is_empty() {
            let room = self.open.room();
            if room == 0 {
                self.seal();
                self.open.octets.reserve_exact(BLOCK);
                continue;
            }
            let (now, later) = octets.split_at(room.min(octets.len()));
            self.open.append(now);
            octets = later;
        }
    }

    /// Takes what has arrived, and leaves a large arrival where it is.
    pub fn take(&mut self, mut octets: Vec<u8>) {
        let Some(first) = memchr(b'\n', &octets).filter(|_| octets.len() >= LARGE) else {
            return self.append(&octets);
        };
        let begun = self.open.runs_on || !self.open.own().is_empty();
        let head = if begun && !self.open.ended {
            first + 1
        } else {
            0
        };
        if head > 0 {
            // The line that was broken off is made whole in a small block of its own.
            self.seal();
            self.open.append(octets.get(..head).unwrap_or_default());
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
        self.open = Block::arrival(octets, head);
    }

    /// Lines so far; a last one without its end counts.
    pub fn lines(&self) -> usize {
        self.lines + self.open.starts.len()
    }

    /// Octets so far.
    pub fn len(&self) -> usize {
        self.octets + self.open.own().len()
    }

    /// Whether nothing has come.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Line `number` from 0, without its end (CRLF, LF or CR), and at most [`LINE`] octets of it.
    pub fn line(&self, number: usize) -> Option<&[u8]> {
        let (block, index) = match number.checked_sub(self.lines) {
            Some(index) => (&self.open, index),
            None => {
                let after = self.sealed.partition_point(|sealed| sealed.line <= number);
                let sealed = self.sealed.get(after.checked_sub(1)?)?;
                (sealed.block.as_ref(), number - sealed.line)
            }
        };
        block.line(index)
    }

    /// Everything, block by block, for saving and searching.
    pub fn blocks(&self) -> impl Iterator<Item = &[u8]> {
        let sealed = self.sealed.iter().map(|sealed| sealed.block.own());
        sealed.chain(std::iter::once(self.open.own()))
    }

    /// Everything in one piece: for what must be decoded as a whole.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut all = Vec::with_capacity(self.len());
        self.blocks().for_each(|block| all.extend_from_slice(block));
        all
    }

    fn seal(&mut self) {
        let next = self.open.split_last_line();
        let mut full = std::mem::replace(&mut self.open, next);
        if full.own().is_empty() {
            return;
        }
        full.starts.shrink_to_fit();
        let line = self.lines;
        self.lines += full.starts.len();
        self.octets += full.own().len();
        self.sealed.push(Sealed {
            block: Arc::new(full),
            line,
        });
    }
}

impl Block {
    /// A block of an arrival, whose own octets begin at `from`, with a line.
    fn arrival(octets: Vec<u8>, from: usize) -> Self {
        let mut block = Self {
            from,
            is_arrival: true,
            ..Self::default()
        };
        block.starts.reserve(octets.len() / 32);
        block.note_lines(from, octets.get(from..).unwrap_or_default());
        block.octets = octets;
        block
    }

    /// The octets that are this block's.
    fn own(&self) -> &[u8] {
        self.octets.get(self.from..).unwrap_or_default()
    }

    /// Octets that it still takes.
    fn room(&self) -> usize {
        let limit = if self.is_arrival {
            self.octets.capacity()
        } else {
            BLOCK
        };
        limit.saturating_sub(self.octets.len())
    }

    fn append(&mut self, octets: &[u8]) {
        if self.octets.capacity() == 0 && octets.len() > BLOCK / 16 {
            // A page that starts big will go on so; a small one keeps to what it needs.
            self.octets.reserve_exact(BLOCK);
        }
        self.note_lines(self.octets.len(), octets);
        self.octets.extend_from_slice(octets);
    }

    /// Notes where lines start in octets that stand from `at` on.
    fn note_lines(&mut self, at: usize, octets: &[u8]) {
        if octets.is_empty() {
            return;
        }
        if at == self.from && !self.runs_on || self.ended {
            self.starts.push(offset(at));
            self.ended = false;
        }
        self.starts
            .extend(memchr_iter(b'\n', octets).map(|end| offset(at + end + 1)));
        if octets.last() == Some(&b'\n') {
            // The start after the last end is a line only once something stands there.
            self.starts.pop();
            self.ended = true;
        }
    }

    /// Takes the unfinished last line out of a full block, as the beginning of the next one.
    fn split_last_line(&mut self) -> Self {
        let mut next = Self::default();
        if self.ended {
            return next;
        }
        // A short line that is all of a block moves too; one that fills it runs on.
        let moves = |start: usize| start > self.from || self.own().len() < LINE;
        match self
            .starts
            .last()
            .copied()
            .filter(|&start| moves(start as usize))
        {
            Some(start) => {
                self.starts.pop();
                self.ended = true;
                next.append(self.octets.get(start as usize..).unwrap_or_default());
                self.octets.truncate(start as usize);
            }
            None => next.runs_on = true,
        }
        next
    }

    fn line(&self, index: usize) -> Option<&[u8]> {
        let start = *self.starts.get(index)? as usize;
        let end = self
            .starts
            .get(index + 1)
            .map_or(self.octets.len(), |&next| next as usize);
        let line = self.octets.get(start..end)?;
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        Some(line.get(..LINE).unwrap_or(line))
    }
}

fn offset(at: usize) -> u32 {
    // A block holds 256 KiB: this cannot be cut short.
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(raw: &Raw) -> Vec<Vec<u8>> {
        (0..raw.lines())
            .map(|number| raw.line(number).unwrap().to_vec())
            .collect()
    }

    fn naive(octets: &[u8]) -> Vec<Vec<u8>> {
        let mut lines: Vec<Vec<u8>> = octets
            .split(|&octet| octet == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        if lines.last().is_some_and(Vec::is_empty) {
            lines.pop();
        }
        for line in &mut lines {
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            line.truncate(LINE);
        }
        lines
    }

    proptest! {
        #[test]
        fn lines_are_the_same_however_the_octets_arrive(
            pieces in proptest::collection::vec(
                prop_oneof![
                    proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..40),
                    (0..300_000_usize).prop_map(|length| vec![b'x'; length]),
                    (1..300_000_usize, 1..90_000_usize).prop_map(|(length, line)| {
                        (0..length).map(|at| if at % line == line / 2 { b'\n' } else { b'x' }).collect()
                    }),
                ],
                0..12,
            )
        ) {
            let mut raw = Raw::default();
            for (index, piece) in pieces.iter().enumerate() {
                if index % 2 == 0 {
                    raw.append(piece);
                } else {
                    raw.take(piece.clone());
                }
            }
            let whole = pieces.concat();
            prop_assert_eq!(raw.to_vec(), whole.clone());
            prop_assert_eq!(raw.len(), whole.len());
            prop_assert_eq!(shown(&raw), naive(&whole));
        }
    }

    #[test]
    fn a_line_that_large_arrivals_break_off_is_one_line() {
        let large = b"\nsome more words".repeat(4000);
        let mut raw = Raw::default();
        raw.append(b"short");
        raw.take(large.clone());
        raw.take(large);
        assert_eq!(raw.lines(), 8001);
        assert_eq!(raw.line(0), Some(&b"short"[..]));
        assert_eq!(raw.line(4000), Some(&b"some more words"[..]));
        assert_eq!(raw.line(8000), Some(&b"some more words"[..]));

        // One that ends the line and holds no other.
        let mut line = vec![b'x'; LARGE];
        line.push(b'\n');
        let mut raw = Raw::default();
        raw.append(b"x");
        raw.take(line);
        raw.append(b"next");
        assert_eq!(raw.lines(), 2);
        assert_eq!(raw.line(1), Some(&b"next"[..]));
    }

    #[test]
    fn a_clone_is_not_touched_by_what_comes_later() {
        let mut raw = Raw::from_octets(&b"one\ntwo".repeat(100_000));
        let before = raw.clone();
        raw.append(b" and more\nthree\n");
        assert_eq!(before.to_vec(), b"one\ntwo".repeat(100_000));
        assert_eq!(before.lines(), 100_001);
        assert_eq!(raw.lines(), 100_002);
    }
}
