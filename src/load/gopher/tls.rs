//! Gopher over TLS: the connection, and the detection of the end of a reply.

use crate::load::{Request, Stop};
use crate::net::{Net, Security, Stream};
use crate::url::ExtensionScheme;

/// Connects in plain text, or over TLS if the URL says so; never falls back from one to the other.
pub(in crate::load) async fn connect(
    net: &Net,
    request: &Request,
    host: &str,
    port: u16,
) -> Result<(Stream, Security), Stop> {
    if request.url.extension_scheme() == Some(ExtensionScheme::Gophers) {
        return Ok(net.connect_tls(host, port, &request.trust).await?);
    }
    let stream = net.connect(host, port).await?;
    Ok((Stream::Plain(stream), Security::Plain))
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
