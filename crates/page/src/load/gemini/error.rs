//! Failures of Gemini as failures of a load.

use geomys_wire::protocol::gemini::{
    CertificateRequest, PermanentFailure, Status, TemporaryFailure,
};
use geomys_wire::text::Text;

use super::request::{Answer, seconds};
use super::words;
use crate::load::{Failure, FailureKind};

/// Returns the failure that a response with a status of an error is.
pub(super) fn failure(answer: &Answer) -> Failure {
    let header = &answer.response.header;
    let (what, kind, advice) = meaning(header.status());
    let sentence = format!("{} answered {}: {what}", answer.authority, header.code);
    if header.code == 44 {
        let seconds = seconds(&header.meta);
        let sentence = format!("{sentence} ({seconds} s)");
        return Failure::new(sentence).with_kind(kind);
    }
    let said = words(answer).map(|words| Text::of(&words));
    let failure = Failure::new(sentence).with_kind(kind).with_words(said);
    match advice {
        Some(advice) => failure.with_advice(advice),
        None => failure,
    }
}

/// Returns the meaning of a status in words, the kind of its failure, and advice.
fn meaning(status: Status) -> (&'static str, FailureKind, Option<&'static str>) {
    match status {
        Status::TemporaryFailure(temporary) => match temporary {
            TemporaryFailure::Unspecified => ("a failure for now", FailureKind::ServerError, None),
            TemporaryFailure::Unavailable => {
                ("it has no time for requests now", FailureKind::Busy, None)
            }
            TemporaryFailure::Cgi => ("a program of it has failed", FailureKind::ServerError, None),
            TemporaryFailure::Proxy => (
                "a server behind it has failed",
                FailureKind::ServerError,
                None,
            ),
            TemporaryFailure::SlowDown => ("it wants a pause", FailureKind::Busy, None),
        },
        Status::PermanentFailure(permanent) => match permanent {
            PermanentFailure::Unspecified => ("a failure", FailureKind::Permanent, None),
            PermanentFailure::NotFound => ("there is no such page", FailureKind::Missing, None),
            PermanentFailure::Gone => ("the page is gone for ever", FailureKind::Missing, None),
            PermanentFailure::ProxyRefused => (
                "it does not serve this address",
                FailureKind::Permanent,
                None,
            ),
            PermanentFailure::BadRequest => (
                "it does not understand the request",
                FailureKind::Permanent,
                None,
            ),
        },
        Status::Certificate(request) => {
            let what = match request {
                CertificateRequest::Required => "it wants a client certificate",
                CertificateRequest::NotAuthorised => "the client certificate has no permission",
                CertificateRequest::NotValid => "the client certificate is not valid",
            };
            (what, FailureKind::Permanent, None)
        }
        // These are no failures.
        Status::Input { .. } | Status::Success | Status::Redirect { .. } => {
            ("no failure", FailureKind::Permanent, None)
        }
    }
}
