//! HTTP on the wire: one exchange over a connection of our own (RFC 9110, RFC 9112), by hyper.
//!
//! ```text
//! request  = method SP target SP "HTTP/1.1" CRLF *( field CRLF ) CRLF
//! response = "HTTP/1.1" SP status SP [ reason ] CRLF *( field CRLF ) CRLF [ body ]
//! ```
//!
//! [`exchange`] sends a [`Request`] and gives the [`Head`] of the answer and its [`Body`], which comes piece by piece.
//! Nothing runs in the background: who awaits the body drives the connection, and dropping it closes that. Left out:
//! HTTP/2, requests with a body, connections that are kept, cookies, compression; redirections are for the caller.

use std::fmt;
use std::pin::Pin;

use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{self, Connection};
use hyper::ext::ReasonPhrase;
use hyper::header::{self, HeaderMap};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use crate::net::{Limits, NetError};
use crate::url::{Encoded, Http, Url};

/// What we call ourselves: some servers answer nobody who does not.
const AGENT: &str = concat!("geomys/", env!("CARGO_PKG_VERSION"));

/// The smallest buffer that hyper works with, in octets.
const BUFFER: usize = 8 * 1024;

/// What is wanted of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Its header fields alone.
    Head,
    /// All of it.
    Get,
    /// One octet of it, where the server can give a part: for those that know no HEAD.
    GetOctet,
}

/// A request for what a URL names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    method: Method,
    /// The path and the search, as they stand in the URL.
    target: String,
    /// The host and, where it is not the scheme's own, the port.
    host: String,
    fields: Fields,
}

