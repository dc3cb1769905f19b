//! Connections to news servers, up to the first response: that of the first command with a useful one.

use geomys_wire::net::{
    LentConnection, NetError, OfferEvidence, Quirk, RecordedOffer, Security, Stream,
};
use geomys_wire::protocol::nntp::{Account, ArticleId, NntpError, OpenMode, PlainLogin, Reply};

use super::endpoint::{NewsConnection, NewsDialogue};
use super::error::unencrypted;
use super::first_response::{FirstResponse, ask};
use super::overview::probable_window;
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
        let pooled = if is_greeting {
            None
        } else {
            self.pooled(address).await
        };
        if let Some(mut connection) = pooled
            && connection.dialogue.accepts_account(account)
        {
            connection.dialogue.set_plain_login(plain_login.clone());
            let security = connection.security;
            let mut lent = self.net.lend(&server.pool_key, connection);
            self.sink.phase(Phase::Waiting).await?;
            match self.ask_lent(&mut lent, extent).await {
                Ok(answer) => return Ok((lent, answer)),
                // Servers close idle connections; that is no error. One that requires a login over TLS is dialled
                // again with TLS.
                Err(error) if error.is_reconnectable() || self.needs_tls(&error, security) => {}
                Err(error) if self.lost_window(&mut lent, &error) => {}
                Err(error) => return Err(self.refused(lent, error)),
            }
        }
        let mut tls = TlsMode::first(server.upgrade, account);
        // The error for which commands are not sent together any more.
        let mut lost = None;
        loop {
            let dialled = match (self.dial(account, tls).await, lost.take()) {
                (Err(_), Some(error)) => return Err(self.stop(error)),
                (dialled, _) => dialled?,
            };
            let mut connection = match dialled {
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
                    self.ask_lent(&mut lent, extent).await
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
                Err(error) if self.lost_window(&mut lent, &error) => lost = Some(error),
                Err(error) => return Err(self.refused(lent, error)),
            }
        }
    }

    /// Takes a connection from the pool whose next reply is the one to this request, or on which nothing is under way.
    /// What nobody wants any more is read to its end first.
    async fn pooled(&self, address: (&str, u16)) -> Option<NewsConnection> {
        let article = match self.target {
            NewsTarget::Number(name, number) => Some(ArticleId::Number(name, *number)),
            NewsTarget::Groups(_)
            | NewsTarget::Changes(_)
            | NewsTarget::Group(_)
            | NewsTarget::Range(..)
            | NewsTarget::MessageId(_) => None,
        };
        let key = &self.server.pool_key;
        loop {
            let taken = self.net.take_returning(key, address).await;
            let mut connection: NewsConnection = taken?;
            self.apply_quirks(&mut connection.dialogue);
            if connection.dialogue.is_ready_for(article) {
                return Some(connection);
            }
            drop(self.net.lend(key, connection));
        }
    }

    /// Replaces a connection whose server lost a window by a new one, with the group selected, to go on with single
    /// commands.
    ///
    /// # Errors
    /// That of another error, and those of the new connection.
    pub(super) async fn connect_again(
        &self,
        lent: &mut LentConnection<NewsConnection>,
        error: NntpError,
    ) -> Result<(), Stop> {
        if !self.lost_window(lent, &error) {
            return Err(self.stop(error));
        }
        // The server may allow one connection only.
        lent.close();
        (*lent, _) = self.connect(RequestExtent::Existence).await?;
        Ok(())
    }

    /// Returns true if an error shows that the server loses commands that are sent together, which is recorded, so that
    /// they are sent alone from here on: after a silence for some requests, as the line may be slow. So they are if
    /// none of them was answered in time, which ends the load: nobody waits twice.
    fn lost_window(&self, lent: &mut LentConnection<NewsConnection>, error: &NntpError) -> bool {
        let connection = lent.get();
        let dialogue = connection.map(|connection| &connection.dialogue);
        let is_lost = dialogue.is_some_and(|dialogue| dialogue.has_lost_window(error));
        let (authority, quirks) = (&self.server.authority, self.net.quirks());
        if matches!(error, NntpError::Net(NetError::Timeout { .. })) {
            if is_lost || dialogue.is_some_and(|dialogue| dialogue.has_no_answer(error)) {
                quirks.suspect(authority, Quirk::LosesWindows);
            }
        } else if is_lost {
            quirks.insert(authority, Quirk::LosesWindows);
        }
        is_lost
    }

    /// Prepares a dialogue for what its server was found to do.
    fn apply_quirks(&self, dialogue: &mut NewsDialogue) {
        let (authority, quirks) = (&self.server.authority, self.net.quirks());
        dialogue.allow_windows(!quirks.holds_for_request(authority, Quirk::LosesWindows));
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

    /// Converts an error. A dialogue whose server does not have the target is in step, and returns to the pool; one
    /// whose server keeps one article back (403, 451) does so for the articles that follow it.
    fn refused(&self, mut lent: LentConnection<NewsConnection>, error: NntpError) -> Stop {
        let is_window = |it: &mut NewsConnection| it.dialogue.has_sent_ahead();
        let is_in_step = match &error {
            NntpError::Declined(reply) => match reply.code {
                411 | 420 | 423 | 430 => true,
                403 | 451 => lent.get().is_some_and(is_window),
                _ => false,
            },
            _ => false,
        };
        if is_in_step {
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
        self.apply_quirks(&mut dialogue);
        Ok(Ok(NewsConnection {
            dialogue: dialogue.with_compression(server.compression),
            security,
        }))
    }

    /// Requests the content of the target over a lent connection, or checks that it exists.
    async fn ask_lent(
        &self,
        lent: &mut LentConnection<NewsConnection>,
        extent: RequestExtent,
    ) -> Result<FirstResponse, NntpError> {
        let dialogue = match lent.get() {
            Some(connection) => &mut connection.dialogue,
            None => return Err(NntpError::UnexpectedData),
        };
        if let (NewsTarget::Number(group, number), RequestExtent::Whole) = (self.target, extent) {
            let next = &self.request.news_query.next_articles;
            let numbers: Vec<u64> = std::iter::once(number).chain(next).copied().collect();
            dialogue.send_articles_ahead(group, &numbers).await?;
        }
        let query = self.request.news_query.overview.as_ref();
        let window = match (self.target, extent, query.and_then(probable_window)) {
            (NewsTarget::Group(name), RequestExtent::Whole, Some(window)) => {
                let is_sent = dialogue.send_overview_ahead(name, window).await?;
                is_sent.then_some(window)
            }
            (_, _, _) => None,
        };
        ask(dialogue, self.target, extent, window).await
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
