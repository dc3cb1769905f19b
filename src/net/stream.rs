//! Plain and TLS connections, with reading and writing by deadlines.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::client::TlsStream;

use super::{Limits, NetError};

/// The number of octets requested from a socket at once.
const READ: usize = 64 * 1024;

/// A connection to a server.
#[derive(Debug)]
pub enum Stream {
    /// An unencrypted connection.
    Plain(TcpStream),
    /// A connection over TLS.
    Tls(Box<TlsStream<TcpStream>>),
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        octets: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(context, octets),
            Self::Tls(stream) => Pin::new(stream).poll_write(context, octets),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(context),
            Self::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}

/// Reads what has arrived, at most 64 KiB, within the idle deadline; empty at the end of the stream.
///
/// # Errors
/// [`NetError::Timeout`], [`NetError::Io`], or [`NetError::TlsTruncated`] if TLS was not closed properly.
pub async fn read<S: AsyncRead + Unpin>(
    stream: &mut S,
    authority: &str,
    limits: &Limits,
) -> Result<Vec<u8>, NetError> {
    let mut octets = Vec::with_capacity(READ);
    match timeout(limits.idle, stream.read_buf(&mut octets)).await {
        Ok(Ok(_)) => Ok(octets),
        // A plain socket never returns this error: TLS was not closed properly.
        Ok(Err(source)) if source.kind() == io::ErrorKind::UnexpectedEof => {
            Err(NetError::TlsTruncated {
                authority: authority.to_owned(),
            })
        }
        Ok(Err(source)) if is_not_tls(&source) => Err(NetError::Tls {
            authority: authority.to_owned(),
            said: "it went on without TLS, as some servers do that fail in the middle".to_owned(),
        }),
        Ok(Err(source)) => Err(NetError::Io {
            authority: authority.to_owned(),
            source,
        }),
        Err(_) => Err(NetError::Timeout {
            authority: authority.to_owned(),
            problem: "sent nothing",
            seconds: limits.idle.as_secs(),
        }),
    }
}

/// Returns true if the octets received after the start of TLS are not TLS.
fn is_not_tls(error: &io::Error) -> bool {
    let cause = error.get_ref();
    let cause = cause.and_then(|cause| cause.downcast_ref::<rustls::Error>());
    matches!(cause, Some(rustls::Error::InvalidMessage(_)))
}

/// Writes all of `octets` within the idle deadline.
///
/// # Errors
/// [`NetError::Timeout`] or [`NetError::Io`].
pub async fn write<S: AsyncWrite + Unpin>(
    stream: &mut S,
    octets: &[u8],
    authority: &str,
    limits: &Limits,
) -> Result<(), NetError> {
    let sent = async {
        stream.write_all(octets).await?;
        stream.flush().await
    };
    match timeout(limits.idle, sent).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(source)) => Err(NetError::Io {
            authority: authority.to_owned(),
            source,
        }),
        Err(_) => Err(NetError::Timeout {
            authority: authority.to_owned(),
            problem: "took nothing",
            seconds: limits.idle.as_secs(),
        }),
    }
}

/// Rejects octets that would end a command early (RFC 1738, section 6): CR, LF or NUL. `what` names the part.
///
/// # Errors
/// [`NetError::Unsendable`].
pub fn sendable(octets: &[u8], what: &'static str) -> Result<(), NetError> {
    if octets
        .iter()
        .any(|octet| matches!(octet, b'\r' | b'\n' | 0))
    {
        Err(NetError::Unsendable { what })
    } else {
        Ok(())
    }
}
