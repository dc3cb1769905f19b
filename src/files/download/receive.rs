//! One try of a download: the parts of its load go to the part file.

use tokio::sync::mpsc;

use super::part::{PartFile, Written};
use super::target::is_whole;
use super::{Earlier, Error, Order, PastSize, Report, Saved, There};
use crate::document::Shape;
use crate::load::{Begin, FailureKind, LoadId, Part, Question, Resume, Sink, Stop, Version, load};
use crate::net::Net;

/// Parts that may wait for the disk; as many go to it at once.
const WAITING: usize = 16;

/// Where a try begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// Where the part of an earlier one ends, if there is one.
    Resumed,
    /// At the first octet; what comes is compared with the part.
    Beginning,
}

/// What came of a try.
#[derive(Debug)]
pub(super) enum Attempt {
    /// The file.
    Saved(Saved),
    /// The part does not fit what the server sends, or it cannot be told whether it does: it may not be resumed.
    Mismatch,
}

/// Where a try was resumed.
struct Resumed {
    /// Where, and what the server said of the file then.
    from: Resume,
    /// Whether a person has said to resume whatever the server says of the file.
    is_trusted: bool,
}

/// Carries an order out.
///
/// # Errors
/// Any [`Error`].
pub(super) async fn attempt(
    net: &Net,
    order: &Order,
    start: Start,
    report: &mut impl FnMut(Report),
) -> Result<Attempt, Error> {
    let mut request = order.request.clone();
    let url = request.url.without_password();
    let earlier = PartFile::earlier(&order.target, url.as_str()).await?;
    let resumed = earlier.as_ref().and_then(|part| {
        let (version, is_trusted) = match order.earlier {
            Earlier::Checked => (part.version(), false),
            Earlier::Trusted => (Version::default(), true),
            Earlier::Replaced => return None,
        };
        let is_past_size = order.past_size == PastSize::Fetch && part.is_full();
        let offset = part
            .resume_at()
            .filter(|_| start == Start::Resumed && !is_past_size)?;
        let from = Resume { offset, version };
        Some(Resumed { from, is_trusted })
    });
    request.resume = resumed.as_ref().map(|resumed| resumed.from.clone());
    let (sender, parts) = mpsc::channel(WAITING);
    let fetching = load(net, request, Sink::new(LoadId(0), sender));
    let writing = write(parts, order, (earlier, resumed), url.as_str(), report);
    // The writer ends by what the load says, or before it: then the load is dropped with its socket.
    tokio::pin!(fetching);
    tokio::pin!(writing);
    tokio::select! {
        biased;
        result = &mut writing => result,
        () = &mut fetching => writing.await,
    }
}

/// Writes the parts of a load to the file that an order wants: to the part that an earlier one has left, or to a new one.
async fn write(
    mut parts: mpsc::Receiver<(LoadId, Part)>,
    order: &Order,
    (earlier, resumed): (Option<PartFile>, Option<Resumed>),
    url: &str,
    report: &mut impl FnMut(Report),
) -> Result<Attempt, Error> {
    let mut earlier = earlier;
    let mut file: Option<PartFile> = None;
    let mut size = None;
    let mut modified = order.modified.clone();
    let mut waiting = Vec::with_capacity(WAITING);
    while parts.recv_many(&mut waiting, WAITING).await > 0 {
        let mut blocks = Vec::new();
        for (_, part) in waiting.drain(..) {
            match part {
                Part::Phase(_) | Part::Session(_) | Part::Remark(_) | Part::Clock(_) => {}
                Part::Begin(begin) => {
                    if matches!(begin.shape, Shape::Listing { .. }) {
                        return Err(Error::Directory);
                    }
                    size = begin.size;
                    modified = begin.version.modified.clone().or(modified);
                    let begun = begun(&begin, order, (earlier.take(), resumed.as_ref()), url);
                    let Some(part) = begun.await? else {
                        return Ok(Attempt::Mismatch);
                    };
                    if begin.offset == 0 && resumed.is_some() {
                        report(Report::Restarted);
                    }
                    report(Report::Octets(part.here(), size));
                    file = Some(part);
                }
                Part::Octets(octets) => blocks.push(octets),
                Part::End(end) => {
                    let blocks = std::mem::take(&mut blocks);
                    let came = put(file.as_mut(), blocks, (size, order), report).await?;
                    if !matches!(came, Came::Good) {
                        return stopped(came, file).await;
                    }
                    let is_mismatch = resumed.is_some() && is_mismatch(&end, file.as_ref());
                    let file = file.or(earlier);
                    if is_mismatch {
                        return stopped(Came::Mismatch, file).await;
                    }
                    return ended(end, file, order, url, modified.as_deref()).await;
                }
            }
        }
        let came = put(file.as_mut(), blocks, (size, order), report).await?;
        if !matches!(came, Came::Good) {
            return stopped(came, file).await;
        }
    }
    let end = Err(Stop::Closed);
    ended(end, file.or(earlier), order, url, None).await
}

