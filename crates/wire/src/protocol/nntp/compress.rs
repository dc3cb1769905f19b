//! Compression of the dialogue (RFC 8054).
//!
//! ```text
//! command = "COMPRESS" WS "DEFLATE" CRLF         ; 206 active from here, 403, 502 or 503 refused
//! ```
//!
//! A login is forbidden after COMPRESS, as data compressed together with a password may reveal it (section 2.2.2). So
//! COMPRESS is sent only after a login. If the server requires another login, a new connection is opened.

use tokio::io::{AsyncRead, AsyncWrite};

use super::capabilities::Capability;
use super::{Dialogue, NntpError};

/// The use of compression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Never.
    #[default]
    Never,
    /// After a login, if the server offers it.
    Offered,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    /// Sets the use of compression, before the first command.
    #[must_use]
    pub fn with_compression(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }

    /// Sends COMPRESS if it is requested and offered. If the server refuses, the dialogue continues uncompressed.
    pub(super) async fn compress(&mut self) -> Result<(), NntpError> {
        let is_requested = match self.compression {
            Compression::Never => false,
            Compression::Offered => self.has(Capability::Deflate) && !self.lines.is_deflated(),
        };
        if !is_requested {
            return Ok(());
        }
        let reply = self.exchange(b"COMPRESS DEFLATE", "the command").await?;
        match reply.code {
            206 if self.lines.is_ahead() => Err(NntpError::UnexpectedData),
            206 => {
                self.lines.deflate();
                // The capabilities may differ now, and were sent unprotected before.
                self.read_capabilities().await
            }
            403 | 500..=503 => Ok(()),
            _ => Err(reply.into()),
        }
    }
}
