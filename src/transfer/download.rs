//! Downloads: a load that is written to a file.
//!
//! Octets go to the partial file `NAME.part`; its state file `NAME.part.geomys` holds their source. The final name appears
//! only when the file is complete, so that a killed process leaves no file that looks complete. Existing files are not
//! overwritten unless the caller requests it. An interrupted download leaves its partial file, and the next download of the
//! same URL to the same target resumes it. A partial file without a state may belong to another program, and is never touched.
//!
//! A download is resumed some kB before the end of its partial file, and the overlap is compared: if the server sends other
//! octets, or if the overlap cannot prove that both files are the same, the file is fetched again from the start.

mod finish;
mod overlap;
mod partial_file;
mod receive;
mod reopen;
mod state;
mod target;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use self::partial_file::PartialFile;
use self::receive::{AttemptResult, StartPosition};
pub(super) use self::reopen::lock;
pub use self::target::Target;
pub(super) use self::target::{is_complete, numbered};
use crate::load::{Failure, Request, Stop};
use crate::net::Net;
use crate::text;
use crate::url::Url;

/// Error of a download.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The load ended early; the partial file holds the received octets, if there are any.
    #[error("the download ended early")]
    Stopped {
        /// Reason of the end.
        stop: Box<Stop>,
        /// Path of the partial file.
        part: Option<PathBuf>,
    },
    /// The URL is a directory, not a file.
    #[error("this is a directory, and no file")]
    Directory,
    /// The complete file exists already.
    #[error("it is here already")]
    AlreadyComplete,
    /// The directory holds files that did not come from the URL, and the user has to agree to add others.
    #[error("{path} holds files from elsewhere", path = path.display())]
    Foreign {
        /// The directory.
        path: PathBuf,
    },
    /// Another transfer writes the partial file.
    #[error("{path} is being written already, by this Geomys or another one", path = path.display())]
    Busy {
        /// Path of the partial file.
        path: PathBuf,
    },
    /// The file could not be created.
    #[error("{path} cannot be written: {source}", path = path.display())]
    Create {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The server sends more than the size that it announced.
    #[error(
        "stopped at the announced size of {size}, and the server sends more; what came is in {path}",
        size = text::octets(*size), path = part.display()
    )]
    Oversize {
        /// Announced size in octets.
        size: u64,
        /// Path of the partial file.
        part: PathBuf,
    },
    /// Writing failed; the octets written so far are still in the partial file.
    #[error("{path} cannot be written any further, what came so far is in it: {source}", path = path.display())]
    Write {
        /// Path of the partial file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
}

/// Completely saved file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Size in octets.
    pub octets: u64,
}

/// Order to download one file.
#[derive(Clone, Debug)]
pub struct DownloadOrder {
    /// Request; the offset for resuming is filled in.
    pub request: Request,
    /// Target file.
    pub target: Target,
    /// Treatment of the partial file of an earlier transfer.
    pub partial: PartialFilePolicy,
    /// Modification time from a listing; a time that the server reports for the file itself has priority.
    pub modified: Option<String>,
    /// Size in octets from a listing; a size that the server reports for the file itself has priority.
    pub size: Option<u64>,
    /// Reaction to more octets than the server announced.
    pub oversize: OversizePolicy,
    /// Treatment of a complete file that exists already.
    pub existing: ExistingFilePolicy,
}

impl DownloadOrder {
    /// Creates an order to fetch `request` to `target`, or to resume its partial file.
    pub fn new(request: Request, target: Target) -> Self {
        Self {
            request,
            target,
            partial: PartialFilePolicy::default(),
            modified: None,
            size: None,
            oversize: OversizePolicy::default(),
            existing: ExistingFilePolicy::default(),
        }
    }

    /// Removes the partial file of an earlier transfer.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::Create`].
    pub async fn forget(&self) -> Result<(), Error> {
        let url = self.request.url.without_password();
        let part = PartialFile::earlier(&self.target, url.as_str()).await?;
        part.map_or(Ok(()), PartialFile::discard)
    }
}

/// Returns the size of the partial file of a URL and a target, and the expected total size, in octets. The file is not
/// locked, so the result is only for display.
pub fn partial_size(url: &Url, target: &Target) -> Option<(u64, Option<u64>)> {
    let base = match target {
        Target::Free(path) | Target::New(path) => path.clone(),
        Target::Replace(path) => std::fs::canonicalize(path).unwrap_or_else(|_| path.clone()),
    };
    reopen::partial_size(&base, url.without_password().as_str())
}

/// Treatment of the partial file of an earlier transfer of the same URL to the same target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PartialFilePolicy {
    /// Resume, unless the file has changed on its server: `Question::Changed`.
    #[default]
    ResumeUnchanged,
    /// Resume even if the file has changed on its server.
    ResumeAlways,
    /// Overwrite the partial file: fetch from the start.
    Restart,
}

/// Treatment of a file that exists already with the same size, and the same time if both times are available.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ExistingFilePolicy {
    /// Fetch the file again.
    #[default]
    Fetch,
    /// Do not fetch a file that equals one of these: [`Error::AlreadyComplete`].
    Skip(Vec<PathBuf>),
}

/// Reaction to a server that sends more than the announced size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OversizePolicy {
    /// Stop at the announced size: [`Error::Oversize`].
    #[default]
    Stop,
    /// Fetch the rest too.
    Fetch,
}

/// Progress event of a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransferEvent {
    /// Octets received so far, and the total size if it is available.
    Octets(u64, Option<u64>),
    /// The partial file cannot be resumed: the file is fetched from its start. The partial file keeps its octets until as many
    /// have been received again.
    Restarted,
    /// The transfer failed and is retried after this time. Reported every second, with the error message.
    Retry(Duration, String),
}

/// Loads `request` into a file. `progress` receives the octets so far and the total size if it is available.
///
/// # Errors
/// Any [`Error`]. Dropping the future stops the load and leaves the partial file.
pub async fn download(
    net: &Net,
    request: Request,
    target: Target,
    mut progress: impl FnMut(u64, Option<u64>),
) -> Result<SavedFile, Error> {
    fetch(net, DownloadOrder::new(request, target), &mut |report| {
        if let TransferEvent::Octets(octets, size) = report {
            progress(octets, size);
        }
    })
    .await
}

/// Executes an order, without retries.
///
/// # Errors
/// Any [`Error`]. Dropping the future stops the load and leaves the partial file.
pub async fn fetch(
    net: &Net,
    order: DownloadOrder,
    report: &mut impl FnMut(TransferEvent),
) -> Result<SavedFile, Error> {
    order.target.check().await?;
    let first = receive::attempt(net, &order, StartPosition::Resume, report).await?;
    let second = match first {
        AttemptResult::Mismatch => {
            report(TransferEvent::Restarted);
            receive::attempt(net, &order, StartPosition::Beginning, report).await?
        }
        first @ AttemptResult::Saved(_) => first,
    };
    match second {
        AttemptResult::Saved(saved) => Ok(saved),
        AttemptResult::Mismatch => Err(Error::Stopped {
            stop: Box::new(Failure::new("the server does not send the file from its start").into()),
            part: None,
        }),
    }
}

/// Writes octets in memory to a new file.
///
/// # Errors
/// [`Error::Create`], [`Error::Write`].
pub async fn save<'a>(
    blocks: impl Iterator<Item = &'a [u8]>,
    target: Target,
) -> Result<SavedFile, Error> {
    let mut file = PartialFile::create(&target, None).await?;
    for block in blocks {
        file.write(vec![block.to_vec()]).await?;
    }
    file.finish(None).await
}
