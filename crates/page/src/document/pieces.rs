//! Pieces of a long page, each of which is read as a page: the layout of HTML takes many times the memory of its
//! octets.

use std::borrow::Cow;
use std::iter;

use memchr::memmem;

use super::shape::Shape;

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

/// The octets of a piece of a page of lines.
const LINES: usize = 4 * 1024 * 1024;

/// Splits a page into pieces. Those of HTML end with an element and begin with the head of the page; those of a page
/// of lines end with a line. Other pages are one piece.
pub fn pieces(shape: Shape, octets: &[u8]) -> impl Iterator<Item = Cow<'_, [u8]>> {
    let is_ascii_like = !octets.iter().take(2).any(|&octet| octet >= 0xfe);
    let end: fn(&[u8]) -> usize = match shape {
        Shape::Html if is_ascii_like => end_of_element,
        Shape::Text | Shape::Menu | Shape::Gemtext | Shape::Groups | Shape::Group
            if is_ascii_like =>
        {
            end_of_line
        }
        _ => <[u8]>::len,
    };
    let head = if shape == Shape::Html {
        head_of(octets)
    } else {
        &[]
    };
    let mut rest = Some(octets);
    iter::from_fn(move || {
        let left = rest?;
        let (piece, after) = left.split_at(end(left));
        rest = (!after.is_empty()).then_some(after);
        Some(if left.len() == octets.len() || head.is_empty() {
            Cow::Borrowed(piece)
        } else {
            Cow::Owned([head, piece].concat())
        })
    })
}

/// Returns the length of the next piece of lines.
fn end_of_line(rest: &[u8]) -> usize {
    let piece = rest.get(..LINES);
    let end = piece.and_then(|piece| memchr::memrchr(b'\n', piece));
    end.map_or(rest.len(), |end| end + 1)
}

/// Returns the beginning of a page up to the end of its head, which has its charset and its base; empty without one.
fn head_of(octets: &[u8]) -> &[u8] {
    let start = octets.get(..MAX_HEAD).unwrap_or(octets);
    let lower = start.to_ascii_lowercase();
    let is_visible = |end: &usize| {
        let before = lower.get(..*end).unwrap_or_default();
        HIDDEN.iter().all(|(begin, end)| {
            let open = memmem::rfind(before, begin).and_then(|at| before.get(at..));
            open.is_none_or(|open| memmem::find(open, end).is_some())
        })
    };
    // Each is looked at with all before it.
    let mut ends = memmem::find_iter(&lower, b"</head>").take(16);
    let end = ends.find(is_visible);
    end.and_then(|end| start.get(..end)).unwrap_or_default()
}

/// Returns the length of the next piece: up to the end of an element, outside of scripts and comments.
fn end_of_element(rest: &[u8]) -> usize {
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
