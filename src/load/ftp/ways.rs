//! How FTP is spoken, as a person has set it: to whom over TLS, by whose call, with what for a name.

use crate::protocol::ftp::{ANONYMOUS_PASSWORD, Safety};

/// What settings.toml says of FTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FtpWays {
    /// What a visitor without a name gives for a password.
    pub anonymous_password: Vec<u8>,
    /// Whether `ftp:` URLs are asked over TLS.
    pub tls: Upgrade,
    /// The same, for hosts by name in lower case, without a port.
    pub tls_by_host: Vec<(String, Upgrade)>,
    /// Whether a server may dial us for data, where it cannot be dialled.
    pub active: bool,
}

impl Default for FtpWays {
    fn default() -> Self {
        Self {
            anonymous_password: ANONYMOUS_PASSWORD.to_vec(),
            tls: Upgrade::default(),
            tls_by_host: Vec::new(),
            active: false,
        }
    }
}

/// Whether a connection that begins without TLS becomes one over TLS (RFC 4217, RFC 4642).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Upgrade {
    /// It stays as it is, a login with a password included.
    Never,
    /// For a login with a password, where the server can.
    #[default]
    Login,
    /// Where the server can.
    Offer,
    /// It has to, or nobody logs in.
    Require,
}

impl Upgrade {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Never, Self::Login, Self::Offer, Self::Require];

    /// As settings.toml has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Login => "login",
            Self::Offer => "offer",
            Self::Require => "require",
        }
    }
}

/// What a login will tell the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secret {
    /// Nothing that is secret.
    Nothing,
    /// A password.
    Password,
    /// A password, which a person lets go out without TLS.
    PlainPassword,
}

impl FtpWays {
    /// When TLS begins on the way to `host`: `ftps` is safe from the first octet on its own port, and by AUTH TLS on any
    /// other; `ftp` is what is set for the host, and for what the login will tell it.
    pub fn safety(&self, is_ftps: bool, host: &str, port: u16, secret: Secret) -> Safety {
        if is_ftps {
            return if port == FTPS {
                Safety::Implicit
            } else {
                Safety::Explicit
            };
        }
        let host = host.trim_end_matches('.');
        let of_host = self
            .tls_by_host
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(host));
        match (of_host.map_or(self.tls, |(_, upgrade)| *upgrade), secret) {
            (Upgrade::Never, _) | (Upgrade::Login, Secret::Nothing) => Safety::Plain,
            (Upgrade::Login | Upgrade::Offer, Secret::Password) => Safety::Guarded,
            (Upgrade::Login, Secret::PlainPassword)
            | (Upgrade::Offer, Secret::Nothing | Secret::PlainPassword) => Safety::Offered,
            (Upgrade::Require, _) => Safety::Explicit,
        }
    }
}

/// The port of FTP over TLS from the first octet.
pub(super) const FTPS: u16 = 990;
