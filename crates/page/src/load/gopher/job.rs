//! A job: one request to a Gopher server, and its plain reply.

use geomys_wire::net::{Net, TransferEnd, authority, write};
use geomys_wire::protocol::gopher::{refusal_of_plain_request, request};
use rfc1738::{Gopher, Parts};

use super::body::GopherBody;
use super::content::ReplyContent;
use super::error::{error_words, missing, refused, speaks_tls};
use super::reply::ReplyStream;
use super::tls;
use crate::document::Shape;
use crate::load::sniff::looks_like_html;
use crate::load::{Failure, PageHead, Phase, Purpose, Request, Sink, Stop};

/// One request, and the sink of its parts.
pub(super) struct GopherJob<'a> {
    pub(super) net: &'a Net,
    pub(super) request: &'a Request,
    pub(super) sink: &'a mut Sink,
    /// True once the server was asked whether it answers over TLS.
    pub(super) is_tls_asked: bool,
}

/// Returns true for a search that has no words yet.
pub(in crate::load) fn needs_search_words(url: &Gopher<'_>) -> bool {
    url.item_type() == b'7' && url.search.is_none()
}

impl<'a> GopherJob<'a> {
    /// Creates a job.
    pub(super) fn new(net: &'a Net, request: &'a Request, sink: &'a mut Sink) -> Self {
        Self {
            net,
            request,
            sink,
            is_tls_asked: false,
        }
    }

    /// Connects to the server of a URL, after checking that the request can be sent.
    async fn connect(
        &self,
        url: &Gopher<'_>,
        content: ReplyContent,
    ) -> Result<ReplyStream<'a>, Stop> {
        request(url)?;
        self.sink.phase(Phase::Connecting).await?;
        let (host, port) = (url.address.node(), url.address.port());
        let connected = tls::connect(self.net, self.request, host, port).await?;
        self.sink.phase(Phase::Waiting).await?;
        let limits = self.net.limits();
        Ok(ReplyStream::new(
            connected,
            authority(host, port),
            content,
            limits,
        ))
    }

    /// Connects, sends the request line of a URL, and waits until the reply begins or the server has been silent for some
    /// seconds. When a silent server answers over TLS on a second connection, the failure says so.
    pub(super) async fn send(
        &mut self,
        url: &Gopher<'_>,
        content: ReplyContent,
    ) -> Result<ReplyStream<'a>, Stop> {
        let line = request(url)?;
        let mut source = self.connect(url, content).await?;
        let limits = self.net.limits();
        write(&mut source.stream, &line, &source.authority, limits).await?;
        if tls::is_silent(self.net, &source.stream).await {
            self.is_tls_asked = true;
            if tls::waits_for_handshake(self.net, &source.stream, url).await {
                return Err(speaks_tls(&source.authority, &self.request.url).into());
            }
        }
        Ok(source)
    }

    /// Forwards a reply of plain Gopher; `start` is its beginning.
    pub(super) async fn plain(
        &mut self,
        mut source: ReplyStream<'_>,
        start: Vec<u8>,
    ) -> Result<TransferEnd, Stop> {
        let is_search = self.is_search();
        let start = source.opening(start, is_search).await?;
        if source.is_tls_alert(&start) {
            return Err(speaks_tls(&source.authority, &self.request.url).into());
        }
        if let Some(refusal) = refusal_of_plain_request(&start) {
            return Err(refused(&source.authority, &self.request.url, &refusal).into());
        }
        if !is_search && let Some(words) = error_words(&start) {
            return Err(missing(&source.authority, &words, source.end()).into());
        }
        if start.is_empty() {
            self.check_empty(&source).await?;
        }
        let page_head = self.page_head(&source, &start);
        self.sink.begin(page_head).await?;
        let body = GopherBody::plain(source.content, self.request.purpose);
        source.forward(body, start, self.sink).await
    }

    /// Checks a reply without any octet: a file may be empty, and nothing may be found. A menu has at least its final dot.
    async fn check_empty(&self, source: &ReplyStream<'_>) -> Result<(), Stop> {
        let (authority, url) = (&source.authority, &self.request.url);
        if tls::is_expected(self.net, self.request).await {
            return Err(speaks_tls(authority, url).into());
        }
        let parts = url.base_parts();
        let is_found = matches!(parts, Parts::Gopher(gopher) if gopher.search.is_some());
        if source.content == ReplyContent::Menu && !is_found {
            return Err(Failure::empty(authority).into());
        }
        Ok(())
    }

    /// Returns true if the reply is the results of a search. A link check sends one without words, whose results are undefined.
    pub(super) fn is_search(&self) -> bool {
        let parts = self.request.url.base_parts();
        matches!(parts, Parts::Gopher(gopher)
            if gopher.search.is_some() || needs_search_words(&gopher))
    }

    /// Returns the head of a page that begins with `start`.
    pub(super) fn page_head(&self, source: &ReplyStream<'_>, start: &[u8]) -> PageHead {
        let mut page_head = source.begin();
        if is_web(self.request) && looks_like_html(start) {
            page_head.shape = Shape::Html;
        }
        page_head
    }
}

/// Returns true if the request is for a page of the Web, to be shown.
pub(super) fn is_web(request: &Request) -> bool {
    match request.url.base_parts() {
        Parts::Gopher(gopher) => gopher.item_type() == b'h' && request.purpose == Purpose::Show,
        _ => false,
    }
}
