//! Checks of terminal sessions and finger: a server that accepts the connection, or answers at all, is alive.

use geomys_wire::net::{Net, NetError, read};
use rfc1738::{Other, Telnet};

use super::status::LinkStatus;
use crate::load::{Failure, Sink, Stop, finger};

/// Checks a terminal session: nothing is sent or read.
pub(in crate::load) async fn check(net: &Net, url: &Telnet<'_>) -> Result<LinkStatus, Stop> {
    let address = url.login.address;
    let port = address.port();
    net.connect(address.node(), port).await?;
    Ok(LinkStatus::Alive)
}

/// Checks a `finger:` URL: its query is sent (RFC 1288). The meaning of the answer is not defined.
pub(in crate::load) async fn finger(net: &Net, url: &Other<'_>) -> Result<LinkStatus, Stop> {
    let no_host = || Failure::new("the URL has no host");
    let query = finger::query(url).ok_or_else(no_host)?;
    let (mut stream, authority) = finger::send(net, &query, &Sink::discard()).await?;
    let answer = read(&mut stream, &authority, net.limits()).await?;
    if answer.is_empty() {
        let when = "before it answered";
        return Err(NetError::Closed { authority, when }.into());
    }
    Ok(LinkStatus::Alive)
}
