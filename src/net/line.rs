//! Lines and dot-stuffed blocks (RFC 3977, section 3.1.1), each with its deadline and its cap.
//!
//! One codec over any stream, for the dialogues that speak in lines. A line may end in CRLF or in LF alone. Octets
//! stay octets. After any error the stream is out of step and must be dropped.

use memchr::memchr;
use tokio::io::{AsyncRead, AsyncWrite};

use super::deflate::Deflate;
use super::{Limits, NetError, read, sendable, write};

/// How much of a block is handed on at once, in octets, when that much has arrived.
const RUN: usize = 64 * 1024;

/// A stream read line by line.
#[derive(Debug)]
pub struct Lines<S> {
    stream: Deflate<S>,
    place: String,
    limits: Limits,
    buffer: Vec<u8>,
    /// Octets of `buffer` that have been given out.
    taken: usize,
    /// A line of a block was given out in part: what follows continues it.
    inside: bool,
    /// What ended the stream, told once what came before it has been given out.
    broken: Option<NetError>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Lines<S> {
    /// Lines of `stream`; `place` (`host:port`) is for the sentences.
    pub fn new(stream: S, place: &str, limits: &Limits) -> Self {
        Self {
            stream: Deflate::plain(stream),
            place: place.to_owned(),
            limits: limits.clone(),
            buffer: Vec::new(),
            taken: 0,
            inside: false,
            broken: None,
        }
    }

    /// Sends one line and its CRLF. `what` names the argument that may hold what cannot be sent.
    ///
    /// # Errors
    /// [`NetError::Unsendable`] before anything is sent; [`NetError::Late`], [`NetError::Io`].
    pub async fn send(&mut self, line: &[u8], what: &'static str) -> Result<(), NetError> {
        sendable(line, what)?;
        let mut octets = Vec::with_capacity(line.len() + 2);
        octets.extend_from_slice(line);
        octets.extend_from_slice(b"\r\n");
        write(&mut self.stream, &octets, &self.place, &self.limits).await
    }

    /// Sends a text as a dot-stuffed block, its final dot included. Its lines end in CRLF or in LF, and go out with CRLF;
    /// a last line needs no end.
    ///
    /// # Errors
    /// [`NetError::Late`], [`NetError::Io`].
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
        for run in octets.chunks(RUN) {
            // Each run has a deadline of its own: a slow line is none that is dead.
            write(&mut self.stream, run, &self.place, &self.limits).await?;
        }
        Ok(())
    }

    /// The next line, without its end.
    ///
    /// # Errors
    /// [`NetError::LongLine`] past the cap, [`NetError::Closed`] at the end of the stream, [`NetError::Late`].
    pub async fn line(&mut self) -> Result<Vec<u8>, NetError> {
        let mut searched = 0;
        loop {
            let rest = self.buffer.get(self.taken..).unwrap_or_default();
            if let Some(found) = memchr(b'\n', rest.get(searched..).unwrap_or_default()) {
                let end = searched + found;
                let line = strip_cr(rest.get(..end).unwrap_or_default()).to_vec();
                self.taken += end + 1;
                return Ok(line);
            }
            searched = rest.len();
            if searched > self.limits.line {
                return Err(NetError::LongLine {
                    place: self.place.clone(),
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

    /// Waits until octets are there that have not been given out. Nothing is lost when it is dropped.
    ///
    /// # Errors
    /// [`NetError::Closed`] at the end of the stream, [`NetError::Late`].
    pub async fn more(&mut self) -> Result<(), NetError> {
        if self.is_ahead() {
            return Ok(());
        }
        self.fill("before it answered").await
    }

    /// The next run of a dot-stuffed block: unstuffed, each line with CRLF; `None` once the final dot has been read. A
    /// run is the whole lines that have arrived, 64 KiB at most or one line. A line past the cap of a reply line comes in
    /// pieces, and what came of a line before the stream broke comes before the error.
    ///
    /// # Errors
    /// [`NetError::Closed`] at the end of the stream, [`NetError::Late`].
    pub async fn block(&mut self) -> Result<Option<Vec<u8>>, NetError> {
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

    /// What has come of a line that has no end yet; a last CR is held back, as it may belong to the end.
    fn piece(&mut self) -> Vec<u8> {
        let rest = self.buffer.get(self.taken..).unwrap_or_default();
        let now = strip_cr(rest);
        let mut piece = Vec::with_capacity(now.len());
        push_line(&mut piece, now, self.inside);
        self.taken += now.len();
        self.inside = true;
        piece
    }

    /// The stream itself, for another dialogue over it. What has come of this one and was not asked for is gone: see
    /// [`Lines::is_ahead`].
    pub fn into_stream(self) -> S {
        self.stream.into_inner()
    }

    /// Compresses everything that is sent from here on, and takes everything that comes for compressed (RFC 8054,
    /// section 2.2.2). What has come before must have been read.
    pub fn deflate(&mut self) {
        self.stream.begin();
    }

    /// Whether it compresses.
    pub fn is_deflated(&self) -> bool {
        self.stream.is_packed()
    }

    /// Whether octets have come that nobody asked for: a dialogue in that state is out of step.
    pub fn is_ahead(&self) -> bool {
        self.taken < self.buffer.len()
    }

    /// Waits for more; `when` says at which point the other end must not close.
    async fn fill(&mut self, when: &'static str) -> Result<(), NetError> {
        self.buffer.drain(..self.taken);
        self.taken = 0;
        let octets = read(&mut self.stream, &self.place, &self.limits).await?;
        if octets.is_empty() {
            return Err(NetError::Closed {
                place: self.place.clone(),
                when,
            });
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

/// Appends a line without its stuffing, or more of a line that has `begun`.
fn push_line(run: &mut Vec<u8>, line: &[u8], begun: bool) {
    let unstuffed = line.strip_prefix(b".").filter(|_| !begun).unwrap_or(line);
    run.extend_from_slice(unstuffed);
}
