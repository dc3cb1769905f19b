//! Checks of terminal sessions and finger: a server that accepts the connection, or answers at all, is alive.

use super::LinkStatus;
use crate::load::finger::{PORT, request_preview};
use crate::load::{Failure, Stop};
use crate::net::{Net, NetError, authority, read, sendable, write};
use crate::url::{Other, Telnet};

/// The port of telnet.
const TELNET: u16 = 23;

/// Checks a terminal session: nothing is sent or read.
pub(super) async fn check(net: &Net, url: &Telnet<'_>) -> Result<LinkStatus, Stop> {
    let address = url.login.address;
    let port = address.port().unwrap_or(TELNET);
    let stream = net.connect(address.node(), port).await?;
    drop(stream);
    Ok(LinkStatus::Alive)
}

/// Checks a `finger:` URL: its query is sent (RFC 1288). The meaning of the answer is not defined.
pub(super) async fn finger(net: &Net, url: &Other<'_>) -> Result<LinkStatus, Stop> {
    let no_host = || Failure::new("the address names no host to ask");
    let (login, _) = url.ip().ok_or_else(no_host)?;
    let line = request_preview(url).ok_or_else(no_host)?;
    sendable(line.strip_suffix(b"\r\n").unwrap_or_default(), "the query")?;
    let (host, port) = (
        login.address.node(),
        login.address.written_port.unwrap_or(PORT),
    );
    let authority = authority(host, port);
    let mut stream = net.connect(host, port).await?;
    write(&mut stream, &line, &authority, net.limits()).await?;
    if read(&mut stream, &authority, net.limits())
        .await?
        .is_empty()
    {
        let when = "before it answered";
        return Err(NetError::Closed { authority, when }.into());
    }
    Ok(LinkStatus::Alive)
}
