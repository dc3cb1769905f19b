//! Gopher+ requests: an item in one of its views, its attributes, or its form.
//!
//! Attributes are requested item by item with a bare `!`, which every server supports. `$`, which returns the
//! attributes of all items of a menu, is requested when a person opens it, and when it saves requests: see
//! `directory.rs`. On a large menu it would cost more, and some servers answer it only at their root.

use super::content::ReplyContent;
use super::reply::{GopherBody, ReplySource, size};
use super::tls::{is_tls_alert, speaks_tls};
use super::{plain, refused};
use crate::load::{Failure, FormKind, PageHead, Question, Request, ServerForm, Sink, Stop};
use crate::net::{Net, Security, authority};
use crate::protocol::gopher::{
    self, DotStuffing, Header, HeaderState, Outcome, Reply, attributes, refusal,
};
use crate::text::{Charset, Text};
use crate::url::{Gopher, Parts};

/// The most octets of attributes that contain a form.
const FORM: usize = 128 * 1024;

/// The first octets of attributes in a reply without a header.
const INFO: &[u8] = b"+INFO";

/// Requests an item and forwards the reply: by its header, or as plain Gopher when it has none.
pub(super) async fn item(
    net: &Net,
    request: &Request,
    url: &Gopher<'_>,
    content: ReplyContent,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let authority = authority(url.address.node(), url.address.port().unwrap_or(70));
    let mut source = super::send(net, request, url, (&authority, content), sink).await?;
    let (reply, start) = source.head(dots(content)).await?;
    let page_head = source.begin();
    match reply.header_state() {
        HeaderState::Plus(header) => {
            forward_body(&mut source, (reply, header), start, content, request, sink).await
        }
        HeaderState::None => plain(&mut source, start, content, (request, page_head), sink).await,
        HeaderState::Incomplete => {
            let (start, _) = reply.finish();
            plain(&mut source, start, content, (request, page_head), sink).await
        }
    }
}

/// Requests an item that a menu marks as Gopher+, and forwards the reply. Returns false without a result when the reply
/// has no header: such a server may have misunderstood the `+`, and the item is requested again as plain Gopher.
pub(super) async fn marked(
    net: &Net,
    request: &Request,
    content: ReplyContent,
    sink: &mut Sink,
) -> Result<bool, Stop> {
    let server_form = request.url.with_plus(b"+");
    let server_form = server_form.map_err(|error| Failure::new(error.to_string()))?;
    let Parts::Gopher(url) = server_form.base_parts() else {
        return Ok(false);
    };
    let authority = authority(url.address.node(), url.address.port().unwrap_or(70));
    let mut source = super::send(net, request, &url, (&authority, content), sink).await?;
    let (reply, start) = source.head(dots(content)).await?;
    match reply.header_state() {
        HeaderState::Plus(header) => {
            forward_body(&mut source, (reply, header), start, content, request, sink).await?;
            Ok(true)
        }
        HeaderState::None | HeaderState::Incomplete => Ok(false),
    }
}

/// Returns the handling of dots: if they may be doubled in a reply that ends with a dot.
fn dots(content: ReplyContent) -> DotStuffing {
    match content {
        ReplyContent::Text => DotStuffing::Doubled,
        ReplyContent::Menu
        | ReplyContent::Attributes
        | ReplyContent::File(_)
        | ReplyContent::Unknown => DotStuffing::Plain,
    }
}

/// Forwards a reply whose header has arrived; `start` is the data after it.
async fn forward_body(
    source: &mut ReplySource<'_>,
    (reply, header): (Reply, Header),
    start: Vec<u8>,
    content: ReplyContent,
    request: &Request,
    sink: &mut Sink,
) -> Result<(), Stop> {
    if header.outcome == Outcome::Refused {
        let data = source.rest(reply, start).await?;
        return Err(refused(source.authority, &refusal(&data)).into());
    }
    let page_head = PageHead {
        size: size(header),
        ..source.begin()
    };
    sink.begin(page_head).await?;
    let body = GopherBody::plus(reply, content, request.purpose);
    source.forward(body, start, sink).await
}

