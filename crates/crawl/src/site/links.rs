//! Links of pages, which a mirror and a sync follow. A long page of HTML is read in pieces, as its layout takes many
//! times the memory of its octets.

use geomys_load::check::ReceivedPage;
use geomys_page::document::{Kind, Shape};
use memchr::memmem;
use rfc1738::Url;

/// The octets of a piece, without the head of its page.
const PIECE: usize = 128 * 1024;

/// The octets in which the head of a page is looked for.
const MAX_HEAD: usize = 64 * 1024;

/// What a piece may end with.
const ENDS: [&[u8]; 5] = [b"</tr>", b"</li>", b"</p>", b"</div>", b"</a>"];

/// What hides links, and its end.
const HIDDEN: [(&[u8], &[u8]); 5] = [
    (b"<!--", b"-->"),
    (b"<script", b"</script"),
    (b"<style", b"</style"),
    (b"<textarea", b"</textarea"),
    (b"<template", b"</template"),
];

/// Returns true for a kind of page whose links are followed.
pub(crate) fn has_links(kind: Result<Shape, Kind>) -> bool {
    matches!(
        kind,
        Ok(Shape::Menu | Shape::Gemtext | Shape::Html | Shape::Feed)
    )
}

/// Returns the links of a page. Takes time for a long one.
pub(crate) fn links_of(page: ReceivedPage, url: &Url) -> Vec<Url> {
    let kind = page.kind(url);
    if !has_links(kind) || !page.is_text() {
        return Vec::new();
    }
    let is_ascii_like = !page.octets.iter().take(2).any(|&octet| octet >= 0xfe);
    if kind != Ok(Shape::Html) || !is_ascii_like {
        return links_of_piece(&page, url);
    }
    let ReceivedPage { head, octets, .. } = page;
    let (mut links, mut rest) = (Vec::new(), octets.as_slice());
    let top = top_of(&octets);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(end_of_piece(rest));
        let is_first = rest.len() == octets.len();
        let piece = ReceivedPage {
            head: head.clone(),
            octets: if is_first {
                piece.to_vec()
            } else {
                [top, piece].concat()
            },
            cut: None,
            is_whole: true,
        };
        links.extend(links_of_piece(&piece, url));
        rest = after;
    }
    links
}

fn links_of_piece(page: &ReceivedPage, url: &Url) -> Vec<Url> {
    let document = page.document(url);
    let rows = 0..document.count();
    let links = rows.flat_map(|row| document.starting_links(row));
    let links = links.filter(|link| link.form.is_none());
    let urls = links.filter_map(|link| link.target.ok());
    urls.map(|url| url.without_fragment()).collect()
}

/// Returns the beginning of a page up to the end of its head, which has its charset and its base; empty without one.
fn top_of(octets: &[u8]) -> &[u8] {
    let start = octets.get(..MAX_HEAD).unwrap_or(octets);
    let end = memmem::find(&start.to_ascii_lowercase(), b"</head>");
    end.and_then(|end| start.get(..end)).unwrap_or_default()
}

/// Returns the length of the next piece: up to the end of an element, outside of scripts and comments.
fn end_of_piece(rest: &[u8]) -> usize {
    let mut size = PIECE;
    loop {
        let Some(piece) = rest.get(..size) else {
            return rest.len();
        };
        let lower = piece.to_ascii_lowercase();
        let hidden = HIDDEN.iter().filter_map(|(begin, end)| {
            let begin = memmem::rfind(&lower, begin)?;
            let is_open = memmem::find(lower.get(begin..)?, end).is_none();
            is_open.then_some(begin)
        });
        let visible = hidden.min().unwrap_or(piece.len());
        let ends = ENDS.iter().filter_map(|end| {
            let at = memmem::rfind(lower.get(..visible)?, end)?;
            Some(at + end.len())
        });
        match ends.max() {
            Some(end) => return end,
            None => size *= 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use geomys_load::{PageHead, ServerFileName};
    use rfc1738::Dialect;

    use super::*;

    #[test]
    fn long_page_has_the_links_of_all_its_pieces_and_none_of_its_comments() {
        let rows = |from: usize| {
            let rows =
                (from..from + 10_000).map(|number| format!("<li><a href=p{number}>x</a></li>\n"));
            rows.collect::<String>()
        };
        let hidden = format!(
            "<!--{}-->",
            "<li><a href=hidden>x</a></li>\n".repeat(20_000)
        );
        let page = format!(
            "<html><head><base href='/base/'><title>t</title></head><ul>{}{hidden}{}</ul>",
            rows(0),
            rows(10_000)
        );
        let page = ReceivedPage {
            head: PageHead {
                file_name: ServerFileName {
                    media_type: Some("text/html".to_owned()),
                    ..ServerFileName::default()
                },
                ..PageHead::new(Shape::Text)
            },
            octets: page.into_bytes(),
            cut: None,
            is_whole: true,
        };
        let url = Dialect::Extended.parse("http://h.example/x/").unwrap();
        let links = links_of(page, &url);
        assert_eq!(links.len(), 20_000);
        for number in [0, 9_999, 10_000, 19_999] {
            let expected = format!("http://h.example/base/p{number}");
            assert_eq!(links[number].as_str(), expected);
        }
    }
}
