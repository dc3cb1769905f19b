//! Full-text search over all copies: cached pages, pages saved for later, and titles of bookmarks and visits. There is
//! no index: the texts of the copies are scanned in parallel, those that were used last first.
//!
//! Searched is the text of a page as the browser shows it: in its charset, without tags, with the bodies of messages
//! decoded. It is stored beside the copy. Case and the marks of Latin letters do not count, unless a word is typed with
//! marks.

mod query;
mod scan;
mod titles;

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use geomys_wire::text::CharsetSetting;
use jiff::Timestamp;
use rfc1738::Url;

pub use self::query::{QueryError, QueryFault, SearchQuery};
use self::scan::Buffers;
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
    /// The time when the copy came, or of the bookmark or visit; `None` if it is not known.
    pub since: Option<Timestamp>,
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
    /// All words are in one paragraph.
    Near,
    /// The words are in the page.
    Far,
}

/// Orders hits: those with whole words first, then the better ones, of equals the newer ones.
pub fn sort(hits: &mut [SearchHit]) {
    hits.sort_by(|a, b| (a.is_part, a.rank, b.since).cmp(&(b.is_part, b.rank, a.since)));
}

/// What a search has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchSummary {
    /// The number of copies.
    pub copies: usize,
    /// The number of copies that could not be read.
    pub failed: usize,
}

/// Searches all copies of a cache, and those saved for later. Calls `found` once for each page with the words: first
/// for `titles`, the bookmarks and visits with the words in their title, then for the copies, on several threads, those
/// that were used last first. Changes no copy and no time; makes the texts that are missing. Blocks until all are read
/// or `stop` is set.
pub fn search(
    cache: &Cache,
    query: &SearchQuery,
    titles: Titles,
    charset: CharsetSetting,
    stop: &AtomicBool,
    found: &(dyn Fn(SearchHit) + Sync),
) -> SearchSummary {
    let known = Mutex::new(titles.excluded);
    let is_new = |hit: &SearchHit| {
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(hit.key.clone())
    };
    let is_admitted = |key: &Url| {
        let is_kept = || cache.saved().is_some_and(|kept| kept.has(key));
        query.is_kept.is_none_or(|wanted| wanted == is_kept())
    };
    let text = |page: &PageFile<'_>, buffers: &mut Buffers| -> io::Result<Option<ShownText>> {
        let text = page.text(charset, &mut buffers.octets)?;
        let text = text.filter(|text| query.admits(&text.key, &text.title, Some(text.since)));
        Ok(text.filter(|text| is_admitted(&text.key)))
    };
    let failed = AtomicUsize::new(0);
    let look = |page: &PageFile<'_>, buffers: &mut Buffers| {
        let text = text(page, buffers).transpose()?;
        let hit = text.and_then(|text| scan::hit(query, text, buffers));
        hit.unwrap_or_else(|_| {
            failed.fetch_add(1, Ordering::Relaxed);
            None
        })
    };
    let has_excluded = |page: &PageFile<'_>, buffers: &mut Buffers| {
        let text = text(page, buffers).ok()??;
        scan::is_excluded(query, &text, buffers, &mut |_, _, _| {}).ok()
    };
    let mut buffers = Buffers::default();
    let titles = titles.hits.into_iter();
    for hit in titles.filter(|hit| is_admitted(&hit.key)).filter(is_new) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let page = cache.page_file(&hit.key);
        let copy = page.as_ref().and_then(|page| look(page, &mut buffers));
        let is_excluded = copy.is_none()
            && page.is_some_and(|page| has_excluded(&page, &mut buffers) == Some(true));
        if is_excluded {
            continue;
        }
        found(match copy {
            Some(copy) => SearchHit {
                line: copy.line,
                count: copy.count,
                is_part: copy.is_part && hit.is_part,
                ..hit
            },
            None => hit,
        });
    }
    let mut pages = cache.page_files();
    pages.sort_unstable_by_key(|page| std::cmp::Reverse(page.used));
    let next = AtomicUsize::new(0);
    let work = || {
        let mut buffers = Buffers::default();
        while !stop.load(Ordering::Relaxed) {
            let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) else {
                break;
            };
            if let Some(hit) = look(page, &mut buffers).filter(is_new) {
                found(hit);
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
