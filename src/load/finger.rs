//! Loading over finger (RFC 1288), which gopherspace links to: by `finger:` URLs, and by gopher items of type 0 on port 79.
//!
//! ```text
//! fingerurl = "finger://" [ user "@" ] host [ ":" port ] [ "/" [ query ] ]
//! request   = [ query ] CRLF
//! ```
//!
//! The query goes out as it is, `/W` and names on a further host included; a URL without one names its user by the login, as
//! some write it. Nobody named asks who is there.

use super::{Begin, Failure, Phase, Request, Sink, Stop};
use crate::document::Shape;
use crate::net::{Net, place, read, sendable, write};
use crate::text::{Charset, Text};
use crate::url::{Encoded, Later, Other, Parts, Url};

/// The port of finger (RFC 1288, section 2.1).
pub(super) const PORT: u16 = 79;

/// Whether a gopher URL asks a finger server: as an item that is a text, on its port.
pub(super) fn is_asked_by(url: &Url) -> bool {
    match url.reading() {
        Parts::Gopher(gopher) => gopher.item_type() == b'0' && gopher.address.port() == Some(PORT),
        _ => false,
    }
}

/// Whether Geomys speaks a scheme beside the ten by this.
pub(super) fn speaks(url: &Url) -> bool {
    url.later() == Some(Later::Finger)
}

/// The line that a load of this URL sends.
pub(super) fn sends(url: &Other<'_>) -> Option<Vec<u8>> {
    let (login, path) = url.ip()?;
    let query = path.filter(|path| !path.is_empty()).or(login.user);
    let query = query.map(Encoded::octets).unwrap_or_default();
    Some([&query, b"\r\n".as_slice()].concat())
}

/// Asks who is there, or about somebody, and hands on the answer.
pub(super) async fn load(
    net: &Net,
    request: &Request,
    url: Other<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let nobody = || Failure::new(format!("{} names no host to ask", request.url.masked()));
    let (login, _) = url.ip().ok_or_else(nobody)?;
    let line = sends(&url).ok_or_else(nobody)?;
    let query = line.strip_suffix(b"\r\n").unwrap_or_default();
    sendable(query, "the query")?;
    let host = login.address.node();
    if host.is_empty() {
        return Err(nobody().into());
    }
    let port = login.address.written_port.unwrap_or(PORT);
    let place = place(host, port);
    sink.phase(Phase::Connecting).await?;
    let mut stream = net.connect(host, port).await?;
    sink.phase(Phase::Waiting).await?;
    write(&mut stream, &line, &place, net.limits()).await?;
    let whom = if query.is_empty() {
        Text::of(&place)
    } else {
        Text::new(
            &[query, b" at ", place.as_bytes()].concat(),
            Charset::default(),
        )
    };
    let mut octets = read(&mut stream, &place, net.limits()).await?;
    sink.begin(Begin {
        title: Some(whom),
        ..Begin::new(Shape::Text)
    })
    .await?;
    while !octets.is_empty() {
        sink.octets(octets).await?;
        octets = read(&mut stream, &place, net.limits()).await?;
    }
    Ok(())
}
