//! Loading from the Web (RFC 1738, section 3.3; RFC 9110 to 9112): pages over HTTP/1.1, plain or over TLS.
//!
//! Redirects are followed, ten at most, and reported. A redirect that needs a confirmation, leaves TLS or leaves the
//! Web is not followed: it becomes the link of a failure. A login or an accepted certificate is valid for one server
//! only. No script is run, and no cookie is accepted or sent.

mod content;
mod decompress;
mod error_status;
mod login;
mod version;

use self::content::{MediaType, PageKind};
use self::decompress::Decompressed;
use self::login::Authorization;
use super::sniff::SAMPLE;
use super::{
    Failure, FailureKind, Link, PageHead, Phase, Purpose, Question, Request, Sink, Stop, gateway,
    hazard_sentences,
};
use crate::document::Shape;
use crate::net::{Net, Security, Stream, Trust, WebProxy, authority};
use crate::protocol::http::{self, Body, HttpError, Method, ResponseHead};
use crate::text::{Charset, Text};
use crate::url::{ExtensionScheme, Hazard, Http, Parts, Scheme, Url, repair_reference};

/// The most redirects that are followed.
const REDIRECTIONS: usize = 10;

/// The `Accept` field for a page.
const ACCEPT: &str = "text/html, application/xhtml+xml, text/*;q=0.9, */*;q=0.8";

