//! Lines and dot-stuffed blocks (RFC 3977, section 3.1.1), with deadlines and caps.
//!
//! One codec over any stream, for all line-based dialogues. A line may end in CRLF or in LF alone. Octets are not
//! converted. After any error the stream is out of sync and must be dropped.

use memchr::memchr;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use super::deflate::Deflate;
use super::stream::{self, read_untraced, write_untraced};
use super::{Limits, NetError, sendable, trace};

/// The most octets of a block that are returned at once.
const RUN: usize = 64 * 1024;

/// A stream that is read line by line.
#[derive(Debug)]
pub struct Lines<S> {
    stream: S,
    compression: Option<Deflate>,
    authority: String,
    limits: Limits,
    buffer: Vec<u8>,
    /// The number of octets of `buffer` that have been returned.
    taken: usize,
    /// True if a part of a block's line was returned: the following octets continue it.
    inside: bool,
    /// The error that ended the stream, reported after all octets before it have been returned.
    broken: Option<NetError>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Lines<S> {
    /// A line reader for `stream`; `authority` is for error messages.
    pub fn new(stream: S, authority: &str, limits: &Limits) -> Self {
        Self {
            stream,
            compression: None,
            authority: authority.to_owned(),
            limits: limits.clone(),
            buffer: Vec::new(),
            taken: 0,
            inside: false,
            broken: None,
        }
    }

    /// Sends one line and its CRLF. `what` names the argument that may hold forbidden characters.
    ///
    /// # Errors
    /// [`NetError::Unsendable`] before anything is sent; [`NetError::Timeout`], [`NetError::Io`].
    pub async fn send(&mut self, line: &[u8], what: &'static str) -> Result<(), NetError> {
        self.send_all(std::iter::once(line), what).await
    }

    /// Sends several lines at once, each with its CRLF.
    ///
    /// # Errors
    /// Those of [`Lines::send`].
    pub async fn send_all<'l>(
        &mut self,
        lines: impl Iterator<Item = &'l [u8]>,
        what: &'static str,
    ) -> Result<(), NetError> {
        let mut octets = Vec::new();
        for line in lines {
            sendable(line, what)?;
            trace::sent(&self.authority, line, what);
            octets.extend_from_slice(line);
            octets.extend_from_slice(b"\r\n");
        }
        self.write(&octets).await
    }

    /// Sends a text as a dot-stuffed block, including its final dot. Its lines may end in CRLF or LF, and are sent
    /// with CRLF; the last line may have no line end.
    ///
    /// # Errors
    /// [`NetError::Timeout`], [`NetError::Io`].
    pub async fn send_block(&mut self, text: &[u8]) -> Result<(), NetError> {
        let mut octets = Vec::with_capacity(text.len() + text.len() / 16 + 3);
        for line in text.split_inclusive(|&octet| octet == b'\n') {
            if line.first() == Some(&b'.') {
                octets.push(b'.');
            }
            octets.extend_from_slice(strip_cr(line.strip_suffix(b"\n").unwrap_or(line)));
            octets.extend_from_slice(b"\r\n");
        }
        octets.extend_from_slice(b".\r\n");
        let size = octets.len();
        trace::note(
            &self.authority,
            format_args!("sends a block of {size} bytes"),
        );
        for run in octets.chunks(RUN) {
            // Each run has its own deadline, because a slow connection is not a dead one.
            self.write(run).await?;
        }
        Ok(())
    }

    /// The next line, without its line end.
    ///
    /// # Errors
    /// [`NetError::LongLine`] if it is longer than the cap, [`NetError::Closed`] at the end of the stream,
    /// [`NetError::Timeout`].
    pub async fn line(&mut self) -> Result<Vec<u8>, NetError> {
        let mut searched = 0;
        loop {
            let rest = self.buffer.get(self.taken..).unwrap_or_default();
            if let Some(found) = memchr(b'\n', rest.get(searched..).unwrap_or_default()) {
                let end = searched + found;
                let line = strip_cr(rest.get(..end).unwrap_or_default()).to_vec();
                self.taken += end + 1;
                trace::received(&self.authority, &line);
                return Ok(line);
            }
            searched = rest.len();
            if searched > self.limits.line {
                return Err(NetError::LongLine {
                    authority: self.authority.clone(),
                    limit: self.limits.line,
                });
            }
            let when = if rest.is_empty() {
                "before it answered"
            } else {
                "in the middle of a line"
            };
            self.fill(when).await?;
        }
    }

    /// Like [`Lines::line`], of what was requested together with a line that has come: the deadline for its first octet
    /// is that of silence.
    ///
    /// # Errors
    /// Those of [`Lines::line`].
    pub async fn overdue_line(&mut self) -> Result<Vec<u8>, NetError> {
        let silence = self.limits.silence.min(self.limits.idle);
        match timeout(silence, self.more()).await {
            Ok(more) => more?,
            Err(_) => {
                return Err(NetError::timeout(
                    &self.authority,
                    "did not answer",
                    silence,
                ));
            }
        }
        self.line().await
    }

