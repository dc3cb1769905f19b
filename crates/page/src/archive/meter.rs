//! The bound of what is read on the way to the content of an archive, and the end of the reading when nobody waits for
//! it.

use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;

use super::error::UnpackError;

/// The octets that all readers of a search unpack together, and those of the file that they read.
pub(super) struct Meter {
    /// The octets that may be unpacked, however small the file is.
    limit: u64,
    unpacked: Cell<u64>,
    /// The octets of the file.
    packed: Cell<u64>,
    is_lifted: Cell<bool>,
    is_closed: Box<dyn Fn() -> bool>,
    /// The state of a search that was ended.
    end: Cell<MeterEnd>,
}

/// The number of octets that a file may unpack to beyond the limit, as a multiple of its own.
const MAX_RATIO: u64 = 100;

/// The reason why reading was ended.
#[derive(Clone, Copy)]
enum MeterEnd {
    None,
    Closed,
    Full,
}

impl Meter {
    pub(super) fn new(limit: u64, is_closed: impl Fn() -> bool + 'static) -> Self {
        Self {
            limit,
            unpacked: Cell::default(),
            packed: Cell::default(),
            is_lifted: Cell::new(false),
            is_closed: Box::new(is_closed),
            end: Cell::new(MeterEnd::None),
        }
    }

    /// Removes the limit.
    pub(super) fn lift(&self) {
        self.is_lifted.set(true);
    }

    /// Sets the limit again, for what follows.
    pub(super) fn restore(&self) {
        if self.is_lifted.replace(false) {
            self.unpacked.set(0);
        }
    }

    /// Counts octets of the file.
    pub(super) fn count_packed(&self, octets: u64) {
        self.packed.set(self.packed.get().saturating_add(octets));
    }

    /// Returns the error of a search that was ended.
    pub(super) fn interruption(&self) -> Option<UnpackError> {
        match self.end.get() {
            MeterEnd::None => None,
            MeterEnd::Closed => Some(UnpackError::Closed),
            MeterEnd::Full => Some(UnpackError::TooLarge(self.unpacked.get())),
        }
    }

    fn count(&self, octets: usize) -> io::Result<()> {
        let unpacked = self.unpacked.get().saturating_add(octets as u64);
        self.unpacked.set(unpacked);
        let is_many = unpacked > self.limit && unpacked / MAX_RATIO > self.packed.get();
        self.end_if(is_many && !self.is_lifted.get())
    }

    /// Ends the search if nobody waits for it, or too much was unpacked.
    fn end_if(&self, is_full: bool) -> io::Result<()> {
        let end = if (self.is_closed)() {
            MeterEnd::Closed
        } else if is_full {
            MeterEnd::Full
        } else {
            return Ok(());
        };
        self.end.set(end);
        Err(io::Error::other("reading was ended"))
    }
}

/// A reader whose octets are counted.
pub(super) struct Metered<R> {
    reader: R,
    meter: Rc<Meter>,
}

impl<R: Read> Metered<R> {
    pub(super) fn new(reader: R, meter: &Rc<Meter>) -> Self {
        Self {
            reader,
            meter: Rc::clone(meter),
        }
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.meter.count(count)?;
        Ok(count)
    }
}

/// A reader of the file itself, whose octets are not unpacked.
pub(super) struct PackedReader<R> {
    reader: R,
    meter: Rc<Meter>,
}

impl<R: Read> PackedReader<R> {
    pub(super) fn new(reader: R, meter: &Rc<Meter>) -> Self {
        Self {
            reader,
            meter: Rc::clone(meter),
        }
    }
}

impl<R: Read> Read for PackedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.meter.count_packed(count as u64);
        self.meter.end_if(false)?;
        Ok(count)
    }
}

impl<R: Seek> Seek for PackedReader<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.reader.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn much_is_unpacked_only_of_a_large_file() {
        let unpack = |packed: u64, unpacked: u64| {
            let meter = Rc::new(Meter::new(1000, || false));
            let mut file = PackedReader::new(io::repeat(0).take(packed), &meter);
            io::copy(&mut file, &mut io::sink()).unwrap();
            let mut reader = Metered::new(io::repeat(0).take(unpacked), &meter);
            io::copy(&mut reader, &mut io::sink()).is_ok()
        };
        assert!(unpack(1, 1000) && unpack(50, 5000));
        assert!(!unpack(1, 1001) && !unpack(50, 5100));
    }
}
