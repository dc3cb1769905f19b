//! Full-text search over all copies: cached pages, pages saved for later, and titles of bookmarks and visits. There is
//! no index: the texts of the copies are scanned in parallel, those that were used last first.
//!
//! Searched is the text of a page as the browser shows it: in its charset, without tags, with the bodies of messages
//! decoded. It is stored beside the copy. Case, vowel points and the marks of Latin letters do not count, unless a word
//! is typed with such a mark.

mod query;
mod scan;
mod titles;

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use geomys_wire::text::CharsetSetting;
use jiff::Timestamp;
use rfc1738::Url;

use self::query::PageFacts;
pub use self::query::{QueryError, QueryFault, SearchQuery};
use self::scan::{Buffers, Found};
pub use self::titles::{Titles, title_hit, title_hits};
use crate::files::cache::{Cache, PageFile, ShownText};

/// The maximum number of threads.
const MAX_THREADS: usize = 8;

/// A page with the words of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHit {
    /// The URL of the page.
    pub url: Url,
    /// The URL under which its copy is stored: that of the request. They differ where a server redirects.
    pub key: Url,
    /// Its title; empty if it has none.
    pub title: String,
    /// The time of publication, else when the copy came; without a copy that of the bookmark or visit. `None` if it is
    /// not known.
    pub date: Option<Timestamp>,
    /// The line of the best hit, or a part of it; empty if only the title was searched.
    pub line: String,
    /// The number of hits in the page.
    pub count: usize,
    /// True if a word is found in longer words only.
    pub is_part: bool,
    /// How well the page matches.
    pub rank: Rank,
}

/// How well a page matches; the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// All words are in the title.
    Title,
    /// All words are in the label of one link.
    Link,
    /// All words are in one paragraph.
    Near,
    /// The words are in the page.
    Far,
}

/// Orders hits: those with whole words first, then the better ones, of equals the newer ones.
pub fn sort(hits: &mut [SearchHit]) {
    hits.sort_by(|a, b| (a.is_part, a.rank, b.date).cmp(&(b.is_part, b.rank, a.date)));
}

/// What a search has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchSummary {
    /// The number of copies.
    pub copies: usize,
    /// The number of copies that could not be read.
    pub failed: usize,
}

/// The copies that are searched, and what is known of them.
#[derive(Clone, Copy)]
pub struct SearchedCopies<'a> {
    /// The cache, with the pages that are saved for later.
    pub cache: &'a Cache,
    /// The charset of pages that do not declare theirs.
    pub charset: CharsetSetting,
    /// Returns true if the user has not read the page of a URL. It is asked if [`SearchQuery::asks_unread`].
    pub is_unread: &'a (dyn Fn(&Url) -> bool + Sync),
}

/// Searches all copies. Calls `found` once for each page with the words: first for `titles`, the bookmarks and visits
/// with the words in their title, then for the copies, on several threads, those that were used last first. Changes no
/// copy and no time; makes the texts that are missing. Blocks until all are read or `stop` is set.
pub fn search(
    copies: &SearchedCopies<'_>,
    query: &SearchQuery,
    titles: Titles,
    stop: &AtomicBool,
    found: &(dyn Fn(SearchHit) + Sync),
) -> SearchSummary {
    let search = Search {
        copies,
        query,
        known: Mutex::new(titles.excluded),
        stop,
    };
    search.look_at_titles(titles.hits, found);
    let cache = copies.cache;
    let mut pages = cache.page_files();
    pages.sort_unstable_by_key(|page| std::cmp::Reverse(page.used));
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut buffers = Buffers::new(query);
        while !stop.load(Ordering::Relaxed) {
            let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) else {
                break;
            };
            match search.look_at_copy(page, &mut buffers) {
                Ok(hit) => hit
                    .filter(|hit| search.is_new(&hit.key))
                    .into_iter()
                    .for_each(found),
                Err(_) => {
                    failed.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 1..threads.min(MAX_THREADS) {
            scope.spawn(work);
        }
        work();
    });
    SearchSummary {
        copies: pages.len(),
        failed: failed.into_inner(),
    }
}

