//! News servers: their addresses, the URLs of their pages, and their pooled connections.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_wire::net::{Drain, LentConnection, Security, Stream, authority};
use geomys_wire::protocol::nntp::{Compression, Dialogue};
use rfc1738::{Dialect, ExtensionScheme, Url};

use super::settings::{NNTP, NNTPS, NewsHost, NewsServer, NewsSettings};
use crate::{Question, Request, Stop, TlsUpgrade};

/// A dialogue over a plain connection or TLS.
pub(super) type NewsDialogue = Dialogue<Stream>;

/// A dialogue, and the security of its connection.
pub(super) struct NewsConnection {
    pub(super) dialogue: NewsDialogue,
    pub(super) security: Security,
}

/// Returns the dialogue of a lent connection.
///
/// # Errors
/// [`Stop::Closed`] if the connection was taken.
pub(super) fn dialogue(
    lent: &mut LentConnection<NewsConnection>,
) -> Result<&mut NewsDialogue, Stop> {
    let connection = lent.get().ok_or(Stop::Closed)?;
    Ok(&mut connection.dialogue)
}

impl Drain for NewsConnection {
    fn is_mid_reply(&self) -> bool {
        self.dialogue.is_mid_reply()
    }

    fn drain(&mut self, most: usize) -> BoxFuture<'_, bool> {
        self.dialogue.drain(most).boxed()
    }
}

/// A server: its address, its name in messages, and its pool key.
pub(super) struct NewsEndpoint {
    pub(super) host: String,
    pub(super) port: u16,
    /// True for implicit TLS.
    pub(super) is_tls: bool,
    pub(super) authority: String,
    /// The use of STARTTLS.
    pub(super) upgrade: TlsUpgrade,
    pub(super) compression: Compression,
    pub(super) pool_key: String,
    /// True if it is not the requested server but a fallback.
    pub(super) is_other: bool,
}

impl NewsEndpoint {
    /// Returns the server of a request.
    pub(super) fn of(request: &Request) -> Result<Self, Stop> {
        let host = server(request).ok_or(Stop::Needs(Question::NewsServer))?;
        Ok(Self::new(host, &request.settings.news))
    }

    /// Creates the endpoint of a host.
    pub(super) fn new(named: NewsHost, settings: &NewsSettings) -> Self {
        let upgrade = settings.upgrade(&named.host);
        Self::with_upgrade(named, upgrade, settings)
    }

    /// Creates the endpoint of a configured server, which is a fallback.
    pub(super) fn fallback(server: &NewsServer, settings: &NewsSettings) -> Self {
        let named = NewsHost {
            host: server.host.clone(),
            port: server.port,
            is_tls: server.is_tls,
        };
        Self {
            is_other: true,
            ..Self::with_upgrade(named, server.upgrade, settings)
        }
    }

    fn with_upgrade(named: NewsHost, upgrade: TlsUpgrade, settings: &NewsSettings) -> Self {
        let NewsHost { host, port, is_tls } = named;
        let compression = settings.compression(&host);
        let authority = authority(&host, port);
        let key = authority.to_ascii_lowercase();
        Self {
            pool_key: format!("nntp {is_tls} {upgrade:?} {compression:?} {key}"),
            host,
            port,
            is_tls,
            authority,
            upgrade,
            compression,
            is_other: false,
        }
    }

    /// Returns true if this is the endpoint of `server`.
    pub(super) fn is(&self, server: &NewsServer) -> bool {
        self.host.eq_ignore_ascii_case(&server.host) && self.port == server.port
    }

    /// Returns the URL of an article on this server (RFC 5538, section 2).
    pub(super) fn article(&self, id: &[u8]) -> Option<Url> {
        let anywhere = Url::news_article(id).ok()?;
        self.url(anywhere.as_str().strip_prefix("news:")?)
    }

    /// Returns the URL of a `news:` target on this server.
    pub(super) fn url(&self, part: &str) -> Option<Url> {
        let (scheme, default) = if self.is_tls {
            ("snews", format!(":{NNTPS}"))
        } else {
            ("news", format!(":{NNTP}"))
        };
        let authority = self.authority.strip_suffix(&default);
        let authority = authority.unwrap_or(&self.authority);
        Dialect::Extended
            .parse(&format!("{scheme}://{authority}/{part}"))
            .ok()
    }

    /// Returns the URL of a group on this server: article numbers are valid only on their server.
    pub(super) fn group(&self, name: &[u8]) -> Option<Url> {
        if self.is_tls {
            return Url::nntps(&self.host, self.port, name).ok();
        }
        Url::nntp(&self.host, self.port, name, None).ok()
    }

    /// Returns the URL of articles in a group, by their numbers.
    pub(super) fn part_of_group(&self, name: &[u8], numbers: &str) -> Option<Url> {
        let group = self.group(name)?;
        Dialect::Extended.parse(&format!("{group}/{numbers}")).ok()
    }
}

/// Returns the server of a request for news.
pub(crate) fn server(request: &Request) -> Option<NewsHost> {
    news_host(&request.url, request.news_query.server.as_ref())
}

/// Returns the server of a news URL: its own, or the configured one; None if there is none.
pub fn news_host(url: &Url, set: Option<&NewsHost>) -> Option<NewsHost> {
    let is_tls = matches!(
        url.extension_scheme(),
        Some(ExtensionScheme::Nntps | ExtensionScheme::Snews)
    );
    if let Some(address) = url.base_parts().address() {
        return Some(NewsHost {
            host: address.node().to_owned(),
            port: address.port(),
            is_tls,
        });
    }
    let mut set = set?.clone();
    if set.port == NNTP && !set.is_tls {
        // The configured port is the default one without TLS, so it is not valid with TLS; any other port stays.
        set.port = if is_tls { NNTPS } else { NNTP };
    }
    set.is_tls |= is_tls;
    Some(set)
}
