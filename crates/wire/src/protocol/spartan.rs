//! Spartan: one request with its data, and its response (the specification of the protocol).
//!
//! ```text
//! request       = host SP path-absolute SP content-length CRLF data   ; the length is that of the data, in octets
//! response      = success / redirect / client-error / server-error
//! success       = "2" SP mimetype CRLF body                           ; up to the end of the connection
//! redirect      = "3" SP path-absolute CRLF                           ; on the same server
//! client-error  = "4" SP errmsg CRLF
//! server-error  = "5" SP errmsg CRLF
//! ```
//!
//! The specification has no limit for the line of a response: it is that of Gemini.

use tokio::io::{AsyncRead, AsyncWrite};

use super::reply::{HeaderError, HeaderFormat, Reply};
use crate::net::{Limits, NetError, sendable, write};

/// The header line.
const HEADER: HeaderFormat = HeaderFormat {
    protocol: "Spartan",
    limit: 1026,
    can_begin: |start| matches!(start, [] | [b'2'..=b'5'] | [b'2'..=b'5', b' ' | b'\r', ..]),
};

/// The status of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// 2: the body follows.
    Success,
    /// 3: the resource is at another path.
    Redirect,
    /// 4: the request is wrong.
    ClientError,
    /// 5: the server has failed.
    ServerError,
}

impl Status {
    /// The digit of the status.
    pub fn digit(self) -> u8 {
        match self {
            Self::Success => 2,
            Self::Redirect => 3,
            Self::ClientError => 4,
            Self::ServerError => 5,
        }
    }
}

/// The header of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The status.
    pub status: Status,
    /// The octets after the status, without blanks around them.
    pub meta: Vec<u8>,
}

impl Header {
    /// Parses a header without its line end; `None` if it is none.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let (status, meta) = match line {
            [status, b' ', meta @ ..] => (status, meta),
            [status] => (status, b"".as_slice()),
            _ => return None,
        };
        let status = match status {
            b'2' => Status::Success,
            b'3' => Status::Redirect,
            b'4' => Status::ClientError,
            b'5' => Status::ServerError,
            _ => return None,
        };
        Some(Self {
            status,
            meta: meta.trim_ascii().to_vec(),
        })
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

/// The request for a path of a host, and the length of its data: the line that is sent, with its CRLF.
///
/// # Errors
/// [`NetError::Unsendable`] for a host or a path that would end the line or a field of it.
pub fn request_line(host: &str, path: &str, length: usize) -> Result<Vec<u8>, NetError> {
    for (field, what) in [(host, "the host"), (path, "the path")] {
        sendable(field.as_bytes(), what)?;
        if field.is_empty() || field.contains([' ', '\t']) {
            return Err(NetError::Unsendable { what });
        }
    }
    Ok(format!("{host} {path} {length}\r\n").into_bytes())
}

/// Sends a request with its data, and receives the header of the response.
///
/// # Errors
/// [`NetError::Unsendable`] before anything is sent, and those of [`Reply::header`].
pub async fn request<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    (host, path): (&str, &str),
    data: &[u8],
    authority: &str,
    limits: &Limits,
) -> Result<Response<S>, HeaderError> {
    let line = request_line(host, path, data.len())?;
    write(&mut stream, &[&line, data].concat(), authority, limits).await?;
    let mut body = Reply::new(stream, authority, limits);
    let header = body.header(HEADER, Header::parse).await?;
    Ok(Response { header, body })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn request_line_has_no_blank_or_line_end_in_a_field() {
        let line = request_line("h.example", "/a%20b", 12).unwrap();
        assert_eq!(line, b"h.example /a%20b 12\r\n");
        for (host, path) in [
            ("", "/"),
            ("h", ""),
            ("h h", "/"),
            ("h", "/a b"),
            ("h", "/a\r\nh"),
            ("h", "/a\tb"),
        ] {
            let error = request_line(host, path, 0);
            assert!(
                matches!(error, Err(NetError::Unsendable { .. })),
                "{host:?} {path:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_line_is_a_header_or_none(line in proptest::collection::vec(any::<u8>(), 0..64)) {
            if let Some(header) = Header::parse(&line) {
                prop_assert_eq!(b'0' + header.status.digit(), line[0]);
                prop_assert!(line.ends_with(&header.meta) || line.last().unwrap().is_ascii_whitespace());
                prop_assert!((HEADER.can_begin)(&line));
            }
        }
    }
}
