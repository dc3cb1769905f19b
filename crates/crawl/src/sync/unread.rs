//! What the user has not read. Unread is a mark, not a place: a copy that is read leaves the space of the unread ones
//! when they need it, whatever has read it, an article that was caught up or an entry that its feed has shown.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use geomys_page::document::ArticleNumbers;
use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::checks::UrlKey;
use geomys_store::bookmarks::watch::{self, WatchedEntries, WatchedEntry, WatchedPages};
use geomys_store::files::cache::Cache;
use geomys_store::files::later::LaterEntry;
use jiff::Timestamp;
use rfc1738::{Parts, Url};

/// Group to which the user has subscribed.
#[derive(Clone, Debug)]
pub struct FollowedGroup {
    /// URLs under which its overview may be cached: the first is requested if none is.
    pub urls: Vec<Url>,
    /// Numbers of the read articles.
    pub read: Arc<ArticleNumbers>,
}

/// Pages that the user has not read, by the marks at a time.
#[derive(Clone, Debug, Default)]
pub struct Unread {
    /// Followed pages that have changed, and new entries of followed pages.
    pages: HashSet<UrlKey>,
    /// The read articles of each subscribed group, by the URL of its overview.
    groups: HashMap<String, Arc<ArticleNumbers>>,
}

impl Unread {
    /// Creates it from the marks: what is not followed any more is not unread.
    pub fn new(bookmarks: &Bookmarks, watched: &WatchedPages, groups: &[FollowedGroup]) -> Self {
        let followed = watch::labels(bookmarks);
        let mut pages = HashSet::new();
        for (page, state) in watched
            .unread()
            .filter(|(page, _)| followed.contains_key(page))
        {
            if state.is_new {
                pages.insert(page.clone());
            }
            let entries = || state.entries.iter().flat_map(WatchedEntries::new_ones);
            if entries().any(|entry| entry.has_text) {
                pages.insert(page.clone());
            }
            let urls = entries().filter_map(WatchedEntry::url);
            pages.extend(urls.map(|url| UrlKey::of(&url)));
        }
        let groups = groups.iter().flat_map(|group| {
            let urls = group.urls.iter().map(|url| url.as_str().to_owned());
            urls.map(|url| (url, Arc::clone(&group.read)))
        });
        Self {
            pages,
            groups: groups.collect(),
        }
    }

    /// Adds the pages that are saved for later and were not shown.
    #[must_use]
    pub fn with_saved(mut self, saved: &[LaterEntry]) -> Self {
        let unread = saved.iter().filter(|entry| entry.is_unread());
        self.pages
            .extend(unread.map(|entry| UrlKey::of(&entry.url)));
        self
    }

    /// Returns true for what is unread, and for the overview of a subscribed group, which tells what is.
    pub fn includes(&self, url: &Url) -> bool {
        self.groups.contains_key(url.as_str()) || self.is_unread(url)
    }

    /// Returns true for an unread article, a new entry, and a page that has changed or is saved and was not shown.
    pub fn is_unread(&self, url: &Url) -> bool {
        if self.pages.contains(&UrlKey::of(url)) {
            return true;
        }
        let Parts::Nntp(parts) = url.base_parts() else {
            return false;
        };
        let group = url.as_str().rsplit_once('/');
        let read = group.and_then(|(group, _)| self.groups.get(group));
        read.zip(parts.article())
            .is_some_and(|(read, number)| !read.contains(number))
    }
}

/// Reads the marks; `None` if one of their files cannot be read.
pub type ReadUnread = Box<dyn Fn() -> Option<Unread> + Send + Sync>;

/// Marks that a run asks when the space of the unread pages is full.
pub struct UnreadMarks {
    read: ReadUnread,
    /// The time when the run began: what it brings is not removed by itself.
    began: Timestamp,
    /// True once nothing is left that was read.
    is_exhausted: AtomicBool,
}

impl UnreadMarks {
    /// Creates the marks of a run that begins now. They are read each time that room is needed.
    pub fn new(read: ReadUnread) -> Self {
        Self {
            read,
            began: Timestamp::now(),
            is_exhausted: AtomicBool::new(false),
        }
    }

    /// Makes room for a page of `length` octets: pages that were read leave. Without marks none does. Returns true if
    /// one has left. Blocks.
    ///
    /// # Errors
    /// Errors of the system.
    pub(super) fn make_room(&self, cache: &Cache, length: u64) -> io::Result<bool> {
        if self.is_exhausted.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let has_moved = match (self.read)() {
            Some(unread) => cache.release(length, &|url, used_at| {
                used_at >= self.began || unread.includes(url)
            })?,
            None => false,
        };
        self.is_exhausted.store(!has_moved, Ordering::Relaxed);
        Ok(has_moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_not_places_say_what_is_unread() {
        let url = |text: &str| Url::parse(text).unwrap();
        let group = |name: &str, read: &str| FollowedGroup {
            urls: vec![
                url(&format!("nntp://h.example/{name}")),
                url(&format!("nntps://h.example/{name}")),
            ],
            read: Arc::new(ArticleNumbers::parse(read.as_bytes()).unwrap()),
        };
        let unread = Unread::new(
            &Bookmarks::parse(b""),
            &WatchedPages::default(),
            &[group("a.b", "1-7"), group("a.c", "")],
        );
        for (text, is_unread) in [
            ("nntp://h.example/a.b", true),
            ("nntp://h.example/a.b/8", true),
            ("nntps://h.example/a.b/8", true),
            ("nntp://h.example/a.b/7", false),
            ("nntp://h.example/a.c/7", true),
            // It is not subscribed to.
            ("nntp://h.example/a.d/7", false),
            ("nntp://h.example/a.d", false),
            ("nntp://other.example/a.b/8", false),
            ("gopher://h.example/a.b/8", false),
        ] {
            assert_eq!(unread.includes(&url(text)), is_unread, "{text}");
        }
    }

    #[test]
    fn entries_of_followed_pages_are_unread_until_they_are_opened() {
        let line = |page: &str| {
            format!(
                "{{\"url\":\"gopher://h.example/1/{page}\",\"at\":\"2026-11-20T00:00:00Z\",\"new\":true,\"entries\":[\
                 {{\"url\":\"gopher://h.example/0/{page}-new\",\"date\":\"2026-11-01\",\"title\":\"n\",\"seen\":\"2026-11-02T00:00:00Z\",\"new\":true}},\
                 {{\"url\":\"gopher://h.example/0/{page}-read\",\"date\":\"2026-11-01\",\"title\":\"r\",\"seen\":\"2026-11-02T00:00:00Z\",\"new\":false}}]}}\n"
            )
        };
        let watched = WatchedPages::parse([line("a"), line("b")].concat().as_bytes());
        assert_eq!(watched.entries().len(), 4);
        let bookmarks = Bookmarks::parse(b"A <URL:gopher://h.example/1/a> #follow\n");
        let unread = Unread::new(&bookmarks, &watched, &[]);
        for (path, is_unread) in [
            ("1/a", true),
            ("0/a-new", true),
            ("0/a-read", false),
            ("1/b", false),
            ("0/b-new", false),
        ] {
            let url = Url::parse(&format!("gopher://h.example/{path}")).unwrap();
            assert_eq!(unread.includes(&url), is_unread, "{path}");
        }
    }
}
