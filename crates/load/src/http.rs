//! Loading from the Web (RFC 1738, section 3.3; RFC 9110 to 9112): pages over HTTP/1.1, plain or over TLS.
//!
//! Redirects are followed, ten at most, and reported. A redirect that needs a confirmation, leaves TLS or leaves the
//! Web is not followed: it becomes the link of a failure. A login or an accepted certificate is valid for one server
//! only. No script is run; cookies are accepted and sent for pages that a person opens.

mod content;
mod response;
mod version;

use geomys_wire::net::{RequestNet, TransferEnd, Trust};
use geomys_wire::protocol::http::{self, Method, ResponseHead};
use rfc1738::{ExtensionScheme, Http, Url};

pub(super) use self::content::{MediaType, PageKind};
use self::response::{Decompressed, HttpResponse, exchange, stop};
use self::version::Condition;
use super::cookies::{CookieJar, is_same_site};
use super::redirect::{Redirect, Redirects, is_same_server, not_followed, target};
use super::sniff::SAMPLE;
use super::{
    Failure, FailureKind, PageHead, PageStorage, Purpose, Question, Request, SaveRequest, Sink,
    Stop,
};
use geomys_page::document::{Kind, Shape, suffix};

/// The `Accept` field for a page.
const ACCEPT: &str = "text/html, application/xhtml+xml, text/*;q=0.9, */*;q=0.8";

/// Loads an `http:` or `https:` URL.
pub(super) async fn load(
    net: &RequestNet,
    request: &Request,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    let mut redirects = Redirects::new(net, request);
    let mut copy = request.save.copy.is_some();
    loop {
        let is_first = redirects.from.is_empty();
        let known = request.copy_of(&redirects.here).filter(|_| copy);
        // The copy is that of a page without cookies.
        let known = known.filter(|_| cookies(request, &redirects.here, false).is_none());
        let condition = known.and_then(|copy| version::condition(&copy.version));
        let fields = (is_first, condition.clone());
        let mut answer = HttpResponse {
            from: redirects.from.clone(),
            ..ask(&redirects.net, request, &redirects.here, fields, sink).await?
        };
        match answer.head.status {
            304 | 412 if condition.is_some() => {
                if known.is_some_and(|copy| version::confirms(&answer.head, copy)) {
                    return sink.unchanged(page_head(&answer, Shape::Text)).await;
                }
                // The answer is about another version than that of the copy.
                copy = false;
            }
            _ if is_redirect(&answer.head) && has_target(&answer.head) => {
                redirects.may_return |= answer.has_new_cookies;
                let redirect = redirect(&answer)?;
                answer.read_rest(&redirects.net).await;
                // After a redirect nothing is sent again.
                let is_posted = request.posted().is_some() && is_first;
                if is_posted && matches!(answer.head.status, 307 | 308) {
                    let why = "the server redirects the form there";
                    return Err(not_followed(&redirect.to, why).into());
                }
                redirects.follow(redirect, sink)?;
            }
            206 if request.purpose != Purpose::Check && !asks_for_a_part(request) => {
                return Err(unasked_part(&answer).into());
            }
            200..=299 => {
                return match request.purpose {
                    Purpose::Show => show(answer, request, sink).await,
                    Purpose::Save | Purpose::Picture => save(answer, request, sink).await,
                    Purpose::Check => found(&answer, sink).await,
                };
            }
            // One octet was requested, and an empty file has none.
            416 if request.purpose == Purpose::Check => return found(&answer, sink).await,
            416 if request.save.resume.is_some() => {
                return finish_at_end(&redirects.net, request, answer, sink).await;
            }
            401 if request.purpose != Purpose::Check => {
                answer.read_rest(&redirects.net).await;
                return Err(response::login_question(request, &answer));
            }
            _ => {
                let head = page_head(&answer, Shape::Text);
                sink.pause = content::pause(&answer.head);
                let failure = content::failure(&redirects.net, answer, request).await;
                if sink.moved.is_some() && failure.kind == FailureKind::Permanent {
                    // A new address exists, for those who may read it.
                    sink.begin(head).await?;
                }
                return Err(failure.into());
            }
        }
    }
}

fn is_redirect(head: &ResponseHead) -> bool {
    matches!(head.status, 301 | 302 | 303 | 307 | 308)
}

/// Returns true for a request with a range.
fn asks_for_a_part(request: &Request) -> bool {
    let resume = request.save.resume.as_ref();
    request.purpose != Purpose::Show && resume.is_some_and(|resume| resume.offset > 0)
}

/// Returns the failure of a part of a page for a request of all of it.
fn unasked_part(answer: &HttpResponse) -> Failure {
    let sentence = format!("{} sent a part of the page unasked", answer.authority);
    Failure::new(sentence).with_kind(FailureKind::Malformed)
}

fn has_target(head: &ResponseHead) -> bool {
    head.field("location").is_some()
}

