//! Hosts (RFC 1738, sections 3.1 and 5).
//!
//! ```text
//! host        = hostname | hostnumber
//! hostname    = *[ domainlabel "." ] toplabel
//! domainlabel = alphadigit | alphadigit *[ alphadigit | "-" ] alphadigit
//! toplabel    = alpha | alpha *[ alphadigit | "-" ] alphadigit
//! hostnumber  = digits "." digits "." digits "." digits
//! ```
//!
//! Limits that are not in the grammar: a label has at most 63 octets, a host 255 (RFC 1034), and a group of a
//! hostnumber one to three digits and at most 255. IPv6 literals, underscores, letters outside ASCII and a trailing dot
//! are departures.

pub(super) mod plain;

use std::net::Ipv6Addr;

use self::plain::four_groups;
use super::boundary::is_in_host;
use super::cursor::Cursor;
use super::departure::Departure;
use super::error::{Message, ParseError, Rule};
use super::escape::{ALPHADIGIT, Class};

const HOST: Rule = Rule("host", "3.1");
const HOSTNAME: Rule = Rule("hostname", "3.1");
const DOMAINLABEL: Rule = Rule("domainlabel", "3.1");
const TOPLABEL: Rule = Rule("toplabel", "3.1");
const HOSTNUMBER: Rule = Rule("hostnumber", "3.1");
const HOST_CHARS: Class = ALPHADIGIT.and(b"-.");
const LOOSE_CHARS: Class = HOST_CHARS.and(b"_");

/// `host`, up to a `:`, a `/` or the end, including the forms that departures allow.
pub(super) fn host<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, ParseError> {
    let start = *cursor;
    let fault = match strict_host(cursor) {
        Ok(host) => return Ok(host),
        Err(fault) => fault,
    };
    *cursor = start;
    if cursor.may_depart()
        && let Some(host) = ipv6(cursor)
            .or_else(|| loose_host(cursor))
            .or_else(|| international_host(cursor))
    {
        return Ok(host);
    }
    Err(fault)
}

/// `host` in the strict form, up to a `:`, a `/` or the end.
pub(super) fn strict_host<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, ParseError> {
    if let Some(len) = plain::host(cursor.octets())
        && matches!(cursor.octets().get(len), None | Some(b':' | b'/'))
    {
        return Ok(cursor.take(len));
    }
    let start = *cursor;
    let host = cursor.literals(&HOST_CHARS);
    if host.is_empty() && matches!(cursor.peek(), None | Some(b':' | b'/')) {
        return Err(cursor.missing(HOST, "a host"));
    }
    // Labels are checked first, so that of two faults the left one is reported.
    labels(start, host, cursor.peek())?;
    match cursor.peek() {
        None | Some(b':' | b'/') => Ok(host),
        Some(octet) => {
            let found = Message::HostChar(cursor.found());
            let message = if octet == b'#' {
                Message::Fragment
            } else {
                found
            };
            Err(cursor.error(cursor.char_len(), HOSTNAME, message))
        }
    }
}

/// `[` IPv6 address `]` (RFC 3986, section 3.2.2; without a zone). Takes nothing and returns `None` if there is none
/// here.
fn ipv6<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let inside = cursor.rest().strip_prefix('[')?;
    let (literal, after) = inside.split_once(']')?;
    literal.parse::<Ipv6Addr>().ok()?;
    if !matches!(after.bytes().next(), None | Some(b':' | b'/')) {
        return None;
    }
    let host = cursor.take(literal.len() + 2);
    cursor.depart(Departure::Ipv6);
    Some(host)
}

/// A host as the DNS allows it: with underscores, and with the dot of the root at its end. Takes nothing and returns
/// `None` if there is none here.
fn loose_host<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let mut after = *cursor;
    let host = after.literals(&LOOSE_CHARS);
    if !matches!(after.peek(), None | Some(b':' | b'/')) {
        return None;
    }
    let name = host.strip_suffix('.').unwrap_or(host);
    if name.is_empty() || labels(*cursor, name, None).is_err() {
        return None;
    }
    if name.len() < host.len() {
        after.depart(Departure::TrailingDot);
    }
    if name.contains('_') {
        after.depart(Departure::Underscore);
    }
    *cursor = after;
    Some(host)
}

/// A host with letters outside ASCII (RFC 3987, section 2.2: `ireg-name`). The DNS is asked for its ASCII form (RFC
/// 5890), which decides what is allowed in its labels and how long they may be. Takes nothing and returns `None` if
/// there is none here.
fn international_host<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let is_letter = |c: char| match u8::try_from(c) {
        Ok(octet) if octet.is_ascii() => LOOSE_CHARS.has(octet),
        Ok(_) | Err(_) => is_in_host(c),
    };
    let end = cursor.rest().find(|c| !is_letter(c));
    let host = cursor.rest().get(..end.unwrap_or(cursor.rest().len()))?;
    let after = cursor.octets().get(host.len());
    if host.is_ascii() || !matches!(after, None | Some(b':' | b'/')) {
        return None;
    }
    let name = host.strip_suffix('.').unwrap_or(host);
    let is_label = |label: &str| {
        let is_named = !label.is_empty() && !label.starts_with('-') && !label.ends_with('-');
        is_named && (label.is_ascii() || !label.starts_with("xn--"))
    };
    if !name.split('.').all(is_label) {
        return None;
    }
    if name.len() < host.len() {
        cursor.depart(Departure::TrailingDot);
    }
    cursor.depart(Departure::International);
    Some(cursor.take(host.len()))
}

/// Checks the labels of `host`, which starts at `cursor`; `after` is the octet that follows it.
fn labels(mut cursor: Cursor<'_>, host: &str, after: Option<u8>) -> Result<(), ParseError> {
    let whole = matches!(after, None | Some(b':' | b'/'));
    let numeric = host
        .bytes()
        .all(|octet| octet.is_ascii_digit() || octet == b'.');
    if numeric && whole {
        return if four_groups(host.as_bytes()) {
            Ok(())
        } else {
            Err(cursor.error(host.len(), HOSTNUMBER, Message::HostNumber))
        };
    }
    if host.len() > 255 {
        return Err(cursor.error(host.len(), HOST, Message::LongHost));
    }
    let mut labels = host.split('.').peekable();
    while let Some(label) = labels.next() {
        let last = labels.peek().is_none();
        let cut_short = last && !whole;
        let rule = if last { TOPLABEL } else { DOMAINLABEL };
        if label.is_empty() && !cut_short {
            let mut error = cursor.error(1, rule, Message::EmptyLabel);
            if last {
                // At the end of the host, the extra dot is the one before.
                error.at = error.at.saturating_sub(1);
            }
            return Err(error);
        }
        if label.len() > 63 {
            return Err(cursor.error(label.len(), rule, Message::LongLabel));
        }
        if last && !cut_short && label.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(cursor.error(label.len(), TOPLABEL, Message::TopLabel));
        }
        if label.starts_with('-') {
            return Err(cursor.error(1, rule, Message::Hyphen));
        }
        if label.ends_with('-') && !cut_short {
            cursor.take(label.len() - 1);
            return Err(cursor.error(1, rule, Message::Hyphen));
        }
        cursor.take(label.len() + 1);
    }
    Ok(())
}
