//! Loading over Gopher and Gopher+, plain or over TLS.
//!
//! The header of a Gopher+ reply gives its end and its outcome; a reply without one is read as plain Gopher, because
//! servers without Gopher+ answer so. Some servers also send Gopher+ errors to plain requests. An item that has moved
//! is not followed: the failure has a link to its new address, because no request goes to a server that no person has
//! chosen.

mod content;
mod directory;
mod line_ends;
mod phone;
mod plus;
mod reply;
mod tls;

use self::content::ReplyContent;
use self::reply::{GopherBody, ReplySource};
use self::tls::{is_tls_alert, speaks_tls};
use super::sniff::looks_like_html;
use super::{
    Failure, FormAnswers, GopherItem, Link, PageHead, Phase, Purpose, Question, Request, Sink, Stop,
};
use crate::document::{Shape, menu};
use crate::net::{Net, Security, authority, write};
use crate::protocol::gopher::{self, PlusRequest, Refusal};
use crate::protocol::ph;
use crate::text::{Charset, Text, file_name, is_harmful};
use crate::url::{Encoded, Gopher, Parts, Url};

pub use self::directory::GopherAttributes;
pub(crate) use self::directory::is_same_server;

/// Returns true if a URL is of a phone book on the standard port.
pub(super) fn is_phone_book(url: &Url) -> bool {
    match url.base_parts() {
        Parts::Gopher(gopher) => {
            gopher.item_type() == b'2' && gopher.address.port() == Some(ph::PORT)
        }
        _ => false,
    }
}

/// Requests a URL and forwards the reply.
pub(super) async fn load(
    net: &Net,
    request: &Request,
    url: Gopher<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let FormAnswers::Hidden(hidden) = &request.answers else {
        return item(net, request, url, sink).await;
    };
    // The filled form is part of a URL only for this request; no person sees this URL.
    let filled = request.url.with_plus(&hidden.0);
    let filled = filled.map_err(|error| Failure::new(error.to_string()))?;
    match filled.base_parts() {
        Parts::Gopher(filled) => item(net, request, filled, sink).await,
        _ => item(net, request, url, sink).await,
    }
}

async fn item(net: &Net, request: &Request, url: Gopher<'_>, sink: &mut Sink) -> Result<(), Stop> {
    let plus = url.plus.map(Encoded::octets);
    let want = plus.as_deref().map(PlusRequest::parse);
    let content = ReplyContent::of(url.item_type(), want.as_ref());
    if url.item_type() == b'2' && want.is_none() {
        return phone::load(net, request, url, sink).await;
    }
    check_answers(request, &url, want.as_ref(), content)?;
    match &want {
        None => {}
        Some(PlusRequest::Form) => return plus::form(net, request, &url, sink).await,
        Some(PlusRequest::Attributes(names)) => {
            let all = names.is_empty() && request.purpose == Purpose::Show;
            return match request.directory.as_ref().filter(|_| all) {
                Some(menu) => directory::attributes(net, request, &url, menu, sink).await,
                None => plus::attributes(net, request, &url, sink).await,
            };
        }
        Some(PlusRequest::EveryAttribute(_)) => {
            return plus::attributes(net, request, &url, sink).await;
        }
        Some(PlusRequest::View(_) | PlusRequest::FilledForm(_) | PlusRequest::Other(_)) => {
            return plus::item(net, request, &url, content, sink).await;
        }
    }
    if is_plus_item(request, content) && plus::marked(net, request, content, sink).await? {
        return Ok(());
    }
    let authority = authority(url.address.node(), url.address.port().unwrap_or(70));
    let mut source = send(net, request, &url, (&authority, content), sink).await?;
    let page_head = source.begin();
    plain(&mut source, Vec::new(), content, (request, page_head), sink).await
}

/// Returns true if an item is requested as Gopher+, whose reply says where it ends, so that the dots of a text need no
/// guess. Menus have rows, whose ends are visible.
fn is_plus_item(request: &Request, content: ReplyContent) -> bool {
    let has_end = match content {
        ReplyContent::Text | ReplyContent::File(_) | ReplyContent::Unknown => true,
        ReplyContent::Menu | ReplyContent::Attributes => false,
    };
    has_end && request.gopher_item == GopherItem::Plus
}

/// Connects to the server of a URL, after checking that the request can be sent.
async fn connect<'a>(
    net: &'a Net,
    request: &Request,
    url: &Gopher<'_>,
    (authority, content): (&'a str, ReplyContent),
    sink: &mut Sink,
) -> Result<ReplySource<'a>, Stop> {
    gopher::request(url)?;
    sink.phase(Phase::Connecting).await?;
    let (host, port) = (url.address.node(), url.address.port().unwrap_or(70));
    let (stream, security) = tls::connect(net, request, host, port).await?;
    sink.phase(Phase::Waiting).await?;
    Ok(ReplySource::new(
        stream,
        security,
        (authority, content),
        net.limits(),
    ))
}

/// Connects, and sends the request line of a URL.
async fn send<'a>(
    net: &'a Net,
    request: &Request,
    url: &Gopher<'_>,
    (authority, content): (&'a str, ReplyContent),
    sink: &mut Sink,
) -> Result<ReplySource<'a>, Stop> {
    let line = gopher::request(url)?;
    let mut source = connect(net, request, url, (authority, content), sink).await?;
    write(&mut source.stream, &line, authority, net.limits()).await?;
    Ok(source)
}

/// Returns true for a search that has no words yet.
pub(super) fn needs_search_words(url: &Gopher<'_>) -> bool {
    url.item_type() == b'7' && url.search.is_none()
}

