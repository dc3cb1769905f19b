//! Loading over Gemini: one request to a connection, always over TLS, with trust on first use.
//!
//! Redirects are followed on the same server, ten at most, and reported; one to another server or scheme becomes the
//! link of a failure. A pause that a server has asked for is kept: no request is sent to it meanwhile. A load waits for
//! the end of a short one.
//!
//! Titan uploads a text or a file to such a server:
//!
//! ```text
//! request = "titan://" host [ ":" port ] path ";size=" octets ";mime=" type [ ";token=" token ] CRLF data
//! ```
//!
//! A URL without data is a question: its form, with the text of the page over Gemini. The parameters of a URL are
//! replaced. The answer is one of Gemini, and may redirect to the page over Gemini on the same server; nothing is sent
//! a second time.

mod request;

use geomys_wire::net::{RequestNet, TransferEnd};
use geomys_wire::protocol::gemini::{CertificateRequest, Status, TemporaryFailure};
use geomys_wire::text::Text;
use rfc1738::{Dialect, Http, Protocol, Url, encoded};

use self::request::{Answer, ask, can_wait, failure};
use super::http::MediaType;
use super::redirect::{Redirect, Redirects, target};
use super::small_page::{SmallPage, leaves};
use super::words::{text, trimmed};
use super::{
    Failure, PageStorage, PostedAnswers, Purpose, Question, Request, ServerForm, Sink, Stop,
    collect,
};
use geomys_page::document::Shape;

pub(super) use self::request::{line_bytes, request_preview};

/// The media type of a response that has none.
const DEFAULT: &[u8] = b"text/gemini";

fn is_titan(url: &Url) -> bool {
    matches!(url.protocol(), Protocol::Titan(_))
}

/// Requests a URL, and forwards the response.
pub(super) async fn load(
    net: &RequestNet,
    request: &Request,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    if is_titan(&request.url) && request.posted().is_none() {
        let mut form = question(request)?;
        form.text = current_text(net, request).await?.unwrap_or_default();
        return Err(Stop::Needs(Question::Form(form)));
    }
    let mut redirects = Redirects::new(net, request);
    let mut has_paused = false;
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
                    leaves: leaves(&to, &as_gemini(here), "Gemini"),
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
            // It is asked once more, after the pause. An upload is not sent a second time.
            Status::TemporaryFailure(TemporaryFailure::SlowDown)
                if !has_paused && !is_titan(here) && can_wait(request, &answer) =>
            {
                has_paused = true;
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
        CertificateRequest::Required => "none was sent",
        CertificateRequest::NotAuthorised => "the one that was sent has no permission",
        CertificateRequest::NotValid => "the one that was sent is not valid",
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
        storage: if answer.identity.is_some() {
            PageStorage::Forbidden
        } else {
            PageStorage::Allowed
        },
        identity: answer.identity,
    }
}

/// The reason of an error that the server gives, if it gives one.
fn words(answer: &Answer) -> Option<String> {
    Some(trimmed(&answer.response.header.meta)).filter(|words| !words.is_empty())
}

/// The longest text of a page that is edited.
const MAX_TEXT_BYTES: usize = 256 * 1024;

/// The lines of the form beside the text and the file: see [`crate::FormKind::Upload`].
const FIELDS: [&str; 2] = ["Ask: Media type", "AskP: Token"];

/// The hint of the line for the media type.
const MEDIA_HINT: &str = "empty: by the name of the file, or text/gemini";

/// Returns the URL of the server over Gemini: other URLs stay as they are.
fn as_gemini(url: &Url) -> Url {
    let rest = url.as_str().split_once(':').map_or("", |(_, rest)| rest);
    let gemini = is_titan(url).then(|| Dialect::Extended.parse(&format!("gemini:{rest}")).ok());
    gemini.flatten().unwrap_or_else(|| url.clone())
}

/// Returns a path of Titan without its parameters, as Gemini has it.
fn without_parameters(path: &str) -> &str {
    path.split_once(';').map_or(path, |(path, _)| path)
}

/// Returns the URL that is sent before the data.
fn sent_url(url: &Http<'_>, posted: &PostedAnswers) -> String {
    let path = without_parameters(url.path.map_or("", |path| path.as_str()));
    let size = posted.octets.len();
    let media: Vec<String> = posted
        .media
        .split('/')
        .map(|part| encoded(part.as_bytes()))
        .collect();
    let media = media.join("/");
    let token = match posted.token.as_str() {
        "" => String::new(),
        token => format!(";token={}", encoded(token.as_bytes())),
    };
    format!(
        "titan://{}/{path};size={size};mime={media}{token}",
        url.address.canonical()
    )
}

/// Returns the form of a URL without data; a failure where no form can be shown.
fn question(request: &Request) -> Result<ServerForm, Stop> {
    match request.purpose {
        Purpose::Show => {
            let mut form = ServerForm::upload(&request.url, &FIELDS);
            form.hint(FIELDS[0], MEDIA_HINT);
            Ok(form)
        }
        Purpose::Save | Purpose::Picture | Purpose::Check => {
            Err(Failure::new("this URL takes an upload; it cannot be saved").into())
        }
    }
}

/// Returns the text that an upload replaces: that of the page over Gemini; `None` if there is none, or not a whole one
/// in UTF-8.
///
/// # Errors
/// The question for a certificate, which is that of the upload too: an empty form would replace the page.
async fn current_text(net: &RequestNet, request: &Request) -> Result<Option<String>, Stop> {
    let page = as_gemini(&request.url);
    let Ok(url) = Dialect::Extended.parse(without_parameters(page.as_str())) else {
        return Ok(None);
    };
    let page = Request {
        url,
        ..request.clone()
    };
    let (octets, head, end) = collect(net, page, MAX_TEXT_BYTES).await;
    let is_text = head.is_some_and(|head| matches!(head.shape, Shape::Gemtext | Shape::Text));
    match end {
        Err(stop @ Stop::Needs(Question::Certificate(_))) => return Err(stop),
        Ok(_) if is_text => {}
        Ok(_) | Err(_) => return Ok(None),
    }
    let is_whole = octets.len() < MAX_TEXT_BYTES;
    Ok(String::from_utf8(octets).ok().filter(|_| is_whole))
}
