//! A page of a site in a dry run: its links are read, and it is compared with its copy, but nothing is written.

use std::io::Read;
use std::path::{Path, PathBuf};

use geomys_load::check::{MAX_READ_BYTES, ReceivedPage};
use geomys_load::{Failure, PageHead, Part, Request, Stop, kind_of};
use geomys_wire::net::Net;
use geomys_wire::task::blocking;
use rfc1738::Url;
use tokio::sync::mpsc::Receiver;
use tokio::time::timeout;

use super::page::{DEADLINE, ENDLESS};
use crate::site::links::{PageLinks, has_links, links_of};
use geomys_store::files::regular;
use geomys_store::transfer::download::Error;
use geomys_store::transfer::load_parts;

/// The octets of a file without links that are compared.
const SAMPLE: usize = 4096;

/// What a dry run has seen of a page.
pub(super) struct SeenPage {
    /// True if the copy is the same, as far as it was compared.
    pub(super) is_same: bool,
    pub(super) links: PageLinks,
}

/// Loads a page, or the beginning of a file, within the time of a page, and compares it with its `copy`.
///
/// # Errors
/// [`Error::Stopped`].
pub(super) async fn look(
    net: &Net,
    request: Request,
    copy: Option<PathBuf>,
) -> Result<SeenPage, Error> {
    let url = request.url.clone();
    let receiving = load_parts(net, request, |parts| receive(parts, url.clone()));
    let page = match timeout(DEADLINE, receiving).await {
        Ok(page) => page.map_err(|stop| Error::stopped(stop, None))?,
        Err(_) => return Err(Error::stopped(Failure::new(ENDLESS), None)),
    };
    let Some(page) = page else {
        return Ok(SeenPage {
            is_same: true,
            links: PageLinks::default(),
        });
    };
    let comparing = blocking(move || SeenPage {
        is_same: copy.is_some_and(|copy| is_same(&page, &copy)),
        links: links_of(page, &url),
    });
    Ok(comparing.await)
}

/// Receives a page; `None` if it is as its copy.
async fn receive(mut parts: Receiver<Part>, url: Url) -> Result<Option<ReceivedPage>, Stop> {
    let (mut head, mut octets) = (None::<PageHead>, Vec::new());
    let page = |head, octets, is_whole| {
        Some(ReceivedPage {
            head,
            octets,
            cut: None,
            is_whole,
        })
    };
    while let Some(part) = parts.recv().await {
        match part {
            Part::Head(begin) if begin.is_unchanged => return Ok(None),
            Part::Head(begin) => head = Some(begin),
            Part::Octets(more) => octets.extend(more),
            Part::End(end) => {
                end?;
                let head = head.ok_or(Stop::Closed)?;
                return Ok(page(head, octets, true));
            }
            Part::Phase(_)
            | Part::Terminal(_)
            | Part::Remark(_)
            | Part::Clock(_)
            | Part::Names(_)
            | Part::Size(_)
            | Part::Hole(_)
            | Part::Covered(_) => {}
        }
        let is_enough = head.as_ref().is_some_and(|head| {
            octets.len() >= MAX_READ_BYTES
                || octets.len() >= SAMPLE && !has_links(kind_of(head, &url, &octets))
        });
        if let Some(head) = head.take_if(|_| is_enough) {
            return Ok(page(head, octets, false));
        }
    }
    Err(Stop::Closed)
}

/// Compares what came with a copy. Blocks.
fn is_same(page: &ReceivedPage, copy: &Path) -> bool {
    let mut start = Vec::new();
    let Ok(file) = regular::open(copy) else {
        return false;
    };
    let Ok(length) = file.metadata().map(|is| is.len()) else {
        return false;
    };
    let read = file.take(page.octets.len() as u64).read_to_end(&mut start);
    let announced = page.head.size.filter(|_| !page.is_whole);
    let size = announced.unwrap_or(page.octets.len() as u64);
    let is_size = size == length || !page.is_whole && announced.is_none();
    read.is_ok() && is_size && start == page.octets
}
