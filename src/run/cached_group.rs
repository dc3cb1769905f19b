//! The overview of a group: from its server, and from the cache what is there already.
//!
//! The server is asked for the articles that are not cached only. The unread ones of these come first; the cached lines
//! are read meanwhile.

use std::sync::Arc;

use geomys_load::{
    OverviewFilter, OverviewQuery, PageHead, Part, PartSender, ReadArticles, Request, Sink, Stop,
};
use geomys_page::document::ArticleNumbers;
use geomys_store::files::cache::{Cache, CachedPage};
use geomys_store::files::newsrc::Newsrc;
use geomys_wire::net::{Net, trace};
use geomys_wire::task::blocking;
use rfc1738::Url;
use tokio::sync::mpsc;

use super::page_cache::{Closed, is_unreachable, send_cached_or_failure};
use geomys_app::news::group_of;

/// The capacity of the channel for cached lines.
const PARTS: usize = 4;

/// Reads the numbers of read articles that a query does not have yet.
pub(super) async fn read_marks(request: &mut Request) {
    let group = group_of(&request.url).unwrap_or_default();
    let Some(query) = &mut request.news_query.overview else {
        return;
    };
    if let ReadArticles::File(path) = &query.read {
        let path = path.clone();
        let reading = blocking(move || {
            let newsrc = Newsrc::load(&path).ok()?;
            Some(Arc::clone(&newsrc.group(&group)?.read))
        });
        // The part that reads the file for the marks reports its errors.
        let read = reading.await;
        query.read = ReadArticles::Known(read.unwrap_or_default());
    }
}

/// Returns true if the cached part of the overview is to be used for a request.
pub(super) fn uses_cache(request: &Request) -> bool {
    let is_open = |query: &OverviewQuery| query.known.is_none();
    request.news_query.overview.as_ref().is_some_and(is_open)
}

/// Carries out the load of a group.
pub(super) async fn load(
    net: &Net,
    cache: &Arc<Cache>,
    url: Url,
    mut request: Request,
    parts: PartSender,
) {
    let stored = {
        let (cache, url) = (Arc::clone(cache), url.clone());
        blocking(move || cache.page(&url)).await
    };
    let found = if stored.is_some() { "hit" } else { "miss" };
    trace::note("", format_args!("cache {found}: {}", url.masked()));
    let known = stored.as_ref().map(|page| page.head.covered.clone());
    if let Some(query) = &mut request.news_query.overview {
        query.set_known(known.unwrap_or_default());
    }
    let (sender, coming) = mpsc::channel(1);
    let forwarding = forward(cache, url, stored, coming, parts);
    // If the receiver is closed, the load finds its sender closed too.
    let sink = Sink::of(PartSender::Own(sender));
    let _ = tokio::join!(geomys_load::load(net, request, sink), forwarding);
}

/// Forwards the parts of a load, and the cached lines that are still valid.
async fn forward(
    cache: &Arc<Cache>,
    url: Url,
    mut stored: Option<CachedPage>,
    mut coming: mpsc::Receiver<Part>,
    parts: PartSender,
) -> Result<(), Stop> {
    let mut has_begun = false;
    let mut lines: Option<mpsc::Receiver<Part>> = None;
    let mut end = None;
    loop {
        tokio::select! {
            part = coming.recv(), if end.is_none() => match part {
                Some(Part::End(Err(Stop::Failed(failure)))) if !has_begun && is_unreachable(&failure) => {
                    return send_cached_or_failure(cache, url, failure, true, &parts).await;
                }
                Some(part @ Part::End(_)) => end = Some(part),
                Some(part) => {
                    if let Part::Head(head) = &part {
                        has_begun = true;
                        lines = stored.take().and_then(|page| read(page, head));
                    }
                    parts.send(part).await?;
                }
                None => return Ok(()),
            },
            part = next(&mut lines), if lines.is_some() => match part {
                Some(part) => parts.send(part).await?,
                None => lines = None,
            },
        }
        if lines.is_none()
            && let Some(end) = end.take()
        {
            return parts.send(end).await;
        }
    }
}

async fn next(lines: &mut Option<mpsc::Receiver<Part>>) -> Option<Part> {
    lines.as_mut()?.recv().await
}

/// Starts to read the cached lines of the articles that the server still has.
fn read(page: CachedPage, head: &PageHead) -> Option<mpsc::Receiver<Part>> {
    let known = head.known.clone();
    let (first, _) = known.ranges().next()?;
    let filter = OverviewFilter::new(first, known.highest()?);
    let (sender, lines) = mpsc::channel(PARTS);
    drop(blocking(move || send_lines(page, filter, known, &sender)));
    Some(lines)
}

/// Sends cached lines in whole lines, as they are mixed with those of the server.
fn send_lines(
    mut page: CachedPage,
    mut filter: OverviewFilter,
    known: ArticleNumbers,
    parts: &mpsc::Sender<Part>,
) -> Result<(), Closed> {
    let mut lines = Vec::new();
    // Without an end, as after an error, the articles are requested again when they are wanted.
    while let Ok(octets) = page.octets() {
        let is_end = octets.is_none();
        lines.extend(octets.unwrap_or_default());
        let whole = match memchr::memrchr(b'\n', &lines) {
            Some(end) => end + 1,
            None if is_end => lines.len(),
            None => continue,
        };
        let rest = lines.split_off(whole);
        let kept = filter.filter(std::mem::replace(&mut lines, rest));
        if !kept.is_empty() {
            parts.blocking_send(Part::Octets(kept))?;
        }
        if is_end {
            return Ok(parts.blocking_send(Part::Covered(known))?);
        }
    }
    Ok(())
}
