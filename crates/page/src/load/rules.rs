//! The path rules of a Gopher server's selectors and its TLS port, from its caps.txt.

use std::time::Duration;

use geomys_wire::net::Net;
use geomys_wire::protocol::gopher::caps::Caps;
use rfc1738::{Dialect, Parts, Url};
use tokio::time::timeout;

use super::collect::collect;
use super::{Purpose, Request};

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
