//! Web pages in an article: its parts of type text/html, laid out as pages are.

use std::ops::Range;

use rfc1738::Url;

use crate::document::raw::LineBuffer;
use crate::document::row::{Link, Row};
use crate::document::web::{self, PageLayout};

/// A web page among the decoded lines of an article.
#[derive(Debug)]
pub(super) struct ArticlePage {
    layout: PageLayout,
    /// The first piece of each line of the layout, and the piece after the last one.
    starts: Vec<usize>,
    /// True if the page has the character U+FFFD, or a reference to it.
    has_replacement: bool,
}

impl ArticlePage {
    /// Lays out a page for a pane of this many columns, and appends its lines to the decoded ones.
    pub(super) fn append_to(raw: &mut LineBuffer, page: &str, columns: Option<usize>) -> Self {
        let layout = web::lay_out_html(page, columns);
        let mut starts = Vec::with_capacity(layout.raw.lines() + 1);
        for number in 0..layout.raw.lines() {
            starts.push(raw.pieces());
            raw.append(layout.raw.line(number).unwrap_or_default());
            raw.append(b"\n");
        }
        starts.push(raw.pieces());
        let references = [b"65533".as_slice(), b"fffd", b"FFFD"];
        let refers = |name: &&[u8]| memchr::memmem::find(page.as_bytes(), name).is_some();
        Self {
            layout,
            starts,
            has_replacement: page.contains(char::REPLACEMENT_CHARACTER)
                || references.iter().any(refers),
        }
    }

    /// Returns true if the page has the character U+FFFD, or a reference to it.
    pub(super) fn has_replacement(&self) -> bool {
        self.has_replacement
    }

    /// Returns true if the lines depend on the columns of the pane.
    pub(super) fn has_tables(&self) -> bool {
        self.layout.has_tables
    }

    /// The columns of the longest preformatted line.
    pub(super) fn preformatted_columns(&self) -> usize {
        self.layout.preformatted
    }

    /// The memory use, in octets.
    pub(super) fn memory(&self) -> usize {
        self.layout.raw.memory() + self.starts.len() * size_of::<usize>()
    }

    /// The first of its pieces among the decoded lines.
    pub(super) fn first(&self) -> usize {
        self.starts.first().copied().unwrap_or_default()
    }

    /// The line of the layout that a piece shows in full; nothing for other pieces.
    pub(super) fn line_of(&self, piece: usize) -> Option<usize> {
        let line = self.starts.binary_search(&piece).ok()?;
        let next = self.starts.get(line + 1)?;
        (*next == piece + 1).then_some(line)
    }

    /// Makes the row of a line.
    pub(super) fn row(&self, line: usize) -> Option<Row> {
        self.layout.row(line, &self.layout.forms)
    }

    /// The links of a line with these indices. References are relative to the base that the page states, else to the
    /// URL of the article.
    pub(super) fn links(&self, line: usize, article: &Url, indices: Range<usize>) -> Vec<Link> {
        let stated = self.layout.base_url(article);
        self.layout.links(
            line,
            stated.as_ref().unwrap_or(article),
            &self.layout.forms,
            indices,
        )
    }

    /// The number of links in a line.
    pub(super) fn link_count(&self, line: usize) -> usize {
        self.layout.anchors(line).len()
    }
}
