//! Lines of text, with the URLs that stand in them as links (RFC 1738, appendix).

use std::cell::Cell;
use std::ops::Range;

use super::rows::only;
use super::{Kind, Link, Row, Rows, Source, Span};
use crate::text::{self, Brush, Charset, Text, unpainted};
use crate::url::boundary::{is_word_end, is_word_start};
use crate::url::context::Found;
use crate::url::{Url, context, forgiven};

/// Characters of a line that are read one by one to find where URLs end: in a charset that is slow.
const CHARACTERS: usize = 4096;

/// The body of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain;

impl Rows for Plain {
    fn count(&self, source: Source<'_>) -> usize {
        source.raw.pieces()
    }

    fn row(&self, source: Source<'_>, number: usize) -> Option<Row> {
        Some(row(Kind::Plain, source.raw.piece(number)?, source.charset))
    }

    fn octets<'a>(&'a self, source: Source<'a>, number: usize) -> Option<&'a [u8]> {
        source.raw.piece(number)
    }

    fn continues(&self, source: Source<'_>, number: usize) -> bool {
        source.raw.continues(number)
    }

    fn links(&self, source: Source<'_>, number: usize, which: Range<usize>) -> Vec<Link> {
        let line = source.raw.piece(number);
        line.map_or_else(Vec::new, |line| links(line, source.charset, which))
    }

    fn link_count(&self, source: Source<'_>, number: usize) -> usize {
        let line = source.raw.piece(number);
        line.map_or(0, |line| link_count(line, source.charset))
    }

    fn is_link(&self, source: Source<'_>, number: usize) -> bool {
        let line = source.raw.piece(number);
        line.is_some_and(|line| is_link(line, source.charset))
    }

    fn is_list(&self) -> bool {
        false
    }
}

/// A line of text as a row: what stands around links, and links.
pub(super) fn row(kind: Kind, line: &[u8], charset: Charset) -> Row {
    let unpainted = unpainted(line);
    let first = first_char(charset);
    let ranges = context::urls_in(&unpainted, &first).map(|found| found.range);
    linked(kind, line, charset, ranges)
}

/// A line of text as a row, of which these parts are links, in their order.
pub(super) fn linked(
    kind: Kind,
    line: &[u8],
    charset: Charset,
    links: impl Iterator<Item = Range<usize>>,
) -> Row {
    let mut spans = Vec::new();
    let mut brush = Brush::new(charset);
    let mut at = 0;
    for (index, range) in links.enumerate() {
        push(&mut spans, line.get(at..range.start), None, &mut brush);
        at = range.end;
        push(&mut spans, line.get(range), Some(index), &mut brush);
    }
    if at == 0 {
        return painted(kind, line, charset);
    }
    push(&mut spans, line.get(at..), None, &mut brush);
    Row {
        spans,
        ..Row::new(kind, Text::default())
    }
}

/// A text with its colours as a row, in one part.
pub(super) fn painted(kind: Kind, octets: &[u8], charset: Charset) -> Row {
    let (text, paints) = Brush::new(charset).read(octets);
    let mut row = Row::new(kind, text);
    if let Some(span) = row.spans.first_mut() {
        span.paints = paints;
    }
    row
}

/// The links that stand in a line, as far as they are wanted.
pub(super) fn links(line: &[u8], charset: Charset, which: Range<usize>) -> Vec<Link> {
    let first = first_char(charset);
    let unpainted = unpainted(line);
    let found = context::urls_in(&unpainted, &first).skip(which.start);
    found.take(which.len()).map(link).collect()
}

/// How many links stand in a line.
pub(super) fn link_count(line: &[u8], charset: Charset) -> usize {
    context::urls_in(&unpainted(line), &first_char(charset)).count()
}

/// Whether a link stands in a line.
fn is_link(line: &[u8], charset: Charset) -> bool {
    let first = first_char(charset);
    context::urls_in(&unpainted(line), &first).next().is_some()
}

/// Reads the first character of octets by `charset`, with its length in octets.
pub(super) fn first_char(charset: Charset) -> impl Fn(&[u8]) -> Option<(char, usize)> {
    let left = Cell::new(CHARACTERS);
    move |octets| {
        left.set(left.get().checked_sub(1)?);
        // No charset has longer characters.
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

/// A URL in a line as a link. One that is not UTF-8 has no repair: its octets are not in its text.
pub(super) fn link(found: Found<'_>) -> Link {
    let target = found.result.or_else(|error| {
        if found.url_text.contains(char::REPLACEMENT_CHARACTER) {
            return Err(error);
        }
        forgiven(&found.url_text).map_err(|_| error)
    });
    Link::new(Text::of(&found.url_text), target)
}

/// The same with addresses of mail as links too, as where people are told of.
pub(super) fn row_with_mail(kind: Kind, line: &[u8], charset: Charset) -> Row {
    match mail(line, charset) {
        None => row(kind, line, charset),
        Some(address) => {
            let mut spans = Vec::new();
            let mut brush = Brush::new(charset);
            push(&mut spans, line.get(..address.start), None, &mut brush);
            push(&mut spans, line.get(address.clone()), Some(0), &mut brush);
            push(&mut spans, line.get(address.end..), None, &mut brush);
            Row {
                spans,
                ..Row::new(kind, Text::default())
            }
        }
    }
}

/// The links of such a line, as far as they are wanted.
pub(super) fn links_with_mail(line: &[u8], charset: Charset, which: Range<usize>) -> Vec<Link> {
    let Some(address) = mail(line, charset).and_then(|range| line.get(range)) else {
        return links(line, charset, which);
    };
    only(&which, || {
        let text = String::from_utf8_lossy(address);
        let target = Url::accept(&format!("mailto:{text}"));
        Some(Link::new(Text::of(&text), target))
    })
}

/// How many links such a line has.
pub(super) fn link_count_with_mail(line: &[u8], charset: Charset) -> usize {
    match mail(line, charset) {
        Some(_) => 1,
        None => link_count(line, charset),
    }
}

/// The first address of mail in a line that holds no URL: `name@host.domain`, and what such a URL may hold. Like a URL it
/// is taken whole or not at all.
fn mail(line: &[u8], charset: Charset) -> Option<Range<usize>> {
    let at = memchr::memchr(b'@', line)?;
    let unpainted = unpainted(line);
    let line = &*unpainted;
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

/// A name in a column of its own before the text; one that is too long pushes the text on.
pub(super) fn column(name: &Text, columns: usize) -> Span {
    let pad = columns - text::width_within(name.as_str(), columns);
    Span::new(Text::of(&format!("{name}{} ", " ".repeat(pad))))
}

fn push(spans: &mut Vec<Span>, octets: Option<&[u8]>, link: Option<usize>, brush: &mut Brush) {
    if let Some(octets) = octets.filter(|octets| !octets.is_empty()) {
        let (text, paints) = brush.read(octets);
        spans.push(Span { text, link, paints });
    }
}
