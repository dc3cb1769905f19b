//! Plain and TLS connections, with reading and writing by deadlines.
//!
//! A server that writes a message in pieces, with Nagle's algorithm (RFC 896), sends the last one only after the others
//! were acknowledged. Linux delays an acknowledgement by 40 ms if nothing is to be sent: once for each message.
//! [`PromptAcks`] acknowledges at once.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rustls::ProtocolVersion;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::client::TlsStream;

use super::recording::StreamRecorder;
use super::{Limits, NetError, trace};

/// The maximum number of octets of one read. A fast server has that much of a large page ready, and fewer reads wake
/// the main loop less often.
pub(super) const READ: usize = 256 * 1024;

/// A connection to a server.
#[derive(Debug)]
pub struct Stream {
    transport: Transport,
    recorder: Option<StreamRecorder>,
}

/// The transport of a connection.
#[derive(Debug)]
enum Transport {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// A connection of either kind.
trait Connection: AsyncRead + AsyncWrite + Unpin {}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection for S {}

impl Stream {
    /// The certificate of the server, as DER.
    pub(super) fn certificate(&self) -> Option<&[u8]> {
        match &self.transport {
            Transport::Plain(_) => None,
            Transport::Tls(stream) => Some(stream.get_ref().1.peer_certificates()?.first()?),
        }
    }

    /// Returns the version of TLS; `None` for an unencrypted connection.
    pub(super) fn tls_version(&self) -> Option<ProtocolVersion> {
        match &self.transport {
            Transport::Plain(_) => None,
            Transport::Tls(stream) => stream.get_ref().1.protocol_version(),
        }
    }

    /// Returns the address at the other end.
    pub(super) fn peer(&self) -> Option<IpAddr> {
        let stream = match &self.transport {
            Transport::Plain(stream) => stream,
            Transport::Tls(stream) => stream.get_ref().0,
        };
        Some(stream.peer_addr().ok()?.ip())
    }

    pub(super) fn with_recorder(self, recorder: Option<StreamRecorder>) -> Self {
        Self { recorder, ..self }
    }

    /// Returns the socket of an unencrypted connection.
    pub fn plain(&self) -> Option<&TcpStream> {
        match &self.transport {
            Transport::Plain(stream) => Some(stream),
            Transport::Tls(_) => None,
        }
    }

    /// Converts an unencrypted connection to its socket.
    pub fn into_plain(self) -> Option<TcpStream> {
        match self.transport {
            Transport::Plain(stream) => Some(stream),
            Transport::Tls(_) => None,
        }
    }

