//! Connections to news servers, up to the first response: that of the first command with a useful one.

use geomys_wire::net::{LentConnection, OfferEvidence, RecordedOffer, Security, Stream};
use geomys_wire::protocol::nntp::{
    Account, ArticleId, List, NntpError, OpenMode, PlainLogin, Reply, ServerDate, WaterMarks,
    patterns,
};

use super::endpoint::{NewsConnection, NewsDialogue};
use super::error::unencrypted;
use super::settings::ChangesQuery;
use super::target::NewsJob;
use super::target::{NewsTarget, RequestExtent};
use crate::{Failure, NoTlsReason, Phase, PlainLoginConsent, Stop, TlsUpgrade};

impl NewsJob<'_> {
    /// Returns a dialogue and its first response: the pooled dialogue if it is still alive, else a new one.
    pub(super) async fn connect(
        &self,
        extent: RequestExtent,
    ) -> Result<(LentConnection<NewsConnection>, FirstResponse), Stop> {
        let (server, target) = (self.server, self.target);
        let login = self.request.login.as_ref();
        let account = login.map(|login| Account {
            user: login.user.clone(),
            password: login.password.clone().unwrap_or_default(),
        });
        let account = account.as_ref();
        let mut plain_login = self.plain_login(account).await;
        // When only the greeting is needed no command is sent, so the connection has to be new.
        let is_greeting =
            extent == RequestExtent::Existence && matches!(target, NewsTarget::Groups(_));
        let address = (server.host.as_str(), server.port);
        let pooled: Option<NewsConnection> = if is_greeting {
            None
        } else {
            self.net.take_returning(&server.pool_key, address).await
        };
        if let Some(mut connection) = pooled
            && connection.dialogue.accepts_account(account)
        {
            connection.dialogue.set_plain_login(plain_login.clone());
            let security = connection.security;
            let mut lent = self.net.lend(&server.pool_key, connection);
            self.sink.phase(Phase::Waiting).await?;
            match ask_lent(&mut lent, target, extent).await {
                Ok(answer) => return Ok((lent, answer)),
                // Servers close idle connections; that is no error. One that requires a login over TLS is dialled
                // again with TLS.
                Err(error) if error.is_reconnectable() || self.needs_tls(&error, security) => {}
                Err(error) => return Err(self.refused(lent, error)),
            }
        }
        let mut tls = TlsMode::first(server.upgrade, account);
        loop {
            let mut connection = match self.dial(account, tls).await? {
                Ok(connection) => connection,
                Err(reply) if tls == TlsMode::Required => {
                    return Err(self.stop(NntpError::NoTls(reply)));
                }
                Err(reply) => {
                    if self.retracts(&reply).await {
                        plain_login = PlainLogin::Allowed;
                    }
                    if account.is_some() && plain_login != PlainLogin::Allowed {
                        return Err(unencrypted(server, NoTlsReason::Refused, Some(&reply)));
                    }
                    tls = TlsMode::Refused;
                    continue;
                }
            };
            connection.dialogue.set_plain_login(plain_login.clone());
            let login = connection.dialogue.log_in_early().await;
            let security = connection.security;
            let mut lent = self.net.lend(&server.pool_key, connection);
            let answer = match login {
                Ok(()) => {
                    self.sink.phase(Phase::Waiting).await?;
                    ask_lent(&mut lent, target, extent).await
                }
                Err(error) => Err(error),
            };
            match answer {
                Ok(answer) => return Ok((lent, answer)),
                Err(error) if self.needs_tls(&error, security) && tls != TlsMode::Required => {
                    tls = match (error, tls) {
                        (NntpError::InsecureLogin, TlsMode::Never | TlsMode::Refused) => {
                            TlsMode::Offered
                        }
                        (_, _) => TlsMode::Required,
                    };
                }
                Err(error) => return Err(self.refused(lent, error)),
            }
        }
    }

    /// Returns true if the command may succeed over TLS, and TLS is allowed and not active yet.
    fn needs_tls(&self, error: &NntpError, security: Security) -> bool {
        let is_plain = !security.is_encrypted();
        error.requires_tls() && is_plain && self.server.upgrade != TlsUpgrade::Never
    }

    /// Returns the permission to send a password without TLS.
    async fn plain_login(&self, account: Option<&Account>) -> PlainLogin {
        let is_accepted = self.request.consents.plain_login == PlainLoginConsent::Accepted;
        if self.server.upgrade == TlsUpgrade::Never || is_accepted {
            return PlainLogin::Allowed;
        }
        if account.is_none() || self.server.is_tls {
            return PlainLogin::default();
        }
        let offer = self.net.tls_offer(&self.server.authority).await;
        offer.map_or_else(PlainLogin::default, |it| PlainLogin::Withdrawn(it.offer))
    }

    /// Returns true if a server that announces STARTTLS does not have it, as its reply says, and never accepted it:
    /// then the announcement is a mistake of the server.
    async fn retracts(&self, reply: &Reply) -> bool {
        let authority = &self.server.authority;
        let was_accepted = |it: RecordedOffer| it.evidence == OfferEvidence::Accepted;
        if !matches!(reply.code, 500 | 502 | 503)
            || self
                .net
                .tls_offer(authority)
                .await
                .is_some_and(was_accepted)
        {
            return false;
        }
        self.net.retract_tls_announcement(authority).await;
        true
    }

    /// Converts an error. A dialogue whose server does not have the target is idle, and returns to the pool.
    fn refused(&self, lent: LentConnection<NewsConnection>, error: NntpError) -> Stop {
        if let NntpError::Declined(reply) = &error
            && matches!(reply.code, 411 | 420 | 423 | 430)
        {
            lent.store();
        }
        self.stop(error)
    }

    /// Opens a new dialogue, with TLS if requested, without a login. The inner error is the reply of a server that
    /// refused STARTTLS; no other command was sent then.
    async fn dial(
        &self,
        account: Option<&Account>,
        tls: TlsMode,
    ) -> Result<Result<NewsConnection, Reply>, Stop> {
        let (net, server, trust) = (self.net, self.server, &self.request.trust);
        let (host, port, authority) = (server.host.as_str(), server.port, &server.authority);
        let limits = net.limits();
        let mut opening = OpenMode::WithCapabilities;
        let (mut dialogue, mut security) = loop {
            self.sink.phase(Phase::Connecting).await?;
            let (stream, security) = if server.is_tls {
                net.connect_tls(host, port, trust).await?
            } else {
                let stream = net.connect(host, port).await?;
                (Stream::from(stream), Security::Plain)
            };
            self.sink.phase(Phase::Negotiating).await?;
            let account = account.cloned();
            let opened = NewsDialogue::open(stream, authority, limits, account, opening, security);
            match opened.await {
                Ok(dialogue) => break (dialogue, security),
                Err(NntpError::NoCapabilities(_)) => opening = OpenMode::WithoutCapabilities,
                Err(error) => return Err(self.stop(error)),
            }
        };
        if dialogue.offers_tls() && tls != TlsMode::Refused {
            net.record_tls_announcement(authority).await;
        }
        let wants_tls = match tls {
            TlsMode::Never | TlsMode::Refused => false,
            TlsMode::Offered => dialogue.offers_tls(),
            TlsMode::Required => !security.is_encrypted(),
        };
        if wants_tls {
            let stream = match dialogue.start_tls().await.map(Stream::into_plain) {
                Ok(Some(stream)) => stream,
                Ok(None) => {
                    return Err(Failure::new(format!("{authority} speaks TLS already")).into());
                }
                Err(NntpError::Declined(reply) | NntpError::Malformed(reply)) => {
                    return Ok(Err(reply));
                }
                Err(error) => return Err(self.stop(error)),
            };
            net.record_tls_offer(authority).await;
            let (stream, encrypted) = net.start_tls(stream, host, port, trust).await?;
            security = encrypted;
            let account = account.cloned();
            let opened = NewsDialogue::after_tls(stream, authority, limits, account, security);
            dialogue = opened.await.map_err(|error| self.stop(error))?;
        }
        Ok(Ok(NewsConnection {
            dialogue: dialogue.with_compression(server.compression),
            security,
        }))
    }
}

