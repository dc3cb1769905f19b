//! The filter words of the bookmarks, and the search for their matches.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use geomys_store::bookmarks::{Bookmarks, FuzzyIndex, Query, QueryError, StateMatcher};

use crate::WorkId;

/// The filter words, and the bookmarks that match them.
#[derive(Clone, Debug, Default)]
pub struct BookmarkFilter {
    /// The typed text.
    pub typed: String,
    /// The parsed query; blank if it has an error.
    pub query: Query,
    /// The error of the typed text, which nothing matches.
    pub error: Option<QueryError>,
    /// The indices of the matches of the last search, the best first.
    pub found: Arc<Vec<usize>>,
    /// The query of that search; `None` after a change of the file.
    pub(super) by: Option<Query>,
    /// The search index of the bookmarks.
    pub(super) searched: Option<Arc<FuzzyIndex>>,
    /// The running search.
    pub(crate) work: Option<WorkId>,
    /// True while the search index is built before the first letter is typed.
    pub(super) is_early: bool,
    /// The item to show after the running search.
    pub(super) awaited: Option<usize>,
    /// The item that was edited last, and its row: it stays until the words change, though it may not match any more.
    edited: Option<(usize, usize)>,
    /// The time of the last search caused by new check results.
    pub(super) refreshed: Duration,
}

impl BookmarkFilter {
    /// Returns true after a search for typed words, with or without matches.
    pub fn is_on(&self) -> bool {
        !self.is_blank() && (self.by.is_some() || self.error.is_some())
    }

    /// Sets the query, or the error of the typed text.
    pub(super) fn set_query(&mut self, query: Result<Query, QueryError>) {
        match query {
            Ok(query) => {
                self.query = query;
                self.error = None;
            }
            Err(error) => {
                self.query = Query::default();
                self.error = Some(error);
                self.by = None;
                self.found = Arc::default();
                self.work.take_if(|_| !self.is_early);
            }
        }
    }

    /// Returns true if no words are typed.
    pub(super) fn is_blank(&self) -> bool {
        self.typed.trim().is_empty()
    }

    /// Clears the words and the matches, and keeps the search index.
    pub(super) fn cleared(self) -> Self {
        Self {
            searched: self.searched,
            work: self.work.filter(|_| self.is_early),
            is_early: self.is_early,
            ..Self::default()
        }
    }

    /// Drops the search index after a change of the file; `found` are the remaining matches.
    pub(crate) fn outdate(&mut self, found: Vec<usize>) {
        self.found = Arc::new(found);
        self.searched = None;
        self.work = None;
        self.awaited = None;
        self.edited = None;
        self.is_early = false;
    }

    /// Keeps an edited item in its row until the words change, so that the next key works on it.
    pub(super) fn keep(&mut self, item: usize, row: usize) {
        self.edited = Some((item, row));
        self.show_edited();
    }

    fn show_edited(&mut self) {
        if let Some((item, row)) = self.edited
            && !self.found.contains(&item)
        {
            let found = Arc::make_mut(&mut self.found);
            found.insert(row.min(found.len()), item);
        }
    }

    /// Sets the result of a search. Returns true if its query is another one than before.
    pub(super) fn set_result(&mut self, result: BookmarkSearchResult) -> bool {
        let is_new = self.by != result.query;
        self.by = result.query;
        self.searched = Some(result.searched);
        self.found = Arc::new(result.found);
        if is_new {
            self.edited = None;
        }
        self.show_edited();
        is_new
    }
}

/// A search that can run in a blocking task.
#[derive(Clone, Debug)]
pub struct BookmarkSearch {
    /// The bookmarks to search.
    pub bookmarks: Bookmarks,
    /// The search index of the bookmarks, if it already exists.
    pub searched: Option<Arc<FuzzyIndex>>,
    /// The query; `None` only builds the search index.
    pub query: Option<Query>,
    /// The indices of the only bookmarks to search; `None` for all.
    pub among: Option<Arc<Vec<usize>>>,
    /// The matcher for words about the link check state.
    pub link_status: LinkStatusMatcher,
}

/// A matcher of filter words such as `is:dead` with the link check state of a bookmark.
#[derive(Clone)]
pub struct LinkStatusMatcher(pub(crate) Arc<StateMatcher<'static>>);

/// Nothing is known of any bookmark.
impl Default for LinkStatusMatcher {
    fn default() -> Self {
        Self(Arc::new(|_, _| false))
    }
}

impl fmt::Debug for LinkStatusMatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinkStatusMatcher")
    }
}

impl BookmarkSearch {
    /// Runs the search.
    pub fn run(self) -> BookmarkSearchResult {
        let searched = self
            .searched
            .unwrap_or_else(|| Arc::new(FuzzyIndex::new(&self.bookmarks)));
        let among = self.among.as_ref().map(|among| among.as_slice());
        let found = self.query.as_ref().map_or(Vec::new(), |query| {
            searched.find(query, among, &*self.link_status.0)
        });
        BookmarkSearchResult {
            searched,
            query: self.query,
            found,
        }
    }
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct BookmarkSearchResult {
    pub(super) searched: Arc<FuzzyIndex>,
    pub(super) query: Option<Query>,
    pub(super) found: Vec<usize>,
}
