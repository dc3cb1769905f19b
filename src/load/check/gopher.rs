//! Gopher and Gopher+: the selector is sent, and as much of the answer read as tells an error from anything else.
//!
//! Plain Gopher has no errors: servers answer with a menu that holds rows of type 3 and nothing that leads anywhere. Those
//! of Gopher+ come with a header that begins with `-`, to who asked plainly too.

use super::Verdict;
use crate::document::menu;
use crate::load::mirror::holds_form;
use crate::load::{Question, Request, Stop};
use crate::net::{Net, NetError, Security, Stream, place, read, write};
use crate::protocol::gopher::{self, Refusal, Want};
use crate::protocol::ph;
use crate::text::{Charset, Text};
use crate::url::{Encoded, Gopher, Later, Scheme};

/// Octets of an answer that are read at most.
const ENOUGH: usize = 64 * 1024;

pub(super) async fn check(net: &Net, request: &Request, url: &Gopher<'_>) -> Result<Verdict, Stop> {
    if holds_form(&request.url) {
        return Err(Stop::Needs(Question::Send(Vec::new())));
    }
    let plus = url.plus.map(Encoded::octets);
    let want = plus.as_deref().map(Want::parse);
    let is_phone_book = url.item_type() == b'2' && want.is_none();
    let line = gopher::request(url)?;
    let port = url.address.port().unwrap_or(70);
    let (host, place) = (url.address.node(), place(url.address.node(), port));
    let (mut stream, security) = if request.url.later() == Some(Later::Gophers) {
        net.connect_tls(host, port, &request.trust).await?
    } else {
        let stream = net.connect(host, port).await?;
        (Stream::Plain(stream), Security::Plain)
    };
    if is_phone_book {
        return phone_book(net, stream, &place).await;
    }
    write(&mut stream, &line, &place, net.limits()).await?;
    // A search without words has been asked for nothing: whatever it says, it is there.
    let is_search = url.item_type() == b'7' && url.search.is_none();
    let mut came = Vec::new();
    let is_whole = loop {
        let octets = match read(&mut stream, &place, net.limits()).await {
            Ok(octets) => octets,
            // TLS that was cut off after something came has said enough.
            Err(NetError::Cut { .. } | NetError::Late { .. }) if !came.is_empty() => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        if octets.is_empty() {
            break true;
        }
        came.extend_from_slice(&octets);
        if is_search || came.len() > ENOUGH || is_something(&came) {
            break false;
        }
    };
    if came.is_empty() {
        let words = format!("{place} closed the connection and sent nothing");
        return Ok(Verdict::NoAnswer(words));
    }
    if security == Security::Plain && came.starts_with(&[0x15, 0x03]) {
        let words = format!("{place} speaks TLS, and was asked without");
        return Ok(Verdict::Refused(words));
    }
    if is_search {
        return Ok(Verdict::Alive);
    }
    if let Some(refusal) = gopher::unasked_refusal(&came) {
        return Ok(of_refusal(&refusal));
    }
    Ok(match error_row(&came).filter(|_| is_whole) {
        Some(words) => Verdict::Gone(text(words)),
        None => Verdict::Alive,
    })
}

/// Whether what has come is surely no error: a line that is neither a row of type 3 nor a text, in whole.
fn is_something(came: &[u8]) -> bool {
    match came.first() {
        Some(b'3' | b'i') => {
            let lines = came.split_inclusive(|&octet| octet == b'\n');
            let mut whole = lines.filter(|line| line.ends_with(b"\n"));
            whole.any(|line| !is_idle(line))
        }
        // A header of Gopher+ with an error below it, or nothing yet.
        Some(b'-') | None => false,
        Some(_) => true,
    }
}

/// Whether a line is a row that leads nowhere: an error, a text, the final dot, nothing.
fn is_idle(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    if matches!(line, b"" | b".") {
        return true;
    }
    gopher::item(line).is_some_and(|item| matches!(item.gtype, b'3' | b'i'))
}

/// The words of the first row of type 3, where there is nothing in an answer that leads anywhere.
fn error_row(came: &[u8]) -> Option<&[u8]> {
    let lines = || came.split(|&octet| octet == b'\n');
    if !lines().all(is_idle) {
        return None;
    }
    let fields = |line: &[u8]| memchr::memchr_iter(b'\t', line).count();
    lines()
        .filter(|line| fields(line) > 2)
        .filter_map(gopher::item)
        .find(|item| item.gtype == b'3')
        .map(|item| item.name)
}

/// An error of Gopher+ (section 2.3).
fn of_refusal(refusal: &Refusal<'_>) -> Verdict {
    let words = refusal.words.iter().map(|line| text(line));
    let words = words.collect::<Vec<_>>().join(" ");
    let words = match (refusal.code, words.is_empty()) {
        (Some(code), true) => format!("error {code} of Gopher+"),
        (Some(code), false) => format!("{words} (error {code})"),
        (None, _) => words,
    };
    if refusal.code == Some(2) {
        return Verdict::NoAnswer(words);
    }
    let moved = refusal.moved.as_ref();
    match moved.map(|item| menu::target(item, item.gtype)) {
        // A bookmark is not led to a file of this machine.
        Some(Ok(url)) if url.scheme() == Scheme::File => {
            let words = format!("it leads to {}: a file of this machine", url.masked());
            Verdict::Refused(words)
        }
        Some(Ok(url)) => Verdict::Moved(url),
        Some(Err(_)) | None => Verdict::Gone(words),
    }
}

/// A phone book is there when it answers, whatever it says.
async fn phone_book(net: &Net, stream: Stream, place: &str) -> Result<Verdict, Stop> {
    let mut book = ph::Dialogue::new(stream, place, net.limits());
    match book.fields().await {
        Ok(_) | Err(ph::PhError::Declined(_)) => {
            // It is left either way.
            let _ = book.quit().await;
            Ok(Verdict::Alive)
        }
        Err(ph::PhError::Net(error)) => Err(error.into()),
        Err(error) => Ok(Verdict::NoAnswer(format!("{place}: {error}"))),
    }
}

fn text(octets: &[u8]) -> String {
    let text = Text::new(octets, Charset::default());
    text.as_str().trim().to_owned()
}
