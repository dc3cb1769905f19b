//! The page cache: pages are stored when they are complete, and read when the server is unreachable.

use std::io;
use std::sync::Arc;

use geomys_load::{
    CacheUse, CachedInfo, Failure, FailureKind, KnownCopy, PageHead, Part, PartSender, Request,
    Sink, Stop, cache_key, can_fetch_changes,
};
use geomys_page::document::{Document, Shape};
use geomys_store::files::cache::{Cache, CachedPage, PageHeader};
use geomys_wire::net::{Net, TransferEnd, trace};
use geomys_wire::task::blocking;
use geomys_wire::text::Text;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use rfc1738::Url;
use tokio::sync::mpsc;

use super::cached_group::{self, read_marks};
use geomys_app::Message;

/// The capacity of the channel for parts of a cached page.
const PARTS: usize = 4;

/// The time for which a cached list of groups is only updated by its changes. The changes do not include removed
/// groups, nor the number of articles in other groups, so the complete list is requested again afterwards.
const WHOLE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Carries out a load. If the server is unreachable before the page has begun, the cached page is sent instead.
pub async fn load(net: &Net, cache: &Arc<Cache>, mut request: Request, parts: PartSender) {
    read_marks(&mut request).await;
    let discreet = request.is_private().then(|| Arc::new(cache.discreet()));
    let cache = discreet.as_ref().unwrap_or(cache);
    let Some(url) = cache_key(&request).filter(|_| cache.is_on()) else {
        return geomys_load::load(net, request, Sink::of(parts)).await;
    };
    let reason = match request.cache_use {
        CacheUse::BeforeRequest if can_fetch_changes(&request) => Some(None),
        CacheUse::Always(reason) => Some(Some(reason.sentence().to_owned())),
        CacheUse::BeforeRequest | CacheUse::IfUnreachable => None,
    };
    if let Some(why) = reason {
        match send_cached(cache, url.clone(), why, &parts).await {
            Ok(false) => {}
            Ok(true) | Err(_) => return,
        }
    }
    if cached_group::uses_cache(&request) {
        return cached_group::load(net, cache, url, request, parts).await;
    }
    if request.save.copy.is_some() {
        request.save.copy = known_copy(cache, url.clone()).await;
    }
    let names_cache = net.is_offline() || url.base_parts().is_news();
    let (sender, mut coming) = mpsc::channel(1);
    let forwarding = async move {
        let mut has_begun = false;
        while let Some(part) = coming.recv().await {
            has_begun |= matches!(part, Part::Head(_));
            match part {
                Part::Head(head) if head.is_unchanged => {
                    return send_confirmed(cache, url, head, &parts).await;
                }
                Part::End(Err(Stop::Failed(failure))) if !has_begun && is_unreachable(&failure) => {
                    return send_cached_or_failure(cache, url, failure, names_cache, &parts).await;
                }
                Part::End(Err(Stop::Failed(mut failure))) if !has_begun => {
                    failure.cached = stored_on(cache, url.clone()).await;
                    parts.send(Part::End(Err(failure.into()))).await?;
                }
                part => parts.send(part).await?,
            }
        }
        Result::<(), Stop>::Ok(())
    };
    // If the receiver is closed, the load finds its sender closed too.
    let sink = Sink::of(PartSender::Own(sender));
    let _ = tokio::join!(geomys_load::load(net, request, sink), forwarding);
}

/// Returns the day in UTC when the cached page came from its server, if there is one.
async fn stored_on(cache: &Arc<Cache>, url: Url) -> Option<Date> {
    let cache = Arc::clone(cache);
    let reading = blocking(move || {
        let since = cache.page(&url)?.since;
        Some(since.to_zoned(TimeZone::UTC).date())
    });
    reading.await
}

/// Returns what the server is told of the cached page, if there is one.
async fn known_copy(cache: &Arc<Cache>, url: Url) -> Option<Box<KnownCopy>> {
    let cache = Arc::clone(cache);
    let reading = blocking(move || Some(cache.unused_page(&url)?.head.known_copy()));
    reading.await.map(Box::new)
}

/// Sends the cached page as the one of the server, which has said that it is unchanged.
async fn send_confirmed(
    cache: &Arc<Cache>,
    url: Url,
    answer: PageHead,
    parts: &PartSender,
) -> Result<(), Stop> {
    let origin = Origin::Server(Box::new(answer));
    if send_copy(cache, url, origin, parts).await? {
        return Ok(());
    }
    let failure = Failure::new("its cached copy is gone, and the server did not send the page");
    parts.send(Part::End(Err(failure.into()))).await
}

/// The answer that a cached page is sent as.
enum Origin {
    /// None: it is sent for this reason; `None` if it is loaded before a request.
    Cache(Option<String>),
    /// That of its server, with this head.
    Server(Box<PageHead>),
}

/// The receiver of the parts is closed.
pub(super) struct Closed;

impl<T> From<mpsc::error::SendError<T>> for Closed {
    fn from(_: mpsc::error::SendError<T>) -> Self {
        Self
    }
}

