//! Loading over Gemini: one request to a connection, always over TLS, with trust on first use.
//!
//! Redirects are followed on the same server, five at most, and reported; one to another server or scheme becomes the
//! link of a failure. A pause that a server has asked for is kept: no request is sent to it meanwhile.

mod error;
mod request;
mod titan;

use geomys_wire::net::{Net, TransferEnd};
use geomys_wire::protocol::gemini::{CertificateRequest, Status};
use geomys_wire::text::Text;
use rfc1738::{Protocol, Url};

use self::error::failure;
pub(super) use self::request::request_preview;
use self::request::{Answer, ask};
use super::http::MediaType;
use super::redirect::{Redirect, Redirects, target};
use super::small_page::{REDIRECTIONS, SmallPage, leaves};
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
    let mut redirects = Redirects::new(net, request, REDIRECTIONS);
    loop {
        let here = &redirects.here;
        let is_first = redirects.from.is_empty();
        let answer = ask(&redirects.net, request, here, is_first, sink).await?;
        let meta = &answer.response.header.meta;
        match answer.response.header.status() {
            Status::Success => {
                return page(answer, redirects).forward(request, sink).await;
            }
            // The data would be sent again with the answer.
            Status::Input { .. } if is_titan(here) => {
                let sentence = format!("{} asks for input after the upload", answer.authority);
                let said = words(&answer).map(|words| Text::of(&words));
                return Err(Failure::new(sentence).with_words(said).into());
            }
            Status::Input { is_secret } => {
                // An answer in the URL that asks may be a wrong password.
                let url = if is_secret {
                    here.without_query()
                } else {
                    here.clone()
                };
                return Err(Stop::Needs(Question::Input {
                    prompt: text(meta),
                    is_secret,
                    url,
                }));
            }
            Status::Redirect { is_permanent } => {
                let to = target(here, meta, &answer.authority)?;
                let redirect = Redirect {
                    leaves: leaves(&to, &titan::as_gemini(here), "Gemini"),
                    is_permanent,
                    to,
                };
                redirects.follow(redirect, sink)?;
            }
            Status::Certificate(request) => {
                return Err(Stop::Needs(Question::Identity {
                    why: reason(request),
                    said: words(&answer).map(|words| Text::of(&words)),
                    authority: answer.authority,
                    url: redirects.here,
                    names: redirects.net.identity_names().await?,
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
fn page(answer: Answer, redirects: Redirects<'_>) -> SmallPage {
    let meta = &answer.response.header.meta;
    SmallPage {
        media: MediaType::parse(if meta.is_empty() { DEFAULT } else { meta }),
        body: answer.response.body,
        here: redirects.here,
        from: redirects.from,
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
