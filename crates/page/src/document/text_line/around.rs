//! URLs in brackets that run over several lines: `<URL:http://h.example/a` and `b>` on the next line (RFC 1738,
//! appendix).
//!
//! The part on each line is a link to the whole URL.

use std::ops::Range;

use geomys_wire::text::blank_sgr;
use rfc1738::boundary::FirstChar;
use rfc1738::{MAX_BRACKET_BYTES, UrlMatch, links_in_text};

use super::TextLink;

/// The maximum number of neighbouring lines on each side.
pub(in crate::document) const BRACKET_LINES: usize = 8;

/// The neighbouring lines of a line over which a URL in brackets runs, joined by line feeds; empty where there is none.
#[derive(Clone, Debug, Default)]
pub(in crate::document) struct Around {
    /// The lines before, from the opening bracket on, with their line ends.
    before: Vec<u8>,
    /// The lines after, up to the closing bracket.
    after: Vec<u8>,
}

impl Around {
    /// Finds the neighbours of line `number`; `line_at` returns a line by its number.
    pub(in crate::document) fn new<'a>(
        line: &[u8],
        number: usize,
        line_at: impl Fn(usize) -> Option<&'a [u8]>,
    ) -> Self {
        let bracket = |at: Option<usize>| Some(*line.get(at?)?);
        let opens = memchr::memrchr2(b'<', b'>', line);
        let is_open = bracket(opens) == Some(b'<');
        let is_closed = bracket(memchr::memchr2(b'<', b'>', line)) == Some(b'>');
        let is_inside = opens.is_none();
        let mut before = if is_closed || is_inside {
            before(number, &line_at)
        } else {
            None
        };
        let is_url = |at: Option<usize>| line.get(at?..).map(|rest| rest.contains(&b':'));
        let after = match &before {
            Some(_) if is_inside => after(number, &line_at),
            _ if is_open && is_url(opens) == Some(true) => after(number, &line_at),
            _ => None,
        };
        if is_inside && after.is_none() {
            before = None;
        }
        Self {
            before: before.unwrap_or_default(),
            after: after.unwrap_or_default(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    /// The URLs in a line between its neighbours, with their ranges in the line.
    pub(super) fn urls<'b>(
        &self,
        line: &[u8],
        first: FirstChar<'_>,
    ) -> Vec<(Range<usize>, TextLink<'b>)> {
        let text = self.joined(line);
        let at = self.before.len();
        let urls = links_in_text(&text).with_charset(first).filter_map(|url| {
            let range = url.range.start.max(at)..url.range.end.min(at + line.len());
            let part = text.get(range.clone()).filter(|part| !part.is_empty())?;
            // The indentation of a line is not part of the link.
            let blanks = part.len() - part.trim_ascii_start().len();
            let range = range.start + blanks - at..range.end - at;
            (!range.is_empty()).then(|| (range, TextLink::Url(url.owned())))
        });
        urls.collect()
    }

    /// Returns true if the first URL in a line began in a line before.
    pub(super) fn is_continued(&self, line: &[u8], first: FirstChar<'_>) -> bool {
        let at = self.before.len();
        let is_over = |url: UrlMatch<'_>| url.range.start < at && url.range.end > at;
        at > 0
            && links_in_text(&self.joined(line))
                .with_charset(first)
                .any(is_over)
    }

    /// A line between its neighbours, without colours.
    fn joined(&self, line: &[u8]) -> Vec<u8> {
        let (before, after) = (blank_sgr(&self.before), blank_sgr(&self.after));
        [&*before, line, b"\n", &*after].concat()
    }
}

/// The lines before, from the last opening bracket on; nothing where that one is closed.
fn before<'a>(number: usize, line_at: impl Fn(usize) -> Option<&'a [u8]>) -> Option<Vec<u8>> {
    let mut length = 0;
    for first in (0..number).rev().take(BRACKET_LINES) {
        let line = line_at(first)?;
        let bracket = memchr::memrchr2(b'<', b'>', line);
        let own = line.get(bracket.unwrap_or(0)..)?;
        length += own.len() + 1;
        if length > MAX_BRACKET_BYTES {
            return None;
        }
        if bracket.is_some() {
            let is_url = own.starts_with(b"<") && own.contains(&b':');
            let lines = (first + 1..number).filter_map(line_at);
            let lines: Vec<&[u8]> = std::iter::once(own).chain(lines).collect();
            return is_url.then(|| [lines.join(b"\n".as_slice()), b"\n".to_vec()].concat());
        }
    }
    None
}

/// The lines after, up to the first closing bracket; nothing where another bracket opens before.
fn after<'a>(number: usize, line_at: impl Fn(usize) -> Option<&'a [u8]>) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    for number in (number + 1..).take(BRACKET_LINES) {
        let line = line_at(number)?;
        let bracket = memchr::memchr2(b'<', b'>', line);
        let end = bracket.map_or(line.len(), |at| at + 1);
        text.extend_from_slice(line.get(..end)?);
        if text.len() > MAX_BRACKET_BYTES {
            return None;
        }
        match bracket.and_then(|at| line.get(at)) {
            Some(b'>') => return Some(text),
            Some(_) => return None,
            None => text.push(b'\n'),
        }
    }
    None
}