/// Fields beside those that every request has; none twice. There may be a password in one.
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
    /// For this URL.
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
        }
    }

    /// For a URL of another scheme, as it is asked of a proxy: by the whole URL. `host` is where it is, as the URL has it.
    pub fn of_other(method: Method, url: &Url, host: &str) -> Self {
        Self {
            method,
            target: url.as_str().to_owned(),
            host: host.to_owned(),
            fields: Fields::default(),
        }
    }

    /// The same with one more field, whose name is in lower case; `accept` takes the place of what every request accepts.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.fields.0.retain(|(known, _)| *known != name);
        self.fields.0.push((name, value.into()));
        self
    }

    /// The same as it is asked of a proxy: by the whole URL (RFC 9112, section 3.2.2).
    #[must_use]
    pub fn of_proxy(mut self) -> Self {
        self.target = format!("http://{}{}", self.host, self.target);
        self
    }

    /// The lines that go out, as far as they hold no password.
    pub fn lines(&self) -> Vec<u8> {
        let Some(request) = self.made() else {
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

    fn made(&self) -> Option<hyper::Request<Empty<Bytes>>> {
        let method = match self.method {
            Method::Head => hyper::Method::HEAD,
            Method::Get | Method::GetOctet => hyper::Method::GET,
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
        request.body(Empty::new()).ok()
    }
}

/// How an answer begins.
#[derive(Clone, Debug)]
pub struct Head {
    /// The status code, of three digits.
    pub status: u16,
    /// What the server calls it; often empty.
    pub reason: Vec<u8>,
    fields: HeaderMap,
}

impl Head {
    /// The first field of this name, in any case.
    pub fn field(&self, name: &str) -> Option<&[u8]> {
        Some(self.fields.get(name)?.as_bytes())
    }

    /// The status in the server's words, as `404 Not Found`.
    pub fn words(&self) -> Vec<u8> {
        let code = self.status.to_string().into_bytes();
        if self.reason.is_empty() {
            return code;
        }
        [&code, b" ".as_slice(), &self.reason].concat()
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The wire.
    #[error(transparent)]
    Net(#[from] NetError),
    /// What came is no HTTP.
    #[error("{place} sent something that is no answer of HTTP: {why}")]
    Garbled {
        /// `host:port`.
        place: String,
        /// What is wrong with it.
        why: String,
    },
    /// It was not sent, because it cannot be.
    #[error("not sent: no request can be made of this address")]
    Unsendable,
}

/// The body of an answer while it arrives.
pub struct Body<S: AsyncRead + AsyncWrite + Unpin> {
    incoming: Incoming,
    /// What moves it on; nothing once the connection has ended.
    connection: Option<Driven<S>>,
    place: String,
    limits: Limits,
}

type Driven<S> = Pin<Box<Connection<TokioIo<S>, Empty<Bytes>>>>;

impl<S: AsyncRead + AsyncWrite + Unpin> fmt::Debug for Body<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Body").field(&self.place).finish()
    }
}

/// Sends a request, and gives what the answer begins with. `place` (`host:port`) is for the sentences.
///
/// # Errors
/// [`HttpError`]; a head of more than a reply line may have (64 KiB) is [`HttpError::Garbled`].
pub async fn exchange<S>(
    stream: S,
    place: &str,
    limits: &Limits,
    request: &Request,
) -> Result<(Head, Body<S>), HttpError>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let wanted = request.made().ok_or(HttpError::Unsendable)?;
    let failed = |error| failed(error, place, "before it answered");
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(limits.line.max(BUFFER))
        .handshake(TokioIo::new(stream))
        .await
        .map_err(failed)?;
    let mut connection = Some(Box::pin(connection));
    let answering = sender.send_request(wanted);
    tokio::pin!(answering);
    let answered = timeout(limits.idle, async {
        loop {
            let Some(driven) = &mut connection else {
                return answering.await;
            };
            tokio::select! {
                biased;
                answer = &mut answering => return answer,
                // Why it ended, the answer says.
                _ = driven => connection = None,
            }
        }
    });
    let answer = answered.await.map_err(|_| late(place, limits))?;
    let (parts, incoming) = answer.map_err(failed)?.into_parts();
    let own = parts.extensions.get::<ReasonPhrase>();
    let common = || parts.status.canonical_reason().unwrap_or_default();
    let reason = own.map_or_else(|| common().as_bytes().to_vec(), |own| own.as_bytes().into());
    let head = Head {
        status: parts.status.as_u16(),
        reason,
        fields: parts.headers,
    };
    let body = Body {
        incoming,
        connection,
        place: place.to_owned(),
        limits: limits.clone(),
    };
    Ok((head, body))
}

impl<S: AsyncRead + AsyncWrite + Unpin> Body<S> {
    /// The next octets, as many as have come; nothing at the end.
    ///
    /// # Errors
    /// [`HttpError`], where it breaks off or nothing more comes in time.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, HttpError> {
        loop {
            let framed = timeout(self.limits.idle, async {
                loop {
                    let Some(driven) = &mut self.connection else {
                        return self.incoming.frame().await;
                    };
                    tokio::select! {
                        biased;
                        frame = self.incoming.frame() => return frame,
                        _ = driven => self.connection = None,
                    }
                }
            });
            let frame = framed.await.map_err(|_| late(&self.place, &self.limits))?;
            match frame {
                None => return Ok(None),
                Some(Ok(frame)) => {
                    // Fields that follow the body say nothing of use here.
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data.to_vec()));
                    }
                }
                Some(Err(error)) => {
                    return Err(failed(error, &self.place, "in the middle of the reply"));
                }
            }
        }
    }
}

fn late(place: &str, limits: &Limits) -> HttpError {
    HttpError::Net(NetError::Late {
        place: place.to_owned(),
        problem: "sent nothing",
        seconds: limits.idle.as_secs(),
    })
}

/// What hyper's error is here; `when` says where the other end must not close.
fn failed(error: hyper::Error, place: &str, when: &'static str) -> HttpError {
    let place = place.to_owned();
    if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
        return HttpError::Net(NetError::Closed { place, when });
    }
    if error.is_parse() {
        let why = error.to_string();
        return HttpError::Garbled { place, why };
    }
    let cause = std::error::Error::source(&error);
    let io = cause.and_then(|cause| cause.downcast_ref::<std::io::Error>());
    let source = match io {
        Some(io) if io.kind() == std::io::ErrorKind::UnexpectedEof => {
            return HttpError::Net(NetError::Closed { place, when });
        }
        Some(io) => std::io::Error::new(io.kind(), io.to_string()),
        None => std::io::Error::other(error),
    };
    HttpError::Net(NetError::Io { place, source })
}
