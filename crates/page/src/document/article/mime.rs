//! The MIME parts of an article (RFC 2045, 2046).
//!
//! ```text
//! article   = head EOL body
//! multipart = [ preamble ] 1*( "--" boundary EOL part ) "--" boundary "--" [ epilogue ]
//! ```
//!
//! This module walks the tree of parts, with an explicit stack and limits on depth and number, so that no article is
//! too deep. A message inside a message is an attachment, which opens as a page of its own. [`PartTree`] chooses among
//! alternatives; HTML is laid out as a page. What can be decoded is decoded, and a fault is a part of its own.

use geomys_wire::text::{Charset, Text};

use super::alternative::{PartTree, is_rendition};
use super::enriched::enriched;
use super::head::{PartHead, TEXT, decoded_headers, split, unfolded};
use super::uu::uu;
use super::yenc::{first_line, yenc};
use crate::document::raw::{LineBuffer, without_line_end};
use crate::document::{header, web};

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
    /// A remark on the part before it.
    Remark(String),
}

/// A file in an article.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attachment {
    /// The declared name; empty where there is none.
    pub(crate) name: Vec<u8>,
    /// The media type, or the encoding of a file inside a text.
    pub(crate) kind: String,
    /// The octets, as far as they can be decoded.
    pub(crate) octets: Vec<u8>,
    /// A description of the decoding error.
    pub(crate) fault: Option<String>,
}

impl Attachment {
    /// The name, as displayable text.
    pub(super) fn label(&self) -> Text {
        Text::new(&self.name, Charset::default())
    }

    /// Returns true for a message, which is an article of its own.
    pub(in crate::document) fn is_message(&self) -> bool {
        is_message(&self.kind)
    }
}

fn is_message(kind: &str) -> bool {
    matches!(kind, "message/rfc822" | "message/global" | "message/news")
}

/// The charsets by which the texts of an article are decoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextCharsets {
    /// The charset of names, and of web pages that declare none and are not UTF-8.
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

/// A part that was not parsed yet.
struct WaitingPart<'a> {
    octets: &'a [u8],
    depth: usize,
    /// The number of the part that contains it.
    parent: Option<usize>,
    /// True inside alternatives.
    is_alternative: bool,
    /// The media type of a part that states none.
    default: &'static str,
}

/// Parses an article into its parts, in the order in which they are shown.
pub(super) fn parts(article: &[u8], charsets: TextCharsets) -> Vec<Part> {
    let mut tree = PartTree::default();
    let mut waiting = vec![WaitingPart {
        octets: article,
        depth: 0,
        parent: None,
        is_alternative: false,
        default: TEXT,
    }];
    while let Some(part) = waiting.pop() {
        if tree.len() >= PARTS {
            waiting.push(part);
            break;
        }
        let (head, body) = split(part.octets);
        let head = PartHead::new(head, part.default);
        let number = tree.add(part.parent, &head.kind);
        let boundary = head.boundary(body).filter(|_| part.depth < DEPTH);
        let children = boundary.map(|boundary| children(body, boundary));
        let Some(children) = children.filter(|children| !children.is_empty()) else {
            // In alternatives a text of another kind says something else, as a calendar does.
            let is_file = part.is_alternative && !is_rendition(&head.kind);
            tree.decode(|parts| leaf(body, &head, charsets, is_file, parts));
            continue;
        };
        let default = if head.kind == "multipart/digest" {
            "message/rfc822"
        } else {
            TEXT
        };
        let is_alternative = part.is_alternative || head.kind == "multipart/alternative";
        waiting.extend(children.into_iter().rev().map(|octets| WaitingPart {
            octets,
            depth: part.depth + 1,
            parent: Some(number),
            is_alternative,
            default,
        }));
    }
    let mut parts = tree.shown();
    parts.extend((!waiting.is_empty()).then(more));
    parts
}

