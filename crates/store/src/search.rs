//! Full-text search over all copies: cached pages, pages saved for later, and titles of bookmarks and visits. There is
//! no index: the copies are scanned in parallel.
//!
//! Searched is the text of a page as the browser shows it: in its charset, without tags, with the bodies of messages
//! decoded. Case and the marks of Latin letters do not count, unless a word is typed with marks.

mod copy;
mod query;
mod titles;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use geomys_wire::text::CharsetSetting;
use jiff::Timestamp;
use rfc1738::Url;

pub use self::query::{QueryError, QueryFault, SearchQuery};
pub use self::titles::{Titles, title_hit, title_hits};
use crate::files::cache::{Cache, DIGEST, PageHeader};

/// The octets of a file that are read before its header decides whether the rest is.
const START: u64 = 16 * 1024;

/// The maximum length of a copy that is searched, in octets; the rest of a longer one is left out.
const MAX_COPY: u64 = 8 * 1024 * 1024;

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

/// Orders hits: the better ones first, of equals the newer ones.
pub fn sort(hits: &mut [SearchHit]) {
    hits.sort_by(|a, b| (a.rank, b.since).cmp(&(b.rank, a.since)));
}

/// What a search has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchSummary {
    /// The number of copies.
    pub copies: usize,
    /// The number of copies that were longer than what is searched.
    pub cut: usize,
}

/// Searches all copies of a cache, and those saved for later. Calls `found` once for each page with the words: first
/// for `titles`, the bookmarks and visits with the words in their title, then for the copies, on several threads and in
/// no order. Changes no file and no time. Blocks until all are read or `stop` is set.
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
    let cut = AtomicUsize::new(0);
    let look = |(path, oldest): &(PathBuf, Option<Timestamp>), octets: &mut Vec<u8>| {
        let copy = read_copy(path, query, *oldest, octets).ok()??;
        cut.fetch_add(usize::from(copy.is_cut), Ordering::Relaxed);
        let body = octets.get(copy.start..copy.end).unwrap_or_default();
        copy::may_match(query, &copy.head, body, charset)
            .then(|| copy::hit(query, (copy.head, copy.since), body, charset))?
    };
    for hit in titles.hits.into_iter().filter(is_new) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let file = cache.page_file(&hit.key).map(|file| (file, None));
        let mut octets = Vec::new();
        let copy = file.as_ref().and_then(|file| look(file, &mut octets));
        let has_excluded = |file: &(PathBuf, Option<Timestamp>), octets: &mut Vec<u8>| {
            let copy = read_copy(&file.0, query, file.1, octets).ok()??;
            let body = octets.get(copy.start..copy.end).unwrap_or_default();
            Some(copy::is_excluded(query, copy.head, body, charset))
        };
        if copy.is_none() && file.is_some_and(|file| has_excluded(&file, &mut octets) == Some(true))
        {
            continue;
        }
        found(match copy {
            Some(copy) => SearchHit {
                line: copy.line,
                count: copy.count,
                ..hit
            },
            None => hit,
        });
    }
    let files: Vec<(PathBuf, Option<Timestamp>)> = cache.page_files().collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut octets = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) else {
                break;
            };
            if let Some(hit) = look(file, &mut octets).filter(is_new) {
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
        copies: files.len(),
        cut: cut.into_inner(),
    }
}

/// A copy in memory.
struct Copy {
    head: PageHeader,
    since: Timestamp,
    /// The start and the end of the page in the octets that were read.
    start: usize,
    end: usize,
    is_cut: bool,
}

/// Reads a copy that the query admits by its header.
fn read_copy(
    path: &Path,
    query: &SearchQuery,
    oldest: Option<Timestamp>,
    octets: &mut Vec<u8>,
) -> io::Result<Option<Copy>> {
    octets.clear();
    let mut file = File::open(path)?;
    file.by_ref().take(START).read_to_end(octets)?;
    let Some((head, since, start)) = PageHeader::read(octets) else {
        return Ok(None);
    };
    let is_expired = oldest.is_some_and(|oldest| since < oldest);
    if is_expired || !query.admits(&head.url, Some(since)) {
        return Ok(None);
    }
    let start = usize::try_from(start).unwrap_or(usize::MAX);
    let is_whole = (octets.len() as u64) < START;
    if !is_whole {
        file.by_ref().take(MAX_COPY).read_to_end(octets)?;
    }
    let is_cut = !is_whole && octets.len() as u64 == START + MAX_COPY;
    let digest = if is_cut {
        0
    } else {
        usize::try_from(DIGEST).unwrap_or_default()
    };
    let end = octets.len().saturating_sub(digest);
    Ok((start <= end).then_some(Copy {
        head,
        since,
        start,
        end,
        is_cut,
    }))
}
