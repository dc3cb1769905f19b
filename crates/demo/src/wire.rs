//! Shared parts of the small servers: accepting connections, reading request lines, writing replies.
//!
//! Lines end in CRLF (a bare LF is accepted too); they have a cap and an idle deadline. This module is independent of
//! protocols. Not implemented: TLS, and any address but the listener's own.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use memchr::memchr;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The time for which a client may be silent.
const IDLE: Duration = Duration::from_mins(5);
/// The time for which a client may leave a reply unread. A reader may pause in a long page.
const STALL: Duration = Duration::from_mins(5);
/// The time for which a finished connection waits for the client to close first.
const LINGER: Duration = Duration::from_secs(1);
/// The longest request. Every protocol here allows less.
const MAX_LINE_BYTES: usize = 4096;
/// The highest number of connections. Further clients wait in the listener's queue.
const MAX_CONNECTIONS: usize = 256;
/// The approximate size of the pieces in which a computed page is written.
pub(super) const PIECE: usize = 64 * 1024;

/// A request line, or the reason why there is none.
pub(super) enum Line {
    /// The line without its CRLF.
    Whole(Vec<u8>),
    /// The line is longer than the cap, so the connection is out of sync.
    TooLong,
    /// The client closed the connection.
    End,
}

/// Request lines from a stream. A cancelled `next` loses nothing: octets already read stay in `partial`.
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    partial: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(stream: R) -> Self {
        Self {
            reader: BufReader::new(stream),
            partial: Vec::new(),
        }
    }

    /// The next line, or an error if the client was idle for too long.
    pub(super) async fn next(&mut self) -> io::Result<Line> {
        timeout(IDLE, self.read()).await?
    }

    async fn read(&mut self) -> io::Result<Line> {
        loop {
            let chunk = self.reader.fill_buf().await?;
            if chunk.is_empty() {
                return Ok(Line::End);
            }
            let end = memchr(b'\n', chunk);
            let (taken, used) = end.map_or((chunk, chunk.len()), |at| {
                (chunk.get(..at).unwrap_or_default(), at + 1)
            });
            self.partial.extend_from_slice(taken);
            self.reader.consume(used);
            if self.partial.len() > MAX_LINE_BYTES {
                return Ok(Line::TooLong);
            }
            if end.is_some() {
                let mut line = std::mem::take(&mut self.partial);
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                return Ok(Line::Whole(line));
            }
        }
    }

    /// The next octets, as they are: fewer than `length` if the client closes.
    pub(super) async fn octets(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let mut octets = Vec::new();
        let mut rest = (&mut self.reader).take(length as u64);
        timeout(IDLE, rest.read_to_end(&mut octets)).await??;
        Ok(octets)
    }

    /// Reads the rest of the client's data, so that closing does not reset the connection before the reply is read.
    pub(super) async fn linger(&mut self) {
        let mut rest = (&mut self.reader).take(1024 * 1024);
        timeout(LINGER, tokio::io::copy(&mut rest, &mut tokio::io::sink()))
            .await
            .ok();
    }
}

/// A connection of a client: request lines in, replies out.
pub(super) struct Connection {
    pub(super) lines: Lines<OwnedReadHalf>,
    pub(super) out: OwnedWriteHalf,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> Self {
        let (reading, out) = stream.into_split();
        Self {
            lines: Lines::new(reading),
            out,
        }
    }

    /// Sends the last reply and closes, once the client has read it.
    pub(super) async fn end(mut self, reply: &[u8]) -> io::Result<()> {
        send(&mut self.out, reply).await?;
        self.out.shutdown().await?;
        self.lines.linger().await;
        Ok(())
    }
}

/// Writes all of `octets`, or fails if the client does not read them.
pub(super) async fn send<W: AsyncWrite + Unpin>(out: &mut W, octets: &[u8]) -> io::Result<()> {
    timeout(STALL, out.write_all(octets)).await?
}

/// Appends `text` as a block of lines: CRLF at every end, a dot doubled at every start (RFC 1436 section 3.3, RFC
/// 3977 section 3.1.1). The caller adds the final dot.
pub(super) fn stuff(text: &[u8], block: &mut Vec<u8>) {
    for line in lines(text) {
        if line.first() == Some(&b'.') {
            block.push(b'.');
        }
        block.extend_from_slice(line);
        block.extend_from_slice(b"\r\n");
    }
}

/// The lines of a text with LF or CRLF, without their ends. A last line without an end counts.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = text.strip_suffix(b"\n").unwrap_or(text);
    let none = text.is_empty();
    whole
        .split(|&octet| octet == b'\n')
        .filter(move |_| !none)
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// Parses a number: digits only, and limited in length.
pub(super) fn number(digits: &[u8]) -> Option<u64> {
    let plain = !digits.is_empty() && digits.len() <= 12 && digits.iter().all(u8::is_ascii_digit);
    plain.then(|| {
        digits
            .iter()
            .fold(0, |value, digit| value * 10 + u64::from(digit - b'0'))
    })
}

/// Splits at the first `separator`, which belongs to neither part.
pub(super) fn split_once(octets: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(separator, octets)?;
    let (before, after) = octets.split_at_checked(at)?;
    Some((before, after.get(1..)?))
}

/// Accepts connections without end, each in its own task. Dropping this future ends them all.
pub(super) fn accept<W, F, Fut>(
    listener: TcpListener,
    world: Arc<W>,
    dialogue: F,
) -> BoxFuture<'static, ()>
where
    W: Send + Sync + 'static,
    F: Fn(TcpStream, Arc<W>) -> Fut + Send + 'static,
    Fut: Future<Output = io::Result<()>> + Send + 'static,
{
    let dialogue = move |stream| dialogue(stream, Arc::clone(&world)).boxed();
    accept_all(listener, Box::new(dialogue)).boxed()
}

/// Accepts the connections of any server, so that it is compiled once.
async fn accept_all(
    listener: TcpListener,
    dialogue: Box<dyn Fn(TcpStream) -> BoxFuture<'static, io::Result<()>> + Send>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < MAX_CONNECTIONS => match accepted {
                Ok((stream, _)) => {
                    stream.set_nodelay(true).ok();
                    // A dialogue that fails has lost its client, so the error is not reported.
                    connections.spawn(dialogue(stream).map(drop));
                }
                // Most likely there are no more file descriptors. They become free when clients disconnect.
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}
