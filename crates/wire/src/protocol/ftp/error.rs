//! The errors of a dialogue.

use super::reply::Reply;
use super::values::Login;
use crate::net::{NetError, Quirk, Security, TlsError, TlsOffer, UntrustedCertificate};

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
    pub(super) fn refused(problem: &'static str, reply: Reply) -> Self {
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
