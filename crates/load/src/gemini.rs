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
//! A URL without data is a question: its form, with the media type and the token of the URL. With the parameter `edit`
//! the server is asked for the source of the page, by the line `titan://host/path;edit`; the form begins with it, or
//! with the page over Gemini where the server does not know the parameter. The answer is one of Gemini, and may
//! redirect to the page over Gemini on the same server; nothing is sent a second time.

mod request;
mod upload;

use geomys_wire::net::{RequestNet, Stream, TransferEnd};
use geomys_wire::protocol::gemini::{CertificateRequest, Status, TemporaryFailure};
use geomys_wire::protocol::reply::Reply;
use geomys_wire::text::Text;
use rfc1738::{Dialect, Http, Protocol, Url, encoded};

use self::request::{Answer, ask, can_wait, failure};
pub use self::upload::upload_token;
use self::upload::{UploadParameters, token_parameter, without_parameters};
use super::http::MediaType;
use super::redirect::{Redirect, Redirects, not_followed, target};
use super::small_page::{SmallPage, leaves};
use super::words::{text, trimmed};
use super::{
    Failure, FailureKind, PageStorage, PostedAnswers, Purpose, Question, Request, ServerForm, Sink,
    Stop, collect,
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
        if UploadParameters::of(&request.url).edits {
            form.text = source(net, request, sink).await?.unwrap_or_default();
        }
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
                    why: reason(request, answer.identity.is_some()),
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

/// Returns the reason why a server wants a certificate. Some say that one has no permission where none was sent.
fn reason(request: CertificateRequest, has_identity: bool) -> &'static str {
    match request {
        CertificateRequest::NotAuthorised | CertificateRequest::NotValid if !has_identity => {
            "the page needs a certificate"
        }
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

/// Returns the URL that is sent before the data.
fn sent_url(url: &Http<'_>, posted: &PostedAnswers) -> String {
    let path = without_parameters(url.path.map_or("", |path| path.as_str()));
    let authority = url.address.canonical();
    let size = posted.octets.len();
    let media: Vec<String> = posted
        .media
        .split('/')
        .map(|part| encoded(part.as_bytes()))
        .collect();
    let media = media.join("/");
    let token = token_parameter(&posted.token);
    format!("titan://{authority}/{path};size={size};mime={media}{token}")
}

/// Returns the URL that asks for the source of a page, which the form begins with.
fn edit_url(url: &Http<'_>) -> String {
    let written = url.path.map_or("", |path| path.as_str());
    let path = without_parameters(written);
    let token = token_parameter(&UploadParameters::in_path(written).token.0);
    format!("titan://{}/{path};edit{token}", url.address.canonical())
}

/// Returns the form of a URL without data; a failure where no form can be shown.
fn question(request: &Request) -> Result<ServerForm, Stop> {
    match request.purpose {
        Purpose::Show => {
            let parameters = UploadParameters::of(&request.url);
            let media = format!("{}\t{}", FIELDS[0], parameters.media);
            let mut form = ServerForm::upload(&request.url, &[&media, FIELDS[1]]);
            form.hint(&media, MEDIA_HINT);
            Ok(form)
        }
        Purpose::Save | Purpose::Picture | Purpose::Check => {
            Err(Failure::new("this URL takes an upload; it cannot be saved").into())
        }
    }
}

/// Returns the text that an upload replaces: the source that the server gives for it, else the page over Gemini where
/// the server does not know the parameter; `None` if there is no page.
///
/// # Errors
/// Every other answer and end: an empty form would replace the page.
async fn source(net: &RequestNet, request: &Request, sink: &Sink) -> Result<Option<String>, Stop> {
    let answer = ask(net, request, &request.url, true, sink).await?;
    let request_url = request.url.clone();
    let header = &answer.response.header;
    let is_text = MediaType::parse(&header.meta).name().starts_with("text/");
    match header.status() {
        Status::Success if is_text => whole_text(answer.response.body, &request_url).await,
        Status::Success => Err(no_text(&request_url).into()),
        Status::Certificate(request) => Err(Stop::Needs(Question::Identity {
            why: reason(request, answer.identity.is_some()),
            said: words(&answer).map(|words| Text::of(&words)),
            authority: answer.authority,
            url: request_url,
            names: net.identity_names().await?,
        })),
        Status::Redirect { .. } => {
            let to = target(&request.url, &header.meta, &answer.authority)?;
            match leaves(&to, &as_gemini(&request.url), "Gemini") {
                Some(why) => Err(not_followed(&to, &why).into()),
                None => shown_text(net, request, to).await,
            }
        }
        Status::Input { .. } => {
            let said = words(&answer).map(|words| Text::of(&words));
            let sentence = format!("{} asks for input before the upload", answer.authority);
            Err(Failure::new(sentence).with_words(said).into())
        }
        Status::TemporaryFailure(_) => Err(failure(&answer).into()),
        // The server does not know the parameter.
        Status::PermanentFailure(_) => {
            let page = as_gemini(&request.url);
            match Dialect::Extended.parse(without_parameters(page.as_str())) {
                Ok(page) => shown_text(net, request, page).await,
                Err(_) => Err(failure(&answer).into()),
            }
        }
    }
}

/// Returns the failure for a page that the form cannot begin with.
fn no_text(url: &Url) -> Failure {
    let most = MAX_TEXT_BYTES / 1024;
    let masked = url.masked();
    Failure::new(format!(
        "the source of {masked} is no text in UTF-8 of at most {most} kB"
    ))
    .with_advice("the URL without \";edit\" replaces the page")
}

/// Returns a body as a text that is edited.
async fn whole_text(mut body: Reply<Stream>, url: &Url) -> Result<Option<String>, Stop> {
    let mut octets = Vec::new();
    loop {
        let next = body.next().await?;
        if next.is_empty() {
            let text = String::from_utf8(octets);
            return text.map(Some).map_err(|_| no_text(url).into());
        }
        octets.extend(next);
        if octets.len() > MAX_TEXT_BYTES {
            return Err(no_text(url).into());
        }
    }
}

/// Returns the text of a page over Gemini; `None` if there is no page.
async fn shown_text(net: &RequestNet, request: &Request, url: Url) -> Result<Option<String>, Stop> {
    let page = Request {
        url: url.clone(),
        ..request.clone()
    };
    let (octets, head, end) = collect(net, page, MAX_TEXT_BYTES).await;
    match end {
        Err(Stop::Failed(failure)) if failure.kind == FailureKind::Missing => return Ok(None),
        end => end?,
    };
    let is_text = head.is_some_and(|head| matches!(head.shape, Shape::Gemtext | Shape::Text));
    let is_whole = octets.len() < MAX_TEXT_BYTES;
    let text = String::from_utf8(octets).ok();
    let text = text.filter(|_| is_text && is_whole);
    text.map(Some).ok_or_else(|| no_text(&url).into())
}
