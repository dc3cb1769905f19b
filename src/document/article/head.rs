//! The headers of an article as rows: groups, other articles and URLs in them are links.

use std::ops::Range;

use crate::document::{Kind, Link, Row, Source, Span, plain};
use crate::text::{Charset, Text};
use crate::url::Url;

/// A row of the head.
pub(super) fn row(line: &[u8], source: Source<'_>) -> Row {
    let Some((name, value, sort)) = named(line) else {
        return Row::new(Kind::Header, Text::new(line, source.charset));
    };
    let span = |octets: &[u8], link| Span {
        link,
        ..Span::new(Text::new(octets, source.charset))
    };
    let mut row = match sort {
        Names::Nothing => Row::new(Kind::Header, Text::new(value, source.charset)),
        Names::Urls => plain::row(Kind::Header, value, source.charset),
        Names::Groups | Names::Articles => {
            let mut row = Row::new(Kind::Header, Text::default());
            let mut links = 0;
            row.spans = words(value, sort)
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

/// How many links such a row has.
pub(super) fn link_count(line: &[u8], source: Source<'_>) -> usize {
    match named(line) {
        None | Some((_, _, Names::Nothing)) => 0,
        Some((_, value, Names::Urls)) => plain::link_count(value, source.charset),
        Some((_, value, sort @ (Names::Groups | Names::Articles))) => {
            let words = words(value, sort).into_iter();
            words.filter(|(_, is_link)| *is_link).count()
        }
    }
}

/// The links of such a row, as far as they are wanted.
pub(super) fn links(line: &[u8], source: Source<'_>, which: Range<usize>) -> Vec<Link> {
    let Some((_, value, sort)) = named(line) else {
        return Vec::new();
    };
    let target = |word: &[u8]| match sort {
        Names::Articles => Url::news_article(word),
        Names::Groups | Names::Nothing | Names::Urls => source.url.group_there(word),
    };
    match sort {
        Names::Nothing => Vec::new(),
        Names::Urls => plain::links(value, source.charset, which),
        Names::Groups | Names::Articles => words(value, sort)
            .into_iter()
            .filter(|(_, is_link)| *is_link)
            .skip(which.start)
            .take(which.len())
            .map(|(word, _)| Link::new(Text::new(word, Charset::default()), target(word)))
            .collect(),
    }
}

/// What the words of a header's value name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    Nothing,
    Urls,
    Groups,
    Articles,
}

/// A row of the head, split where its value begins.
fn named(line: &[u8]) -> Option<(&[u8], &[u8], Names)> {
    let colon = memchr::memchr(b':', line)?;
    let sort = match line.get(..colon)?.to_ascii_lowercase().as_slice() {
        b"newsgroups" | b"followup-to" => Names::Groups,
        b"references" | b"in-reply-to" | b"supersedes" => Names::Articles,
        b"subject" => Names::Urls,
        _ => Names::Nothing,
    };
    let blanks = line
        .get(colon + 1..)?
        .iter()
        .take_while(|&&octet| octet == b' ')
        .count();
    let (name, value) = line.split_at_checked(colon + 1 + blanks)?;
    Some((name, value, sort))
}

/// A value as words and what stands between them; whether a piece is a link.
fn words(value: &[u8], sort: Names) -> Vec<(&[u8], bool)> {
    let parts = |octet: &u8| octet.is_ascii_whitespace() || *octet == b',';
    value
        .chunk_by(|a, b| {
            // In `<a@b><c@d>` no blank tells two apart.
            let touches = sort == Names::Articles && *a == b'>' && *b == b'<';
            parts(a) == parts(b) && !touches
        })
        .map(|word| {
            let is_word = !word.first().is_some_and(&parts);
            let is_link = match sort {
                Names::Articles => word.first() == Some(&b'<') && word.contains(&b'@'),
                Names::Groups => is_word && word != b"poster",
                Names::Nothing | Names::Urls => false,
            };
            (word, is_link)
        })
        .collect()
}
