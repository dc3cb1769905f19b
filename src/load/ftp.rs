//! Loading over FTP (RFC 1738, section 3.2), plain or over TLS (RFC 4217).
//!
//! A session is kept for the next load of the same user while it is at rest: after a page that came whole, a question
//! that interrupts nothing, a refusal. Everything else drops it.

mod beside;
mod clock;
mod command;
mod lines;
mod list;
mod readme;
mod target;
mod ways;

use std::time::Duration;

use tokio::time::timeout;

use self::command::{Broken, Ended, Visit};
pub(super) use self::target::FtpTarget;
pub(super) use self::target::sends;
use self::target::{is_anonymous, secret, shown, visitor};
pub use self::ways::{FtpWays, Secret, Upgrade};
use super::{Failure, FailureKind, NoTls, Phase, Question, Request, Sink, Stop, Unencrypted};
use crate::net::Net;
use crate::protocol::ftp::{FtpError, Host, Login, Reply, Session, Visitor};
use crate::text::{Charset, Text};
use crate::url::{Ftp, Later};

/// How long a kept session may take to show that it is alive, and a server to give what a page can do without.
const PATIENCE: Duration = Duration::from_secs(5);

/// Finds out what the URL names, and lists or fetches it.
pub(super) async fn load(
    net: &Net,
    request: &Request,
    url: Ftp<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    // What may not be sent is refused before anything is dialled.
    let target = FtpTarget::of(&url)?;
    sink.phase(Phase::Connecting).await?;
    let (session, way) = reach(net, request, &url).await?;
    sink.phase(Phase::Asking).await?;
    let mut visit = Visit {
        net,
        request,
        session,
        target,
        is_new: way.is_new,
        ends: None,
        sink,
    };
    let ended = visit.run(url.kind).await.map_err(|broken| match broken {
        Broken::Dialogue(error) => way.stop(error),
        Broken::Load(stop) => stop,
    })?;
    let session = visit.session;
    if !matches!(ended, Ended::OutOfStep) {
        way.keep(net, session);
    }
    match ended {
        Ended::Whole | Ended::OutOfStep => Ok(()),
        Ended::Asks(question) => Err(Stop::Needs(question)),
        Ended::Refused(failure) => Err(Stop::Failed(failure)),
    }
}

/// How a session was come by, and where it is kept.
pub(super) struct Way {
    visitor: Visitor,
    host: Host,
    key: String,
    /// It was opened now, and not kept from before.
    is_new: bool,
}

impl Way {
    /// A dialogue's error as a load's end.
    pub(super) fn stop(&self, error: FtpError) -> Stop {
        stop(error, &self.host, &self.visitor)
    }

    /// Keeps a session that is at rest.
    pub(super) fn keep(&self, net: &Net, session: Session) {
        if session.has_home() {
            net.keep(&self.key, session);
        }
    }
}

/// A session with whoever the URL names, logged in: the kept one, if it still answers, else a new one.
pub(super) async fn reach(
    net: &Net,
    request: &Request,
    url: &Ftp<'_>,
) -> Result<(Session, Way), Stop> {
    let visitor = visitor(request, url);
    let host = host(request, url, &visitor);
    let mut way = Way {
        key: key(&visitor, &host),
        visitor,
        host,
        is_new: false,
    };
    if let Some(session) = kept(net, &way.key, &way.visitor).await {
        return Ok((session, way));
    }
    way.is_new = true;
    let opening = Session::open(net, &way.host, &way.visitor, request.ftp.active).await;
    let session = opening.map_err(|error| way.stop(error))?;
    Ok((session, way))
}

fn host(request: &Request, url: &Ftp<'_>, visitor: &Visitor) -> Host {
    let is_ftps = request.url.later() == Some(Later::Ftps);
    let name = url.login.address.node();
    let default = if is_ftps { ways::FTPS } else { 21 };
    let port = url.login.address.port().unwrap_or(default);
    Host {
        safety: request
            .ftp
            .safety(is_ftps, name, port, secret(request, visitor)),
        name: name.to_owned(),
        port,
        trust: request.trust.clone(),
    }
}

