//! The attributes of all items of a menu (Gopher+, section 2.7): the reply to `$`, and one item out of it.
//!
//! They are requested when that saves requests: when the attributes of more than one item of a menu are needed. Errors
//! are not reported, and a server that takes more than a brief time is not waited for: the item's own attributes are
//! requested instead.

use geomys_wire::net::TransferEnd;
use geomys_wire::protocol::gopher::{DotStuffing, Outcome};
use rfc1738::{Gopher, Parts, Url};
use tokio::time::timeout;

use super::attributes::GopherAttributes;
use super::body::{GopherBody, size};
use super::content::ReplyContent;
use super::job::GopherJob;
use super::reply::ReplyHead;
use crate::load::{PageHead, Purpose, Request, Stop};

/// The most octets that are stored.
const ROOM: usize = 1024 * 1024;

impl GopherJob<'_> {
    /// Requests the attributes of an item with those of all items of `menu`; alone when that fails.
    pub(super) async fn attributes_of_menu(
        &mut self,
        url: &Gopher<'_>,
        menu: &Url,
    ) -> Result<TransferEnd, Stop> {
        let limit = self.net.limits().brief;
        let directory = match timeout(limit, self.every_attribute(menu)).await {
            Ok(Ok(directory)) => directory,
            Ok(Err(Stop::Failed(_))) | Err(_) => None,
            Ok(Err(stop @ (Stop::Needs(_) | Stop::Truncated(_) | Stop::Closed))) => {
                return Err(stop);
            }
        };
        let item = directory.and_then(|directory| {
            let item = directory.item(&self.request.url)?.to_vec();
            Some((directory, item))
        });
        let Some((directory, item)) = item else {
            return self.attributes(url).await;
        };
        let page_head = PageHead {
            security: directory.security,
            directory: Some(directory),
            ..PageHead::new(ReplyContent::Attributes.shape())
        };
        self.sink.begin(page_head).await?;
        self.sink.octets(item).await?;
        Ok(TransferEnd::Confirmed)
    }

    /// Requests the attributes of all items; None when that is unsafe, or when the reply is incomplete.
    async fn every_attribute(&mut self, menu: &Url) -> Result<Option<GopherAttributes>, Stop> {
        let Ok(url) = menu.with_plus(b"$") else {
            return Ok(None);
        };
        let request = &Request {
            url,
            ..self.request.clone()
        };
        // The trust in a certificate is not valid for another server, and no question about hazards is asked here.
        let is_other = request.tls_authority() != self.request.tls_authority();
        if is_other || !request.hazards_to_confirm().is_empty() {
            return Ok(None);
        }
        let Parts::Gopher(url) = request.url.base_parts() else {
            return Ok(None);
        };
        let (net, sink) = (self.net, &mut *self.sink);
        let mut job = GopherJob::new(net, request, sink);
        let mut source = job.send(&url, ReplyContent::Attributes).await?;
        // A reply without a header does not show if it is complete.
        let ReplyHead::Plus(header, reply, start) = source.head(DotStuffing::Doubled).await? else {
            return Ok(None);
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
}
