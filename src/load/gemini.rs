//! Loading over Gemini: one request to a connection, always over TLS, with trust on first use.
//!
//! Redirects are followed on the same server, five at most, and reported; one to another server or scheme becomes the
//! link of a failure. A pause that a server has asked for is kept: no request is sent to it meanwhile.

mod error;
mod request;

use self::error::failure;
use self::request::{Answer, ask, next};
pub(super) use self::request::{check, request_preview};
use super::http::{MediaType, PageKind, is_same_server, not_followed};
use super::sniff::SAMPLE;
use super::words::{text, trimmed};
use super::{
    Failure, PageHead, PageStorage, Purpose, Question, Request, ServerFileName, Sink, Stop,
    file_name_of, server_file_name,
};
use crate::document::Shape;
use crate::net::{Net, NetError};
use crate::protocol::gemini::{CertificateRequest, Status};
use crate::text::Text;
use crate::url::{ExtensionScheme, Url};

/// The most redirects that are followed.
const REDIRECTIONS: usize = 5;

/// The media type of a response that has none.
const DEFAULT: &[u8] = b"text/gemini";

/// Returns true for a `gemini:` URL.
pub(super) fn speaks(url: &Url) -> bool {
    url.extension_scheme() == Some(ExtensionScheme::Gemini)
}

/// Requests a URL, and forwards the response.
pub(super) async fn load(net: &Net, request: &Request, sink: &mut Sink) -> Result<(), Stop> {
    let mut here = request.url.clone();
    let mut from = Vec::new();
    loop {
        let answer = ask(net, request, &here, from.is_empty(), sink).await?;
        let meta = &answer.response.header.meta;
        match answer.response.header.status() {
            Status::Success => return receive(answer, here, from, request, sink).await,
            Status::Input { is_secret } => {
                return Err(Stop::Needs(Question::Input {
                    prompt: text(meta),
                    is_secret,
                    url: here,
                }));
            }
            Status::Redirect { .. } => {
                let to = next(&answer, &here)?;
                if !is_same_server(&to, &here) {
                    let why = if speaks(&to) {
                        "that is another server"
                    } else {
                        "that is not over Gemini"
                    };
                    return Err(not_followed(&to, why).into());
                }
                from.push(here);
                if from.contains(&to) {
                    let sentence = "its redirections lead in a circle, back to";
                    return Err(Failure::new(format!("{sentence} {}", to.masked())).into());
                }
                if from.len() > REDIRECTIONS {
                    let sentence = format!("more than {REDIRECTIONS} redirects, the last to");
                    return Err(Failure::new(format!("{sentence} {}", to.masked())).into());
                }
                here = to;
            }
            Status::Certificate(request) => {
                return Err(Stop::Needs(Question::Identity {
                    why: reason(request),
                    said: words(&answer).map(|words| Text::of(&words)),
                    authority: answer.authority,
                    url: here,
                }));
            }
            Status::TemporaryFailure(_) | Status::PermanentFailure(_) => {
                return Err(failure(&answer).into());
            }
        }
    }
}

/// Returns the reason why a server wants a certificate.
fn reason(request: CertificateRequest) -> &'static str {
    match request {
        CertificateRequest::Required => "none was shown",
        CertificateRequest::NotAuthorised => "the one that was shown has no permission",
        CertificateRequest::NotValid => "the one that was shown is not valid",
    }
}

/// Forwards the body of a response.
async fn receive(
    mut answer: Answer,
    here: Url,
    from: Vec<Url>,
    request: &Request,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let meta = &answer.response.header.meta;
    let media = MediaType::parse(if meta.is_empty() { DEFAULT } else { meta });
    let file_name = ServerFileName {
        disposition: None,
        media_type: Some(media.name().to_owned()).filter(|name| !name.is_empty()),
    };
    let (mut start, mut end) = (Vec::new(), None::<Result<(), NetError>>);
    let shape = match request.purpose {
        Purpose::Save => Shape::Text,
        Purpose::Show if media.name() == "text/gemini" => Shape::Gemtext,
        Purpose::Show => {
            let kind = media.kind(b"");
            while kind.is_none() && start.len() < SAMPLE && end.is_none() {
                match answer.response.next().await {
                    Ok(octets) if octets.is_empty() => end = Some(Ok(())),
                    Ok(octets) => start.extend(octets),
                    // The part that came is shown, even if the rest is missing.
                    Err(error) if !start.is_empty() => end = Some(Err(error)),
                    Err(error) => return Err(error.into()),
                }
            }
            let sample = start.get(..SAMPLE).unwrap_or(&start);
            let kind = kind.or_else(|| media.kind(sample));
            let name = file_name_of(&request.url, &request.name_hints);
            let name = server_file_name(&name, &request.url, Some(&here), &file_name);
            let save = |what| {
                Stop::Needs(Question::Save {
                    what,
                    name,
                    size: None,
                })
            };
            kind.unwrap_or(PageKind::Text).shape().map_err(save)?
        }
    };
    sink.begin(PageHead {
        url: (!from.is_empty()).then_some(here),
        from,
        file_name,
        charset: media.charset,
        security: answer.security,
        storage: if answer.has_identity {
            PageStorage::Forbidden
        } else {
            PageStorage::Allowed
        },
        ..PageHead::new(shape)
    })
    .await?;
    sink.octets(start).await?;
    if let Some(end) = end {
        return Ok(end?);
    }
    loop {
        let octets = answer.response.next().await?;
        if octets.is_empty() {
            return Ok(());
        }
        sink.octets(octets).await?;
    }
}

/// The reason of an error that the server gives, if it gives one.
fn words(answer: &Answer) -> Option<String> {
    Some(trimmed(&answer.response.header.meta)).filter(|words| !words.is_empty())
}