/// A search that goes on.
struct Search<'a> {
    copies: &'a SearchedCopies<'a>,
    query: &'a SearchQuery,
    /// The keys of the pages that were found, or are excluded by a title.
    known: Mutex<HashSet<Url>>,
    stop: &'a AtomicBool,
}

impl Search<'_> {
    /// Notes that a page is found. Returns false if it was before.
    fn is_new(&self, key: &Url) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(key.clone())
    }

    fn is_known(&self, key: &Url) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.contains(key)
    }

    /// Returns true if the conditions admit the page of a key. `page` is all but what the user does with it.
    fn admits(&self, key: &Url, page: PageFacts<'_>) -> bool {
        let query = self.query;
        let is_kept = || self.copies.cache.saved().is_some_and(|kept| kept.has(key));
        query.admits(&PageFacts {
            is_kept: query.asks_kept() && is_kept(),
            is_unread: query.asks_unread() && (self.copies.is_unread)(key),
            ..page
        })
    }

    /// Searches a copy.
    fn look_at_copy(
        &self,
        page: &PageFile<'_>,
        buffers: &mut Buffers,
    ) -> io::Result<Option<SearchHit>> {
        let text = page.text(self.copies.charset, &mut buffers.octets)?;
        let is_admitted =
            |text: &ShownText| self.admits(&text.key, facts_of(text, (&text.url, &text.title)));
        let Some(text) = text.filter(is_admitted) else {
            return Ok(None);
        };
        Ok(match scan::search(self.query, text, buffers)? {
            Found::Hit(hit) => Some(*hit),
            Found::Nothing | Found::Excluded => None,
        })
    }

    /// Finds the pages that have the words in the title of a bookmark or a visit.
    fn look_at_titles(&self, hits: Vec<SearchHit>, found: &(dyn Fn(SearchHit) + Sync)) {
        let mut buffers = Buffers::new(self.query);
        // A page was visited many times.
        let mut seen = HashSet::new();
        for hit in hits {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            if !self.is_known(&hit.key)
                && seen.insert((hit.key.clone(), hit.title.clone()))
                && let Some(hit) = self.look_at_title(hit, &mut buffers)
                && self.is_new(&hit.key)
            {
                found(hit);
            }
        }
    }

    /// Returns the hit of a title with what the copy of its page tells; `None` if that is not admitted.
    fn look_at_title(&self, hit: SearchHit, buffers: &mut Buffers) -> Option<SearchHit> {
        let page = self.copies.cache.page_file(&hit.key);
        // A copy that cannot be read is counted where the copies are searched.
        let text = page.and_then(|page| page.text(self.copies.charset, &mut buffers.octets).ok());
        let Some(text) = text.flatten() else {
            let page = PageFacts {
                url: &hit.url,
                title: &hit.title,
                subject: &hit.title,
                author: "",
                date: hit.date,
                is_kept: false,
                is_unread: false,
            };
            return self.admits(&hit.key, page).then_some(hit);
        };
        if !self.admits(&hit.key, facts_of(&text, (&hit.url, &hit.title))) {
            return None;
        }
        let date = Some(text.date);
        match scan::search(self.query, text, buffers) {
            Ok(Found::Excluded) => None,
            Ok(Found::Hit(copy)) => Some(SearchHit {
                date,
                line: copy.line,
                count: copy.count,
                is_part: copy.is_part && hit.is_part,
                ..hit
            }),
            Ok(Found::Nothing) | Err(_) => Some(SearchHit { date, ..hit }),
        }
    }
}

/// Returns what conditions are judged by, all but what the user does with the page, under this URL and title.
fn facts_of<'a>(text: &'a ShownText, (url, title): (&'a Url, &'a str)) -> PageFacts<'a> {
    PageFacts {
        url,
        title,
        subject: &text.title,
        author: &text.author,
        date: Some(text.date),
        is_kept: false,
        is_unread: false,
    }
}
