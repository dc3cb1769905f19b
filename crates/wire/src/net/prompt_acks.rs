//! A connection that acknowledges what it receives at once.
//!
//! A server that writes a message in pieces, with Nagle's algorithm (RFC 896), sends the last one only after the others
//! were acknowledged. Linux delays an acknowledgement by 40 ms if nothing is to be sent: once for each message.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

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
