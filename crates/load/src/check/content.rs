//! The content of a URL as one hash, and the entries that it lists: two hashes show if it has changed, two lists what
//! is new.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_wire::net::{Fingerprint, Net, TransferEnd};
use geomys_wire::protocol::ftp::listing::{Day, Entry, Format, Kind, Line, SAMPLE};
use geomys_wire::task::blocking;
use geomys_wire::text::CharsetSetting;
use rfc1738::{Protocol, Url};

use super::prepare;
use super::status::{LinkStatus, stop_status};
use super::url_job::{UrlJob, fetch_within, unreachable_words};
use crate::sink::collect;
use crate::sniff::in_utf_8;
use crate::{KnownCopy, PageHead, Purpose, Request, decompressed, is_compressed_page, kind_of};
use geomys_page::document::{Document, PageEntry, Shape, looks_like_feed};

/// The octets that are hashed: changes after them are not noticed.
const MAX_READ_BYTES: usize = 4 * 1024 * 1024;

/// The time limit for the whole load.
const DEADLINE: Duration = Duration::from_mins(2);

/// A fixed day that gives a year to dates without one; the dates are not used.
const FIXED_DAY: Day = Day {
    year: 2000,
    month: 12,
    day: 31,
};

/// The content of a watched page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageContent {
    /// The SHA-256: of the first 4 MiB, and of a directory without its dates, because servers rewrite those when
    /// nothing has changed.
    pub fingerprint: Fingerprint,
    /// The entries: the posts that the page lists.
    pub entries: Vec<PageEntry>,
    /// The number of octets, up to 4 MiB.
    pub octets: u64,
    /// The end of the transfer.
    pub end: TransferEnd,
    /// The version of the page, with which it is asked for again.
    pub copy: KnownCopy,
}

/// The fetch of the content of a page, by one load.
#[derive(Clone, Copy, Debug)]
pub struct FetchContent;

impl UrlJob for FetchContent {
    /// The content, none if it is of the version of [`SaveRequest::copy`](crate::SaveRequest::copy), or the reason why
    /// there is none, as the status of a check.
    type Outcome = Result<Option<PageContent>, LinkStatus>;

    fn run<'a>(self, net: &'a Net, request: &'a Request) -> BoxFuture<'a, Self::Outcome> {
        content(net, request).boxed()
    }

    fn missing_answer(outcome: &Self::Outcome) -> Option<&str> {
        unreachable_words(outcome)
    }

    fn failed(status: LinkStatus) -> Self::Outcome {
        Err(status)
    }
}

async fn content(net: &Net, request: &Request) -> Result<Option<PageContent>, LinkStatus> {
    let prepared = prepare(net, request).map_err(LinkStatus::NotChecked)?;
    let (octets, head, end) = fetch_within(DEADLINE, fetch(net, &prepared)).await?;
    if head.is_unchanged {
        return Ok(None);
    }
    // A long page takes time.
    let url = request.url.clone();
    let content = blocking(move || page_content(octets, &head, end, url)).await;
    Ok(Some(content))
}

async fn fetch(
    net: &Net,
    request: &Request,
) -> Result<(Vec<u8>, PageHead, TransferEnd), LinkStatus> {
    match request.url.protocol() {
        Protocol::Http(_)
        | Protocol::Gopher(_)
        | Protocol::Cso(_)
        | Protocol::Gemini(_)
        | Protocol::Titan(_)
        | Protocol::Spartan(_)
        | Protocol::Nex(_)
        | Protocol::Finger(_)
        | Protocol::Ftp(_)
        | Protocol::Nntp(_)
        | Protocol::File(_)
        | Protocol::Wais(_)
        | Protocol::Prospero(_)
        | Protocol::Other(_) => {
            let request = Request {
                // All kinds of files are hashed.
                purpose: Purpose::Save,
                ..request.clone()
            };
            let (octets, head, end) = collect(net, request, MAX_READ_BYTES).await;
            let end = end.map_err(stop_status)?;
            let head = head.map_or_else(|| PageHead::new(Shape::Text), |head| *head);
            Ok((octets, head, end))
        }
        Protocol::Telnet(_) => Err(LinkStatus::NotChecked(
            "a terminal session has no content".to_owned(),
        )),
        Protocol::Mailto(_) => Err(LinkStatus::NotChecked(
            "its content cannot be fetched".to_owned(),
        )),
    }
}

