//! The Gopher server (RFC 1436), with the attributes of Gopher+ (1993) for those who ask.
//!
//! ```text
//! request = selector [ TAB words ] [ TAB gplus ] CRLF
//! gplus   = "!" blocks / "$" blocks / "+" view
//! ```
//! One request a connection, one reply, then the server closes. Plain requests get plain replies. Left out: forms (+ASK),
//! alternate views, and Gopher+ for computed pages, which answer any request as plain Gopher.

mod computed;
mod plus;

use std::io;
use std::sync::Arc;

use tokio::io::AsyncWriteExt;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::net::{TcpListener, TcpStream};

use super::wire::{self, Line, Lines, send};
use super::world::World;
use super::world::pages::Page;

/// Serves `world` on `listener` until dropped.
pub async fn serve(listener: TcpListener, world: Arc<World>) {
    wire::accept(listener, world, visit).await;
}

async fn visit(stream: TcpStream, world: Arc<World>) -> io::Result<()> {
    let (reading, mut out) = stream.into_split();
    let mut lines = Lines::new(reading);
    match lines.next().await? {
        Line::Whole(line) => answer(&line, &world, &mut out).await?,
        Line::TooLong => {
            let refusal = error(b"That selector is longer than the door is wide");
            send(&mut out, &refusal).await?;
        }
        Line::End => return Ok(()),
    }
    out.shutdown().await?;
    lines.linger().await;
    Ok(())
}

/// What a request asks for, beyond the selector.
enum Asked<'a> {
    Plain,
    /// The words of a search.
    Words(&'a [u8]),
    /// A document with a Gopher+ header.
    Headed,
    /// A search's answer with a Gopher+ header.
    HeadedWords(&'a [u8]),
    /// `!` and the names of the blocks wanted; none means all.
    Attributes(&'a [u8]),
    /// `$`: the attributes of every item of a menu.
    DirectoryAttributes(&'a [u8]),
}

impl<'a> Asked<'a> {
    fn new(fields: &[&'a [u8]], is_search: bool) -> Self {
        let first = fields.first().copied().unwrap_or_default();
        let second = fields.get(1).copied().unwrap_or_default();
        // RFC 1738 section 3.4.8 puts an empty search before the Gopher+ string; the servers of old do not.
        let gplus = if is_search || first.is_empty() {
            second
        } else {
            first
        };
        match gplus.split_first() {
            Some((b'!', blocks)) => Self::Attributes(blocks),
            Some((b'$', blocks)) => Self::DirectoryAttributes(blocks),
            Some((b'+', _)) if is_search => Self::HeadedWords(first),
            Some((b'+', _)) => Self::Headed,
            _ if is_search => Self::Words(first),
            _ => Self::Plain,
        }
    }
}

async fn answer(line: &[u8], world: &World, out: &mut OwnedWriteHalf) -> io::Result<()> {
    let mut fields = line.split(|&octet| octet == b'\t');
    let selector = fields.next().unwrap_or_default();
    let fields: Vec<&[u8]> = fields.collect();
    if let Some(computed) = computed::Computed::at(selector) {
        return computed.send(world, out).await;
    }
    if let Some(url) = selector
        .strip_prefix(b"URL:")
        .or_else(|| selector.strip_prefix(b"/URL:"))
    {
        return send(out, &redirection(url)).await;
    }
    let page = world.pages.at(selector);
    let asked = Asked::new(&fields, page.is_some_and(|page| page.kind == b'7'));
    let Some(page) = page else {
        return send(out, &unknown(selector, &asked)).await;
    };
    let reply = match asked {
        Asked::Plain => plain(page),
        Asked::Words(words) => closed(found(world, words)),
        Asked::Headed => plus::headed(page),
        Asked::HeadedWords(words) => plus::menu(&found(world, words)),
        Asked::Attributes(blocks) => plus::attributes(world, page, blocks),
        Asked::DirectoryAttributes(blocks) => plus::directory(world, page, blocks),
    };
    send(out, &reply).await
}

/// The page as plain Gopher sends it: menus and texts end in a dot, everything else in the end of the connection.
fn plain(page: &Page) -> Vec<u8> {
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

fn closed(mut block: Vec<u8>) -> Vec<u8> {
    block.extend_from_slice(b".\r\n");
    block
}

/// The rows that answer a search.
fn found(world: &World, words: &[u8]) -> Vec<u8> {
    let pages = world.pages.search(words);
    let mut menu = Vec::new();
    let count = match (words.is_empty(), pages.len()) {
        (true, _) => "Which word should the librarian look for?".to_owned(),
        (false, 0) => "The librarian looked everywhere and found nothing.".to_owned(),
        (false, 1) => "The librarian found one text:".to_owned(),
        (false, many) => format!("The librarian found {many} texts:"),
    };
    info(&count, &mut menu);
    for page in pages {
        menu.extend_from_slice(&row(world, page));
    }
    info("", &mut menu);
    menu.extend_from_slice(
        format!(
            "7Search again\t/search\t{}\t{}\t+\r\n",
            world.gopher.ip(),
            world.gopher.port()
        )
        .as_bytes(),
    );
    menu
}

/// The menu row that points at `page`.
fn row(world: &World, page: &Page) -> Vec<u8> {
    let mut row = vec![page.kind];
    row.extend_from_slice(page.title.as_bytes());
    row.push(b'\t');
    row.extend_from_slice(page.selector);
    row.extend_from_slice(
        format!("\t{}\t{}\t+\r\n", world.gopher.ip(), world.gopher.port()).as_bytes(),
    );
    row
}

fn info(text: &str, menu: &mut Vec<u8>) {
    menu.extend_from_slice(format!("i{text}\t\tnull.host\t1\r\n").as_bytes());
}

fn error(words: &[u8]) -> Vec<u8> {
    let mut reply = b"3".to_vec();
    reply.extend_from_slice(words);
    reply.extend_from_slice(b"\t\terror.host\t1\r\n.\r\n");
    reply
}

fn unknown(selector: &[u8], asked: &Asked<'_>) -> Vec<u8> {
    let mut words = b"There is no door called '".to_vec();
    words.extend_from_slice(selector);
    words.extend_from_slice(b"' in Underloam");
    match asked {
        Asked::Plain | Asked::Words(_) => error(&words),
        Asked::Headed
        | Asked::HeadedWords(_)
        | Asked::Attributes(_)
        | Asked::DirectoryAttributes(_) => plus::error(&words),
    }
}

/// The page that carries a client which does not know `URL:` selectors to where it wanted to go.
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
    let mut page = b"<html><head><title>Elsewhere</title></head><body>\n<p>This door leads out of town: <a href=\"".to_vec();
    page.extend_from_slice(&safe);
    page.extend_from_slice(b"\">");
    page.extend_from_slice(&safe);
    page.extend_from_slice(b"</a></p>\n</body></html>\n");
    page
}
