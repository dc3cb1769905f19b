//! Errors of a dialogue as failures and questions of a load.

use geomys_wire::protocol::nntp::{NntpError, PassingRefusal, Reply};
use geomys_wire::text::Text;

use super::endpoint::NewsEndpoint;
use super::target::NewsJob;
use super::target::NewsTarget;
use crate::words::text;
use crate::{Failure, FailureKind, NoTlsReason, Question, Stop, UnencryptedLogin};

impl NewsJob<'_> {
    /// Converts a dialogue's error to the end of a load: a question if an answer helps, else a failure with the
    /// server's words.
    pub(super) fn stop(&self, error: NntpError) -> Stop {
        let (server, target) = (self.server, self.target);
        let authority = &server.authority;
        // It says that a later attempt makes sense (400).
        let kind = match &error {
            NntpError::Goodbye(_) => FailureKind::Busy,
            NntpError::LoginRefused(reply) if reply.passing().is_some() => FailureKind::Busy,
            _ => FailureKind::Permanent,
        };
        let wants_login = matches!(error, NntpError::LoginRefused(_));
        let (sentence, reply, advice) = match error {
            NntpError::Net(error) => return error.into(),
            NntpError::LoginRequired(reply) => {
                return Stop::Needs(Question::Login {
                    host: server.host.clone(),
                    said: Some(words(&reply)),
                });
            }
            NntpError::PasswordRequired(user, refused, security) => {
                return Stop::Needs(Question::Password {
                    user,
                    host: server.host.clone(),
                    said: refused.as_ref().map(words),
                    security,
                });
            }
            NntpError::Withdrawn(offer) => {
                return unencrypted(server, NoTlsReason::Withdrawn(offer), None);
            }
            NntpError::Declined(reply) | NntpError::LoginWhileCompressed(reply) => {
                return declined(&reply, authority, target).into();
            }
            NntpError::NoCapabilities(inner) => return self.stop(*inner),
            NntpError::Goodbye(reply) => (
                format!("{authority} ended the session"),
                Some(reply),
                Some("retry: the server may be busy, or not serve readers from here"),
            ),
            NntpError::LoginRefused(reply) => {
                let advice = reply.passing().map(retry_advice);
                let sentence = format!("{authority} did not accept the login");
                (sentence, Some(reply), advice)
            }
            NntpError::Malformed(reply) => (
                format!("{authority} did not answer as a news server"),
                Some(reply),
                Some("check the port: news uses 119"),
            ),
            NntpError::UnexpectedData => (
                format!("{authority} sent more than requested, so the connection was closed"),
                None,
                Some("try again"),
            ),
            NntpError::InsecureLogin => (
                format!("{authority} accepts a password only over TLS; none was sent"),
                None,
                None,
            ),
            NntpError::NoTls(reply) => (
                format!("{authority} does not support TLS (STARTTLS); nothing was requested"),
                Some(reply),
                Some(
                    "\"never\" for this host under [news.tls-by-host] in settings.toml connects without TLS",
                ),
            ),
            NntpError::Unsendable { what, reason } => {
                (format!("not sent: {what} {reason}"), None, None)
            }
        };
        Stop::Failed(Failure {
            kind,
            said: reply.as_ref().map(words).into_iter().collect(),
            advice,
            wants_login,
            ..Failure::new(sentence)
        })
    }
}

/// Returns the question for a password that would be sent without TLS.
pub(super) fn unencrypted(
    server: &NewsEndpoint,
    reason: NoTlsReason,
    reply: Option<&Reply>,
) -> Stop {
    Stop::Needs(Question::Unencrypted(UnencryptedLogin {
        authority: server.authority.clone(),
        host: server.host.clone(),
        table: "news",
        reason,
        said: reply.map(words),
    }))
}

/// The advice about a refusal that does not last.
pub(super) fn retry_advice(passing: PassingRefusal) -> &'static str {
    match passing {
        PassingRefusal::Connections => "close other connections to it, or retry later",
        PassingRefusal::Other => "retry later",
    }
}

fn declined(reply: &Reply, authority: &str, target: &NewsTarget<'_>) -> Failure {
    let passing = reply.passing();
    let sentence = match (reply.code, target) {
        // What it has is not known.
        _ if passing.is_some() => format!("{authority} refused this for now"),
        (
            411,
            NewsTarget::Group(name) | NewsTarget::Range(name, ..) | NewsTarget::Number(name, _),
        ) => format!("{authority} has no group {}", text(name)),
        (420 | 423 | 430, NewsTarget::Number(name, number)) => {
            format!("{authority} has no article {number} in {}", text(name))
        }
        (420 | 423 | 430, NewsTarget::MessageId(id)) => {
            format!("{authority} does not have the article {}", text(id))
        }
        (480, _) => format!("{authority} requires another user name and password"),
        (483, _) => format!("{authority} serves this only over TLS"),
        (500 | 501, NewsTarget::Group(name) | NewsTarget::Range(name, ..)) => {
            format!("{authority} has no overview of {}", text(name))
        }
        (502, _) => format!("{authority} denies access"),
        _ => format!("{authority} refused the command"),
    };
    let (kind, advice) = match reply.code {
        _ if let Some(passing) = passing => (FailureKind::Busy, Some(retry_advice(passing))),
        411 => (
            FailureKind::Missing,
            Some("check the name; the server may not carry the group"),
        ),
        483 => (
            FailureKind::Permanent,
            Some(
                "\"require\" for this host under [news.tls-by-host] in settings.toml asks for TLS",
            ),
        ),
        420 | 423 | 430 => (
            FailureKind::Missing,
            Some("articles expire; another server may still have it"),
        ),
        _ => (FailureKind::Permanent, None),
    };
    let kind = match target {
        // The list itself may still be available.
        NewsTarget::Changes(_) => FailureKind::ResumeMismatch,
        NewsTarget::Groups(_)
        | NewsTarget::Group(_)
        | NewsTarget::Range(..)
        | NewsTarget::Number(..)
        | NewsTarget::MessageId(_) => kind,
    };
    Failure {
        said: Box::new([words(reply)]),
        kind,
        advice,
        ..Failure::new(sentence)
    }
}

/// Returns the line of a reply.
pub(super) fn words(reply: &Reply) -> Text {
    text(&reply.line)
}
