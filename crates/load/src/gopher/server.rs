//! A Gopher server: the connection, the detection of a server that expects TLS, and the path rules of its selectors and
//! its TLS port, from its caps.txt.

use std::time::Duration;

use geomys_wire::net::{Net, RequestNet, Security, Stream, TlsError, Trust};
use geomys_wire::protocol::gopher::caps::Caps;
use rfc1738::{Dialect, ExtensionScheme, Gopher, Parts, Protocol, Url};
use tokio::time::timeout;

use crate::sink::collect;
use crate::{Purpose, Request, Stop};

/// Connects in plain text, or over TLS if the URL says so; never falls back from one to the other.
pub(super) async fn connect(
    net: &RequestNet,
    request: &Request,
    host: &str,
    port: u16,
) -> Result<(Stream, Security), Stop> {
    if request.url.extension_scheme() == Some(ExtensionScheme::Gophers) {
        let (stream, security) = net.connect_tls(host, port, &request.trust).await?;
        return Ok((net.recorded(stream), security));
    }
    let stream = net.connect(host, port).await?;
    Ok((net.recorded(stream), Security::Plain))
}

/// Returns true if a server answers over TLS, whatever its certificate is. Nothing is requested.
async fn answers(net: &RequestNet, url: &Gopher<'_>) -> bool {
    let (host, port) = (url.address.node(), url.address.port());
    let trust = Trust::default();
    let connecting = net.connect_tls(host, port, &trust);
    matches!(
        timeout(net.limits().brief, connecting).await,
        Ok(Ok(_) | Err(TlsError::UntrustedCertificate(_)))
    )
}

/// Returns true if the server of a URL without TLS answers over TLS.
pub(super) async fn is_expected(net: &RequestNet, request: &Request) -> bool {
    match request.url.protocol() {
        Protocol::Gopher(url) | Protocol::Cso(url) if !request.url.is_tls() => {
            answers(net, &url).await
        }
        _ => false,
    }
}

/// Returns true if a server sends nothing for some seconds after a plain request.
pub(super) async fn is_silent(net: &RequestNet, stream: &Stream) -> bool {
    let Some(stream) = stream.plain() else {
        return false;
    };
    let limits = net.limits();
    let silence = limits.silence.min(limits.idle);
    timeout(silence, stream.readable()).await.is_err()
}

/// Returns true if a silent server answers over TLS on a second connection. Returns false as soon as the first
/// connection has data or is closed, or when the second has shown nothing: a slow server is still waited for.
pub(super) async fn waits_for_handshake(
    net: &RequestNet,
    stream: &Stream,
    url: &Gopher<'_>,
) -> bool {
    let Some(stream) = stream.plain() else {
        return false;
    };
    tokio::select! {
        biased;
        _ = stream.readable() => false,
        is_tls = answers(net, url) => is_tls,
    }
}

/// The time limit for the file, because a person waits for the parent page.
const TIME_LIMIT: Duration = Duration::from_secs(2);

/// The most octets of a caps.txt that are read.
const MAX_FILE_BYTES: usize = 64 * 1024;

/// The caps.txt of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRules(Vec<u8>);

impl HostRules {
    /// Returns the port where the server answers over TLS.
    pub fn tls_port(&self) -> Option<u16> {
        Caps::parse(&self.0)?.tls_port()
    }
}

/// Requests the caps.txt of `caps`, and again with a slash before the name, as some servers have it. None if there is
/// none, or it does not arrive in time.
pub async fn host_rules(net: &Net, caps: &Request) -> Option<HostRules> {
    let both = async {
        let slashed = caps.url.as_str().replacen("/0caps.txt", "/0/caps.txt", 1);
        for url in [
            Some(caps.url.clone()),
            Dialect::Extended.parse(&slashed).ok(),
        ] {
            let request = Request {
                url: url?,
                purpose: Purpose::Save,
                ..caps.clone()
            };
            let (file, ..) = collect(net, request, MAX_FILE_BYTES).await;
            if Caps::parse(&file).is_some() {
                return Some(HostRules(file));
            }
        }
        None
    };
    timeout(TIME_LIMIT, both).await.ok().flatten()
}

/// Returns the parent of a Gopher page by its server's rules; None if they do not apply to it.
pub fn parent_page(url: &Url, rules: Option<&HostRules>) -> Option<Url> {
    let Parts::Gopher(gopher) = url.base_parts() else {
        return None;
    };
    let caps = Caps::parse(&rules?.0)?;
    let above = caps.parent_menu(&gopher.selector.octets())?;
    if above.is_empty() {
        return url.root();
    }
    url.with_selector(b'1', &above).ok()
}