/// Loads an `http:` or `https:` URL.
pub(super) async fn load(net: &Net, request: &Request, sink: &mut Sink) -> Result<(), Stop> {
    let mut here = request.url.clone();
    let mut from = Vec::new();
    loop {
        let mut answer = ask(net, request, here, from, sink).await?;
        match answer.head.status {
            301 | 302 | 303 | 307 | 308 => {
                let next = answer.next()?;
                from = std::mem::take(&mut answer.from);
                from.push(answer.here);
                if from.contains(&next) {
                    return Err(redirect_loop(&next).into());
                }
                if from.len() > REDIRECTIONS {
                    let sentence = format!("more than {REDIRECTIONS} redirections, the last to");
                    return Err(Failure::new(format!("{sentence} {}", next.masked())).into());
                }
                here = next;
            }
            401 if !request.is_for_proxy() => return Err(login::login_question(request, &answer)),
            200..=299 => return answer.take(request, sink).await,
            416 if request.resume.is_some() => {
                return finish_at_end(net, request, answer, sink).await;
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
    request
        .with("accept", ACCEPT)
        .with("accept-encoding", "gzip")
}

/// A response whose head has arrived.
struct HttpResponse {
    /// The URL of the response.
    here: Url,
    /// The redirect chain before it.
    from: Vec<Url>,
    authority: String,
    head: ResponseHead,
    body: Body<Stream>,
    security: Security,
}

/// Requests a URL.
async fn ask(
    net: &Net,
    request: &Request,
    here: Url,
    from: Vec<Url>,
    sink: &mut Sink,
) -> Result<HttpResponse, Stop> {
    if let gateway::GatewayRoute::Proxy(proxy) = request.gateways.route(&here)? {
        return by_proxy(net, request, here.clone(), from, proxy, sink).await;
    }
    let Parts::Http(parts) = here.base_parts() else {
        return Err(Failure::new("this is no address of the Web").into());
    };
    let is_tls = here.extension_scheme() == Some(ExtensionScheme::Https);
    let host = parts.address.node();
    if host.is_empty() {
        return Err(Failure::new(format!("{} names no host to ask", here.masked())).into());
    }
    let port = parts.address.port();
    let port = port.unwrap_or(if is_tls { 443 } else { 80 });
    let authority = authority(host, port);
    let is_own_server = is_same_server(&here, &request.url);
    let mut http_request = with_purpose(request, http::Request::new(Method::Get, &parts));
    if let Some(Authorization(authorization)) =
        login::authorization(request)?.filter(|_| is_own_server)
    {
        http_request = http_request.with("authorization", authorization);
    }
    sink.phase(Phase::Connecting).await?;
    let trust = if is_own_server {
        request.trust.clone()
    } else {
        Trust::default()
    };
    let (stream, security, http_request) =
        match dial(net, &parts, is_tls, &trust, http_request).await {
            Err(Stop::Needs(Question::Certificate(cert_error))) if !is_own_server => {
                let why = Question::Certificate(cert_error).unanswered();
                return Err(not_followed(&here, &why).into());
            }
            dialled => dialled?,
        };
    sink.phase(Phase::Waiting).await?;
    let exchanged = http::exchange(stream, &authority, net.limits(), &http_request).await;
    let (head, body) = exchanged.map_err(stop)?;
    Ok(HttpResponse {
        here: here.clone(),
        from,
        authority,
        head,
        body,
        security,
    })
}

/// Requests a URL of another scheme from a proxy, which receives no login but its own.
async fn by_proxy(
    net: &Net,
    request: &Request,
    here: Url,
    from: Vec<Url>,
    proxy: &WebProxy,
    sink: &mut Sink,
) -> Result<HttpResponse, Stop> {
    let authority = proxy.authority();
    let host = gateway::address(&here).map_or(authority.as_str(), |address| address.text);
    let mut http_request = with_purpose(
        request,
        http::Request::for_other_scheme(Method::Get, &here, host),
    );
    if let Some(login) = proxy.authorization() {
        http_request = http_request.with("proxy-authorization", login);
    }
    sink.phase(Phase::Connecting).await?;
    let stream = Stream::Plain(net.connect_gateway_proxy(proxy).await?);
    sink.phase(Phase::Waiting).await?;
    let exchanged = http::exchange(stream, &authority, net.limits(), &http_request).await;
    let (head, body) = exchanged.map_err(stop)?;
    Ok(HttpResponse {
        here,
        from,
        authority,
        head,
        body,
        security: Security::Plain,
    })
}

/// Adds the fields for the purpose of the request.
fn with_purpose(request: &Request, http_request: http::Request) -> http::Request {
    match request.purpose {
        Purpose::Show => shown(http_request),
        // A file is saved unchanged, and may resume in the middle.
        Purpose::Save => {
            version::resumed(http_request.with("accept-encoding", "identity"), request)
        }
    }
}

/// Connects to the host of a URL, or to the proxy for it. Returns the request in the form for that server.
pub(super) async fn dial(
    net: &Net,
    url: &Http<'_>,
    is_tls: bool,
    trust: &Trust,
    http_request: http::Request,
) -> Result<(Stream, Security, http::Request), Stop> {
    let host = url.address.node();
    let port = if is_tls { 443 } else { 80 };
    let port = url.address.port().unwrap_or(port);
    match (net.web_proxy(host, port, is_tls)?, is_tls) {
        (None, false) => {
            let stream = net.connect(host, port).await?;
            Ok((Stream::Plain(stream), Security::Plain, http_request))
        }
        (None, true) => {
            let (stream, security) = net.connect_tls(host, port, trust).await?;
            Ok((stream, security, http_request))
        }
        (Some(proxy), true) => {
            let stream = net.tunnel(proxy, host, port).await?;
            let (stream, security) = net.start_tls(stream, host, port, trust).await?;
            Ok((stream, security, http_request))
        }
        (Some(proxy), false) => {
            let stream = net.connect_web_proxy(proxy, host, port).await?;
            let mut http_request = http_request.for_proxy();
            if let Some(login) = proxy.authorization() {
                http_request = http_request.with("proxy-authorization", login);
            }
            Ok((Stream::Plain(stream), Security::Plain, http_request))
        }
    }
}

impl HttpResponse {
    /// Returns the target of a redirect that may be followed without a question.
    fn next(&self) -> Result<Url, Failure> {
        let words = text(&self.head.status_text());
        let Some(to) = self.head.field("location") else {
            let sentence = format!(
                "{} answered {words}, and does not say where to",
                self.authority
            );
            return Err(Failure::new(sentence));
        };
        let Some(next) = next(&self.here, to) else {
            let to = text(to);
            let sentence = format!("{} leads on to what is no address: {to}", self.authority);
            return Err(Failure::new(sentence));
        };
        if !matches!(next.base_parts(), Parts::Http(_)) {
            return Err(not_followed(&next, "that is not on the Web"));
        }
        match follow_hazard(&self.here, &next) {
            Some(why) => Err(not_followed(&next, &why)),
            None => Ok(next),
        }
    }

    /// Returns the head of the page.
    fn begin(&self, shape: Shape) -> PageHead {
        PageHead {
            url: (!self.from.is_empty()).then(|| self.here.clone()),
            from: self.from.clone(),
            size: self.size(),
            version: version::of(&self.head),
            security: self.security,
            ..PageHead::new(shape)
        }
    }

    /// Returns the size of the body in octets, when the server gives it.
    fn size(&self) -> Option<u64> {
        let size = self.head.field("content-length")?;
        std::str::from_utf8(size).ok()?.trim().parse().ok()
    }

    /// Forwards the body.
    async fn take(self, request: &Request, sink: &mut Sink) -> Result<(), Stop> {
        match request.purpose {
            Purpose::Show => self.show(sink).await,
            Purpose::Save => self.save(request, sink).await,
        }
    }

    async fn show(self, sink: &mut Sink) -> Result<(), Stop> {
        let media = MediaType::of(&self.head);
        let page_head = self.begin(Shape::Text);
        let mut kind = media.kind(b"");
        if let Some(PageKind::File(what)) = kind {
            return Err(self.save_question(what));
        }
        let Self {
            here,
            authority,
            head,
            body,
            ..
        } = self;
        let mut body = Decompressed::new(body, &head, &authority)?;
        let mut start = Vec::new();
        let mut end = None;
        while kind.is_none() && start.len() < SAMPLE && end.is_none() {
            match body.next().await {
                Ok(Some(octets)) => start.extend(octets),
                Ok(None) => end = Some(Ok(())),
                // The part that came is shown, even if the rest is missing.
                Err(stop) if !start.is_empty() => end = Some(Err(stop)),
                Err(stop) => return Err(stop),
            }
        }
        if kind.is_none() {
            kind = media.kind(start.get(..SAMPLE).unwrap_or(&start));
        }
        let shape = match kind {
            Some(PageKind::File(what)) => {
                return Err(content::save_question(what, &head, &here, page_head.size));
            }
            Some(PageKind::Html) => Shape::Html,
            Some(PageKind::Text) | None => Shape::Text,
        };
        sink.begin(PageHead {
            shape,
            size: page_head.size.filter(|_| !body.is_compressed()),
            charset: media.charset(),
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
        Ok(())
    }

    /// Returns the question for a file that is to be saved.
    fn save_question(&self, what: &'static str) -> Stop {
        content::save_question(what, &self.head, &self.here, self.size())
    }

    async fn save(mut self, request: &Request, sink: &mut Sink) -> Result<(), Stop> {
        let (offset, version) = version::resume_position(&self.head, request, &self.authority)?;
        let page_head = self.begin(Shape::Text);
        sink.begin(PageHead {
            size: version.size,
            offset,
            version,
            ..page_head
        })
        .await?;
        while let Some(octets) = self.body.next().await.map_err(stop)? {
            sink.octets(octets).await?;
        }
        Ok(())
    }
}

/// Handles a server that has no octets after the stored ones: the file is complete, or has become shorter.
async fn finish_at_end(
    net: &Net,
    request: &Request,
    answer: HttpResponse,
    sink: &mut Sink,
) -> Result<(), Stop> {
    if let Some((offset, version)) = version::ended(&answer.head, request)? {
        let page_head = answer.begin(Shape::Text);
        return sink
            .begin(PageHead {
                size: version.size,
                offset,
                version,
                ..page_head
            })
            .await;
    }
    // The server does not report the size: the file is loaded again.
    let restart = Request {
        resume: None,
        ..request.clone()
    };
    Box::pin(load(net, &restart, sink)).await
}

/// Returns true if two URLs of the Web have the same server and the same use of TLS.
fn is_same_server(one: &Url, other: &Url) -> bool {
    let authority = |url: &Url| {
        let reading = url.base_parts();
        let address = reading.address()?;
        let host = address.node().to_ascii_lowercase();
        Some((url.extension_scheme(), host, address.port()))
    };
    authority(one).is_some() && authority(one) == authority(other)
}

/// Returns the target of a redirect, without its fragment.
fn next(here: &Url, to: &[u8]) -> Option<Url> {
    let to = std::str::from_utf8(to).ok()?.trim();
    let to = to.split('#').next().unwrap_or_default();
    here.resolve(to).ok().or_else(|| repair_reference(to, here))
}

/// Returns why a redirect is not followed without a question: it leaves TLS, or has hazards that a person has to
/// confirm. None when it may be followed. Link checks use it too.
pub(super) fn follow_hazard(here: &Url, next: &Url) -> Option<String> {
    let is_web = matches!(next.base_parts(), Parts::Http(_));
    if is_web
        && here.extension_scheme() == Some(ExtensionScheme::Https)
        && next.extension_scheme() != Some(ExtensionScheme::Https)
    {
        let why = "from https to plain http, which anybody on the way can read and change";
        return Some(why.to_owned());
    }
    if next.scheme() == Scheme::File {
        return Some("to a file of this machine".to_owned());
    }
    let hazards_to_confirm: Vec<Hazard> = next.hazards().into_iter().collect();
    let hazards_to_confirm: Vec<Hazard> = hazards_to_confirm
        .into_iter()
        .filter(|hazard| hazard.needs_confirmation() || hazard.is_forbidden())
        .collect();
    (!hazards_to_confirm.is_empty()).then(|| hazard_sentences(&hazards_to_confirm))
}

/// Returns the failure for a redirect that is not followed.
fn not_followed(next: &Url, why: &str) -> Failure {
    let label = Text::of(&next.masked());
    Failure {
        advice: Some("it was not followed; it is the link of this page"),
        next: Some(Box::new(Link::new(label, Ok(next.clone())))),
        ..Failure::new(format!("it leads on to {}: {why}", next.masked()))
    }
}

fn redirect_loop(next: &Url) -> Failure {
    Failure {
        advice: Some("the site may want a cookie, and Geomys takes none"),
        ..Failure::new(format!(
            "its redirections lead in a circle, back to {}",
            next.masked()
        ))
    }
}

fn stop(error: HttpError) -> Stop {
    match error {
        HttpError::Net(error) => error.into(),
        HttpError::Malformed { .. } => Stop::Failed(Failure {
            kind: FailureKind::Transient,
            advice: Some("another protocol may live on that port"),
            ..Failure::new(Text::of(&error.to_string()).to_string())
        }),
        HttpError::Unsendable => Failure::new(error.to_string()).into(),
    }
}

fn text(octets: &[u8]) -> String {
    let text = Text::new(octets, Charset::default());
    text.as_str().trim().to_owned()
}
