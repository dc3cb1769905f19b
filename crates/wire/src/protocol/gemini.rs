//! Gemini: one request and its response (the specification of the protocol, version 0.24.1).
//!
//! ```text
//! request  = URL CRLF                                     ; the URL has at most 1024 octets, and no user or fragment
//! response = status [ SP meta ] CRLF [ body ]             ; a body follows 2x only, up to the end of the connection
//! status   = ( "1" | "2" | "3" | "4" | "5" | "6" ) DIGIT
//! ```
//!
//! Titan adds data to the request: `titan://host/path;size=OCTETS;mime=TYPE;token=TOKEN CRLF data`, with the response
//! of Gemini.
//!
//! The second digit refines the first; one that is not known here counts as 0. The meta is the prompt of 1x, the media
//! type of 2x, the reference of 3x, and the words of an error. It has at most 1024 octets, as older versions of the
//! specification say.

use tokio::io::{AsyncRead, AsyncWrite};

use super::reply::{HeaderError, HeaderFormat, Reply};
use crate::net::{Limits, NetError, sendable, write};

/// The longest URL of a request, in octets.
pub const MAX_URL_BYTES: usize = 1024;

/// The longest meta, in octets.
const MAX_META_BYTES: usize = 1024;

/// The longest header: status, blank, meta.
const MAX_HEADER_BYTES: usize = 3 + MAX_META_BYTES;

/// The header line.
const HEADER: HeaderFormat = HeaderFormat {
    protocol: "Gemini",
    limit: MAX_HEADER_BYTES,
    // A second digit that is wrong needs no line end.
    can_begin: |start| {
        let digits = start.get(..2).unwrap_or(b"20");
        digits.iter().all(u8::is_ascii_digit)
    },
};

/// An error of a dialogue.
#[derive(Debug, thiserror::Error)]
pub enum GeminiError {
    /// The connection failed before the response.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The URL is too long to send.
    #[error("the address has more than {MAX_URL_BYTES} bytes, which no Gemini server takes")]
    LongUrl,
    /// The response does not begin with a header.
    #[error(transparent)]
    Header(#[from] HeaderError),
}

/// The meaning of a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// 10 and 11: the server wants a line of text.
    Input {
        /// True if nobody may read the line.
        is_secret: bool,
    },
    /// 20: the body follows.
    Success,
    /// 30 and 31: the resource is at another URL.
    Redirect {
        /// True if it will stay there.
        is_permanent: bool,
    },
    /// 40 to 44: a later request may succeed.
    TemporaryFailure(TemporaryFailure),
    /// 50 to 59: the same request will fail again.
    PermanentFailure(PermanentFailure),
    /// 60 to 62: a client certificate is needed, or was not accepted.
    Certificate(CertificateRequest),
}

/// A failure that may pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemporaryFailure {
    /// 40, without a reason.
    Unspecified,
    /// 41: overload or maintenance.
    Unavailable,
    /// 42: a program of the server has failed.
    Cgi,
    /// 43: a server behind the server has failed.
    Proxy,
    /// 44: the client must wait for the seconds in the meta before its next request.
    SlowDown,
}

/// A failure that stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermanentFailure {
    /// 50, without a reason.
    Unspecified,
    /// 51: there is no such resource.
    NotFound,
    /// 52: the resource is gone for ever.
    Gone,
    /// 53: the server does not serve this host, port or scheme.
    ProxyRefused,
    /// 59: the server does not understand the request.
    BadRequest,
}

/// A demand for a client certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateRequest {
    /// 60: none was sent.
    Required,
    /// 61: the one that was sent has no permission.
    NotAuthorised,
    /// 62: the one that was sent is not valid.
    NotValid,
}

/// The header of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The status as it was sent: 10 to 69.
    pub code: u8,
    /// The octets after the status, without blanks around them.
    pub meta: Vec<u8>,
}

