//! Pages to read later: they are fetched in the background, and stored beside their queue.

use std::sync::Arc;
use std::time::Duration;

use geomys_crawl::sync::page::{FetchedPage, NoPage};
use geomys_load::{Namer, Question, Request, Stop, cache_key};
use geomys_store::files::cache::{Cache, lacks_room};
use geomys_store::files::later::{self, LaterEntry};
use geomys_wire::net::Net;
use geomys_wire::task::blocking;
use jiff::Timestamp;
use rfc1738::Url;
use tokio::sync::Semaphore;

use geomys_app::library::message::SavedForLater;
use geomys_app::requester::Arrival;
use geomys_app::{LibraryMessage, Message};

/// The turns of the fetches: each may take as much memory as a page, beside the budget of those in tabs.
static TURNS: Semaphore = Semaphore::const_new(4);

/// The error when there is no directory for the pages.
const NOWHERE: &str = "no pages are kept here";

/// Puts a page into the queue, and fetches it.
pub(super) async fn save(
    net: Arc<Net>,
    cache: Arc<Cache>,
    request: Request,
    title: String,
) -> Message {
    let url = request.url.clone();
    let saved = match fetch_queued(&net, &cache, request, title).await {
        Ok(title) => SavedForLater::Stored(title),
        Err(NotSaved::Asks(question)) => {
            SavedForLater::Asks(url.without_password(), question.reason())
        }
        Err(NotSaved::Failed(error)) => SavedForLater::Failed(error),
    };
    Message::Library(LibraryMessage::SavedForLater(saved))
}

/// Why a page was not saved.
enum NotSaved {
    /// It is queued, and a load of it asks this.
    Asks(Question),
    /// The error.
    Failed(String),
}

impl From<String> for NotSaved {
    fn from(error: String) -> Self {
        Self::Failed(error)
    }
}

fn not_fetched(why: &NoPage) -> NotSaved {
    NotSaved::Failed(format!("Kept, not fetched: {}", why.sentence()))
}

/// Puts a page into the queue, fetches it and stores it. Returns its title.
async fn fetch_queued(
    net: &Net,
    cache: &Arc<Cache>,
    request: Request,
    title: String,
) -> Result<String, NotSaved> {
    let namer = request.namer_to_store();
    put(cache, request.url.clone(), title.clone(), namer).await?;
    let key = cache_key(&request).ok_or_else(|| "it is never written to disk".to_owned())?;
    // Nothing closes the semaphore.
    let _turn = TURNS.acquire().await;
    let page = match FetchedPage::fetch(net, request, Duration::MAX).await {
        Ok(page) => page,
        Err(NoPage::Stopped(stop)) => {
            return Err(match *stop {
                Stop::Needs(question) => NotSaved::Asks(question),
                stop => not_fetched(&stop.into()),
            });
        }
        Err(why) => return Err(not_fetched(&why)),
    };
    let (cache, shown) = (Arc::clone(cache), title.clone());
    blocking(move || store(&cache, key, title, &page)).await?;
    Ok(shown)
}

async fn put(cache: &Arc<Cache>, url: Url, title: String, namer: Namer) -> Result<(), String> {
    let cache = Arc::clone(cache);
    let adding = blocking(move || {
        let pages = cache.saved().ok_or(NOWHERE)?;
        later::add(pages, &url, &title, &namer).map_err(|error| error.to_string())
    });
    adding.await
}

/// Stores a page beside the queue. Blocks.
fn store(cache: &Cache, key: Url, title: String, page: &FetchedPage) -> Result<(), String> {
    let pages = cache.saved().ok_or(NOWHERE)?;
    let header = page.header(key, Some(title));
    let octets = page.octets.iter().map(Vec::as_slice);
    let stored = pages.store(&header, Timestamp::now(), octets);
    stored.map_err(|error| {
        if lacks_room(&error) {
            "Kept, not fetched: [cache] kept is full".to_owned()
        } else {
            format!("the page was not kept: {error}")
        }
    })?;
    if pages.has(&header.url) {
        Ok(())
    } else {
        Err("Kept, not fetched: it is larger than [cache] kept".to_owned())
    }
}

/// Reads the queue. An error is reported when the queue is listed.
pub(super) fn read(cache: &Cache) -> Message {
    let entries = entries(cache).unwrap_or_default();
    LibraryMessage::Later(entries).into()
}

/// Puts a link into the queue without fetching it, and reads the queue.
pub(super) fn queue(cache: &Cache, url: &Url, title: &str, namer: &Namer) -> Message {
    let added = cache
        .saved()
        .map(|pages| later::add(pages, url, title, namer));
    match added {
        Some(Ok(())) => read(cache),
        Some(Err(error)) => Message::Written(Err(error.to_string())),
        None => Message::Written(Err(NOWHERE.to_owned())),
    }
}

/// Notes that the user has agreed to this authority, to which a page of the queue leads, and reads the queue.
pub(super) fn agree(cache: &Cache, url: &Url, authority: &str) -> Message {
    let saved = cache.saved();
    let agreed = saved.map(|pages| later::agree(pages, url, authority));
    match agreed {
        Some(Err(error)) => Message::Written(Err(error.to_string())),
        Some(Ok(())) | None => read(cache),
    }
}

/// Reads the queue, to be shown in this way.
pub(super) fn list(cache: &Cache, arrival: Arrival) -> Message {
    Message::Library(LibraryMessage::LaterListed(entries(cache), arrival))
}

fn entries(cache: &Cache) -> Result<Vec<LaterEntry>, String> {
    let pages = cache.saved().ok_or(NOWHERE)?;
    later::entries(pages).map_err(|error| error.to_string())
}

/// Notes that a page of the queue was shown.
pub(super) fn mark_read(cache: &Cache, url: &Url) -> Message {
    let marked = cache
        .saved()
        .map_or(Ok(()), |pages| later::mark_shown(pages, url));
    Message::Written(marked.map_err(|error| error.to_string()))
}

/// Removes a page from the queue, and reads the queue.
pub(super) fn remove(cache: &Cache, url: &Url) -> Message {
    let removed = cache
        .saved()
        .map_or(Ok(()), |pages| later::remove(pages, url));
    let removed = removed.map_err(|error| error.to_string());
    Message::Library(LibraryMessage::LaterRemoved(
        removed.and_then(|()| entries(cache)),
    ))
}
