//! Gopher+ requests: an item in one of its views, or its attributes.
//!
//! Attributes are requested item by item with a bare `!`, which every server supports. `$`, which returns the
//! attributes of all items of a menu, is requested when a person opens it, and when it saves requests: see
//! `directory.rs`. On a large menu it would cost more, and some servers answer it only at their root.

use geomys_wire::net::TransferEnd;
use geomys_wire::protocol::gopher::{DotStuffing, Header, Outcome, Reply};
use rfc1738::{Gopher, Parts};

use super::body::{GopherBody, size};
use super::content::ReplyContent;
use super::job::{GopherJob, is_web};
use super::reply::{ReplyHead, ReplyStream};
use crate::load::{Failure, PageHead, Purpose, Request, Stop};

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
        let page_head = PageHead {
            size: size(header),
            ..self.page_head(&source, &start)
        };
        self.sink.begin(page_head).await?;
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
        ReplyContent::Text | ReplyContent::Html => DotStuffing::Doubled,
        ReplyContent::Menu
        | ReplyContent::Attributes
        | ReplyContent::File(_)
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
