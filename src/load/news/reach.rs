//! A news server, and the way to a dialogue with it that has answered.

use std::fmt;

use super::stop::{stop, unencrypted};
use super::ways::{NNTP, NNTPS, NewsHost, NewsServer, NewsWays};
use super::{Answer, Extent, Wanted, ask};
use crate::load::protocol_parts::protocol_parts;
use crate::load::{self, Failure, NoTls, Phase, Request, Sink, Stop, Upgrade};
use crate::net::{Net, Security, Stream, place};
use crate::protocol::nntp::{self, Account, Compression, NntpError, Opening, PlainLogin, Reply};
use crate::url::{Later, Url};

/// A conversation over a connection of either kind.
pub(super) type Dialogue = nntp::Dialogue<Stream>;

/// A conversation, and how safe it is.
pub(super) struct Talk {
    pub(super) dialogue: Dialogue,
    pub(super) security: Security,
}

/// A server, as it is connected to, named in sentences, and kept.
pub(super) struct Server {
    pub(super) host: String,
    port: u16,
    /// TLS is spoken before the greeting.
    is_sealed: bool,
    pub(super) place: String,
    /// What is done about TLS after it.
    upgrade: Upgrade,
    compression: Compression,
    kept: String,
    /// It is another than the one that was asked for.
    pub(super) is_other: bool,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Server").field(&self.kept).finish()
    }
}

impl Server {
    pub(super) fn new(request: &Request, named: NewsHost) -> Self {
        let upgrade = request.news.upgrade(&named.host);
        let compression = request.news.compression(&named.host);
        let NewsHost {
            host,
            port,
            is_sealed,
        } = named;
        Self::at(host, port, is_sealed, upgrade, compression, false)
    }

    /// One of those that are set.
    pub(super) fn named(server: &NewsServer, ways: &NewsWays) -> Self {
        let host = server.host.clone();
        let compression = ways.compression(&host);
        let (port, is_sealed) = (server.port, server.is_sealed);
        Self::at(host, port, is_sealed, server.upgrade, compression, true)
    }

    fn at(
        host: String,
        port: u16,
        is_sealed: bool,
        upgrade: Upgrade,
        compression: Compression,
        is_other: bool,
    ) -> Self {
        let place = place(&host, port);
        Self {
            kept: format!(
                "nntp {is_sealed} {upgrade:?} {compression:?} {}",
                place.to_ascii_lowercase()
            ),
            host,
            port,
            is_sealed,
            place,
            upgrade,
            compression,
            is_other,
        }
    }

    /// Whether it is this one of those that are set.
    pub(super) fn is(&self, server: &NewsServer) -> bool {
        self.host.eq_ignore_ascii_case(&server.host) && self.port == server.port
    }

    /// The URL of an article as it has it (RFC 5538, section 2).
    pub(super) fn article(&self, id: &[u8]) -> Option<Url> {
        let anywhere = Url::news_article(id).ok()?;
        self.url(anywhere.as_str().strip_prefix("news:")?)
    }

    /// The URL of a list of its groups: those that fit a pattern, as URLs write it.
    pub(super) fn groups(&self, pattern: &str) -> Option<Url> {
        self.url(pattern)
    }

    /// The URL of what a `news:` URL names, on this server.
    fn url(&self, part: &str) -> Option<Url> {
        let (scheme, default) = if self.is_sealed {
            ("snews", NNTPS)
        } else {
            ("news", NNTP)
        };
        let place = if self.port == default {
            place(&self.host, NNTP)
                .strip_suffix(&format!(":{NNTP}"))?
                .to_owned()
        } else {
            self.place.clone()
        };
        Url::accept(&format!("{scheme}://{place}/{part}")).ok()
    }

    /// The URL of a group of it: numbers of articles mean something on their server only.
    pub(super) fn group(&self, name: &[u8]) -> Option<Url> {
        let group = if self.is_sealed {
            Url::nntps(&self.host, self.port, name)
        } else {
            Url::nntp(&self.host, self.port, name, None)
        };
        group.ok()
    }

    /// The URL of articles in a group of it, by their numbers.
    pub(super) fn part_of_group(&self, name: &[u8], numbers: &str) -> Option<Url> {
        let group = self.group(name)?;
        Url::accept(&format!("{group}/{numbers}")).ok()
    }