/// The use of STARTTLS in a new dialogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TlsMode {
    /// No STARTTLS.
    Never,
    /// No STARTTLS: the server announces it, and has refused it.
    Refused,
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

/// The first response of the server.
#[derive(Clone, Copy, Debug)]
pub(super) enum FirstResponse {
    /// The target exists, and nothing else was requested.
    Exists,
    /// An article follows.
    Article,
    /// A list of groups follows; with the server's time before it, if that is useful and the server reported it.
    Groups(Option<ServerDate>),
    /// Counts of groups: true if the list of the first ones follows, false if the server does not list them.
    Counts(bool),
    /// A group was selected.
    Group(WaterMarks),
}

/// Requests the content of the target over a lent connection, or checks that it exists.
async fn ask_lent(
    lent: &mut LentConnection<NewsConnection>,
    target: &NewsTarget<'_>,
    extent: RequestExtent,
) -> Result<FirstResponse, NntpError> {
    match lent.get() {
        Some(connection) => ask(&mut connection.dialogue, target, extent).await,
        None => Err(NntpError::UnexpectedData),
    }
}

/// Requests the content of the target, or checks that it exists.
async fn ask(
    dialogue: &mut NewsDialogue,
    target: &NewsTarget<'_>,
    extent: RequestExtent,
) -> Result<FirstResponse, NntpError> {
    match target {
        // The greeting has arrived, which is enough.
        NewsTarget::Groups(_) | NewsTarget::Changes(_) if extent == RequestExtent::Existence => {
            Ok(FirstResponse::Exists)
        }
        NewsTarget::Groups(pattern) => {
            if pattern.is_none() {
                let list = if dialogue.has_counts() {
                    b"LIST COUNTS".as_slice()
                } else {
                    b"LIST ACTIVE"
                };
                let window = [b"DATE".as_slice(), list, b"LIST NEWSGROUPS"];
                dialogue.send_ahead(&window).await?;
            }
            // Requested before the list, so that changes during the transfer are reported the next time.
            let list_date = match pattern {
                None => dialogue.date().await?,
                Some(_) => None,
            };
            count(dialogue, pattern.as_deref()).await?;
            Ok(FirstResponse::Groups(list_date))
        }
        NewsTarget::Changes(since) => {
            let Some(date) = &since.date else {
                return Ok(FirstResponse::Counts(first_counts(dialogue, since).await?));
            };
            let list_date = dialogue.date().await?;
            dialogue.new_groups(date).await?;
            Ok(FirstResponse::Groups(list_date))
        }
        NewsTarget::Group(name) | NewsTarget::Range(name, ..) => {
            let marks = dialogue.group(name).await?;
            Ok(match extent {
                RequestExtent::Whole => FirstResponse::Group(marks),
                RequestExtent::Existence => FirstResponse::Exists,
            })
        }
        NewsTarget::Number(name, number) => {
            article(dialogue, ArticleId::Number(name, *number), extent).await
        }
        NewsTarget::MessageId(id) => article(dialogue, ArticleId::MessageId(id), extent).await,
    }
}

