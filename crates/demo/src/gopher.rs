//! The Gopher server (RFC 1436), with the attributes of Gopher+ (1993) on request.
//!
//! ```text
//! request = selector [ TAB words ] [ TAB gplus ] CRLF [ datablock ]
//! gplus   = "!" blocks / "$" blocks / "+" view [ TAB "1" ]
//! ```
//! There is one request and one reply per connection, then the server closes it. Plain requests get plain replies.
//! Not implemented: Gopher+ for computed pages, which answer any request in plain Gopher.

mod computed;
mod plus;

use std::io;
use std::sync::Arc;

use tokio::net::TcpStream;

use self::computed::Data;
use super::wire;
use super::wire::{Connection, Line};
use super::world::pages::WorldPage;
use super::world::{World, pages};

pub(super) async fn converse(stream: TcpStream, world: Arc<World>) -> io::Result<()> {
    let mut connection = Connection::new(stream);
    let reply = match connection.lines.next().await? {
        Line::Whole(line) => {
            let mut fields = line.split(|&octet| octet == b'\t');
            let selector = fields.next().unwrap_or_default();
            let fields: Vec<&[u8]> = fields.collect();
            let data = Data::read(&mut connection.lines, &fields).await?;
            if let Some(computed) = computed::Computed::at(selector) {
                computed.send(&world, &mut connection.out).await?;
                Vec::new()
            } else {
                answer(selector, &fields, data, &world)
            }
        }
        Line::TooLong => error(b"That selector is longer than the door is wide"),
        Line::End => return Ok(()),
    };
    connection.end(&reply).await
}

