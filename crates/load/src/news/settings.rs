//! The settings for news servers.

use std::path::PathBuf;
use std::sync::Arc;

use geomys_wire::net::{Trust, authority};
use geomys_wire::protocol::nntp::{Compression, ServerDate};
use rfc1738::{Dialect, ExtensionScheme};

use crate::ftp::for_host;
use crate::{Login, TlsUpgrade};
use geomys_page::document::ArticleNumbers;

/// The news settings of settings.toml.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewsSettings {
    /// The use of STARTTLS on plain connections.
    pub tls: TlsUpgrade,
    /// The use of STARTTLS by host name, in lower case and without a port.
    pub tls_by_host: Vec<(String, TlsUpgrade)>,
    /// The use of compression after a login, if the server offers it.
    pub compress: Compression,
    /// The use of compression by host name, in lower case and without a port.
    pub compress_by_host: Vec<(String, Compression)>,
    /// The servers to ask, in this order, for an article that another server does not have.
    pub servers: Vec<NewsServer>,
    /// The headers of an article to show, in order; empty for the default ones.
    pub headers: Arc<[String]>,
    /// True if an article is opened with all of these headers, false if those below its author are folded.
    pub unfolds_headers: bool,
}

/// A request for the changes of a list of groups, or for counts only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangesQuery {
    /// The time of the previous request, by the server's clock; `None` if no new groups are requested.
    pub date: Option<ServerDate>,
    /// The groups whose counts are requested.
    pub subscribed: Vec<Vec<u8>>,
}

/// A request for a part of the overview of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverviewQuery {
    /// The articles that are wanted.
    pub goal: OverviewGoal,
    /// The numbers of the read articles.
    pub read: ReadArticles,
    /// The numbers of the articles that are not requested; `None` for those in the cache.
    pub known: Option<Arc<ArticleNumbers>>,
    /// The highest number of the group, as a list or its last overview told it; it may be higher now.
    pub highest: Option<u64>,
}

/// The number of the newest articles that a reload requests again.
const RELOADED: u64 = 100;

impl OverviewQuery {
    /// Sets the numbers of the cached articles.
    pub fn set_known(&mut self, mut cached: ArticleNumbers) {
        if let (OverviewGoal::Reload, Some(highest)) = (self.goal, cached.highest()) {
            cached.remove(highest.saturating_sub(RELOADED - 1), highest);
        }
        self.known = Some(Arc::new(cached));
    }
}

/// The numbers of the read articles of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadArticles {
    /// These numbers.
    Known(Arc<ArticleNumbers>),
    /// Those in this newsrc file, which is to be read before the load starts.
    File(PathBuf),
}

/// The articles of a group that are wanted. Except for [`Self::All`] there are limits, so that no
/// group loads for long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverviewGoal {
    /// The unread articles, and a screen of others if few are known.
    Open,
    /// The same, and the newest articles again, as some may have been cancelled.
    Reload,
    /// Unread articles only.
    Unread,
    /// The newest of the articles that are not known.
    Older,
    /// All articles that are not known, the newest first.
    All,
    /// The article with this number, and those near it.
    Near(u64),
}

/// A news server from the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewsServer {
    /// The host.
    pub host: String,
    /// The port.
    pub port: u16,
    /// True for implicit TLS.
    pub is_tls: bool,
    /// The use of STARTTLS.
    pub upgrade: TlsUpgrade,
    /// The login for the server, if there is one; no question is asked.
    pub login: Option<Login>,
    /// The trusted certificate of the server.
    pub trust: Trust,
}

/// The address of a news server, and whether it uses implicit TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewsHost {
    /// The host.
    pub host: String,
    /// The port.
    pub port: u16,
    /// True for implicit TLS.
    pub is_tls: bool,
}

impl NewsHost {
    /// The remark about a text that is no news server.
    pub const EXPECTED: &'static str = "expected host, host:port or nntps://host";