/// Requests the counts of the first groups. Returns false if the server does not list them by a pattern.
async fn first_counts(
    dialogue: &mut NewsDialogue,
    query: &ChangesQuery,
) -> Result<bool, NntpError> {
    let patterns = patterns(query.subscribed.iter().map(Vec::as_slice));
    let Some(first) = patterns.first() else {
        return Ok(false);
    };
    match count(dialogue, Some(first)).await {
        Ok(()) => Ok(true),
        Err(NntpError::Declined(reply)) if matches!(reply.code, 500..=503) => Ok(false),
        Err(error) => Err(error),
    }
}

async fn article(
    dialogue: &mut NewsDialogue,
    id: ArticleId<'_>,
    extent: RequestExtent,
) -> Result<FirstResponse, NntpError> {
    match extent {
        RequestExtent::Existence => {
            dialogue.stat(id).await?;
            Ok(FirstResponse::Exists)
        }
        RequestExtent::Whole => {
            dialogue.article(id).await?;
            Ok(FirstResponse::Article)
        }
    }
}

/// Requests a list of groups, with their counts if the server supports them.
pub(super) async fn count(
    dialogue: &mut NewsDialogue,
    pattern: Option<&[u8]>,
) -> Result<(), NntpError> {
    if dialogue.has_counts() {
        match dialogue.list(List::Counts, pattern).await {
            Err(NntpError::Declined(_)) => {}
            done => return done,
        }
    }
    dialogue.list(List::Active, pattern).await
}
