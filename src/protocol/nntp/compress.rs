//! Compression of all that is said (RFC 8054).
//!
//! ```text
//! command = "COMPRESS" WS "DEFLATE" CRLF         ; 206 from here on, 403, 502 or 503 no
//! ```
//!
//! Nobody may log in after it, as what is compressed beside a password may tell of it (section 2.2.2); so it comes after
//! a login and at no other time. A server that asks for one more is left, and dialled anew.

use tokio::io::{AsyncRead, AsyncWrite};

use super::capabilities::Capability;
use super::{Dialogue, NntpError};

/// Whether what is said is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Never.
    #[default]
    Never,
    /// After a login, where the server offers it.
    Offered,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    /// Wishes for compression, or for none, before the first command.
    #[must_use]
    pub fn compressing(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }

    /// COMPRESS, where it is wished for and offered. A server that says no is spoken to as before.
    pub(super) async fn compress(&mut self) -> Result<(), NntpError> {
        let is_wished = match self.compression {
            Compression::Never => false,
            Compression::Offered => self.has(Capability::Deflate) && !self.lines.is_deflated(),
        };
        if !is_wished {
            return Ok(());
        }
        let reply = self.exchange(b"COMPRESS DEFLATE", "the command").await?;
        match reply.code {
            206 if self.lines.is_ahead() => Err(NntpError::Ahead),
            206 => {
                self.lines.deflate();
                // What is announced may differ, and was said in the clear.
                self.learn().await
            }
            403 | 500..=503 => Ok(()),
            _ => Err(reply.into()),
        }
    }
}
