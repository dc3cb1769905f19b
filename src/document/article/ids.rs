//! Links in the text of an article: URLs and Message-IDs (RFC 5536, section 3.1.3).
//!
//! ```text
//! msg-id   = "<" id-left "@" id-right ">"         ; 250 octets at most
//! id-left  = dot-atom-text
//! id-right = dot-atom-text / "[" *mdtext "]"
//! ```
//!
//! A mailbox behind a name has the same form, and is far more common. So text is recognised as a Message-ID only
//!
//! - behind `news`, `article`, `Message-ID`, `msgid` or `msg-id`, with a colon, blanks or neither between; or
//! - where the part before its `@` is longer than 12 octets and contains a digit, unless it follows a name: a quotation
//!   mark, or a capitalised word that is not the first of its line.

use std::ops::Range;

use super::plain;
use crate::document::{Kind, Link, Row};
use crate::text::{Charset, Text, blank_sgr};
use crate::url::Url;
use crate::url::boundary::FirstChar;
use crate::url::context::{self, UrlMatch};

/// The longest Message-ID, brackets included, in octets.
const LONGEST: usize = 250;

/// The maximum number of octets of the word before an ID that are examined: no name is longer.
const WORD: usize = 256;

/// The maximum length of a part before the `@` that may be a person's name, in octets.
const NAME: usize = 12;

/// The words that announce a Message-ID.
const WORDS: [&[u8]; 5] = [b"news", b"article", b"message-id", b"msgid", b"msg-id"];

/// Makes the row of a line of text, with its URLs and Message-IDs as links.
pub(super) fn row(kind: Kind, line: &[u8], charset: Charset) -> Row {
    if memchr::memchr(b'@', line).is_none() {
        return plain::row(kind, line, charset);
    }
    let (clean, first) = (blank_sgr(line), plain::first_char(charset));
    let ranges = found(&clean, &first).into_iter().map(|(range, _)| range);
    plain::linked(kind, line, charset, ranges)
}

/// The links with these indices in a line.
pub(super) fn links(line: &[u8], charset: Charset, indices: Range<usize>) -> Vec<Link> {
    if memchr::memchr(b'@', line).is_none() {
        return plain::links(line, charset, indices);
    }
    let (line, first) = (blank_sgr(line), plain::first_char(charset));
    let found = found(&line, &first).into_iter();
    found
        .skip(indices.start)
        .take(indices.len())
        .map(|(range, found)| match found {
            Some(url) => plain::link(url),
            None => {
                let id = line.get(range).unwrap_or_default();
                Link::new(Text::new(id, Charset::default()), Url::news_article(id))
            }
        })
        .collect()
}

/// The number of links in a line.
pub(super) fn link_count(line: &[u8], charset: Charset) -> usize {
    if memchr::memchr(b'@', line).is_none() {
        return plain::link_count(line, charset);
    }
    found(&blank_sgr(line), &plain::first_char(charset)).len()
}

/// Finds the links in a line without colours, in their order: URLs and, as `None`, Message-IDs.
fn found<'a>(line: &'a [u8], first: FirstChar<'a>) -> Vec<(Range<usize>, Option<UrlMatch<'a>>)> {
    let mut found = Vec::new();
    let mut urls = context::urls_in(line, first).peekable();
    let mut at = 0;
    for range in ids(line) {
        while let Some(url) = urls.next_if(|url| url.range.start < range.end) {
            at = url.range.end;
            found.push((url.range.clone(), Some(url)));
        }
        // A Message-ID inside a URL is not a separate link.
        if at <= range.start {
            found.push((range, None));
        }
    }
    found.extend(urls.map(|url| (url.range.clone(), Some(url))));
    found
}

/// The ranges of Message-IDs in a line.
fn ids(line: &[u8]) -> impl Iterator<Item = Range<usize>> {
    memchr::memchr_iter(b'<', line).filter_map(|start| {
        let rest = line.get(start + 1..)?;
        let rest = rest.get(..LONGEST - 1).unwrap_or(rest);
        let id = rest.get(..memchr::memchr2(b'<', b'>', rest)?)?;
        let end = start + 1 + id.len();
        if line.get(end) != Some(&b'>') {
            return None;
        }
        let at = memchr::memchr(b'@', id)?;
        let (left, right) = (id.get(..at)?, id.get(at + 1..)?);
        let before = line.get(..start)?;
        let is_valid = is_dot_atom(left) && is_domain(right);
        (is_valid && (is_announced(before) || is_generated(left) && !is_behind_a_name(before)))
            .then_some(start..end + 1)
    })
}

/// Returns true if the text is a `dot-atom-text`, as `a.b`.
fn is_dot_atom(text: &[u8]) -> bool {
    let is_sign =
        |octet: &u8| octet.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(octet);
    text.split(|octet| *octet == b'.')
        .all(|atom| !atom.is_empty() && atom.iter().all(is_sign))
}

