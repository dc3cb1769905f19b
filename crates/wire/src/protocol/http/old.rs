//! Replies of servers older than HTTP/1.0, and of those that stream sound, as a reply of HTTP/1.0.
//!
//! ```text
//! http-0.9 = body                                   ; RFC 1945, section 6: no status line, no fields
//! icy      = "ICY" SP status SP reason CRLF *( field CRLF ) CRLF body
//! ```

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The start of a status line.
const HTTP: &[u8] = b"HTTP/";

/// The octets that are read at once until the start is known: a record of the reply has no less than without this.
const PIECE: usize = 1024;

/// The head in front of a reply that has none.
const BARE_HEAD: &[u8] = b"HTTP/1.0 200 OK\r\n\r\n";

/// A stream whose reply may be of an old server.
#[derive(Debug)]
pub(super) struct OldReply<S> {
    stream: S,
    /// True if a reply may be a body alone.
    accepts_bare: bool,
    start: ReplyStart,
}

/// The state of the first octets of a reply.
#[derive(Debug)]
enum ReplyStart {
    /// Too few have arrived.
    Arriving(Vec<u8>),
    /// These are passed on, from this offset.
    Known(Vec<u8>, usize),
    /// All were passed on.
    Passed,
}

impl<S> OldReply<S> {
    pub(super) fn new(stream: S, accepts_bare: bool) -> Self {
        Self {
            stream,
            accepts_bare,
            start: ReplyStart::Arriving(Vec::new()),
        }
    }
}

/// Returns the start of a reply as that of HTTP/1.0. A record of TLS and an empty reply are none of HTTP/0.9, and some
/// servers send a line end first.
fn converted(start: &[u8], accepts_bare: bool) -> Vec<u8> {
    if let Some(rest) = start.strip_prefix(b"ICY ") {
        return [b"HTTP/1.0 ", rest].concat();
    }
    let is_text = start
        .first()
        .is_some_and(|first| !matches!(first, 0x15 | 0x16 | b'\r' | b'\n'));
    let is_status_line = start.starts_with(HTTP) || HTTP.starts_with(start);
    if accepts_bare && is_text && !is_status_line {
        return [BARE_HEAD, start].concat();
    }
    start.to_vec()
}

impl<S: AsyncRead + Unpin> AsyncRead for OldReply<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        read: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            match &mut this.start {
                ReplyStart::Arriving(start) => {
                    let mut octets = [0; PIECE];
                    let mut buffer = ReadBuf::new(&mut octets);
                    ready!(Pin::new(&mut this.stream).poll_read(cx, &mut buffer))?;
                    let is_end = buffer.filled().is_empty();
                    start.extend_from_slice(buffer.filled());
                    if is_end || start.len() >= HTTP.len() {
                        let known = converted(start, this.accepts_bare);
                        this.start = ReplyStart::Known(known, 0);
                    }
                }
                ReplyStart::Known(known, at) => {
                    let rest = known.get(*at..).unwrap_or_default();
                    let now = rest.get(..read.remaining()).unwrap_or(rest);
                    if now.is_empty() {
                        this.start = ReplyStart::Passed;
                        continue;
                    }
                    read.put_slice(now);
                    *at += now.len();
                    return Poll::Ready(Ok(()));
                }
                ReplyStart::Passed => return Pin::new(&mut this.stream).poll_read(cx, read),
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for OldReply<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        octets: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, octets)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::io::AsyncReadExt;

    use super::*;

    #[test]
    fn only_replies_without_a_status_line_get_a_head() {
        let bare = |start: &[u8]| [BARE_HEAD, start].concat();
        for (start, expected) in [
            (b"<html>".as_slice(), bare(b"<html>")),
            (b"<p>", bare(b"<p>")),
            (b"HTTP/1.1 200", b"HTTP/1.1 200".to_vec()),
            (b"HTTP", b"HTTP".to_vec()),
            (b"ICY 200 OK", b"HTTP/1.0 200 OK".to_vec()),
            (b"\x15\x03\x01\0\x02", b"\x15\x03\x01\0\x02".to_vec()),
            (b"\r\nHTTP", b"\r\nHTTP".to_vec()),
            (b"", Vec::new()),
        ] {
            assert_eq!(converted(start, true), expected, "{}", start.escape_ascii());
        }
        assert_eq!(converted(b"<html>", false), b"<html>");
    }

    proptest! {
        #[test]
        fn other_octets_pass_unchanged(rest: Vec<u8>, size in 1..9_usize) {
            let reply = [b"HTTP/1.1 ".as_slice(), &rest].concat();
            let reading = async {
                let (mut theirs, ours) = tokio::io::duplex(size);
                let sent = reply.clone();
                let sending = async move {
                    tokio::io::AsyncWriteExt::write_all(&mut theirs, &sent).await.unwrap();
                };
                let mut read = Vec::new();
                let mut ours = OldReply::new(ours, true);
                let ((), got) = tokio::join!(sending, ours.read_to_end(&mut read));
                got.unwrap();
                read
            };
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            prop_assert_eq!(runtime.block_on(reading), reply);
        }
    }
}
