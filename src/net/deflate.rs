//! A stream that can switch to compression in both directions (RFC 1951; RFC 8054, section 2.2.2).
//!
//! Each flush ends in a sync flush, so that the other end gets everything that was written. A read never returns more
//! than the reader's buffer holds, however well the data was compressed, so the reader's caps work as for a plain
//! stream.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The size of each compression buffer, in octets.
const HELD: usize = 32 * 1024;

/// A stream that is plain until [`Deflate::begin`].
#[derive(Debug)]
pub(super) struct Deflate<S> {
    stream: S,
    compression: Option<Box<DeflateState>>,
}

/// The state of the compression.
struct DeflateState {
    inflate: Decompress,
    deflate: Compress,
    /// Compressed octets received; those before `taken` are consumed.
    input: Vec<u8>,
    taken: usize,
    /// Compressed octets to send; those before `written` are sent.
    output: Vec<u8>,
    written: usize,
    /// True if something was written since the last sync flush.
    is_pending: bool,
    /// True if the other end has ended its compressed stream, or the whole stream.
    has_ended: bool,
}

impl fmt::Debug for DeflateState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packed").finish_non_exhaustive()
    }
}

impl<S> Deflate<S> {
    pub(super) fn plain(stream: S) -> Self {
        Self {
            stream,
            compression: None,
        }
    }

    /// Switches to compression in both directions.
    pub(super) fn begin(&mut self) {
        self.compression = Some(Box::new(DeflateState {
            inflate: Decompress::new(false),
            deflate: Compress::new(Compression::default(), false),
            input: Vec::new(),
            taken: 0,
            output: Vec::new(),
            written: 0,
            is_pending: false,
            has_ended: false,
        }));
    }

    pub(super) fn is_compressed(&self) -> bool {
        self.compression.is_some()
    }

    pub(super) fn into_inner(self) -> S {
        self.stream
    }
}

impl DeflateState {
    /// Compresses `octets` after those waiting to be sent. Returns the number of octets consumed.
    fn pack(&mut self, octets: &[u8], flush: FlushCompress) -> io::Result<usize> {
        let before = self.deflate.total_in();
        self.output.reserve(HELD);
        let compression = self.deflate.compress_vec(octets, &mut self.output, flush);
        compression.map_err(io::Error::other)?;
        usize::try_from(self.deflate.total_in() - before).map_err(io::Error::other)
    }

    /// Writes out the compressed octets.
    fn poll_send<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while let Some(rest) = self
            .output
            .get(self.written..)
            .filter(|rest| !rest.is_empty())
        {
            let sent = ready!(Pin::new(&mut *stream).poll_write(context, rest))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.written += sent;
        }
        self.output.clear();
        self.written = 0;
        Poll::Ready(Ok(()))
    }

    /// Decompresses received octets into `buffer`. Returns 0 if more must be received first.
    fn unpack(&mut self, buffer: &mut ReadBuf<'_>) -> io::Result<usize> {
        let input = self.input.get(self.taken..).unwrap_or_default();
        let (read, written) = (self.inflate.total_in(), self.inflate.total_out());
        let room = buffer.initialize_unfilled();
        let status = self
            .inflate
            .decompress(input, room, FlushDecompress::None)
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "its compression is broken"))?;
        self.has_ended |= status == Status::StreamEnd;
        let read = usize::try_from(self.inflate.total_in() - read).map_err(io::Error::other)?;
        let written =
            usize::try_from(self.inflate.total_out() - written).map_err(io::Error::other)?;
        self.taken += read;
        buffer.advance(written);
        Ok(written)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Deflate<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let Some(compression) = &mut this.compression else {
            return Pin::new(&mut this.stream).poll_read(context, buffer);
        };
        loop {
            if compression.has_ended || buffer.remaining() == 0 || compression.unpack(buffer)? > 0 {
                return Poll::Ready(Ok(()));
            }
            if compression.has_ended {
                continue;
            }
            if compression.taken < compression.input.len() {
                let why = "its compression leads nowhere";
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, why)));
            }
            compression.input.resize(HELD, 0);
            let mut room = ReadBuf::new(&mut compression.input);
            let read = Pin::new(&mut this.stream).poll_read(context, &mut room);
            let filled = room.filled().len();
            compression.input.truncate(filled);
            compression.taken = 0;
            ready!(read)?;
            compression.has_ended = filled == 0;
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Deflate<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        octets: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let Some(compression) = &mut this.compression else {
            return Pin::new(&mut this.stream).poll_write(context, octets);
        };
        if compression.output.len() > HELD {
            ready!(compression.poll_send(&mut this.stream, context))?;
        }
        compression.is_pending = true;
        Poll::Ready(compression.pack(octets, FlushCompress::None))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Some(compression) = &mut this.compression {
            while compression.is_pending {
                ready!(compression.poll_send(&mut this.stream, context))?;
                compression.pack(&[], FlushCompress::Sync)?;
                // If the buffer was filled, there may be more output.
                compression.is_pending = compression.output.len() == compression.output.capacity();
            }
            ready!(compression.poll_send(&mut this.stream, context))?;
        }
        Pin::new(&mut this.stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(Pin::new(&mut *this).poll_flush(context))?;
        Pin::new(&mut this.stream).poll_shutdown(context)
    }
}