    fn connection(&mut self) -> Pin<&mut dyn Connection> {
        match &mut self.transport {
            Transport::Plain(stream) => Pin::new(stream),
            Transport::Tls(stream) => Pin::new(stream),
        }
    }
}

impl From<TcpStream> for Stream {
    fn from(stream: TcpStream) -> Self {
        Self {
            transport: Transport::Plain(stream),
            recorder: None,
        }
    }
}

impl From<TlsStream<TcpStream>> for Stream {
    fn from(stream: TlsStream<TcpStream>) -> Self {
        Self {
            transport: Transport::Tls(Box::new(stream)),
            recorder: None,
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(self.connection().poll_read(context, buffer));
        let Some(recorder) = &self.recorder else {
            return Poll::Ready(read);
        };
        Poll::Ready(match read {
            Ok(()) => recorder.received(buffer.filled().get(before..).unwrap_or_default()),
            Err(error) => {
                recorder.failed();
                Err(error)
            }
        })
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        octets: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(self.connection().poll_write(context, octets));
        if let (Some(recorder), Ok(length)) = (&self.recorder, &written) {
            recorder.sent(octets.get(..*length).unwrap_or_default());
        }
        Poll::Ready(written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.connection().poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.connection().poll_shutdown(context)
    }
}

/// Sets up a socket to deliver urgent data in its place among the other octets, as Telnet needs it (RFC 854, page 9:
/// DM). By default the last urgent octet is missing there, and a command of two octets loses its IAC.
///
/// # Errors
/// Those of the system.
pub fn deliver_urgent_data_inline(stream: &TcpStream) -> io::Result<()> {
    Ok(rustix::net::sockopt::set_socket_oobinline(stream, true)?)
}

/// Reads what has arrived, at most 256 KiB, within the idle deadline; empty at the end of the stream.
///
/// # Errors
/// [`NetError::Timeout`], [`NetError::Io`], or [`NetError::TlsTruncated`] if TLS was not closed properly.
pub async fn read<S: AsyncRead + Unpin>(
    stream: &mut S,
    authority: &str,
    limits: &Limits,
) -> Result<Vec<u8>, NetError> {
    let octets = read_untraced(stream, authority, limits).await?;
    trace::received_octets(authority, &octets);
    Ok(octets)
}

/// Reads as [`read`] does, for a caller that traces what it makes of the octets.
pub(super) async fn read_untraced<S: AsyncRead + Unpin>(
    stream: &mut S,
    authority: &str,
    limits: &Limits,
) -> Result<Vec<u8>, NetError> {
    let reading = async {
        let mut octets = Vec::with_capacity(READ);
        stream.read_buf(&mut octets).await?;
        Ok(octets)
    };
    receive(reading, authority, limits).await
}

/// Awaits a read within the idle deadline, with the errors of [`read`].
pub(super) async fn receive(
    reading: impl Future<Output = io::Result<Vec<u8>>>,
    authority: &str,
    limits: &Limits,
) -> Result<Vec<u8>, NetError> {
    let received = within(limits.idle, authority, "sent nothing", reading).await;
    received.map_err(|error| match error {
        // A plain socket never returns this error: TLS was not closed properly.
        NetError::Io { authority, source } if source.kind() == io::ErrorKind::UnexpectedEof => {
            NetError::TlsTruncated { authority }
        }
        NetError::Io { authority, source } if is_not_tls(&source) => NetError::Tls {
            authority,
            said: "it continued without TLS, as some servers do when they fail".to_owned(),
        },
        error => error,
    })
}

/// Awaits an operation on a connection to `authority` until the deadline; `problem` describes a timeout.
pub(crate) async fn within<T>(
    deadline: Duration,
    authority: &str,
    problem: &'static str,
    operation: impl Future<Output = io::Result<T>>,
) -> Result<T, NetError> {
    match timeout(deadline, operation).await {
        Ok(result) => result.map_err(|source| NetError::io(authority, source)),
        Err(_) => Err(NetError::timeout(authority, problem, deadline)),
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
    trace::sent_octets(authority, octets);
    write_untraced(stream, octets, authority, limits).await
}

/// Writes as [`write`] does, for a caller that traces what it sends.
pub(super) async fn write_untraced<S: AsyncWrite + Unpin>(
    stream: &mut S,
    octets: &[u8],
    authority: &str,
    limits: &Limits,
) -> Result<(), NetError> {
    let sent = async {
        stream.write_all(octets).await?;
        stream.flush().await
    };
    within(limits.idle, authority, "took nothing", sent).await
}

/// Rejects octets that would end a command early (RFC 1738, section 6): CR, LF or NUL. `what` names the part.
///
/// # Errors
/// [`NetError::Unsendable`].
pub fn sendable(octets: &[u8], what: &'static str) -> Result<(), NetError> {
    let ends_line = |octet: &u8| matches!(octet, b'\r' | b'\n' | 0);
    if octets.iter().any(ends_line) {
        return Err(NetError::Unsendable { what });
    }
    Ok(())
}

/// A connection whose acknowledgements are not delayed, where the system can do that.
#[derive(Debug)]
pub struct PromptAcks(pub TcpStream);

impl PromptAcks {
    /// Sends a pending acknowledgement. The system forgets this setting after a while, so it is set after each read.
    fn acknowledge(&self) {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        // Without it the connection works too, only slower.
        let _ = rustix::net::sockopt::set_tcp_quickack(&self.0, true);
    }
}

impl AsyncRead for PromptAcks {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.0).poll_read(cx, buf);
        if read.is_ready() {
            self.acknowledge();
        }
        read
    }
}

impl AsyncWrite for PromptAcks {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        octets: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, octets)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::net::sockopt::{set_tcp_quickack, tcp_quickack};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn each_read_ends_the_delay_of_acknowledgements() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap());
        let (mut stream, (mut server, _)) = {
            let (stream, accepted) = tokio::join!(stream, listener.accept());
            (PromptAcks(stream.unwrap()), accepted.unwrap())
        };
        for octet in 0..3 {
            set_tcp_quickack(&stream.0, false).unwrap();
            server.write_u8(octet).await.unwrap();
            assert_eq!(stream.read_u8().await.unwrap(), octet);
            assert!(tcp_quickack(&stream.0).unwrap());
        }
    }
}
