//! Loading over Gopher and Gopher+, plain or over TLS.
//!
//! A reply to a Gopher+ request says by its header where it ends and whether it is an error; one without a header is
//! read as plain Gopher has it, since servers that know no Gopher+ answer so. Some send the errors of Gopher+ to those
//! who ask plainly too. An item that has moved is not followed: the failure names where it is now, as a link, since
//! nothing is asked of a server that nobody has named.

mod content;
mod directory;
mod ends;
mod phone;
mod plus;
mod reply;
mod secure;

use self::content::Content;
use self::reply::{Body, Source};
use self::secure::{is_tls_alert, speaks_tls};
use super::sniff::looks_like_html;
use super::{
    Answers, Begin, Failure, GopherItem, Link, Phase, Purpose, Question, Request, Sink, Stop,
};
use crate::document::{Shape, menu};
use crate::net::{Net, Security, place, write};
use crate::protocol::gopher::{self, Refusal, Want};
use crate::protocol::ph;
use crate::text::{Charset, Text, file_name, is_harmful};
use crate::url::{Encoded, Gopher, Parts, Url};

pub use self::directory::Directory;
pub(crate) use self::directory::is_same_place;

/// Whether a URL names a phone book at the port that phone books have.
pub(super) fn is_phone_book(url: &Url) -> bool {
    match url.reading() {
        Parts::Gopher(gopher) => {
            gopher.item_type() == b'2' && gopher.address.port() == Some(ph::PORT)
        }
        _ => false,
    }
}

/// Asks for what a URL names, and hands on what comes.
pub(super) async fn load(
    net: &Net,
    request: &Request,
    url: Gopher<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let Answers::Hidden(hidden) = &request.answers else {
        return item(net, request, url, sink).await;
    };
    // The filled form stands in an address for as long as this takes, and in none that anybody sees.
    let filled = request.url.with_plus(&hidden.0);
    let filled = filled.map_err(|error| Failure::new(error.to_string()))?;
    match filled.reading() {
        Parts::Gopher(filled) => item(net, request, filled, sink).await,
        _ => item(net, request, url, sink).await,
    }
}

async fn item(net: &Net, request: &Request, url: Gopher<'_>, sink: &mut Sink) -> Result<(), Stop> {
    let plus = url.plus.map(Encoded::octets);
    let want = plus.as_deref().map(Want::parse);
    let content = Content::of(url.item_type(), want.as_ref());
    if url.item_type() == b'2' && want.is_none() {
        return phone::load(net, request, url, sink).await;
    }
    ask_first(request, &url, want.as_ref(), content)?;
    match &want {
        None => {}
        Some(Want::Form) => return plus::form(net, request, &url, sink).await,
        Some(Want::Attributes(names)) => {
            let all = names.is_empty() && request.purpose == Purpose::Show;
            return match request.directory.as_ref().filter(|_| all) {
                Some(menu) => directory::attributes(net, request, &url, menu, sink).await,
                None => plus::attributes(net, request, &url, sink).await,
            };
        }
        Some(Want::EveryAttribute(_)) => {
            return plus::attributes(net, request, &url, sink).await;
        }
        Some(Want::View(_) | Want::Filled(_) | Want::Odd(_)) => {
            return plus::item(net, request, &url, content, sink).await;
        }
    }
    if is_plus_item(request, content) && plus::marked(net, request, content, sink).await? {
        return Ok(());
    }
    let place = place(url.address.node(), url.address.port().unwrap_or(70));
    let mut source = send(net, request, &url, (&place, content), sink).await?;
    let begin = source.begin();
    plain(&mut source, Vec::new(), content, (request, begin), sink).await
}

/// Whether an item is asked for as one of Gopher+, whose answer says where it ends: no dot of a text is to be guessed at
/// then. Menus have rows, whose ends are seen.
fn is_plus_item(request: &Request, content: Content) -> bool {
    let has_end = match content {
        Content::Text | Content::File(_) | Content::Unknown => true,
        Content::Menu | Content::Attributes => false,
    };
    has_end && request.gopher_item == GopherItem::Plus
}

/// Connects to the place of a URL. What cannot be sent is found before.
async fn connect<'a>(
    net: &'a Net,
    request: &Request,
    url: &Gopher<'_>,
    (place, content): (&'a str, Content),
    sink: &mut Sink,
) -> Result<Source<'a>, Stop> {
    gopher::request(url)?;
    sink.phase(Phase::Connecting).await?;
    let (host, port) = (url.address.node(), url.address.port().unwrap_or(70));
    let (stream, security) = secure::connect(net, request, host, port).await?;
    sink.phase(Phase::Waiting).await?;
    Ok(Source::new(
        stream,
        security,
        (place, content),
        net.limits(),
    ))
}

/// Connects, and sends the line of a URL.
async fn send<'a>(
    net: &'a Net,
    request: &Request,
    url: &Gopher<'_>,
    (place, content): (&'a str, Content),
    sink: &mut Sink,
) -> Result<Source<'a>, Stop> {
    let line = gopher::request(url)?;
    let mut source = connect(net, request, url, (place, content), sink).await?;
    write(&mut source.stream, &line, place, net.limits()).await?;
    Ok(source)
}

/// What has to be asked of a person before anything is sent.
/// Whether an item is a search that has no words yet.
pub(super) fn wants_words(url: &Gopher<'_>) -> bool {
    url.item_type() == b'7' && url.search.is_none()
}

