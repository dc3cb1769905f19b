//! One attempt of a download: writes the parts of its load to the partial file.

use tokio::sync::mpsc;

use super::partial_file::{PartialFile, WriteResult};
use super::target::is_complete;
use super::{
    DownloadOrder, Error, ExistingFilePolicy, OversizePolicy, PartialFilePolicy, SavedFile,
    TransferEvent,
};
use crate::document::Shape;
use crate::load::{
    FailureKind, LoadId, PageHead, Part, Question, ResumeRequest, Sink, Stop, Version, load,
};
use crate::net::Net;

/// Maximum number of parts that wait for the disk; as many are written at once.
const WAITING: usize = 16;

/// Start position of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartPosition {
    /// The end of the partial file, if there is one.
    Resume,
    /// The first octet; received octets are compared with the partial file.
    Beginning,
}

/// Result of an attempt.
#[derive(Debug)]
pub(super) enum AttemptResult {
    /// The complete file.
    Saved(SavedFile),
    /// The partial file differs from the octets of the server, or cannot be proven equal: it may not be resumed.
    Mismatch,
}

/// Resume point of an attempt.
struct ResumePoint {
    /// Offset, and the version that the server reported for the partial file.
    from: ResumeRequest,
    /// True if the user has requested to resume even if the file has changed.
    is_trusted: bool,
}

/// Executes an order, once.
///
/// # Errors
/// Any [`Error`].
pub(super) async fn attempt(
    net: &Net,
    order: &DownloadOrder,
    start: StartPosition,
    report: &mut impl FnMut(TransferEvent),
) -> Result<AttemptResult, Error> {
    let mut request = order.request.clone();
    let url = request.url.without_password();
    let earlier = PartialFile::earlier(&order.target, url.as_str()).await?;
    let resumed = earlier.as_ref().and_then(|part| {
        let (version, is_trusted) = match order.partial {
            PartialFilePolicy::ResumeUnchanged => (part.version(), false),
            PartialFilePolicy::ResumeAlways => (Version::default(), true),
            PartialFilePolicy::Restart => return None,
        };
        let is_oversize = order.oversize == OversizePolicy::Fetch && part.is_full();
        let offset = part
            .resume_at()
            .filter(|_| start == StartPosition::Resume && !is_oversize)?;
        let from = ResumeRequest { offset, version };
        Some(ResumePoint { from, is_trusted })
    });
    request.resume = resumed.as_ref().map(|resumed| resumed.from.clone());
    let (sender, parts) = mpsc::channel(WAITING);
    let fetching = load(net, request, Sink::new(LoadId(0), sender));
    let writing = write(parts, order, (earlier, resumed), url.as_str(), report);
    // The writer ends when the load ends, or earlier: then the load is dropped with its socket.
    tokio::pin!(fetching);
    tokio::pin!(writing);
    tokio::select! {
        biased;
        result = &mut writing => result,
        () = &mut fetching => writing.await,
    }
}

