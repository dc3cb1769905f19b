//! HTTP on the wire: one exchange on its own connection (RFC 9110, RFC 9112), with hyper.
//!
//! ```text
//! request  = method SP target SP "HTTP/1.1" CRLF *( field CRLF ) CRLF
//! response = "HTTP/1.1" SP status SP [ reason ] CRLF *( field CRLF ) CRLF [ body ]
//! ```
//!
//! [`exchange`] sends a [`Request`] and returns the [`ResponseHead`] and the [`Body`], which is read in pieces. No task
//! runs in the background: awaiting the body drives the connection, and dropping the body closes it. Left out: HTTP/2,
//! persistent connections, compression. The caller follows redirects. Folded fields (RFC 9112, section 5.2),
//! and replies older than HTTP/1.0, are read.

mod old;

use std::fmt;
use std::io::ErrorKind;
use std::pin::Pin;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{self, Connection};
use hyper::ext::ReasonPhrase;
use hyper::header::{self, HeaderMap};
use hyper_util::rt::TokioIo;
use rfc1738::{Encoded, Http};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use self::old::OldReply;
use crate::net::{Limits, NetError, TransferEnd, trace};

/// The User-Agent: some servers refuse requests without one.
const AGENT: &str = concat!("geomys/", env!("CARGO_PKG_VERSION"));

/// The smallest buffer that hyper works with, in octets.
const BUFFER: usize = 8 * 1024;

/// The method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// HEAD: the header fields only.
    Head,
    /// GET: the whole resource.
    Get,
    /// GET with a range of one octet, for servers that do not support HEAD.
    GetOctet,
    /// POST: the answers to a form, as the body of the request.
    Post,
}

/// A request for a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    method: Method,
    /// The path and the query, as written in the URL.
    target: String,
    /// The host, with the port if it is not the default port.
    host: String,
    fields: Fields,
    body: BodyOctets,
    accepts_bare: bool,
}

/// The body of a request, which may hold a password.
#[derive(Clone, Default, PartialEq, Eq)]
struct BodyOctets(Vec<u8>);

impl fmt::Debug for BodyOctets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} octets", self.0.len())
    }
}

/// Additional header fields, without duplicates. A field may contain a password.
#[derive(Clone, Default, PartialEq, Eq)]
struct Fields(Vec<(&'static str, String)>);

impl fmt::Debug for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|(name, _)| name))
            .finish()
    }
}

impl Request {
    /// Creates a request for a URL.
    pub fn new(method: Method, url: &Http<'_>) -> Self {
        let path = url.path.map_or("", Encoded::as_str);
        let search = url.search.map(Encoded::as_str);
        let search = search.map_or(String::new(), |search| format!("?{search}"));
        let address = &url.address;
        let port = address.written_port;
        let port = port.filter(|port| Some(*port) != address.default_port);
        let port = port.map_or(String::new(), |port| format!(":{port}"));
        Self {
            method,
            target: format!("/{path}{search}"),
            host: format!("{}{port}", address.host),
            fields: Fields::default(),
            body: BodyOctets::default(),
            accepts_bare: false,
        }
    }

    /// Accepts a reply without a status line, as HTTP/0.9 has it (RFC 1945, section 6), to GET.
    #[must_use]
    pub fn with_bare_reply(self) -> Self {
        Self {
            accepts_bare: self.method == Method::Get,
            ..self
        }
    }

    /// Adds a field, whose name is in lower case; `accept` replaces the default field.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.fields.0.retain(|(other, _)| *other != name);
        self.fields.0.push((name, value.into()));
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn with_body(self, octets: Vec<u8>) -> Self {
        Self {
            body: BodyOctets(octets),
            ..self
        }
    }

    /// Changes the target to the whole URL, as a proxy requires it (RFC 9112, section 3.2.2).
    #[must_use]
    pub fn for_proxy(mut self) -> Self {
        self.target = format!("http://{}{}", self.host, self.target);
        self
    }

    /// Returns the lines to send, without fields that contain a password.
    pub fn lines(&self) -> Vec<u8> {
        let Some(request) = self.to_hyper() else {
            return Vec::new();
        };
        let mut lines = format!("{} {} HTTP/1.1\r\n", request.method(), self.target).into_bytes();
        let fields = request.headers().iter();
        for (name, value) in fields.filter(|(name, _)| {
            *name != header::AUTHORIZATION && *name != header::PROXY_AUTHORIZATION
        }) {
            lines.extend_from_slice(name.as_str().as_bytes());
            lines.extend_from_slice(b": ");
            lines.extend_from_slice(value.as_bytes());
            lines.extend_from_slice(b"\r\n");
        }
        lines.extend_from_slice(b"\r\n");
        lines
    }