/// Where a session is kept. The password is no part of it; how safe it has to be is.
fn key(visitor: &Visitor, host: &Host) -> String {
    let user = visitor.user.escape_ascii();
    let place = host.place().to_ascii_lowercase();
    format!("ftp {:?} {user}@{place}", host.safety)
}

/// A kept session that still answers, back in its login directory.
async fn kept(net: &Net, key: &str, visitor: &Visitor) -> Option<Session> {
    let patience = net.limits().idle.min(PATIENCE);
    while let Some(mut session) = net.take::<Session>(key) {
        if !session.is_for(visitor) {
            continue;
        }
        if let Ok(Ok(())) = timeout(patience, session.go_home()).await {
            return Some(session);
        }
    }
    None
}

fn failure(sentence: String, reply: Option<&Reply>) -> Failure {
    Failure {
        said: reply.map(words).unwrap_or_default(),
        kind: reply.map_or(FailureKind::Permanent, kind),
        ..Failure::new(sentence)
    }
}

/// Whether a server that says so may do better another time (RFC 959, section 4.2.2): it goes, or the data connection
/// did not come about or broke, or the file is busy, or there was an error of its own.
fn kind(reply: &Reply) -> FailureKind {
    match reply.code() {
        421 | 425 | 426 | 450 | 451 => FailureKind::Transient,
        _ => FailureKind::Permanent,
    }
}

fn words(reply: &Reply) -> Vec<Text> {
    reply
        .lines()
        .map(|line| Text::new(line, Charset::default()))
        .collect()
}

fn stop(error: FtpError, host: &Host, visitor: &Visitor) -> Stop {
    let place = host.place();
    let user = shown(&visitor.user);
    let last = |reply: &Reply| words(reply).pop();
    match error {
        FtpError::Net(error) => error.into(),
        FtpError::Doubt(doubt) => Stop::Needs(Question::Certificate(doubt)),
        FtpError::Password { said, .. } if is_anonymous(&visitor.user) => {
            Stop::Needs(Question::Login {
                host: host.name.clone(),
                said: said.as_ref().and_then(last),
            })
        }
        FtpError::Password { said, security } => Stop::Needs(Question::Password {
            user,
            host: host.name.clone(),
            said: said.as_ref().and_then(last),
            security,
        }),
        FtpError::Unwanted { reply } if is_anonymous(&visitor.user) => {
            Stop::Needs(Question::Login {
                host: host.name.clone(),
                said: last(&reply),
            })
        }
        FtpError::Unwanted { reply } => Stop::Failed(Failure {
            advice: Some(
                "it may let people in over TLS alone: ftps://, or tls in [ftp] of settings.toml",
            ),
            ..failure(format!("{place} does not let {user} in"), Some(&reply))
        }),
        FtpError::Account { reply, security } => Stop::Needs(Question::Account {
            user,
            host: host.name.clone(),
            said: last(&reply),
            security,
        }),
        FtpError::Withdrawn { offer, reply } => Stop::Needs(Question::Unencrypted(Unencrypted {
            place,
            host: host.name.clone(),
            table: "ftp",
            why: NoTls::Withdrawn(offer),
            said: last(&reply),
        })),
        FtpError::Refused { problem, reply } => {
            Stop::Failed(failure(format!("{place} {problem}"), Some(&reply)))
        }
        FtpError::Insecure {
            problem,
            reply,
            login,
        } => {
            let end = match login {
                Login::NotYet => "so nobody logged in",
                Login::Done => "so the session was closed after the login",
            };
            Stop::Failed(Failure {
                advice: Some(
                    "\"never\" for this host under [ftp.tls-by-host] in settings.toml connects without TLS, by ftp://",
                ),
                ..failure(format!("{place} {problem}, {end}"), Some(&reply))
            })
        }
        FtpError::Garbled { place, said } => Stop::Failed(Failure {
            said: vec![Text::new(&said, Charset::default())],
            advice: Some("another protocol may live on that port"),
            ..Failure::new(format!("{place} sent something that is no reply of FTP"))
        }),
        FtpError::Endless { .. } => Stop::Failed(Failure::new(error.to_string())),
    }
}
