//! The FTP settings: TLS by host, active mode, and the anonymous password.

use geomys_wire::protocol::ftp::{ANONYMOUS_PASSWORD, FtpTlsMode};
use rfc1738::ExtensionScheme;

/// The FTP settings of settings.toml.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FtpSettings {
    /// The password of an anonymous login.
    pub anonymous_password: Vec<u8>,
    /// The use of TLS for `ftp:` URLs.
    pub tls: TlsUpgrade,
    /// The use of TLS by host name, in lower case and without a port.
    pub tls_by_host: Vec<(String, TlsUpgrade)>,
    /// Permission for active mode: the server opens the data connection when passive mode fails.
    pub active: bool,
}

impl Default for FtpSettings {
    fn default() -> Self {
        Self {
            anonymous_password: ANONYMOUS_PASSWORD.to_vec(),
            tls: TlsUpgrade::default(),
            tls_by_host: Vec::new(),
            active: false,
        }
    }
}

/// The upgrade of a connection that begins without TLS (RFC 4217, RFC 4642).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TlsUpgrade {
    /// Never uses TLS, not even for a login with a password.
    Never,
    /// Uses TLS for a login with a password, if the server supports it.
    #[default]
    Login,
    /// Uses TLS if the server supports it.
    Offer,
    /// Requires TLS; without it there is no login.
    Require,
}

impl TlsUpgrade {
    /// All values.
    pub const ALL: [Self; 4] = [Self::Never, Self::Login, Self::Offer, Self::Require];

    /// Returns the word that settings.toml uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Login => "login",
            Self::Offer => "offer",
            Self::Require => "require",
        }
    }
}

/// The secret that a login sends to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginSecret {
    /// No secret.
    Nothing,
    /// A password.
    Password,
    /// A password that a person allows to be sent without TLS.
    PlainPassword,
}

impl FtpSettings {
    /// Returns when TLS begins on a connection to `host`. `ftps` is implicit TLS on its own port, and what the
    /// server greets with on any other; `ftp` follows the setting for the host and depends on `secret`.
    pub fn tls_mode(
        &self,
        is_ftps: bool,
        host: &str,
        port: u16,
        secret: LoginSecret,
    ) -> FtpTlsMode {
        if is_ftps {
            return if port == ExtensionScheme::Ftps.default_port() {
                FtpTlsMode::Implicit
            } else {
                FtpTlsMode::Detect
            };
        }
        let upgrade = for_host(&self.tls_by_host, host).unwrap_or(self.tls);
        match (upgrade, secret) {
            (TlsUpgrade::Never, _) | (TlsUpgrade::Login, LoginSecret::Nothing) => FtpTlsMode::Plain,
            (TlsUpgrade::Login | TlsUpgrade::Offer, LoginSecret::Password) => {
                FtpTlsMode::NoDowngrade
            }
            (TlsUpgrade::Login, LoginSecret::PlainPassword)
            | (TlsUpgrade::Offer, LoginSecret::Nothing | LoginSecret::PlainPassword) => {
                FtpTlsMode::IfOffered
            }
            (TlsUpgrade::Require, _) => FtpTlsMode::Explicit,
        }
    }
}

/// Returns the setting for `host` in a list of hosts.
pub(crate) fn for_host<T: Copy>(hosts: &[(String, T)], host: &str) -> Option<T> {
    let host = host.trim_end_matches('.');
    let mut hosts = hosts.iter();
    let found = hosts.find(|(candidate, _)| candidate.eq_ignore_ascii_case(host));
    found.map(|(_, set)| *set)
}