    /// Keeps a conversation that is at rest.
    pub(super) fn keep(&self, net: &Net, talk: Talk) {
        net.keep(&self.kept, talk);
    }
}

/// The server that a request for news goes to.
pub(in crate::load) fn server(request: &Request) -> Option<NewsHost> {
    news_host(&request.url, request.news_server.as_ref())
}

/// The server that a URL of news leads to: its own, or the one that is set. Nothing where none is.
pub fn news_host(url: &Url, set: Option<&NewsHost>) -> Option<NewsHost> {
    let is_sealed = matches!(url.later(), Some(Later::Nntps | Later::Snews));
    let default = if is_sealed { NNTPS } else { NNTP };
    if let Some(address) = protocol_parts(url).address() {
        return Some(NewsHost {
            host: address.node().to_owned(),
            port: address.port().unwrap_or(default),
            is_sealed,
        });
    }
    let set = set?.clone();
    Some(NewsHost {
        // The port that is set is that of the other way to speak, unless it is one of its own.
        port: if set.port == NNTP && !set.is_sealed {
            default
        } else {
            set.port
        },
        is_sealed: is_sealed || set.is_sealed,
        ..set
    })
}

/// A dialogue that has answered: the kept one, if it is still there, else a new one.
pub(super) async fn reach(
    net: &Net,
    request: &Request,
    server: &Server,
    (wanted, extent): (Wanted<'_>, Extent),
    sink: &mut Sink,
) -> Result<(Talk, Answer), Stop> {
    let account = request.login.as_ref().map(|login| Account {
        user: login.user.clone(),
        password: login.password.clone().unwrap_or_default(),
    });
    let plain_login = plain_login(net, request, server, account.as_ref()).await;
    // Nothing is asked where only the greeting counts, so that has to be a new one.
    let is_greeting = extent == Extent::Existence && matches!(wanted, Wanted::Groups(_));
    let kept: Option<Talk> = (!is_greeting).then(|| net.take(&server.kept)).flatten();
    if let Some(mut talk) = kept
        && talk.dialogue.serves(account.as_ref())
    {
        talk.dialogue.set_plain_login(plain_login.clone());
        sink.phase(Phase::Waiting).await?;
        match ask(&mut talk.dialogue, (wanted, extent)).await {
            Ok(answer) => return Ok((talk, answer)),
            // Servers close what is quiet for too long; that is nobody's business. One that wants a password over TLS
            // is dialled again for that.
            Err(error) if error.is_gone() || wants_tls(&error, server, &talk) => {}
            Err(error) => return Err(refused(net, server, talk, error, wanted)),
        }
    }
    let mut tls = Tls::first(server.upgrade, account.as_ref());
    loop {
        let dialled = dial(net, request, server, account.as_ref(), tls, wanted, sink).await?;
        let mut talk = match dialled {
            Dialled::Talk(talk) => *talk,
            Dialled::TlsRefused(reply) if tls == Tls::Required => {
                return Err(stop(NntpError::NoTls(reply), server, wanted));
            }
            Dialled::TlsRefused(reply)
                if account.is_some() && plain_login != PlainLogin::Allowed =>
            {
                return Err(unencrypted(server, NoTls::Refused, Some(&reply)));
            }
            Dialled::TlsRefused(_) => {
                tls = Tls::Never;
                continue;
            }
        };
        talk.dialogue.set_plain_login(plain_login.clone());
        let answer = match talk.dialogue.introduce().await {
            Ok(()) => {
                sink.phase(Phase::Waiting).await?;
                ask(&mut talk.dialogue, (wanted, extent)).await
            }
            Err(error) => Err(error),
        };
        match answer {
            Ok(answer) => return Ok((talk, answer)),
            Err(error) if wants_tls(&error, server, &talk) && tls != Tls::Required => {
                tls = match (error, tls) {
                    (NntpError::InClear, Tls::Never) => Tls::Offered,
                    (_, _) => Tls::Required,
                };
            }
            Err(error) => return Err(refused(net, server, talk, error, wanted)),
        }
    }
}

/// Whether a new dialogue begins TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tls {
    /// Not at all.
    Never,
    /// Where the server announces it.
    Offered,
    /// Whatever the server announces.
    Required,
}

