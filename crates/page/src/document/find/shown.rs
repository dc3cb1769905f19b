//! The text that a page may show, from its octets alone: enough to tell most pages that cannot have some words, without
//! a document and its rows.
//!
//! The text may have more than the rows, as the selectors of a menu, but never less. Where that is not certain there is
//! none.

use geomys_wire::text::{Charset, Text};
use memchr::memmem;
use rfc1738::Url;

use super::fold_latin;
use crate::document::model::FEED_HEAD;
use crate::document::raw::LineBuffer;
use crate::document::shape::Shape;
use crate::document::{article, web};

/// Signs in an article, in lower case, that its octets are not its text: encoded headers and bodies, web pages,
/// charsets with shift states, and lines that are joined.
const ENCODED: [&[u8]; 9] = [
    b"=?",
    b"quoted-printable",
    b"base64",
    b"text/html",
    b"x-yenc",
    b"utf-7",
    b"charset=hz",
    b"~{",
    b"delsp",
];

/// Returns the folded text that a page may show, in lines. `charset` is the one that the user chose or the page
/// declares. `None` if only the document tells.
pub fn shown_text(
    url: &Url,
    shape: Shape,
    charset: Option<Charset>,
    octets: &[u8],
) -> Option<String> {
    if url.fragment().is_some() || charset.is_some_and(Charset::is_stateful) {
        return None;
    }
    match shape {
        Shape::Html => web::shown_lines(text(octets)?).and_then(|lines| folded(&lines, None)),
        Shape::Article => {
            let lower = octets.to_ascii_lowercase();
            let is_encoded = ENCODED
                .iter()
                .any(|sign| memmem::find(&lower, sign).is_some());
            if octets.is_ascii() && !is_encoded {
                return as_sent(lower);
            }
            // The octets of a text without a charset may be in any.
            let lines = article::shown_lines(octets)?;
            folded(&lines, None)
        }
        // The names and subjects in an overview may be encoded.
        Shape::Group if memmem::find(octets, b"=?").is_some() => None,
        // The type of an item is one octet, which may be a part of a letter.
        Shape::Menu if has_odd_type(octets) => None,
        Shape::Text if web::looks_like_feed(octets.get(..FEED_HEAD).unwrap_or(octets)) => None,
        Shape::Menu
        | Shape::Gemtext
        | Shape::Text
        | Shape::Groups
        | Shape::Group
        | Shape::Listing { .. } => {
            if octets.is_ascii() {
                return as_sent(octets.to_ascii_lowercase());
            }
            joins_nothing(octets).then_some(())?;
            folded(&LineBuffer::from_octets(octets), charset)
        }
        Shape::Attributes
        | Shape::People
        | Shape::Hits
        | Shape::Visits
        | Shape::Found
        | Shape::Json
        | Shape::Feed
        | Shape::Picture => None,
    }
}

/// Returns true if a line of a menu begins with an octet that is no type of items.
fn has_odd_type(octets: &[u8]) -> bool {
    let mut lines = octets.split(|&octet| octet == b'\n');
    !octets.is_ascii() && lines.any(|line| line.first().is_some_and(|octet| !octet.is_ascii()))
}

/// Returns text in ASCII, unless a row would show it otherwise.
fn as_sent(lower: Vec<u8>) -> Option<String> {
    joins_nothing(&lower).then_some(())?;
    String::from_utf8(lower).ok()
}

/// Returns octets as UTF-8, as a web page is read that has no escape sequences.
fn text(octets: &[u8]) -> Option<&str> {
    let octets = octets.strip_prefix(b"\xef\xbb\xbf").unwrap_or(octets);
    let is_plain = memchr::memchr2(0, 27, octets).is_none();
    str::from_utf8(octets).ok().filter(|_| is_plain)
}

/// Returns lines as rows show them, folded. A line that is not UTF-8 needs a charset.
fn folded(lines: &LineBuffer, charset: Option<Charset>) -> Option<String> {
    let mut folded = String::with_capacity(lines.len());
    // A long line has a row for each of its pieces.
    for line in lines.pieces_from(0) {
        match str::from_utf8(line) {
            Ok(text) if text.is_ascii() => {
                joins_nothing(line).then_some(())?;
                fold_latin(text, &mut folded);
            }
            Ok(_) => fold_latin(Text::new(line, Charset::default()).as_str(), &mut folded),
            Err(_) => fold_latin(Text::new(line, charset?).as_str(), &mut folded),
        }
        folded.push('\n');
    }
    Some(folded)
}

/// Returns true if no control joins the letters around it, or changes what others show: escape sequences, overstruck
/// letters, octets of UTF-16.
fn joins_nothing(octets: &[u8]) -> bool {
    let is_blank = |octet: u8| matches!(octet, b'\t' | b'\n' | 0x0c | b'\r' | b' ');
    let is_control =
        |octet: u8| (octet < b' ' && octet != b'\t' && octet != b'\n') || octet == 0x7f;
    let middle = octets.iter().skip(1);
    let joined = octets.iter().zip(middle).zip(octets.iter().skip(2));
    // Without an early end the compiler compares many octets at once.
    let joins = joined.fold(false, |joins, ((&before, &octet), &behind)| {
        joins | (is_control(octet) & !is_blank(before) & !is_blank(behind))
    });
    !joins && memchr::memchr3(0, 8, 27, octets).is_none()
}
