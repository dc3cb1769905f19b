//! Credentials: the logins, certificates and hazards that the user or a server has accepted.

pub mod consents;
pub mod keyring;
pub mod message;
pub mod request_defaults;
mod update;

use std::sync::Arc;

use geomys_load::{ArchiveStore, CookieJar, Login};
use geomys_store::files::trust::Pins;
use geomys_wire::net::Fingerprint;

/// The accepted logins, certificates and hazards, and the archives opened with them, until the browser exits; accepted
/// certificates are also stored.
#[derive(Clone, Debug, Default)]
pub struct Credentials {
    /// The archives that were opened last.
    archives: Arc<ArchiveStore>,
    /// The cookies of all tabs but the private ones.
    pub(crate) cookies: Arc<CookieJar>,
    /// The logins that servers accepted, or refused for now, with their login scopes.
    logins: Vec<(String, Login)>,
    /// The last login that the user typed, until a server accepts it.
    typed_login: Option<(String, Login)>,
    /// Login scopes and users that have no password in the keyring.
    not_in_keyring: Vec<(String, String)>,
    /// Accepted certificates, by authority (`host:port`).
    pins: Pins,
    /// Certificates accepted until the browser exits, by authority.
    trusted_once: Vec<(String, Fingerprint)>,
    /// Authorities (`host:port` in lower case) to which passwords may be sent without TLS.
    plain_logins: Vec<String>,
    /// Authorities (`host:port` in lower case) of FTP servers that may connect to this machine.
    active_hosts: Vec<String>,
    /// Hosts whose hazards the user accepted, as returned by `name::host_of`.
    accepted_hazards: Vec<String>,
    /// The local authorities that the user accepted, each with the host that led there.
    accepted_local: Vec<(Option<String>, String)>,
}
