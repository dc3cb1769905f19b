//! The headers of an article as lines. Groups, Message-IDs and URLs in them are links.

use geomys_wire::text::{Charset, Text};

use crate::document::row::{Kind, Span};
use crate::document::text_line::{TextLine, TextLinks};

/// A header line with its links.
pub(super) fn line(line: &[u8], charset: Charset) -> TextLine<'_> {
    let Some((name, value, links)) = split_header(line) else {
        return TextLine::new(Kind::Header, line, TextLinks::None);
    };
    TextLine {
        name: Some(Span::new(Text::new(name, charset))),
        ..TextLine::new(Kind::Header, value, links)
    }
}

/// Splits a header line where its value begins.
fn split_header(line: &[u8]) -> Option<(&[u8], &[u8], TextLinks)> {
    let colon = memchr::memchr(b':', line)?;
    let links = match line.get(..colon)?.to_ascii_lowercase().as_slice() {
        b"newsgroups" | b"followup-to" => TextLinks::Groups,
        b"references" | b"in-reply-to" | b"supersedes" => TextLinks::Articles,
        b"subject" => TextLinks::Urls,
        _ => TextLinks::None,
    };
    let blanks = line
        .get(colon + 1..)?
        .iter()
        .take_while(|&&octet| octet == b' ')
        .count();
    let (name, value) = line.split_at_checked(colon + 1 + blanks)?;
    Some((name, value, links))
}
