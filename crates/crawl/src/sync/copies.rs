//! Copies of the pages that a sync fetches: what their servers are told of them before, and what becomes of them after.

use std::io;

use geomys_load::check::host_key;
use geomys_load::{KnownCopy, Reason, Request, cache_key};
use geomys_page::document::Shape;
use jiff::Timestamp;
use rfc1738::Url;

use super::page::{FetchedPage, NoPage};
use super::report::EarlyEnd;
use super::run::{Place, WantedPage};
use super::unread::UnreadMarks;
use geomys_store::files::cache::{Cache, CachedPage, PageHeader, StoreOutcome, lacks_room};

/// Why a page is not stored that may be the beginning only.
const SHORTER: &str = "its server did not confirm its end, and the copy here is longer";

/// Why a page is not stored that is no list any more, as a login page in the place of a feed.
const OTHER_KIND: &str = "the copy here is a feed, a gemlog or a menu, and this page is none";

/// Why an empty page is not stored in the place of one that is not.
const EMPTY: &str = "it is empty, and the copy here is not";

/// Result of storing a page.
pub(super) enum Stored {
    New,
    /// It is as its copy, which is confirmed.
    Same,
    /// It is a file of this machine, which needs no copy.
    Nothing,
    /// It may not be stored.
    Not(NoPage),
    /// The copy stays, as the page is worse.
    Worse(NoPage),
}

/// What the server of a copy can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KnownVersion {
    /// Nothing: the page has to be fetched to know whether it has changed.
    None,
    /// Whether the page has changed.
    Some,
}

/// Returns the address on another host to which the server has redirected, unless it did for the copy, too.
pub(super) fn new_redirect(page: &FetchedPage, request: &Request) -> Option<String> {
    let host = |url: &Url| {
        let request = Request::show(url.clone(), Reason::Bookmark);
        host_key(&request).map(|(_, host)| host)
    };
    let to = page.head.url.as_ref().filter(|_| !page.head.is_unchanged)?;
    let target = host(to)?;
    let known = request.save.copy.as_ref().and_then(|copy| host(&copy.url));
    if host(&request.url).as_ref() == Some(&target) || known == Some(target) {
        return None;
    }
    // What a login page is told of the page stands in the query.
    let address = to.without_fragment();
    let address = address.as_str().split('?').next();
    address.map(str::to_owned)
}

/// Returns true for a page that lists others: no page of another kind replaces it.
fn is_list(shape: Shape) -> bool {
    matches!(
        shape,
        Shape::Menu | Shape::Feed | Shape::Gemtext | Shape::Json | Shape::Listing { .. }
    )
}

/// Adds to the requests what is known of the copies. Blocks: a damaged copy is fetched again, so all of them are read.
pub(super) fn add_versions(
    cache: &Cache,
    place: Place,
    mut pages: Vec<WantedPage>,
) -> Vec<WantedPage> {
    for page in &mut pages {
        let Some(key) = cache_key(&page.request) else {
            continue;
        };
        let copy = copy(cache, place, &key);
        page.copy = copy.as_ref().map(|copy| {
            let version = &copy.head.version;
            if version.tag.is_some() || version.modified.is_some() {
                KnownVersion::Some
            } else {
                KnownVersion::None
            }
        });
        let known = copy.map_or_else(|| KnownCopy::none(key), |copy| copy.head.known_copy());
        page.request.save.copy = Some(Box::new(known));
    }
    pages
}

/// Returns the copy of a page that another one there would replace. It counts as unread.
pub(super) fn copy(cache: &Cache, place: Place, key: &Url) -> Option<CachedPage> {
    match place {
        Place::Saved => cache.saved()?.unused_page(key),
        Place::Synced => cache.unused_page(key),
    }
}

/// Stores a page, unless it is as its copy. What needs no room is judged without it. Blocks.
///
/// # Errors
/// The lack of `room` on the disk, and errors of the files.
pub(super) fn store(
    (cache, unread): (&Cache, &UnreadMarks),
    (place, room): (Place, Result<(), EarlyEnd>),
    (key, title, published): (Url, Option<String>, Option<Timestamp>),
    page: &FetchedPage,
) -> Result<Stored, EarlyEnd> {
    let confirmed = || {
        let pages = match place {
            Place::Saved => cache.saved(),
            Place::Synced => Some(cache),
        };
        // Without this time the copy only looks older than it is.
        let _ = pages.map(|pages| pages.confirm(&key, Timestamp::now()));
        Stored::Same
    };
    if page.head.is_unchanged {
        return Ok(confirmed());
    }
    if let Some(copy) = copy(cache, place, &key) {
        if is_list(copy.head.shape) && !is_list(page.head.shape) {
            return Ok(Stored::Worse(NoPage::NotStored(OTHER_KIND)));
        }
        if is_same(copy, page)? {
            return Ok(confirmed());
        }
        // A directory may have become empty.
        if page.is_empty() && !matches!(page.head.shape, Shape::Listing { .. }) {
            return Ok(Stored::Worse(NoPage::NotStored(EMPTY)));
        }
    }
    room?;
    let header = PageHeader {
        published,
        ..page.header(key, title)
    };
    let (now, octets) = (Timestamp::now(), page.octets.iter().map(Vec::as_slice));
    let outcome = match place {
        Place::Synced => store_synced((cache, unread), &header, octets)?,
        Place::Saved => {
            let saved = cache.saved();
            let saved = saved.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
            saved.store(&header, now, octets)?
        }
    };
    Ok(match outcome {
        StoreOutcome::Stored => Stored::New,
        StoreOutcome::TooLarge => Stored::Not(NoPage::NotStored(match place {
            Place::Saved => "it is larger than [cache] kept",
            Place::Synced => "it is larger than [sync] unread",
        })),
        StoreOutcome::Shorter => Stored::Worse(NoPage::NotStored(SHORTER)),
    })
}

/// Stores a page that was not shown. If its space is full, pages that were read leave. Blocks.
pub(super) fn store_synced<'a>(
    (cache, unread): (&Cache, &UnreadMarks),
    header: &PageHeader,
    octets: impl Iterator<Item = &'a [u8]> + Clone,
) -> io::Result<StoreOutcome> {
    let now = Timestamp::now();
    match cache.store_synced(header, now, octets.clone()) {
        Err(error) if lacks_room(&error) => {
            let length = octets.clone().map(|block| block.len() as u64).sum();
            if !unread.make_room(cache, length)? {
                return Err(error);
            }
            cache.store_synced(header, now, octets)
        }
        stored => stored,
    }
}

/// Returns true if a page has the octets of its copy.
fn is_same(mut copy: CachedPage, page: &FetchedPage) -> io::Result<bool> {
    let octets = page.octets.concat();
    let mut rest = octets.as_slice();
    while let Some(block) = copy.octets()? {
        match rest.strip_prefix(block.as_slice()) {
            Some(after) => rest = after,
            None => return Ok(false),
        }
    }
    Ok(rest.is_empty())
}
