//! Pages of a mirror: shown as the pages of their URLs once the directory of the mirror was opened.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use geomys_crawl::mirrored::{MirroredFile, Mirrors};
use geomys_load::{
    CacheUse, CachedInfo, Failure, PageHead, Part, PartSender, Reason, Request, Sink,
    load as load_page,
};
use geomys_store::files::cache::Cache;
use geomys_wire::net::{Net, TransferEnd, trace};
use geomys_wire::task::blocking;
use rfc1738::Encoded;
use tokio::sync::mpsc;

use super::page_cache;
use super::page_cache::Closed;

/// The octets that are read at once.
const PIECE: u64 = 64 * 1024;

/// The capacity of the channel for parts of a page.
const PARTS: usize = 4;

/// Carries out a load: of a page that an open mirror has from its file, unless it is loaded again, and of any other as
/// usual.
pub(super) async fn load(
    net: &Net,
    (mirrors, cache): (&Arc<Mirrors>, &Arc<Cache>),
    request: Request,
    parts: PartSender,
) {
    let is_reload = request.cache_use == CacheUse::IfUnreachable;
    if is_reload || request.sends_answers() {
        return page_cache::load(net, cache, request, parts).await;
    }
    let (mirrors, url) = (Arc::clone(mirrors), request.url.clone());
    let found = blocking(move || {
        let file = mirrors.find(&url)?;
        let page = file.open_page();
        Some((file, page))
    });
    match found.await {
        Some((file, Some((head, since, octets)))) => {
            trace::note("", format_args!("from the mirror: {}", file.url.masked()));
            let head = PageHead {
                cached: Some(CachedInfo {
                    stored_at: since,
                    reason: Some(format!("it is in {}", file.directory.display())),
                }),
                ..head
            };
            send(head, octets, &parts).await;
        }
        Some((file, None)) => open_file(net, &file, request, parts).await,
        None => page_cache::load(net, cache, request, parts).await,
    }
}

/// Loads a file that is no page, like an image or an archive.
async fn open_file(net: &Net, file: &MirroredFile, request: Request, parts: PartSender) {
    let Some(url) = file.file_url() else {
        return load_page(net, request, Sink::of(parts)).await;
    };
    let fragment = request.url.fragment().map(Encoded::as_str);
    let url = fragment.map_or_else(|| url.clone(), |fragment| url.with_fragment(fragment));
    let request = Request {
        url,
        // A file of the user's own mirror.
        reason: Reason::Typed,
        ..request
    };
    load_page(net, request, Sink::of(parts)).await;
}

/// Sends a page, piece by piece.
async fn send(head: PageHead, file: File, parts: &PartSender) {
    let (sender, mut coming) = mpsc::channel(PARTS);
    let reading = blocking(move || read(head, &file, &sender));
    while let Some(part) = coming.recv().await {
        if parts.send(part).await.is_err() {
            break;
        }
    }
    drop(coming);
    // The reader ends when the channel is closed.
    let _ = reading.await;
}

fn read(head: PageHead, mut file: &File, parts: &mpsc::Sender<Part>) -> Result<(), Closed> {
    parts.blocking_send(Part::Head(head))?;
    loop {
        let mut piece = Vec::new();
        let end = match file.by_ref().take(PIECE).read_to_end(&mut piece) {
            Ok(0) => Ok(TransferEnd::Confirmed),
            Ok(_) => {
                parts.blocking_send(Part::Octets(piece))?;
                continue;
            }
            Err(error) => Err(Failure::new(format!("the file cannot be read: {error}")).into()),
        };
        return Ok(parts.blocking_send(Part::End(end))?);
    }
}
