//! One attempt of a download: writes the parts of its load to the partial file.

use geomys_load::{
    FailureKind, PageHead, Part, Phase, Question, ResumeRequest, Stop, Version, is_stand_in,
};
use geomys_page::document::Shape;
use geomys_wire::net::{Net, TransferEnd};
use geomys_wire::task::blocking;
use tokio::sync::mpsc;

use super::partial_file::{PartialFile, WriteResult, length};
use super::state::State;
use super::target::{FinalName, Target, adopt, is_complete};
use super::whole::WholeFile;
use super::{
    DownloadOrder, Error, EventReport, ExistingFilePolicy, OversizePolicy, PartialFilePolicy,
    STAND_IN, SavedFile, TransferEvent,
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
    request.save.takes_holes = true;
    let url = request.url.without_password();
    let earlier = if order.is_new && start == StartPosition::Resume {
        None
    } else {
        match prepare(&order.target, url.as_str(), start).await? {
            EarlierFile::None => None,
            EarlierFile::Part(part) => Some(*part),
            EarlierFile::Whole(file) => return Ok(file),
        }
    };
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

/// What an earlier transfer has left.
enum EarlierFile {
    None,
    /// The partial file.
    Part(Box<PartialFile>),
    /// The whole file, with its final name.
    Whole(SavedFile),
}

/// Checks the target before the first attempt, and opens the file of an earlier transfer.
async fn prepare(target: &Target, url: &str, start: StartPosition) -> Result<EarlierFile, Error> {
    let (target, url) = (target.clone(), url.to_owned());
    blocking(move || {
        if start == StartPosition::Resume {
            if let Some(whole) = PartialFile::finished(&target, &url)? {
                return Ok(EarlierFile::Whole(whole));
            }
            target.check()?;
            if let Target::Resume(path) = &target {
                adopt(path, &url)?;
            }
        }
        let part = PartialFile::earlier(&target, &url)?;
        Ok(part.map_or(EarlierFile::None, |part| EarlierFile::Part(Box::new(part))))
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
    let mut reception = Reception {
        order,
        url,
        report,
        earlier,
        resumed,
        head: None,
        file: None,
        size: None,
        modified: order.modified.clone(),
        media_type: None,
        version: Version::default(),
        blocks: Vec::new(),
    };
    let mut waiting = Vec::with_capacity(WAITING);
    while parts.recv_many(&mut waiting, WAITING).await > 0 {
        for part in waiting.drain(..) {
            match part {
                // The file has no octets yet.
                Part::Phase(Phase::Unpacking { octets, size }) if !reception.has_begun() => {
                    (reception.report)(TransferEvent::Unpacking(octets, size));
                }
                Part::Phase(_)
                | Part::Terminal(_)
                | Part::Remark(_)
                | Part::Clock(_)
                | Part::Names(_)
                | Part::Covered(_) => {}
                Part::Head(begin) => reception.begin(begin).await?,
                Part::Size(now) => reception.set_size(now).await?,
                Part::Octets(octets) => {
                    net.throttle(octets.len()).await;
                    reception.blocks.push(octets);
                }
                Part::Hole(length) => reception.hole(length).await?,
                Part::End(end) => return reception.end(end).await,
            }
        }
        // A file that is whole already waits for the end of its load.
        if !reception.is_whole() {
            reception.put().await?;
        }
    }
    reception.put().await?;
    reception.end(Err(Stop::Closed)).await
}

/// State of an attempt while its octets come.
struct Reception<'a, 'b> {
    order: &'a DownloadOrder,
    url: &'a str,
    report: &'a mut EventReport<'b>,
    /// Partial file of an earlier transfer, until it is opened for this one.
    earlier: Option<PartialFile>,
    resumed: Option<ResumePoint>,
    /// Head of the reply, until a partial file is needed.
    head: Option<PageHead>,
    file: Option<PartialFile>,
    /// Announced size in octets.
    size: Option<u64>,
    modified: Option<String>,
    media_type: Option<String>,
    /// Version that the server reported.
    version: Version,
    /// Octets that are not written yet.
    blocks: Vec<Vec<u8>>,
}

impl Reception<'_, '_> {
    /// Starts with the head of a reply.
    async fn begin(&mut self, begin: PageHead) -> Result<(), AttemptError> {
        if begin.is_unchanged {
            return Err(Error::AlreadyComplete.into());
        }
        if matches!(begin.shape, Shape::Listing { .. }) {
            return Err(Error::Directory.into());
        }
        if let (Some(former), Target::Replace(path)) = (&self.order.former, &self.order.target)
            && is_stand_in(
                former.media_type.as_deref(),
                begin.file_name.media_type.as_deref(),
            )
        {
            let (path, why) = (path.clone(), STAND_IN);
            return Err(Error::NotReplaced { path, why }.into());
        }
        self.size = begin.size;
        self.version = version(&begin);
        self.media_type = begin.media_type();
        self.modified = begin.version.modified.clone().or(self.modified.take());
        refuse_complete(self.order, &version(&begin)).await?;
        let may_be_whole = self.earlier.is_none()
            && begin.offset == 0
            && !matches!(self.order.target, Target::Resume(_));
        self.head = Some(begin);
        if may_be_whole {
            (self.report)(TransferEvent::Octets(0, self.size));
            return Ok(());
        }
        self.open().await
    }

    fn has_begun(&self) -> bool {
        self.head.is_some() || self.file.is_some()
    }

    /// Opens a partial file for the octets that follow the head, if there is none.
    async fn open(&mut self) -> Result<(), AttemptError> {
        let Some(begin) = self.head.take() else {
            return Ok(());
        };
        let from = (self.earlier.take(), self.resumed.as_ref());
        let part = open_file(&begin, self.order, from, self.url).await?;
        if begin.offset == 0 && self.resumed.is_some() {
            (self.report)(TransferEvent::Restarted);
        }
        (self.report)(TransferEvent::Octets(part.len(), self.size));
        self.file = Some(part);
        Ok(())
    }

    /// Takes the size that the server tells now.
    async fn set_size(&mut self, now: u64) -> Result<(), AttemptError> {
        // What came before is written up to the size that was announced before.
        self.put().await?;
        self.size = Some(now);
        if let Some(head) = &mut self.head {
            head.version.size = self.size;
        }
        if let Some(part) = &mut self.file {
            part.set_size(now);
        }
        Ok(())
    }

    /// Returns true if all octets of the announced size have come, or none, and none is written.
    fn is_whole(&self) -> bool {
        let length = length(&self.blocks);
        self.head.is_some() && (length == 0 || self.size == Some(length))
    }

    /// Writes the octets that have come up to the announced size. Octets that differ from the partial file are
    /// discarded.
    async fn put(&mut self) -> Result<(), AttemptError> {
        let mut blocks = std::mem::take(&mut self.blocks);
        if blocks.is_empty() {
            return Ok(());
        }
        self.open().await?;
        let Some(mut part) = self.file.take() else {
            return Ok(());
        };
        let announced = self.announced();
        let is_oversize = announced.is_some_and(|size| {
            let room = size.saturating_sub(part.position);
            truncate(&mut blocks, room)
        });
        if part.write(blocks).await? == WriteResult::Mismatch {
            part.revert().await?;
            return Err(AttemptError::Mismatch);
        }
        (self.report)(TransferEvent::Octets(part.len(), self.size));
        let Some(size) = announced.filter(|_| is_oversize) else {
            self.file = Some(part);
            return Ok(());
        };
        let path = part.path.clone();
        let part = part.leave().await.unwrap_or(path);
        Err(Error::Oversize { size, part }.into())
    }

    /// Skips a hole behind the octets that have come.
    async fn hole(&mut self, length: u64) -> Result<(), AttemptError> {
        self.put().await?;
        self.open().await?;
        if let Some(part) = &mut self.file {
            part.hole(length).await?;
            (self.report)(TransferEvent::Octets(part.len(), self.size));
        }
        Ok(())
    }

    /// Returns the size that may not be exceeded.
    fn announced(&self) -> Option<u64> {
        match self.order.oversize {
            // A size of 0 is that of a file that is made while it is read, as in /proc.
            OversizePolicy::Stop => self.size.or(self.order.size).filter(|&size| size > 0),
            OversizePolicy::Fetch => None,
        }
    }

    /// Completes the file, or leaves it for a later resume.
    async fn end(mut self, end: Result<TransferEnd, Stop>) -> Result<SavedFile, AttemptError> {
        let media_type = self.media_type.take();
        let version = std::mem::take(&mut self.version);
        let saved = self.complete(end).await?;
        Ok(SavedFile {
            media_type,
            version,
            ..saved
        })
    }

    async fn complete(mut self, end: Result<TransferEnd, Stop>) -> Result<SavedFile, AttemptError> {
        if let Ok(end) = &end
            && let Some(saved) = self.save_whole(*end).await?
        {
            return Ok(saved);
        }
        self.put().await?;
        if end.is_ok() {
            self.open().await?;
        }
        let is_mismatch = self.resumed.is_some() && is_mismatch(&end, self.file.as_ref());
        let file = self.file.take().or(self.earlier.take());
        if is_mismatch {
            if let Some(file) = file {
                file.revert().await?;
            }
            return Err(AttemptError::Mismatch);
        }
        if end.is_ok() {
            (self.report)(TransferEvent::Received);
        }
        finish(end, file, self.order, (self.url, self.modified.as_deref())).await
    }

    /// Saves a file of which nothing is written yet. Returns `None` if it needs a partial file.
    async fn save_whole(&mut self, end: TransferEnd) -> Result<Option<SavedFile>, Error> {
        let length = length(&self.blocks);
        let Some(head) = self.head.as_ref() else {
            return Ok(None);
        };
        if self.announced().is_some_and(|size| length > size) {
            return Ok(None);
        }
        let mut target = self.order.target.clone();
        target.name_by_server(&self.order.request, head);
        (self.report)(TransferEvent::Octets(length, self.size));
        (self.report)(TransferEvent::Received);
        let whole = WholeFile {
            target,
            blocks: std::mem::take(&mut self.blocks),
            modified: self.modified.clone(),
            end,
            keep: self.order.keep_policy(),
            entry: self.order.entry.clone(),
            is_new: self.order.is_new,
            state: State {
                url: self.url.to_owned(),
                version: version(head),
                octets: Some(length),
                whole: None,
            },
        };
        Ok(match whole.save().await? {
            Ok(saved) => Some(saved),
            Err(blocks) => {
                self.blocks = blocks;
                None
            }
        })
    }
}

/// Refuses to fetch a file that is complete already.
async fn refuse_complete(order: &DownloadOrder, version: &Version) -> Result<(), Error> {
    if let (ExistingFilePolicy::Skip(paths), Some(size)) = (&order.existing, version.size) {
        for path in paths {
            if is_complete(path, size, version.modified.as_deref()).await {
                return Err(Error::AlreadyComplete);
            }
        }
    }
    Ok(())
}

/// Returns the version of the file that the server announces.
fn version(begin: &PageHead) -> Version {
    Version {
        size: begin.version.size.or(begin.size),
        modified: begin.version.modified.clone(),
        tag: begin.version.tag.clone(),
    }
}

/// Opens the file for the octets of a reply.
async fn open_file(
    begin: &PageHead,
    order: &DownloadOrder,
    (earlier, resumed): (Option<PartialFile>, Option<&ResumePoint>),
    url: &str,
) -> Result<PartialFile, AttemptError> {
    let version = version(begin);
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

/// Returns true if a resumed load ended like a load of another file: within the overlap, so that the file is shorter
/// than its partial file, or with more octets than possible.
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
    (url, modified): (&str, Option<&str>),
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
    Ok(file
        .finish(modified, end, (order.keep_policy(), order.entry.as_ref()))
        .await?)
}

#[cfg(test)]
mod tests {
    use geomys_load::{Reason, Request};
    use rfc1738::Url;

    use super::*;

    const OLD: &[u8] = b"0123456789";

    /// Runs a scripted load of a file of twenty octets on a partial file with the first ten. Returns the reported
    /// events, the result and the final content.
    async fn attempt_with(
        offset: u64,
        octets: &[u8],
        end: Result<TransferEnd, Stop>,
    ) -> (Vec<TransferEvent>, Result<SavedFile, AttemptError>, Vec<u8>) {
        let directory = tempfile::tempdir().unwrap();
        let url = Url::parse("ftp://h.example/a").unwrap();
        let target = Target::New(directory.path().join("a"));
        let order = DownloadOrder::new(Request::show(url.clone(), Reason::Typed), target.clone());
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
        let earlier = PartialFile::earlier(&target, url.as_str()).unwrap();
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
        let failure = geomys_load::Failure {
            kind: FailureKind::ResumeMismatch,
            ..geomys_load::Failure::new("it sends more")
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
