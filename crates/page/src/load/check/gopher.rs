//! Gopher and Gopher+ checks: the selector is sent, and the reply read until an error can be told from anything else.
//!
//! Plain Gopher has no errors: servers answer with a menu of rows of type 3 and no links. Errors of Gopher+ have a
//! header that begins with `-`, even in reply to plain requests.

use geomys_wire::net::{Net, NetError, Security, Stream, authority, read, write};
use geomys_wire::protocol::gopher::{self, PlusRequest, Refusal};
use geomys_wire::protocol::ph;
use rfc1738::{Encoded, Gopher, Url};

use super::status::{LinkStatus, ServerAnswer};
use crate::document::menu;
use crate::load::answer::holds_form;
use crate::load::gopher::connect;
use crate::load::words::trimmed;
use crate::load::{Question, Request, Stop};

/// The most octets of a reply that are read.
const MAX_READ_BYTES: usize = 64 * 1024;

pub(in crate::load) async fn check(
    net: &Net,
    request: &Request,
    url: &Gopher<'_>,
) -> Result<ServerAnswer, Stop> {
    if holds_form(&request.url) {
        return Err(Stop::Needs(Question::Send(Vec::new())));
    }
    let plus = url.plus.map(Encoded::octets);
    let want = plus.as_deref().map(PlusRequest::parse);
    let is_phone_book = url.item_type() == b'2' && want.is_none();
    let line = gopher::request(url)?;
    let port = url.address.port();
    let (host, authority) = (url.address.node(), authority(url.address.node(), port));
    let (mut stream, security) = connect(net, request, host, port).await?;
    if is_phone_book {
        let status = phone_book(net, stream, &authority).await;
        return status.map(ServerAnswer::Status);
    }
    write(&mut stream, &line, &authority, net.limits()).await?;
    // A search without words has no defined result: any reply means that it exists.
    let is_search = url.item_type() == b'7' && url.search.is_none();
    let mut received = Vec::new();
    let (is_whole, is_confirmed) = loop {
        let may_be_whole = received.ends_with(b"\n.\r\n") || received.ends_with(b"\n.\n");
        let at_end = may_be_whole.then(|| net.limits().at_end());
        let limits = at_end.as_ref().unwrap_or(net.limits());
        let octets = match read(&mut stream, &authority, limits).await {
            Ok(octets) => octets,
            Err(_) if may_be_whole => Vec::new(),
            // A reply that was cut off or timed out after some data is enough to see that something is there.
            Err(NetError::TlsTruncated { .. } | NetError::Timeout { .. })
                if !received.is_empty() =>
            {
                break (true, false);
            }
            Err(error) => return Err(error.into()),
        };
        if octets.is_empty() {
            break (true, true);
        }
        received.extend_from_slice(&octets);
        if is_search || received.len() > MAX_READ_BYTES || is_certainly_content(&received) {
            break (false, true);
        }
    };
    if received.is_empty() {
        let words = format!("{authority} closed the connection and sent nothing");
        return Ok(LinkStatus::Unreachable(words).into());
    }
    if security == Security::Plain && received.starts_with(&[0x15, 0x03]) {
        let words = format!("{authority} expects TLS");
        return Ok(LinkStatus::Refused(words).into());
    }
    if is_search {
        return Ok(LinkStatus::Alive.into());
    }
    if let Some(refusal) = gopher::refusal_of_plain_request(&received) {
        return Ok(refusal_status(&request.url, &refusal));
    }
    let status = match error_row(&received).filter(|_| is_whole) {
        Some(words) if is_confirmed => LinkStatus::Dead(trimmed(words)),
        // The links of a menu may follow its texts.
        Some(words) => LinkStatus::Unreachable(format!(
            "{authority} did not confirm the end of its reply: {}",
            trimmed(words)
        )),
        None => LinkStatus::Alive,
    };
    Ok(status.into())
}

/// Returns true if the reply so far is certainly no error: it has a complete line that is neither a row of type 3 nor a
/// text.
fn is_certainly_content(received: &[u8]) -> bool {
    match received.first() {
        Some(b'3' | b'i') => {
            let lines = received.split_inclusive(|&octet| octet == b'\n');
            let mut whole = lines.filter(|line| line.ends_with(b"\n"));
            whole.any(|line| !has_no_link(line))
        }
        // A header of a Gopher+ error, or nothing yet.
        Some(b'-') | None => false,
        Some(_) => true,
    }
}

/// Returns true for a row without a link: an error, a text, the final dot, an empty line.
fn has_no_link(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    if matches!(line, b"" | b".") {
        return true;
    }
    gopher::item(line).is_some_and(|item| matches!(item.gtype, b'3' | b'i'))
}

/// Returns the text of the first row of type 3, if nothing in the reply is a link.
fn error_row(received: &[u8]) -> Option<&[u8]> {
    let lines = || received.split(|&octet| octet == b'\n');
    if !lines().all(has_no_link) {
        return None;
    }
    let rows = lines().filter(|line| memchr::memchr_iter(b'\t', line).count() > 2);
    rows.filter_map(gopher::item)
        .find(|item| item.gtype == b'3')
        .map(|item| item.name)
}

/// Converts an error of Gopher+ (section 2.3) in reply to `asked`.
fn refusal_status(asked: &Url, refusal: &Refusal<'_>) -> ServerAnswer {
    let words = refusal.message.iter().map(|line| trimmed(line));
    let words = words.collect::<Vec<_>>().join(" ");
    let words = match (refusal.code, words.is_empty()) {
        (Some(code), true) => format!("error {code} of Gopher+"),
        (Some(code), false) => format!("{words} (error {code})"),
        (None, _) => words,
    };
    if refusal.code == Some(2) {
        return LinkStatus::Unreachable(words).into();
    }
    let moved = refusal.moved.as_ref();
    match moved.map(|item| menu::target_on_page(item, item.gtype, asked)) {
        Some(Ok(url)) => ServerAnswer::MovedAway(asked.clone(), url),
        Some(Err(_)) | None => LinkStatus::Dead(words).into(),
    }
}

/// Checks a phone book: any answer means that it exists.
async fn phone_book(net: &Net, stream: Stream, authority: &str) -> Result<LinkStatus, Stop> {
    let mut book = ph::PhDialogue::new(stream, authority, net.limits());
    match book.fields().await {
        Ok(_) | Err(ph::PhError::Declined(_)) => {
            // The connection is closed in any case.
            let _ = book.quit().await;
            Ok(LinkStatus::Alive)
        }
        Err(ph::PhError::Net(error)) => Err(error.into()),
        Err(error) => Ok(LinkStatus::Unreachable(format!("{authority}: {error}"))),
    }
}
