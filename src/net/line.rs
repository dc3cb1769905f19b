//! Lines and dot-stuffed blocks (RFC 3977, section 3.1.1), each with its deadline and its cap.
//!
//! One codec over any stream, for the dialogues that speak in lines. A line may end in CRLF or in LF alone. Octets
//! stay octets. After any error the stream is out of step and must be dropped.

use memchr::memchr;
use tokio::io::{AsyncRead, AsyncWrite};

use super::{Limits, NetError, read, sendable, write};

/// How much of a block is handed on at once, in octets, when that much has arrived.
const RUN: usize = 64 * 1024;

/// A stream read line by line.
#[derive(Debug)]
pub struct Lines<S> {
    stream: S,
    place: String,
    limits: Limits,
    buffer: Vec<u8>,
    /// Octets of `buffer` that have been given out.
    taken: usize,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Lines<S> {
    /// Lines of `stream`; `place` (`host:port`) is for the sentences.
    pub fn new(stream: S, place: &str, limits: &Limits) -> Self {
        Self {
            stream,
            place: place.to_owned(),
            limits: limits.clone(),
            buffer: Vec::new(),
            taken: 0,
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
            self.fill().await?;
        }
    }

    /// The next run of whole lines of a dot-stuffed block: unstuffed, each with CRLF; `None` once the final dot has
    /// been read. A run is what has arrived, 64 KiB at most or one line.
    ///
    /// # Errors
    /// As [`Lines::line`].
    pub async fn block(&mut self) -> Result<Option<Vec<u8>>, NetError> {
        let mut run = Vec::new();
        loop {
            let rest = self.buffer.get(self.taken..).unwrap_or_default();
            let Some(end) = memchr(b'\n', rest) else {
                if !run.is_empty() {
                    return Ok(Some(run));
                }
                // One line at the least, however slowly it comes: `line` knows how to wait and when to give up.
                let line = self.line().await?;
                if line == b"." {
                    return Ok(None);
                }
                push_line(&mut run, &line);
                continue;
            };
            let line = strip_cr(rest.get(..end).unwrap_or_default());
            if line == b"." {
                if run.is_empty() {
                    self.taken += end + 1;
                    return Ok(None);
                }
                return Ok(Some(run));
            }
            push_line(&mut run, line);
            self.taken += end + 1;
            if run.len() >= RUN {
                return Ok(Some(run));
            }
        }
    }

    /// Whether octets have come that nobody asked for: a dialogue in that state is out of step.
    pub fn is_ahead(&self) -> bool {
        self.taken < self.buffer.len()
    }

    async fn fill(&mut self) -> Result<(), NetError> {
        self.buffer.drain(..self.taken);
        self.taken = 0;
        let octets = read(&mut self.stream, &self.place, &self.limits).await?;
        if octets.is_empty() {
            let when = if self.buffer.is_empty() {
                "before it answered"
            } else {
                "in the middle of a line"
            };
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

fn push_line(run: &mut Vec<u8>, line: &[u8]) {
    run.extend_from_slice(line.strip_prefix(b".").unwrap_or(line));
    run.extend_from_slice(b"\r\n");
}
