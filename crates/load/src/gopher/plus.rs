//! Gopher+ requests: an item in one of its views, or its attributes.
//!
//! Attributes are requested item by item with a bare `!`, which every server supports. `$`, which returns the
//! attributes of all items of a menu, is requested when a person opens it, and when it saves requests: when the
//! attributes of more than one item are needed. On a large menu it would cost more, and some servers answer it only at
//! their root.
//!
//! The attributes of all items of a menu (Gopher+, section 2.7) are stored, and one item is found in them. Errors of
//! their request are not reported, and a server that takes more than a brief time is not waited for: the item's own
//! attributes are requested instead.

use geomys_wire::net::TransferEnd;
use geomys_wire::protocol::gopher::{DotStuffing, Header, Outcome, Reply};
use rfc1738::{Gopher, Parts, Url};
use tokio::time::timeout;

use super::attributes::GopherAttributes;
use super::body::ReplyContent;
use super::body::{GopherBody, size};
use super::reply::{ReplyHead, ReplyStream};
use super::{GopherJob, is_web};
use crate::{Failure, PageHead, Purpose, Request, Stop};

/// The first octets of attributes in a reply without a header.
const INFO: &[u8] = b"+INFO";

impl<'a> GopherJob<'a> {
    /// Requests an item and forwards the reply: by its header, or as plain Gopher when it has none.
    pub(super) async fn plus(
        &mut self,
        url: &Gopher<'_>,
        content: ReplyContent,
    ) -> Result<TransferEnd, Stop> {
        let mut source = self.send(url, content).await?;
        match source.head(dots(content)).await? {
            ReplyHead::Plus(header, reply, start) => {
                self.forward_body(source, header, reply, start).await
            }
            ReplyHead::Plain(start) => self.plain(source, start).await,
        }
    }

    /// Requests an item that a menu marks as Gopher+, and forwards the reply. Returns None without a result when the
    /// reply has no header: such a server may have misunderstood the `+`, and the item is requested again as plain
    /// Gopher.
    pub(super) async fn marked(
        &mut self,
        content: ReplyContent,
    ) -> Result<Option<TransferEnd>, Stop> {
        let marked = self.request.url.with_plus(b"+");
        let marked = marked.map_err(|error| Failure::new(error.to_string()))?;
        let Parts::Gopher(url) = marked.base_parts() else {
            return Ok(None);
        };
        let mut source = self.send(&url, content).await?;
        match source.head(dots(content)).await? {
            ReplyHead::Plus(header, reply, start) => {
                let end = self.forward_body(source, header, reply, start).await?;
                Ok(Some(end))
            }
            ReplyHead::Plain(_) => Ok(None),
        }
    }

    /// Forwards a reply whose header has arrived; `start` is the data after it.
    async fn forward_body(
        &mut self,
        mut source: ReplyStream<'_>,
        header: Header,
        mut reply: Reply,
        mut start: Vec<u8>,
    ) -> Result<TransferEnd, Stop> {
        if header.outcome == Outcome::Refused {
            return Err(source
                .refusal(&self.request.url, reply, start)
                .await?
                .into());
        }
        if is_web(self.request) {
            start = source.first_data(&mut reply, start).await?;
        }
        source.content = self.shown_content(source.content, &start);
        let page_head = PageHead {
            size: size(header),
            ..source.begin()
        };
        self.begin_page(source.content, page_head).await?;
        let body = GopherBody::plus(reply, source.content, self.request.purpose);
        source.forward(body, start, self.sink).await
    }

    /// Requests attributes. Their page begins with the details of the URL, so it is shown even when the server does not
    /// answer.
    pub(super) async fn attributes(&mut self, url: &Gopher<'_>) -> Result<TransferEnd, Stop> {
        match self.begin_attributes(url).await {
            Ok((mut source, body, start)) => {
                self.sink.begin(source.begin()).await?;
                source.forward(body, start, self.sink).await
            }
            // A page over TLS shows the security of its connection, and here there may have been none.
            Err(Stop::Failed(failure))
                if self.request.purpose == Purpose::Show
                    && failure.next.is_none()
                    && self.request.url.extension_scheme().is_none() =>
            {
                let page_head = PageHead::new(ReplyContent::Attributes.shape());
                self.sink.begin(page_head).await?;
                Err(failure.into())
            }
            Err(stop) => Err(stop),
        }
    }

    /// Requests attributes, and returns the reply whose beginning has arrived.
    async fn begin_attributes(
        &mut self,
        url: &Gopher<'_>,
    ) -> Result<(ReplyStream<'a>, GopherBody, Vec<u8>), Stop> {
        let (content, purpose) = (ReplyContent::Attributes, self.request.purpose);
        let mut source = self.send(url, content).await?;
        match source.head(DotStuffing::Doubled).await? {
            ReplyHead::Plus(header, reply, start) if header.outcome == Outcome::Refused => {
                Err(source
                    .refusal(&self.request.url, reply, start)
                    .await?
                    .into())
            }
            ReplyHead::Plus(_, reply, start) => {
                Ok((source, GopherBody::plus(reply, content, purpose), start))
            }
            ReplyHead::Plain(start) => {
                let start = source.opening(start, self.is_search()).await?;
                if !start.starts_with(INFO) {
                    return Err(without_attributes(&source.authority, self.request).into());
                }
                Ok((source, GopherBody::plain(content, purpose), start))
            }
        }
    }
}

/// Returns the handling of dots: if they may be doubled in a reply that ends with a dot.
fn dots(content: ReplyContent) -> DotStuffing {
    match content {
        ReplyContent::Text | ReplyContent::Html | ReplyContent::Message => DotStuffing::Doubled,
        ReplyContent::Menu
        | ReplyContent::Attributes
        | ReplyContent::File(_)
        | ReplyContent::Binary
        | ReplyContent::Picture
        | ReplyContent::Unknown => DotStuffing::Plain,
    }
}

fn without_attributes(authority: &str, request: &Request) -> Failure {
    let what = request.url.without_plus();
    let what = what.map_or("this".to_owned(), |url| url.to_string());
    Failure::new(format!(
        "{authority} answered without a Gopher+ header: no information about {what}"
    ))
}

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
