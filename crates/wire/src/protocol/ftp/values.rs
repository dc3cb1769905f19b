//! The values of a dialogue: the credentials, the state of the login, the representation of a transfer.

use std::fmt;

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

/// The state of the login in a dialogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Login {
    /// Neither user name nor password was sent.
    NotYet,
    /// The server has accepted the login.
    Done,
}

/// When the server may open the data connections (EPRT and PORT; RFC 2428, section 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ActiveMode {
    /// Not yet: [`FtpError::ActiveMode`](super::FtpError::ActiveMode) asks where the server has refused both EPSV and
    /// PASV.
    #[default]
    Asked,
    /// Where the server has refused both EPSV and PASV, as the user has agreed. One that says nothing refuses nothing.
    Refused,
    /// Wherever the client cannot open them, as the settings say.
    Always,
}

/// The representation type of a transfer (RFC 959, section 3.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    /// `TYPE A`: lines that end in CRLF.
    Ascii,
    /// `TYPE I`: octets.
    Image,
}
