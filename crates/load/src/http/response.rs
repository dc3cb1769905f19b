//! A request to a server of the Web, with a login if it has one (RFC 7617: only `Basic`, which is as safe as its
//! connection), and the response up to its body, which is decompressed: gzip (RFC 1952) is the only compression that is
//! requested, and deflate is read too.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::write::{DeflateDecoder, GzDecoder, ZlibDecoder};
use geomys_wire::net::{RequestNet, Security, Stream, TransferEnd, Trust, WebProxy, authority};
use geomys_wire::protocol::http::{self, Body, HttpError, Method, Request, ResponseHead};
use geomys_wire::text::Text;
use rfc1738::{ExtensionScheme, Protocol, Url};

use crate::redirect::{is_same_server, not_followed};
use crate::words::trimmed;
use crate::{Failure, FailureKind, Phase, Question, Sink, Stop};

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
    /// True if the request had cookies, and if the answer has set or removed one.
    pub(super) has_cookies: bool,
    pub(super) has_new_cookies: bool,
}

/// Connects to the server of a URL, or to the proxy for it, and sends a request with these `fields`.
pub(super) async fn exchange(
    net: &RequestNet,
    here: Url,
    trust: &Trust,
    method: Method,
    fields: impl FnOnce(Request) -> Request,
    sink: &Sink,
) -> Result<Result<HttpResponse, Stop>, Stop> {
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
            (Stream::from(stream), Security::Plain)
        }
        (None, true) => net.connect_tls(host, port, trust).await?,
        (Some(proxy), true) => {
            let stream = net.tunnel(proxy, host, port).await?;
            net.start_tls(stream, host, port, trust).await?
        }
        (Some(proxy), false) => {
            let stream = net.connect_web_proxy(proxy, host, port).await?;
            request = with_login(request.for_proxy(), proxy);
            (Stream::from(stream), Security::Plain)
        }
    };
    let authority = authority(host, port);
    let connected = (net.recorded(connected.0), connected.1);
    sink.phase(Phase::Waiting).await?;
    Ok(HttpResponse::receive(net, here, authority, connected, &request).await)
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
        net: &RequestNet,
        here: Url,
        authority: String,
        (stream, security): (Stream, Security),
        request: &Request,
    ) -> Result<Self, Stop> {
        let exchanged = http::exchange(stream, &authority, net.limits(), request).await;
        let (head, body) = exchanged.map_err(stop)?;
        Ok(Self {
            here,
            from: Vec::new(),
            authority,
            head,
            body,
            security,
            has_cookies: false,
            has_new_cookies: false,
        })
    }

    /// Reads the body of an answer that is no page, if it is recorded.
    pub(super) async fn read_rest(&mut self, net: &RequestNet) {
        let mut read = 0;
        while read < rest_limit(net)
            && let Ok(Some(octets)) = self.body.next().await
        {
            read += octets.len();
        }
    }

    /// Returns the size of the body in octets, when the server gives it.
    pub(super) fn size(&self) -> Option<u64> {
        let size = self.head.field("content-length")?;
        std::str::from_utf8(size).ok()?.trim().parse().ok()
    }
}

/// Returns the most octets that are read of the body of an answer that is no page, for its record alone.
pub(super) fn rest_limit(net: &RequestNet) -> usize {
    const MAX_RECORDED_BYTES: usize = 1024 * 1024;
    net.recording().map_or(0, |_| MAX_RECORDED_BYTES)
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

/// The most compressed octets that are decompressed at once: the result is a few MiB at most.
const PIECE: usize = 4 * 1024;

/// A body that is decompressed while it arrives.
pub(super) struct Decompressed<'a> {
    body: Body<Stream>,
    authority: &'a str,
    encoding: Encoding,
    /// True if the compressed stream has a checksum at its end.
    has_checksum: bool,
}

/// The most compressions of one body.
const MAX_LAYERS: usize = 2;

enum Encoding {
    Plain,
    /// The decoders, the outermost first.
    Packed(Vec<Layer>),
}

/// One of the compressions of a body.
struct Layer {
    decoder: Box<Decoder>,
    /// The compressed octets that are not decoded yet.
    compressed: Vec<u8>,
    /// True once all of them have come.
    has_ended: bool,
}

/// The decoder of a compressed body.
enum Decoder {
    Gzip(GzDecoder<Vec<u8>>),
    /// Deflate whose first octets have not arrived: RFC 9110 means zlib (RFC 1950), many servers sent it without its
    /// head (RFC 1951).
    Deflate,
    Zlib(ZlibDecoder<Vec<u8>>),
    Raw(DeflateDecoder<Vec<u8>>),
}

impl Decoder {
    fn gzip() -> Self {
        Self::Gzip(GzDecoder::new(Vec::new()))
    }

