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
//! Without a reply to FEAT, OPTS, MLST, SIZE, MDTM, REST or EPSV, a new connection leaves that command out; AUTH is
//! never left out. A [`FtpConnection`] is a control connection that has logged in. Every argument is octets, and one
//! with CR, LF or NUL is refused before anything is sent. The client opens data connections, always to the peer of the
//! control connection; one that the server opens is accepted only from that peer. After an error the connection is out
//! of step: drop it. Left out: all commands that write.

mod control;
mod data;
mod detect;
mod error;
mod escape;
pub mod listing;
mod login;
mod reply;
mod session;
mod transfer;
mod values;

pub use self::control::{FtpHost, FtpTlsMode};
pub use self::data::DataReply;
pub use self::error::FtpError;
pub use self::login::{LoginMessages, NewFtpConnection};
pub use self::reply::Reply;
pub use self::session::{FtpConnection, NameProbe, PathOutcome, joined};
pub use self::transfer::Transfer;
pub use self::values::{
    ANONYMOUS, ANONYMOUS_PASSWORD, ActiveMode, FtpCredentials, Login, Representation,
};
