//! How news servers are spoken to, as a person has set it.

use std::sync::Arc;

use crate::load::{Login, Upgrade};
use crate::net::{Trust, place};
use crate::protocol::nntp::Compression;
use crate::url::Url;

/// What settings.toml says of news.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewsWays {
    /// Whether a plain connection becomes one over TLS (STARTTLS).
    pub tls: Upgrade,
    /// The same, for hosts by name in lower case, without a port.
    pub tls_by_host: Vec<(String, Upgrade)>,
    /// Whether a dialogue is compressed after a login, where the server offers it.
    pub compress: Compression,
    /// The same, for hosts by name in lower case, without a port.
    pub compress_by_host: Vec<(String, Compression)>,
    /// Servers that are asked for an article that another does not have, in this order.
    pub servers: Vec<NewsServer>,
    /// The headers of an article that are shown, in their order; none for the usual ones.
    pub headers: Arc<[String]>,
}

/// A news server that a person has named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewsServer {
    /// Its host.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// TLS is spoken before the greeting.
    pub is_sealed: bool,
    /// What is done about TLS after it.
    pub upgrade: Upgrade,
    /// Who logs in there, where that is known; nobody is asked.
    pub login: Option<Login>,
    /// What is known of its certificate.
    pub trust: Trust,
}

/// Where a news server is, as people write it, and whether it is spoken to over TLS from the first octet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewsHost {
    /// Its host.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// TLS is spoken before the greeting.
    pub is_sealed: bool,
}

impl NewsHost {
    /// One that is greeted in the clear.
    pub fn plain(host: impl Into<String>, port: u16) -> Self {
        Self {
            host: host.into(),
            port,
            is_sealed: false,
        }
    }

    /// `host`, `host:port`, or one of them behind `nntp://`, `nntps://`, `news://` or `snews://`. Port 563 without a
    /// scheme is that of news over TLS: what waits there says nothing to whoever speaks in the clear.
    pub fn parse(written: &str) -> Option<Self> {
        let written = written.trim();
        let (scheme, rest) = match written.split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
            None => (None, written),
        };
        let is_sealed = match scheme.as_deref() {
            None => None,
            Some("nntp" | "news") => Some(false),
            Some("nntps" | "snews") => Some(true),
            Some(_) => return None,
        };
        // As any address has it, IPv6 and its brackets included.
        let url = Url::accept(&format!("nntp://{}/x", rest.trim_end_matches('/'))).ok()?;
        let parts = url.parts();
        let address = parts.address()?;
        let is_sealed = is_sealed.unwrap_or(address.written_port == Some(NNTPS));
        let default = if is_sealed { NNTPS } else { NNTP };
        Some(Self {
            host: address.node().to_owned(),
            port: address.written_port.unwrap_or(default),
            is_sealed,
        })
    }
}

impl From<(String, u16)> for NewsHost {
    fn from((host, port): (String, u16)) -> Self {
        Self::plain(host, port)
    }
}

impl NewsServer {
    /// As [`NewsHost::parse`].
    pub fn parse(written: &str) -> Option<Self> {
        let NewsHost {
            host,
            port,
            is_sealed,
        } = NewsHost::parse(written)?;
        Some(Self {
            host,
            port,
            is_sealed,
            upgrade: Upgrade::default(),
            login: None,
            trust: Trust::default(),
        })
    }

    /// Where a name and a password are good, as [`Request::place`](crate::load::Request::place) has it.
    pub fn place(&self) -> String {
        format!("news {}", place(&self.host, self.port))
    }

    /// Whose certificate has to be good, as
    /// [`Request::certificate_place`](crate::load::Request::certificate_place) has it.
    pub fn certificate_place(&self) -> String {
        place(&self.host.to_ascii_lowercase(), self.port)
    }
}

/// The ports of news, and of news over TLS.
pub(super) const NNTP: u16 = 119;
pub(super) const NNTPS: u16 = 563;

impl NewsWays {
    /// What is set for `host`.
    pub fn upgrade(&self, host: &str) -> Upgrade {
        for_host(&self.tls_by_host, host).unwrap_or(self.tls)
    }

    /// What is set for `host`.
    pub fn compression(&self, host: &str) -> Compression {
        for_host(&self.compress_by_host, host).unwrap_or(self.compress)
    }
}

/// What is set for one of `hosts`.
fn for_host<T: Copy>(hosts: &[(String, T)], host: &str) -> Option<T> {
    let host = host.trim_end_matches('.');
    let mut hosts = hosts.iter();
    let found = hosts.find(|(known, _)| known.eq_ignore_ascii_case(host));
    found.map(|(_, set)| *set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_as_people_write_them() {
        let read = |written| {
            let server = NewsServer::parse(written)?;
            Some((server.host, server.port, server.is_sealed))
        };
        let told = |host: &str, port, is_sealed| Some((host.to_owned(), port, is_sealed));
        assert_eq!(read("news.example"), told("news.example", 119, false));
        assert_eq!(read("news.example:8119"), told("news.example", 8119, false));
        assert_eq!(
            read("nntps://news.example/"),
            told("news.example", 563, true)
        );
        assert_eq!(
            read("snews://news.example:119"),
            told("news.example", 119, true)
        );
        assert_eq!(read("NNTP://[::1]:1119"), told("::1", 1119, false));
        // Nobody speaks in the clear at 563, unless somebody says so.
        assert_eq!(read(" news.example:563 "), told("news.example", 563, true));
        assert_eq!(
            read("nntp://news.example:563"),
            told("news.example", 563, false)
        );
        for bad in [
            "",
            "http://news.example",
            "a b",
            "news.example:x",
            "news.example/group",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
