//! Status lines and errors of a dialogue (RFC 3977, section 3.2).
//!
//! ```text
//! status = 3DIGIT [ SP text ]
//! ```

use super::WaterMarks;
use crate::net::{NetError, Security, TlsOffer};

/// A status line, as octets from the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The first three digits; 0 if there are none.
    pub code: u16,
    /// The whole line.
    pub line: Vec<u8>,
}

impl Reply {
    /// Parses a status line; an error without a code.
    pub(super) fn parse(line: Vec<u8>) -> Result<Self, NntpError> {
        match line.as_slice() {
            [a @ b'1'..=b'5', b @ b'0'..=b'9', c @ b'0'..=b'9', rest @ ..]
                if rest.first().is_none_or(|octet| !octet.is_ascii_digit()) =>
            {
                let code = [a, b, c]
                    .iter()
                    .fold(0, |code, digit| code * 10 + u16::from(**digit - b'0'));
                Ok(Self { code, line })
            }
            _ => Err(NntpError::Malformed(Self { code: 0, line })),
        }
    }

    /// Parses count, low and high of a 211. Missing numbers are 0; the name may be missing or different.
    pub(super) fn marks(&self) -> WaterMarks {
        let mut numbers = self
            .line
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty())
            .skip(1)
            .map(|word| number(word).unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0);
        WaterMarks {
            count: next(),
            low: next(),
            high: next(),
        }
    }
}

/// Parses a number of digits only.
pub(super) fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// An error of a dialogue.
#[derive(Debug, thiserror::Error)]
pub enum NntpError {
    /// The connection failed.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The server refused the command.
    #[error("the server declined")]
    Declined(Reply),
    /// The server ended the dialogue (400, 205, 502 as a greeting, 503 after a while).
    #[error("the server ended the dialogue")]
    Goodbye(Reply),
    /// The connection broke at CAPABILITIES, as with some old servers.
    #[error("the server does not know CAPABILITIES")]
    NoCapabilities(Box<NntpError>),
    /// A reply that is not valid for the command.
    #[error("the server's reply makes no sense here")]
    Malformed(Reply),
    /// Octets arrived without a request.
    #[error("the server spoke out of turn")]
    UnexpectedData,
    /// The server requires another login, which is forbidden on a compressed connection.
    #[error("the server wants a login, which compression forbids")]
    LoginWhileCompressed(Reply),
    /// The server requires a login, and there are no credentials.
    #[error("the server wants a name and a password")]
    LoginRequired(Reply),
    /// The server requires a password for this user; with the reply that refused the last password, and the encryption of the
    /// connection.
    #[error("the server wants a password for {0}")]
    PasswordRequired(String, Option<Reply>, Security),
    /// The server offers TLS, so no password is sent without it.
    #[error("the server takes passwords over TLS")]
    InsecureLogin,
    /// The server has offered TLS before and does not now, so no password is sent.
    #[error("the server offers TLS no longer")]
    Withdrawn(TlsOffer),
    /// TLS is required, and the server refused it.
    #[error("the server does not speak TLS")]
    NoTls(Reply),
    /// The argument cannot be sent.
    #[error("not sent: {what} {reason}")]
    Unsendable {
        /// The name of the argument.
        what: &'static str,
        /// The reason.
        reason: &'static str,
    },
}

impl NntpError {
    /// Returns true if an idle server has only closed the connection, so that a new one may work.
    pub fn is_reconnectable(&self) -> bool {
        match self {
            Self::Net(
                NetError::Closed { .. } | NetError::TlsTruncated { .. } | NetError::Io { .. },
            )
            | Self::Goodbye(_)
            | Self::LoginWhileCompressed(_)
            | Self::UnexpectedData => true,
            Self::Declined(reply) | Self::Malformed(reply) => reply.code == 503,
            Self::NoCapabilities(inner) => inner.is_reconnectable(),
            Self::Net(_)
            | Self::LoginRequired(_)
            | Self::PasswordRequired(..)
            | Self::InsecureLogin
            | Self::Withdrawn(_)
            | Self::NoTls(_)
            | Self::Unsendable { .. } => false,
        }
    }

    /// Returns true if the command needs TLS: a password is required and TLS offered, or the server requires TLS (483).
    pub fn requires_tls(&self) -> bool {
        match self {
            Self::InsecureLogin => true,
            Self::Declined(reply) => reply.code == 483,
            Self::Net(_)
            | Self::Goodbye(_)
            | Self::NoCapabilities(_)
            | Self::Malformed(_)
            | Self::UnexpectedData
            | Self::LoginWhileCompressed(_)
            | Self::LoginRequired(_)
            | Self::PasswordRequired(..)
            | Self::Withdrawn(_)
            | Self::NoTls(_)
            | Self::Unsendable { .. } => false,
        }
    }

    /// Marks an error after CAPABILITIES: a closed connection means that the server does not support it.
    pub(super) fn without_capabilities(self) -> Self {
        match self {
            Self::Net(NetError::Closed { .. } | NetError::Io { .. }) | Self::Goodbye(_) => {
                Self::NoCapabilities(Box::new(self))
            }
            other => other,
        }
    }
}

/// Converts a reply that is not the expected one.
impl From<Reply> for NntpError {
    fn from(reply: Reply) -> Self {
        match reply.code {
            400 | 205 => Self::Goodbye(reply),
            401..=599 => Self::Declined(reply),
            _ => Self::Malformed(reply),
        }
    }
}
