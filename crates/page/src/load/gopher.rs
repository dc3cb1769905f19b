//! Loading over Gopher and Gopher+, plain or over TLS.
//!
//! The header of a Gopher+ reply gives its end and its outcome; a reply without one is read as plain Gopher, because
//! servers without Gopher+ answer so. Some servers also send Gopher+ errors to plain requests. An item that has moved
//! is not followed: the failure has a link to its new address, because no request goes to a server that no person has
//! chosen.

mod body;
mod error;
mod item;
mod phone;
mod plus;
mod reply;
mod server;

use geomys_wire::net::{Net, TransferEnd, authority};
use geomys_wire::protocol::gopher;
use rfc1738::{Dialect, Encoded, Gopher, Parts, Url};

use self::item::GopherJob;
pub(super) use self::item::needs_search_words;
pub use self::plus::GopherAttributes;
pub use self::server::{HostRules, host_rules, parent_page};
use super::redirect::MovedAway;
use super::{Failure, FailureKind, FormAnswers, NextReason, Request, Sink, Stop};

/// Requests a URL and forwards the reply. When a connection without TLS fails before it has answered, and TLS answers there,
/// the failure says so.
pub(super) async fn load(
    net: &Net,
    request: &Request,
    url: Gopher<'_>,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    let mut job = GopherJob::new(net, request, sink);
    let end = request_item(&mut job, url).await;
    let is_asked = job.is_tls_asked;
    let Err(Stop::Failed(failure)) = end else {
        return end;
    };
    if failure.kind == FailureKind::Transient
        && !is_asked
        && !sink.page_source.has_begun()
        && server::is_expected(net, request).await
    {
        let authority = authority(url.address.node(), url.address.port());
        return Err(error::speaks_tls(&authority, &request.url).into());
    }
    if failure.next_reason == NextReason::Moved
        && let Some(link) = &failure.next
        && let Ok(to) = &link.target
    {
        sink.moved_away = Some(MovedAway {
            from: request.url.clone(),
            to: to.clone(),
            is_permanent: true,
        });
    }
    Err(failure.into())
}

async fn request_item(job: &mut GopherJob<'_>, url: Gopher<'_>) -> Result<TransferEnd, Stop> {
    let request = job.request;
    let FormAnswers::Hidden(hidden) = &request.answers else {
        return job.load(&url).await;
    };
    // The filled form is part of a URL only for this request; no person sees this URL.
    let filled = request.url.with_plus(&hidden.0);
    let filled = filled.map_err(|error| Failure::new(error.to_string()))?;
    match filled.base_parts() {
        Parts::Gopher(filled) => job.load(&filled).await,
        _ => job.load(&url).await,
    }
}

/// Returns the line that a load would send.
pub(super) fn request_preview(url: &Gopher<'_>) -> Option<String> {
    let words = url.search.map(Encoded::octets).unwrap_or_default();
    let line = match (url.item_type(), url.plus) {
        (b'2', None) if words.is_empty() => b"fields\r\n".to_vec(),
        (b'2', None) => [b"query ", words.as_ref(), b"\r\n"].concat(),
        _ => gopher::request(url).ok()?,
    };
    Some(line.escape_ascii().to_string())
}

/// Returns the URL with another item type, which a person has chosen for an unknown one.
pub fn with_type(url: &Url, gtype: char) -> Option<Url> {
    let Parts::Gopher(gopher) = url.base_parts() else {
        return None;
    };
    let path = gopher.path?.as_str();
    let rest = path.strip_prefix(gopher.gtype?.as_str())?;
    let head = url.as_str().strip_suffix(path)?;
    Dialect::Extended
        .parse(&format!("{head}{gtype}{rest}"))
        .ok()
}
