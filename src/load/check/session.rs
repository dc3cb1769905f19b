//! Terminal sessions and finger: whoever takes the connection, or answers at all, is there.

use super::Verdict;
use crate::load::finger::{PORT, sends};
use crate::load::{Failure, Stop};
use crate::net::{Net, NetError, place, read, sendable, write};
use crate::url::{Other, Telnet};

/// The port of telnet.
const TELNET: u16 = 23;

/// A terminal session: nothing is sent, and nothing of what comes is read.
pub(super) async fn check(net: &Net, url: &Telnet<'_>) -> Result<Verdict, Stop> {
    let address = url.login.address;
    let port = address.port().unwrap_or(TELNET);
    let stream = net.connect(address.node(), port).await?;
    drop(stream);
    Ok(Verdict::Alive)
}

/// A `finger:` URL: its query is sent (RFC 1288). What the answer means, no program can tell.
pub(super) async fn finger(net: &Net, url: &Other<'_>) -> Result<Verdict, Stop> {
    let nobody = || Failure::new("the address names no host to ask");
    let (login, _) = url.ip().ok_or_else(nobody)?;
    let line = sends(url).ok_or_else(nobody)?;
    sendable(line.strip_suffix(b"\r\n").unwrap_or_default(), "the query")?;
    let (host, port) = (
        login.address.node(),
        login.address.written_port.unwrap_or(PORT),
    );
    let place = place(host, port);
    let mut stream = net.connect(host, port).await?;
    write(&mut stream, &line, &place, net.limits()).await?;
    if read(&mut stream, &place, net.limits()).await?.is_empty() {
        let when = "before it answered";
        return Err(NetError::Closed { place, when }.into());
    }
    Ok(Verdict::Alive)
}
