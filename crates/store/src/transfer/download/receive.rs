//! One attempt of a download: writes the parts of its load to the partial file.

use geomys_page::document::Shape;
use geomys_page::load::{FailureKind, PageHead, Part, Question, ResumeRequest, Stop, Version};
use geomys_wire::net::{Net, TransferEnd};
use tokio::sync::mpsc;

use super::partial_file::{PartialFile, WriteResult};
use super::target::{FinalName, is_complete};
use super::{
    DownloadOrder, Error, EventReport, ExistingFilePolicy, OversizePolicy, PartialFilePolicy,
    SavedFile, TransferEvent,
};
use crate::transfer::{WAITING, load_parts};

/// Start position of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartPosition {
    /// The end of the partial file, if there is one.
    Resume,
    /// The first octet; received octets are compared with the partial file.
    Beginning,
}

/// Error of an attempt.
#[derive(Debug)]
pub(super) enum AttemptError {
    /// The partial file differs from the octets of the server, or cannot be proven equal: it may not be resumed.
    Mismatch,
    /// The download failed.
    Failed(Error),
}

impl From<Error> for AttemptError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
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
/// Any [`AttemptError`].
pub(super) async fn attempt(
    net: &Net,
    order: &DownloadOrder,
    start: StartPosition,
    report: &mut EventReport<'_>,
) -> Result<SavedFile, AttemptError> {
    let mut request = order.request.clone();
    request.save.oversize = order.oversize;
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
    request.save.resume = resumed.as_ref().map(|resumed| resumed.from.clone());
    load_parts(net, request, |parts| {
        write(net, parts, order, (earlier, resumed), url.as_str(), report)
    })
    .await
}

/// Writes the parts of a load to the partial file of an earlier transfer, or to a new one.
async fn write(
    net: &Net,
    mut parts: mpsc::Receiver<Part>,
    order: &DownloadOrder,
    (earlier, resumed): (Option<PartialFile>, Option<ResumePoint>),
    url: &str,
    report: &mut EventReport<'_>,
) -> Result<SavedFile, AttemptError> {
    let mut earlier = earlier;
    let mut file: Option<PartialFile> = None;
    let mut size = None;
    let mut modified = order.modified.clone();
    let mut waiting = Vec::with_capacity(WAITING);
    let mut blocks = Vec::new();
    while parts.recv_many(&mut waiting, WAITING).await > 0 {
        for part in waiting.drain(..) {
            match part {
                Part::Phase(_)
                | Part::Terminal(_)
                | Part::Remark(_)
                | Part::Clock(_)
                | Part::Names(_)
                | Part::Covered(_) => {}
                Part::Head(begin) => {
                    if matches!(begin.shape, Shape::Listing { .. }) {
                        return Err(Error::Directory.into());
                    }
                    size = begin.size;
                    modified = begin.version.modified.clone().or(modified);
                    let opening = open_file(&begin, order, (earlier.take(), resumed.as_ref()), url);
                    let part = opening.await?;
                    if begin.offset == 0 && resumed.is_some() {
                        report(TransferEvent::Restarted);
                    }
                    report(TransferEvent::Octets(part.len(), size));
                    file = Some(part);
                }
                Part::Size(now) => {
                    // What came before is written up to the size that was announced before.
                    file = put(file, std::mem::take(&mut blocks), (size, order), report).await?;
                    size = Some(now);
                    if let Some(part) = &mut file {
                        part.set_size(now);
                    }
                }
                Part::Octets(octets) => {
                    net.throttle(octets.len()).await;
                    blocks.push(octets);
                }
                Part::End(end) => {
                    let blocks = std::mem::take(&mut blocks);
                    let file = put(file, blocks, (size, order), report).await?;
                    let is_mismatch = resumed.is_some() && is_mismatch(&end, file.as_ref());
                    let file = file.or(earlier);
                    if is_mismatch {
                        if let Some(file) = file {
                            file.revert().await?;
                        }
                        return Err(AttemptError::Mismatch);
                    }
                    return finish(end, file, order, url, modified.as_deref()).await;
                }
            }
        }
        // A file that is whole already waits for the end of its load: it is written at once, without a state.
        if !file.as_ref().is_some_and(|file| file.is_whole(&blocks)) {
            file = put(file, std::mem::take(&mut blocks), (size, order), report).await?;
        }
    }
    let file = put(file, blocks, (size, order), report).await?;
    let end = Err(Stop::Closed);
    finish(end, file.or(earlier), order, url, None).await
}

