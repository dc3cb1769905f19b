//! Downloads: a load written to a file.
//!
//! Octets go to `NAME.part`, and beside it stands whose they are (`NAME.part.geomys`); the name itself appears only when
//! all of them are there, so that a process that is killed leaves no file that looks whole. Nothing that exists is
//! written over unless the caller says so. What came of a download that ended early stays in its part, and the next one
//! of the same URL to the same place goes on from there; a part without a state may be somebody's file, and is never
//! touched.

mod part;
mod state;
mod target;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::mpsc;

use self::part::PartFile;
pub use self::target::Target;
pub(super) use self::target::{is_whole, numbered};
use crate::document::Shape;
use crate::load::{
    Begin, FailureKind, LoadId, Part, Question, Request, Resume, Sink, Stop, Version, load,
};
use crate::net::Net;
use crate::url::Url;

/// Parts that may wait for the disk; as many go to it at once.
const WAITING: usize = 16;

/// Why there is no file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The load ended early; what came is in the file named, if anything did.
    #[error("the download ended early")]
    Stopped {
        /// Why.
        stop: Box<Stop>,
        /// Where what came is.
        part: Option<PathBuf>,
    },
    /// It is a directory, and no file.
    #[error("this is a directory, and no file")]
    Directory,
    /// It is here whole already.
    #[error("it is here already")]
    There,
    /// Somebody else writes the part.
    #[error("{path} is being written already, by this Geomys or another one", path = path.display())]
    Busy {
        /// The path of the part.
        path: PathBuf,
    },
    /// The file could not be made.
    #[error("{path} cannot be written: {source}", path = path.display())]
    Create {
        /// Its path.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// The disk took no more; what it took is still there.
    #[error("{path} cannot be written any further, what came so far is in it: {source}", path = path.display())]
    Write {
        /// The path of what came.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
}

/// A file that is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Where it is.
    pub path: PathBuf,
    /// Its octets.
    pub octets: u64,
}

/// What is to be fetched, and to where.
#[derive(Clone, Debug)]
pub struct Order {
    /// What; where it goes on is found out.
    pub request: Request,
    /// To where.
    pub target: Target,
    /// What becomes of the part of an earlier transfer.
    pub earlier: Earlier,
    /// When it was changed last, as far as a listing tells; what the server says of the file itself goes before it.
    pub modified: Option<String>,
    /// What becomes of it when it is here whole already.
    pub there: There,
}

impl Order {
    /// To fetch `request` to `target`, and to go on with what is there of it.
    pub fn new(request: Request, target: Target) -> Self {
        Self {
            request,
            target,
            earlier: Earlier::default(),
            modified: None,
            there: There::default(),
        }
    }

    /// Takes away what an earlier transfer has left.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::Create`].
    pub async fn forget(&self) -> Result<(), Error> {
        let url = self.request.url.without_password();
        let part = PartFile::earlier(&self.target, url.as_str()).await?;
        part.map_or(Ok(()), PartFile::discard)
    }
}

/// Octets that an earlier transfer of a URL to a place has left, and how many it is to have. Nothing is locked: it is for
/// eyes.
pub fn left(url: &Url, target: &Target) -> Option<(u64, Option<u64>)> {
    let base = match target {
        Target::Free(path) | Target::New(path) => path.clone(),
        Target::Replace(path) => std::fs::canonicalize(path).unwrap_or_else(|_| path.clone()),
    };
    part::left(&base, url.without_password().as_str())
}

/// What becomes of the part of an earlier transfer of the same URL to the same place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Earlier {
    /// It is gone on with, unless the file has changed on its server: [`Question::Changed`].
    #[default]
    Checked,
    /// It is gone on with, whatever the server says of the file.
    Trusted,
    /// The file is fetched anew over it.
    Replaced,
}

/// What becomes of a file that is here whole already: of the same size, and time where both are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum There {
    /// It is fetched like any other.
    #[default]
    Fetched,
    /// It is not fetched again: [`Error::There`].
    PassedOver,
}

/// How a transfer goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// Octets of it that are here, and in all when that is known.
    Octets(u64, Option<u64>),
    /// The server cannot go on in the middle: all of it comes again, and nothing of what is here goes before as much has.
    Anew,
    /// It failed, and is tried again when this much time has passed: told every second, with the sentence of the failure.
    Again(Duration, String),
}

/// Loads `request` into a file. `progress` is told octets so far and, when known, in all.
///
/// # Errors
/// Any [`Error`]. Dropping the future stops the load and leaves the part.
pub async fn download(
    net: &Net,
    request: Request,
    target: Target,
    mut progress: impl FnMut(u64, Option<u64>),
) -> Result<Saved, Error> {
    fetch(net, Order::new(request, target), &mut |report| {
        if let Report::Octets(octets, size) = report {
            progress(octets, size);
        }
    })
    .await
}

