//! The bound of what is read on the way to the content of an archive, and the end of the reading when nobody waits for
//! it.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use super::UnpackError;

/// The octets that all readers of a search may still read together.
pub(super) struct Meter {
    room: Cell<u64>,
    limit: u64,
    is_closed: Box<dyn Fn() -> bool>,
    /// The state of a search that was ended.
    end: Cell<MeterEnd>,
}

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
            room: Cell::new(limit),
            limit,
            is_closed: Box::new(is_closed),
            end: Cell::new(MeterEnd::None),
        }
    }

    /// Removes the limit.
    pub(super) fn lift(&self) {
        self.room.set(u64::MAX);
    }

    /// Sets the limit again, for what follows.
    pub(super) fn restore(&self) {
        self.room.set(self.room.get().min(self.limit));
    }

    /// Returns the error of a search that was ended.
    pub(super) fn interruption(&self) -> Option<UnpackError> {
        match self.end.get() {
            MeterEnd::None => None,
            MeterEnd::Closed => Some(UnpackError::Closed),
            MeterEnd::Full => Some(UnpackError::TooLarge(self.limit)),
        }
    }

    fn count(&self, octets: usize) -> io::Result<()> {
        let room = self.room.get().checked_sub(octets as u64);
        self.room.set(room.unwrap_or_default());
        let end = match room {
            _ if (self.is_closed)() => MeterEnd::Closed,
            None => MeterEnd::Full,
            Some(_) => return Ok(()),
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