/// Writes the parts of a load to the partial file of an earlier transfer, or to a new one.
async fn write(
    mut parts: mpsc::Receiver<(LoadId, Part)>,
    order: &DownloadOrder,
    (earlier, resumed): (Option<PartialFile>, Option<ResumePoint>),
    url: &str,
    report: &mut impl FnMut(TransferEvent),
) -> Result<AttemptResult, Error> {
    let mut earlier = earlier;
    let mut file: Option<PartialFile> = None;
    let mut size = None;
    let mut modified = order.modified.clone();
    let mut waiting = Vec::with_capacity(WAITING);
    while parts.recv_many(&mut waiting, WAITING).await > 0 {
        let mut blocks = Vec::new();
        for (_, part) in waiting.drain(..) {
            match part {
                Part::Phase(_) | Part::Session(_) | Part::Remark(_) | Part::Clock(_) => {}
                Part::Head(begin) => {
                    if matches!(begin.shape, Shape::Listing { .. }) {
                        return Err(Error::Directory);
                    }
                    size = begin.size;
                    modified = begin.version.modified.clone().or(modified);
                    let opening = open_file(&begin, order, (earlier.take(), resumed.as_ref()), url);
                    let Some(part) = opening.await? else {
                        return Ok(AttemptResult::Mismatch);
                    };
                    if begin.offset == 0 && resumed.is_some() {
                        report(TransferEvent::Restarted);
                    }
                    report(TransferEvent::Octets(part.len(), size));
                    file = Some(part);
                }
                Part::Octets(octets) => blocks.push(octets),
                Part::End(end) => {
                    let blocks = std::mem::take(&mut blocks);
                    let result = put(file.as_mut(), blocks, (size, order), report).await?;
                    if !matches!(result, ReceiveResult::Complete) {
                        return discard_blocks(result, file).await;
                    }
                    let is_mismatch = resumed.is_some() && is_mismatch(&end, file.as_ref());
                    let file = file.or(earlier);
                    if is_mismatch {
                        return discard_blocks(ReceiveResult::Mismatch, file).await;
                    }
                    return finish(end, file, order, url, modified.as_deref()).await;
                }
            }
        }
        let result = put(file.as_mut(), blocks, (size, order), report).await?;
        if !matches!(result, ReceiveResult::Complete) {
            return discard_blocks(result, file).await;
        }
    }
    let end = Err(Stop::Closed);
    finish(end, file.or(earlier), order, url, None).await
}

/// Opens the file for the octets of a reply; `None` if the partial file cannot be resumed by this reply.
async fn open_file(
    begin: &PageHead,
    order: &DownloadOrder,
    (earlier, resumed): (Option<PartialFile>, Option<&ResumePoint>),
    url: &str,
) -> Result<Option<PartialFile>, Error> {
    let version = Version {
        size: begin.version.size.or(begin.size),
        modified: begin.version.modified.clone(),
        tag: begin.version.tag.clone(),
    };
    if let (ExistingFilePolicy::Skip(paths), Some(size)) = (&order.existing, version.size) {
        for path in paths {
            if is_complete(path, size, version.modified.as_deref()).await {
                return Err(Error::AlreadyComplete);
            }
        }
    }
    let mut part = match earlier {
        Some(part) => part,
        None => PartialFile::create(&order.target, Some(url)).await?,
    };
    // A load that was not resumed has not compared the versions.
    if let Some(was) = resumed.map(|resumed| resumed.from.version.clone())
        && !was.may_be(&version)
    {
        let stop = Box::new(Stop::Needs(Question::Changed { was, is: version }));
        let part = part.leave().await;
        return Err(Error::Stopped { stop, part });
    }
    if order.partial == PartialFilePolicy::Restart {
        part.clear().await?;
    }
    let is_same_file = match resumed.filter(|_| begin.offset > 0) {
        Some(resumed) => {
            part.may_resume(begin.offset, &version, resumed.is_trusted)
                .await?
        }
        None => true,
    };
    if !is_same_file {
        return Ok(None);
    }
    part.begin(begin.offset, version).await?;
    Ok(Some(part))
}

/// Result of receiving blocks.
enum ReceiveResult {
    /// All blocks are in the partial file.
    Complete,
    /// The blocks differ from the partial file.
    Mismatch,
    /// The server sends more than this announced size, in octets.
    Oversize(u64),
}

/// Writes blocks up to the announced size.
async fn put(
    file: Option<&mut PartialFile>,
    mut blocks: Vec<Vec<u8>>,
    (size, order): (Option<u64>, &DownloadOrder),
    report: &mut impl FnMut(TransferEvent),
) -> Result<ReceiveResult, Error> {
    let Some(part) = file.filter(|_| !blocks.is_empty()) else {
        return Ok(ReceiveResult::Complete);
    };
    let announced = match order.oversize {
        OversizePolicy::Stop => size.or(order.size),
        OversizePolicy::Fetch => None,
    };
    let is_oversize =
        announced.filter(|size| truncate(&mut blocks, size.saturating_sub(part.position())));
    if part.write(blocks).await? == WriteResult::Mismatch {
        return Ok(ReceiveResult::Mismatch);
    }
    report(TransferEvent::Octets(part.len(), size));
    Ok(is_oversize.map_or(ReceiveResult::Complete, ReceiveResult::Oversize))
}

