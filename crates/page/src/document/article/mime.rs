//! The MIME parts of an article (RFC 2045, 2046).
//!
//! ```text
//! multipart = [ preamble ] 1*( "--" boundary CRLF part ) "--" boundary "--" [ epilogue ]
//! ```
//!
//! This module walks the tree of parts, with an explicit stack and limits on depth and number, so that no article is too
//! deep. mail-parser parses the headers and decodes the leaves. A message inside a message is an attachment and is not
//! parsed. Of alternatives the plain text is chosen, else a multipart, else another text type (HTML is laid out as a page).
//! Not supported: opening an attachment.

use geomys_wire::text::{Charset, Text, decode_declared};
use mail_parser::decoders::{base64::base64_decode, quoted_printable::quoted_printable_decode};
use mail_parser::{Message, MessageParser, MimeHeaders};

use super::encoded::{self, TextPiece};
use crate::document::raw::{LineBuffer, without_line_end};
use crate::document::web;

/// The maximum depth of nested multiparts.
const DEPTH: usize = 32;

/// The maximum number of parts.
const PARTS: usize = 1000;

/// A decoded part of an article.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Text: UTF-8 where its charset was declared, else the undecoded octets.
    Text {
        octets: Vec<u8>,
        /// The value of `DelSp=yes` if the text is `format=flowed`; nothing for fixed text.
        flowed: Option<bool>,
    },
    /// A web page, decoded.
    Html(String),
    /// A part that is not text.
    Attachment(Attachment),
    /// A marker that the article has more parts than the limit.
    More,
}

/// A file in an article.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::document) struct Attachment {
    /// The declared name; empty where there is none.
    pub(in crate::document) name: Vec<u8>,
    /// The media type, or the encoding of a file inside a text.
    pub(super) kind: String,
    /// The octets, up to the first decoding error.
    pub(in crate::document) octets: Vec<u8>,
    /// A description of the decoding error.
    pub(super) fault: Option<String>,
}

impl Attachment {
    /// The name, as displayable text.
    pub(super) fn label(&self) -> Text {
        Text::new(&self.name, Charset::default())
    }
}

/// The charsets by which the texts of an article are decoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextCharsets {
    /// The charset of web pages that declare none and are not UTF-8.
    pub(super) undeclared: Charset,
    /// The use of the declared charsets.
    pub(super) declared: DeclaredCharsets,
}

/// The use of the charsets that the parts declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeclaredCharsets {
    /// Texts are decoded by their declared charsets.
    Applied,
    /// The declared charsets are wrong: texts stay undecoded.
    Ignored,
}

/// Parses an article into its parts, in the order in which they are shown.
pub(super) fn parts(article: &[u8], charsets: TextCharsets) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut waiting = vec![(article, 0)];
    let mut count = 0;
    while let Some((octets, depth)) = waiting.pop() {
        count += 1;
        if count > PARTS {
            parts.push(Part::More);
            break;
        }
        let (head, body) = split(octets);
        let headers = headers(head);
        match headers.as_ref().and_then(boundary) {
            Some((boundary, is_choice)) if depth < DEPTH => {
                let children = children(body, boundary.as_bytes());
                if children.is_empty() {
                    parts.push(text(body.to_vec(), None));
                } else if is_choice {
                    waiting.extend(choose(&children).map(|child| (child, depth + 1)));
                } else {
                    waiting.extend(children.into_iter().rev().map(|child| (child, depth + 1)));
                }
            }
            _ => leaf(body, headers.as_ref(), charsets, &mut parts),
        }
    }
    parts
}

/// Splits a part into its head, with the last line end, and its body. A part that starts with an empty line has no head.
pub(super) fn split(octets: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    for line in octets.split_inclusive(|&octet| octet == b'\n') {
        if matches!(line, b"\r\n" | b"\n") {
            let body = octets.get(at + line.len()..).unwrap_or_default();
            return (octets.get(..at).unwrap_or_default(), body);
        }
        at += line.len();
    }
    (octets, &[])
}

fn headers(head: &[u8]) -> Option<Message<'_>> {
    MessageParser::default().parse_headers(head)
}

/// The boundary of a multipart, and true if its parts are alternatives.
fn boundary<'a>(headers: &'a Message<'_>) -> Option<(&'a str, bool)> {
    let kind = headers.content_type()?;
    let boundary = kind.attribute("boundary").filter(|text| !text.is_empty())?;
    (kind.ctype() == "multipart").then(|| (boundary, kind.subtype() == Some("alternative")))
}

/// The parts between the boundary lines. The last part extends to the end of the body where the closing boundary is
/// missing.
fn children<'a>(body: &'a [u8], boundary: &[u8]) -> Vec<&'a [u8]> {
    let mut children = Vec::new();
    let mut start = None;
    let mut at = 0;
    for line in body.split_inclusive(|&octet| octet == b'\n') {
        let end = line
            .strip_prefix(b"--")
            .and_then(|line| line.strip_prefix(boundary))
            .map(<[u8]>::trim_ascii_end);
        if let Some(end @ (b"" | b"--")) = end {
            // The line end before the boundary belongs to the boundary.
            let child = start.and_then(|start| body.get(start..at));
            children.extend(child.map(without_line_end));
            if end == b"--" || children.len() > PARTS {
                return children;
            }
            start = Some(at + line.len());
        }
        at += line.len();
    }
    children.extend(start.and_then(|start| body.get(start..)));
    children
}

