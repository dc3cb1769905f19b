//! A request to a server of the Web, and the response up to its body.

use geomys_wire::net::{Net, Security, Stream, Trust, WebProxy, authority};
use geomys_wire::protocol::http::{self, Body, HttpError, Method, Request, ResponseHead};
use geomys_wire::text::Text;
use rfc1738::{ExtensionScheme, Protocol, Url};

use crate::load::{Failure, FailureKind, Phase, Sink, Stop};

/// A response whose head has arrived.
pub(super) struct HttpResponse {
    /// The URL of the response.
    pub(super) here: Url,
    /// The redirect chain before it.
    pub(super) from: Vec<Url>,
    pub(super) authority: String,
    pub(super) head: ResponseHead,
    pub(super) body: Body<Stream>,
    pub(super) security: Security,
}

/// Connects to the server of a URL, or to the proxy for it, and sends a request with these `fields`.
pub(super) async fn exchange(
    net: &Net,
    here: Url,
    trust: &Trust,
    method: Method,
    fields: impl FnOnce(Request) -> Request,
    sink: &Sink,
) -> Result<HttpResponse, Stop> {
    let Protocol::Http(parts) = here.protocol() else {
        return Err(Failure::new("not a web URL").into());
    };
    let is_tls = here.extension_scheme() == Some(ExtensionScheme::Https);
    let host = parts.address.node();
    let port = parts.address.port();
    let mut request = fields(Request::new(method, &parts));
    sink.phase(Phase::Connecting).await?;
    let connected = match (net.web_proxy(host, port, is_tls)?, is_tls) {
        (None, false) => {
            let stream = net.connect(host, port).await?;
            (Stream::Plain(stream), Security::Plain)
        }
        (None, true) => net.connect_tls(host, port, trust).await?,
        (Some(proxy), true) => {
            let stream = net.tunnel(proxy, host, port).await?;
            net.start_tls(stream, host, port, trust).await?
        }
        (Some(proxy), false) => {
            let stream = net.connect_web_proxy(proxy, host, port).await?;
            request = with_login(request.for_proxy(), proxy);
            (Stream::Plain(stream), Security::Plain)
        }
    };
    let authority = authority(host, port);
    HttpResponse::receive(net, here, authority, connected, &request, sink).await
}

/// Adds the login of a proxy to a request.
fn with_login(request: Request, proxy: &WebProxy) -> Request {
    match proxy.authorization() {
        Some(login) => request.with("proxy-authorization", login),
        None => request,
    }
}

impl HttpResponse {
    /// Sends a request, and receives the head of the response.
    async fn receive(
        net: &Net,
        here: Url,
        authority: String,
        (stream, security): (Stream, Security),
        request: &Request,
        sink: &Sink,
    ) -> Result<Self, Stop> {
        sink.phase(Phase::Waiting).await?;
        let exchanged = http::exchange(stream, &authority, net.limits(), request).await;
        let (head, body) = exchanged.map_err(stop)?;
        Ok(Self {
            here,
            from: Vec::new(),
            authority,
            head,
            body,
            security,
        })
    }

    /// Returns the size of the body in octets, when the server gives it.
    pub(super) fn size(&self) -> Option<u64> {
        let size = self.head.field("content-length")?;
        std::str::from_utf8(size).ok()?.trim().parse().ok()
    }
}

/// Converts an error of HTTP to the end of a load.
pub(super) fn stop(error: HttpError) -> Stop {
    match error {
        HttpError::Net(error) => error.into(),
        HttpError::Malformed { .. } => Failure::new(Text::of(&error.to_string()).to_string())
            .with_kind(FailureKind::Malformed)
            .with_advice("another protocol may use that port")
            .into(),
        HttpError::Unsendable => Failure::new(error.to_string()).into(),
    }
}
