//! How a dialogue begins: the greeting, CAPABILITIES and MODE READER (RFC 3977, sections 5.1 to 5.3), and STARTTLS
//! (RFC 4642).

use tokio::io::{AsyncRead, AsyncWrite};

use super::capabilities::{Capabilities, Capability};
use super::login::Login;
use super::{Account, Compression, Dialogue, NntpError, PlainLogin, Reply};
use crate::net::line::Lines;
use crate::net::{Limits, Security};

/// The longest answer to CAPABILITIES that is believed, in octets.
const CAPABILITIES: usize = 256 * 1024;

/// How a dialogue begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// With CAPABILITIES.
    Modern,
    /// Without: some old servers close at a command that they do not know.
    Plain,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    /// Reads the greeting and finds out what the server is. `account` is used when it asks, and by
    /// [`Dialogue::introduce`].
    ///
    /// # Errors
    /// [`NntpError`]; [`NntpError::Deaf`] when it is worth trying again with [`Opening::Plain`].
    pub async fn open(
        stream: S,
        place: &str,
        limits: &Limits,
        account: Option<Account>,
        opening: Opening,
        security: Security,
    ) -> Result<Self, NntpError> {
        let mut dialogue = Self {
            lines: Lines::new(stream, place, limits),
            capabilities: None,
            login: account.map_or(Login::Stranger, Login::Ready),
            group: None,
            has_no_over: false,
            security,
            plain_login: PlainLogin::default(),
            compression: Compression::Never,
        };
        let greeting = Reply::parse(dialogue.lines.line().await?)?;
        match greeting.code {
            200 | 201 => {}
            400 | 502 => return Err(NntpError::Goodbye(greeting)),
            480 | 483 => return Err(NntpError::Declined(greeting)),
            _ => return Err(NntpError::Odd(greeting)),
        }
        match opening {
            Opening::Plain => dialogue.mode_reader().await?,
            Opening::Modern => {
                dialogue.learn().await.map_err(NntpError::deaf)?;
                if dialogue.capabilities.is_none() {
                    dialogue.mode_reader().await?;
                } else if dialogue.has(Capability::ModeReader) {
                    dialogue.mode_reader().await?;
                    dialogue.learn().await?;
                }
            }
        }
        Ok(dialogue)
    }

    /// Whether the server has announced STARTTLS, on a connection that everybody can hear.
    pub fn offers_tls(&self) -> bool {
        !self.security.is_encrypted() && self.has(Capability::StartTls)
    }

    /// STARTTLS (RFC 4642, section 2.2): gives the connection, on which nothing is said any more before the handshake.
    /// The dialogue over it is begun by [`Dialogue::sealed`].
    ///
    /// # Errors
    /// [`NntpError::Declined`] where the server does not want to; [`NntpError::Ahead`] where somebody has said more than
    /// its yes, which would be read as if it were safe.
    pub async fn start_tls(mut self) -> Result<S, NntpError> {
        let reply = self.exchange(b"STARTTLS", "the command").await?;
        match reply.code {
            382 if self.lines.is_ahead() => Err(NntpError::Ahead),
            382 => Ok(self.lines.into_stream()),
            _ => Err(reply.into()),
        }
    }

    /// The dialogue after the handshake. There is no second greeting, and what the server said it can do is forgotten.
    ///
    /// # Errors
    /// [`NntpError`].
    pub async fn sealed(
        stream: S,
        place: &str,
        limits: &Limits,
        account: Option<Account>,
        security: Security,
    ) -> Result<Self, NntpError> {
        let mut dialogue = Self {
            lines: Lines::new(stream, place, limits),
            capabilities: None,
            login: account.map_or(Login::Stranger, Login::Ready),
            group: None,
            has_no_over: false,
            security,
            plain_login: PlainLogin::default(),
            compression: Compression::Never,
        };
        dialogue.learn().await?;
        if dialogue.has(Capability::ModeReader) {
            dialogue.mode_reader().await?;
            dialogue.learn().await?;
        }
        Ok(dialogue)
    }

    /// MODE READER. Servers that have one mode only may not know the command.
    pub(super) async fn mode_reader(&mut self) -> Result<(), NntpError> {
        let reply = self.exchange(b"MODE READER", "the command").await?;
        match reply.code {
            400 | 502 => Err(NntpError::Goodbye(reply)),
            _ => Ok(()),
        }
    }

    /// CAPABILITIES, where the server has it.
    pub(super) async fn learn(&mut self) -> Result<(), NntpError> {
        let reply = self.exchange(b"CAPABILITIES", "the command").await?;
        self.capabilities = None;
        match reply.code {
            101 => {}
            400 => return Err(NntpError::Goodbye(reply)),
            _ => return Ok(()),
        }
        let mut text = Vec::new();
        while let Some(run) = self.lines.block().await? {
            text.extend_from_slice(&run);
            if text.len() > CAPABILITIES {
                return Err(NntpError::Odd(reply));
            }
        }
        self.capabilities = Some(Capabilities::parse(&text));
        Ok(())
    }
}
