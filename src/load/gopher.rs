//! Loading over Gopher, plain or over TLS.

mod secure;

use self::secure::{End, connect, is_tls_alert, speaks_tls};
use super::{Begin, Failure, Phase, Purpose, Question, Request, Sink, Stop};
use crate::document::{Kind, Shape, menu};
use crate::net::{Net, NetError, Security, place, read, write};
use crate::protocol::gopher::{self, Unstuff};
use crate::text::{Charset, Text, file_name};
use crate::url::Gopher;

/// Octets after which a row has surely shown what it is.
const ROW: usize = 64 * 1024;

/// Sends the selector and hands on what comes, to the end of the stream.
pub(super) async fn load(
    net: &Net,
    request: &Request,
    url: Gopher<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let content = content(&url);
    if let (Purpose::Show, Content::File(what)) = (request.purpose, content) {
        let name = file_name(&url.selector.octets(), "gopher-file");
        return Err(Stop::Needs(Question::Save {
            what,
            name,
            size: None,
        }));
    }
    if url.item_type() == b'7' && url.search.is_none() {
        return Err(Stop::Needs(Question::Search));
    }
    let line = gopher::request(&url)?;
    sink.phase(Phase::Connecting).await?;
    let (host, port) = (url.address.node(), url.address.port().unwrap_or(70));
    let (mut stream, security) = connect(net, request, host, port).await?;
    let place = place(host, port);
    sink.phase(Phase::Waiting).await?;
    write(&mut stream, &line, &place, net.limits()).await?;
    let shape = match content {
        Content::Menu => Shape::Menu,
        Content::Text | Content::File(_) => Shape::Text,
    };
    let mut dots = (content == Content::Text).then(Unstuff::default);
    let mut tail = Vec::new();
    let mut end = End::default();
    let mut begun = false;
    loop {
        let octets = match read(&mut stream, &place, net.limits()).await {
            // Gopher's own end has come: TLS need not tell that nothing is missing. A file has no such end.
            Err(NetError::Cut { .. })
                if end.is_dot() && matches!(content, Content::Menu | Content::Text) =>
            {
                Vec::new()
            }
            octets => octets?,
        };
        end.push(&octets);
        if !begun {
            if security == Security::Plain && is_tls_alert(&octets) {
                return Err(speaks_tls(&place).into());
            }
            if content != Content::Menu
                && let Some(words) = refusal(&octets)
            {
                return Err(refused(&place, words).into());
            }
            let begin = Begin {
                security,
                ..Begin::new(shape)
            };
            sink.begin(begin).await?;
            begun = true;
        }
        if octets.is_empty() {
            break;
        }
        if content == Content::Menu {
            keep_tail(&mut tail, &octets);
        }
        let octets = match &mut dots {
            Some(dots) => dots.push(&octets),
            None => octets,
        };
        sink.octets(octets).await?;
    }
    if !tail.is_empty() && !is_whole(&tail) {
        let when = "in the middle of a row";
        return Err(NetError::Closed { place, when }.into());
    }
    match dots {
        Some(dots) => sink.octets(dots.finish()).await,
        None => Ok(()),
    }
}

/// Keeps the last row as far as it has come, and no more of it than a row can be.
fn keep_tail(tail: &mut Vec<u8>, octets: &[u8]) {
    let last = match memchr::memrchr(b'\n', octets) {
        Some(end) => {
            tail.clear();
            octets.get(end + 1..).unwrap_or_default()
        }
        None => octets,
    };
    if tail.len() < ROW {
        tail.extend_from_slice(last);
    }
}

/// Whether a last row without its line end has all that a row needs, or is the final dot.
fn is_whole(row: &[u8]) -> bool {
    row == b"." || memchr::memchr_iter(b'\t', row).count() > 2
}

/// The server's words, where it answers with an error item and nothing else instead of a text or a file.
fn refusal(octets: &[u8]) -> Option<&[u8]> {
    let mut lines = octets
        .split(|&octet| octet == b'\n')
        .map(<[u8]>::trim_ascii_end);
    let item = gopher::item(lines.next()?)?;
    let alone = lines.all(|line| matches!(line, b"" | b"."));
    let fields = memchr::memchr_iter(b'\t', octets).count();
    (alone && item.gtype == b'3' && fields > 2).then_some(item.name)
}

fn refused(place: &str, words: &[u8]) -> Failure {
    Failure {
        sentence: format!("{place} has no such page"),
        said: vec![Text::new(words, Charset::default())],
        advice: Some("the link may be older than what it led to: go up, or to the server's root"),
    }
}

/// What a type's reply holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Menu,
    Text,
    /// Something to save, and the word for it.
    File(&'static str),
}

fn content(url: &Gopher<'_>) -> Content {
    if url
        .plus
        .is_some_and(|plus| matches!(plus.octets().first(), Some(b'!' | b'$')))
    {
        return Content::Text;
    }
    match menu::kind(url.item_type()) {
        Kind::Menu | Kind::Search => Content::Menu,
        Kind::Text | Kind::Web | Kind::Mail | Kind::Calendar | Kind::Plain | Kind::Error => {
            Content::Text
        }
        Kind::Image => Content::File("an image"),
        Kind::Sound => Content::File("a sound"),
        Kind::Movie => Content::File("a movie"),
        Kind::Document => Content::File("a document"),
        Kind::Binary => Content::File("a binary file"),
        Kind::PhoneBook => Content::File("a phone book, whose protocol Geomys does not speak"),
        Kind::Session => Content::File("a terminal session, which Geomys does not hold"),
        Kind::Mirror | Kind::Unknown => Content::File("of a type that Geomys does not know"),
        // These are of other protocols.
        Kind::Up
        | Kind::Symlink
        | Kind::Group
        | Kind::Article
        | Kind::Header
        | Kind::Quote(_)
        | Kind::Signature
        | Kind::Odd => Content::Text,
    }
}
