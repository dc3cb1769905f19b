//! A reply that is a header line and a body up to the end of the connection, as Gemini, Spartan and nex have it.

use tokio::io::AsyncRead;

use crate::net::{Limits, NetError, TransferEnd, read};

/// The most octets of a line that is no header in an error.
const QUOTED: usize = 60;

/// An error of a header line.
#[derive(Debug, thiserror::Error)]
pub enum HeaderError {
    /// The connection failed.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The line is longer than the limit in octets.
    #[error("{authority} sent a header of more than {limit} bytes")]
    TooLong {
        /// `host:port`.
        authority: String,
        /// The limit in octets.
        limit: usize,
    },
    /// The reply does not begin with a header of the protocol.
    #[error("{authority} does not answer as a {protocol} server does, but “{}”", said.escape_ascii())]
    Malformed {
        /// `host:port`.
        authority: String,
        /// The name of the protocol.
        protocol: &'static str,
        /// The beginning of the reply.
        said: Vec<u8>,
    },
}

/// A header line: its limit, and what it looks like.
#[derive(Clone, Copy, Debug)]
pub struct HeaderFormat {
    /// The name of the protocol, for errors.
    pub protocol: &'static str,
    /// The longest line in octets, without its CRLF.
    pub limit: usize,
    /// Returns false for octets that no header begins with.
    pub can_begin: fn(&[u8]) -> bool,
}

/// A reply that is being received.
#[derive(Debug)]
pub struct Reply<S> {
    stream: S,
    authority: String,
    limits: Limits,
    /// The octets of the body that came with the header.
    ahead: Vec<u8>,
    end: TransferEnd,
}

impl<S: AsyncRead + Unpin> Reply<S> {
    /// Creates a reply that begins with its body.
    pub fn new(stream: S, authority: &str, limits: &Limits) -> Self {
        Self {
            stream,
            authority: authority.to_owned(),
            limits: limits.clone(),
            ahead: Vec::new(),
            end: TransferEnd::default(),
        }
    }

    /// Receives the header line at the beginning, and parses it.
    ///
    /// # Errors
    /// [`HeaderError::TooLong`], [`HeaderError::Malformed`], [`HeaderError::Net`].
    pub async fn header<H>(
        &mut self,
        format: HeaderFormat,
        parse: impl FnOnce(&[u8]) -> Option<H>,
    ) -> Result<H, HeaderError> {
        let mut received = Vec::new();
        loop {
            let octets = self.next().await?;
            if octets.is_empty() {
                if received.is_empty() {
                    return Err(NetError::closed(&self.authority, "before it answered").into());
                }
                return Err(self.malformed(format, &received));
            }
            received.extend_from_slice(&octets);
            // A beginning that is wrong needs no line end.
            if !(format.can_begin)(&received) {
                return Err(self.malformed(format, &received));
            }
            let end = memchr::memchr(b'\n', &received);
            if end.unwrap_or(received.len()) > format.limit + 1 {
                return Err(HeaderError::TooLong {
                    authority: self.authority.clone(),
                    limit: format.limit,
                });
            }
            let Some((line, ahead)) = end.and_then(|end| received.split_at_checked(end)) else {
                continue;
            };
            let header = line.strip_suffix(b"\r").and_then(parse);
            self.ahead = ahead.get(1..).unwrap_or_default().to_vec();
            return header.ok_or_else(|| self.malformed(format, line));
        }
    }

    /// Waits for the first octets of the body. Returns false if it is empty.
    ///
    /// # Errors
    /// Those of [`Reply::next`].
    pub async fn has_octets(&mut self) -> Result<bool, NetError> {
        if self.ahead.is_empty() {
            self.ahead = self.next().await?;
        }
        Ok(!self.ahead.is_empty())
    }

    /// The next octets of the body; empty at its end, which [`Reply::end`] tells then.
    ///
    /// # Errors
    /// [`NetError::Timeout`], [`NetError::Io`].
    pub async fn next(&mut self) -> Result<Vec<u8>, NetError> {
        if !self.ahead.is_empty() {
            return Ok(std::mem::take(&mut self.ahead));
        }
        match read(&mut self.stream, &self.authority, &self.limits).await {
            Ok(octets) if !octets.is_empty() => Ok(octets),
            ended => {
                self.end = TransferEnd::of(ended.map(drop), false)?;
                Ok(Vec::new())
            }
        }
    }

    /// Returns the end of a body that has ended.
    pub fn end(&self) -> TransferEnd {
        self.end
    }

    fn malformed(&self, format: HeaderFormat, said: &[u8]) -> HeaderError {
        HeaderError::Malformed {
            authority: self.authority.clone(),
            protocol: format.protocol,
            said: said.get(..QUOTED).unwrap_or(said).to_vec(),
        }
    }
}