/// Truncates blocks to `room` octets in total. Returns true if there were more.
fn truncate(blocks: &mut Vec<Vec<u8>>, room: u64) -> bool {
    let mut room = usize::try_from(room).unwrap_or(usize::MAX);
    let mut is_oversize = false;
    blocks.retain_mut(|block| {
        is_oversize |= block.len() > room;
        block.truncate(room);
        room -= block.len();
        !block.is_empty()
    });
    is_oversize
}

/// Ends an attempt whose octets are not accepted; octets that do not match the partial file are discarded.
async fn discard_blocks(
    result: ReceiveResult,
    file: Option<PartialFile>,
) -> Result<AttemptResult, Error> {
    match (result, file) {
        (ReceiveResult::Oversize(size), Some(file)) => {
            let path = file.path().to_owned();
            let part = file.leave().await.unwrap_or(path);
            Err(Error::Oversize { size, part })
        }
        (ReceiveResult::Mismatch | ReceiveResult::Complete, Some(file)) => {
            file.revert().await?;
            Ok(AttemptResult::Mismatch)
        }
        (_, None) => Ok(AttemptResult::Mismatch),
    }
}

/// Returns true if a resumed load ended like a load of another file: within the overlap, so that the file is shorter than its
/// partial file, or with more octets than possible.
fn is_mismatch(end: &Result<(), Stop>, file: Option<&PartialFile>) -> bool {
    match end {
        Ok(()) => file.is_some_and(|file| !file.is_verified()),
        Err(Stop::Failed(failure)) => failure.kind == FailureKind::ResumeMismatch,
        Err(Stop::Needs(_) | Stop::Truncated(_) | Stop::Closed) => false,
    }
}

