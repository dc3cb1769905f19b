//! The overview of a group on a page: the part that has arrived, and the requests for more of it.

use crate::app::tabs::page::Page;
use crate::document::{ArticleNumbers, Document, Shape};
use crate::load::PageHead;

/// The part of a group's overview that a page has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupOverview {
    /// The numbers of the articles that the server has, as far as they exist.
    span: ArticleNumbers,
    /// The numbers of those that have arrived.
    covered: ArticleNumbers,
    /// The numbers of the cached articles that have not been read yet.
    pending: ArticleNumbers,
}

impl GroupOverview {
    /// Creates the state of an overview that begins to arrive.
    pub(crate) fn new(head: &PageHead) -> Self {
        let span = match (head.lowest, head.highest) {
            (Some(lowest), Some(highest)) => ArticleNumbers::range(lowest.max(1), highest),
            (_, _) => ArticleNumbers::default(),
        };
        Self {
            span,
            covered: ArticleNumbers::default(),
            pending: head.known.clone(),
        }
    }

    /// Takes the articles with these numbers as arrived.
    pub(crate) fn arrived(&mut self, numbers: &ArticleNumbers) {
        self.covered.insert_all(numbers);
        self.pending.remove_all(numbers);
    }
}

impl Page {
    /// Appends octets to the document. Rows of an overview that arrives may come above others: the cursor stays on its
    /// article, except at the top of the page.
    pub(crate) fn take_octets(&mut self, octets: Vec<u8>) {
        let Some(document) = self.content.document_mut() else {
            return;
        };
        let is_overview = document.shape() == Shape::Group && document.order().is_none();
        let (cursor, top) = (self.position.cursor, self.position.top.0);
        if !is_overview || cursor == 0 && top == 0 {
            return document.take(octets);
        }
        let [at_cursor, at_top] = [cursor, top].map(|row| document.origin(row));
        document.take(octets);
        let row = |document: &Document, origin| document.row_of(origin);
        let moved = at_cursor.and_then(|origin| row(document, origin));
        self.position.cursor = moved.unwrap_or(cursor);
        let moved = at_top.and_then(|origin| row(document, origin));
        self.position.top.0 = moved.unwrap_or(top);
    }
}