    /// Decodes octets. Returns how many it has taken.
    fn write(&mut self, octets: &[u8]) -> std::io::Result<usize> {
        if let (Self::Deflate, Some(&first)) = (&*self, octets.first()) {
            // The method of zlib is 8, and its window 32 kB at most.
            let is_zlib = first & 0x0f == 8 && first >> 4 <= 7;
            *self = if is_zlib {
                Self::Zlib(ZlibDecoder::new(Vec::new()))
            } else {
                Self::Raw(DeflateDecoder::new(Vec::new()))
            };
        }
        match self {
            Self::Gzip(decoder) => decoder.write(octets),
            Self::Zlib(decoder) => decoder.write(octets),
            Self::Raw(decoder) => decoder.write(octets),
            Self::Deflate => Ok(0),
        }
    }

    /// Ends the stream, and returns what was decoded last.
    fn finish(&mut self) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Gzip(decoder) => decoder.try_finish()?,
            Self::Zlib(decoder) => decoder.try_finish()?,
            Self::Raw(decoder) => decoder.try_finish()?,
            Self::Deflate => {}
        }
        Ok(self.take())
    }

    /// Returns the octets that were decoded.
    fn take(&mut self) -> Vec<u8> {
        match self {
            Self::Gzip(decoder) => std::mem::take(decoder.get_mut()),
            Self::Zlib(decoder) => std::mem::take(decoder.get_mut()),
            Self::Raw(decoder) => std::mem::take(decoder.get_mut()),
            Self::Deflate => Vec::new(),
        }
    }
}

impl<'a> Decompressed<'a> {
    /// Creates the decoder for the body of a response with this head.
    ///
    /// # Errors
    /// The body has another compression.
    pub(super) fn new(
        body: Body<Stream>,
        head: &ResponseHead,
        authority: &'a str,
    ) -> Result<Self, Failure> {
        let field = trimmed(head.field("content-encoding").unwrap_or_default());
        let refused = || {
            let sentence =
                format!("{authority} sent the encoding {field}, which was not requested");
            Failure::new(sentence).with_advice("`geomys get` saves it unchanged")
        };
        let mut layers = Vec::new();
        if is_packed_on_the_way(head) {
            layers.push(Decoder::gzip());
        }
        // The encodings stand in the order in which they were applied.
        for encoding in field.to_ascii_lowercase().rsplit(',') {
            match encoding.trim() {
                "" | "identity" => {}
                // Some servers name the same compression in both fields.
                "gzip" | "x-gzip" if is_packed_on_the_way(head) && layers.len() == 1 => {}
                "gzip" | "x-gzip" => layers.push(Decoder::gzip()),
                "deflate" => layers.push(Decoder::Deflate),
                _ => return Err(refused()),
            }
        }
        if layers.len() > MAX_LAYERS {
            return Err(refused());
        }
        let has_checksum = matches!(layers.first(), Some(Decoder::Gzip(_)));
        let layers = layers.into_iter().map(|decoder| Layer {
            decoder: Box::new(decoder),
            compressed: Vec::new(),
            has_ended: false,
        });
        let layers: Vec<Layer> = layers.collect();
        let encoding = if layers.is_empty() {
            Encoding::Plain
        } else {
            Encoding::Packed(layers)
        };
        Ok(Self {
            body,
            authority,
            encoding,
            has_checksum,
        })
    }

    pub(super) fn is_compressed(&self) -> bool {
        !matches!(self.encoding, Encoding::Plain)
    }

    /// Returns the end of a body that has ended.
    pub(super) fn end(&self) -> TransferEnd {
        if self.has_checksum {
            TransferEnd::Confirmed
        } else {
            self.body.end()
        }
    }

    /// Returns the next octets; None at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, Stop> {
        loop {
            let Encoding::Packed(layers) = &mut self.encoding else {
                return self.body.next().await.map_err(stop);
            };
            // The innermost first: what one gives is small before the next one decodes it.
            let Some(last) = layers
                .iter()
                .rposition(|layer| !layer.compressed.is_empty())
            else {
                let Some(open) = layers.iter().position(|layer| !layer.has_ended) else {
                    return Ok(None);
                };
                if open == 0
                    && let Some(octets) = self.body.next().await.map_err(stop)?
                {
                    if let Some(first) = layers.first_mut() {
                        first.compressed = octets;
                    }
                    continue;
                }
                let rest = layers.get_mut(open).map(Layer::finish).transpose();
                let rest = rest.map_err(|_| decompress_failure(self.authority))?;
                match (layers.get_mut(open + 1), rest.unwrap_or_default()) {
                    (Some(inner), rest) => inner.compressed = rest,
                    (None, rest) if !rest.is_empty() => return Ok(Some(rest)),
                    (None, _) => {}
                }
                continue;
            };
            let decoded = layers.get_mut(last).map(Layer::decode).transpose();
            let decoded = decoded.map_err(|_| decompress_failure(self.authority))?;
            let decoded = decoded.filter(|decoded| !decoded.is_empty());
            match (layers.get_mut(last + 1), decoded) {
                (_, None) => {}
                (Some(inner), Some(decoded)) => inner.compressed = decoded,
                (None, Some(decoded)) => return Ok(Some(decoded)),
            }
        }
    }
}

