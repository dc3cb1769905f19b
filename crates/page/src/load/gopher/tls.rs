//! Gopher over TLS: the connection, and the detection of the end of a reply.

use geomys_wire::net::{Net, Security, Stream, TlsError, Trust};
use rfc1738::{ExtensionScheme, Gopher};
use tokio::time::timeout;

use crate::load::{Request, Stop};

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

/// Returns true if a server answers over TLS, whatever its certificate is. Nothing is requested.
pub(super) async fn answers(net: &Net, url: &Gopher<'_>) -> bool {
    let (host, port) = (url.address.node(), url.address.port());
    let trust = Trust::default();
    let connecting = net.connect_tls(host, port, &trust);
    matches!(
        timeout(net.limits().brief, connecting).await,
        Ok(Ok(_) | Err(TlsError::UntrustedCertificate(_)))
    )
}

/// Returns true if a server is silent after a plain request, and answers over TLS on a second connection. Returns false as
/// soon as the first connection has data or is closed, or when the second has shown nothing: a slow server is still waited for.
pub(super) async fn waits_for_handshake(net: &Net, stream: &Stream, url: &Gopher<'_>) -> bool {
    let Stream::Plain(stream) = stream else {
        return false;
    };
    let limits = net.limits();
    if timeout(limits.silence.min(limits.idle), stream.readable())
        .await
        .is_ok()
    {
        return false;
    }
    tokio::select! {
        biased;
        _ = stream.readable() => false,
        is_tls = answers(net, url) => is_tls,
    }
}

/// The last octets of a reply, as many as are needed to recognise the final dot.
#[derive(Default)]
pub(super) struct ReplyTail(Vec<u8>);

impl ReplyTail {
    const MAX_TAIL_BYTES: usize = b"\n.\r\r\n".len();

    pub(super) fn push(&mut self, octets: &[u8]) {
        let skip = octets.len().saturating_sub(Self::MAX_TAIL_BYTES);
        self.0.extend(octets.iter().skip(skip));
        let over = self.0.len().saturating_sub(Self::MAX_TAIL_BYTES);
        self.0.drain(..over);
    }

    /// Returns true for a final dot: a dot on a line of its own.
    pub(super) fn is_dot(&self) -> bool {
        let Some(line) = self.0.strip_suffix(b"\n") else {
            // A text of an old Mac.
            return self.0.ends_with(b"\r.\r");
        };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        line == b"." && self.0.len() < Self::MAX_TAIL_BYTES || line.ends_with(b"\n.")
    }
}