fn ask_first(
    request: &Request,
    url: &Gopher<'_>,
    want: Option<&Want<'_>>,
    content: Content,
) -> Result<(), Stop> {
    if let (Some(Want::Filled(filled)), Answers::Unseen) = (want, &request.answers) {
        let lines = filled.lines.iter();
        let lines = lines.map(|line| Text::of(&visible(line)));
        return Err(Stop::Needs(Question::Send(lines.collect())));
    }
    if wants_words(url) {
        return Err(Stop::Needs(Question::Search));
    }
    if request.purpose == Purpose::Save || want == Some(&Want::Form) {
        return Ok(());
    }
    match content {
        Content::File(what) => {
            let name = file_name(&url.selector.octets(), "gopher-file");
            let size = None;
            Err(Stop::Needs(Question::Save { what, name, size }))
        }
        Content::Unknown => Err(Stop::Needs(Question::Unknown(url.item_type()))),
        Content::Menu | Content::Text | Content::Attributes => Ok(()),
    }
}

/// Octets as a person agrees to them: each that would act on a terminal, or hide, is seen for what it is, as `\x1b`.
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

/// Hands on a reply of plain Gopher, of which `start` has come.
async fn plain(
    source: &mut Source<'_>,
    start: Vec<u8>,
    content: Content,
    (request, begin): (&Request, Begin),
    sink: &mut Sink,
) -> Result<(), Stop> {
    let start = source.opening(start, content).await?;
    if source.security == Security::Plain && is_tls_alert(&start) {
        return Err(speaks_tls(source.place).into());
    }
    if let Some(refusal) = gopher::unasked_refusal(&start) {
        return Err(refused(source.place, &refusal).into());
    }
    if content != Content::Menu
        && let Some(words) = error_item(&start)
    {
        return Err(missing(source.place, words).into());
    }
    let is_page = is_web(request) && looks_like_html(&start);
    sink.begin(Begin {
        shape: if is_page { Shape::Html } else { begin.shape },
        ..begin
    })
    .await?;
    let body = Body::plain(content, request.purpose);
    source.hand_on(body, start, sink).await
}

/// Whether a page of the Web is asked for, to be shown.
fn is_web(request: &Request) -> bool {
    match request.url.reading() {
        Parts::Gopher(gopher) => gopher.item_type() == b'h' && request.purpose == Purpose::Show,
        _ => false,
    }
}

/// The server's words, where it answers with an error item and nothing else instead of a text or a file.
fn error_item(octets: &[u8]) -> Option<&[u8]> {
    let mut lines = octets
        .split(|&octet| octet == b'\n')
        .map(<[u8]>::trim_ascii_end);
    let item = gopher::item(lines.next()?)?;
    let alone = lines.all(|line| matches!(line, b"" | b"."));
    let fields = memchr::memchr_iter(b'\t', octets).count();
    (alone && item.gtype == b'3' && fields > 2).then_some(item.name)
}

/// What helps where a link leads nowhere.
const OLDER: &str = "the link may be older than what it led to: go up, or to the server's root";

fn missing(place: &str, words: &[u8]) -> Failure {
    Failure {
        said: vec![Text::new(words, Charset::default())],
        advice: Some(OLDER),
        ..Failure::new(format!("{place} has no such page"))
    }
}

/// An error of Gopher+ (section 2.3): its code in words, whom to tell, and where the item has moved.
fn refused(place: &str, refusal: &Refusal<'_>) -> Failure {
    let text = |octets: &[u8]| Text::new(octets, Charset::default());
    let (sentence, advice) = match refusal.code {
        Some(1) => (format!("{place} has no such item (error 1)"), Some(OLDER)),
        Some(2) => {
            let sentence = format!("{place} cannot give it now (error 2)");
            (sentence, Some("try again later"))
        }
        Some(3) => {
            let sentence = format!("it is no longer at {place}: it has moved (error 3)");
            (sentence, None)
        }
        Some(code) => (format!("{place} refused it (error {code})"), None),
        None => (format!("{place} refused it"), None),
    };
    let next = refusal.moved.map(|item| {
        let label = text(item.name.trim_ascii());
        Box::new(Link::new(label, menu::target(&item, item.gtype)))
    });
    Failure {
        said: refusal.words.iter().map(|line| text(line)).collect(),
        advice,
        admin: Some(text(refusal.admin)).filter(|admin| !admin.is_blank()),
        next,
        ..Failure::new(sentence)
    }
}

/// What a load would send, as far as it is known before.
pub(super) fn sends(url: &Gopher<'_>) -> Option<String> {
    let words = url.search.map(Encoded::octets).unwrap_or_default();
    let line = match (url.item_type(), url.plus) {
        (b'2', None) if words.is_empty() => b"fields\r\n".to_vec(),
        (b'2', None) => [b"query ", words.as_ref(), b"\r\n"].concat(),
        _ => gopher::request(url).ok()?,
    };
    Some(line.escape_ascii().to_string())
}

/// The URL with another type in it: what somebody chose for one that nobody knows.
pub(crate) fn with_type(url: &Url, gtype: char) -> Option<Url> {
    let Parts::Gopher(gopher) = url.reading() else {
        return None;
    };
    let path = gopher.path?.as_str();
    let rest = path.strip_prefix(gopher.gtype?.as_str())?;
    let head = url.as_str().strip_suffix(path)?;
    Url::accept(&format!("{head}{gtype}{rest}")).ok()
}
