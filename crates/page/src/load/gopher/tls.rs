//! Gopher over TLS: the connection, and the detection of a server that expects it.

use geomys_wire::net::{Net, Security, Stream, TlsError, Trust};
use rfc1738::{ExtensionScheme, Gopher, Protocol};
use tokio::time::timeout;

use crate::load::{Request, Stop};

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
    let stream = net.connect(host, port).await?;
    Ok((Stream::Plain(stream), Security::Plain))
}

/// Returns true if a server answers over TLS, whatever its certificate is. Nothing is requested.
async fn answers(net: &Net, url: &Gopher<'_>) -> bool {
    let (host, port) = (url.address.node(), url.address.port());
    let trust = Trust::default();
    let connecting = net.connect_tls(host, port, &trust);
    matches!(
        timeout(net.limits().brief, connecting).await,
        Ok(Ok(_) | Err(TlsError::UntrustedCertificate(_)))
    )
}

/// Returns true if the server of a URL without TLS answers over TLS.
pub(super) async fn is_expected(net: &Net, request: &Request) -> bool {
    match request.url.protocol() {
        Protocol::Gopher(url) | Protocol::Cso(url) if !request.url.is_tls() => {
            answers(net, &url).await
        }
        _ => false,
    }
}

/// Returns true if a server sends nothing for some seconds after a plain request.
pub(super) async fn is_silent(net: &Net, stream: &Stream) -> bool {
    let Stream::Plain(stream) = stream else {
        return false;
    };
    let limits = net.limits();
    let silence = limits.silence.min(limits.idle);
    timeout(silence, stream.readable()).await.is_err()
}

/// Returns true if a silent server answers over TLS on a second connection. Returns false as soon as the first connection has data
/// or is closed, or when the second has shown nothing: a slow server is still waited for.
pub(super) async fn waits_for_handshake(net: &Net, stream: &Stream, url: &Gopher<'_>) -> bool {
    let Stream::Plain(stream) = stream else {
        return false;
    };
    tokio::select! {
        biased;
        _ = stream.readable() => false,
        is_tls = answers(net, url) => is_tls,
    }
}