/// The remark on parts beyond the limit.
fn more() -> Part {
    Part::Remark("more parts, not shown".to_owned())
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

/// Decodes a part without subparts, and the files in its text. A text that has a name, or `is_file`, is a file too.
fn leaf(
    body: &[u8],
    head: &PartHead,
    charsets: TextCharsets,
    is_file: bool,
    parts: &mut Vec<Part>,
) {
    let decoded = head.encoding.decode(body);
    let name = head.name(charsets.undeclared);
    if head.is_attachment() || is_file || !name.is_empty() {
        let is_encoded = !decoded.octets.is_empty();
        let octets = if is_encoded {
            decoded.octets.as_slice()
        } else {
            decoded.behind
        };
        let mut file = Attachment {
            name,
            kind: head.kind.clone(),
            fault: decoded.fault.clone(),
            octets: octets.to_vec(),
        };
        if file.name.is_empty() && file.is_message() {
            file.name = message_name(&file.octets, charsets.undeclared);
        }
        parts.push(Part::Attachment(file));
    }
    if head.is_attachment() {
        return;
    }
    let fault = decoded.fault.clone();
    let octets = decoded.all();
    let charset = head.parameters.token("charset");
    let charset = charset.filter(|_| charsets.declared == DeclaredCharsets::Applied);
    let charset = DeclaredCharset::new(charset);
    if head.kind == "text/html" {
        parts.push(Part::Html(html_page(&charset.readable(octets), charsets)));
    } else if matches!(head.kind.as_str(), "text/enriched" | "text/richtext") {
        texts(&enriched(&octets, &head.kind), &charset, None, parts);
    } else if matches!(
        head.kind.as_str(),
        "text/rfc822-headers" | "message/global-headers"
    ) {
        parts.push(Part::Text {
            octets: decoded_headers(&charset.readable(octets), charsets.undeclared),
            flowed: None,
        });
    } else {
        let flowed = head.is("format", "flowed").then(|| head.is("delsp", "yes"));
        texts(&octets, &charset, flowed, parts);
    }
    let fault = fault.map(|fault| format!("{fault}, decoded as far as possible"));
    let remarks = [fault, charset.remark()].into_iter().flatten();
    parts.extend(remarks.map(Part::Remark));
}

/// The name of a message without one: its subject.
fn message_name(message: &[u8], charset: Charset) -> Vec<u8> {
    let headers = unfolded(split(message).0);
    let subject = headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(b"subject"));
    let subject = subject.map(|(_, subject)| header::text(subject, charset));
    match subject.filter(|subject| !subject.is_blank()) {
        Some(subject) => format!("{subject}.eml").into_bytes(),
        None => Vec::new(),
    }
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
fn texts(text: &[u8], charset: &DeclaredCharset, flowed: Option<bool>, parts: &mut Vec<Part>) {
    let (mut at, mut plain, first) = (0, 0, parts.len());
    let piece = |start: usize, end: usize| Part::Text {
        octets: charset.readable(text.get(start..end).unwrap_or_default().to_vec()),
        flowed,
    };
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Some((file, used)) = uu(rest).or_else(|| yenc(rest)) else {
            at += first_line(rest).len();
            continue;
        };
        if parts.len() >= PARTS {
            return parts.push(more());
        }
        if plain < at {
            parts.push(piece(plain, at));
        }
        parts.push(Part::Attachment(file));
        at += used.max(1);
        plain = at;
    }
    if plain < text.len() || parts.len() == first {
        parts.push(piece(plain, text.len()));
    }
}

/// The charset that a part declares.
enum DeclaredCharset {
    None,
    Known(Charset),
    /// A name that nobody knows.
    Unknown(String),
}

impl DeclaredCharset {
    fn new(name: Option<&[u8]>) -> Self {
        let name = name.map(|name| String::from_utf8_lossy(name).into_owned());
        let name = name
            .as_deref()
            .map(|name| name.trim_matches(['\'', '"', ' ']));
        match name {
            // Of ASCII the page's charset is a superset, and the name says nothing else.
            None | Some("") => Self::None,
            Some(name) if name.eq_ignore_ascii_case("us-ascii") => Self::None,
            Some(name) => match Charset::named(name) {
                Some(charset) => Self::Known(charset),
                None => Self::Unknown(name.to_owned()),
            },
        }
    }

    /// Text as UTF-8 where its charset was declared and decodes most of it; else the octets unchanged, to be decoded by
    /// the page's charset.
    fn readable(&self, octets: Vec<u8>) -> Vec<u8> {
        let charset = match self {
            Self::Known(charset) => *charset,
            // Escape sequences in a text without a declared charset are unambiguous.
            Self::None | Self::Unknown(_) => match Charset::with_escapes(&octets) {
                Some(charset) => return charset.decode_without_replacement(&octets).into_bytes(),
                None => return octets,
            },
        };
        let decoded = charset.decode(&octets);
        let count = |is: fn(&char) -> bool| decoded.chars().filter(is).count();
        let malformed = count(|letter| *letter == char::REPLACEMENT_CHARACTER);
        // Where more is malformed than not, the declaration is wrong.
        if malformed == 0 {
            decoded.into_owned().into_bytes()
        } else if malformed * 2 < count(|letter| !letter.is_ascii()) {
            charset.decode_without_replacement(&octets).into_bytes()
        } else {
            octets
        }
    }

    /// The remark that the charset is unknown.
    fn remark(&self) -> Option<String> {
        match self {
            Self::None | Self::Known(_) => None,
            Self::Unknown(name) => Some(format!(
                "unknown charset {name}: \"charset\" chooses another"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_stand_among_text() {
        let text = b"Hello\r\nbegin 644 cat.txt\r\n#0V%T\r\n`\r\nend\r\nbegin 1994 with a song\r\n";
        let mut parts = Vec::new();
        texts(text, &DeclaredCharset::None, None, &mut parts);
        let [
            Part::Text { octets: before, .. },
            Part::Attachment(file),
            Part::Text { octets: after, .. },
        ] = parts.as_slice()
        else {
            panic!("three parts")
        };
        assert_eq!(
            (before.as_slice(), after.as_slice()),
            (&b"Hello\r\n"[..], &b"begin 1994 with a song\r\n"[..])
        );
        assert_eq!(
            (file.name.as_slice(), file.octets.as_slice(), &file.fault),
            (&b"cat.txt"[..], &b"Cat"[..], &None)
        );
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics_and_none_is_lost(text in "((begin 644 a|=ybegin line=1 size=3 name=b|=ypart begin=9 end=1|=yend size=1|end|[ -~]{0,8})\r?\n){0,12}") {
            let mut parts = Vec::new();
            texts(text.as_bytes(), &DeclaredCharset::None, None, &mut parts);
            let texts: Option<Vec<Vec<u8>>> = parts.into_iter().map(|part| match part {
                Part::Text { octets, .. } => Some(octets),
                Part::Html(_) | Part::Attachment(_) | Part::Remark(_) => None,
            }).collect();
            if let Some(texts) = texts {
                proptest::prop_assert_eq!(texts.concat(), text.as_bytes());
            }
        }
    }
}
