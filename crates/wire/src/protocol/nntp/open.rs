//! The start of a dialogue: the greeting, CAPABILITIES and MODE READER (RFC 3977, sections 5.1 to 5.3), and STARTTLS
//! (RFC 4642).

use tokio::io::{AsyncRead, AsyncWrite};

use super::capabilities::{Capability, capabilities};
use super::login::Login;
use super::{Account, Compression, Dialogue, NntpError, PlainLogin, Reply};
use crate::net::line::Lines;
use crate::net::{Limits, Security};

/// The longest accepted reply to CAPABILITIES, in octets.
const CAPABILITIES: usize = 256 * 1024;

/// The start of a dialogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// With CAPABILITIES.
    WithCapabilities,
    /// Without CAPABILITIES: some old servers close the connection at an unknown command.
    WithoutCapabilities,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    fn new(
        stream: S,
        authority: &str,
        limits: &Limits,
        account: Option<Account>,
        security: Security,
    ) -> Self {
        Self {
            lines: Lines::new(stream, authority, limits),
            capabilities: None,
            login: account.map_or(Login::Anonymous, Login::Ready),
            group: None,
            has_no_over: false,
            security,
            plain_login: PlainLogin::default(),
            compression: Compression::Never,
        }
    }

    /// Reads the greeting and determines the features of the server. `account` is used when the server requires a login, and
    /// by [`Dialogue::log_in_early`].
    ///
    /// # Errors
    /// [`NntpError`]; [`NntpError::NoCapabilities`] if a retry is useful with [`OpenMode::WithoutCapabilities`].
    pub async fn open(
        stream: S,
        authority: &str,
        limits: &Limits,
        account: Option<Account>,
        mode: OpenMode,
        security: Security,
    ) -> Result<Self, NntpError> {
        let mut dialogue = Self::new(stream, authority, limits, account, security);
        let greeting = Reply::parse(dialogue.lines.line().await?)?;
        match greeting.code {
            200 | 201 => {}
            400 | 502 => return Err(NntpError::Goodbye(greeting)),
            480 | 483 => return Err(NntpError::Declined(greeting)),
            _ => return Err(NntpError::Malformed(greeting)),
        }
        match mode {
            OpenMode::WithoutCapabilities => dialogue.mode_reader().await?,
            OpenMode::WithCapabilities => {
                let read = dialogue.read_capabilities().await;
                read.map_err(NntpError::without_capabilities)?;
                if dialogue.capabilities.is_none() {
                    dialogue.mode_reader().await?;
                }
                dialogue.follow_mode_reader().await?;
            }
        }
        Ok(dialogue)
    }

    /// Returns true if the server has announced STARTTLS on an unencrypted connection.
    pub fn offers_tls(&self) -> bool {
        !self.security.is_encrypted() && self.has(Capability::StartTls)
    }

    /// Sends STARTTLS (RFC 4642, section 2.2) and returns the connection for the handshake. Then the dialogue continues with
    /// [`Dialogue::after_tls`].
    ///
    /// # Errors
    /// [`NntpError::Declined`] if the server refuses; [`NntpError::UnexpectedData`] if data follows the reply, which an
    /// attacker may have injected before TLS.
    pub async fn start_tls(mut self) -> Result<S, NntpError> {
        let reply = self.exchange(b"STARTTLS", "the command").await?;
        match reply.code {
            382 if self.lines.is_ahead() => Err(NntpError::UnexpectedData),
            382 => Ok(self.lines.into_stream()),
            _ => Err(reply.into()),
        }
    }

    /// Creates the dialogue after the handshake. There is no second greeting, and the capabilities are read again.
    ///
    /// # Errors
    /// [`NntpError`].
    pub async fn after_tls(
        stream: S,
        authority: &str,
        limits: &Limits,
        account: Option<Account>,
        security: Security,
    ) -> Result<Self, NntpError> {
        let mut dialogue = Self::new(stream, authority, limits, account, security);
        dialogue.read_capabilities().await?;
        dialogue.follow_mode_reader().await?;
        Ok(dialogue)
    }

    /// Changes the mode if the server announces MODE-READER, and reads the capabilities of that mode.
    async fn follow_mode_reader(&mut self) -> Result<(), NntpError> {
        if self.has(Capability::ModeReader) {
            self.mode_reader().await?;
            self.read_capabilities().await?;
        }
        Ok(())
    }

    /// Sends MODE READER. Servers with only one mode may not support the command.
    pub(super) async fn mode_reader(&mut self) -> Result<(), NntpError> {
        let reply = self.exchange(b"MODE READER", "the command").await?;
        match reply.code {
            400 | 502 => Err(NntpError::Goodbye(reply)),
            _ => Ok(()),
        }
    }

    /// Sends CAPABILITIES and stores the result, if the server supports it.
    pub(super) async fn read_capabilities(&mut self) -> Result<(), NntpError> {
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
                return Err(NntpError::Malformed(reply));
            }
        }
        self.capabilities = Some(capabilities(&text));
        Ok(())
    }
}