    /// Returns the lines to send, with the names of the fields that contain a password alone.
    fn traced_lines(&self) -> Vec<u8> {
        let mut lines = self.lines();
        for name in [header::AUTHORIZATION, header::PROXY_AUTHORIZATION] {
            if self
                .fields
                .0
                .iter()
                .any(|(field, _)| *field == name.as_str())
            {
                lines.extend_from_slice(name.as_str().as_bytes());
                lines.extend_from_slice(b": \r\n");
            }
        }
        lines
    }

    fn to_hyper(&self) -> Option<hyper::Request<Full<Bytes>>> {
        let method = match self.method {
            Method::Head => hyper::Method::HEAD,
            Method::Get | Method::GetOctet => hyper::Method::GET,
            Method::Post => hyper::Method::POST,
        };
        let mut request = hyper::Request::builder()
            .method(method)
            .uri(&self.target)
            .header(header::HOST, &self.host)
            .header(header::USER_AGENT, AGENT)
            .header(header::CONNECTION, "close");
        if !self.fields.0.iter().any(|(name, _)| *name == "accept") {
            request = request.header(header::ACCEPT, "*/*");
        }
        for (name, value) in &self.fields.0 {
            request = request.header(*name, value);
        }
        if self.method == Method::GetOctet {
            request = request.header(header::RANGE, "bytes=0-0");
        }
        request.body(Full::from(self.body.0.clone())).ok()
    }
}

/// The status and the header fields of a response.
#[derive(Clone, Debug)]
pub struct ResponseHead {
    /// The three-digit status code.
    pub status: u16,
    /// The reason phrase; often empty.
    pub reason: Vec<u8>,
    fields: HeaderMap,
}

impl ResponseHead {
    /// Returns the first field with this name, ignoring case.
    pub fn field(&self, name: &str) -> Option<&[u8]> {
        Some(self.fields.get(name)?.as_bytes())
    }

    /// Returns all fields with this name, ignoring case, in their order.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        self.fields
            .get_all(name)
            .into_iter()
            .map(hyper::header::HeaderValue::as_bytes)
    }

    /// Returns true if one of the comma-separated lists in the fields with this name has this element, ignoring case.
    pub fn has_element(&self, name: &str, element: &str) -> bool {
        let mut elements = self
            .all(name)
            .flat_map(|field| field.split(|octet| *octet == b','));
        elements.any(|one| one.trim_ascii().eq_ignore_ascii_case(element.as_bytes()))
    }

    /// Returns the status line and the fields.
    fn lines(&self) -> Vec<u8> {
        let mut lines = [b"HTTP ", self.status_text().as_slice(), b"\r\n"].concat();
        for (name, value) in &self.fields {
            lines.extend_from_slice(name.as_str().as_bytes());
            lines.extend_from_slice(b": ");
            lines.extend_from_slice(value.as_bytes());
            lines.extend_from_slice(b"\r\n");
        }
        lines
    }

    /// Returns the status line of the server, as `404 Not Found`.
    pub fn status_text(&self) -> Vec<u8> {
        let code = self.status.to_string().into_bytes();
        if self.reason.is_empty() {
            return code;
        }
        [&code, b" ".as_slice(), &self.reason].concat()
    }
}

/// An error of an exchange.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The connection failed.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The response is no valid HTTP.
    #[error("{authority} did not answer as an HTTP server: {reason}")]
    Malformed {
        /// `host:port`.
        authority: String,
        /// The problem, as hyper describes it.
        reason: String,
    },
    /// The request cannot be sent.
    #[error("not sent: this URL gives no HTTP request")]
    Unsendable,
}

/// The body of a response while it arrives.
pub struct Body<S: AsyncRead + AsyncWrite + Unpin> {
    incoming: Incoming,
    /// The connection to drive; `None` after it has ended.
    connection: Option<HttpConnection<S>>,
    authority: String,
    limits: Limits,
    framing: BodyFraming,
    end: TransferEnd,
}

/// The frame of a body (RFC 9112, section 6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BodyFraming {
    /// A length, or chunks: the connection ends too early before the last octet.
    Framed,
    /// The body ends where the connection does.
    UntilClose,
}

impl BodyFraming {
    fn of(head: &ResponseHead) -> Self {
        let has_length = head.field("content-length").is_some();
        if has_length || head.has_element("transfer-encoding", "chunked") {
            Self::Framed
        } else {
            Self::UntilClose
        }
    }
}

type HttpConnection<S> = Pin<Box<Connection<TokioIo<OldReply<S>>, Full<Bytes>>>>;

impl<S: AsyncRead + AsyncWrite + Unpin> fmt::Debug for Body<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Body").field(&self.authority).finish()
    }
}

