//! Pages to read later: they are fetched in the background, and stored beside their queue.

use std::sync::Arc;

use geomys_page::document::{ArticleNumbers, Shape};
use geomys_page::load::{
    self, Failure, PageHead, PageStorage, Part, PartSender, Question, Request, Sink, Stop,
    cache_key,
};
use geomys_store::files::cache::{Cache, PageHeader};
use geomys_store::files::later::{self, LaterEntry};
use geomys_wire::net::{Net, TransferEnd};
use geomys_wire::task::blocking;
use jiff::Timestamp;
use rfc1738::Url;
use tokio::sync::{Semaphore, mpsc};

use crate::app::requester::Arrival;
use crate::app::{LibraryMessage, Message};

/// The capacity of the channel for the parts of a page.
const PARTS: usize = 4;

/// The turns of the fetches: each may take as much memory as a page, beside the budget of those in tabs.
static TURNS: Semaphore = Semaphore::const_new(4);

/// The error when there is no directory for the pages.
const NOWHERE: &str = "pages are not saved for later here";

/// A page that has arrived completely.
struct FetchedPage {
    head: PageHead,
    octets: Vec<Vec<u8>>,
    clock: Option<i32>,
    end: TransferEnd,
}

/// Puts a page into the queue, and fetches it.
pub(super) async fn save(
    net: Arc<Net>,
    cache: Arc<Cache>,
    request: Request,
    title: String,
) -> Message {
    let saved = async {
        let url = request.url.clone();
        put(&cache, url.clone(), title.clone()).await?;
        let key = cache_key(&request).ok_or("it is never written to disk")?;
        // Nothing closes the semaphore.
        let _turn = TURNS.acquire().await;
        let page = match fetch(&net, request).await {
            Ok(page) => page,
            Err(Stop::Needs(question @ Question::LocalAddress(_))) => {
                // Fetched later, it would lead there without a question.
                remove_queued(&cache, url).await?;
                return Err(format!("Not saved: {}", question.unanswered()));
            }
            Err(stop) => return Err(format!("Queued, not fetched: {}", reason(&stop))),
        };
        let shown = title.clone();
        blocking(move || store(&cache, key, title, &page)).await?;
        Ok(shown)
    };
    Message::Library(LibraryMessage::SavedForLater(saved.await))
}

async fn put(cache: &Arc<Cache>, url: Url, title: String) -> Result<(), String> {
    let cache = Arc::clone(cache);
    let adding = blocking(move || {
        let pages = cache.saved().ok_or(NOWHERE)?;
        later::add(pages, &url, &title).map_err(|error| error.to_string())
    });
    adding.await
}

async fn remove_queued(cache: &Arc<Cache>, url: Url) -> Result<(), String> {
    let cache = Arc::clone(cache);
    let removing = blocking(move || {
        let pages = cache.saved().ok_or(NOWHERE)?;
        later::remove(pages, &url).map_err(|error| error.to_string())
    });
    removing.await
}

/// Fetches a whole page.
async fn fetch(net: &Net, request: Request) -> Result<FetchedPage, Stop> {
    let (sender, mut parts) = mpsc::channel(PARTS);
    // The load ends when the channel is closed.
    let receiving = async move {
        let (mut head, mut octets, mut clock) = (None, Vec::new(), None);
        while let Some(part) = parts.recv().await {
            match part {
                Part::Head(begin) => {
                    check_storage(&begin)?;
                    head = Some(begin);
                }
                Part::Octets(more) => octets.push(more),
                Part::Clock(minutes) => clock = Some(minutes),
                Part::End(Ok(end)) => {
                    let head = head.ok_or_else(|| Failure::new("the page is empty"))?;
                    return Ok(FetchedPage {
                        head,
                        octets,
                        clock,
                        end,
                    });
                }
                Part::End(Err(stop)) => return Err(stop),
                Part::Phase(_)
                | Part::Terminal(_)
                | Part::Remark(_)
                | Part::Names(_)
                | Part::Size(_)
                | Part::Covered(_) => {}
            }
        }
        Err(Stop::Closed)
    };
    let sink = Sink::of(PartSender::Own(sender));
    tokio::join!(load::load(net, request, sink), receiving).1
}

/// Refuses a page that is not stored, before its octets are buffered.
fn check_storage(head: &PageHead) -> Result<(), Failure> {
    match (head.storage, head.shape) {
        (PageStorage::Forbidden, _) => Err(Failure::new("its server forbids to store it")),
        (_, Shape::Group | Shape::Groups) => {
            Err(Failure::new("groups are cached when they are opened"))
        }
        (PageStorage::Allowed, _) => Ok(()),
    }
}

fn reason(stop: &Stop) -> String {
    match stop {
        Stop::Truncated(_) => "it is too large".to_owned(),
        Stop::Failed(_) | Stop::Needs(_) | Stop::Closed => stop.sentence(),
    }
}

/// Stores a page beside the queue. Blocks.
fn store(cache: &Cache, key: Url, title: String, page: &FetchedPage) -> Result<(), String> {
    let pages = cache.saved().ok_or(NOWHERE)?;
    let head = &page.head;
    let real = head.url.as_ref().map(Url::without_password);
    let own_title = head.title.as_ref().map(ToString::to_string);
    let header = PageHeader {
        shape: head.shape,
        charset: head.charset,
        languages: head.languages.as_ref().map(ToString::to_string),
        offset: page.clock,
        title: own_title.or(Some(title)),
        highest: head.highest,
        covered: ArticleNumbers::default(),
        list_date: None,
        whole: None,
        is_unconfirmed: page.end.is_unconfirmed(),
        real: real.filter(|real| *real != key),
        url: key,
    };
    let octets = page.octets.iter().map(Vec::as_slice);
    let stored = pages.store(&header, Timestamp::now(), octets);
    stored.map_err(|error| format!("the page was not saved for later: {error}"))?;
    if pages.has(&header.url) {
        Ok(())
    } else {
        Err("Queued, not fetched: it is larger than [cache] saved".to_owned())
    }
}

/// Reads the queue.
pub(super) fn list(cache: &Cache, arrival: Arrival) -> Message {
    Message::Library(LibraryMessage::LaterListed(entries(cache), arrival))
}

fn entries(cache: &Cache) -> Result<Vec<LaterEntry>, String> {
    let pages = cache.saved().ok_or(NOWHERE)?;
    later::entries(pages).map_err(|error| error.to_string())
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
