//! Zip archives without downloading them: the directory at their end is fetched, and a member alone, where the server
//! sends parts of a file (REST of FTP, ranges of HTTP). One that does not is noticed at the head of its answer. A long
//! member is read while it comes. Those on the disk are read so too.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use geomys_page::archive::{KnownParts, MAX_FETCHED_BYTES, UnpackError};
use geomys_wire::net::{Net, TransferEnd};
use rfc1738::Protocol;
use tokio::sync::mpsc;

use super::running::ComingRange;
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

/// The capacity of the channels for the pieces of a part.
const PIECES: usize = 4;

/// The most parts that are fetched for one request: the directory, and the member.
const MAX_FETCHES: usize = 64;

/// The end of a request for a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fetched {
    /// All of it was passed on that is wanted.
    Part,
    /// The server sends the file from its beginning: nothing was passed on.
    Whole,
    /// The file has changed since its other parts came.
    Changed,
}

/// The zip on its server.
struct RemoteZip<'a> {
    net: &'a Net,
    request: &'a Request,
    /// The head of its first answer, with its version.
    head: PageHead,
    /// Its first octets.
    start: Vec<u8>,
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
        let size = parts.head.size.unwrap_or_default();
        let zip = RemoteZip {
            net,
            request,
            head: parts.head,
            start: parts.known.beginning().to_vec(),
        };
        let is_local = matches!(request.url.protocol(), Protocol::File(_));
        let known = match open_regular(&request.url) {
            _ if !is_local => parts.known,
            Some(file) => KnownParts::of_file(file, size),
            None => return None,
        };
        let mut missing = known.missing(size.saturating_sub(TAIL_BYTES)..size);
        let known = Arc::new(Mutex::new(known));
        for _ in 0..MAX_FETCHES {
            let start = |coming| {
                Running::start_parts(plan.clone(), zip.head.clone(), (&known, is_local), coming)
            };
            let read = match missing.take() {
                Some(range) if range.end - range.start > MAX_FETCHED_BYTES => {
                    zip.read_coming(range, start, sink).await
                }
                Some(range) => match zip.fetch_whole(range.clone()).await {
                    Ok(Some(octets)) => {
                        lock(&known).add(range.start, octets);
                        zip.read(start(None), sink).await
                    }
                    Ok(None) => Ok(None),
                    Err(stop) => Err(stop),
                },
                None => zip.read(start(None), sink).await,
            };
            let mut running = match read {
                Ok(running) => running?,
                Err(stop) => return Some(Err(stop)),
            };
            missing = running.missing.take();
            if missing.is_some() {
                continue;
            }
            if running.lacks_directory {
                return None;
            }
            let mut known = std::mem::take(&mut *lock(&known));
            known.shrink_to(MAX_KEPT_BYTES);
            known.add(0, zip.start);
            if !is_local {
                let head = zip.head;
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

impl RemoteZip<'_> {
    /// Passes on all that a reader reports.
    async fn read(&self, mut running: Running, sink: &mut Sink) -> Result<Option<Running>, Stop> {
        sink.drain(&mut running).await?;
        Ok(Some(running))
    }

    /// Passes on all that a reader reports of a part while it comes; `start` starts the reader. Returns None if the
    /// server does not send parts: nothing was reported.
    async fn read_coming(
        &self,
        range: Range<u64>,
        start: impl FnOnce(Option<ComingRange>) -> Running,
        sink: &mut Sink,
    ) -> Result<Option<Running>, Stop> {
        let (sender, coming) = mpsc::channel(PIECES);
        let mut running = start(Some((range.clone(), coming)));
        let fetched = {
            let fetching = self.fetch(range.clone(), sender);
            let draining = sink.drain(&mut running);
            tokio::pin!(fetching, draining);
            tokio::select! {
                biased;
                // The reader needs no more.
                drained = &mut draining => {
                    drained?;
                    Fetched::Part
                }
                fetched = &mut fetching => {
                    draining.await?;
                    fetched?
                }
            }
        };
        match fetched {
            Fetched::Part => Ok(Some(running)),
            Fetched::Whole => Ok(None),
            Fetched::Changed => Err(running.stop(UnpackError::Range(range))),
        }
    }

    /// Fetches a part of the file; None if the server does not send it.
    async fn fetch_whole(&self, range: Range<u64>) -> Result<Option<Vec<u8>>, Stop> {
        let (sender, mut pieces) = mpsc::channel(PIECES);
        let collecting = async {
            let mut octets = Vec::new();
            while let Some(piece) = pieces.recv().await {
                octets.extend(piece);
            }
            octets
        };
        let (fetched, octets) = tokio::join!(self.fetch(range, sender), collecting);
        Ok((fetched? == Fetched::Part).then_some(octets))
    }

    /// Fetches a part of the file, and passes its pieces on until nobody wants them.
    async fn fetch(
        &self,
        range: Range<u64>,
        pieces: mpsc::Sender<Vec<u8>>,
    ) -> Result<Fetched, Stop> {
        let length = range.end - range.start;
        let request = Request {
            purpose: Purpose::Save,
            limit: None,
            save: SaveRequest {
                resume: Some(ResumeRequest {
                    offset: range.start,
                    version: self.head.version.clone(),
                }),
                length: Some(length),
                ..SaveRequest::default()
            },
            ..self.request.clone()
        };
        let (sender, mut parts) = mpsc::channel(PIECES);
        let loading = load(self.net, request, Sink::of(PartSender::Own(sender)));
        let passing = async {
            let (mut came, mut first) = (0, Some(Vec::new()));
            while let Some(part) = parts.recv().await {
                let octets = match part {
                    Part::Head(head) if head.offset != range.start => return Ok(Fetched::Whole),
                    Part::Octets(octets) => octets,
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
                    | Part::Covered(_) => continue,
                };
                came += octets.len() as u64;
                let octets = match first.take() {
                    None => octets,
                    Some(mut before) => {
                        before.extend(octets);
                        // The server has accepted the offset, and sends the file from its beginning.
                        if came > length
                            || !self.start.is_empty() && before.starts_with(&self.start)
                        {
                            return Ok(Fetched::Whole);
                        }
                        if came < length && self.start.starts_with(&before) {
                            first = Some(before);
                            continue;
                        }
                        before
                    }
                };
                if came > length {
                    return Ok(Fetched::Changed);
                }
                if pieces.send(octets).await.is_err() {
                    return Ok(Fetched::Part);
                }
            }
            Ok(if came == length {
                Fetched::Part
            } else {
                Fetched::Changed
            })
        };
        tokio::pin!(loading, passing);
        tokio::select! {
            biased;
            passed = &mut passing => passed,
            () = &mut loading => passing.await,
        }
    }
}
