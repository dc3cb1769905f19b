//! An upload of a text, over Titan or Spartan.
//!
//! Nothing has arrived while there is no connection. After that only the answer of the server tells.

use geomys_load::{
    Failure, FailureKind, FormAnswers, Part, PartSender, Phase, PostError, PostOutcome,
    PostedAnswers, Question, Request, Sink, Stop, load,
};
use geomys_wire::net::{Net, shown_url};
use geomys_wire::text::Text;
use tokio::sync::mpsc;

use super::{Outgoing, blocking, stopped};
use crate::files::draft::{MEDIA_TYPE, SendRecord};

/// Media type of a text that names none.
const TEXT: &str = "text/gemini";

/// Uploads the text of a draft.
pub(super) async fn upload(
    net: &Net,
    request: &Request,
    outgoing: Outgoing,
) -> Result<PostOutcome, PostError> {
    let Outgoing { draft, path } = outgoing;
    let url = draft
        .upload_url()
        .ok_or_else(|| stopped("its URL is malformed"))?;
    let media = draft.header(MEDIA_TYPE).unwrap_or(TEXT).to_owned();
    let posted = PostedAnswers {
        media,
        token: String::new(),
        octets: draft.body.into_bytes(),
    };
    let request = Request {
        url,
        answers: FormAnswers::Posted(posted),
        ..request.clone()
    };
    let begun = blocking(move || SendRecord::begin(&path)).await;
    let begun = begun.and_then(|begun| begun.map_err(|error| error.to_string()));
    begun.map_err(|error| stopped(&format!("the attempt was not recorded: {error}")))?;
    let target = shown_url(&request.url).into_owned();
    let (sender, mut parts) = mpsc::channel(1);
    // The load ends when the channel is closed.
    let answering = async move {
        let mut is_sent = false;
        while let Some(part) = parts.recv().await {
            match part {
                Part::Phase(Phase::Waiting) => is_sent = true,
                // The answer is a redirect, which is followed.
                Part::Phase(Phase::Connecting) if is_sent => return Ok(()),
                Part::Head(_) | Part::End(Ok(_)) => return Ok(()),
                Part::End(Err(stop)) if is_sent => return Err(after_sending(stop)),
                Part::End(Err(stop)) => return Err(PostError::Stopped(stop)),
                Part::Phase(_)
                | Part::Octets(_)
                | Part::Remark(_)
                | Part::Clock(_)
                | Part::Names(_)
                | Part::Size(_)
                | Part::Hole(_)
                | Part::Covered(_)
                | Part::Terminal(_) => {}
            }
        }
        Err(after_sending(Stop::Closed))
    };
    let sink = Sink::of(PartSender::Own(sender));
    let ((), answered) = tokio::join!(load(net, request, sink), answering);
    let words = Text::of(&format!("Sent to {target}"));
    answered.map(|()| PostOutcome::Accepted(words))
}

/// Judges the end of a load that may have sent the text.
fn after_sending(stop: Stop) -> PostError {
    match stop {
        Stop::Needs(Question::Identity { .. }) => PostError::Stopped(stop),
        Stop::Failed(failure) => match failure.kind {
            // The server has answered.
            FailureKind::Busy | FailureKind::ServerError => PostError::Stopped(failure.into()),
            FailureKind::Permanent | FailureKind::Missing | FailureKind::ResumeMismatch => {
                PostError::Refused(failure)
            }
            FailureKind::Transient | FailureKind::Malformed | FailureKind::Unreachable => {
                PostError::Unknown(failure)
            }
        },
        stop @ (Stop::Needs(_) | Stop::Truncated(_) | Stop::Closed) => {
            PostError::Unknown(Failure::new(stop.sentence()))
        }
    }
}