/// Sends a request and returns the head and the body of the response. `authority` (`host:port`) is for messages.
///
/// # Errors
/// [`HttpError`]; a head larger than the cap of a reply line (64 KiB) is [`HttpError::Malformed`].
pub async fn exchange<S>(
    stream: S,
    authority: &str,
    limits: &Limits,
    request: &Request,
) -> Result<(ResponseHead, Body<S>), HttpError>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let hyper_request = request.to_hyper().ok_or(HttpError::Unsendable)?;
    trace::sent_head(authority, || request.traced_lines());
    let to_error = |error| http_error(error, authority, "before it answered");
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(limits.line.max(BUFFER))
        .allow_obsolete_multiline_headers_in_responses(true)
        .handshake(TokioIo::new(OldReply::new(stream, request.accepts_bare)))
        .await
        .map_err(to_error)?;
    let mut connection = Some(Box::pin(connection));
    let responding = sender.send_request(hyper_request);
    let response = timeout(limits.idle, drive(&mut connection, responding)).await;
    // The response contains the reason for the end.
    let response = response.map_err(|_| timed_out(authority, limits))?;
    let (parts, incoming) = response.map_err(to_error)?.into_parts();
    let own = parts.extensions.get::<ReasonPhrase>();
    let common = || parts.status.canonical_reason().unwrap_or_default();
    let reason = own.map_or_else(|| common().as_bytes().to_vec(), |own| own.as_bytes().into());
    let head = ResponseHead {
        status: parts.status.as_u16(),
        reason,
        fields: parts.headers,
    };
    trace::received_head(authority, || head.lines());
    let body = Body {
        framing: BodyFraming::of(&head),
        end: TransferEnd::default(),
        incoming,
        connection,
        authority: authority.to_owned(),
        limits: limits.clone(),
    };
    Ok((head, body))
}

impl<S: AsyncRead + AsyncWrite + Unpin> Body<S> {
    /// Returns the next octets that have arrived; `None` at the end, which [`Body::end`] tells then.
    ///
    /// # Errors
    /// [`HttpError`], if the connection breaks or nothing arrives in time.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, HttpError> {
        loop {
            let next_frame = drive(&mut self.connection, self.incoming.frame());
            let frame = timeout(self.limits.idle, next_frame).await;
            let frame = frame.map_err(|_| timed_out(&self.authority, &self.limits))?;
            match frame {
                None => return Ok(None),
                Some(Ok(frame)) => {
                    // Trailer fields are ignored.
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data.to_vec()));
                    }
                }
                Some(Err(error)) => {
                    if self.framing == BodyFraming::UntilClose && is_end_of_stream(&error) {
                        let authority = self.authority.clone();
                        let closed = Err(NetError::TlsTruncated { authority });
                        self.end = TransferEnd::of(closed, false)?;
                        return Ok(None);
                    }
                    let when = "in the middle of the reply";
                    return Err(http_error(error, &self.authority, when));
                }
            }
        }
    }

    /// Returns the end of a body that has ended.
    pub fn end(&self) -> TransferEnd {
        self.end
    }
}

/// Awaits an answer and drives the connection meanwhile, up to its end.
async fn drive<S, T>(
    connection: &mut Option<HttpConnection<S>>,
    answer: impl Future<Output = T>,
) -> T
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    tokio::pin!(answer);
    while let Some(running) = connection {
        tokio::select! {
            biased;
            answer = &mut answer => return answer,
            _ = running => *connection = None,
        }
    }
    answer.await
}

fn timed_out(authority: &str, limits: &Limits) -> HttpError {
    NetError::timeout(authority, "sent nothing", limits.idle).into()
}

/// Returns the error of the connection that is the cause of an error of hyper.
fn io_cause(error: &hyper::Error) -> Option<&std::io::Error> {
    std::error::Error::source(error)?.downcast_ref()
}

/// Returns true if the stream has ended where more was expected: over TLS, without `close_notify`.
fn is_end_of_stream(error: &hyper::Error) -> bool {
    io_cause(error).is_some_and(|io| io.kind() == ErrorKind::UnexpectedEof)
}

/// Converts an error of hyper; `when` tells at which point the server closed the connection.
fn http_error(error: hyper::Error, authority: &str, when: &'static str) -> HttpError {
    let is_end = is_end_of_stream(&error);
    let io = io_cause(&error);
    // A wrong length of a chunk is an error of hyper's own, and not of the connection.
    let is_chunk = io.is_some_and(|io| {
        matches!(io.kind(), ErrorKind::InvalidInput | ErrorKind::InvalidData)
            && io.raw_os_error().is_none()
    });
    if error.is_parse() || is_chunk {
        let reason = match io.filter(|_| is_chunk) {
            Some(io) => io.to_string(),
            None => error.to_string(),
        };
        let authority = authority.to_owned();
        return HttpError::Malformed { authority, reason };
    }
    if is_end || error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
        return NetError::closed(authority, when).into();
    }
    let source = match io {
        Some(io) => std::io::Error::new(io.kind(), io.to_string()),
        None => std::io::Error::other(error),
    };
    NetError::io(authority, source).into()
}