/// Returns the content of a page that was received. Takes time for a long page.
pub fn page_content(
    mut octets: Vec<u8>,
    head: &PageHead,
    end: TransferEnd,
    requested: Url,
) -> PageContent {
    octets.truncate(MAX_READ_BYTES);
    let length = octets.len() as u64;
    let fingerprint = match head.shape {
        Shape::Listing { format, .. } => Fingerprint::of(&without_dates(&octets, format)),
        _ => Fingerprint::of(&octets),
    };
    let url = head.url.clone().unwrap_or(requested);
    let copy = KnownCopy {
        version: head.version.clone(),
        charset: head.charset,
        ..KnownCopy::none(url.without_password())
    };
    if is_compressed_page(head, &url, &octets) {
        octets = decompressed(octets, MAX_READ_BYTES);
    }
    let shape = kind_of(head, &url, &octets).unwrap_or(Shape::Text);
    // The entries of a followed page are read whatever type its server declares.
    let may_be_feed = matches!(shape, Shape::Text | Shape::Html | Shape::Json);
    let is_other_feed = may_be_feed && looks_like_feed(&in_utf_8(&octets, head.charset));
    let shape = if is_other_feed { Shape::Feed } else { shape };
    let mut page = Document::new(url, shape, CharsetSetting::default());
    page.declare(head.charset);
    page.take(octets);
    let mut entries = page.entries();
    for entry in &mut entries {
        // The page itself is shown by its type.
        entry.has_text &= !is_other_feed;
    }
    PageContent {
        fingerprint,
        entries,
        octets: length,
        end,
        copy,
    }
}

/// Returns the names, kinds and sizes of a listing, sorted; lines that are no entries stay as they are.
fn without_dates(listing: &[u8], format: Option<Format>) -> Vec<u8> {
    let lines: Vec<&[u8]> = listing
        .split(|&octet| octet == b'\n')
        .map(<[u8]>::trim_ascii_end)
        .collect();
    let format = format.unwrap_or_else(|| Format::guess(lines.iter().copied().take(SAMPLE)));
    let mut written: Vec<Vec<u8>> = lines
        .iter()
        .filter_map(|line| match format.line(line, FIXED_DAY) {
            Line::Entry(entry) => Some(entry_without_date(&entry)),
            Line::Metadata => None,
            Line::Unrecognized => Some(line.to_vec()),
        })
        .collect();
    written.sort_unstable();
    written.join(&b'\n')
}

fn entry_without_date(entry: &Entry<'_>) -> Vec<u8> {
    let kind = match entry.kind {
        Kind::Directory => "directory",
        Kind::File => "file",
        Kind::Symlink(_) => "symlink",
        Kind::Other => "other",
        Kind::Unknown => "",
    };
    let size = entry.size.map_or(String::new(), |size| size.to_string());
    [entry.name, format!("\t{kind}\t{size}").as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_order_of_a_listing_do_not_count() {
        let one = b"total 2\r\n-rw-r--r-- 1 a b 12 Jan  1  1994 x\r\ndrwxr-xr-x 2 a b 512 Jan  1  1994 y\r\n";
        let same = b"drwxr-xr-x 2 a b 512 Feb  2  2026 y\r\n-rw-r--r-- 1 a b 12 Mar  3 10:00 x\r\n";
        let other =
            b"drwxr-xr-x 2 a b 512 Feb  2  2026 y\r\n-rw-r--r-- 1 a b 13 Mar  3 10:00 x\r\n";
        let shown = |octets: &[u8]| without_dates(octets, None).trim_ascii().to_vec();
        assert_eq!(shown(one), shown(same));
        assert_ne!(shown(one), shown(other));
    }
}
