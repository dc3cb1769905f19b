//! Lines of text, with the URLs in them as links (RFC 1738, appendix).

use std::cell::Cell;
use std::ops::Range;

use super::rows::only;
use super::{Kind, Link, Row, RowProvider, RowSource, Span};
use crate::text::{self, Charset, SgrDecoder, Text, blank_sgr};
use crate::url::boundary::{is_word_end, is_word_start};
use crate::url::context::UrlMatch;
use crate::url::{Url, accept_or_repair, context};

/// The maximum number of characters of a line that are decoded one by one to find the ends of URLs, which is slow in some
/// charsets.
const CHARACTERS: usize = 4096;

/// The body of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextBody;

impl RowProvider for TextBody {
    fn count(&self, source: RowSource<'_>) -> usize {
        source.raw.pieces()
    }

    fn row(&self, source: RowSource<'_>, number: usize) -> Option<Row> {
        Some(row(Kind::Plain, source.raw.piece(number)?, source.charset))
    }

    fn octets<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<&'a [u8]> {
        source.raw.piece(number)
    }

    fn continues(&self, source: RowSource<'_>, number: usize) -> bool {
        source.raw.continues(number)
    }

    fn links(&self, source: RowSource<'_>, number: usize, indices: Range<usize>) -> Vec<Link> {
        let line = source.raw.piece(number);
        line.map_or_else(Vec::new, |line| links(line, source.charset, indices))
    }

    fn link_count(&self, source: RowSource<'_>, number: usize) -> usize {
        let line = source.raw.piece(number);
        line.map_or(0, |line| link_count(line, source.charset))
    }

    fn is_link(&self, source: RowSource<'_>, number: usize) -> bool {
        let line = source.raw.piece(number);
        line.is_some_and(|line| is_link(line, source.charset))
    }

    fn is_list(&self) -> bool {
        false
    }
}

/// Makes the row of a line of text, with its URLs as links.
pub(super) fn row(kind: Kind, line: &[u8], charset: Charset) -> Row {
    let blank_sgr = blank_sgr(line);
    let first = first_char(charset);
    let ranges = context::urls_in(&blank_sgr, &first).map(|found| found.range);
    linked(kind, line, charset, ranges)
}

/// Makes the row of a line of text. The given ranges are links, in their order.
pub(super) fn linked(
    kind: Kind,
    line: &[u8],
    charset: Charset,
    links: impl Iterator<Item = Range<usize>>,
) -> Row {
    let mut spans = Vec::new();
    let mut decoder = SgrDecoder::new(charset);
    let mut at = 0;
    for (index, range) in links.enumerate() {
        push(&mut spans, line.get(at..range.start), None, &mut decoder);
        at = range.end;
        push(&mut spans, line.get(range), Some(index), &mut decoder);
    }
    if at == 0 {
        return painted(kind, line, charset);
    }
    push(&mut spans, line.get(at..), None, &mut decoder);
    Row {
        spans,
        ..Row::new(kind, Text::default())
    }
}

/// Makes the row of a text with its colours, in one span.
pub(super) fn painted(kind: Kind, octets: &[u8], charset: Charset) -> Row {
    let (text, sgr_styles) = SgrDecoder::new(charset).read(octets);
    let mut row = Row::new(kind, text);
    if let Some(span) = row.spans.first_mut() {
        span.sgr_styles = sgr_styles;
    }
    row
}

/// The links with these indices in a line.
pub(super) fn links(line: &[u8], charset: Charset, indices: Range<usize>) -> Vec<Link> {
    let first = first_char(charset);
    let blank_sgr = blank_sgr(line);
    let found = context::urls_in(&blank_sgr, &first).skip(indices.start);
    found.take(indices.len()).map(link).collect()
}

/// The number of links in a line.
pub(super) fn link_count(line: &[u8], charset: Charset) -> usize {
    context::urls_in(&blank_sgr(line), &first_char(charset)).count()
}

/// Returns true if a line has a link.
fn is_link(line: &[u8], charset: Charset) -> bool {
    let first = first_char(charset);
    context::urls_in(&blank_sgr(line), &first).next().is_some()
}

