//! Credentials: the logins, certificates and hazards that the user or a server has accepted.

pub mod certificate;
pub mod keyring;
pub mod plain_login;
pub mod request_defaults;

use crate::app::credentials::keyring::KeyringLookup;
use crate::files::trust::Pins;
use crate::load::Login;
use crate::net::Fingerprint;

/// What was accepted, until the browser exits; accepted certificates are also stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Credentials {
    /// The logins that servers accepted, with their login scopes.
    pub(crate) logins: Vec<(String, Login)>,
    /// The last login that the user typed, until a server accepts it.
    pub(crate) typed_login: Option<(String, Login)>,
    /// Pending keyring lookups.
    pub(crate) keyring_lookups: Vec<KeyringLookup>,
    /// Login scopes and users that have no password in the keyring.
    pub(crate) not_in_keyring: Vec<(String, String)>,
    /// Accepted certificates, by authority (`host:port`).
    pub(crate) pins: Pins,
    /// Certificates accepted until the browser exits, by authority.
    pub(crate) trusted_once: Vec<(String, Fingerprint)>,
    /// Authorities (`host:port` in lower case) to which passwords may be sent without TLS.
    pub(crate) plain_logins: Vec<String>,
    /// Hosts whose hazards the user accepted, as returned by `name::host_of`.
    pub(crate) accepted_hazards: Vec<String>,
}
