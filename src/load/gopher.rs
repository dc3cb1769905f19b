//! Loading over Gopher.

use super::{Begin, Failure, Phase, Purpose, Question, Request, Sink, Stop};
use crate::document::Shape;
use crate::net::{Net, NetError, place, read, write};
use crate::protocol::gopher::{self, Unstuff};
use crate::text::{Charset, Text, file_name};
use crate::url::Gopher;

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
    let (host, port) = (url.address.host, url.address.port().unwrap_or(70));
    let mut stream = net.connect(host, port).await?;
    let place = place(host, port);
    sink.phase(Phase::Waiting).await?;
    write(&mut stream, &line, &place, net.limits()).await?;
    let shape = match content {
        Content::Menu => Shape::Menu,
        Content::Text | Content::File(_) => Shape::Text,
    };
    let mut dots = (content == Content::Text).then(Unstuff::default);
    let mut last = b'\n';
    let mut begun = false;
    loop {
        let octets = read(&mut stream, &place, net.limits()).await?;
        if !begun {
            if content != Content::Menu
                && let Some(words) = refusal(&octets)
            {
                return Err(refused(&place, words).into());
            }
            sink.begin(Begin::new(shape)).await?;
            begun = true;
        }
        let Some(&end) = octets.last() else { break };
        // A final dot need not have its line end.
        last = if octets.ends_with(b"\n.") { b'\n' } else { end };
        let octets = match &mut dots {
            Some(dots) => dots.push(&octets),
            None => octets,
        };
        sink.octets(octets).await?;
    }
    if content == Content::Menu && last != b'\n' {
        let when = "in the middle of a row";
        return Err(NetError::Closed { place, when }.into());
    }
    match dots {
        Some(dots) => sink.octets(dots.finish()).await,
        None => Ok(()),
    }
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
    match url.item_type() {
        b'1' | b'7' => Content::Menu,
        b'0' | b'h' | b'H' | b'M' | b'm' | b'x' | b'c' | b'e' => Content::Text,
        b'g' | b'I' | b'p' | b':' => Content::File("an image"),
        b's' | b'<' => Content::File("a sound"),
        b';' => Content::File("a movie"),
        b'd' | b'P' => Content::File("a document"),
        b'4' | b'5' | b'6' | b'9' => Content::File("a binary file"),
        _ => Content::File("of a type that Geomys does not know"),
    }
}
