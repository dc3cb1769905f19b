//! The commands, messages and effects of the credentials.

use geomys_load::{LoadId, Login, Request};
use geomys_wire::net::{Pin, Security, UntrustedCertificate};

use crate::PendingRequest;

/// A message to the credentials.
#[derive(Debug)]
pub enum CredentialMessage {
    /// An accepted certificate was saved for this authority.
    Pinned(String, Pin),
    /// The result of a keyring lookup.
    Keyring(Box<KeyringLookup>, Option<Login>),
    /// A password was stored in the keyring, or the error.
    PasswordStored(Result<(), String>),
}

/// A task for the credentials.
#[derive(Debug)]
pub enum CredentialEffect {
    /// Save an accepted certificate for an authority.
    Pin(String, Pin),
    /// Look up a password in the keyring.
    Keyring(Box<KeyringLookup>),
    /// Store a password for a login scope in the keyring.
    StorePassword(String, Login),
}

/// A command to the credentials.
#[derive(Clone, Debug)]
pub(crate) enum CredentialCommand {
    /// Send passwords to this authority without TLS, and go on with the request.
    AcceptPlainLogin(Box<PendingRequest>, String),
    /// Let this FTP server connect to this machine, and go on with the request.
    AcceptActiveMode(Box<PendingRequest>, String),
    /// Accept the hazards of a URL, and go on with the request.
    AcceptHazards(Box<PendingRequest>),
    /// Connect to this local authority although the page of another host led there, and go on with the request.
    AcceptLocalAddress(Box<PendingRequest>, String),
    /// Trust a certificate, and go on with the request.
    Trust(
        Box<UntrustedCertificate>,
        Box<PendingRequest>,
        TrustDuration,
    ),
    /// Reject a certificate, and end the request.
    RejectCertificate(String, Box<PendingRequest>),
    /// Store a password in the keyring for this login scope.
    Store(String, Login),
    /// Remember the login of a request that a server has accepted.
    Remember(Box<Request>),
    /// Keep the login of a request that a server refused for now, for a retry.
    Keep(Box<Request>),
}

/// The time for which a certificate is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrustDuration {
    /// Until the browser exits.
    Session,
    /// Always.
    Always,
}

/// A lookup of a password in the keyring, and the request that waits for it.
#[derive(Clone, Debug)]
pub struct KeyringLookup {
    /// The login scope.
    pub scope: String,
    /// The user.
    pub user: String,
    pub(super) host: String,
    pub(super) security: Security,
    pub(super) pending: PendingRequest,
    /// The load of the incoming page that waits in a pane.
    pub(super) load: LoadId,
}