/// Returns true if the failure is about the connection, not about the page.
pub(super) fn is_unreachable(failure: &Failure) -> bool {
    match failure.kind {
        FailureKind::Unreachable
        | FailureKind::Transient
        | FailureKind::Malformed
        | FailureKind::ServerError
        | FailureKind::Busy => true,
        FailureKind::Permanent | FailureKind::Missing | FailureKind::ResumeMismatch => false,
    }
}

/// Sends the cached page; if there is none, the failure. With `names_cache` it says that there is none.
pub(super) async fn send_cached_or_failure(
    cache: &Arc<Cache>,
    url: Url,
    mut failure: Failure,
    names_cache: bool,
    parts: &PartSender,
) -> Result<(), Stop> {
    let why = Some(failure.sentence.clone());
    if !send_cached(cache, url, why, parts).await? {
        if names_cache {
            failure.sentence.push_str(", and it is not in the cache");
        }
        let end = Part::End(Err(failure.into()));
        parts.send(end).await?;
    }
    Ok(())
}

/// Sends the cached page. Returns true if there is one. `why` is `None` if the page is loaded from the cache before a
/// request: then only a page is sent whose changes can be requested.
async fn send_cached(
    cache: &Arc<Cache>,
    url: Url,
    why: Option<String>,
    parts: &PartSender,
) -> Result<bool, Stop> {
    let name = url.masked().into_owned();
    let is_there = send_copy(cache, url, Origin::Cache(why), parts).await?;
    let found = if is_there { "hit" } else { "miss" };
    trace::note("", format_args!("cache {found}: {name}"));
    Ok(is_there)
}

async fn send_copy(
    cache: &Arc<Cache>,
    url: Url,
    origin: Origin,
    parts: &PartSender,
) -> Result<bool, Stop> {
    let (sender, mut coming) = mpsc::channel(PARTS);
    let (cache, key) = (Arc::clone(cache), url.clone());
    let reading = blocking(move || {
        let page = cache.page(&url);
        let is_first = matches!(origin, Origin::Cache(None));
        let page = page.filter(|page| !is_first || has_changes_since(page));
        let is_there = page.is_some();
        if let Some(page) = page {
            // The reader ends when the channel is closed.
            let end = read(page, origin, &sender);
            // A page that cannot be moved is kept as one that was not shown. The browser may end once it has the end.
            let _ = cache.mark_shown(&key);
            if let Ok(end) = end {
                let _ = sender.blocking_send(Part::End(end));
            }
        }
        is_there
    });
    while let Some(part) = coming.recv().await {
        parts.send(part).await?;
    }
    Ok(reading.await)
}

/// Returns true if the page has a date of the server's clock, and was completely loaded not long ago.
fn has_changes_since(page: &CachedPage) -> bool {
    let whole = page.head.whole.unwrap_or(page.since);
    page.head.list_date.is_some() && Timestamp::now().duration_since(whole) < WHOLE
}

/// Sends a cached page, piece by piece, and returns its end, which is still to be sent.
fn read(
    mut page: CachedPage,
    origin: Origin,
    parts: &mpsc::Sender<Part>,
) -> Result<Result<TransferEnd, Stop>, Closed> {
    let PageHeader {
        url,
        shape,
        charset,
        languages,
        refresh,
        offset,
        title,
        published: _,
        highest,
        covered,
        list_date,
        whole: _,
        end,
        real,
        version,
    } = page.head.clone();
    let origin = match origin {
        Origin::Server(answer) => PageHead { version, ..*answer },
        Origin::Cache(reason) => PageHead {
            // `news:*` and the first page of the server are two pages of one list.
            url: (shape != Shape::Groups).then(|| real.unwrap_or(url)),
            cached: Some(CachedInfo {
                stored_at: page.since,
                reason,
            }),
            ..PageHead::new(shape)
        },
    };
    parts.blocking_send(Part::Head(PageHead {
        shape,
        title: title.map(|title| Text::of(&title)),
        charset,
        languages: languages.map(|languages| Text::of(&languages)),
        refresh,
        highest,
        lowest: covered.ranges().next().map(|(first, _)| first),
        known: covered.clone(),
        list_date,
        ..origin
    }))?;
    if let Some(minutes) = offset {
        parts.blocking_send(Part::Clock(minutes))?;
    }
    loop {
        return Ok(match page.octets() {
            Ok(Some(octets)) => {
                parts.blocking_send(Part::Octets(octets))?;
                continue;
            }
            Ok(None) => {
                parts.blocking_send(Part::Covered(covered))?;
                Ok(end)
            }
            Err(error) => Err(unreadable(&error)),
        });
    }
}

fn unreadable(error: &io::Error) -> Stop {
    Failure::new(format!("its cached copy cannot be read: {error}")).into()
}

/// Stores a complete page. Blocks.
pub(super) fn store(cache: &Cache, head: &PageHeader, document: &Document) -> Message {
    let now = Timestamp::now();
    let stored = match document.merged() {
        Some(octets) => {
            let before = cache.page(&head.url);
            let head = PageHeader {
                whole: before.map(|before| before.head.whole.unwrap_or(before.since)),
                ..head.clone()
            };
            cache.store(&head, now, std::iter::once(octets.as_slice()))
        }
        None => cache.store(head, now, document.sent().blocks()),
    };
    let stored = stored.map(drop);
    Message::Written(stored.map_err(|error| format!("the page was not cached: {error}")))
}