/// Returns an error when a person has to answer before anything is sent.
fn check_answers(
    request: &Request,
    url: &Gopher<'_>,
    want: Option<&PlusRequest<'_>>,
    content: ReplyContent,
) -> Result<(), Stop> {
    if let (Some(PlusRequest::FilledForm(filled)), FormAnswers::Unconfirmed) =
        (want, &request.answers)
    {
        let lines = filled.lines.iter();
        let lines = lines.map(|line| Text::of(&visible(line)));
        return Err(Stop::Needs(Question::Send(lines.collect())));
    }
    if needs_search_words(url) {
        return Err(Stop::Needs(Question::Search));
    }
    if request.purpose == Purpose::Save || want == Some(&PlusRequest::Form) {
        return Ok(());
    }
    match content {
        ReplyContent::File(what) => {
            let name = file_name(&url.selector.octets(), "gopher-file");
            let size = None;
            Err(Stop::Needs(Question::Save { what, name, size }))
        }
        ReplyContent::Unknown => Err(Stop::Needs(Question::Unknown(url.item_type()))),
        ReplyContent::Menu | ReplyContent::Text | ReplyContent::Attributes => Ok(()),
    }
}

/// Makes octets visible for confirmation: control characters and invisible characters are escaped, as `\x1b`.
fn visible(octets: &[u8]) -> String {
    let mut shown = String::new();
    for chunk in octets.utf8_chunks() {
        for sign in chunk.valid().chars() {
            match sign {
                '\\' => shown.push_str("\\\\"),
                _ if sign.is_ascii_control() => shown.extend(
                    sign.to_string()
                        .bytes()
                        .flat_map(std::ascii::escape_default)
                        .map(char::from),
                ),
                _ if is_harmful(sign) => shown.extend(sign.escape_unicode()),
                _ => shown.push(sign),
            }
        }
        shown.push_str(&chunk.invalid().escape_ascii().to_string());
    }
    shown
}

/// Forwards a reply of plain Gopher; `start` is its beginning.
async fn plain(
    source: &mut ReplySource<'_>,
    start: Vec<u8>,
    content: ReplyContent,
    (request, page_head): (&Request, PageHead),
    sink: &mut Sink,
) -> Result<(), Stop> {
    let start = source.opening(start, content).await?;
    if source.security == Security::Plain && is_tls_alert(&start) {
        return Err(speaks_tls(source.authority).into());
    }
    if let Some(refusal) = gopher::refusal_of_plain_request(&start) {
        return Err(refused(source.authority, &refusal).into());
    }
    if content != ReplyContent::Menu
        && let Some(words) = error_item(&start)
    {
        return Err(missing(source.authority, words).into());
    }
    let is_page = is_web(request) && looks_like_html(&start);
    sink.begin(PageHead {
        shape: if is_page {
            Shape::Html
        } else {
            page_head.shape
        },
        ..page_head
    })
    .await?;
    let body = GopherBody::plain(content, request.purpose);
    source.forward(body, start, sink).await
}

/// Returns true if the request is for a page of the Web, to be shown.
fn is_web(request: &Request) -> bool {
    match request.url.base_parts() {
        Parts::Gopher(gopher) => gopher.item_type() == b'h' && request.purpose == Purpose::Show,
        _ => false,
    }
}

/// Returns the server's words when the reply is an error item and nothing else, instead of a text or a file.
fn error_item(octets: &[u8]) -> Option<&[u8]> {
    let mut lines = octets
        .split(|&octet| octet == b'\n')
        .map(<[u8]>::trim_ascii_end);
    let item = gopher::item(lines.next()?)?;
    let alone = lines.all(|line| matches!(line, b"" | b"."));
    let fields = memchr::memchr_iter(b'\t', octets).count();
    (alone && item.gtype == b'3' && fields > 2).then_some(item.name)
}

/// The advice for a dead link.
const OLDER: &str = "the link may be older than what it led to: go up, or to the server's root";

fn missing(authority: &str, words: &[u8]) -> Failure {
    Failure {
        said: vec![Text::new(words, Charset::default())],
        advice: Some(OLDER),
        ..Failure::new(format!("{authority} has no such page"))
    }
}

/// Converts an error of Gopher+ (section 2.3): its code in words, the contact, and the item's new address.
fn refused(authority: &str, refusal: &Refusal<'_>) -> Failure {
    let text = |octets: &[u8]| Text::new(octets, Charset::default());
    let (sentence, advice) = match refusal.code {
        Some(1) => (
            format!("{authority} has no such item (error 1)"),
            Some(OLDER),
        ),
        Some(2) => {
            let sentence = format!("{authority} cannot give it now (error 2)");
            (sentence, Some("try again later"))
        }
        Some(3) => {
            let sentence = format!("it is no longer at {authority}: it has moved (error 3)");
            (sentence, None)
        }
        Some(code) => (format!("{authority} refused it (error {code})"), None),
        None => (format!("{authority} refused it"), None),
    };
    let next = refusal.moved.map(|item| {
        let label = text(item.name.trim_ascii());
        Box::new(Link::new(label, menu::target(&item, item.gtype)))
    });
    Failure {
        said: refusal.message.iter().map(|line| text(line)).collect(),
        advice,
        admin: Some(text(refusal.admin)).filter(|admin| !admin.is_blank()),
        next,
        ..Failure::new(sentence)
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
pub(crate) fn with_type(url: &Url, gtype: char) -> Option<Url> {
    let Parts::Gopher(gopher) = url.base_parts() else {
        return None;
    };
    let path = gopher.path?.as_str();
    let rest = path.strip_prefix(gopher.gtype?.as_str())?;
    let head = url.as_str().strip_suffix(path)?;
    Url::accept(&format!("{head}{gtype}{rest}")).ok()
}
