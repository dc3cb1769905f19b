//! Compression in both directions of a stream (RFC 1951; RFC 8054, section 2.2.2).
//!
//! Everything that is sent ends in a sync flush, so that the other end gets all of it. A read never returns more than
//! [`READ`] octets, however well the data was compressed, so the reader's caps work as for a plain stream.

use std::io;

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use tokio::io::{AsyncRead, AsyncReadExt};

use super::stream::READ;

/// The size of each compression buffer, in octets.
const BUFFER: usize = 32 * 1024;

/// The state of the compression.
#[derive(Debug)]
pub(super) struct Deflate {
    decompressor: Decompress,
    compressor: Compress,
    /// Compressed octets received; those before `taken` are consumed.
    input: Vec<u8>,
    taken: usize,
    /// True if the other end has ended its compressed stream, or the whole stream.
    has_ended: bool,
}

impl Deflate {
    pub(super) fn new() -> Self {
        Self {
            decompressor: Decompress::new(false),
            compressor: Compress::new(Compression::default(), false),
            input: Vec::with_capacity(BUFFER),
            taken: 0,
            has_ended: false,
        }
    }

    /// The octets to send for `octets`.
    pub(super) fn pack(&mut self, mut octets: &[u8]) -> io::Result<Vec<u8>> {
        let mut packed = Vec::new();
        // If the buffer was filled, there may be more output.
        while packed.len() == packed.capacity() {
            packed.reserve(BUFFER);
            let before = self.compressor.total_in();
            self.compressor
                .compress_vec(octets, &mut packed, FlushCompress::Sync)?;
            octets = rest(octets, self.compressor.total_in() - before)?;
        }
        Ok(packed)
    }

    /// Reads from `stream` until there are decompressed octets, and returns them; empty at the end. The future can be
    /// dropped without loss.
    pub(super) async fn read<S: AsyncRead + Unpin>(
        &mut self,
        stream: &mut S,
    ) -> io::Result<Vec<u8>> {
        let mut octets = Vec::with_capacity(READ);
        while octets.is_empty() && !self.has_ended {
            let input = self.input.get(self.taken..).unwrap_or_default();
            let before = self.decompressor.total_in();
            let status = self
                .decompressor
                .decompress_vec(input, &mut octets, FlushDecompress::None)
                .map_err(|_| invalid("its compression is broken"))?;
            let unread = rest(input, self.decompressor.total_in() - before)?.len();
            self.taken = self.input.len() - unread;
            self.has_ended = status == Status::StreamEnd;
            if octets.is_empty() && !self.has_ended {
                if unread > 0 {
                    return Err(invalid("its compressed data does not end"));
                }
                self.input.clear();
                self.taken = 0;
                self.has_ended = stream.read_buf(&mut self.input).await? == 0;
            }
        }
        Ok(octets)
    }
}

/// The octets after the first `count`.
fn rest(octets: &[u8], count: u64) -> io::Result<&[u8]> {
    let count = usize::try_from(count).map_err(io::Error::other)?;
    Ok(octets.get(count..).unwrap_or_default())
}

fn invalid(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}