/// Requests attributes. Their page begins with the details of the URL, so it is shown even when the server does not
/// answer.
pub(super) async fn attributes(
    net: &Net,
    request: &Request,
    url: &Gopher<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let authority = authority(url.address.node(), url.address.port().unwrap_or(70));
    let begun = async {
        let about = (authority.as_str(), ReplyContent::Attributes);
        let mut source = super::send(net, request, url, about, sink).await?;
        let (reply, start) = source.head(DotStuffing::Doubled).await?;
        match reply.header_state() {
            HeaderState::Plus(header) if header.outcome == Outcome::Refused => {
                let data = source.rest(reply, start).await?;
                Err(refused(&authority, &refusal(&data)).into())
            }
            HeaderState::Plus(_) => Ok((
                source,
                GopherBody::plus(reply, ReplyContent::Attributes, request.purpose),
                start,
            )),
            HeaderState::None | HeaderState::Incomplete => {
                let (rest, _) = reply.finish();
                let start = source
                    .opening([start, rest].concat(), ReplyContent::Text)
                    .await?;
                if !start.starts_with(INFO) {
                    return Err(Stop::from(without_attributes(&authority, request)));
                }
                let body = GopherBody::plain(ReplyContent::Attributes, request.purpose);
                Ok((source, body, start))
            }
        }
    };
    match begun.await {
        Ok((mut source, body, start)) => {
            sink.begin(source.begin()).await?;
            source.forward(body, start, sink).await
        }
        // A page over TLS shows the security of its connection, and here there may have been none.
        Err(Stop::Failed(failure))
            if failure.next.is_none() && request.url.extension_scheme().is_none() =>
        {
            sink.begin(PageHead::new(ReplyContent::Attributes.shape()))
                .await?;
            Err(failure.into())
        }
        Err(stop) => Err(stop),
    }
}

fn without_attributes(authority: &str, request: &Request) -> Failure {
    let what = request
        .url
        .without_plus()
        .map_or("this".to_owned(), |url| url.to_string());
    Failure::new(format!(
        "{authority} answered without a Gopher+ header: it has nothing to tell of {what}"
    ))
}

/// Requests the form of an item, which ends the load with a question. An item without a form is loaded.
pub(super) async fn form(
    net: &Net,
    request: &Request,
    url: &Gopher<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let authority = authority(url.address.node(), url.address.port().unwrap_or(70));
    let line = gopher::request(url)?;
    let about = (authority.as_str(), ReplyContent::Attributes);
    let mut source = super::connect(net, request, url, about, sink).await?;
    let reply = gopher::ask(&mut source.stream, &line, &authority, net.limits(), FORM).await?;
    if reply
        .header
        .is_some_and(|header| header.outcome == Outcome::Refused)
    {
        return Err(refused(&authority, &refusal(&reply.data)).into());
    }
    if source.security == Security::Plain && is_tls_alert(&reply.data) {
        return Err(speaks_tls(&authority).into());
    }
    let item_attributes = attributes::items(&reply.data).next();
    let server_form = item_attributes.and_then(|item| Some((item.block(b"ASK")?, item.info())));
    if let Some((block, info)) = server_form {
        return Err(Stop::Needs(Question::Form(ServerForm {
            title: info.map(|item| Text::new(item.name.trim_ascii(), Charset::default())),
            lines: block.lines().map(<[u8]>::to_vec).collect(),
            hints: Vec::new(),
            kind: FormKind::Item,
        })));
    }
    let item_url = request.url.with_plus(b"+");
    let item_url = item_url.map_err(|error| Failure::new(error.to_string()))?;
    let request = Request {
        url: item_url,
        ..request.clone()
    };
    match request.url.base_parts() {
        Parts::Gopher(gopher) => {
            let content = ReplyContent::of(gopher.item_type(), None);
            super::check_answers(&request, &gopher, None, content)?;
            item(net, &request, &gopher, content, sink).await
        }
        _ => Ok(()),
    }
}
