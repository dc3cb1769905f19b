//! Status lines, and what can go wrong in a dialogue (RFC 3977, section 3.2).
//!
//! ```text
//! status = 3DIGIT [ SP text ]
//! ```

use super::Marks;
use crate::net::{NetError, Security, TlsOffer};

/// A status line: octets, as the server wrote them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The first three digits; 0 where there were none.
    pub code: u16,
    /// The whole line.
    pub line: Vec<u8>,
}

impl Reply {
    /// Reads a status line; what has no code is none.
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
            _ => Err(NntpError::Odd(Self { code: 0, line })),
        }
    }

    /// What follows 211: count, low, high. What is missing is 0; the name may be missing or another.
    pub(super) fn marks(&self) -> Marks {
        let mut numbers = self
            .line
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty())
            .skip(1)
            .map(|word| number(word).unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0);
        Marks {
            count: next(),
            low: next(),
            high: next(),
        }
    }
}

/// A number of digits alone that fits.
pub(super) fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Why a dialogue cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum NntpError {
    /// The wire.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The server understood and said no.
    #[error("the server declined")]
    Declined(Reply),
    /// The server ends the dialogue (400, 205, 502 as a greeting, 503 after a while).
    #[error("the server ended the dialogue")]
    Goodbye(Reply),
    /// It broke off at CAPABILITIES, which some old servers do.
    #[error("the server does not know CAPABILITIES")]
    Deaf(Box<NntpError>),
    /// A reply that does not fit what was asked.
    #[error("the server's reply makes no sense here")]
    Odd(Reply),
    /// Octets came that nobody asked for.
    #[error("the server spoke out of turn")]
    Ahead,
    /// It wants to know again who reads, which cannot be said on a connection that is compressed.
    #[error("the server wants a login, which compression forbids")]
    Again(Reply),
    /// It wants to know who reads, and nobody has said so.
    #[error("the server wants a name and a password")]
    NameWanted(Reply),
    /// It wants a password for this name; its words when it did not take the last one, and how safe the connection is.
    #[error("the server wants a password for {0}")]
    PasswordWanted(String, Option<Reply>, Security),
    /// It offers TLS, so that a password is not sent without.
    #[error("the server takes passwords over TLS")]
    InClear,
    /// It has offered TLS before and does not now, so that a password is not sent.
    #[error("the server offers TLS no longer")]
    Withdrawn(TlsOffer),
    /// TLS is wanted, and it said no.
    #[error("the server does not speak TLS")]
    NoTls(Reply),
    /// It was not sent, because it cannot be.
    #[error("not sent: {what} {why}")]
    Unsendable {
        /// Which part.
        what: &'static str,
        /// What about it.
        why: &'static str,
    },
}

impl NntpError {
    /// Whether a server that was left alone for a while has simply gone, so that it may be dialled again.
    pub fn is_gone(&self) -> bool {
        match self {
            Self::Net(NetError::Closed { .. } | NetError::Cut { .. } | NetError::Io { .. })
            | Self::Goodbye(_)
            | Self::Again(_)
            | Self::Ahead => true,
            Self::Declined(reply) | Self::Odd(reply) => reply.code == 503,
            Self::Deaf(inner) => inner.is_gone(),
            Self::Net(_)
            | Self::NameWanted(_)
            | Self::PasswordWanted(..)
            | Self::InClear
            | Self::Withdrawn(_)
            | Self::NoTls(_)
            | Self::Unsendable { .. } => false,
        }
    }

    /// Whether the same would be done over TLS: a password is wanted and TLS offered, or TLS is (483).
    pub fn wants_tls(&self) -> bool {
        match self {
            Self::InClear => true,
            Self::Declined(reply) => reply.code == 483,
            Self::Net(_)
            | Self::Goodbye(_)
            | Self::Deaf(_)
            | Self::Odd(_)
            | Self::Ahead
            | Self::Again(_)
            | Self::NameWanted(_)
            | Self::PasswordWanted(..)
            | Self::Withdrawn(_)
            | Self::NoTls(_)
            | Self::Unsendable { .. } => false,
        }
    }

    /// The same, when CAPABILITIES was the command that ended the dialogue.
    pub(super) fn deaf(self) -> Self {
        match self {
            Self::Net(NetError::Closed { .. } | NetError::Io { .. }) | Self::Goodbye(_) => {
                Self::Deaf(Box::new(self))
            }
            other => other,
        }
    }
}

/// A reply that is not the one hoped for.
impl From<Reply> for NntpError {
    fn from(reply: Reply) -> Self {
        match reply.code {
            400 | 205 => Self::Goodbye(reply),
            401..=599 => Self::Declined(reply),
            _ => Self::Odd(reply),
        }
    }
}