/// The preferred one of several alternatives.
fn choose<'a>(children: &[&'a [u8]]) -> Option<&'a [u8]> {
    let rank = |child: &[u8]| {
        let headers = headers(split(child).0);
        let kind = headers.as_ref().and_then(|headers| headers.content_type());
        match kind.map(|kind| (kind.ctype(), kind.subtype())) {
            None | Some(("text", Some("plain"))) => 0,
            Some(("multipart", _)) => 1,
            Some(("text", _)) => 2,
            Some(_) => 3,
        }
    };
    children.iter().copied().min_by_key(|child| rank(child))
}

/// Decodes a part without subparts, and the files in its text.
fn leaf(body: &[u8], headers: Option<&Message<'_>>, charsets: TextCharsets, parts: &mut Vec<Part>) {
    let Some(headers) = headers else {
        // Without a head no transfers encoding and no charset.
        return texts(body, None, None, parts);
    };
    let kind = headers.content_type();
    let encoding = headers.content_transfer_encoding().unwrap_or_default();
    let is_attachment = headers
        .content_disposition()
        .is_some_and(mail_parser::ContentType::is_attachment);
    if is_attachment || kind.is_some_and(|kind| kind.ctype() != "text") {
        let (main, sub) = kind.map_or(("text", Some("plain")), |kind| {
            (kind.ctype(), kind.subtype())
        });
        let (octets, fault) = if encoding.eq_ignore_ascii_case("base64") {
            encoded::base64(body)
        } else if encoding.eq_ignore_ascii_case("quoted-printable") {
            let decoded = quoted_printable_decode(body);
            let fault = decoded.is_none().then(|| "malformed encoding".to_owned());
            (decoded.unwrap_or_else(|| body.to_vec()), fault)
        } else {
            (body.to_vec(), None)
        };
        let name = headers.attachment_name().unwrap_or_default();
        parts.push(Part::Attachment(Attachment {
            name: name.as_bytes().to_vec(),
            kind: format!("{main}/{}", sub.unwrap_or("*")),
            octets,
            fault,
        }));
        return;
    }
    let attribute = |name| kind.and_then(|kind| kind.attribute(name));
    let is =
        |name, value| attribute(name).is_some_and(|text: &str| text.eq_ignore_ascii_case(value));
    // Malformed text is shown undecoded.
    let octets = if encoding.eq_ignore_ascii_case("quoted-printable") {
        quoted_printable_decode(body)
    } else if encoding.eq_ignore_ascii_case("base64") {
        base64_decode(body)
    } else {
        None
    };
    let octets = octets.unwrap_or_else(|| body.to_vec());
    let charset = attribute("charset").filter(|_| charsets.declared == DeclaredCharsets::Applied);
    if kind.is_some_and(|kind| kind.subtype() == Some("html")) {
        let octets = readable(octets, charset);
        parts.push(Part::Html(html_page(&octets, charsets)));
        return;
    }
    let flowed = is("format", "flowed").then(|| is("delsp", "yes"));
    texts(&octets, charset, flowed, parts);
}

/// Decodes a web page: by its own declaration where its part has none.
fn html_page(octets: &[u8], charsets: TextCharsets) -> String {
    let mut raw = LineBuffer::default();
    raw.append(octets);
    let declared = match charsets.declared {
        DeclaredCharsets::Applied => web::charset(&raw),
        DeclaredCharsets::Ignored => None,
    };
    let (page, charset) = web::decoded(octets, declared.unwrap_or(charsets.undeclared));
    if page.contains(char::REPLACEMENT_CHARACTER) {
        return charset.decode_without_replacement(octets);
    }
    page
}

/// Splits a text into text and files. Files are decoded first, before a charset can change their octets.
fn texts(octets: &[u8], charset: Option<&str>, flowed: Option<bool>, parts: &mut Vec<Part>) {
    for piece in encoded::pieces(octets) {
        if parts.len() >= PARTS {
            parts.push(Part::More);
            return;
        }
        parts.push(match piece {
            TextPiece::Text(piece) => text(readable(piece.to_vec(), charset), flowed),
            TextPiece::File(file) => Part::Attachment(file),
        });
    }
}

fn text(octets: Vec<u8>, flowed: Option<bool>) -> Part {
    Part::Text { octets, flowed }
}

/// Text as UTF-8 where its charset was declared and decodes it without errors; else the octets unchanged, to be decoded
/// by the page's charset.
fn readable(octets: Vec<u8>, charset: Option<&str>) -> Vec<u8> {
    let declared = charset
        .filter(|name| !name.eq_ignore_ascii_case("us-ascii"))
        .and_then(|name| decode_declared(name.as_bytes(), &octets));
    if let Some(text) = declared {
        return text.into_bytes();
    }
    // Escape sequences of ISO-2022-JP in a text without a declared charset are unambiguous.
    let is_japanese = [b"\x1b$B".as_slice(), b"\x1b$@"]
        .iter()
        .any(|escape| memchr::memmem::find(&octets, escape).is_some());
    match Charset::named("iso-2022-jp") {
        Some(charset) if is_japanese => charset.decode_without_replacement(&octets).into_bytes(),
        _ => octets,
    }
}
