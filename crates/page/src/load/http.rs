//! Loading from the Web (RFC 1738, section 3.3; RFC 9110 to 9112): pages over HTTP/1.1, plain or over TLS.
//!
//! Redirects are followed, ten at most, and reported. A redirect that needs a confirmation, leaves TLS or leaves the
//! Web is not followed: it becomes the link of a failure. A login or an accepted certificate is valid for one server
//! only. No script is run, and no cookie is accepted or sent.

mod content;
mod decompress;
mod error_status;
mod login;
mod redirect;
mod response;
mod version;

use std::borrow::Cow;

use geomys_wire::net::{Net, TransferEnd, Trust, trace};
use geomys_wire::protocol::http::{self, Method};
use rfc1738::{Http, Url};

pub(super) use self::content::{MediaType, PageKind};
use self::decompress::Decompressed;
pub(super) use self::redirect::{
    REDIRECTIONS, follow_hazard, is_same_server, next, not_a_url, not_followed,
};
pub(super) use self::response::{HttpResponse, exchange, stop};
use super::permission::redirected;
use super::sniff::SAMPLE;
use super::words::trimmed;
use super::{Failure, PageHead, Purpose, Question, Request, Sink, Stop};
use crate::document::Shape;

/// The `Accept` field for a page.
const ACCEPT: &str = "text/html, application/xhtml+xml, text/*;q=0.9, */*;q=0.8";

/// Loads an `http:` or `https:` URL.
pub(super) async fn load(
    net: &Net,
    request: &Request,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    let mut here = request.url.clone();
    let mut from = Vec::new();
    let mut net = Cow::Borrowed(net);
    loop {
        let answer = HttpResponse {
            from: from.clone(),
            ..ask(&net, request, here, from.is_empty(), sink).await?
        };
        // After a redirect nothing is sent again.
        let is_posted = request.posted().is_some() && from.is_empty();
        match answer.head.status {
            301 | 302 | 303 | 307 | 308 => {
                let next = target(&answer)?;
                let to = next.masked();
                trace::note(&answer.authority, format_args!("redirect to {to}"));
                net = Cow::Owned(redirected(&net, &answer.here));
                if is_posted && matches!(answer.head.status, 307 | 308) {
                    let why = "the server redirects the form there";
                    return Err(not_followed(&next, why).into());
                }
                from.push(answer.here);
                if !is_posted && from.contains(&next) {
                    return Err(redirect_loop(&next).into());
                }
                if from.len() > REDIRECTIONS {
                    let sentence = format!("more than {REDIRECTIONS} redirects, the last to");
                    return Err(Failure::new(format!("{sentence} {}", next.masked())).into());
                }
                here = next;
            }
            401 => return Err(login::login_question(request, &answer)),
            200..=299 => {
                return match request.purpose {
                    Purpose::Show => show(answer, request, sink).await,
                    Purpose::Save | Purpose::Picture => save(answer, request, sink).await,
                };
            }
            416 if request.resume.is_some() => {
                return finish_at_end(&net, request, answer, sink).await;
            }
            _ => return Err(error_status::failure(answer).await.into()),
        }
    }
}

/// Returns the request head that a load of this URL sends.
pub(super) fn request_preview(url: &Http<'_>) -> Vec<u8> {
    shown(http::Request::new(Method::Get, url)).lines()
}

fn shown(request: http::Request) -> http::Request {
    let request = request.with("accept", ACCEPT);
    request.with("accept-encoding", "gzip")
}

/// Requests a URL. Only the first request sends the answers to a form.
async fn ask(
    net: &Net,
    request: &Request,
    here: Url,
    is_first: bool,
    sink: &Sink,
) -> Result<HttpResponse, Stop> {
    let has_no_host = |address: rfc1738::HostPort<'_>| address.node().is_empty();
    if here.base_parts().address().is_some_and(has_no_host) {
        return Err(Failure::new(format!("{} has no host", here.masked())).into());
    }
    let is_own_server = is_same_server(&here, &request.url);
    let posted = request.posted().filter(|_| is_first);
    let authorization = login::authorization(request)?.filter(|_| is_own_server);
    let trust = if is_own_server {
        request.trust.clone()
    } else {
        Trust::default()
    };
    let fields = |http_request| {
        let http_request = with_purpose(request, http_request);
        let http_request = match posted {
            Some(posted) => http_request
                .with("content-type", posted.media.clone())
                .with_body(posted.octets.clone()),
            None => http_request,
        };
        match authorization {
            Some(authorization) => http_request.with("authorization", authorization),
            None => http_request,
        }
    };
    let method = if posted.is_some() {
        Method::Post
    } else {
        Method::Get
    };
    match exchange(net, here.clone(), &trust, method, fields, sink).await {
        Err(Stop::Needs(Question::Certificate(cert_error))) if !is_own_server => {
            let why = Question::Certificate(cert_error).unanswered();
            Err(not_followed(&here, &why).into())
        }
        answer => answer,
    }
}

