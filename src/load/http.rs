//! Loading from the Web (RFC 1738, section 3.3; RFC 9110 to 9112): pages over HTTP/1.1, plain or over TLS.
//!
//! A redirection is followed, ten of them at the most, and told; not where a person would be asked first, out of TLS, or
//! out of the Web: then it is the link of a failure. What was said to one place, a name or that its certificate is good,
//! is said to no other. No script is run, and no cookie is taken or given.

mod content;
mod enter;
mod packed;
mod refused;
mod version;

use self::content::{Media, Way};
use self::enter::Entry;
use self::packed::Unpacked;
use super::sniff::SAMPLE;
use super::{
    Begin, Failure, FailureKind, Link, Phase, Purpose, Question, Request, Sink, Stop, gateway,
    sentences,
};
use crate::document::Shape;
use crate::net::{Net, Security, Stream, Trust, WebProxy, place};
use crate::protocol::http::{self, Body, Head, HttpError, Method};
use crate::text::{Charset, Text};
use crate::url::{Hazard, Http, Later, Parts, Scheme, Url, repaired};

/// Redirections that are followed.
const REDIRECTIONS: usize = 10;

/// What a page is wanted as.
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
                    return Err(circle(&next).into());
                }
                if from.len() > REDIRECTIONS {
                    let sentence = format!("more than {REDIRECTIONS} redirections, the last to");
                    return Err(Failure::new(format!("{sentence} {}", next.masked())).into());
                }
                here = next;
            }
            401 if !request.is_for_proxy() => return Err(enter::wanted(request, &answer)),
            200..=299 => return answer.take(request, sink).await,
            416 if request.resume.is_some() => {
                return nothing_more(net, request, answer, sink).await;
            }
            _ => return Err(refused::refused(answer).await.into()),
        }
    }
}

/// What a load of this URL sends.
pub(super) fn sends(url: &Http<'_>) -> Vec<u8> {
    shown(http::Request::new(Method::Get, url)).lines()
}

fn shown(request: http::Request) -> http::Request {
    request
        .with("accept", ACCEPT)
        .with("accept-encoding", "gzip")
}

/// An answer that has begun.
struct Answer {
    /// Where it comes from.
    here: Url,
    /// What led there.
    from: Vec<Url>,
    place: String,
    head: Head,
    body: Body<Stream>,
    security: Security,
}

/// Asks for what a URL names.
async fn ask(
    net: &Net,
    request: &Request,
    here: Url,
    from: Vec<Url>,
    sink: &mut Sink,
) -> Result<Answer, Stop> {
    if let gateway::Way::Proxy(proxy) = request.gateways.way(&here)? {
        return by_proxy(net, request, here.clone(), from, proxy, sink).await;
    }
    let Parts::Http(parts) = here.reading() else {
        return Err(Failure::new("this is no address of the Web").into());
    };
    let is_sealed = here.later() == Some(Later::Https);
    let host = parts.address.node();
    if host.is_empty() {
        return Err(Failure::new(format!("{} names no host to ask", here.masked())).into());
    }
    let port = parts.address.port();
    let port = port.unwrap_or(if is_sealed { 443 } else { 80 });
    let place = place(host, port);
    let is_own = is_same_place(&here, &request.url);
    let mut asked = wanted(request, http::Request::new(Method::Get, &parts));
    if let Some(Entry(authorization)) = enter::entry(request)?.filter(|_| is_own) {
        asked = asked.with("authorization", authorization);
    }
    sink.phase(Phase::Connecting).await?;
    let trust = if is_own {
        request.trust.clone()
    } else {
        Trust::default()
    };
    let (stream, security, asked) = match dial(net, &parts, is_sealed, &trust, asked).await {
        Err(Stop::Needs(Question::Certificate(doubt))) if !is_own => {
            let why = Question::Certificate(doubt).unanswered();
            return Err(led_on(&here, &why).into());
        }
        dialled => dialled?,
    };
    sink.phase(Phase::Waiting).await?;
    let exchanged = http::exchange(stream, &place, net.limits(), &asked).await;
    let (head, body) = exchanged.map_err(stop)?;
    Ok(Answer {
        here: here.clone(),
        from,
        place,
        head,
        body,
        security,
    })
}