    /// Waits until there are octets that have not been returned. The future can be dropped without loss.
    ///
    /// # Errors
    /// [`NetError::Closed`] at the end of the stream, [`NetError::Timeout`].
    pub async fn more(&mut self) -> Result<(), NetError> {
        if self.is_ahead() {
            return Ok(());
        }
        self.fill("before it answered").await
    }

    /// The next run of a dot-stuffed block: unstuffed, each line with CRLF; `None` after the final dot. A run is the
    /// whole lines that have arrived, at most 64 KiB or one line. A line longer than the cap of a reply line is
    /// returned in pieces, and the received part of a line is returned before the error that broke the stream.
    ///
    /// # Errors
    /// [`NetError::Closed`] at the end of the stream, [`NetError::Timeout`].
    pub async fn block(&mut self) -> Result<Option<Vec<u8>>, NetError> {
        let run = self.next_run().await?;
        match &run {
            Some(run) => trace::received_octets(&self.authority, run),
            None => trace::received(&self.authority, b"."),
        }
        Ok(run)
    }

    async fn next_run(&mut self) -> Result<Option<Vec<u8>>, NetError> {
        if let Some(error) = self.broken.take() {
            return Err(error);
        }
        let mut run = Vec::new();
        let mut searched = 0;
        loop {
            let rest = self.buffer.get(self.taken..).unwrap_or_default();
            let found = memchr(b'\n', rest.get(searched..).unwrap_or_default());
            let Some(end) = found.map(|at| searched + at) else {
                if !run.is_empty() {
                    return Ok(Some(run));
                }
                searched = rest.len();
                if searched > self.limits.line {
                    return Ok(Some(self.piece()));
                }
                match self.fill("in the middle of the reply").await {
                    Ok(()) => continue,
                    Err(error) if searched > 0 => {
                        self.broken = Some(error);
                        return Ok(Some(self.piece()));
                    }
                    Err(error) => return Err(error),
                }
            };
            let line = strip_cr(rest.get(..end).unwrap_or_default());
            if line == b"." && !self.inside {
                if run.is_empty() {
                    self.taken += end + 1;
                    return Ok(None);
                }
                return Ok(Some(run));
            }
            push_line(&mut run, line, self.inside);
            run.extend_from_slice(b"\r\n");
            self.inside = false;
            self.taken += end + 1;
            searched = 0;
            if run.len() >= RUN {
                return Ok(Some(run));
            }
        }
    }

    /// The received part of a line without its end. A last CR is held back, because it may belong to the line end.
    fn piece(&mut self) -> Vec<u8> {
        let rest = self.buffer.get(self.taken..).unwrap_or_default();
        let now = strip_cr(rest);
        let mut piece = Vec::with_capacity(now.len());
        push_line(&mut piece, now, self.inside);
        self.taken += now.len();
        self.inside = true;
        piece
    }

    /// The stream itself, for another dialogue over it. Octets that have been received but not returned are lost: see
    /// [`Lines::is_ahead`].
    pub fn into_stream(self) -> S {
        self.stream
    }

    /// Compresses everything sent from here on, and expects everything received to be compressed (RFC 8054, section
    /// 2.2.2). Everything received before must have been read.
    pub fn deflate(&mut self) {
        self.compression = Some(Deflate::new());
    }

    /// Returns true if the stream is compressed.
    pub fn is_deflated(&self) -> bool {
        self.compression.is_some()
    }

    /// Returns true if unexpected octets have been received. The dialogue is then out of sync.
    pub fn is_ahead(&self) -> bool {
        self.taken < self.buffer.len()
    }

    async fn write(&mut self, octets: &[u8]) -> Result<(), NetError> {
        let packed = self.compression.as_mut().map(|it| it.pack(octets));
        let packed = packed.transpose();
        let packed = packed.map_err(|source| NetError::io(&self.authority, source))?;
        let octets = packed.as_deref().unwrap_or(octets);
        write_untraced(&mut self.stream, octets, &self.authority, &self.limits).await
    }

    /// Waits for more octets; `when` describes the point at which the other end must not close.
    async fn fill(&mut self, when: &'static str) -> Result<(), NetError> {
        self.buffer.drain(..self.taken);
        self.taken = 0;
        let octets = match &mut self.compression {
            None => read_untraced(&mut self.stream, &self.authority, &self.limits).await?,
            Some(compression) => {
                let reading = compression.read(&mut self.stream);
                stream::receive(reading, &self.authority, &self.limits).await?
            }
        };
        if octets.is_empty() {
            return Err(NetError::closed(&self.authority, when));
        }
        if self.buffer.is_empty() {
            self.buffer = octets;
        } else {
            self.buffer.extend_from_slice(&octets);
        }
        Ok(())
    }
}

fn strip_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Appends a line without its dot-stuffing, or more of a line that has `begun`.
fn push_line(run: &mut Vec<u8>, line: &[u8], begun: bool) {
    let unstuffed = line.strip_prefix(b".").filter(|_| !begun).unwrap_or(line);
    run.extend_from_slice(unstuffed);
}
