//! Connections to news servers, up to the first response.

use std::fmt;

use super::error::{stop, unencrypted};
use super::settings::{NNTP, NNTPS, NewsHost, NewsServer, NewsSettings};
use super::{FirstResponse, NewsTarget, RequestExtent, ask};
use crate::load::protocol_parts::protocol_parts;
use crate::load::{self, Failure, NoTlsReason, Phase, Request, Sink, Stop, TlsUpgrade};
use crate::net::{Net, Security, Stream, authority};
use crate::protocol::nntp::{self, Account, Compression, NntpError, OpenMode, PlainLogin, Reply};
use crate::url::{ExtensionScheme, Url};

/// A dialogue over a plain connection or TLS.
pub(super) type NewsDialogue = nntp::Dialogue<Stream>;

/// A dialogue, and the security of its connection.
pub(super) struct NewsConnection {
    pub(super) dialogue: NewsDialogue,
    pub(super) security: Security,
}

/// A server: its address, its name in messages, and its pool key.
pub(super) struct NewsEndpoint {
    pub(super) host: String,
    port: u16,
    /// True for implicit TLS.
    is_tls: bool,
    pub(super) authority: String,
    /// The use of STARTTLS.
    upgrade: TlsUpgrade,
    compression: Compression,
    pool_key: String,
    /// True if it is not the requested server but a fallback.
    pub(super) is_other: bool,
}

impl fmt::Debug for NewsEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Server").field(&self.pool_key).finish()
    }
}

impl NewsEndpoint {
    pub(super) fn new(request: &Request, named: NewsHost) -> Self {
        let upgrade = request.news.upgrade(&named.host);
        let compression = request.news.compression(&named.host);
        let NewsHost { host, port, is_tls } = named;
        Self::at(host, port, is_tls, upgrade, compression, false)
    }

    /// Creates the endpoint of a configured server.
    pub(super) fn named(server: &NewsServer, settings: &NewsSettings) -> Self {
        let host = server.host.clone();
        let compression = settings.compression(&host);
        let (port, is_tls) = (server.port, server.is_tls);
        Self::at(host, port, is_tls, server.upgrade, compression, true)
    }