/// Asks a proxy for what a URL of another scheme names. It is told no name and no password but its own.
async fn by_proxy(
    net: &Net,
    request: &Request,
    here: Url,
    from: Vec<Url>,
    proxy: &WebProxy,
    sink: &mut Sink,
) -> Result<Answer, Stop> {
    let place = proxy.place();
    let host = gateway::address(&here).map_or(place.as_str(), |address| address.text);
    let mut asked = wanted(request, http::Request::of_other(Method::Get, &here, host));
    if let Some(login) = proxy.authorization() {
        asked = asked.with("proxy-authorization", login);
    }
    sink.phase(Phase::Connecting).await?;
    let stream = Stream::Plain(net.connect_asked_proxy(proxy).await?);
    sink.phase(Phase::Waiting).await?;
    let exchanged = http::exchange(stream, &place, net.limits(), &asked).await;
    let (head, body) = exchanged.map_err(stop)?;
    Ok(Answer {
        here,
        from,
        place,
        head,
        body,
        security: Security::Plain,
    })
}

/// The request with what goes with it by its purpose.
fn wanted(request: &Request, asked: http::Request) -> http::Request {
    match request.purpose {
        Purpose::Show => shown(asked),
        // A file is saved as it is, and gone on with in the middle.
        Purpose::Save => version::resumed(asked.with("accept-encoding", "identity"), request),
    }
}

/// Connects to who is asked: the host of a URL, or the proxy that is set for it. Gives the request as it is asked there.
pub(super) async fn dial(
    net: &Net,
    url: &Http<'_>,
    is_sealed: bool,
    trust: &Trust,
    asked: http::Request,
) -> Result<(Stream, Security, http::Request), Stop> {
    let host = url.address.node();
    let port = if is_sealed { 443 } else { 80 };
    let port = url.address.port().unwrap_or(port);
    match (net.web_proxy(host, port, is_sealed)?, is_sealed) {
        (None, false) => {
            let stream = net.connect(host, port).await?;
            Ok((Stream::Plain(stream), Security::Plain, asked))
        }
        (None, true) => {
            let (stream, security) = net.connect_tls(host, port, trust).await?;
            Ok((stream, security, asked))
        }
        (Some(proxy), true) => {
            let stream = net.tunnel(proxy, host, port).await?;
            let (stream, security) = net.secure(stream, host, port, trust).await?;
            Ok((stream, security, asked))
        }
        (Some(proxy), false) => {
            let stream = net.connect_web_proxy(proxy, host, port).await?;
            let mut asked = asked.of_proxy();
            if let Some(login) = proxy.authorization() {
                asked = asked.with("proxy-authorization", login);
            }
            Ok((Stream::Plain(stream), Security::Plain, asked))
        }
    }
}

impl Answer {
    /// Where it leads on, when that may be followed unasked.
    fn next(&self) -> Result<Url, Failure> {
        let words = text(&self.head.words());
        let Some(to) = self.head.field("location") else {
            let sentence = format!("{} answered {words}, and does not say where to", self.place);
            return Err(Failure::new(sentence));
        };
        let Some(next) = next(&self.here, to) else {
            let to = text(to);
            let sentence = format!("{} leads on to what is no address: {to}", self.place);
            return Err(Failure::new(sentence));
        };
        if !matches!(next.reading(), Parts::Http(_)) {
            return Err(led_on(&next, "that is not on the Web"));
        }
        match unfollowed(&self.here, &next) {
            Some(why) => Err(led_on(&next, &why)),
            None => Ok(next),
        }
    }

    /// What begins with it.
    fn begin(&self, shape: Shape) -> Begin {
        Begin {
            url: (!self.from.is_empty()).then(|| self.here.clone()),
            from: self.from.clone(),
            size: self.size(),
            version: version::of(&self.head),
            security: self.security,
            ..Begin::new(shape)
        }
    }

    /// Octets that it has, where it says so.
    fn size(&self) -> Option<u64> {
        let size = self.head.field("content-length")?;
        std::str::from_utf8(size).ok()?.trim().parse().ok()
    }

    /// Hands on what it holds.
    async fn take(self, request: &Request, sink: &mut Sink) -> Result<(), Stop> {
        match request.purpose {
            Purpose::Show => self.show(sink).await,
            Purpose::Save => self.save(request, sink).await,
        }
    }

