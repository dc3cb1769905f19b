//! Loading over FTP (RFC 1738, section 3.2), plain or over TLS (RFC 4217).
//!
//! A connection is pooled for the next load of the same user when it is idle: after a page that came complete, after a
//! question that interrupts nothing, or after a refusal. After everything else it is closed. A load whose connection
//! ends at a command that is not necessary begins again on a new one, without it.

mod command;
mod lent;
mod list;
mod receive;
mod remarks;
mod settings;
mod shown;
mod target;

use std::time::Duration;

use geomys_wire::net::{NetError, Quirk, RequestNet, TransferEnd};
use geomys_wire::protocol::ftp::{
    ActiveMode, FtpConnection, FtpCredentials, FtpError, FtpHost, Login, NewFtpConnection, Reply,
};
use geomys_wire::text::Text;
use rfc1738::{ExtensionScheme, Ftp};
use suppaftp::Status;
use tokio::time::timeout;

use self::command::{TargetError, TargetJob, TargetOutcome};
use self::lent::LentFtp;
use self::target::{FtpTarget, credentials, is_anonymous, secret};
use super::words::text;
use super::{
    Failure, FailureKind, NoTlsReason, Phase, Question, Request, Sink, Stop, UnencryptedLogin,
};

pub(super) use self::command::check;
pub(super) use self::settings::for_host;
pub(super) use self::target::request_preview;

pub use self::settings::{FtpSettings, LoginSecret, TlsUpgrade};

/// The time limit for a pooled connection to answer, and for the optional parts of a page.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// The most connections of a request that end at a command that is not necessary.
const MAX_RESTARTS: usize = 8;

/// Lists the directory or fetches the file that the URL names.
pub(super) async fn load(
    net: &RequestNet,
    request: &Request,
    url: Ftp<'_>,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    let mut restarts = Restarts::default();
    loop {
        let ended = load_once(net, request, url, sink).await;
        if let Some(ended) = restarts.end(net, ended, sink.page_source.has_begun()) {
            return ended;
        }
    }
}

/// Carries out a load on one connection.
async fn load_once(
    net: &RequestNet,
    request: &Request,
    url: Ftp<'_>,
    sink: &mut Sink,
) -> Result<TransferEnd, AttemptError> {
    // A path that may not be sent is refused before connecting.
    let target = FtpTarget::of(&url)?;
    sink.phase(Phase::Connecting).await?;
    // The files of a directory are saved one after the other, without a new path for each.
    let reused = request
        .save
        .listed
        .as_ref()
        .map(|_| target.directories.clone());
    let reused = reused.as_ref();
    let (connection, context) = connect_for(net, request, &url, reused, Some(sink)).await?;
    sink.phase(Phase::Negotiating).await?;
    let is_new = context.is_new;
    let (mut lent, connection) = LentFtp::new(net, &context.key, connection).await;
    let mut job = TargetJob {
        net,
        request,
        connection,
        target,
        found: None,
        is_new,
        ends: None,
        sink,
    };
    let ended = run_as_shown(&mut job, &url).await;
    drop(job);
    // Nobody wants the rest of a reply whose receiver is closed: it is read to its end.
    let is_cancelled = matches!(
        &ended,
        Err(TargetError::Load(Stop::Closed | Stop::Truncated(_)))
    );
    let connection = if is_cancelled { None } else { lent.take() };
    let ended = ended.map_err(|broken| context.end_target(broken))?;
    if let Some(connection) = connection
        && !matches!(ended, TargetOutcome::OutOfStep(_))
    {
        context.store(net, connection);
    }
    match ended {
        TargetOutcome::Complete(end) | TargetOutcome::OutOfStep(end) => Ok(end),
        TargetOutcome::Stopped(stop) => Err(stop.into()),
    }
}

/// Runs a job; if its target is refused, also with the path that is shown so.
async fn run_as_shown(
    job: &mut TargetJob<'_>,
    url: &Ftp<'_>,
) -> Result<TargetOutcome, TargetError> {
    let failure = match job.run(url.kind).await? {
        TargetOutcome::Stopped(Stop::Failed(failure)) if !job.sink.page_source.has_begun() => {
            failure
        }
        ended => return Ok(ended),
    };
    let charset = job.request.name_hints.names_of(&job.request.url);
    let (net, connection) = (job.net, &mut job.connection);
    let found = job.target.as_shown(net, connection, &charset, &failure);
    let Some(target) = found.await? else {
        return Ok(TargetOutcome::Stopped(failure.into()));
    };
    job.found = target.url(&job.request.url, url);
    job.target = target;
    job.run(url.kind).await
}

/// The error that ends the work on one connection.
pub(super) enum AttemptError {
    /// The server did not answer a command that is not necessary.
    Unanswered {
        authority: String,
        quirk: Option<Quirk>,
        error: NetError,
    },
    Stop(Stop),
}