/// The file that the octets of an answer go to; nothing where the part cannot be resumed by this answer.
async fn begun(
    begin: &Begin,
    order: &Order,
    (earlier, resumed): (Option<PartFile>, Option<&Resumed>),
    url: &str,
) -> Result<Option<PartFile>, Error> {
    let version = Version {
        size: begin.version.size.or(begin.size),
        modified: begin.version.modified.clone(),
        tag: begin.version.tag.clone(),
    };
    if let (There::PassedOver(paths), Some(size)) = (&order.there, version.size) {
        for path in paths {
            if is_whole(path, size, version.modified.as_deref()).await {
                return Err(Error::There);
            }
        }
    }
    let mut part = match earlier {
        Some(part) => part,
        None => PartFile::create(&order.target, Some(url)).await?,
    };
    // A load that was not asked to, or could not, has not looked.
    if let Some(was) = resumed.map(|resumed| resumed.from.version.clone())
        && !was.may_be(&version)
    {
        let stop = Box::new(Stop::Needs(Question::Changed { was, is: version }));
        let part = part.left().await;
        return Err(Error::Stopped { stop, part });
    }
    if order.earlier == Earlier::Replaced {
        part.empty().await?;
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

/// What came of blocks.
enum Came {
    /// They are in the part.
    Good,
    /// They do not fit the part.
    Mismatch,
    /// There are more than this size, which was announced.
    Past(u64),
}

/// Writes blocks, no further than to the size that was announced.
async fn put(
    file: Option<&mut PartFile>,
    mut blocks: Vec<Vec<u8>>,
    (size, order): (Option<u64>, &Order),
    report: &mut impl FnMut(Report),
) -> Result<Came, Error> {
    let Some(part) = file.filter(|_| !blocks.is_empty()) else {
        return Ok(Came::Good);
    };
    let announced = match order.past_size {
        PastSize::Stop => size.or(order.size),
        PastSize::Fetch => None,
    };
    let is_past = announced.filter(|size| cut(&mut blocks, size.saturating_sub(part.at())));
    if part.write(blocks).await? == Written::Mismatch {
        return Ok(Came::Mismatch);
    }
    report(Report::Octets(part.here(), size));
    Ok(is_past.map_or(Came::Good, Came::Past))
}

/// Shortens blocks to `room` octets; whether there were more.
fn cut(blocks: &mut Vec<Vec<u8>>, room: u64) -> bool {
    let mut room = usize::try_from(room).unwrap_or(usize::MAX);
    let mut is_past = false;
    blocks.retain_mut(|block| {
        is_past |= block.len() > room;
        block.truncate(room);
        room -= block.len();
        !block.is_empty()
    });
    is_past
}

/// Ends a try whose octets are not taken: of those that do not fit the part none is kept.
async fn stopped(came: Came, file: Option<PartFile>) -> Result<Attempt, Error> {
    match (came, file) {
        (Came::Past(size), Some(file)) => {
            let path = file.path().to_owned();
            let part = file.left().await.unwrap_or(path);
            Err(Error::PastSize { size, part })
        }
        (Came::Mismatch | Came::Good, Some(file)) => {
            file.take_back().await?;
            Ok(Attempt::Mismatch)
        }
        (_, None) => Ok(Attempt::Mismatch),
    }
}

/// Whether a load that was resumed ended as one of another file does: within the overlap, so that the file is shorter than
/// its part, or with more octets than there may be.
fn is_mismatch(end: &Result<(), Stop>, file: Option<&PartFile>) -> bool {
    match end {
        Ok(()) => file.is_some_and(|file| !file.is_verified()),
        Err(Stop::Failed(failure)) => failure.kind == FailureKind::ResumeMismatch,
        Err(Stop::Needs(_) | Stop::Cut(_) | Stop::Closed) => false,
    }
}

async fn ended(
    end: Result<(), Stop>,
    file: Option<PartFile>,
    order: &Order,
    url: &str,
    modified: Option<&str>,
) -> Result<Attempt, Error> {
    match (end, file) {
        (Ok(()), Some(file)) => file.finish(modified).await.map(Attempt::Saved),
        (Ok(()), None) => {
            let file = PartFile::create(&order.target, Some(url)).await?;
            file.finish(modified).await.map(Attempt::Saved)
        }
        (Err(stop), Some(file)) => {
            let (stop, part) = (Box::new(stop), file.left().await);
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

    /// What a scripted load of a file of twenty octets does to a part that holds the first ten: what it reports, how it
    /// ends, and what is there then.
    async fn tried(
        offset: u64,
        octets: &[u8],
        end: Result<(), Stop>,
    ) -> (Vec<Report>, Result<Attempt, Error>, Vec<u8>) {
        let place = tempfile::tempdir().unwrap();
        let url = Url::parse("ftp://h.example/a").unwrap();
        let target = Target::New(place.path().join("a"));
        let order = Order::new(Request::show(url.clone()), target.clone());
        let part = place.path().join("a.part");
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
        let earlier = PartFile::earlier(&target, url.as_str()).await.unwrap();
        let resumed = Resumed {
            from: Resume { offset: 4, version },
            is_trusted: false,
        };
        let (sender, parts) = mpsc::channel(WAITING);
        let begin = Begin {
            offset,
            size: Some(20),
            ..Begin::new(Shape::Text)
        };
        let mut said = vec![Part::Begin(begin)];
        said.extend(octets.chunks(3).map(|octets| Part::Octets(octets.to_vec())));
        said.push(Part::End(end));
        for part in said {
            sender.send((LoadId(0), part)).await.unwrap();
        }
        drop(sender);
        let mut told = Vec::new();
        let from = (earlier, Some(resumed));
        let mut hear = |report| told.push(report);
        let result = write(parts, &order, from, url.as_str(), &mut hear).await;
        let left = match &result {
            Ok(Attempt::Saved(saved)) => saved.path.clone(),
            _ => part,
        };
        (told, result, std::fs::read(left).unwrap())
    }

    async fn written(offset: u64, octets: &[u8], end: Result<(), Stop>) -> (Vec<Report>, Vec<u8>) {
        let (told, result, file) = tried(offset, octets, end).await;
        match result {
            Ok(Attempt::Saved(_)) | Err(Error::Stopped { part: Some(_), .. }) => (told, file),
            other => panic!("{other:?}"),
        }
    }

    fn stopped() -> Result<(), Stop> {
        Err(Stop::Closed)
    }

    #[tokio::test]
    async fn part_grows_when_the_overlap_is_equal() {
        let (told, file) = written(4, b"456789abcdefghij", Ok(())).await;
        assert_eq!(file, b"0123456789abcdefghij");
        assert_eq!(told.first(), Some(&Report::Octets(10, Some(20))));
        assert!(!told.contains(&Report::Restarted));
        let (_, file) = written(4, b"456789abc", stopped()).await;
        assert_eq!(file, b"0123456789abc");
        // Broken off within the overlap.
        let (_, file) = written(4, b"456", stopped()).await;
        assert_eq!(file, OLD);
    }

    #[tokio::test]
    async fn part_stays_as_it_was_when_the_overlap_differs() {
        for octets in [b"0123456789abcdef".as_slice(), b"456x89abcdefghij", b"456"] {
            let (_, result, file) = tried(4, octets, Ok(())).await;
            assert!(matches!(result, Ok(Attempt::Mismatch)), "{result:?}");
            assert_eq!(file, OLD);
        }
    }

    #[tokio::test]
    async fn part_loses_what_came_when_the_server_ignored_the_offset() {
        let failure = crate::load::Failure {
            kind: FailureKind::ResumeMismatch,
            ..crate::load::Failure::new("it sends more")
        };
        let (_, result, file) = tried(4, b"456789abc", Err(failure.into())).await;
        assert!(matches!(result, Ok(Attempt::Mismatch)), "{result:?}");
        assert_eq!(file, OLD);
    }

    #[tokio::test]
    async fn download_stops_at_its_announced_size() {
        for (offset, octets) in [
            (0, b"0123456789abcdefghij+".as_slice()),
            (4, b"456789abcdefghij++++"),
        ] {
            let (_, result, file) = tried(offset, octets, Ok(())).await;
            assert!(
                matches!(result, Err(Error::PastSize { size: 20, .. })),
                "{result:?}"
            );
            assert_eq!(file, b"0123456789abcdefghij");
        }
    }

    #[tokio::test]
    async fn what_comes_again_takes_nothing_away() {
        // Less came than was here.
        let (told, file) = written(0, b"0123", stopped()).await;
        assert_eq!(file, OLD);
        assert_eq!(told.first(), Some(&Report::Restarted));
        assert_eq!(told.last(), Some(&Report::Octets(10, Some(20))));
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