/// Returns a function that decodes the first character of octets by `charset`, with its length in octets.
pub(super) fn first_char(charset: Charset) -> impl Fn(&[u8]) -> Option<(char, usize)> {
    let left = Cell::new(CHARACTERS);
    move |octets| {
        left.set(left.get().checked_sub(1)?);
        // No charset has characters of more than four octets.
        (1..=4).find_map(|length| {
            let decoded = charset.decode(octets.get(..length)?);
            let mut characters = decoded.chars();
            match (characters.next()?, characters.next()) {
                (char::REPLACEMENT_CHARACTER, _) | (_, Some(_)) => None,
                (character, None) => Some((character, length)),
            }
        })
    }
}

/// Makes the link of a URL in a line. A URL that is not UTF-8 cannot be repaired, as its text lacks the octets.
pub(super) fn link(found: UrlMatch<'_>) -> Link {
    let target = found.result.or_else(|error| {
        if found.url_text.contains(char::REPLACEMENT_CHARACTER) {
            return Err(error);
        }
        accept_or_repair(&found.url_text).map_err(|_| error)
    });
    Link::new(Text::of(&found.url_text), target)
}

/// Makes the row of a line, with a mail address as a link too: for descriptions of people.
pub(super) fn row_with_mail(kind: Kind, line: &[u8], charset: Charset) -> Row {
    match mail(line, charset) {
        None => row(kind, line, charset),
        Some(address) => {
            let mut spans = Vec::new();
            let mut decoder = SgrDecoder::new(charset);
            push(&mut spans, line.get(..address.start), None, &mut decoder);
            push(&mut spans, line.get(address.clone()), Some(0), &mut decoder);
            push(&mut spans, line.get(address.end..), None, &mut decoder);
            Row {
                spans,
                ..Row::new(kind, Text::default())
            }
        }
    }
}

/// The links with these indices in a line, with a mail address as a link too.
pub(super) fn links_with_mail(line: &[u8], charset: Charset, indices: Range<usize>) -> Vec<Link> {
    let Some(address) = mail(line, charset).and_then(|range| line.get(range)) else {
        return links(line, charset, indices);
    };
    only(&indices, || {
        let text = String::from_utf8_lossy(address);
        let target = Url::accept(&format!("mailto:{text}"));
        Some(Link::new(Text::of(&text), target))
    })
}

/// The number of links in a line, with a mail address as a link too.
pub(super) fn link_count_with_mail(line: &[u8], charset: Charset) -> usize {
    match mail(line, charset) {
        Some(_) => 1,
        None => link_count(line, charset),
    }
}

/// The first mail address in a line without URLs: `name@host.domain`, in the characters of a `mailto` URL. Like a URL it
/// must be delimited at both ends.
fn mail(line: &[u8], charset: Charset) -> Option<Range<usize>> {
    let at = memchr::memchr(b'@', line)?;
    let blank_sgr = blank_sgr(line);
    let line = &*blank_sgr;
    if context::urls(line).next().is_some() {
        return None;
    }
    let local = |octet: &u8| octet.is_ascii_alphanumeric() || b"._+-".contains(octet);
    let domain = |octet: &u8| octet.is_ascii_alphanumeric() || b".-".contains(octet);
    let before = line
        .get(..at)?
        .iter()
        .rev()
        .take_while(|octet| local(octet));
    let start = at - before.count();
    let host = line.get(at + 1..)?;
    let end = host.iter().take_while(|octet| domain(octet)).count();
    let host = host.get(..end)?;
    let first = first_char(charset);
    let is_whole = is_word_start(line.get(..start)?, &first)
        && is_word_end(line.get(at + 1 + host.len()..)?, &first);
    let host = host.strip_suffix(b".").unwrap_or(host);
    let is_host = host.contains(&b'.') && !host.starts_with(b".");
    (start < at && is_host && is_whole).then(|| start..at + 1 + host.len())
}

/// Makes the column of a name before the text. A name that is too long shifts the text.
pub(super) fn column(name: &Text, columns: usize) -> Span {
    let pad = columns - text::width_within(name.as_str(), columns);
    Span::new(Text::of(&format!("{name}{} ", " ".repeat(pad))))
}

fn push(
    spans: &mut Vec<Span>,
    octets: Option<&[u8]>,
    link: Option<usize>,
    decoder: &mut SgrDecoder,
) {
    if let Some(octets) = octets.filter(|octets| !octets.is_empty()) {
        let (text, sgr_styles) = decoder.read(octets);
        spans.push(Span {
            text,
            link,
            sgr_styles,
        });
    }
}