/// Ends a link check: the body is dropped, and the connection with it.
async fn found(answer: &HttpResponse, sink: &mut Sink) -> Result<TransferEnd, Stop> {
    sink.begin(page_head(answer, Shape::Text)).await?;
    Ok(TransferEnd::Confirmed)
}

/// Returns the request head that a load of this URL sends.
pub(super) fn request_preview(url: &Http<'_>) -> Vec<u8> {
    shown(http::Request::new(Method::Get, url)).lines()
}

fn shown(request: http::Request) -> http::Request {
    let request = request.with("accept", ACCEPT);
    request.with("accept-encoding", "gzip")
}

/// Requests a URL, with a condition if there is one. Only the first request sends the answers to a form. A link check
/// sends HEAD, and GET of one octet before a target is missing or refused, or its server unreachable: many servers
/// answer HEAD wrongly, or not at all.
async fn ask(
    net: &RequestNet,
    request: &Request,
    here: &Url,
    (is_first, condition): (bool, Option<Condition>),
    sink: &Sink,
) -> Result<HttpResponse, Stop> {
    let posted = request.posted().filter(|_| is_first);
    let method = match request.purpose {
        Purpose::Check => Method::Head,
        Purpose::Show | Purpose::Save | Purpose::Picture if posted.is_some() => Method::Post,
        Purpose::Show | Purpose::Save | Purpose::Picture => Method::Get,
    };
    let answer = ask_by(net, request, here, (method, condition), sink).await?;
    if let (Method::Head, Ok(answer)) = (&method, &answer)
        && answer.head.status == 206
    {
        return Err(unasked_part(answer).into());
    }
    let is_believed = |head: &ResponseHead| {
        is_redirect(head) && has_target(head)
            || (200..300).contains(&head.status)
            || content::says_later(head.status)
    };
    if method != Method::Head
        || answer
            .as_ref()
            .is_ok_and(|answer| is_believed(&answer.head))
    {
        return answer;
    }
    ask_by(net, request, here, (Method::GetOctet, None), sink).await?
}

/// Requests a URL by this method. The inner error is that of a server that took the request and gave no answer.
async fn ask_by(
    net: &RequestNet,
    request: &Request,
    here: &Url,
    (method, condition): (Method, Option<Condition>),
    sink: &Sink,
) -> Result<Result<HttpResponse, Stop>, Stop> {
    let has_no_host = |address: rfc1738::HostPort<'_>| address.node().is_empty();
    if here.base_parts().address().is_some_and(has_no_host) {
        return Err(Failure::new(format!("{} has no host", here.masked())).into());
    }
    let is_own_server = is_same_server(here, &request.url);
    let posted = request.posted().filter(|_| method == Method::Post);
    let authorization = response::authorization(request)?.filter(|_| is_own_server);
    let trust = if is_own_server {
        request.trust.clone()
    } else {
        Trust::default()
    };
    let cookies = cookies(request, here, posted.is_some());
    // Over TLS no server is that old.
    let is_tls = here.extension_scheme() == Some(ExtensionScheme::Https);
    let fields = |http_request| {
        let http_request = with_purpose(request, http_request);
        let http_request = if request.is_attended && request.purpose == Purpose::Show && !is_tls {
            http_request.with_bare_reply()
        } else {
            http_request
        };
        let http_request = match posted {
            Some(posted) => http_request
                .with("content-type", posted.media.clone())
                .with_body(posted.octets.clone()),
            None => http_request,
        };
        let http_request = match condition.filter(|_| method == Method::Get) {
            Some((name, value)) => http_request.with(name, value),
            None => http_request,
        };
        let http_request = match &cookies {
            Some(cookies) => http_request.with("cookie", cookies.clone()),
            None => http_request,
        };
        match authorization {
            Some(authorization) => http_request.with("authorization", authorization),
            None => http_request,
        }
    };
    match exchange(net, here.clone(), &trust, method, fields, sink).await {
        Err(Stop::Needs(Question::Certificate(cert_error))) if !is_own_server => {
            let why = Question::Certificate(cert_error).unanswered();
            Err(not_followed(here, &why).into())
        }
        Ok(Ok(mut answer)) => {
            answer.has_cookies = cookies.is_some();
            if let Some(jar) = jar(request) {
                answer.has_new_cookies = jar.take(here, &answer.head);
            }
            Ok(Ok(answer))
        }
        unanswered => unanswered,
    }
}

/// Returns the jar of a page that a person opens.
fn jar(request: &Request) -> Option<&CookieJar> {
    let jar = request.settings.cookies.as_deref();
    jar.filter(|_| request.purpose == Purpose::Show)
}

/// Returns the cookies that a request for `here` sends. A form on a page of another site sends none: its answers would
/// be those of the person who is logged in here.
fn cookies(request: &Request, here: &Url, is_posted: bool) -> Option<String> {
    let by_other = |page: &Url| !is_same_site(page, here);
    if is_posted && request.reason.namer().page().is_some_and(by_other) {
        return None;
    }
    jar(request)?.field_for(here)
}