/// Carries an order out, once.
///
/// # Errors
/// Any [`Error`]. Dropping the future stops the load and leaves the part.
pub async fn fetch(
    net: &Net,
    order: Order,
    report: &mut impl FnMut(Report),
) -> Result<Saved, Error> {
    order.target.check().await?;
    let mut request = order.request.clone();
    let url = request.url.without_password();
    let earlier = PartFile::earlier(&order.target, url.as_str()).await?;
    request.resume = earlier.as_ref().and_then(|part| {
        let version = match order.earlier {
            Earlier::Checked => part.version(),
            Earlier::Trusted => Version::default(),
            Earlier::Replaced => return None,
        };
        let offset = part.here();
        Some(Resume { offset, version })
    });
    let resume = request.resume.clone();
    let (sender, parts) = mpsc::channel(WAITING);
    let fetching = load(net, request, Sink::new(LoadId(0), sender));
    let writing = write(parts, &order, (earlier, resume), url.as_str(), report);
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
    (earlier, resume): (Option<PartFile>, Option<Resume>),
    url: &str,
    report: &mut impl FnMut(Report),
) -> Result<Saved, Error> {
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
                    let part = begun(&begin, order, (earlier.take(), resume.as_ref()), url).await?;
                    if begin.offset == 0 && resume.as_ref().is_some_and(|from| from.offset > 0) {
                        report(Report::Anew);
                    }
                    report(Report::Octets(part.here(), size));
                    file = Some(part);
                }
                Part::Octets(octets) => blocks.push(octets),
                Part::End(end) => {
                    put(&mut file, std::mem::take(&mut blocks), size, report).await?;
                    return ended(end, file.or(earlier), order, url, modified.as_deref()).await;
                }
            }
        }
        put(&mut file, blocks, size, report).await?;
    }
    let end = Err(Stop::Unheard);
    ended(end, file.or(earlier), order, url, None).await
}

/// The file that the octets of an answer go to.
async fn begun(
    begin: &Begin,
    order: &Order,
    (earlier, resume): (Option<PartFile>, Option<&Resume>),
    url: &str,
) -> Result<PartFile, Error> {
    let version = Version {
        size: begin.version.size.or(begin.size),
        modified: begin.version.modified.clone(),
        tag: begin.version.tag.clone(),
    };
    if let (There::PassedOver, Some(size)) = (order.there, version.size)
        && is_whole(order.target.path(), size, version.modified.as_deref()).await
    {
        return Err(Error::There);
    }
    let mut part = match earlier {
        Some(part) => part,
        None => PartFile::create(&order.target, Some(url)).await?,
    };
    // A load that was not asked to, or could not, has not looked.
    if let Some(was) = resume.map(|resume| resume.version.clone())
        && !was.may_be(&version)
    {
        let stop = Box::new(Stop::Needs(Question::Changed { was, is: version }));
        let part = part.left().await;
        return Err(Error::Stopped { stop, part });
    }
    part.begin(begin.offset, version).await?;
    Ok(part)
}

async fn put(
    file: &mut Option<PartFile>,
    blocks: Vec<Vec<u8>>,
    size: Option<u64>,
    report: &mut impl FnMut(Report),
) -> Result<(), Error> {
    if let Some(file) = file.as_mut().filter(|_| !blocks.is_empty()) {
        file.write(blocks).await?;
        report(Report::Octets(file.here(), size));
    }
    Ok(())
}

async fn ended(
    end: Result<(), Stop>,
    file: Option<PartFile>,
    order: &Order,
    url: &str,
    modified: Option<&str>,
) -> Result<Saved, Error> {
    match (end, file) {
        (Ok(()), Some(file)) => file.finish(modified).await,
        (Ok(()), None) => {
            let file = PartFile::create(&order.target, Some(url)).await?;
            file.finish(modified).await
        }
        (Err(Stop::Failed(failure)), Some(file)) if failure.kind == FailureKind::Spoilt => {
            file.discard()?;
            let stop = Box::new(Stop::Failed(failure));
            Err(Error::Stopped { stop, part: None })
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

/// Writes octets that are here already to a new file.
///
/// # Errors
/// [`Error::Create`], [`Error::Write`].
pub async fn save<'a>(
    blocks: impl Iterator<Item = &'a [u8]>,
    target: Target,
) -> Result<Saved, Error> {
    let mut file = PartFile::create(&target, None).await?;
    for block in blocks {
        file.write(vec![block.to_vec()]).await?;
    }
    file.finish(None).await
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &[u8] = b"0123456789";

    /// What a scripted load of a file of twenty octets does to a part that holds the first ten.
    async fn written(offset: u64, octets: &[u8], end: Result<(), Stop>) -> (Vec<Report>, Vec<u8>) {
        let place = tempfile::tempdir().unwrap();
        let url = Url::parse("ftp://h.example/a").unwrap();
        let target = Target::New(place.path().join("a"));
        let order = Order::new(Request::show(url.clone()), target.clone());
        let part = place.path().join("a.part");
        std::fs::write(&part, OLD).unwrap();
        let state = state::State {
            url: url.to_string(),
            ..state::State::default()
        };
        state.write(&part).unwrap();
        let earlier = PartFile::earlier(&target, url.as_str()).await.unwrap();
        let resume = Resume {
            offset: earlier.as_ref().unwrap().here(),
            version: Version::default(),
        };
        assert_eq!(resume.offset, 10);
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
        let from = (earlier, Some(resume));
        let mut hear = |report| told.push(report);
        let left = match write(parts, &order, from, url.as_str(), &mut hear).await {
            Ok(saved) => saved.path,
            Err(Error::Stopped { part, .. }) => part.unwrap(),
            Err(error) => panic!("{error}"),
        };
        (told, std::fs::read(left).unwrap())
    }

    fn stopped() -> Result<(), Stop> {
        Err(Stop::Unheard)
    }

    #[tokio::test]
    async fn a_part_grows_from_where_the_server_goes_on() {
        let (told, file) = written(10, b"abcdefghij", Ok(())).await;
        assert_eq!(file, b"0123456789abcdefghij");
        assert_eq!(told.first(), Some(&Report::Octets(10, Some(20))));
        assert!(!told.contains(&Report::Anew));
        let (_, file) = written(10, b"abc", stopped()).await;
        assert_eq!(file, b"0123456789abc");
    }

    #[tokio::test]
    async fn what_comes_again_takes_nothing_away() {
        // Less came than was here.
        let (told, file) = written(0, b"0123", stopped()).await;
        assert_eq!(file, OLD);
        assert_eq!(told.first(), Some(&Report::Anew));
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