    fn at(
        host: String,
        port: u16,
        is_tls: bool,
        upgrade: TlsUpgrade,
        compression: Compression,
        is_other: bool,
    ) -> Self {
        let authority = authority(&host, port);
        Self {
            pool_key: format!(
                "nntp {is_tls} {upgrade:?} {compression:?} {}",
                authority.to_ascii_lowercase()
            ),
            host,
            port,
            is_tls,
            authority,
            upgrade,
            compression,
            is_other,
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

    /// Returns the URL of a list of groups: those that match a pattern, as URLs write it.
    pub(super) fn groups(&self, pattern: &str) -> Option<Url> {
        self.url(pattern)
    }

    /// Returns the URL of a `news:` target on this server.
    fn url(&self, part: &str) -> Option<Url> {
        let (scheme, default) = if self.is_tls {
            ("snews", NNTPS)
        } else {
            ("news", NNTP)
        };
        let authority = if self.port == default {
            authority(&self.host, NNTP)
                .strip_suffix(&format!(":{NNTP}"))?
                .to_owned()
        } else {
            self.authority.clone()
        };
        Url::accept(&format!("{scheme}://{authority}/{part}")).ok()
    }

    /// Returns the URL of a group on this server: article numbers are valid only on their server.
    pub(super) fn group(&self, name: &[u8]) -> Option<Url> {
        let group = if self.is_tls {
            Url::nntps(&self.host, self.port, name)
        } else {
            Url::nntp(&self.host, self.port, name, None)
        };
        group.ok()
    }

    /// Returns the URL of articles in a group, by their numbers.
    pub(super) fn part_of_group(&self, name: &[u8], numbers: &str) -> Option<Url> {
        let group = self.group(name)?;
        Url::accept(&format!("{group}/{numbers}")).ok()
    }

    /// Returns an idle connection to the pool.
    pub(super) fn store(&self, net: &Net, connection: NewsConnection) {
        net.put_pooled(&self.pool_key, connection);
    }
}

/// Returns the server of a request for news.
pub(in crate::load) fn server(request: &Request) -> Option<NewsHost> {
    news_host(&request.url, request.news_server.as_ref())
}

/// Returns the server of a news URL: its own, or the configured one; None if there is none.
pub fn news_host(url: &Url, set: Option<&NewsHost>) -> Option<NewsHost> {
    let is_tls = matches!(
        url.extension_scheme(),
        Some(ExtensionScheme::Nntps | ExtensionScheme::Snews)
    );
    let default = if is_tls { NNTPS } else { NNTP };
    if let Some(address) = protocol_parts(url).address() {
        return Some(NewsHost {
            host: address.node().to_owned(),
            port: address.port().unwrap_or(default),
            is_tls,
        });
    }
    let set = set?.clone();
    Some(NewsHost {
        // The configured port is the default one without TLS, so it is not valid with TLS; any other port stays.
        port: if set.port == NNTP && !set.is_tls {
            default
        } else {
            set.port
        },
        is_tls: is_tls || set.is_tls,
        ..set
    })
}

/// Returns a dialogue and its first response: the pooled dialogue if it is still alive, else a new one.
pub(super) async fn connect(
    net: &Net,
    request: &Request,
    server: &NewsEndpoint,
    (target, extent): (NewsTarget<'_>, RequestExtent),
    sink: &mut Sink,
) -> Result<(NewsConnection, FirstResponse), Stop> {
    let account = request.login.as_ref().map(|login| Account {
        user: login.user.clone(),
        password: login.password.clone().unwrap_or_default(),
    });
    let plain_login = plain_login(net, request, server, account.as_ref()).await;
    // When only the greeting is needed no command is sent, so the connection has to be new.
    let is_greeting = extent == RequestExtent::Existence && matches!(target, NewsTarget::Groups(_));
    let pooled: Option<NewsConnection> = (!is_greeting)
        .then(|| net.take_pooled(&server.pool_key))
        .flatten();
    if let Some(mut connection) = pooled
        && connection.dialogue.accepts_account(account.as_ref())
    {
        connection.dialogue.set_plain_login(plain_login.clone());
        sink.phase(Phase::Waiting).await?;
        match ask(&mut connection.dialogue, (target, extent)).await {
            Ok(answer) => return Ok((connection, answer)),
            // Servers close idle connections; that is no error. One that requires a login over TLS is dialled again
            // with TLS.
            Err(error) if error.is_reconnectable() || needs_tls(&error, server, &connection) => {}
            Err(error) => return Err(refused(net, server, connection, error, target)),
        }
    }
    let mut tls = TlsMode::first(server.upgrade, account.as_ref());
    loop {
        let outcome = dial(net, request, server, account.as_ref(), tls, target, sink).await?;
        let mut connection = match outcome {
            ConnectOutcome::Connected(connection) => *connection,
            ConnectOutcome::TlsRefused(reply) if tls == TlsMode::Required => {
                return Err(stop(NntpError::NoTls(reply), server, target));
            }
            ConnectOutcome::TlsRefused(reply)
                if account.is_some() && plain_login != PlainLogin::Allowed =>
            {
                return Err(unencrypted(server, NoTlsReason::Refused, Some(&reply)));
            }
            ConnectOutcome::TlsRefused(_) => {
                tls = TlsMode::Never;
                continue;
            }
        };
        connection.dialogue.set_plain_login(plain_login.clone());
        let answer = match connection.dialogue.log_in_early().await {
            Ok(()) => {
                sink.phase(Phase::Waiting).await?;
                ask(&mut connection.dialogue, (target, extent)).await
            }
            Err(error) => Err(error),
        };
        match answer {
            Ok(answer) => return Ok((connection, answer)),
            Err(error) if needs_tls(&error, server, &connection) && tls != TlsMode::Required => {
                tls = match (error, tls) {
                    (NntpError::InsecureLogin, TlsMode::Never) => TlsMode::Offered,
                    (_, _) => TlsMode::Required,
                };
            }
            Err(error) => return Err(refused(net, server, connection, error, target)),
        }
    }
}

/// The use of STARTTLS in a new dialogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TlsMode {
    /// No STARTTLS.
    Never,
    /// STARTTLS if the server announces it.
    Offered,
    /// STARTTLS even if the server does not announce it.
    Required,
}

impl TlsMode {
    /// Returns the first mode to try, by the setting for the server and by whether there is a login.
    fn first(upgrade: TlsUpgrade, account: Option<&Account>) -> Self {
        match (upgrade, account) {
            (TlsUpgrade::Never, _) | (TlsUpgrade::Login, None) => Self::Never,
            (TlsUpgrade::Login, Some(_)) | (TlsUpgrade::Offer, _) => Self::Offered,
            (TlsUpgrade::Require, _) => Self::Required,
        }
    }
}

/// Returns true if the command may succeed over TLS, and TLS is allowed and not active yet.
fn needs_tls(error: &NntpError, server: &NewsEndpoint, connection: &NewsConnection) -> bool {
    let is_plain = !connection.security.is_encrypted();
    error.requires_tls() && is_plain && server.upgrade != TlsUpgrade::Never
}

/// Returns the permission to send a password without TLS.
async fn plain_login(
    net: &Net,
    request: &Request,
    server: &NewsEndpoint,
    account: Option<&Account>,
) -> PlainLogin {
    let is_accepted = request.plain_login == load::PlainLoginConsent::Accepted;
    if server.upgrade == TlsUpgrade::Never || is_accepted {
        return PlainLogin::Allowed;
    }
    if account.is_none() || server.is_tls {
        return PlainLogin::default();
    }
    let offer = net.tls_offer(&server.authority).await;
    offer.map_or_else(PlainLogin::default, PlainLogin::Withdrawn)
}

/// Converts an error. A dialogue whose server does not have the target is idle, and returns to the pool.
fn refused(
    net: &Net,
    server: &NewsEndpoint,
    connection: NewsConnection,
    error: NntpError,
    target: NewsTarget<'_>,
) -> Stop {
    if let NntpError::Declined(reply) = &error
        && matches!(reply.code, 411 | 420 | 423 | 430)
    {
        server.store(net, connection);
    }
    stop(error, server, target)
}

/// The outcome of a connection attempt.
enum ConnectOutcome {
    Connected(Box<NewsConnection>),
    /// The server refused STARTTLS; no other command was sent.
    TlsRefused(Reply),
}

/// Opens a new dialogue, with TLS if requested, without a login.
async fn dial(
    net: &Net,
    request: &Request,
    server: &NewsEndpoint,
    account: Option<&Account>,
    tls: TlsMode,
    target: NewsTarget<'_>,
    sink: &mut Sink,
) -> Result<ConnectOutcome, Stop> {
    let to_stop = |error| stop(error, server, target);
    let (host, port, authority) = (server.host.as_str(), server.port, &server.authority);
    let mut opening = OpenMode::WithCapabilities;
    let (dialogue, security) = loop {
        sink.phase(Phase::Connecting).await?;
        let (stream, security) = if server.is_tls {
            net.connect_tls(host, port, &request.trust).await?
        } else {
            let stream = net.connect(host, port).await?;
            (Stream::Plain(stream), Security::Plain)
        };
        sink.phase(Phase::Negotiating).await?;
        let limits = net.limits();
        let opened = NewsDialogue::open(
            stream,
            authority,
            limits,
            account.cloned(),
            opening,
            security,
        );
        match opened.await {
            Ok(dialogue) => break (dialogue, security),
            Err(NntpError::NoCapabilities(_)) => opening = OpenMode::WithoutCapabilities,
            Err(error) => return Err(to_stop(error)),
        }
    };
    if dialogue.offers_tls() {
        net.record_tls_offer(authority).await;
    }
    let wants = match tls {
        TlsMode::Never => false,
        TlsMode::Offered => dialogue.offers_tls(),
        TlsMode::Required => !security.is_encrypted(),
    };
    if !wants {
        let dialogue = dialogue.with_compression(server.compression);
        return Ok(ConnectOutcome::Connected(Box::new(NewsConnection {
            dialogue,
            security,
        })));
    }
    let stream = match dialogue.start_tls().await {
        Ok(Stream::Plain(stream)) => stream,
        Ok(Stream::Tls(_)) => {
            return Err(Failure::new(format!("{authority} speaks TLS already")).into());
        }
        Err(NntpError::Declined(reply) | NntpError::Malformed(reply)) => {
            return Ok(ConnectOutcome::TlsRefused(reply));
        }
        Err(error) => return Err(to_stop(error)),
    };
    let (stream, security) = net.start_tls(stream, host, port, &request.trust).await?;
    let dialogue =
        NewsDialogue::after_tls(stream, authority, net.limits(), account.cloned(), security);
    let dialogue = dialogue
        .await
        .map_err(to_stop)?
        .with_compression(server.compression);
    Ok(ConnectOutcome::Connected(Box::new(NewsConnection {
        dialogue,
        security,
    })))
}