impl<E: Into<Stop>> From<E> for AttemptError {
    fn from(error: E) -> Self {
        Self::Stop(error.into())
    }
}

/// The connections of a request that ended at a command that is not necessary.
#[derive(Default)]
pub(super) struct Restarts {
    found: Vec<(String, Quirk)>,
    count: usize,
}

impl Restarts {
    /// Takes the end of the work on one connection. Returns the end of the request, or None if it begins again; a page
    /// that has begun does not.
    pub(super) fn end(
        &mut self,
        net: &RequestNet,
        ended: Result<TransferEnd, AttemptError>,
        has_begun: bool,
    ) -> Option<Result<TransferEnd, Stop>> {
        let stop = match ended {
            Ok(end) => return Some(Ok(end)),
            Err(AttemptError::Unanswered { error, .. })
                if has_begun || self.count >= MAX_RESTARTS =>
            {
                error.into()
            }
            Err(AttemptError::Unanswered {
                authority, quirk, ..
            }) => {
                self.count += 1;
                self.found.extend(quirk.map(|quirk| (authority, quirk)));
                return None;
            }
            Err(AttemptError::Stop(stop)) => stop,
        };
        if let Stop::Failed(Failure {
            kind: FailureKind::Transient,
            ..
        }) = &stop
        {
            // Without the command it is no better: the network broke, not the server.
            for (authority, quirk) in self.found.drain(..) {
                net.quirks().remove(&authority, quirk);
            }
        }
        Some(Err(stop))
    }
}

/// The context of a connection: its credentials, host and pool key.
pub(super) struct FtpContext {
    credentials: FtpCredentials,
    host: FtpHost,
    key: String,
    /// True if the connection is new and not from the pool.
    is_new: bool,
}

impl FtpContext {
    /// Converts a dialogue's error to the end of the work on its connection.
    pub(super) fn end(&self, error: FtpError) -> AttemptError {
        match error {
            FtpError::Unanswered { quirk, error } => AttemptError::Unanswered {
                authority: self.host.authority(),
                quirk,
                error,
            },
            error => AttemptError::Stop(stop(error, &self.host, &self.credentials)),
        }
    }

    /// Converts the end of a job to the end of the work on its connection.
    fn end_target(&self, error: TargetError) -> AttemptError {
        match error {
            TargetError::Dialogue(error) => self.end(error),
            TargetError::Load(stop) => stop.into(),
        }
    }

    /// Returns an idle connection to the pool.
    pub(super) fn store(&self, net: &RequestNet, connection: FtpConnection) {
        if connection.is_reusable() {
            net.put_pooled(&self.key, connection);
        }
    }
}

/// Returns a connection for the URL, logged in and in its login directory, or in the directory `reused`: the pooled one
/// if it still answers, else a new one. `sink` gets the phases.
async fn connect_for(
    net: &RequestNet,
    request: &Request,
    url: &Ftp<'_>,
    reused: Option<&Vec<Vec<u8>>>,
    sink: Option<&Sink>,
) -> Result<(FtpConnection, FtpContext), AttemptError> {
    let credentials = credentials(request, url);
    let host = host(request, url, &credentials);
    let mut context = FtpContext {
        key: key(&credentials, &host),
        credentials,
        host,
        is_new: false,
    };
    let active = match (request.settings.ftp.active, request.consents.active) {
        (true, _) => ActiveMode::Always,
        (false, true) => ActiveMode::Refused,
        (false, false) => ActiveMode::Asked,
    };
    if let Some(mut connection) = pooled(net, &context, reused).await {
        connection.set_active(active);
        return Ok((connection, context));
    }
    context.is_new = true;
    let connecting = NewFtpConnection::open(net, &context.host, &context.credentials).await;
    let greeted = connecting.map_err(|error| context.end(error))?;
    if let Some(sink) = sink {
        sink.phase(Phase::LoggingIn).await?;
    }
    let login = greeted.log_in(net, active).await;
    let connection = login.map_err(|error| context.end(error))?;
    Ok((connection, context))
}

fn host(request: &Request, url: &Ftp<'_>, credentials: &FtpCredentials) -> FtpHost {
    let is_ftps = request.url.extension_scheme() == Some(ExtensionScheme::Ftps);
    let name = url.login.address.node();
    let port = url.login.address.port();
    let secret = secret(request, credentials);
    FtpHost {
        tls_mode: request.settings.ftp.tls_mode(is_ftps, name, port, secret),
        name: name.to_owned(),
        port,
        trust: request.trust.clone(),
    }
}

