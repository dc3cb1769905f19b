//! The start of a dialogue: the greeting, CAPABILITIES and MODE READER (RFC 3977, sections 5.1 to 5.3), STARTTLS (RFC
//! 4642) and COMPRESS (RFC 8054).
//!
//! ```text
//! capability-line = keyword *( WS argument )
//! command         = "COMPRESS" WS "DEFLATE" CRLF      ; 206 active from here, 403, 502 or 503 refused
//! ```
//!
//! Only capabilities that Geomys uses are stored. A login is forbidden after COMPRESS, as data compressed together with
//! a password may reveal it (section 2.2.2). So COMPRESS is sent only after a login. If the server requires another
//! login, a new connection is opened.

use std::collections::VecDeque;

use tokio::io::{AsyncRead, AsyncWrite};

use super::login::Login;
use super::progress::Progress;
use super::{Account, Dialogue, NntpError, PlainLogin, Reply};
use crate::net::line::Lines;
use crate::net::{Limits, Security};
use crate::protocol::octets::words;

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
            prohibits_posts: false,
            unsupported: Vec::new(),
            security,
            plain_login: PlainLogin::default(),
            compression: Compression::Never,
            progress: Progress::default(),
            sent_ahead: VecDeque::new(),
            loses_windows: false,
        }
    }

    /// Reads the greeting and determines the features of the server. `account` is used when the server requires a
    /// login, and by [`Dialogue::log_in_early`].
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
            200 | 201 => dialogue.prohibits_posts = greeting.code == 201,
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

    /// Sends STARTTLS (RFC 4642, section 2.2) and returns the connection for the handshake. Then the dialogue continues
    /// with [`Dialogue::after_tls`].
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
            code => {
                if matches!(code, 200 | 201) {
                    self.prohibits_posts = code == 201;
                }
                Ok(())
            }
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

/// A capability that Geomys uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Capability {
    /// MODE-READER: MODE READER must be sent first.
    ModeReader,
    /// OVER.
    Over,
    /// HDR.
    Hdr,
    /// POST.
    Post,
    /// LIST COUNTS.
    Counts,
    /// STARTTLS: passwords can be sent over TLS.
    StartTls,
    /// AUTHINFO USER.
    User,
    /// AUTHINFO SASL with PLAIN among its mechanisms.
    SaslPlain,
    /// COMPRESS DEFLATE.
    Deflate,
}

/// Parses the lines of a reply to CAPABILITIES.
pub(super) fn capabilities(text: &[u8]) -> Vec<Capability> {
    let lines = text.split(|&octet| octet == b'\n');
    lines.filter_map(capability).collect()
}

fn capability(line: &[u8]) -> Option<Capability> {
    let line = line.to_ascii_uppercase();
    let mut words = words(&line);
    let (capability, argument): (Capability, &[u8]) = match words.next()? {
        b"MODE-READER" => return Some(Capability::ModeReader),
        b"OVER" => return Some(Capability::Over),
        b"HDR" => return Some(Capability::Hdr),
        b"POST" => return Some(Capability::Post),
        b"STARTTLS" => return Some(Capability::StartTls),
        b"LIST" => (Capability::Counts, b"COUNTS"),
        b"COMPRESS" => (Capability::Deflate, b"DEFLATE"),
        b"AUTHINFO" => (Capability::User, b"USER"),
        // A list of mechanisms is present only with AUTHINFO SASL (RFC 4643, section 2.4.2).
        b"SASL" => (Capability::SaslPlain, b"PLAIN"),
        _ => return None,
    };
    words.any(|word| word == argument).then_some(capability)
}

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
