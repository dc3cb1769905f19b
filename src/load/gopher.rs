//! Loading over Gopher.

use super::{Begin, Phase, Purpose, Question, Request, Sink, Stop};
use crate::document::Shape;
use crate::net::{Net, place, read, write};
use crate::protocol::gopher::{Unstuff, request as line};
use crate::text::file_name;
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
    let line = line(&url)?;
    sink.phase(Phase::Connecting).await?;
    let (host, port) = (url.address.host, url.address.port().unwrap_or(70));
    let mut stream = net.connect(host, port).await?;
    let place = place(host, port);
    sink.phase(Phase::Waiting).await?;
    write(&mut stream, &line, &place, net.limits()).await?;
    let shape = if content == Content::Menu {
        Shape::Menu
    } else {
        Shape::Text
    };
    let mut dots = (content == Content::Text).then(Unstuff::default);
    let mut begun = false;
    loop {
        let octets = read(&mut stream, &place, net.limits()).await?;
        if !std::mem::replace(&mut begun, true) {
            sink.begin(Begin::new(shape)).await?;
        }
        if octets.is_empty() {
            break;
        }
        let octets = match &mut dots {
            Some(dots) => dots.push(&octets),
            None => octets,
        };
        sink.octets(octets).await?;
    }
    match dots {
        Some(dots) => sink.octets(dots.finish()).await,
        None => Ok(()),
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
