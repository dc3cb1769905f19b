//! Loading over Gemini: one request to a connection, always over TLS, with trust on first use.
//!
//! Redirects are followed on the same server, five at most, and reported; one to another server or scheme becomes the
//! link of a failure. A pause that a server has asked for is kept: no request is sent to it meanwhile.

mod error;
mod request;
mod titan;

use std::borrow::Cow;

use geomys_wire::net::{Net, TransferEnd};
use geomys_wire::protocol::gemini::{CertificateRequest, Status};
use geomys_wire::text::Text;
use rfc1738::{Protocol, Url};

use self::error::failure;
use self::request::{Answer, ask, next};
pub(super) use self::request::{check, request_preview};
use super::http::MediaType;
use super::permission::redirected;
use super::small_page::{SmallPage, follow};
use super::words::{text, trimmed};
use super::{Failure, PageStorage, Question, Request, Sink, Stop};

/// The media type of a response that has none.
const DEFAULT: &[u8] = b"text/gemini";

fn is_titan(url: &Url) -> bool {
    matches!(url.protocol(), Protocol::Titan(_))
}

/// Requests a URL, and forwards the response.
pub(super) async fn load(
    net: &Net,
    request: &Request,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    if is_titan(&request.url) && request.posted().is_none() {
        return Err(titan::question(request));
    }
    let mut here = request.url.clone();
    let mut from = Vec::new();
    let mut net = Cow::Borrowed(net);
    loop {
        let answer = ask(&net, request, &here, from.is_empty(), sink).await?;
        let meta = &answer.response.header.meta;
        match answer.response.header.status() {
            Status::Success => return page(answer, here, from).forward(request, sink).await,
            // The data would be sent again with the answer.
            Status::Input { .. } if is_titan(&here) => {
                let sentence = format!("{} asks for input after the upload", answer.authority);
                let said = words(&answer).map(|words| Text::of(&words));
                return Err(Failure::new(sentence).with_words(said).into());
            }
            Status::Input { is_secret } => {
                // An answer in the URL that asks may be a wrong password.
                let url = if is_secret {
                    here.without_query()
                } else {
                    here
                };
                return Err(Stop::Needs(Question::Input {
                    prompt: text(meta),
                    is_secret,
                    url,
                }));
            }
            Status::Redirect { .. } => {
                let to = next(&answer, &here)?;
                net = Cow::Owned(redirected(&net, &here));
                let server = titan::as_gemini(&here);
                here = follow(&mut from, (here, &server), to, "Gemini")?;
            }
            Status::Certificate(request) => {
                return Err(Stop::Needs(Question::Identity {
                    why: reason(request),
                    said: words(&answer).map(|words| Text::of(&words)),
                    authority: answer.authority,
                    url: here,
                    names: net.identity_names().await?,
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

/// Returns the page of a response.
fn page(answer: Answer, here: Url, from: Vec<Url>) -> SmallPage {
    let meta = &answer.response.header.meta;
    SmallPage {
        media: MediaType::parse(if meta.is_empty() { DEFAULT } else { meta }),
        body: answer.response.body,
        here,
        from,
        security: answer.security,
        storage: if answer.has_identity {
            PageStorage::Forbidden
        } else {
            PageStorage::Allowed
        },
    }
}

/// The reason of an error that the server gives, if it gives one.
fn words(answer: &Answer) -> Option<String> {
    Some(trimmed(&answer.response.header.meta)).filter(|words| !words.is_empty())
}