async fn finish(
    end: Result<(), Stop>,
    file: Option<PartialFile>,
    order: &DownloadOrder,
    url: &str,
    modified: Option<&str>,
) -> Result<AttemptResult, Error> {
    match (end, file) {
        (Ok(()), Some(file)) => file.finish(modified).await.map(AttemptResult::Saved),
        (Ok(()), None) => {
            let file = PartialFile::create(&order.target, Some(url)).await?;
            file.finish(modified).await.map(AttemptResult::Saved)
        }
        (Err(stop), Some(file)) => {
            let (stop, part) = (Box::new(stop), file.leave().await);
            Err(Error::Stopped { stop, part })
        }
        (Err(stop), None) => Err(Error::Stopped {
            stop: Box::new(stop),
            part: None,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Target;
    use super::super::state::State;
    use super::*;
    use crate::load::Request;
    use crate::url::Url;

    const OLD: &[u8] = b"0123456789";

    /// Runs a scripted load of a file of twenty octets on a partial file with the first ten. Returns the reported events, the
    /// result and the final content.
    async fn attempt_with(
        offset: u64,
        octets: &[u8],
        end: Result<(), Stop>,
    ) -> (Vec<TransferEvent>, Result<AttemptResult, Error>, Vec<u8>) {
        let directory = tempfile::tempdir().unwrap();
        let url = Url::parse("ftp://h.example/a").unwrap();
        let target = Target::New(directory.path().join("a"));
        let order = DownloadOrder::new(Request::show(url.clone()), target.clone());
        let part = directory.path().join("a.part");
        std::fs::write(&part, OLD).unwrap();
        let version = Version {
            size: Some(20),
            ..Version::default()
        };
        let state = State {
            url: url.to_string(),
            version: version.clone(),
            ..State::default()
        };
        state.write(&part).unwrap();
        let earlier = PartialFile::earlier(&target, url.as_str()).await.unwrap();
        let resumed = ResumePoint {
            from: ResumeRequest { offset: 4, version },
            is_trusted: false,
        };
        let (sender, parts) = mpsc::channel(WAITING);
        let begin = PageHead {
            offset,
            size: Some(20),
            ..PageHead::new(Shape::Text)
        };
        let mut script = vec![Part::Head(begin)];
        script.extend(octets.chunks(3).map(|octets| Part::Octets(octets.to_vec())));
        script.push(Part::End(end));
        for part in script {
            sender.send((LoadId(0), part)).await.unwrap();
        }
        drop(sender);
        let mut events = Vec::new();
        let from = (earlier, Some(resumed));
        let mut report = |report| events.push(report);
        let result = write(parts, &order, from, url.as_str(), &mut report).await;
        let path = match &result {
            Ok(AttemptResult::Saved(saved)) => saved.path.clone(),
            _ => part,
        };
        (events, result, std::fs::read(path).unwrap())
    }

    async fn written(
        offset: u64,
        octets: &[u8],
        end: Result<(), Stop>,
    ) -> (Vec<TransferEvent>, Vec<u8>) {
        let (events, result, file) = attempt_with(offset, octets, end).await;
        match result {
            Ok(AttemptResult::Saved(_)) | Err(Error::Stopped { part: Some(_), .. }) => {
                (events, file)
            }
            other => panic!("{other:?}"),
        }
    }

    fn stopped() -> Result<(), Stop> {
        Err(Stop::Closed)
    }

    #[tokio::test]
    async fn part_grows_when_the_overlap_is_equal() {
        let (events, file) = written(4, b"456789abcdefghij", Ok(())).await;
        assert_eq!(file, b"0123456789abcdefghij");
        assert_eq!(events.first(), Some(&TransferEvent::Octets(10, Some(20))));
        assert!(!events.contains(&TransferEvent::Restarted));
        let (_, file) = written(4, b"456789abc", stopped()).await;
        assert_eq!(file, b"0123456789abc");
        // Broken off within the overlap.
        let (_, file) = written(4, b"456", stopped()).await;
        assert_eq!(file, OLD);
    }

    #[tokio::test]
    async fn part_stays_as_it_was_when_the_overlap_differs() {
        for octets in [b"0123456789abcdef".as_slice(), b"456x89abcdefghij", b"456"] {
            let (_, result, file) = attempt_with(4, octets, Ok(())).await;
            assert!(matches!(result, Ok(AttemptResult::Mismatch)), "{result:?}");
            assert_eq!(file, OLD);
        }
    }

    #[tokio::test]
    async fn part_loses_what_came_when_the_server_ignored_the_offset() {
        let failure = crate::load::Failure {
            kind: FailureKind::ResumeMismatch,
            ..crate::load::Failure::new("it sends more")
        };
        let (_, result, file) = attempt_with(4, b"456789abc", Err(failure.into())).await;
        assert!(matches!(result, Ok(AttemptResult::Mismatch)), "{result:?}");
        assert_eq!(file, OLD);
    }

    #[tokio::test]
    async fn download_stops_at_its_announced_size() {
        for (offset, octets) in [
            (0, b"0123456789abcdefghij+".as_slice()),
            (4, b"456789abcdefghij++++"),
        ] {
            let (_, result, file) = attempt_with(offset, octets, Ok(())).await;
            assert!(
                matches!(result, Err(Error::Oversize { size: 20, .. })),
                "{result:?}"
            );
            assert_eq!(file, b"0123456789abcdefghij");
        }
    }

    #[tokio::test]
    async fn what_comes_again_takes_nothing_away() {
        // Less came than was here.
        let (events, file) = written(0, b"0123", stopped()).await;
        assert_eq!(file, OLD);
        assert_eq!(events.first(), Some(&TransferEvent::Restarted));
        assert_eq!(events.last(), Some(&TransferEvent::Octets(10, Some(20))));
        let (_, file) = written(0, b"0123456789abcdefghij", Ok(())).await;
        assert_eq!(file, b"0123456789abcdefghij");
    }

    #[tokio::test]
    async fn two_files_are_never_mixed() {
        let (_, file) = written(0, b"0123x", stopped()).await;
        assert_eq!(file, b"0123x");
        let (_, file) = written(0, b"01", Ok(())).await;
        assert_eq!(file, b"01", "it is shorter now");
    }
}
