//! Loading over FTP (RFC 1738, section 3.2), plain or over TLS (RFC 4217).
//!
//! A session is pooled for the next load of the same user when it is idle: after a page that came complete, after a
//! question that interrupts nothing, or after a refusal. After everything else it is closed.

mod clock;
mod command;
mod error;
mod line_ends;
mod list;
mod pattern;
mod readme;
mod receive;
mod remarks;
mod settings;
mod target;

use std::time::Duration;

use geomys_wire::net::{Net, TransferEnd};
use geomys_wire::protocol::ftp::{FtpConnection, FtpCredentials, FtpError, FtpHost, Session};
use rfc1738::{ExtensionScheme, Ftp};
use tokio::time::timeout;

use self::command::{TargetError, TargetJob, TargetOutcome};
pub(super) use self::settings::for_host;
pub use self::settings::{FtpSettings, LoginSecret, TlsUpgrade, is_server};
pub(super) use self::target::FtpTarget;
pub(super) use self::target::request_preview;
use self::target::{credentials, secret};
use super::{Phase, Request, Sink, Stop};

/// The time limit for a pooled session to answer, and for the optional parts of a page.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Lists the directory or fetches the file that the URL names.
pub(super) async fn load(
    net: &Net,
    request: &Request,
    url: Ftp<'_>,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    // A path that may not be sent is refused before connecting.
    let target = FtpTarget::of(&url)?;
    sink.phase(Phase::Connecting).await?;
    // The files of a directory are saved one after the other, without a new path for each.
    let reused = request.listed.as_ref().map(|_| &target.directories);
    let (session, context) = connect_for(net, request, &url, reused, Some(sink)).await?;
    sink.phase(Phase::Negotiating).await?;
    let mut job = TargetJob {
        net,
        request,
        session,
        target,
        is_new: context.is_new,
        ends: None,
        sink,
    };
    let ended = job.run(url.kind).await.map_err(|broken| match broken {
        TargetError::Dialogue(error) => context.stop(error),
        TargetError::Load(stop) => stop,
    })?;
    let session = job.session;
    if !matches!(ended, TargetOutcome::OutOfStep(_)) {
        context.store(net, session);
    }
    match ended {
        TargetOutcome::Complete(end) | TargetOutcome::OutOfStep(end) => Ok(end),
        TargetOutcome::Stopped(stop) => Err(stop),
    }
}

/// The context of a session: its credentials, host and pool key.
pub(super) struct SessionContext {
    credentials: FtpCredentials,
    host: FtpHost,
    key: String,
    /// True if the session is new and not from the pool.
    is_new: bool,
}

impl SessionContext {
    /// Converts a dialogue's error to the end of a load.
    pub(super) fn stop(&self, error: FtpError) -> Stop {
        error::stop(error, &self.host, &self.credentials)
    }

    /// Returns an idle session to the pool.
    pub(super) fn store(&self, net: &Net, session: Session) {
        if session.has_login_directory() {
            net.put_pooled(&self.key, session);
        }
    }
}

/// Returns a session for the URL, logged in and in its login directory: the pooled one if it still answers, else a new one.
pub(super) async fn connect(
    net: &Net,
    request: &Request,
    url: &Ftp<'_>,
) -> Result<(Session, SessionContext), Stop> {
    connect_for(net, request, url, None, None).await
}

/// Returns a session like [`connect`], or a pooled one that is in the directory `reused` already. `sink` gets the phases.
async fn connect_for(
    net: &Net,
    request: &Request,
    url: &Ftp<'_>,
    reused: Option<&Vec<Vec<u8>>>,
    sink: Option<&Sink>,
) -> Result<(Session, SessionContext), Stop> {
    let credentials = credentials(request, url);
    let host = host(request, url, &credentials);
    let mut context = SessionContext {
        key: key(&credentials, &host),
        credentials,
        host,
        is_new: false,
    };
    if let Some(session) = pooled(net, &context, reused).await {
        return Ok((session, context));
    }
    context.is_new = true;
    let connecting = FtpConnection::open(net, &context.host, &context.credentials).await;
    let connection = connecting.map_err(|error| context.stop(error))?;
    if let Some(sink) = sink {
        sink.phase(Phase::LoggingIn).await?;
    }
    let login = connection.log_in(net, request.ftp.active).await;
    let session = login.map_err(|error| context.stop(error))?;
    Ok((session, context))
}

fn host(request: &Request, url: &Ftp<'_>, credentials: &FtpCredentials) -> FtpHost {
    let is_ftps = request.url.extension_scheme() == Some(ExtensionScheme::Ftps);
    let name = url.login.address.node();
    let port = url.login.address.port();
    let secret = secret(request, credentials);
    FtpHost {
        tls_mode: request.ftp.tls_mode(is_ftps, name, port, secret),
        name: name.to_owned(),
        port,
        trust: request.trust.clone(),
    }
}

/// Returns the pool key of a session. The password is not part of it; the required security is.
fn key(credentials: &FtpCredentials, host: &FtpHost) -> String {
    let user = credentials.user.escape_ascii();
    let authority = host.authority().to_ascii_lowercase();
    format!("ftp {:?} {user}@{authority}", host.tls_mode)
}

/// Returns a pooled session that still answers: in its login directory, or in the directory `reused`.
async fn pooled(
    net: &Net,
    context: &SessionContext,
    reused: Option<&Vec<Vec<u8>>>,
) -> Option<Session> {
    let limit = net.limits().idle.min(TIME_LIMIT);
    let address = (context.host.name.as_str(), context.host.port);
    while let Some(mut session) = net.take_pooled::<Session>(&context.key, address) {
        if !session.is_for(&context.credentials) {
            continue;
        }
        if reused.is_some_and(|path| !path.is_empty() && session.is_idle_in(path)) {
            return Some(session);
        }
        if let Ok(Ok(())) = timeout(limit, session.enter_login_directory()).await {
            return Some(session);
        }
    }
    None
}
