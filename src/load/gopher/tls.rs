//! Gopher over TLS: the connection, and the detection of the end of a reply.

use crate::load::{Failure, Request, Stop};
use crate::net::{Net, Security, Stream};
use crate::url::ExtensionScheme;

/// Connects in plain text, or over TLS if the URL says so; never falls back from one to the other.
pub(super) async fn connect(
    net: &Net,
    request: &Request,
    host: &str,
    port: u16,
) -> Result<(Stream, Security), Stop> {
    if request.url.extension_scheme() == Some(ExtensionScheme::Gophers) {
        return Ok(net.connect_tls(host, port, &request.trust).await?);
    }
    Ok((
        Stream::Plain(net.connect(host, port).await?),
        Security::Plain,
    ))
}

/// The last octets of a reply, as many as are needed to recognise the final dot.
#[derive(Default)]
pub(super) struct ReplyTail(Vec<u8>);

impl ReplyTail {
    const DOT: &[u8] = b"\n.\r\n";

    pub(super) fn push(&mut self, octets: &[u8]) {
        let skip = octets.len().saturating_sub(Self::DOT.len());
        self.0.extend(octets.iter().skip(skip));
        let over = self.0.len().saturating_sub(Self::DOT.len());
        self.0.drain(..over);
    }

    /// Returns true for a final dot: a dot on a line of its own.
    pub(super) fn is_dot(&self) -> bool {
        self.0 == Self::DOT || self.0 == b".\r\n" || self.0.ends_with(b"\n.\n")
    }
}

/// Returns true if a plain request was answered with an alert of TLS (RFC 8446, section 5.1).
pub(super) fn is_tls_alert(octets: &[u8]) -> bool {
    matches!(octets, [0x15, 0x03, 0..=4, 0, 2, ..])
}

pub(super) fn speaks_tls(authority: &str) -> Failure {
    Failure {
        advice: Some("an address that begins with gophers:// asks over TLS"),
        ..Failure::new(format!("{authority} speaks TLS, and was asked without"))
    }
}
