//! A stream that may begin to compress what it carries, both ways (RFC 1951; RFC 8054, section 2.2.2).
//!
//! Each flush ends in a sync flush, so that the other end has all of what was written. What is read comes out in no more
//! than the reader has room for, however much it was compressed: the caps of whoever reads hold as they do for a plain
//! stream.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Octets of compressed stream that are held at once, either way.
const HELD: usize = 32 * 1024;

/// A stream, plain until [`Deflate::begin`].
#[derive(Debug)]
pub(super) struct Deflate<S> {
    stream: S,
    packed: Option<Box<Packed>>,
}

/// What compression remembers of the octets before.
struct Packed {
    inflate: Decompress,
    deflate: Compress,
    /// Compressed octets that have come, from `taken` on.
    came: Vec<u8>,
    taken: usize,
    /// Compressed octets that go, from `gone` on.
    goes: Vec<u8>,
    gone: usize,
    /// Something was written since the last sync flush.
    is_pending: bool,
    /// The other end has ended its compressed stream, or all of it.
    has_ended: bool,
}

impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packed").finish_non_exhaustive()
    }
}

impl<S> Deflate<S> {
    pub(super) fn plain(stream: S) -> Self {
        Self {
            stream,
            packed: None,
        }
    }

    /// From here on everything is compressed, in both directions.
    pub(super) fn begin(&mut self) {
        self.packed = Some(Box::new(Packed {
            inflate: Decompress::new(false),
            deflate: Compress::new(Compression::default(), false),
            came: Vec::new(),
            taken: 0,
            goes: Vec::new(),
            gone: 0,
            is_pending: false,
            has_ended: false,
        }));
    }

    pub(super) fn is_packed(&self) -> bool {
        self.packed.is_some()
    }

    pub(super) fn into_inner(self) -> S {
        self.stream
    }
}

impl Packed {
    /// Compresses `octets` behind what goes already; how many were taken.
    fn pack(&mut self, octets: &[u8], flush: FlushCompress) -> io::Result<usize> {
        let before = self.deflate.total_in();
        self.goes.reserve(HELD);
        let packed = self.deflate.compress_vec(octets, &mut self.goes, flush);
        packed.map_err(io::Error::other)?;
        usize::try_from(self.deflate.total_in() - before).map_err(io::Error::other)
    }

    /// Writes out what goes.
    fn poll_send<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while let Some(rest) = self.goes.get(self.gone..).filter(|rest| !rest.is_empty()) {
            let sent = ready!(Pin::new(&mut *stream).poll_write(context, rest))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.gone += sent;
        }
        self.goes.clear();
        self.gone = 0;
        Poll::Ready(Ok(()))
    }

    /// Unpacks into `buffer` what there is; nothing where more has to come first.
    fn unpack(&mut self, buffer: &mut ReadBuf<'_>) -> io::Result<usize> {
        let came = self.came.get(self.taken..).unwrap_or_default();
        let (read, written) = (self.inflate.total_in(), self.inflate.total_out());
        let room = buffer.initialize_unfilled();
        let status = self
            .inflate
            .decompress(came, room, FlushDecompress::None)
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
        let Some(packed) = &mut this.packed else {
            return Pin::new(&mut this.stream).poll_read(context, buffer);
        };
        loop {
            if packed.has_ended || buffer.remaining() == 0 || packed.unpack(buffer)? > 0 {
                return Poll::Ready(Ok(()));
            }
            if packed.has_ended {
                continue;
            }
            if packed.taken < packed.came.len() {
                let why = "its compression leads nowhere";
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, why)));
            }
            packed.came.resize(HELD, 0);
            let mut room = ReadBuf::new(&mut packed.came);
            let read = Pin::new(&mut this.stream).poll_read(context, &mut room);
            let filled = room.filled().len();
            packed.came.truncate(filled);
            packed.taken = 0;
            ready!(read)?;
            packed.has_ended = filled == 0;
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
        let Some(packed) = &mut this.packed else {
            return Pin::new(&mut this.stream).poll_write(context, octets);
        };
        if packed.goes.len() > HELD {
            ready!(packed.poll_send(&mut this.stream, context))?;
        }
        packed.is_pending = true;
        Poll::Ready(packed.pack(octets, FlushCompress::None))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Some(packed) = &mut this.packed {
            while packed.is_pending {
                ready!(packed.poll_send(&mut this.stream, context))?;
                packed.pack(&[], FlushCompress::Sync)?;
                // Where the room was filled there may be more of it.
                packed.is_pending = packed.goes.len() == packed.goes.capacity();
            }
            ready!(packed.poll_send(&mut this.stream, context))?;
        }
        Pin::new(&mut this.stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(Pin::new(&mut *this).poll_flush(context))?;
        Pin::new(&mut this.stream).poll_shutdown(context)
    }
}