impl Tls {
    /// What is set for a server, where `account` may log in.
    fn first(upgrade: Upgrade, account: Option<&Account>) -> Self {
        match (upgrade, account) {
            (Upgrade::Never, _) | (Upgrade::Login, None) => Self::Never,
            (Upgrade::Login, Some(_)) | (Upgrade::Offer, _) => Self::Offered,
            (Upgrade::Require, _) => Self::Required,
        }
    }
}

/// Whether the same may be done over TLS, where that is allowed and not there yet.
fn wants_tls(error: &NntpError, server: &Server, talk: &Talk) -> bool {
    let is_plain = !talk.security.is_encrypted();
    error.wants_tls() && is_plain && server.upgrade != Upgrade::Never
}

/// Whether a password may go to a server without TLS.
async fn plain_login(
    net: &Net,
    request: &Request,
    server: &Server,
    account: Option<&Account>,
) -> PlainLogin {
    let is_accepted = request.plain_login == load::PlainLogin::Accepted;
    if server.upgrade == Upgrade::Never || is_accepted {
        return PlainLogin::Allowed;
    }
    if account.is_none() || server.is_sealed {
        return PlainLogin::default();
    }
    let offer = net.tls_offer(&server.place).await;
    offer.map_or_else(PlainLogin::default, PlainLogin::Withdrawn)
}

/// Why nothing came. A dialogue whose server has not what was asked for is at rest, and serves for what is asked next.
fn refused(net: &Net, server: &Server, talk: Talk, error: NntpError, wanted: Wanted<'_>) -> Stop {
    if let NntpError::Declined(reply) = &error
        && matches!(reply.code, 411 | 420 | 423 | 430)
    {
        server.keep(net, talk);
    }
    stop(error, server, wanted)
}

/// The outcome of a connection attempt.
enum Dialled {
    Talk(Box<Talk>),
    /// The server did not begin TLS; nothing was asked.
    TlsRefused(Reply),
}

/// A new dialogue, over TLS where that is wanted; nobody has logged in.
async fn dial(
    net: &Net,
    request: &Request,
    server: &Server,
    account: Option<&Account>,
    tls: Tls,
    wanted: Wanted<'_>,
    sink: &mut Sink,
) -> Result<Dialled, Stop> {
    let told = |error| stop(error, server, wanted);
    let (host, port, place) = (server.host.as_str(), server.port, &server.place);
    let mut opening = Opening::Modern;
    let (dialogue, security) = loop {
        sink.phase(Phase::Connecting).await?;
        let (stream, security) = if server.is_sealed {
            net.connect_tls(host, port, &request.trust).await?
        } else {
            let stream = net.connect(host, port).await?;
            (Stream::Plain(stream), Security::Plain)
        };
        sink.phase(Phase::Asking).await?;
        let limits = net.limits();
        let opened = Dialogue::open(stream, place, limits, account.cloned(), opening, security);
        match opened.await {
            Ok(dialogue) => break (dialogue, security),
            Err(NntpError::Deaf(_)) => opening = Opening::Plain,
            Err(error) => return Err(told(error)),
        }
    };
    if dialogue.offers_tls() {
        net.note_tls_offer(place).await;
    }
    let wants = match tls {
        Tls::Never => false,
        Tls::Offered => dialogue.offers_tls(),
        Tls::Required => !security.is_encrypted(),
    };
    if !wants {
        let dialogue = dialogue.compressing(server.compression);
        return Ok(Dialled::Talk(Box::new(Talk { dialogue, security })));
    }
    let stream = match dialogue.start_tls().await {
        Ok(Stream::Plain(stream)) => stream,
        Ok(Stream::Tls(_)) => {
            return Err(Failure::new(format!("{place} speaks TLS already")).into());
        }
        Err(NntpError::Declined(reply) | NntpError::Odd(reply)) => {
            return Ok(Dialled::TlsRefused(reply));
        }
        Err(error) => return Err(told(error)),
    };
    let (stream, security) = net.secure(stream, host, port, &request.trust).await?;
    let dialogue = Dialogue::sealed(stream, place, net.limits(), account.cloned(), security);
    let dialogue = dialogue
        .await
        .map_err(told)?
        .compressing(server.compression);
    Ok(Dialled::Talk(Box::new(Talk { dialogue, security })))
}
