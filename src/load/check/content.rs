//! What is at a URL now, as one number: two of them tell whether it has changed.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout;

use super::{Verdict, asked, http, of_stop};
use crate::document::Shape;
use crate::load::{Failure, LoadId, Part, Purpose, Request, Sink, Stop, load};
use crate::net::{Fingerprint, Net};
use crate::protocol::ftp::listing::{Day, Entry, Format, Kind, Line, SAMPLE};
use crate::url::Parts;

/// Octets that are looked at: what changes only behind them is not seen.
const ENOUGH: usize = 4 * 1024 * 1024;

/// How long all of it may take.
const DEADLINE: Duration = Duration::from_mins(2);

/// A day by which every date without its year has one: none is looked at.
const SOME_DAY: Day = Day {
    year: 2000,
    month: 12,
    day: 31,
};

/// Fetches what a request is for, and gives the SHA-256 of it: of the first 4 MiB, and of a directory without its dates,
/// as servers write those anew when nothing has changed.
///
/// # Errors
/// Why it cannot be told, as a check would say it.
pub async fn content(net: &Net, request: &Request) -> Result<Fingerprint, Verdict> {
    let asked = asked(net, request).map_err(Verdict::Unasked)?;
    let fetched = timeout(DEADLINE, Box::pin(fetch(net, &asked))).await;
    let late = || Verdict::NoAnswer(format!("not here within {} s", DEADLINE.as_secs()));
    fetched.map_err(|_| late())?
}

async fn fetch(net: &Net, request: &Request) -> Result<Fingerprint, Verdict> {
    match request.url.reading() {
        Parts::Gopher(_)
        | Parts::Ftp(_)
        | Parts::News(_)
        | Parts::Nntp(_)
        | Parts::File(_)
        | Parts::Wais(_)
        | Parts::Prospero(_)
        | Parts::Other(_) => {
            let (octets, shape) = page(net, request).await.map_err(of_stop)?;
            Ok(match shape {
                Some(Shape::Listing { format, .. }) => Fingerprint::of(&dateless(&octets, format)),
                _ => Fingerprint::of(&octets),
            })
        }
        Parts::Http(_) => {
            let octets = http::get(net, request, ENOUGH).await.map_err(of_stop)?;
            Ok(Fingerprint::of(&octets))
        }
        Parts::Telnet(_) => Err(Verdict::Unasked("a session has no content".to_owned())),
        Parts::Mailto(_) => Err(Verdict::Unasked(
            "what is there cannot be fetched".to_owned(),
        )),
    }
}

/// The octets of a page, and what they are.
async fn page(net: &Net, request: &Request) -> Result<(Vec<u8>, Option<Shape>), Stop> {
    let (sender, mut parts) = mpsc::channel(4);
    let request = Request {
        // All kinds of files are looked at.
        purpose: Purpose::Save,
        ..request.clone()
    };
    let loading = load(net, request, Sink::new(LoadId(0), sender));
    let reading = async {
        let (mut octets, mut shape) = (Vec::new(), None);
        while let Some((_, part)) = parts.recv().await {
            match part {
                Part::Begin(begin) => shape = Some(begin.shape),
                Part::Octets(more) => octets.extend(more),
                Part::End(end) => return end.map(|()| (octets, shape)),
                // It has no end, and nothing in it is the same twice.
                Part::Session(_) => return Err(Failure::new("it is a session").into()),
                Part::Phase(_) | Part::Remark(_) | Part::Clock(_) => {}
            }
            if octets.len() >= ENOUGH {
                octets.truncate(ENOUGH);
                return Ok((octets, shape));
            }
        }
        Err(Stop::Closed)
    };
    tokio::pin!(loading, reading);
    tokio::select! {
        biased;
        read = &mut reading => read,
        () = &mut loading => reading.await,
    }
}

/// The names, kinds and sizes of a listing, in an order of their own; lines that are no entries as they are.
fn dateless(listing: &[u8], format: Option<Format>) -> Vec<u8> {
    let lines: Vec<&[u8]> = listing
        .split(|&octet| octet == b'\n')
        .map(<[u8]>::trim_ascii_end)
        .collect();
    let format = format.unwrap_or_else(|| Format::guess(lines.iter().copied().take(SAMPLE)));
    let mut written: Vec<Vec<u8>> = lines
        .iter()
        .filter_map(|line| match format.line(line, SOME_DAY) {
            Line::Entry(entry) => Some(entry_of(&entry)),
            Line::Aside => None,
            Line::Odd => Some(line.to_vec()),
        })
        .collect();
    written.sort_unstable();
    written.join(&b'\n')
}

fn entry_of(entry: &Entry<'_>) -> Vec<u8> {
    let kind = match entry.kind {
        Kind::Directory => "directory",
        Kind::File => "file",
        Kind::Symlink(_) => "symlink",
        Kind::Other => "other",
        Kind::Unsaid => "",
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
        let shown = |octets: &[u8]| dateless(octets, None).trim_ascii().to_vec();
        assert_eq!(shown(one), shown(same));
        assert_ne!(shown(one), shown(other));
    }
}
