//! FTP on the wire: RFC 959 and its extensions (2228, 2389, 2428, 3659, 4217), as RFC 1738 section 3.2 uses them.
//!
//! ```text
//! dialogue = [ TLS ] greeting [ AUTH TLS ] [ PBSZ PROT ] USER [ PASS ] [ ACCT ] [ FEAT ] [ OPTS ] [ PWD ] *command
//! command  = *CWD ( listing / fetching )
//! listing  = data ( MLSD / LIST / NLST )
//! fetching = TYPE [ SIZE ] [ MDTM ] data [ REST ] RETR
//! data     = EPSV / PASV / EPRT / PORT
//! ```
//!
//! Without a reply to FEAT, OPTS, MLST, SIZE, MDTM, REST or EPSV, a new connection leaves that command out; AUTH is never
//! left out. A [`FtpConnection`] is a control connection that has logged in. Every argument is octets, and one with CR, LF or NUL is
//! refused before anything is sent. The client opens data connections, always to the peer of the control connection; one
//! that the server opens is accepted only from that peer. After an error the connection is out of step: drop it. Left out:
//! all commands that write.

mod control;
mod data;
mod detect;
mod escape;
pub mod listing;
mod login;
mod reply;
mod session;
mod transfer;

use std::fmt;

pub use self::control::{FtpHost, FtpTlsMode};
pub use self::data::DataReply;
pub use self::login::{LoginMessages, NewFtpConnection};
pub use self::reply::Reply;
pub use self::session::{FtpConnection, NameProbe, PathOutcome, joined};
pub use self::transfer::Transfer;
use crate::net::{NetError, Quirk, Security, TlsError, TlsOffer, UntrustedCertificate};

/// The user name of anonymous FTP (RFC 1635).
pub const ANONYMOUS: &[u8] = b"anonymous";

/// The conventional password of anonymous FTP: a name, and the host left for the server to fill in.
pub const ANONYMOUS_PASSWORD: &[u8] = b"geomys@";

/// The credentials of a login.
#[derive(Clone, PartialEq, Eq)]
pub struct FtpCredentials {
    /// The argument of USER.
    pub user: Vec<u8>,
    /// The argument of PASS; `None` while there is no password.
    pub password: Option<Vec<u8>>,
    /// The argument of ACCT, for servers that require one.
    pub account: Option<Vec<u8>>,
}

impl FtpCredentials {
    /// Credentials of an anonymous login with this password.
    pub fn anonymous(password: &[u8]) -> Self {
        Self {
            user: ANONYMOUS.to_vec(),
            password: Some(password.to_vec()),
            account: None,
        }
    }
}

impl fmt::Debug for FtpCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FtpCredentials")
            .field("user", &self.user.escape_ascii().to_string())
            .finish_non_exhaustive()
    }
}

/// An error that ends a dialogue. Its connection is out of step.
#[derive(Debug, thiserror::Error)]
pub enum FtpError {
    /// The connection failed, or an argument held octets that cannot be sent.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The server hung up or said nothing at a command that is not necessary, which is recorded: a new connection goes
    /// without it.
    #[error("{error}")]
    Unanswered {
        /// The quirk, if it was not recorded before.
        quirk: Option<Quirk>,
        /// The error of the connection.
        #[source]
        error: NetError,
    },
    /// The server refused a command that everything else depends on.
    #[error("it {problem}")]
    Refused {
        /// The part of the sentence that says what the server did not do: `refused the connection`.
        problem: &'static str,
        /// The server's reply.
        reply: Reply,
    },
    /// The server refuses the data connections that the client opens, and may not open one itself; it could.
    #[error("it offers no data connection")]
    ActiveMode {
        /// The reply to the last command.
        reply: Reply,
    },
    /// The server requires a password: there was none, or `refusal` is the reply to a wrong one.
    #[error("it requires a password")]
    Password {
        /// The reply to a wrong password.
        refusal: Option<Reply>,
        /// The encryption of the connection.
        security: Security,
    },
    /// The server refuses this user whatever the password.
    #[error("it refused this user")]
    UserRefused {
        /// The server's reply.
        reply: Reply,
    },
    /// The server requires an account (ACCT), beside user and password.
    #[error("it requires an account")]
    Account {
        /// The server's reply.
        reply: Reply,
        /// The encryption of the connection.
        security: Security,
    },
    /// TLS is required, and the server refused it.
    #[error("it {problem}")]
    Insecure {
        /// The part of the sentence that says what the server did not do: `does not speak TLS`.
        problem: &'static str,
        /// The server's reply.
        reply: Reply,
        /// The state of the login at that time.
        login: Login,
    },
    /// The server has offered TLS before and does not now, so no password was sent.
    #[error("it no longer offers TLS")]
    Withdrawn {
        /// The stored offer.
        offer: TlsOffer,
        /// The server's reply.
        reply: Reply,
    },
    /// The certificate is not verified: the user has to accept it.
    #[error("its certificate is not verified")]
    Certificate(Box<UntrustedCertificate>),
    /// The server sent a line that is no FTP reply.
    #[error("{authority} did not answer as an FTP server")]
    Malformed {
        /// `host:port`.
        authority: String,
        /// The line.
        line: Vec<u8>,
    },
    /// A reply is longer than its cap.
    #[error("{authority} sent a reply of more than {limit} bytes")]
    TooLong {
        /// `host:port`.
        authority: String,
        /// The cap, in octets.
        limit: usize,
    },
}

impl FtpError {
    /// The error of a server that refused a command; `problem` as in [`FtpError::Refused`].
    fn refused(problem: &'static str, reply: Reply) -> Self {
        Self::Refused { problem, reply }
    }
}

impl From<TlsError> for FtpError {
    fn from(error: TlsError) -> Self {
        match error {
            TlsError::Net(error) => Self::Net(error),
            TlsError::UntrustedCertificate(error) => Self::Certificate(error),
        }
    }
}

/// The state of the login in a dialogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Login {
    /// Neither user name nor password was sent.
    NotYet,
    /// The server has accepted the login.
    Done,
}

/// The representation type of a transfer (RFC 959, section 3.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    /// `TYPE A`: lines that end in CRLF.
    Ascii,
    /// `TYPE I`: octets.
    Image,
}