/// Adds the fields for the purpose of the request.
fn with_purpose(request: &Request, http_request: http::Request) -> http::Request {
    match request.purpose {
        Purpose::Show => shown(http_request),
        // A file is saved unchanged, and may resume in the middle.
        Purpose::Save | Purpose::Picture => {
            version::resumed(http_request.with("accept-encoding", "identity"), request)
        }
    }
}

/// Returns the target of a redirect that may be followed without a question.
fn target(answer: &HttpResponse) -> Result<Url, Failure> {
    let authority = &answer.authority;
    let words = trimmed(&answer.head.status_text());
    let Some(to) = answer.head.field("location") else {
        let sentence = format!("{authority} answered {words} without a target");
        return Err(Failure::new(sentence));
    };
    let Some(next) = next(&answer.here, to) else {
        return Err(not_a_url(authority, to));
    };
    if !next.is_web() {
        return Err(not_followed(&next, "only web pages are followed"));
    }
    match follow_hazard(&answer.here, &next) {
        Some(why) => Err(not_followed(&next, &why)),
        None => Ok(next),
    }
}

/// Returns the head of the page of a response.
fn page_head(answer: &HttpResponse, shape: Shape) -> PageHead {
    PageHead {
        url: (!answer.from.is_empty()).then(|| answer.here.clone()),
        from: answer.from.clone(),
        size: answer.size(),
        version: version::of(&answer.head),
        file_name: content::server_name(&answer.head),
        security: answer.security,
        storage: content::storage(&answer.head),
        ..PageHead::new(shape)
    }
}

/// Shows the body of a response. A file that answers a form is not saved, as the form would be sent again.
async fn show(
    answer: HttpResponse,
    request: &Request,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    let media = MediaType::of(&answer.head);
    let page_head = page_head(&answer, Shape::Text);
    let is_posted = request.posted().is_some() && answer.from.is_empty();
    let question = content::save_question(&answer, request, page_head.size);
    let save = |what| {
        if is_posted {
            let sentence = format!("the reply to the form is {what}");
            return Failure::new(sentence)
                .with_advice("not saved: saving would send the form again")
                .into();
        }
        question(what)
    };
    let mut kind = media.kind(b"");
    if let Some(PageKind::File(what)) = kind {
        return Err(save(what));
    }
    let mut body = Decompressed::new(answer.body, &answer.head, &answer.authority)?;
    let mut start = Vec::new();
    let mut end = None;
    while kind.is_none() && start.len() < SAMPLE && end.is_none() {
        match body.next().await {
            Ok(Some(octets)) => start.extend(octets),
            Ok(None) => end = Some(Ok(body.end())),
            // The part that came is shown, even if the rest is missing.
            Err(stop) if !start.is_empty() => end = Some(Err(stop)),
            Err(stop) => return Err(stop),
        }
    }
    if kind.is_none() {
        kind = media.kind(start.get(..SAMPLE).unwrap_or(&start));
    }
    let shape = kind.unwrap_or(PageKind::Text).shape().map_err(save)?;
    sink.begin(PageHead {
        shape,
        size: page_head.size.filter(|_| !body.is_compressed()),
        charset: media.charset,
        ..page_head
    })
    .await?;
    sink.octets(start).await?;
    if let Some(end) = end {
        return end;
    }
    while let Some(octets) = body.next().await? {
        sink.octets(octets).await?;
    }
    Ok(body.end())
}

/// Forwards the body of a response unchanged.
async fn save(
    mut answer: HttpResponse,
    request: &Request,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    let position = version::resume_position(&answer.head, request, &answer.authority)?;
    begin_at(&answer, position, sink).await?;
    while let Some(octets) = answer.body.next().await.map_err(stop)? {
        sink.octets(octets).await?;
    }
    Ok(answer.body.end())
}

/// Begins a saved file at an offset of this version.
async fn begin_at(
    answer: &HttpResponse,
    (offset, version): (u64, super::Version),
    sink: &mut Sink,
) -> Result<(), Stop> {
    let size = version.size;
    let page_head = page_head(answer, Shape::Text);
    sink.begin(PageHead {
        size,
        offset,
        version,
        ..page_head
    })
    .await
}

/// Handles a server that has no octets after the stored ones: the file is complete, or has become shorter.
async fn finish_at_end(
    net: &Net,
    request: &Request,
    answer: HttpResponse,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    if let Some(position) = version::ended(&answer.head, request)? {
        begin_at(&answer, position, sink).await?;
        return Ok(TransferEnd::Confirmed);
    }
    // The server does not report the size: the file is loaded again.
    let restart = Request {
        resume: None,
        ..request.clone()
    };
    Box::pin(load(net, &restart, sink)).await
}

fn redirect_loop(next: &Url) -> Failure {
    let next = next.masked();
    Failure::new(format!("redirect loop back to {next}"))
        .with_advice("the site may need cookies, which Geomys does not accept")
}
