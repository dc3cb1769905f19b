//! One attempt at a request: at the URL's own server, or by a gateway.

use geomys_wire::net::{Net, TransferEnd};

use super::gateway::address;
use super::{Request, Sink, Stop, scheme};

/// Runs a request, without its alternates.
pub(super) async fn fetch(
    net: &Net,
    request: &Request,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    let request = &*request.with_ascii_host()?;
    request.allowed()?;
    let net = &request.network(net);
    if let Some(target) = request.by_gateway()? {
        return Box::pin(by_gateway(net, request, &target, sink)).await;
    }
    scheme::load(net, request, sink).await
}

/// Sends a request for a gateway, in place of the `request` for the URL's own server.
async fn by_gateway(
    net: &Net,
    request: &Request,
    target: &Request,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    if let Some((host, port)) =
        address(&request.url).and_then(|address| Some((address.node(), address.known_port()?)))
    {
        net.check_literal(host, port)?;
    }
    // Both URLs are checked: neither may hold what is never sent, and each may have hazards.
    target.allowed()?;
    let net = &target.network(net);
    sink.page_source.by_gateway(&request.url, &target.url);
    scheme::load(net, target, sink).await
}
