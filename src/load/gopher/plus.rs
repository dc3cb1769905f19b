//! Gopher+ requests: an item in one of its views, attributes, the form before an item.
//!
//! Attributes are asked for item by item, with a bare `!`: that is what every server knows, and what one is told is what
//! one wanted to know. `$`, which tells of every item of a menu at once, is asked when somebody opens it, and where it
//! saves requests: see `directory.rs`. On a large menu it would cost more, and some servers answer it at their root
//! alone.

use super::content::Content;
use super::reply::{Body, Source, size};
use super::secure::{is_tls_alert, speaks_tls};
use super::{plain, refused};
use crate::load::{Asked, Begin, Failure, FormOf, Question, Request, Sink, Stop};
use crate::net::{Net, Security, place};
use crate::protocol::gopher::{self, Dots, Head, Header, Outcome, Reply, attributes, refusal};
use crate::text::{Charset, Text};
use crate::url::{Gopher, Parts};

/// Octets of the attributes that hold a form.
const FORM: usize = 128 * 1024;

/// Octets at the beginning of a reply without a header that show whether it is of attributes.
const INFO: &[u8] = b"+INFO";

/// Asks for an item, and hands on what comes: by its header, or as plain Gopher when it has none.
pub(super) async fn item(
    net: &Net,
    request: &Request,
    url: &Gopher<'_>,
    content: Content,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let place = place(url.address.node(), url.address.port().unwrap_or(70));
    let mut source = super::send(net, request, url, (&place, content), sink).await?;
    let (reply, start) = source.head(dots(content)).await?;
    let begin = source.begin();
    match reply.head() {
        Head::Plus(header) => {
            given(&mut source, (reply, header), start, content, request, sink).await
        }
        Head::None => plain(&mut source, start, content, (request, begin), sink).await,
        Head::Awaited => {
            let (start, _) = reply.finish();
            plain(&mut source, start, content, (request, begin), sink).await
        }
    }
}

/// Asks for an item that a menu marks as one of Gopher+, and hands on what comes. Nothing is done where the answer has no
/// header: such a server may have taken the `+` for something else, and is asked again as plain Gopher.
pub(super) async fn marked(
    net: &Net,
    request: &Request,
    content: Content,
    sink: &mut Sink,
) -> Result<bool, Stop> {
    let asked = request.url.with_plus(b"+");
    let asked = asked.map_err(|error| Failure::new(error.to_string()))?;
    let Parts::Gopher(url) = asked.reading() else {
        return Ok(false);
    };
    let place = place(url.address.node(), url.address.port().unwrap_or(70));
    let mut source = super::send(net, request, &url, (&place, content), sink).await?;
    let (reply, start) = source.head(dots(content)).await?;
    match reply.head() {
        Head::Plus(header) => {
            given(&mut source, (reply, header), start, content, request, sink).await?;
            Ok(true)
        }
        Head::None | Head::Awaited => Ok(false),
    }
}

/// Whether dots may be doubled in a reply that ends in one.
fn dots(content: Content) -> Dots {
    match content {
        Content::Text => Dots::Doubled,
        Content::Menu | Content::Attributes | Content::File(_) | Content::Unknown => Dots::Plain,
    }
}

/// Hands on a reply whose header has come, and `start` of what follows it.
async fn given(
    source: &mut Source<'_>,
    (reply, header): (Reply, Header),
    start: Vec<u8>,
    content: Content,
    request: &Request,
    sink: &mut Sink,
) -> Result<(), Stop> {
    if header.outcome == Outcome::Refused {
        let data = source.rest(reply, start).await?;
        return Err(refused(source.place, &refusal(&data)).into());
    }
    let begin = Begin {
        size: size(header),
        ..source.begin()
    };
    sink.begin(begin).await?;
    let body = Body::plus(reply, content, request.purpose);
    source.hand_on(body, start, sink).await
}

/// Asks for attributes. The page that shows them begins with what its address says, so it is there when the server is
/// not.
pub(super) async fn attributes(
    net: &Net,
    request: &Request,
    url: &Gopher<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let place = place(url.address.node(), url.address.port().unwrap_or(70));
    let begun = async {
        let about = (place.as_str(), Content::Attributes);
        let mut source = super::send(net, request, url, about, sink).await?;
        let (reply, start) = source.head(Dots::Doubled).await?;
        match reply.head() {
            Head::Plus(header) if header.outcome == Outcome::Refused => {
                let data = source.rest(reply, start).await?;
                Err(refused(&place, &refusal(&data)).into())
            }
            Head::Plus(_) => Ok((
                source,
                Body::plus(reply, Content::Attributes, request.purpose),
                start,
            )),
            Head::None | Head::Awaited => {
                let (rest, _) = reply.finish();
                let start = source
                    .opening([start, rest].concat(), Content::Text)
                    .await?;
                if !start.starts_with(INFO) {
                    return Err(Stop::from(without_attributes(&place, request)));
                }
                let body = Body::plain(Content::Attributes, request.purpose);
                Ok((source, body, start))
            }
        }
    };
    match begun.await {
        Ok((mut source, body, start)) => {
            sink.begin(source.begin()).await?;
            source.hand_on(body, start, sink).await
        }
        // Over TLS a page says how safe its connection was, and here it may be that there was none.
        Err(Stop::Failed(failure)) if failure.next.is_none() && request.url.later().is_none() => {
            sink.begin(Begin::new(Content::Attributes.shape())).await?;
            Err(failure.into())
        }
        Err(stop) => Err(stop),
    }
}

fn without_attributes(place: &str, request: &Request) -> Failure {
    let what = request
        .url
        .without_plus()
        .map_or("this".to_owned(), |url| url.to_string());
    Failure::new(format!(
        "{place} answered without a Gopher+ header: it has nothing to tell of {what}"
    ))
}

/// Asks for the form of an item, which ends the load with a question; an item that turns out to have none is given.
pub(super) async fn form(
    net: &Net,
    request: &Request,
    url: &Gopher<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let place = place(url.address.node(), url.address.port().unwrap_or(70));
    let line = gopher::request(url)?;
    let about = (place.as_str(), Content::Attributes);
    let mut source = super::connect(net, request, url, about, sink).await?;
    let reply = gopher::ask(&mut source.stream, &line, &place, net.limits(), FORM).await?;
    if reply
        .header
        .is_some_and(|header| header.outcome == Outcome::Refused)
    {
        return Err(refused(&place, &refusal(&reply.data)).into());
    }
    if source.security == Security::Plain && is_tls_alert(&reply.data) {
        return Err(speaks_tls(&place).into());
    }
    let item_attributes = attributes::items(&reply.data).next();
    let asked = item_attributes.and_then(|item| Some((item.block(b"ASK")?, item.info())));
    if let Some((block, info)) = asked {
        return Err(Stop::Needs(Question::Form(Asked {
            title: info.map(|item| Text::new(item.name.trim_ascii(), Charset::default())),
            lines: block.lines().map(<[u8]>::to_vec).collect(),
            hints: Vec::new(),
            of: FormOf::Item,
        })));
    }
    let unasked = request.url.with_plus(b"+");
    let unasked = unasked.map_err(|error| Failure::new(error.to_string()))?;
    let request = Request {
        url: unasked,
        ..request.clone()
    };
    match request.url.reading() {
        Parts::Gopher(gopher) => {
            let content = Content::of(gopher.item_type(), None);
            super::ask_first(&request, &gopher, None, content)?;
            item(net, &request, &gopher, content, sink).await
        }
        _ => Ok(()),
    }
}