impl Header {
    /// Parses a header without its line end; `None` if it is none.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let (status, rest) = line.split_at_checked(2)?;
        let &[tens @ b'1'..=b'6', units @ b'0'..=b'9'] = status else {
            return None;
        };
        // Older servers separate them by a tab.
        let is_separated = matches!(rest.first(), None | Some(b' ' | b'\t'));
        is_separated.then(|| Self {
            code: (tens - b'0') * 10 + (units - b'0'),
            meta: rest.trim_ascii().to_vec(),
        })
    }

    /// The meaning of the status.
    pub fn status(&self) -> Status {
        match self.code {
            11 => Status::Input { is_secret: true },
            0..20 => Status::Input { is_secret: false },
            20..30 => Status::Success,
            31 => Status::Redirect { is_permanent: true },
            30..40 => Status::Redirect {
                is_permanent: false,
            },
            40..50 => Status::TemporaryFailure(match self.code {
                41 => TemporaryFailure::Unavailable,
                42 => TemporaryFailure::Cgi,
                43 => TemporaryFailure::Proxy,
                44 => TemporaryFailure::SlowDown,
                _ => TemporaryFailure::Unspecified,
            }),
            50..60 => Status::PermanentFailure(match self.code {
                51 => PermanentFailure::NotFound,
                52 => PermanentFailure::Gone,
                53 => PermanentFailure::ProxyRefused,
                59 => PermanentFailure::BadRequest,
                _ => PermanentFailure::Unspecified,
            }),
            60.. => Status::Certificate(match self.code {
                61 => CertificateRequest::NotAuthorised,
                62 => CertificateRequest::NotValid,
                _ => CertificateRequest::Required,
            }),
        }
    }
}

/// A response whose header has arrived. Dropping it closes the connection.
#[derive(Debug)]
pub struct Response<S> {
    /// The header.
    pub header: Header,
    /// The body.
    pub body: Reply<S>,
}

/// Sends the request for a URL, and receives the header of the response. `data` follows the line of Titan; Gemini has
/// none.
///
/// # Errors
/// [`GeminiError::LongUrl`] and [`NetError::Unsendable`] before anything is sent.
pub async fn request<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    url: &[u8],
    data: &[u8],
    authority: &str,
    limits: &Limits,
) -> Result<Response<S>, GeminiError> {
    if url.len() > MAX_URL_BYTES {
        return Err(GeminiError::LongUrl);
    }
    sendable(url, "the address")?;
    let line = [url, b"\r\n", data].concat();
    write(&mut stream, &line, authority, limits).await?;
    let mut body = Reply::new(stream, authority, limits);
    let header = body.header(HEADER, Header::parse).await?;
    Ok(Response { header, body })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn status_says_what_it_is() {
        let status = |line: &[u8]| Header::parse(line).map(|header| header.status());
        let secret = Status::Input { is_secret: true };
        assert_eq!(status(b"11 Password?"), Some(secret));
        let open = Status::Input { is_secret: false };
        assert_eq!(status(b"10 Words?"), Some(open));
        assert_eq!(status(b"19 Words?"), Some(open));
        let slow = Status::TemporaryFailure(TemporaryFailure::SlowDown);
        assert_eq!(status(b"44 60"), Some(slow));
        let gone = Status::PermanentFailure(PermanentFailure::Gone);
        assert_eq!(status(b"52"), Some(gone));
        let unspecified = Status::PermanentFailure(PermanentFailure::Unspecified);
        assert_eq!(status(b"57 odd"), Some(unspecified));
        let required = Status::Certificate(CertificateRequest::Required);
        assert_eq!(status(b"60"), Some(required));
        for line in [
            b"".as_slice(),
            b"2",
            b"00 x",
            b"70 x",
            b"2a x",
            b"200 x",
            b"HTTP/1.1 200",
        ] {
            assert_eq!(status(line), None, "{}", line.escape_ascii());
        }
    }

    proptest! {
        #[test]
        fn any_line_is_a_header_or_none(line in proptest::collection::vec(any::<u8>(), 0..64)) {
            if let Some(header) = Header::parse(&line) {
                prop_assert!((10..70).contains(&header.code));
                let code = header.code.to_string();
                prop_assert_eq!(code.as_bytes(), &line[..2]);
                prop_assert!(line.len() >= header.meta.len() + 2);
                header.status();
            }
        }
    }
}