/// Adds the fields for the purpose of the request.
fn with_purpose(request: &Request, http_request: http::Request) -> http::Request {
    match request.purpose {
        Purpose::Show => shown(http_request),
        // A file is saved unchanged, and may resume in the middle.
        Purpose::Save | Purpose::Picture => {
            version::resumed(http_request.with("accept-encoding", "identity"), request)
        }
        Purpose::Check => http_request,
    }
}

/// Returns the redirect of an answer.
fn redirect(answer: &HttpResponse) -> Result<Redirect, Failure> {
    let authority = &answer.authority;
    let to = answer.head.field("location").unwrap_or_default();
    let to = target(&answer.here, to, authority)?;
    Ok(Redirect {
        leaves: (!to.is_web()).then(|| "only web pages are followed".to_owned()),
        is_permanent: matches!(answer.head.status, 301 | 308),
        to,
    })
}

/// Returns the head of the page of a response.
fn page_head(answer: &HttpResponse, shape: Shape) -> PageHead {
    let media = MediaType::of(&answer.head);
    PageHead {
        url: (!answer.from.is_empty()).then(|| answer.here.clone()),
        from: answer.from.clone(),
        size: answer.size(),
        version: version::of(&answer.head),
        file_name: content::server_name(&answer.head),
        security: answer.security,
        charset: media.charset,
        charset_name: media.charset_name,
        unknown_charset: media.unknown_charset,
        refresh: answer
            .head
            .field("refresh")
            .map(|field| String::from_utf8_lossy(field).into()),
        storage: match content::storage(&answer.head) {
            PageStorage::Allowed if answer.has_cookies => PageStorage::Personal,
            storage => storage,
        },
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
    let media = match answer.head.field("content-encoding") {
        // What is inside has no type of its own.
        Some(_) if media.is_compression() => MediaType::default(),
        _ => media,
    };
    let media = media.read_as(request.chosen_charset());
    let page_head = page_head(&answer, Shape::Text);
    let is_posted = request.posted().is_some() && answer.from.is_empty();
    let question = content::save_question(&answer, request, page_head.size);
    let save = |kind| {
        if is_posted {
            let sentence = format!("the reply to the form is {}", suffix::kind_words(kind));
            return Failure::new(sentence)
                .with_advice("not saved: saving would send the form again")
                .into();
        }
        question(kind)
    };
    let mut kind = media.kind(b"");
    // Of the files that cannot be shown only binary ones may be packed.
    if let Some(PageKind::File(file)) = kind
        && (file != Kind::Binary || is_posted)
    {
        return Err(save(file));
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
    let page_head = PageHead {
        size: page_head.size.filter(|_| !body.is_compressed()),
        ..page_head
    };
    match kind.unwrap_or(PageKind::Text).shape() {
        Ok(shape) => sink.begin(PageHead { shape, ..page_head }).await?,
        Err(file) => sink.begin_or(page_head, save(file))?,
    }
    sink.octets(start).await?;
    if let Some(end) = end {
        return end;
    }
    while let Some(octets) = body.next().await? {
        sink.octets(octets).await?;
    }
    Ok(body.end())
}

/// Forwards the body of a response unchanged, or without the compression of a page that was not asked for.
async fn save(
    mut answer: HttpResponse,
    request: &Request,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    let mut position = version::resume_position(&answer.head, request, &answer.authority)?;
    let is_decoded = request.save.decodes && is_compressed_page(&answer, request);
    if is_decoded && position.0 > 0 {
        let sentence = format!("{} sent a part of a compressed page", answer.authority);
        let failure = Failure::new(sentence).with_kind(FailureKind::ResumeMismatch);
        return Err(failure.into());
    }
    if is_decoded {
        // The size is that of the compressed octets.
        position.1.size = None;
    }
    begin_at(&answer, position, sink).await?;
    if is_decoded || response::is_packed_on_the_way(&answer.head) {
        let mut body = Decompressed::new(answer.body, &answer.head, &answer.authority)?;
        while let Some(octets) = body.next().await? {
            sink.octets(octets).await?;
        }
        return Ok(body.end());
    }
    while let Some(octets) = answer.body.next().await.map_err(stop)? {
        sink.octets(octets).await?;
    }
    Ok(answer.body.end())
}

/// Returns true for a page, or what has no type, in a compression that can be read.
fn is_compressed_page(answer: &HttpResponse, request: &Request) -> bool {
    let media = MediaType::of(&answer.head).read_as(request.chosen_charset());
    let is_file = media.is_compression() || matches!(media.kind(b""), Some(PageKind::File(_)));
    !is_file && response::is_readable_encoding(&answer.head)
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
    net: &RequestNet,
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
        save: SaveRequest {
            resume: None,
            ..request.save.clone()
        },
        ..request.clone()
    };
    Box::pin(load(net, &restart, sink)).await
}
