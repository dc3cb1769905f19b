//! Errors of a dialogue as failures and questions of a load.

use geomys_wire::net::NetError;
use geomys_wire::protocol::ftp::{FtpCredentials, FtpError, FtpHost, FtpTlsMode, Login, Reply};
use geomys_wire::text::Text;
use suppaftp::Status;

use super::target::is_anonymous;
use crate::load::words::text;
use crate::load::{Failure, FailureKind, NoTlsReason, Question, Stop, UnencryptedLogin};

/// Returns the failure for a reply, with its words.
pub(super) fn failure(sentence: String, reply: &Reply) -> Failure {
    Failure::new(sentence)
        .with_kind(kind(reply))
        .with_words(reply.lines().map(text))
}

/// Returns the failure for a refused target.
pub(super) fn refused(authority: &str, title: &Text, reply: &Reply) -> Failure {
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

/// The advice where a server that may expect TLS at once says nothing.
const IMPLICIT_TLS: &str =
    "for implicit TLS there, add the host to implicit-tls under [ftp] of settings.toml";

/// Converts a dialogue's error to the end of a load.
pub(super) fn stop(error: FtpError, host: &FtpHost, credentials: &FtpCredentials) -> Stop {
    let is_anonymous = is_anonymous(&credentials.user);
    let user = text(&credentials.user).to_string();
    let is_explicit = host.tls_mode == FtpTlsMode::Explicit;
    let (authority, host) = (host.authority(), host.name.clone());
    let last = |reply: &Reply| reply.lines().last().map(text);
    match error {
        FtpError::Net(error @ NetError::Timeout { .. }) if is_explicit => {
            let failure = Failure::new(error.to_string()).with_kind(FailureKind::Transient);
            failure.with_advice(IMPLICIT_TLS).into()
        }
        FtpError::Net(error) => error.into(),
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
