//! Loading over nex: the path of a URL is sent, and the reply is the page (the specification of nightfall.city).
//!
//! ```text
//! request   = path CRLF                  ; as octets, without the slash that ends the host if nothing follows it
//! directory = *( "=> " URL [ SP label ] / text )    ; the path is empty or ends with a slash
//! ```
//!
//! There is no status, so a missing page is what the server writes about it. A file is what its suffix says.

use geomys_wire::net::{Net, Security, Stream, TransferEnd, authority, sendable, write};
use geomys_wire::protocol::reply::Reply;
use rfc1738::{Encoded, Http};
use tokio::net::TcpStream;

use super::http::MediaType;
use super::small_page::SmallPage;
use super::{Failure, PageStorage, Phase, Request, Sink, Stop};
use crate::document::suffix;

/// Returns the path of a request, decoded. A question mark has no meaning in nex.
fn path(url: &Http<'_>) -> Vec<u8> {
    let part = |part: Option<Encoded<'_>>| part.map(Encoded::octets).unwrap_or_default().to_vec();
    let path = [b"/".to_vec(), part(url.path)].concat();
    match url.search {
        Some(_) => [path, b"?".to_vec(), part(url.search)].concat(),
        None => path,
    }
}

/// Returns the line that a load of a URL sends.
pub(super) fn request_preview(url: &Http<'_>) -> Vec<u8> {
    [path(url), b"\r\n".to_vec()].concat()
}

/// Connects, and sends the path of a URL. Returns the stream of the reply, and the authority.
async fn send(net: &Net, url: &Http<'_>, sink: &Sink) -> Result<(TcpStream, String), Stop> {
    sendable(&path(url), "the path")?;
    let host = url.address.node();
    if host.is_empty() {
        return Err(Failure::new("the URL has no host").into());
    }
    let port = url.address.port();
    let authority = authority(host, port);
    sink.phase(Phase::Connecting).await?;
    let mut stream = net.connect(host, port).await?;
    sink.phase(Phase::Waiting).await?;
    write(&mut stream, &request_preview(url), &authority, net.limits()).await?;
    Ok((stream, authority))
}

/// Requests a URL, and forwards the reply.
pub(super) async fn load(
    net: &Net,
    request: &Request,
    url: Http<'_>,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    let (stream, authority) = send(net, &url, sink).await?;
    let path = path(&url);
    let is_directory = path.ends_with(b"/");
    let mut body = Reply::new(Stream::Plain(stream), &authority, net.limits());
    // A file may be empty.
    if !body.has_octets().await? && is_directory {
        return Err(Failure::empty(&authority).into());
    }
    let media = if is_directory {
        "text/gemini"
    } else {
        suffix::media_type(&path).unwrap_or_default()
    };
    let page = SmallPage {
        media: MediaType::parse(media.as_bytes()),
        body,
        here: request.url.clone(),
        from: Vec::new(),
        security: Security::Plain,
        storage: PageStorage::Allowed,
    };
    page.forward(request, sink).await
}