/// Returns true if the text is an `id-right`.
fn is_domain(text: &[u8]) -> bool {
    match text {
        [b'[', inside @ .., b']'] => inside
            .iter()
            .all(|octet| octet.is_ascii_graphic() && !b"[]\\<>".contains(octet)),
        _ => is_dot_atom(text),
    }
}

/// Returns true if the word before announces a Message-ID.
fn is_announced(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    let before = before.strip_suffix(b":").unwrap_or(before);
    WORDS.iter().any(|word| {
        let split = before.len().checked_sub(word.len());
        split
            .and_then(|at| before.split_at_checked(at))
            .is_some_and(|(rest, end)| {
                end.eq_ignore_ascii_case(word)
                    && !rest.last().is_some_and(u8::is_ascii_alphanumeric)
            })
    })
}

/// Returns true if the text was probably generated by a program, not chosen by a person.
fn is_generated(left: &[u8]) -> bool {
    left.len() > NAME && left.iter().any(u8::is_ascii_digit)
}

/// Returns true if the text before is probably the name of a mailbox's owner.
fn is_behind_a_name(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    let blank = |octet: &u8| octet.is_ascii_whitespace();
    // In a line without blanks every ID would otherwise examine the whole line before it.
    let near = before
        .get(before.len().saturating_sub(WORD)..)
        .unwrap_or(before);
    let word = near.rsplit(blank).next().unwrap_or_default();
    let rest = before.get(..before.len() - word.len()).unwrap_or_default();
    let is_first = rest.iter().all(|octet| blank(octet) || *octet == b'>');
    let is_capital = word.first().is_some_and(u8::is_ascii_uppercase);
    word.ends_with(b"\"") || is_capital && !is_first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links_in(line: &str) -> Vec<String> {
        let links = links(line.as_bytes(), Charset::default(), 0..usize::MAX).into_iter();
        links
            .map(|link| link.target.unwrap().as_str().to_owned())
            .collect()
    }

    #[test]
    fn message_ids_are_distinguished_from_mailboxes() {
        for (line, expected) in [
            // Announced, however short.
            ("see news:<a@b>", "news:a@b"),
            ("In article <1@x.org>, Ada wrote:", "news:1@x.org"),
            ("> MESSAGE-ID: <a.b@c>", "news:a.b@c"),
            ("(msgid <a@[10.0.0.1]>)", "news:a@%5B10.0.0.1%5D"),
            ("Msg-ID:<a@b>", "news:a@b"),
            // Made by a program.
            (
                "In <1994Mar14.093000.12@x.org> you say",
                "news:1994Mar14.093000.12@x.org",
            ),
            (
                "as in <slrnabc123.4f.ada@x.org>.",
                "news:slrnabc123.4f.ada@x.org",
            ),
            (
                "<v2abcde$1f7$1@news.x.org>",
                "news:v2abcde$1f7$1@news.x.org",
            ),
            ("> See <9k3l5m7n9p1q3@x>", "news:9k3l5m7n9p1q3@x"),
            // Two, and a URL between them.
            (
                "article <a@b>, gopher://h/, article <c@d>",
                "news:a@b gopher://h/ news:c@d",
            ),
            // A person's mailbox.
            ("Ada <ada@x.org> wrote:", ""),
            ("mail me <ada1815@x.org>", ""),
            ("Ada Lovelace <ada.lovelace.1815@x.org>", ""),
            ("\"ada\" <ada.lovelace.1815@x.org>", ""),
            ("<ada.lovelace.byron@x.org>", ""),
            ("particle <a@b>", ""),
            // Not a valid Message-ID.
            ("article <a b@c>", ""),
            ("article <a@b@c>", ""),
            ("article <a..b@c>", ""),
            ("article <@b>", ""),
            ("article <a@>", ""),
            ("article <a@b", ""),
            ("article <a@<b>", ""),
            // A part of a URL.
            (
                "<URL:news:1994Mar14.093000.12@x.org>",
                "news:1994Mar14.093000.12@x.org",
            ),
        ] {
            assert_eq!(links_in(line).join(" "), expected, "{line}");
        }
        let long = format!("article <{}@b>", "a".repeat(246));
        assert_eq!(links_in(&long).len(), 1);
        let longer = format!("article <{}@b>", "a".repeat(247));
        assert_eq!(links_in(&longer).len(), 0);
    }

    proptest::proptest! {
        #[test]
        fn rows_and_links_agree(line in "[<>@a1.: ]{0,40}|(article )?<[a-z0-9.@<> ]{0,30}>") {
            let line = line.as_bytes();
            let row = row(Kind::Plain, line, Charset::default());
            let links: Vec<usize> = row.spans.iter().filter_map(|span| span.link).collect();
            proptest::prop_assert_eq!(links, (0..link_count(line, Charset::default())).collect::<Vec<_>>());
            let whole: String = row.spans.iter().map(|span| span.text.as_str()).collect();
            proptest::prop_assert_eq!(whole.as_bytes(), line);
        }
    }
}
