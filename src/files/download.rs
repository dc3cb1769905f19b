//! Downloads: a load written to a file.
//!
//! Octets go to `NAME.part`, and beside it stands whose they are (`NAME.part.geomys`); the name itself appears only when
//! all of them are there, so that a process that is killed leaves no file that looks whole. Nothing that exists is
//! written over unless the caller says so. What came of a download that ended early stays in its part, and the next one
//! of the same URL to the same place resumes it; a part without a state may be somebody's file, and is never touched.
//!
//! A download is resumed some kB before the end of its part, and the overlap is compared: where the server sends other
//! octets, or too little is known to tell two files apart, all of it is fetched again from the start.

mod earlier;
mod finish;
mod overlap;
mod part;
mod receive;
mod state;
mod target;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

pub(super) use self::earlier::lock;
use self::part::PartFile;
use self::receive::{Attempt, Start};
pub use self::target::Target;
pub(super) use self::target::{is_whole, numbered};
use crate::load::{Failure, Request, Stop};
use crate::net::Net;
use crate::text;
use crate::url::Url;

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
    /// The directory holds files that did not come from the URL, and a person has to agree to add others.
    #[error("{path} holds files from elsewhere", path = path.display())]
    Foreign {
        /// The directory.
        path: PathBuf,
    },
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
    /// The server sends more than the size that it announced.
    #[error(
        "stopped at the announced size of {size}, and the server sends more; what came is in {path}",
        size = text::octets(*size), path = part.display()
    )]
    PastSize {
        /// The announced size in octets.
        size: u64,
        /// The path of the part.
        part: PathBuf,
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
    /// The size in octets that a listing announced; what the server says of the file itself goes before it.
    pub size: Option<u64>,
    /// What happens when the server sends more than it announced.
    pub past_size: PastSize,
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
            size: None,
            past_size: PastSize::default(),
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
    earlier::left(&base, url.without_password().as_str())
}

/// What becomes of the part of an earlier transfer of the same URL to the same place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Earlier {
    /// The partial file is resumed, unless the file has changed on its server: `Question::Changed`.
    #[default]
    Checked,
    /// It is gone on with, whatever the server says of the file.
    Trusted,
    /// The file is fetched anew over it.
    Replaced,
}

/// What becomes of a file that is here whole already: of the same size, and time where both are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum There {
    /// It is fetched like any other.
    #[default]
    Fetched,
    /// It is not fetched again where it is one of these: [`Error::There`].
    PassedOver(Vec<PathBuf>),
}

/// What happens when the server sends more than the size that it announced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PastSize {
    /// The download stops there: [`Error::PastSize`].
    #[default]
    Stop,
    /// The rest is fetched too.
    Fetch,
}

/// How a transfer goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// Octets of it that are here, and in all when that is known.
    Octets(u64, Option<u64>),
    /// The part cannot be resumed: the file is fetched from its start, and nothing of what is here goes before as much has
    /// come again.
    Restarted,
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
    let first = receive::attempt(net, &order, Start::Resumed, report).await?;
    let second = match first {
        Attempt::Mismatch => {
            report(Report::Restarted);
            receive::attempt(net, &order, Start::Beginning, report).await?
        }
        first @ Attempt::Saved(_) => first,
    };
    match second {
        Attempt::Saved(saved) => Ok(saved),
        Attempt::Mismatch => Err(Error::Stopped {
            stop: Box::new(Failure::new("the server does not send the file from its start").into()),
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