    /// Creates an address without implicit TLS.
    pub fn plain(host: impl Into<String>, port: u16) -> Self {
        Self {
            host: host.into(),
            port,
            is_tls: false,
        }
    }

    /// Parses `host` or `host:port`, also after `nntp://`, `nntps://`, `news://` or `snews://`. Port 563 without a
    /// scheme means implicit TLS: a server there does not answer plain connections.
    pub fn parse(written: &str) -> Option<Self> {
        let written = written.trim();
        let (scheme, rest) = match written.split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
            None => (None, written),
        };
        let is_tls = match scheme.as_deref() {
            None => None,
            Some("nntp" | "news") => Some(false),
            Some("nntps" | "snews") => Some(true),
            Some(_) => return None,
        };
        // Parsed like any URL, including IPv6 addresses in brackets.
        let url = Dialect::Extended
            .parse(&format!("nntp://{}/x", rest.trim_end_matches('/')))
            .ok()?;
        let parts = url.base_parts();
        let address = parts.address()?;
        let is_tls = is_tls.unwrap_or(address.written_port == Some(NNTPS));
        let default = if is_tls { NNTPS } else { NNTP };
        Some(Self {
            host: address.node().to_owned(),
            port: address.written_port.unwrap_or(default),
            is_tls,
        })
    }
}

impl From<(String, u16)> for NewsHost {
    fn from((host, port): (String, u16)) -> Self {
        Self::plain(host, port)
    }
}

impl NewsServer {
    /// Parses the same forms as [`NewsHost::parse`].
    pub fn parse(written: &str) -> Option<Self> {
        let NewsHost { host, port, is_tls } = NewsHost::parse(written)?;
        Some(Self {
            host,
            port,
            is_tls,
            upgrade: TlsUpgrade::default(),
            login: None,
            trust: Trust::default(),
        })
    }

    /// Returns the login scope, as [`Request::login_scope`](crate::Request::login_scope) does.
    pub fn login_scope(&self) -> String {
        format!("news {}", authority(&self.host, self.port))
    }

    /// Returns the authority whose certificate is checked, as
    /// [`Request::tls_authority`](crate::Request::tls_authority) does.
    pub fn tls_authority(&self) -> String {
        authority(&self.host.to_ascii_lowercase(), self.port)
    }
}

/// The ports of NNTP, and of NNTP over implicit TLS.
pub(super) const NNTP: u16 = 119;
pub(super) const NNTPS: u16 = ExtensionScheme::Nntps.default_port();

impl NewsSettings {
    /// Returns the use of STARTTLS for `host`.
    pub fn upgrade(&self, host: &str) -> TlsUpgrade {
        for_host(&self.tls_by_host, host).unwrap_or(self.tls)
    }

    /// Returns the use of compression for `host`.
    pub fn compression(&self, host: &str) -> Compression {
        for_host(&self.compress_by_host, host).unwrap_or(self.compress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_as_people_write_them() {
        let read = |written| {
            let server = NewsServer::parse(written)?;
            Some((server.host, server.port, server.is_tls))
        };
        let expected = |host: &str, port, is_tls| Some((host.to_owned(), port, is_tls));
        assert_eq!(read("news.example"), expected("news.example", 119, false));
        assert_eq!(
            read("news.example:8119"),
            expected("news.example", 8119, false)
        );
        assert_eq!(
            read("nntps://news.example/"),
            expected("news.example", 563, true)
        );
        assert_eq!(
            read("snews://news.example:119"),
            expected("news.example", 119, true)
        );
        assert_eq!(read("NNTP://[::1]:1119"), expected("::1", 1119, false));
        // Port 563 means TLS, unless a scheme says otherwise.
        assert_eq!(
            read(" news.example:563 "),
            expected("news.example", 563, true)
        );
        assert_eq!(
            read("nntp://news.example:563"),
            expected("news.example", 563, false)
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
