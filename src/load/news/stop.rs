//! What a reader is told when a dialogue ends early.

use super::super::{Failure, FailureKind, NoTls, Question, Stop, Unencrypted};
use super::{Server, Wanted, shown};
use crate::protocol::nntp::{NntpError, Reply};
use crate::text::{Charset, Text};

/// A dialogue's error as a load's end: a question where an answer helps, else a sentence with the server's words.
pub(super) fn stop(error: NntpError, server: &Server, wanted: Wanted<'_>) -> Stop {
    let place = &server.place;
    match error {
        NntpError::Net(error) => error.into(),
        NntpError::NameWanted(asked) => Stop::Needs(Question::Login {
            host: server.host.clone(),
            said: Some(words(&asked)),
        }),
        NntpError::PasswordWanted(user, refused, security) => Stop::Needs(Question::Password {
            user,
            host: server.host.clone(),
            said: refused.as_ref().map(words),
            security,
        }),
        NntpError::Withdrawn(offer) => unencrypted(server, NoTls::Withdrawn(offer), None),
        NntpError::Declined(reply) | NntpError::Again(reply) => {
            let (sentence, advice) = declined(&reply, place, wanted);
            let kind = match reply.code {
                411 | 420 | 423 | 430 => FailureKind::Missing,
                _ => FailureKind::default(),
            };
            let kind = match wanted {
                // The list itself may be had.
                Wanted::Changes(_) => FailureKind::ResumeMismatch,
                Wanted::Groups(_)
                | Wanted::Group(_)
                | Wanted::Range(..)
                | Wanted::Number(..)
                | Wanted::Id(_) => kind,
            };
            Stop::Failed(Failure {
                said: vec![words(&reply)],
                kind,
                advice,
                ..Failure::new(sentence)
            })
        }
        NntpError::Goodbye(reply) => failure(
            format!("{place} ended the dialogue"),
            Some(&reply),
            Some("try again: the server may be busy, or not serve readers from here"),
        ),
        NntpError::Deaf(inner) => stop(*inner, server, wanted),
        NntpError::Odd(reply) => failure(
            format!("{place} does not answer as a news server does"),
            Some(&reply),
            Some("check the port: 119 is that of news"),
        ),
        NntpError::Ahead => failure(
            format!("{place} sent more than was asked for, so the connection was closed"),
            None,
            Some("try again"),
        ),
        NntpError::InClear => failure(
            format!("{place} takes a password over TLS alone, and it was not sent without"),
            None,
            None,
        ),
        NntpError::NoTls(reply) => failure(
            format!("{place} does not speak TLS (STARTTLS), so nothing was asked"),
            Some(&reply),
            Some(
                "\"never\" for this host under [news.tls-by-host] in settings.toml connects without TLS",
            ),
        ),
        NntpError::Unsendable { what, why } => {
            failure(format!("not sent: {what} {why}"), None, None)
        }
    }
}

/// The question whether a password goes out without TLS.
pub(super) fn unencrypted(server: &Server, why: NoTls, reply: Option<&Reply>) -> Stop {
    Stop::Needs(Question::Unencrypted(Unencrypted {
        place: server.place.clone(),
        host: server.host.clone(),
        table: "news",
        why,
        said: reply.map(words),
    }))
}

fn declined(reply: &Reply, place: &str, wanted: Wanted<'_>) -> (String, Option<&'static str>) {
    let sentence = match (reply.code, wanted) {
        (411, Wanted::Group(name) | Wanted::Range(name, ..) | Wanted::Number(name, _)) => {
            format!("{place} has no group {}", shown(name))
        }
        (420 | 423 | 430, Wanted::Number(name, number)) => {
            format!("{place} has no article {number} in {}", shown(name))
        }
        (420 | 423 | 430, Wanted::Id(id)) => {
            format!("{place} does not have the article {}", shown(id))
        }
        (480, _) => format!("{place} wants another name and password for this"),
        (483, _) => format!("{place} serves this over TLS alone"),
        (500 | 501, Wanted::Group(name) | Wanted::Range(name, ..)) => {
            format!("{place} keeps no overview of {}", shown(name))
        }
        (502, _) => format!("{place} does not let you read this"),
        _ => format!("{place} declined"),
    };
    let advice = match (reply.code, wanted) {
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
