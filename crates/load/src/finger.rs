//! Loading over finger (RFC 1288), which gopherspace links to by `finger:` URLs and by gopher items of type 0 on port
//! 79.
//!
//! ```text
//! fingerurl = "finger://" [ user "@" ] host [ ":" port ] [ "/" [ query ] ]
//! request   = [ query ] CRLF
//! ```
//!
//! The query is sent unchanged, including `/W` and the names of further hosts. A URL without a query uses the user of
//! its login, as some people write it. An empty query lists the users who are logged in.

use geomys_wire::net::{RequestNet, Stream, authority, read, sendable, write};
use geomys_wire::text::Text;
use rfc1738::{Encoded, HostPort, Other};

use super::words::text;
use super::{Failure, PageHead, Phase, Request, Sink, Stop};
use geomys_page::document::Shape;

/// A query, and the server that is asked.
struct FingerQuery<'a> {
    address: HostPort<'a>,
    octets: Vec<u8>,
}

/// Returns the query of a URL; None if it has no host.
fn query<'a>(url: &Other<'a>) -> Option<FingerQuery<'a>> {
    let (login, path) = url.ip()?;
    let query = path.filter(|path| !path.is_empty()).or(login.user);
    Some(FingerQuery {
        address: login.address,
        octets: query.map(Encoded::octets).unwrap_or_default().into_owned(),
    })
}

/// Returns the line that a load of this URL sends.
pub(super) fn request_preview(url: &Other<'_>) -> Option<Vec<u8>> {
    Some([&query(url)?.octets, b"\r\n".as_slice()].concat())
}

/// Connects to the server of a query, and sends it. Returns the stream of the answer, and the authority.
async fn send(
    net: &RequestNet,
    query: &FingerQuery<'_>,
    sink: &Sink,
) -> Result<(Stream, String), Stop> {
    sendable(&query.octets, "the query")?;
    let (host, port) = (query.address.node(), query.address.port());
    let authority = authority(host, port);
    sink.phase(Phase::Connecting).await?;
    let mut stream = net.recorded(net.connect(host, port).await?);
    sink.phase(Phase::Waiting).await?;
    let line = [&query.octets, b"\r\n".as_slice()].concat();
    write(&mut stream, &line, &authority, net.limits()).await?;
    Ok((stream, authority))
}

/// Sends the query and forwards the answer.
pub(super) async fn load(
    net: &RequestNet,
    request: &Request,
    url: Other<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let query = query(&url).filter(|query| !query.address.node().is_empty());
    let no_host = || Failure::new(format!("{} has no host", request.url.masked()));
    let query = query.ok_or_else(no_host)?;
    let (mut stream, authority) = send(net, &query, sink).await?;
    let title = match query.octets.as_slice() {
        b"" => Text::of(&authority),
        octets => text(&[octets, b" at ", authority.as_bytes()].concat()),
    };
    let mut octets = read(&mut stream, &authority, net.limits()).await?;
    if octets.is_empty() {
        return Err(Failure::empty(&authority).into());
    }
    sink.begin(PageHead::new(Shape::Text).with_title(title))
        .await?;
    while !octets.is_empty() {
        sink.octets(octets).await?;
        octets = read(&mut stream, &authority, net.limits()).await?;
    }
    Ok(())
}