impl Layer {
    /// Decodes a piece of the compressed octets.
    fn decode(&mut self) -> std::io::Result<Vec<u8>> {
        let piece = self.compressed.get(..PIECE).unwrap_or(&self.compressed);
        let taken = self.decoder.write(piece)?;
        if taken == 0 {
            // Data after the end of the stream is ignored.
            self.compressed.clear();
        }
        self.compressed.drain(..taken);
        Ok(self.decoder.take())
    }

    /// Ends the stream, and returns what was decoded last.
    fn finish(&mut self) -> std::io::Result<Vec<u8>> {
        self.has_ended = true;
        self.decoder.finish()
    }
}

/// Returns true for a response whose content is compressed in a way that [`Decompressed`] reads.
pub(super) fn is_readable_encoding(head: &ResponseHead) -> bool {
    let field = trimmed(head.field("content-encoding").unwrap_or_default()).to_ascii_lowercase();
    let encodings = field.split(',').map(str::trim);
    let mut encodings = encodings.filter(|name| !matches!(*name, "" | "identity"));
    let count = encodings.clone().count();
    (1..=MAX_LAYERS).contains(&count)
        && encodings.all(|name| matches!(name, "gzip" | "x-gzip" | "deflate"))
}

/// Returns true if the server has compressed the body for the way alone, as `Transfer-Encoding: gzip, chunked`.
pub(super) fn is_packed_on_the_way(head: &ResponseHead) -> bool {
    ["gzip", "x-gzip"]
        .iter()
        .any(|name| head.has_element("transfer-encoding", name))
}

fn decompress_failure(authority: &str) -> Failure {
    let sentence = format!("{authority} sent malformed compressed data");
    Failure::new(sentence).with_kind(FailureKind::Malformed)
}

/// Returns the value of the `Authorization` field, if the request has a login with a password.
pub(super) fn authorization(request: &crate::Request) -> Result<Option<String>, Failure> {
    let Some(login) = &request.login else {
        return Ok(None);
    };
    let Some(password) = &login.password else {
        return Ok(None);
    };
    if login.user.contains(':') {
        let sentence = "not sent: HTTP allows no colon in a user name";
        return Err(Failure::new(sentence));
    }
    let pair = format!("{}:{password}", login.user);
    Ok(Some(format!("Basic {}", STANDARD.encode(pair))))
}

/// Returns the question for a login, or a failure when the server needs another scheme.
pub(super) fn login_question(request: &crate::Request, answer: &HttpResponse) -> Stop {
    let authority = &answer.authority;
    let challenge = trimmed(answer.head.field("www-authenticate").unwrap_or_default());
    let scheme = challenge.split(' ').next().unwrap_or_default();
    if !scheme.eq_ignore_ascii_case("basic") {
        let scheme = Some(scheme).filter(|scheme| !scheme.is_empty());
        let scheme = scheme.unwrap_or("something else");
        let sentence =
            format!("{authority} requires {scheme} authentication; Geomys supports only Basic");
        return Failure::new(sentence).into();
    }
    if !answer.from.is_empty() && !is_same_server(&answer.here, &request.url) {
        return not_followed(&answer.here, "the target requires a user name and password").into();
    }
    let realm = realm(&challenge).map_or(String::new(), |realm| format!("{realm}: "));
    let warning = match answer.security {
        Security::Plain => "this is plain http: the password can be read on the way",
        Security::Verified | Security::Pinned | Security::Unverified => {
            "a user name and password are required"
        }
    };
    let host = authority.clone();
    let said = Some(Text::of(&format!("{realm}{warning}")));
    match &request.login {
        None => Stop::Needs(Question::Login { host, said }),
        Some(login) => {
            let user = login.user.clone();
            let refused = format!("{realm}the server refused the password of {user}");
            Stop::Needs(Question::Password {
                said: match login.password {
                    None => said.filter(|_| answer.security == Security::Plain),
                    Some(_) => Some(Text::of(&refused)),
                },
                user,
                host,
                security: answer.security,
            })
        }
    }
}

/// Returns the realm of a challenge.
fn realm(challenge: &str) -> Option<String> {
    let (_, after) = challenge.split_once("realm=")?;
    let after = after.strip_prefix('"').unwrap_or(after);
    let realm = after.split(['"', ',']).next().unwrap_or_default().trim();
    (!realm.is_empty()).then(|| realm.to_owned())
}
