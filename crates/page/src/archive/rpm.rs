//! The payload of RPM packages: a compressed cpio archive behind three headers.
//!
//! ```text
//! package = lead signature padding header payload       ; a lead of 96 octets; the signature is padded to 8
//! header  = %x8E.AD.E8.01 4octets count size count*16octets size*octet          ; two numbers of 32 bits, in network order
//! ```

use std::io::{self, Read};

/// The octets of the lead, and of a header before its entries.
const LEAD_BYTES: u64 = 96;
const HEADER_BYTES: usize = 16;

/// The most octets of a header.
const MAX_HEADER_BYTES: u64 = 256 * 1024 * 1024;

/// A reader of the payload.
pub(super) struct PayloadReader<R> {
    reader: R,
    is_in_payload: bool,
}

impl<R: Read> PayloadReader<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            is_in_payload: false,
        }
    }

    /// Skips a header, and returns the octets of its body.
    fn skip_header(&mut self) -> io::Result<u64> {
        let mut start = [0; HEADER_BYTES];
        self.reader.read_exact(&mut start)?;
        let [
            0x8E,
            0xAD,
            0xE8,
            1,
            _,
            _,
            _,
            _,
            c1,
            c2,
            c3,
            c4,
            s1,
            s2,
            s3,
            s4,
        ] = start
        else {
            return Err(damaged());
        };
        let count = u64::from(u32::from_be_bytes([c1, c2, c3, c4]));
        let size = count * 16 + u64::from(u32::from_be_bytes([s1, s2, s3, s4]));
        if size > MAX_HEADER_BYTES {
            return Err(damaged());
        }
        self.skip(size)?;
        Ok(size)
    }

    fn skip(&mut self, octets: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.reader.by_ref().take(octets), &mut io::sink())?;
        if skipped < octets {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }
}

impl<R: Read> Read for PayloadReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.is_in_payload {
            self.skip(LEAD_BYTES)?;
            let signature = self.skip_header()?;
            self.skip(signature.next_multiple_of(8) - signature)?;
            self.skip_header()?;
            self.is_in_payload = true;
        }
        self.reader.read(buffer)
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a header is damaged")
}
