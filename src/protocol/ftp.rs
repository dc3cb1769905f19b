//! FTP on the wire: RFC 959 and its extensions (2389, 2428, 3659), as RFC 1738 section 3.2 uses them.
//!
//! ```text
//! visit    = greeting USER [ PASS ] [ FEAT ] [ OPTS ] [ PWD ] *errand
//! errand   = *CWD ( listing / fetching )
//! listing  = ( EPSV / PASV ) ( MLSD / LIST / NLST )
//! fetching = TYPE [ SIZE ] ( EPSV / PASV ) RETR
//! ```
//!
//! A [`Session`] is a control connection that has logged in. Every argument is octets, and one with CR, LF or NUL is
//! refused before anything is sent. Data connections are dialled by us, always to where the control connection leads.
//! After an error the session is out of step: drop it. Left out so far: ACCT, active mode, REST, TLS, all that writes.

mod control;
pub mod listing;
mod octets;
mod reply;
mod session;

use std::fmt;

use tokio::net::TcpStream;

pub use reply::Reply;
pub use session::{Session, joined};

use crate::net::{self, Net, NetError};

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
}

impl Visitor {
    /// The one without a name.
    pub fn anonymous() -> Self {
        Self {
            user: ANONYMOUS.to_vec(),
            password: Some(ANONYMOUS_PASSWORD.to_vec()),
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
    #[error("it {deed}")]
    Refused {
        /// What it did not do: `did not welcome us`.
        deed: &'static str,
        /// Its words.
        reply: Reply,
    },
    /// It wants a password: there was none, or it was wrong and these are its words.
    #[error("it wants a password")]
    Password {
        /// The reply to a wrong password.
        said: Option<Reply>,
    },
    /// It wants an account (ACCT), beside user and password.
    #[error("it wants an account")]
    Account {
        /// Its words.
        reply: Reply,
    },
    /// What it sent is no reply of FTP.
    #[error("{place} sent something that is no reply of FTP")]
    Garbled {
        /// `host:port`.
        place: String,
    },
}

/// How a file is sent (RFC 959, section 3.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    /// `TYPE A`: lines that end in CRLF.
    Ascii,
    /// `TYPE I`: octets.
    Image,
}

/// How far a walk came.
#[derive(Debug)]
pub enum Walk {
    /// Into the last directory.
    Arrived,
    /// The server would not enter this one of the path's segments.
    Stopped {
        /// Which one, from 0.
        at: usize,
        /// Its words.
        reply: Reply,
    },
}

/// What a name turned out to be.
#[derive(Debug)]
pub enum Look {
    /// A directory, and the session is in it now.
    Directory,
    /// No directory; what the server said to that.
    Other(Reply),
}

/// The answer to a listing or a fetch.
#[derive(Debug)]
pub enum Answer {
    /// Octets are coming.
    Transfer(Transfer),
    /// There is nothing in the directory.
    Empty,
    /// The server said no; the session goes on.
    Refused(Reply),
}

/// A data connection with octets to read.
#[derive(Debug)]
pub struct Transfer {
    stream: TcpStream,
    place: String,
    /// The reply of a server that said at once that it was done.
    replied: Option<Reply>,
    received: u64,
}

impl Transfer {
    /// What has arrived; empty at the end.
    ///
    /// # Errors
    /// [`NetError::Late`] or [`NetError::Io`].
    pub async fn read(&mut self, net: &Net) -> Result<Vec<u8>, NetError> {
        let octets = net::read(&mut self.stream, &self.place, net.limits()).await?;
        self.received += octets.len() as u64;
        Ok(octets)
    }

    /// Octets read so far.
    pub fn received(&self) -> u64 {
        self.received
    }
}