/// Opens the file for the octets of a reply.
async fn open_file(
    begin: &PageHead,
    order: &DownloadOrder,
    (earlier, resumed): (Option<PartialFile>, Option<&ResumePoint>),
    url: &str,
) -> Result<PartialFile, AttemptError> {
    let version = Version {
        size: begin.version.size.or(begin.size),
        modified: begin.version.modified.clone(),
        tag: begin.version.tag.clone(),
    };
    if let (ExistingFilePolicy::Skip(paths), Some(size)) = (&order.existing, version.size) {
        for path in paths {
            if is_complete(path, size, version.modified.as_deref()).await {
                return Err(Error::AlreadyComplete.into());
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
        let stop = Stop::Needs(Question::Changed { was, is: version });
        return Err(Error::stopped(stop, part.leave().await).into());
    }
    if order.partial == PartialFilePolicy::Restart {
        part.clear().await?;
    }
    if let Some(resumed) = resumed.filter(|_| begin.offset > 0)
        && !part
            .may_resume(begin.offset, &version, resumed.is_trusted)
            .await?
    {
        return Err(AttemptError::Mismatch);
    }
    if let FinalName::Named(target) = &mut part.target.final_name {
        target.name_by_server(&order.request, begin);
    }
    part.begin(begin.offset, version).await?;
    Ok(part)
}

/// Writes blocks up to the announced size, and returns the file. Blocks that differ from the partial file are discarded.
async fn put(
    file: Option<PartialFile>,
    mut blocks: Vec<Vec<u8>>,
    (size, order): (Option<u64>, &DownloadOrder),
    report: &mut EventReport<'_>,
) -> Result<Option<PartialFile>, AttemptError> {
    let Some(mut part) = file else {
        return Ok(None);
    };
    if blocks.is_empty() {
        return Ok(Some(part));
    }
    let announced = match order.oversize {
        // A size of 0 is that of a file that is made while it is read, as in /proc.
        OversizePolicy::Stop => size.or(order.size).filter(|&size| size > 0),
        OversizePolicy::Fetch => None,
    };
    let oversize =
        announced.filter(|size| truncate(&mut blocks, size.saturating_sub(part.position)));
    if part.write(blocks).await? == WriteResult::Mismatch {
        part.revert().await?;
        return Err(AttemptError::Mismatch);
    }
    report(TransferEvent::Octets(part.len(), size));
    let Some(size) = oversize else {
        return Ok(Some(part));
    };
    let path = part.path.clone();
    let part = part.leave().await.unwrap_or(path);
    Err(Error::Oversize { size, part }.into())
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

/// Returns true if a resumed load ended like a load of another file: within the overlap, so that the file is shorter than its
/// partial file, or with more octets than possible.
fn is_mismatch(end: &Result<TransferEnd, Stop>, file: Option<&PartialFile>) -> bool {
    match end {
        Ok(_) => file.is_some_and(|file| !file.is_verified()),
        Err(Stop::Failed(failure)) => failure.kind == FailureKind::ResumeMismatch,
        Err(Stop::Needs(_) | Stop::Truncated(_) | Stop::Closed) => false,
    }
}

async fn finish(
    end: Result<TransferEnd, Stop>,
    file: Option<PartialFile>,
    order: &DownloadOrder,
    url: &str,
    modified: Option<&str>,
) -> Result<SavedFile, AttemptError> {
    let end = match end {
        Ok(end) => end,
        Err(stop) => {
            let part = match file {
                Some(file) => file.leave().await,
                None => None,
            };
            return Err(Error::stopped(stop, part).into());
        }
    };
    let file = match file {
        Some(file) => file,
        None => PartialFile::create(&order.target, Some(url)).await?,
    };
    Ok(file.finish(modified, end, order.shorter).await?)
}

#[cfg(test)]
mod tests {
    use geomys_page::load::Request;
    use rfc1738::Url;

    use super::super::state::State;
    use super::super::target::Target;
    use super::*;

    const OLD: &[u8] = b"0123456789";

    /// Runs a scripted load of a file of twenty octets on a partial file with the first ten. Returns the reported events, the
    /// result and the final content.
    async fn attempt_with(
        offset: u64,
        octets: &[u8],
        end: Result<TransferEnd, Stop>,
    ) -> (Vec<TransferEvent>, Result<SavedFile, AttemptError>, Vec<u8>) {
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
            sender.send(part).await.unwrap();
        }
        drop(sender);
        let mut events = Vec::new();
        let from = (earlier, Some(resumed));
        let mut report = |report| events.push(report);
        let net = Net::default();
        let result = write(&net, parts, &order, from, url.as_str(), &mut report).await;
        let path = match &result {
            Ok(saved) => saved.path.clone(),
            _ => part,
        };
        (events, result, std::fs::read(path).unwrap())
    }

    async fn written(
        offset: u64,
        octets: &[u8],
        end: Result<TransferEnd, Stop>,
    ) -> (Vec<TransferEvent>, Vec<u8>) {
        let (events, result, file) = attempt_with(offset, octets, end).await;
        match result {
            Ok(_) | Err(AttemptError::Failed(Error::Stopped { part: Some(_), .. })) => {
                (events, file)
            }
            other => panic!("{other:?}"),
        }
    }

    const STOPPED: Result<TransferEnd, Stop> = Err(Stop::Closed);

    #[tokio::test]
    async fn part_grows_when_the_overlap_is_equal() {
        let (events, file) = written(4, b"456789abcdefghij", Ok(TransferEnd::Confirmed)).await;
        assert_eq!(file, b"0123456789abcdefghij");
        assert_eq!(events.first(), Some(&TransferEvent::Octets(10, Some(20))));
        assert!(!events.contains(&TransferEvent::Restarted));
        let (_, file) = written(4, b"456789abc", STOPPED).await;
        assert_eq!(file, b"0123456789abc");
        // Broken off within the overlap.
        let (_, file) = written(4, b"456", STOPPED).await;
        assert_eq!(file, OLD);
    }

    #[tokio::test]
    async fn part_stays_as_it_was_when_the_overlap_differs() {
        for octets in [b"0123456789abcdef".as_slice(), b"456x89abcdefghij", b"456"] {
            let (_, result, file) = attempt_with(4, octets, Ok(TransferEnd::Confirmed)).await;
            assert!(matches!(result, Err(AttemptError::Mismatch)), "{result:?}");
            assert_eq!(file, OLD);
        }
    }

    #[tokio::test]
    async fn part_loses_what_came_when_the_server_ignored_the_offset() {
        let failure = geomys_page::load::Failure {
            kind: FailureKind::ResumeMismatch,
            ..geomys_page::load::Failure::new("it sends more")
        };
        let (_, result, file) = attempt_with(4, b"456789abc", Err(failure.into())).await;
        assert!(matches!(result, Err(AttemptError::Mismatch)), "{result:?}");
        assert_eq!(file, OLD);
    }

    #[tokio::test]
    async fn download_stops_at_its_announced_size() {
        for (offset, octets) in [
            (0, b"0123456789abcdefghij+".as_slice()),
            (4, b"456789abcdefghij++++"),
        ] {
            let (_, result, file) = attempt_with(offset, octets, Ok(TransferEnd::Confirmed)).await;
            assert!(
                matches!(
                    result,
                    Err(AttemptError::Failed(Error::Oversize { size: 20, .. }))
                ),
                "{result:?}"
            );
            assert_eq!(file, b"0123456789abcdefghij");
        }
    }

    #[tokio::test]
    async fn what_comes_again_takes_nothing_away() {
        // Less came than was here.
        let (events, file) = written(0, b"0123", STOPPED).await;
        assert_eq!(file, OLD);
        assert_eq!(events.first(), Some(&TransferEvent::Restarted));
        assert_eq!(events.last(), Some(&TransferEvent::Octets(10, Some(20))));
        let (_, file) = written(0, b"0123456789abcdefghij", Ok(TransferEnd::Confirmed)).await;
        assert_eq!(file, b"0123456789abcdefghij");
    }

    #[tokio::test]
    async fn two_files_are_never_mixed() {
        let (_, file) = written(0, b"0123x", STOPPED).await;
        assert_eq!(file, b"0123x");
        let (_, file) = written(0, b"01", Ok(TransferEnd::Confirmed)).await;
        assert_eq!(file, b"01", "it is shorter now");
    }
}
