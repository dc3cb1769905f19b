//! Status lines and errors of a dialogue (RFC 3977, section 3.2).
//!
//! ```text
//! status = 3DIGIT [ SP text ]
//! ```

use crate::net::{NetError, Security, TlsOffer};
use crate::protocol::octets::{number, words};

/// What an article may have too many of: to send it again as it is does not help.
const OF_AN_ARTICLE: [&[u8]; 9] = [
    b"newsgroups",
    b"groups",
    b"crossposts",
    b"cross",
    b"followups",
    b"lines",
    b"headers",
    b"quoted",
    b"references",
];

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
        let is_longer = line.get(3).is_some_and(u8::is_ascii_digit);
        let code = line.get(..3).and_then(number);
        match code.filter(|code| (100..600).contains(code) && !is_longer) {
            Some(code) => Ok(Self { code, line }),
            None => Err(NntpError::Malformed(Self { code: 0, line })),
        }
    }

    /// Returns the reply if it has this code, else an error.
    pub(super) fn with_code(self, code: u16) -> Result<Self, NntpError> {
        if self.code == code {
            return Ok(self);
        }
        Err(self.into())
    }

    /// Returns what ends a refusal whose words say that it will end: too many connections, a quota, a limit.
    pub fn passing(&self) -> Option<PassingRefusal> {
        let line = self.line.to_ascii_lowercase();
        let words = line.split(|octet| !octet.is_ascii_alphanumeric());
        let words: Vec<&[u8]> = words.filter(|word| !word.is_empty()).collect();
        let says = |word: &[u8]| words.contains(&word);
        // What is not there, and a malformed command, are what their codes say.
        let is_refusal = match self.code {
            411 | 412 | 420..=423 | 430 | 501 => false,
            code => (400..600).contains(&code),
        };
        let too_many = words.windows(3).any(|words| match words {
            [b"too", b"many", what] => self.code != 441 || !OF_AN_ARTICLE.contains(what),
            _ => false,
        }) || words.ends_with(&[b"too", b"many"]);
        // Of an article (441) a limit is its length, unless it is that of a rate.
        let has_limit = [b"limit".as_slice(), b"limits", b"exceeded"]
            .into_iter()
            .any(says)
            && (self.code != 441 || says(b"rate"));
        let is_other = has_limit
            || [b"quota".as_slice(), b"busy", b"later"]
                .into_iter()
                .any(says);
        if !is_refusal {
            None
        } else if says(b"connections") || too_many && self.code != 441 {
            Some(PassingRefusal::Connections)
        } else if too_many || is_other {
            Some(PassingRefusal::Other)
        } else {
            None
        }
    }

    /// Returns true if the server does not have a command, or does not allow it: then others may do (500 to 503).
    pub fn is_unsupported(&self) -> bool {
        matches!(self.code, 500..=503) && self.passing().is_none()
    }

    /// Parses count, low and high of a 211. Missing numbers are 0; the name may be missing or different.
    pub(super) fn marks(&self) -> WaterMarks {
        let mut numbers = words(&self.line).skip(1).map(number);
        let mut next = || numbers.next().flatten().unwrap_or(0);
        WaterMarks {
            count: next(),
            low: next(),
            high: next(),
        }
    }
}

/// What ends a refusal that does not last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassingRefusal {
    /// Fewer connections.
    Connections,
    /// Time alone.
    Other,
}

/// The water marks of a group, as the server reports them; they may be inconsistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaterMarks {
    /// The estimated number of articles.
    pub count: u64,
    /// The lowest article number.
    pub low: u64,
    /// The highest article number.
    pub high: u64,
}

impl WaterMarks {
    /// Returns true if the marks mean an empty group (RFC 3977, section 6.1.1.2). With other marks a group may still be
    /// empty.
    pub fn is_empty(self) -> bool {
        self.high < self.low || (self.high == 0 && self.count == 0)
    }
}

/// An error of a dialogue.
#[derive(Debug, thiserror::Error)]
pub enum NntpError {
    /// The connection failed.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The server refused the command.
    #[error("the server refused the command")]
    Declined(Reply),
    /// The server ended the session (400, 205, 502 as a greeting, 503 after a while).
    #[error("the server ended the session")]
    Goodbye(Reply),
    /// The connection broke at CAPABILITIES, as with some old servers.
    #[error("the server does not support CAPABILITIES")]
    NoCapabilities(Box<NntpError>),
    /// A reply that is not valid for the command.
    #[error("unexpected reply of the server")]
    Malformed(Reply),
    /// Octets arrived without a request.
    #[error("the server sent data that was not requested")]
    UnexpectedData,
    /// The server requires another login, which is forbidden on a compressed connection.
    #[error("the server requires a login, which is not possible after compression")]
    LoginWhileCompressed(Reply),
    /// The server requires a login, and there are no credentials.
    #[error("the server requires a user name and password")]
    LoginRequired(Reply),
    /// The server requires a password for this user; with the reply that refused the last password, and the encryption
    /// of the connection.
    #[error("the server requires a password for {0}")]
    PasswordRequired(String, Option<Reply>, Security),
    /// The server did not accept the credentials, for a reason that only its words tell.
    #[error("the server did not accept the login")]
    LoginRefused(Reply),
    /// The server offers TLS, so no password is sent without it.
    #[error("the server accepts passwords only over TLS")]
    InsecureLogin,
    /// The server has offered TLS before and does not now, so no password is sent.
    #[error("the server no longer offers TLS")]
    Withdrawn(TlsOffer),
    /// TLS is required, and the server refused it.
    #[error("the server does not support TLS")]
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
            | Self::LoginRefused(_)
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
            | Self::LoginRefused(_)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_refusal_say_whether_it_passes() {
        use PassingRefusal::{Connections, Other};
        for (line, passing) in [
            ("482 Too many connections", Some(Connections)),
            ("502 4 connections are open already", Some(Connections)),
            ("481 Too  many logins", Some(Connections)),
            ("502 Download quota used up", Some(Other)),
            ("403 rate-limit reached", Some(Other)),
            ("503 Server busy, try again", Some(Other)),
            ("502 LIMIT: come back later.", Some(Other)),
            ("502 Access limited to members", None),
            ("482 Authentication rejected", None),
            ("480 Too late", None),
            ("441 Too many posts today", Some(Other)),
            ("441 437 Too many connections", Some(Connections)),
            ("441 posting rate limit exceeded", Some(Other)),
            ("441 Too many newsgroups", None),
            ("441 437 Article exceeds local limit of 1000 bytes", None),
            ("200 too many connections", None),
        ] {
            let reply = Reply::parse(line.as_bytes().to_vec()).unwrap();
            assert_eq!(reply.passing(), passing, "{line}");
            assert_eq!(
                reply.is_unsupported(),
                (500..504).contains(&reply.code) && passing.is_none()
            );
        }
    }
}
