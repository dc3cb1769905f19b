//! Errors of a dialogue as failures and questions of a load.

use super::super::{Failure, FailureKind, NoTlsReason, Question, Stop, UnencryptedLogin};
use super::{NewsEndpoint, NewsTarget, shown};
use crate::protocol::nntp::{NntpError, Reply};
use crate::text::{Charset, Text};

/// Converts a dialogue's error to the end of a load: a question if an answer helps, else a failure with the server's
/// words.
pub(super) fn stop(error: NntpError, server: &NewsEndpoint, target: NewsTarget<'_>) -> Stop {
    let authority = &server.authority;
    match error {
        NntpError::Net(error) => error.into(),
        NntpError::LoginRequired(reply) => Stop::Needs(Question::Login {
            host: server.host.clone(),
            said: Some(words(&reply)),
        }),
        NntpError::PasswordRequired(user, refused, security) => Stop::Needs(Question::Password {
            user,
            host: server.host.clone(),
            said: refused.as_ref().map(words),
            security,
        }),
        NntpError::Withdrawn(offer) => unencrypted(server, NoTlsReason::Withdrawn(offer), None),
        NntpError::Declined(reply) | NntpError::LoginWhileCompressed(reply) => {
            let (sentence, advice) = declined(&reply, authority, target);
            let kind = match reply.code {
                411 | 420 | 423 | 430 => FailureKind::Missing,
                _ => FailureKind::default(),
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
            Stop::Failed(Failure {
                said: vec![words(&reply)],
                kind,
                advice,
                ..Failure::new(sentence)
            })
        }
        NntpError::Goodbye(reply) => failure(
            format!("{authority} ended the dialogue"),
            Some(&reply),
            Some("try again: the server may be busy, or not serve readers from here"),
        ),
        NntpError::NoCapabilities(inner) => stop(*inner, server, target),
        NntpError::Malformed(reply) => failure(
            format!("{authority} does not answer as a news server does"),
            Some(&reply),
            Some("check the port: 119 is that of news"),
        ),
        NntpError::UnexpectedData => failure(
            format!("{authority} sent more than was asked for, so the connection was closed"),
            None,
            Some("try again"),
        ),
        NntpError::InsecureLogin => failure(
            format!("{authority} takes a password over TLS alone, and it was not sent without"),
            None,
            None,
        ),
        NntpError::NoTls(reply) => failure(
            format!("{authority} does not speak TLS (STARTTLS), so nothing was asked"),
            Some(&reply),
            Some(
                "\"never\" for this host under [news.tls-by-host] in settings.toml connects without TLS",
            ),
        ),
        NntpError::Unsendable { what, reason } => {
            failure(format!("not sent: {what} {reason}"), None, None)
        }
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

fn declined(
    reply: &Reply,
    authority: &str,
    target: NewsTarget<'_>,
) -> (String, Option<&'static str>) {
    let sentence = match (reply.code, target) {
        (
            411,
            NewsTarget::Group(name) | NewsTarget::Range(name, ..) | NewsTarget::Number(name, _),
        ) => {
            format!("{authority} has no group {}", shown(name))
        }
        (420 | 423 | 430, NewsTarget::Number(name, number)) => {
            format!("{authority} has no article {number} in {}", shown(name))
        }
        (420 | 423 | 430, NewsTarget::MessageId(id)) => {
            format!("{authority} does not have the article {}", shown(id))
        }
        (480, _) => format!("{authority} wants another name and password for this"),
        (483, _) => format!("{authority} serves this over TLS alone"),
        (500 | 501, NewsTarget::Group(name) | NewsTarget::Range(name, ..)) => {
            format!("{authority} keeps no overview of {}", shown(name))
        }
        (502, _) => format!("{authority} does not let you read this"),
        _ => format!("{authority} declined"),
    };
    let advice = match (reply.code, target) {
        (411, _) => Some("the group may be misspelt, or not be carried there"),
        (483, _) => {
            Some("\"require\" for this host under [news.tls-by-host] in settings.toml asks for TLS")
        }
        (420 | 423 | 430, _) => Some("articles expire: another server may keep them for longer"),
        _ => None,
    };
    (sentence, advice)
}

fn failure(sentence: String, reply: Option<&Reply>, advice: Option<&'static str>) -> Stop {
    Stop::Failed(Failure {
        said: reply.map(words).into_iter().collect(),
        advice,
        ..Failure::new(sentence)
    })
}

fn words(reply: &Reply) -> Text {
    Text::new(&reply.line, Charset::default())
}
