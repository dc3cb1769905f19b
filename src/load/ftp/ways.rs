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
            tls: Upgrade::Never,
            tls_by_host: Vec::new(),
            active: false,
        }
    }
}

/// Whether a plain connection becomes one over TLS (RFC 4217).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Upgrade {
    /// It stays plain.
    #[default]
    Never,
    /// Where the server can.
    Offer,
    /// It has to, or nobody logs in.
    Require,
}

impl Upgrade {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Never, Self::Offer, Self::Require];

    /// As settings.toml has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Offer => "offer",
            Self::Require => "require",
        }
    }
}

impl FtpWays {
    /// When TLS begins on the way to `host`: `ftps` is safe from the first octet on its own port, and by AUTH TLS on any
    /// other; `ftp` is what is set for the host.
    pub fn safety(&self, is_ftps: bool, host: &str, port: u16) -> Safety {
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
        match of_host.map_or(self.tls, |(_, upgrade)| *upgrade) {
            Upgrade::Never => Safety::Plain,
            Upgrade::Offer => Safety::Offered,
            Upgrade::Require => Safety::Explicit,
        }
    }
}

/// The port of FTP over TLS from the first octet.
pub(super) const FTPS: u16 = 990;