/// The request apart from the selector.
enum RequestKind<'a> {
    Plain,
    /// The words of a search.
    Words(&'a [u8]),
    /// A document with a Gopher+ header, in this view; empty for the preferred one.
    Headed(&'a [u8]),
    /// The result of a search with a Gopher+ header.
    HeadedWords(&'a [u8]),
    /// The command `!` with the names of the requested blocks; empty means all.
    Attributes(&'a [u8]),
    /// The command `$`: the attributes of every item of a menu.
    DirectoryAttributes(&'a [u8]),
}

impl<'a> RequestKind<'a> {
    fn new(fields: &[&'a [u8]], is_search: bool) -> Self {
        let first = fields.first().copied().unwrap_or_default();
        let second = fields.get(1).copied().unwrap_or_default();
        // RFC 1738 section 3.4.8 puts an empty search before the Gopher+ string. Old servers do not.
        let gplus = if is_search || first.is_empty() {
            second
        } else {
            first
        };
        match gplus.split_first() {
            Some((b'!', blocks)) => Self::Attributes(blocks),
            Some((b'$', blocks)) => Self::DirectoryAttributes(blocks),
            Some((b'+', _)) if is_search => Self::HeadedWords(first),
            Some((b'+', view)) => Self::Headed(view),
            _ if is_search => Self::Words(first),
            _ => Self::Plain,
        }
    }
}

/// The answer to a request; `data` is the text received after the request line.
fn answer(selector: &[u8], fields: &[&[u8]], data: Data, world: &World) -> Vec<u8> {
    let url = selector.strip_prefix(b"URL:");
    if let Some(url) = url.or_else(|| selector.strip_prefix(b"/URL:")) {
        return redirection(url);
    }
    let page = world.pages.at(selector);
    let request = RequestKind::new(fields, page.is_some_and(|page| page.kind == b'7'));
    let is_plain = matches!(request, RequestKind::Plain | RequestKind::Words(_));
    let Some(page) = page else {
        let new = pages::moved(selector).and_then(|new| world.pages.at(new));
        let unknown = || [b"There is no door called '", selector, b"' in Underloam"].concat();
        return match (new, is_plain) {
            (Some(new), true) => error(&[b"It hangs elsewhere now: ", new.selector].concat()),
            (Some(new), false) => plus::moved(&row(world, new)),
            (None, true) => error(&unknown()),
            (None, false) => plus::error(&unknown()),
        };
    };
    match (request, pages::form(page.selector)) {
        (RequestKind::Plain, Some(_)) => {
            error(b"This door asks questions first, which your client cannot hear")
        }
        (RequestKind::Headed(_), Some(form)) => match data {
            Data::Lines(lines) => computed::receipt(form, &lines),
            Data::Odd => plus::error(b"A form is sent as +-1, its lines, and a dot"),
            Data::None => plus::error(b"This door asks questions first"),
        },
        (request, _) => reply(world, page, &request),
    }
}

/// The reply for `page` in the requested form.
fn reply(world: &World, page: &WorldPage, request: &RequestKind<'_>) -> Vec<u8> {
    match *request {
        RequestKind::Plain => plain(page),
        RequestKind::Words(words) => closed(found(world, words)),
        RequestKind::Headed(view) => plus::headed(page, view),
        RequestKind::HeadedWords(words) => plus::menu(&found(world, words)),
        RequestKind::Attributes(blocks) => plus::attributes(world, page, blocks),
        RequestKind::DirectoryAttributes(blocks) => plus::directory(world, page, blocks),
    }
}

/// The page in plain Gopher: menus and texts end in a dot, everything else with the connection.
fn plain(page: &WorldPage) -> Vec<u8> {
    match page.kind {
        b'1' => closed(page.body.clone()),
        b'0' => {
            let mut reply = Vec::with_capacity(page.body.len() * 2);
            wire::stuff(&page.body, &mut reply);
            closed(reply)
        }
        _ => page.body.clone(),
    }
}

/// The rows of a search result.
fn found(world: &World, words: &[u8]) -> Vec<u8> {
    let pages = world.pages.search(words);
    let count = match (words.is_empty(), pages.len()) {
        (true, _) => "Which word should the librarian look for?".to_owned(),
        (false, 0) => "The librarian looked everywhere and found nothing.".to_owned(),
        (false, 1) => "The librarian found one text:".to_owned(),
        (false, many) => format!("The librarian found {many} texts:"),
    };
    let mut menu = info(&count);
    for page in pages {
        menu.extend_from_slice(&row(world, page));
    }
    menu.extend_from_slice(&info(""));
    let (host, port) = (world.addresses.gopher.ip(), world.addresses.gopher.port());
    let again = format!("7Search again\t/search\t{host}\t{port}\t+\r\n");
    menu.extend_from_slice(again.as_bytes());
    menu
}

fn error(words: &[u8]) -> Vec<u8> {
    [b"3", words, b"\t\terror.host\t1\r\n.\r\n"].concat()
}

/// The page that redirects clients without support for `URL:` selectors.
fn redirection(url: &[u8]) -> Vec<u8> {
    let mut safe = Vec::with_capacity(url.len());
    for &octet in url {
        match octet {
            b'"' => safe.extend_from_slice(b"&quot;"),
            b'&' => safe.extend_from_slice(b"&amp;"),
            b'<' => safe.extend_from_slice(b"&lt;"),
            b'>' => safe.extend_from_slice(b"&gt;"),
            _ => safe.push(octet),
        }
    }
    [
        b"<html><head><title>Elsewhere</title></head><body>\n<p>This door leads out of town: <a href=\"".as_slice(),
        &safe,
        b"\">",
        &safe,
        b"</a></p>\n</body></html>\n",
    ]
    .concat()
}

fn closed(mut block: Vec<u8>) -> Vec<u8> {
    block.extend_from_slice(b".\r\n");
    block
}

/// The menu row for `page`.
fn row(world: &World, page: &WorldPage) -> Vec<u8> {
    let sign = pages::form(page.selector).map_or('+', |_| '?');
    let (host, port) = (world.addresses.gopher.ip(), world.addresses.gopher.port());
    let behind = format!("\t{host}\t{port}\t{sign}\r\n");
    let title = page.title.as_bytes();
    [&[page.kind], title, b"\t", page.selector, behind.as_bytes()].concat()
}

fn info(text: &str) -> Vec<u8> {
    format!("i{text}\t\tnull.host\t1\r\n").into_bytes()
}
