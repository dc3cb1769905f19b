//! The attributes of all items of a menu (Gopher+, section 2.7): the reply to `$`, and one item out of it.
//!
//! They are requested when that saves requests: when the attributes of more than one item of a menu are needed. Errors
//! are not reported: the item's own attributes are requested instead.

use std::sync::Arc;

use super::content::ReplyContent;
use super::plus;
use super::reply::{GopherBody, size};
use crate::document::menu;
use crate::load::{PageHead, Purpose, Request, Sink, Stop};
use crate::net::{Net, Security, authority};
use crate::protocol::gopher::attributes::items;
use crate::protocol::gopher::{DotStuffing, HeaderState, Outcome};
use crate::url::{Gopher, Parts, Url};

/// The most octets that are stored.
const ROOM: usize = 1024 * 1024;

/// The attributes of all items of a menu, as the server sent them.
#[derive(Clone, Debug)]
pub struct GopherAttributes {
    octets: Arc<[u8]>,
    /// The security of the connection.
    pub security: Security,
}

impl GopherAttributes {
    /// Returns the attributes of the item of `url`: the same octets as the reply to a request for this item alone.
    pub fn item(&self, url: &Url) -> Option<&[u8]> {
        let item = items(&self.octets).find(|item| {
            let target = item
                .info()
                .and_then(|item| menu::target(&item, item.gtype).ok());
            target.is_some_and(|target| is_same(&target, url))
        })?;
        // A server that sends only the rows here may send more for each single item.
        item.blocks().nth(1)?;
        Some(item.octets())
    }
}

/// Returns true if two URLs are of the same item. The type is not part of a request, so it is ignored.
fn is_same(one: &Url, other: &Url) -> bool {
    match (one.base_parts(), other.base_parts()) {
        (Parts::Gopher(one), Parts::Gopher(other)) => {
            is_same_server(&one, &other) && one.selector.octets() == other.selector.octets()
        }
        _ => false,
    }
}

/// Returns true if two items are on the same server.
pub(crate) fn is_same_server(one: &Gopher<'_>, other: &Gopher<'_>) -> bool {
    let port = |item: &Gopher<'_>| item.address.port().unwrap_or(70);
    port(one) == port(other)
        && one
            .address
            .node()
            .eq_ignore_ascii_case(other.address.node())
}

/// Requests the attributes of an item with those of all items of `menu`; alone when that fails.
pub(super) async fn attributes(
    net: &Net,
    request: &Request,
    url: &Gopher<'_>,
    menu: &Url,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let directory = match every(net, request, menu, sink).await {
        Ok(directory) => directory,
        Err(Stop::Failed(_)) => None,
        Err(stop @ (Stop::Needs(_) | Stop::Truncated(_) | Stop::Closed)) => return Err(stop),
    };
    let item = directory.and_then(|directory| {
        let item = directory.item(&request.url)?.to_vec();
        Some((directory, item))
    });
    let Some((directory, item)) = item else {
        return plus::attributes(net, request, url, sink).await;
    };
    let page_head = PageHead {
        security: directory.security,
        directory: Some(directory),
        ..PageHead::new(ReplyContent::Attributes.shape())
    };
    sink.begin(page_head).await?;
    sink.octets(item).await
}

/// Requests the attributes of all items; None when that is unsafe, or when the reply is incomplete.
async fn every(
    net: &Net,
    request: &Request,
    menu: &Url,
    sink: &mut Sink,
) -> Result<Option<GopherAttributes>, Stop> {
    let Ok(url) = menu.with_plus(b"$") else {
        return Ok(None);
    };
    let every = Request {
        url,
        ..request.clone()
    };
    // The trust in a certificate is not valid for another server, and no question about hazards is asked here.
    let is_other = every.tls_authority() != request.tls_authority();
    if is_other || !every.hazards_to_confirm().is_empty() {
        return Ok(None);
    }
    let Parts::Gopher(url) = every.url.base_parts() else {
        return Ok(None);
    };
    let authority = authority(url.address.node(), url.address.port().unwrap_or(70));
    let about = (authority.as_str(), ReplyContent::Attributes);
    let mut source = super::send(net, &every, &url, about, sink).await?;
    let (reply, start) = source.head(DotStuffing::Doubled).await?;
    let header = match reply.header_state() {
        HeaderState::Plus(header) => header,
        // A reply without a header does not show if it is complete.
        HeaderState::None | HeaderState::Incomplete => return Ok(None),
    };
    let is_large = size(header).is_some_and(|size| size > ROOM as u64);
    if header.outcome == Outcome::Refused || is_large {
        return Ok(None);
    }
    let body = GopherBody::plus(reply, ReplyContent::Attributes, Purpose::Show);
    let octets = source.whole(body, start, ROOM).await?;
    Ok(octets.map(|octets| GopherAttributes {
        octets: octets.into(),
        security: source.security,
    }))
}
