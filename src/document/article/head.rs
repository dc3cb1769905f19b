//! The headers of an article as rows. Groups, Message-IDs and URLs in them are links.

use std::ops::Range;

use crate::document::{Kind, Link, Row, RowSource, Span, plain};
use crate::text::{Charset, Text};
use crate::url::Url;

/// Makes the row of a header line.
pub(super) fn row(line: &[u8], source: RowSource<'_>) -> Row {
    let Some((name, value, kind)) = split_header(line) else {
        return Row::new(Kind::Header, Text::new(line, source.charset));
    };
    let span = |octets: &[u8], link| Span {
        link,
        ..Span::new(Text::new(octets, source.charset))
    };
    let mut row = match kind {
        HeaderLinks::None => Row::new(Kind::Header, Text::new(value, source.charset)),
        HeaderLinks::Urls => plain::row(Kind::Header, value, source.charset),
        HeaderLinks::Groups | HeaderLinks::Articles => {
            let mut row = Row::new(Kind::Header, Text::default());
            let mut links = 0;
            row.spans = words(value, kind)
                .into_iter()
                .map(|(word, is_link)| {
                    links += usize::from(is_link);
                    span(word, is_link.then(|| links - 1))
                })
                .collect();
            row
        }
    };
    row.spans.insert(0, span(name, None));
    row
}

/// The number of links in a header line.
pub(super) fn link_count(line: &[u8], source: RowSource<'_>) -> usize {
    match split_header(line) {
        None | Some((_, _, HeaderLinks::None)) => 0,
        Some((_, value, HeaderLinks::Urls)) => plain::link_count(value, source.charset),
        Some((_, value, kind @ (HeaderLinks::Groups | HeaderLinks::Articles))) => {
            let words = words(value, kind).into_iter();
            words.filter(|(_, is_link)| *is_link).count()
        }
    }
}

/// The links with these indices in a header line.
pub(super) fn links(line: &[u8], source: RowSource<'_>, indices: Range<usize>) -> Vec<Link> {
    let Some((_, value, kind)) = split_header(line) else {
        return Vec::new();
    };
    let target = |word: &[u8]| match kind {
        HeaderLinks::Articles => Url::news_article(word),
        HeaderLinks::Groups | HeaderLinks::None | HeaderLinks::Urls => {
            source.url.group_on_server(word)
        }
    };
    match kind {
        HeaderLinks::None => Vec::new(),
        HeaderLinks::Urls => plain::links(value, source.charset, indices),
        HeaderLinks::Groups | HeaderLinks::Articles => words(value, kind)
            .into_iter()
            .filter(|(_, is_link)| *is_link)
            .skip(indices.start)
            .take(indices.len())
            .map(|(word, _)| Link::new(Text::new(word, Charset::default()), target(word)))
            .collect(),
    }
}

/// The kind of links in a header's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HeaderLinks {
    None,
    Urls,
    Groups,
    Articles,
}

/// Splits a header line where its value begins.
fn split_header(line: &[u8]) -> Option<(&[u8], &[u8], HeaderLinks)> {
    let colon = memchr::memchr(b':', line)?;
    let kind = match line.get(..colon)?.to_ascii_lowercase().as_slice() {
        b"newsgroups" | b"followup-to" => HeaderLinks::Groups,
        b"references" | b"in-reply-to" | b"supersedes" => HeaderLinks::Articles,
        b"subject" => HeaderLinks::Urls,
        _ => HeaderLinks::None,
    };
    let blanks = line
        .get(colon + 1..)?
        .iter()
        .take_while(|&&octet| octet == b' ')
        .count();
    let (name, value) = line.split_at_checked(colon + 1 + blanks)?;
    Some((name, value, kind))
}

/// Splits a value into words and separators. The flag is true if the piece is a link.
fn words(value: &[u8], kind: HeaderLinks) -> Vec<(&[u8], bool)> {
    let parts = |octet: &u8| octet.is_ascii_whitespace() || *octet == b',';
    value
        .chunk_by(|a, b| {
            // In `<a@b><c@d>` no blank separates the two.
            let touches = kind == HeaderLinks::Articles && *a == b'>' && *b == b'<';
            parts(a) == parts(b) && !touches
        })
        .map(|word| {
            let is_word = !word.first().is_some_and(&parts);
            let is_link = match kind {
                HeaderLinks::Articles => word.first() == Some(&b'<') && word.contains(&b'@'),
                HeaderLinks::Groups => is_word && word != b"poster",
                HeaderLinks::None | HeaderLinks::Urls => false,
            };
            (word, is_link)
        })
        .collect()
}