/// Returns the pool key of a connection. The password is not part of it; the required security is.
fn key(credentials: &FtpCredentials, host: &FtpHost) -> String {
    let user = credentials.user.escape_ascii();
    let authority = host.authority().to_ascii_lowercase();
    format!("ftp {:?} {user}@{authority}", host.tls_mode)
}

/// Returns a pooled connection that still answers: in its login directory, or in the directory `reused`.
async fn pooled(
    net: &RequestNet,
    context: &FtpContext,
    reused: Option<&Vec<Vec<u8>>>,
) -> Option<FtpConnection> {
    let limit = net.limits().idle.min(TIME_LIMIT);
    let address = (context.host.name.as_str(), context.host.port);
    let take = || net.take_returning::<FtpConnection>(&context.key, address);
    while let Some(mut connection) = take().await {
        // A server may have closed it, or told the end of a transfer twice.
        if !connection.is_for(&context.credentials) || !connection.is_quiet() {
            continue;
        }
        if reused.is_some_and(|path| !path.is_empty() && connection.is_idle_in(path)) {
            return Some(connection);
        }
        if let Ok(Ok(())) = timeout(limit, connection.enter_login_directory()).await {
            return Some(connection);
        }
    }
    None
}

/// Returns the failure for a reply, with its words.
fn failure(sentence: String, reply: &Reply) -> Failure {
    Failure::new(sentence)
        .with_kind(kind(reply))
        .with_words(reply.lines().map(text))
}

/// Returns the failure for a refused target.
fn refused(authority: &str, title: &Text, reply: &Reply) -> Failure {
    let sentence = if reply.status() == Status::FileUnavailable {
        format!("{authority} has no {title}, or refuses access")
    } else {
        format!("{authority} refused {title}")
    };
    failure(sentence, reply).with_advice("look in the directory above (u)")
}

/// Returns the kind of failure of a reply (RFC 959, section 4.2.2). Transient is: the data connection broke.
fn kind(reply: &Reply) -> FailureKind {
    match reply.code() {
        _ if reply.is_busy() => FailureKind::Busy,
        426 => FailureKind::Transient,
        451 => FailureKind::ServerError,
        _ => FailureKind::Permanent,
    }
}

/// Converts a dialogue's error to the end of a load.
fn stop(error: FtpError, host: &FtpHost, credentials: &FtpCredentials) -> Stop {
    let is_anonymous = is_anonymous(&credentials.user);
    let user = text(&credentials.user).to_string();
    let (authority, host) = (host.authority(), host.name.clone());
    let last = |reply: &Reply| reply.lines().last().map(text);
    match error {
        FtpError::ActiveMode { .. } => Stop::Needs(Question::ActiveMode { authority }),
        FtpError::Net(error) | FtpError::Unanswered { error, .. } => error.into(),
        FtpError::Certificate(cert_error) => Stop::Needs(Question::Certificate(cert_error)),
        FtpError::Password { refusal, .. } if is_anonymous => {
            let said = refusal.as_ref().and_then(last);
            Stop::Needs(Question::Login { host, said })
        }
        FtpError::Password { refusal, security } => Stop::Needs(Question::Password {
            user,
            host,
            said: refusal.as_ref().and_then(last),
            security,
        }),
        FtpError::UserRefused { reply } if is_anonymous => {
            let said = last(&reply);
            Stop::Needs(Question::Login { host, said })
        }
        FtpError::UserRefused { reply } => {
            failure(format!("{authority} refused the login of {user}"), &reply)
                .with_advice("it may require TLS: use ftps://, or tls in [ftp] of settings.toml")
                .into()
        }
        FtpError::Account { reply, security } => Stop::Needs(Question::Account {
            user,
            host,
            said: last(&reply),
            security,
        }),
        FtpError::Withdrawn { offer, reply } => {
            Stop::Needs(Question::Unencrypted(UnencryptedLogin {
                authority,
                host,
                table: "ftp",
                reason: NoTlsReason::Withdrawn(offer),
                said: last(&reply),
            }))
        }
        FtpError::Refused { problem, reply } => {
            failure(format!("{authority} {problem}"), &reply).into()
        }
        FtpError::Insecure {
            problem,
            reply,
            login,
        } => {
            let end = match login {
                Login::NotYet => "so no login was sent",
                Login::Done => "so the connection was closed after the login",
            };
            failure(format!("{authority} {problem}, {end}"), &reply)
                .with_advice(
                    "\"never\" for this host under [ftp.tls-by-host] in settings.toml connects without TLS, by ftp://",
                )
                .into()
        }
        FtpError::Malformed { authority, line } => {
            Failure::new(format!("{authority} did not answer as an FTP server"))
                .with_words([text(&line)])
                .with_advice("another protocol may use that port")
                .into()
        }
        FtpError::TooLong { .. } => Failure::new(error.to_string()).into(),
    }
}
