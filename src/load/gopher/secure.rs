//! What TLS changes about Gopher: how it is reached, and how its end is known.

use crate::load::{Failure, Request, Stop};
use crate::net::{Net, Security, Stream};
use crate::url::Later;

/// Plain, or over TLS where the URL wants it, and never the one for the other.
pub(super) async fn connect(
    net: &Net,
    request: &Request,
    host: &str,
    port: u16,
) -> Result<(Stream, Security), Stop> {
    if request.url.later() == Some(Later::Gophers) {
        return Ok(net.connect_tls(host, port, &request.trust).await?);
    }
    Ok((
        Stream::Plain(net.connect(host, port).await?),
        Security::Plain,
    ))
}

/// The last octets that came, as many as the final dot needs to be known.
#[derive(Default)]
pub(super) struct End(Vec<u8>);

impl End {
    const DOT: &[u8] = b"\n.\r\n";

    pub(super) fn push(&mut self, octets: &[u8]) {
        let skip = octets.len().saturating_sub(Self::DOT.len());
        self.0.extend(octets.iter().skip(skip));
        let over = self.0.len().saturating_sub(Self::DOT.len());
        self.0.drain(..over);
    }

    /// Whether they are a final dot: a line of its own.
    pub(super) fn is_dot(&self) -> bool {
        self.0 == Self::DOT || self.0 == b".\r\n" || self.0.ends_with(b"\n.\n")
    }
}

/// Whether a plain request was answered with an alert of TLS (RFC 8446, section 5.1).
pub(super) fn is_tls_alert(octets: &[u8]) -> bool {
    matches!(octets, [0x15, 0x03, 0..=4, 0, 2, ..])
}

pub(super) fn speaks_tls(place: &str) -> Failure {
    Failure {
        advice: Some("an address that begins with gophers:// asks over TLS"),
        ..Failure::new(format!("{place} speaks TLS, and was asked without"))
    }
}
