//! Loading over Spartan: one request to a connection, with the data of a `=:` line or of the URL's query.
//!
//! Redirects are followed on the same server, and nothing is sent to their targets.

use std::borrow::Cow;

use geomys_wire::net::{Net, Security, Stream, TransferEnd, authority};
use geomys_wire::protocol::spartan::{self, Response, Status};
use geomys_wire::text::Text;
use rfc1738::{Encoded, Http, Protocol, Url};

use super::http::MediaType;
use super::redirect::{Redirect, Redirects, target};
use super::small_page::{REDIRECTIONS, SmallPage, header_stop, leaves};
use super::words::trimmed;
use super::{Failure, FailureKind, PageStorage, Phase, Request, Sink, Stop};

/// Returns the path of a request.
fn path(url: &Http<'_>) -> String {
    format!("/{}", url.path.map_or("", |path| path.as_str()))
}

/// Returns the data that a URL itself holds: its query.
fn query<'a>(url: &Http<'a>) -> Cow<'a, [u8]> {
    url.search.map(Encoded::octets).unwrap_or_default()
}

/// Returns what a load of a URL sends.
pub(super) fn request_preview(url: &Http<'_>) -> Vec<u8> {
    let data = query(url);
    let host = url.address.node();
    let line = spartan::request_line(host, &path(url), data.len()).unwrap_or_default();
    [&line, data.as_ref()].concat()
}

/// Requests a URL, and forwards the response.
pub(super) async fn load(
    net: &Net,
    request: &Request,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    let mut redirects = Redirects::new(net, request, REDIRECTIONS);
    loop {
        let here = &redirects.here;
        let posted = request.posted().filter(|_| redirects.from.is_empty());
        let posted = posted.map(|posted| posted.octets.as_slice());
        let (authority, response) = ask(&redirects.net, here, posted, sink).await?;
        let meta = &response.header.meta;
        match response.header.status {
            Status::Success => {
                let page = SmallPage {
                    media: MediaType::parse(meta),
                    body: response.body,
                    here: redirects.here,
                    from: redirects.from,
                    security: Security::Plain,
                    storage: PageStorage::Allowed,
                };
                return page.forward(request, sink).await;
            }
            Status::Redirect => {
                let to = target(here, meta, &authority)?;
                let redirect = Redirect {
                    leaves: leaves(&to, here, "Spartan"),
                    is_permanent: false,
                    to,
                };
                redirects.follow(redirect, sink)?;
            }
            Status::ClientError | Status::ServerError => {
                return Err(failure(&authority, &response).into());
            }
        }
    }
}

/// Sends a request, with `posted` or the query of the URL as its data.
async fn ask(
    net: &Net,
    here: &Url,
    posted: Option<&[u8]>,
    sink: &Sink,
) -> Result<(String, Response<Stream>), Stop> {
    let Protocol::Spartan(url) = here.protocol() else {
        return Err(Failure::unsupported(here).into());
    };
    let host = url.address.node();
    if host.is_empty() {
        return Err(Failure::new(format!("{} has no host", here.masked())).into());
    }
    let port = url.address.port();
    let authority = authority(host, port);
    let query = query(&url);
    let data = posted.unwrap_or(&query);
    sink.phase(Phase::Connecting).await?;
    let stream = Stream::Plain(net.connect(host, port).await?);
    sink.phase(Phase::Waiting).await?;
    let path = path(&url);
    let fields = (host, path.as_str());
    let response = spartan::request(stream, fields, data, &authority, net.limits()).await;
    Ok((authority, response.map_err(header_stop)?))
}

/// Returns the failure that a response with a status of an error is.
fn failure(authority: &str, response: &Response<Stream>) -> Failure {
    let header = &response.header;
    let (what, kind) = match header.status {
        Status::ServerError => ("the server has failed", FailureKind::ServerError),
        Status::Success | Status::Redirect | Status::ClientError => (
            "no such page, or a request that it does not accept",
            FailureKind::Missing,
        ),
    };
    let words = trimmed(&header.meta);
    let said = (!words.is_empty()).then(|| Text::of(&words));
    let digit = header.status.digit();
    Failure::new(format!("{authority} answered {digit}: {what}"))
        .with_kind(kind)
        .with_words(said)
}