    async fn show(self, sink: &mut Sink) -> Result<(), Stop> {
        let media = Media::of(&self.head);
        let begin = self.begin(Shape::Text);
        let mut way = media.way(b"");
        if let Some(Way::File(what)) = way {
            return Err(self.saved(what));
        }
        let Self {
            here,
            place,
            head,
            body,
            ..
        } = self;
        let mut body = Unpacked::new(body, &head, &place)?;
        let mut start = Vec::new();
        let mut end = None;
        while way.is_none() && start.len() < SAMPLE && end.is_none() {
            match body.next().await {
                Ok(Some(octets)) => start.extend(octets),
                Ok(None) => end = Some(Ok(())),
                // What came is shown, also when the rest did not come.
                Err(stop) if !start.is_empty() => end = Some(Err(stop)),
                Err(stop) => return Err(stop),
            }
        }
        if way.is_none() {
            way = media.way(start.get(..SAMPLE).unwrap_or(&start));
        }
        let shape = match way {
            Some(Way::File(what)) => return Err(content::save(what, &head, &here, begin.size)),
            Some(Way::Html) => Shape::Html,
            Some(Way::Text) | None => Shape::Text,
        };
        sink.begin(Begin {
            shape,
            size: begin.size.filter(|_| !body.is_packed()),
            charset: media.charset(),
            ..begin
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

    /// The question where it is saved.
    fn saved(&self, what: &'static str) -> Stop {
        content::save(what, &self.head, &self.here, self.size())
    }

    async fn save(mut self, request: &Request, sink: &mut Sink) -> Result<(), Stop> {
        let (offset, version) = version::begins(&self.head, request, &self.place)?;
        let begin = self.begin(Shape::Text);
        sink.begin(Begin {
            size: version.size,
            offset,
            version,
            ..begin
        })
        .await?;
        while let Some(octets) = self.body.next().await.map_err(stop)? {
            sink.octets(octets).await?;
        }
        Ok(())
    }
}

/// The server has nothing behind what is here: that is all of it, or it has become shorter.
async fn nothing_more(
    net: &Net,
    request: &Request,
    answer: Answer,
    sink: &mut Sink,
) -> Result<(), Stop> {
    if let Some((offset, version)) = version::ended(&answer.head, request)? {
        let begin = answer.begin(Shape::Text);
        return sink
            .begin(Begin {
                size: version.size,
                offset,
                version,
                ..begin
            })
            .await;
    }
    // It does not say how much there is: all of it comes again.
    let anew = Request {
        resume: None,
        ..request.clone()
    };
    Box::pin(load(net, &anew, sink)).await
}

/// Whether two URLs of the Web are of one server, spoken to in the same way.
fn is_same_place(one: &Url, other: &Url) -> bool {
    let place = |url: &Url| {
        let reading = url.reading();
        let address = reading.address()?;
        let host = address.node().to_ascii_lowercase();
        Some((url.later(), host, address.port()))
    };
    place(one).is_some() && place(one) == place(other)
}

/// Where a redirection leads, without its fragment.
fn next(here: &Url, to: &[u8]) -> Option<Url> {
    let to = std::str::from_utf8(to).ok()?.trim();
    let to = to.split('#').next().unwrap_or_default();
    here.resolve(to).ok().or_else(|| repaired(to, here))
}

/// Why a redirection is not followed unasked, also by who does not show a page: it leads out of TLS, or to what a person
/// would be asked about. Nothing where it may be followed.
pub(super) fn unfollowed(here: &Url, next: &Url) -> Option<String> {
    let is_web = matches!(next.reading(), Parts::Http(_));
    if is_web && here.later() == Some(Later::Https) && next.later() != Some(Later::Https) {
        let why = "from https to plain http, which anybody on the way can read and change";
        return Some(why.to_owned());
    }
    if next.scheme() == Scheme::File {
        return Some("to a file of this machine".to_owned());
    }
    let hazards_to_confirm: Vec<Hazard> = next.hazards().into_iter().collect();
    let hazards_to_confirm: Vec<Hazard> = hazards_to_confirm
        .into_iter()
        .filter(|hazard| hazard.asks() || hazard.forbids())
        .collect();
    (!hazards_to_confirm.is_empty()).then(|| sentences(&hazards_to_confirm))
}

/// The failure of a redirection that is not followed unasked.
fn led_on(next: &Url, why: &str) -> Failure {
    let label = Text::of(&next.masked());
    Failure {
        advice: Some("it was not followed; it is the link of this page"),
        next: Some(Box::new(Link::new(label, Ok(next.clone())))),
        ..Failure::new(format!("it leads on to {}: {why}", next.masked()))
    }
}

fn circle(next: &Url) -> Failure {
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
        HttpError::Garbled { .. } => Stop::Failed(Failure {
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
