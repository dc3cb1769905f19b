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

use super::{Failure, PageHead, Phase, Request, Sink, Stop};
use crate::document::Shape;
use crate::net::{Net, authority, read, sendable, write};
use crate::text::{Charset, Text};
use crate::url::{Encoded, ExtensionScheme, Other, Parts, Url};

/// The port of finger (RFC 1288, section 2.1).
pub(super) const PORT: u16 = 79;

/// Returns true if a gopher URL is of a finger server: a text item on the finger port.
pub(super) fn is_finger_item(url: &Url) -> bool {
    match url.base_parts() {
        Parts::Gopher(gopher) => gopher.item_type() == b'0' && gopher.address.port() == Some(PORT),
        _ => false,
    }
}

/// Returns true for a `finger:` URL.
pub(super) fn speaks(url: &Url) -> bool {
    url.extension_scheme() == Some(ExtensionScheme::Finger)
}

/// Returns the line that a load of this URL sends.
pub(super) fn request_preview(url: &Other<'_>) -> Option<Vec<u8>> {
    let (login, path) = url.ip()?;
    let query = path.filter(|path| !path.is_empty()).or(login.user);
    let query = query.map(Encoded::octets).unwrap_or_default();
    Some([&query, b"\r\n".as_slice()].concat())
}

/// Sends the query and forwards the answer.
pub(super) async fn load(
    net: &Net,
    request: &Request,
    url: Other<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let no_host = || Failure::new(format!("{} names no host to ask", request.url.masked()));
    let (login, _) = url.ip().ok_or_else(no_host)?;
    let line = request_preview(&url).ok_or_else(no_host)?;
    let query = line.strip_suffix(b"\r\n").unwrap_or_default();
    sendable(query, "the query")?;
    let host = login.address.node();
    if host.is_empty() {
        return Err(no_host().into());
    }
    let port = login.address.written_port.unwrap_or(PORT);
    let authority = authority(host, port);
    sink.phase(Phase::Connecting).await?;
    let mut stream = net.connect(host, port).await?;
    sink.phase(Phase::Waiting).await?;
    write(&mut stream, &line, &authority, net.limits()).await?;
    let whom = if query.is_empty() {
        Text::of(&authority)
    } else {
        Text::new(
            &[query, b" at ", authority.as_bytes()].concat(),
            Charset::default(),
        )
    };
    let mut octets = read(&mut stream, &authority, net.limits()).await?;
    sink.begin(PageHead {
        title: Some(whom),
        ..PageHead::new(Shape::Text)
    })
    .await?;
    while !octets.is_empty() {
        sink.octets(octets).await?;
        octets = read(&mut stream, &authority, net.limits()).await?;
    }
    Ok(())
}
