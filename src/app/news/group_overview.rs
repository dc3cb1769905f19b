//! The part of a group's overview that a page has.

use geomys_page::document::ArticleNumbers;
use geomys_page::load::PageHead;

/// The part of a group's overview that a page has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupOverview {
    /// The numbers of the articles that the server has, as far as they exist.
    span: ArticleNumbers,
    /// The numbers of those that have arrived.
    pub(crate) covered: ArticleNumbers,
    /// The numbers of the cached articles, and of those that have not been read from the cache yet.
    cached: ArticleNumbers,
    pending: ArticleNumbers,
    /// True while more articles are loaded for a page that was complete.
    pub(crate) is_update: bool,
}

impl GroupOverview {
    /// Creates the state of an overview that begins to arrive.
    pub(crate) fn new(head: &PageHead) -> Self {
        Self {
            span: span(head),
            cached: head.known.clone(),
            pending: head.known.clone(),
            ..Self::default()
        }
    }

    /// Takes the numbers of the articles that the server has now.
    pub(crate) fn update(&mut self, head: &PageHead) {
        self.span = span(head);
    }

    /// Takes the articles with these numbers as arrived.
    pub(crate) fn arrived(&mut self, numbers: &ArticleNumbers) {
        self.covered.insert_all(numbers);
        self.pending.remove_all(numbers);
    }

    /// Returns true if the page is a group of a server.
    pub(crate) fn is_begun(&self) -> bool {
        !self.span.is_empty()
    }

    /// Returns true if the part that has arrived is worth caching though it is not complete: all that was cached is in it.
    pub(crate) fn is_worth_caching(&self) -> bool {
        self.pending.is_empty() && !self.covered.is_empty()
    }

    /// Returns true if all that has arrived came from the cache.
    pub(crate) fn is_cached(&self) -> bool {
        !self.covered.is_empty() && self.covered == self.cached
    }

    /// Returns the numbers of the articles that have not arrived.
    pub(crate) fn missing(&self) -> ArticleNumbers {
        let mut missing = self.span.clone();
        missing.remove_all(&self.covered);
        missing
    }

    /// Returns the number of the articles that have not arrived, about.
    pub fn older(&self) -> usize {
        usize::try_from(self.missing().count(1, u64::MAX)).unwrap_or(usize::MAX)
    }
}

/// The numbers of the articles that a server has, by the head of the page.
fn span(head: &PageHead) -> ArticleNumbers {
    match (head.lowest, head.highest) {
        (Some(lowest), Some(highest)) => ArticleNumbers::range(lowest.max(1), highest),
        (_, _) => ArticleNumbers::default(),
    }
}
