//! FTP on the wire: RFC 959 and its extensions (2228, 2389, 2428, 3659, 4217), as RFC 1738 section 3.2 uses them.
//!
//! ```text
//! visit    = [ TLS ] greeting [ AUTH TLS ] [ PBSZ PROT ] USER [ PASS ] [ ACCT ] [ FEAT ] [ OPTS ] [ PWD ] *errand
//! errand   = *CWD ( listing / fetching )
//! listing  = data ( MLSD / LIST / NLST )
//! fetching = TYPE [ SIZE ] [ MDTM ] data [ REST ] RETR
//! data     = EPSV / PASV / EPRT / PORT
//! ```
//!
//! A [`Session`] is a control connection that has logged in. Every argument is octets, and one with CR, LF or NUL is
//! refused before anything is sent. Data connections are dialled by us, always to where the control connection leads;
//! one that the server dials is taken only from there. After an error the session is out of step: drop it. Left out: all
//! that writes.

mod control;
mod data;
pub mod listing;
mod login;
mod reply;
mod session;

use std::fmt;

pub use self::control::{Host, Safety};
pub use self::data::{Answer, Transfer};
pub use self::login::Heard;
pub use self::reply::Reply;
pub use self::session::{Look, Session, Walk, joined};

use crate::net::{Doubt, NetError, Security, TlsOffer};

/// Who anonymous FTP is for (RFC 1635).
pub const ANONYMOUS: &[u8] = b"anonymous";

/// The password by convention: a name, and the host left for the server to fill in.
pub const ANONYMOUS_PASSWORD: &[u8] = b"geomys@";

/// Who logs in.
#[derive(Clone, PartialEq, Eq)]
pub struct Visitor {
    /// The argument of USER.
    pub user: Vec<u8>,
    /// The argument of PASS; nothing while nobody has told it.
    pub password: Option<Vec<u8>>,
    /// The argument of ACCT, for the servers that want one.
    pub account: Option<Vec<u8>>,
}

impl Visitor {
    /// The one without a name, who gives this for a password.
    pub fn anonymous(password: &[u8]) -> Self {
        Self {
            user: ANONYMOUS.to_vec(),
            password: Some(password.to_vec()),
            account: None,
        }
    }
}

impl fmt::Debug for Visitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visitor")
            .field("user", &self.user.escape_ascii().to_string())
            .finish_non_exhaustive()
    }
}

/// What ends a dialogue. The session it happened in is out of step.
#[derive(Debug, thiserror::Error)]
pub enum FtpError {
    /// The connection failed, or something unsendable stood in an argument.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The server said no to what everything else depends on.
    #[error("it {problem}")]
    Refused {
        /// What it did not do: `did not welcome us`.
        problem: &'static str,
        /// Its words.
        reply: Reply,
    },
    /// It wants a password: there was none, or it was wrong and these are its words.
    #[error("it wants a password")]
    Password {
        /// The reply to a wrong password.
        said: Option<Reply>,
        /// How safe the connection is.
        security: Security,
    },
    /// It lets this user in with no password at all.
    #[error("it does not let this user in")]
    Unwanted {
        /// Its words.
        reply: Reply,
    },
    /// It wants an account (ACCT), beside user and password.
    #[error("it wants an account")]
    Account {
        /// Its words.
        reply: Reply,
        /// How safe the connection is.
        security: Security,
    },
    /// TLS is wanted, and it said no.
    #[error("it {problem}")]
    Insecure {
        /// What it did not do: `does not speak TLS`.
        problem: &'static str,
        /// Its words.
        reply: Reply,
        /// Whether anybody had logged in by then.
        login: Login,
    },
    /// It has offered TLS before and does not now, so that no password was sent.
    #[error("it offers TLS no longer")]
    Withdrawn {
        /// The offer that is known.
        offer: TlsOffer,
        /// Its words.
        reply: Reply,
    },
    /// A person is to say whether its certificate is good.
    #[error("its certificate is not verified")]
    Doubt(Box<Doubt>),
    /// What it sent is no reply of FTP.
    #[error("{place} sent something that is no reply of FTP")]
    Garbled {
        /// `host:port`.
        place: String,
        /// The line.
        said: Vec<u8>,
    },
    /// A reply that goes past its cap.
    #[error("{place} sent a reply of more than {limit} octets")]
    Endless {
        /// `host:port`.
        place: String,
        /// The cap.
        limit: usize,
    },
}

/// Whether a dialogue has come to its login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Login {
    /// Neither name nor password was sent.
    NotYet,
    /// The server has accepted it.
    Done,
}

/// How a file is sent (RFC 959, section 3.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    /// `TYPE A`: lines that end in CRLF.
    Ascii,
    /// `TYPE I`: octets.
    Image,
}
