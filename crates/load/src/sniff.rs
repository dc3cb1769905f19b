//! Content detection by the first octets, for when neither the protocol nor a name gives the type.

use std::borrow::Cow;

use geomys_wire::text::{Charset, TextConverter};

/// The octets of a file that are examined to tell text from binary data, when that many arrive.
pub(super) const SAMPLE: usize = 512;

/// Returns true if the beginning of a file looks like text: it has no NUL, and almost no control characters that texts
/// do not use. `charset` is the one that was declared or chosen.
pub(super) fn is_text(head: &[u8], charset: Option<Charset>) -> bool {
    let head = &*in_utf_8(without_sauce(head), charset);
    let odd = head.iter().filter(|&&octet| {
        octet < b' ' && !matches!(octet, b'\t' | b'\n' | b'\r' | 8 | 12 | 26 | 27)
    });
    memchr::memchr(0, head).is_none() && odd.count() * 32 <= head.len()
}

/// The octets before the SAUCE record of a drawing (SAUCE 00.5), which are text.
fn without_sauce(head: &[u8]) -> &[u8] {
    let mut ends = memchr::memchr_iter(0x1a, head);
    let end = ends.find(|at| {
        let rest = head.get(at + 1..).unwrap_or_default();
        rest.starts_with(b"SAUCE00") || rest.starts_with(b"COMNT")
    });
    head.get(..end.unwrap_or(head.len())).unwrap_or(head)
}

/// The beginning of a text as UTF-8: in UTF-16 with a byte order mark, or in a charset that was declared or chosen and
/// in which its octets are no lines. Other octets are unchanged.
pub(super) fn in_utf_8(head: &[u8], charset: Option<Charset>) -> Cow<'_, [u8]> {
    let is_marked = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    let stated = charset.filter(|charset| charset.precedes_lines());
    if let (false, Some(mut converter)) = (is_marked, stated.and_then(TextConverter::new)) {
        let text = converter.push(head);
        // What is declared counts: a damaged letter does not make other octets of the text.
        let rest = if stated.is_some_and(Charset::is_stateful) {
            converter.finish()
        } else {
            String::new()
        };
        return Cow::Owned((text + &rest).into_bytes());
    }
    let charset = Charset::named("utf-16").filter(|_| is_marked);
    let whole = head.get(..head.len() / 2 * 2).unwrap_or(head);
    let text = charset.map(|charset| charset.decode(whole));
    // The last character may be cut; other octets than text have halves of characters everywhere.
    let is_text = |text: &Cow<'_, str>| {
        let whole = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
        !whole.contains(char::REPLACEMENT_CHARACTER)
    };
    match text.filter(is_text) {
        Some(text) => Cow::Owned(text.into_owned().into_bytes()),
        None => Cow::Borrowed(head),
    }
}

/// Returns true if a text begins with a tag or a comment of HTML, as browsers recognise a page without a type (WHATWG
/// MIME Sniffing, section 7.1).
pub(super) fn begins_with_tag(start: &[u8], charset: Option<Charset>) -> bool {
    const TAGS: [&[u8]; 20] = [
        b"html", b"head", b"script", b"iframe", b"h1", b"div", b"font", b"table", b"a", b"style",
        b"title", b"b", b"body", b"br", b"p", b"ul", b"ol", b"meta", b"link", b"pre",
    ];
    if looks_like_html(start, charset) {
        return true;
    }
    let start = &*in_utf_8(start, charset);
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let start = start.trim_ascii_start();
    if start.starts_with(b"<!--") {
        return true;
    }
    let Some(tag) = start.strip_prefix(b"<") else {
        return false;
    };
    let is_end = |octet: &u8| octet.is_ascii_whitespace() || *octet == b'>';
    let name = tag.iter().position(is_end).and_then(|end| tag.get(..end));
    name.is_some_and(|name| TAGS.iter().any(|known| name.eq_ignore_ascii_case(known)))
}

/// Returns true if a text begins like an HTML page.
pub(super) fn looks_like_html(start: &[u8], charset: Option<Charset>) -> bool {
    let start = &*in_utf_8(start, charset);
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let start = start.trim_ascii_start().to_ascii_lowercase();
    let begins = [
        b"<!doctype html".as_slice(),
        b"<html",
        b"<head",
        b"<title",
        b"<body",
        b"<h1",
    ];
    begins.iter().any(|begin| start.starts_with(begin))
}
