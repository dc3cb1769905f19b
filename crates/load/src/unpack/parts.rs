//! Zip archives without downloading them: the directory at their end is fetched, and a member alone, where the server
//! sends parts of a file (REST of FTP, ranges of HTTP). One that does not is noticed at the head of its answer. Those
//! on the disk are read so too.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use geomys_page::archive::KnownParts;
use geomys_wire::net::{Net, TransferEnd};
use rfc1738::Protocol;
use tokio::sync::mpsc;

use super::{PartialZip, Running};
use crate::archives::ArchiveParts;
use crate::file::open_regular;
use crate::{
    Failure, FailureKind, PageHead, Part, PartSender, Purpose, Question, Request, ResumeRequest,
    SaveRequest, Sink, Stop, load,
};

/// The octets at the end that are fetched first: the end of the directory with the longest comment, and mostly all of
/// it.
const TAIL_BYTES: u64 = 128 * 1024;

/// The most octets of an archive that are stored for the next member.
const MAX_KEPT_BYTES: usize = 16 * 1024 * 1024;

/// The most parts that are fetched for one request: the directory, and the member.
const MAX_FETCHES: usize = 64;

/// The end of a request for a part.
enum Fetched {
    Octets(Vec<u8>),
    /// The server sends the file from its beginning, or more than the part.
    Whole,
    /// The file has changed since its other parts came.
    Changed,
}

impl PartialZip {
    /// Reports what the plan names in the zip. Returns None if all of it has to be fetched: nothing was reported.
    pub(crate) async fn open(
        self,
        net: &Net,
        request: &Request,
        sink: &mut Sink,
    ) -> Option<Result<TransferEnd, Stop>> {
        let Self { plan, parts } = self;
        let start = parts.known.beginning().to_vec();
        let size = parts.head.size.unwrap_or_default();
        let is_local = matches!(request.url.protocol(), Protocol::File(_));
        let parts = match open_regular(&request.url) {
            _ if !is_local => parts,
            Some(file) => ArchiveParts {
                known: KnownParts::of_file(file, size),
                ..parts
            },
            None => return None,
        };
        let mut missing = parts.known.missing(size.saturating_sub(TAIL_BYTES)..size);
        let head = parts.head;
        let known = Arc::new(Mutex::new(parts.known));
        for _ in 0..MAX_FETCHES {
            if let Some(range) = missing.take() {
                match fetch(net, request, &head, (range.clone(), &start)).await {
                    Ok(Fetched::Octets(octets)) => lock(&known).add(range.start, octets),
                    Ok(Fetched::Whole | Fetched::Changed) => return None,
                    Err(stop) => return Some(Err(stop)),
                }
            }
            let mut running = Running::start_parts(plan.clone(), head.clone(), (&known, is_local));
            if let Err(stop) = sink.drain(&mut running).await {
                return Some(Err(stop));
            }
            missing = running.missing.take();
            if missing.is_some() {
                continue;
            }
            if running.lacks_directory {
                return None;
            }
            let mut known = std::mem::take(&mut *lock(&known));
            known.shrink_to(MAX_KEPT_BYTES);
            known.add(0, start);
            if !is_local {
                plan.store
                    .put_parts(&plan.url, ArchiveParts { head, known });
            }
            let result = running.result.take();
            return Some(result.unwrap_or(Ok(())).map(|()| TransferEnd::Confirmed));
        }
        Some(Err(Failure::new(
            "the archive asks for too many of its parts",
        )
        .into()))
    }
}

fn lock(known: &Mutex<KnownParts>) -> std::sync::MutexGuard<'_, KnownParts> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Fetches a part of a file of which `head` has the version.
async fn fetch(
    net: &Net,
    request: &Request,
    head: &PageHead,
    (range, start): (Range<u64>, &[u8]),
) -> Result<Fetched, Stop> {
    let length = range.end - range.start;
    let request = Request {
        purpose: Purpose::Save,
        limit: None,
        save: SaveRequest {
            resume: Some(ResumeRequest {
                offset: range.start,
                version: head.version.clone(),
            }),
            length: Some(length),
            ..SaveRequest::default()
        },
        ..request.clone()
    };
    let (sender, mut parts) = mpsc::channel(4);
    let loading = load(net, request, Sink::of(PartSender::Own(sender)));
    let reading = async {
        let mut octets = Vec::new();
        while let Some(part) = parts.recv().await {
            match part {
                Part::Head(head) if head.offset != range.start => return Ok(Fetched::Whole),
                Part::Octets(more) if (octets.len() + more.len()) as u64 > length => {
                    return Ok(Fetched::Whole);
                }
                Part::Octets(more) => {
                    octets.extend(more);
                    // The server has accepted the offset, and sends the file from its beginning.
                    if !start.is_empty() && octets.starts_with(start) {
                        return Ok(Fetched::Whole);
                    }
                }
                Part::End(Err(Stop::Needs(Question::Changed { .. }))) => {
                    return Ok(Fetched::Changed);
                }
                Part::End(Err(Stop::Failed(failure)))
                    if failure.kind == FailureKind::ResumeMismatch =>
                {
                    return Ok(Fetched::Whole);
                }
                Part::End(end) => {
                    end?;
                    break;
                }
                Part::Phase(_)
                | Part::Head(_)
                | Part::Terminal(_)
                | Part::Remark(_)
                | Part::Clock(_)
                | Part::Names(_)
                | Part::Size(_)
                | Part::Hole(_)
                | Part::Covered(_) => {}
            }
        }
        if octets.len() as u64 == length {
            Ok(Fetched::Octets(octets))
        } else {
            Ok(Fetched::Changed)
        }
    };
    tokio::pin!(loading, reading);
    tokio::select! {
        biased;
        read = &mut reading => read,
        () = &mut loading => reading.await,
    }
}
