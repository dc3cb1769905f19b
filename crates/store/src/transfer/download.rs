//! Downloads: a load that is written to a file.
//!
//! Octets go to the partial file `NAME.part`; its state file `NAME.part.geomys` holds their source. The final name
//! appears only when the file is complete, so that a killed process leaves no file that looks complete. Existing files
//! are not overwritten unless the caller requests it. An interrupted download leaves its partial file, and the next
//! download of the same URL to the same target resumes it. A partial file without a state may belong to another
//! program, and is never touched.
//!
//! A download is resumed some kB before the end of its partial file, and the overlap is compared: if the server sends
//! other octets, or if the overlap cannot prove that both files are the same, the file is fetched again from the start.
//!
//! A file whose octets all come before any is written needs no partial file, where the file system has files without a
//! name.

mod final_name;
mod finish;
mod partial_file;
mod receive;
mod reopen;
mod state;
mod target;
mod whole;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
pub use geomys_load::OversizePolicy;
use geomys_load::{Failure, Request, Stop, Version};
use geomys_wire::net::{Net, TransferEnd};
use geomys_wire::task::blocking;
use geomys_wire::text;
use rfc1738::Url;

pub use self::final_name::take_name;
use self::partial_file::PartialFile;
use self::receive::{AttemptError, StartPosition};
pub(super) use self::reopen::lock;
pub use self::target::{NAMES, is_complete, numbered, partial_bases};
pub use self::target::{TakenName, Target};
use super::records::RecordEntry;

impl DownloadOrder {
    /// Removes the partial file of an earlier transfer.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::Create`].
    pub fn forget(&self) -> BoxFuture<'_, Result<(), Error>> {
        let (target, url) = (self.target.clone(), self.request.url.without_password());
        let removing = blocking(move || {
            let part = PartialFile::earlier(&target, url.as_str())?;
            part.map_or(Ok(()), PartialFile::discard)
        });
        removing.boxed()
    }
}

/// Returns the size of the partial file of a URL and a target, and the expected total size, in octets. The file is not
/// locked, so the result is only for display.
pub fn partial_size(url: &Url, target: &Target) -> Option<(u64, Option<u64>)> {
    let base = match target {
        Target::Free(path)
        | Target::Suggested(path)
        | Target::New(path)
        | Target::Skip(path)
        | Target::Resume(path) => path.clone(),
        Target::Replace(path) => std::fs::canonicalize(path).unwrap_or_else(|_| path.clone()),
    };
    reopen::partial_size(&base, url.without_password().as_str())
}

/// Loads `request` into a file. `progress` receives the octets so far and the total size if it is available.
///
/// # Errors
/// Any [`Error`]. Dropping the future stops the load and leaves the partial file.
pub async fn download(
    net: &Net,
    request: Request,
    target: Target,
    mut progress: impl FnMut(u64, Option<u64>) + Send,
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
pub fn fetch<'a>(
    net: &'a Net,
    order: DownloadOrder,
    report: &'a mut EventReport<'a>,
) -> BoxFuture<'a, Result<SavedFile, Error>> {
    fetch_file(net, order, report).boxed()
}

async fn fetch_file(
    net: &Net,
    order: DownloadOrder,
    report: &mut EventReport<'_>,
) -> Result<SavedFile, Error> {
    let mut result = receive::attempt(net, &order, StartPosition::Resume, report).await;
    if let Err(AttemptError::Mismatch) = result {
        report(TransferEvent::Restarted);
        result = receive::attempt(net, &order, StartPosition::Beginning, report).await;
    }
    result.map_err(|error| match error {
        AttemptError::Failed(error) => error,
        AttemptError::Mismatch => {
            let failure = Failure::new("the server does not send the file from the start");
            Error::stopped(failure, None)
        }
    })
}

/// Writes octets in memory to a new file.
///
/// # Errors
/// [`Error::Create`], [`Error::Write`].
pub fn save<'a>(
    blocks: impl Iterator<Item = &'a [u8]> + Send + 'a,
    target: Target,
) -> BoxFuture<'a, Result<SavedFile, Error>> {
    save_blocks(Box::new(blocks), target)
}

fn save_blocks<'a>(
    blocks: Box<dyn Iterator<Item = &'a [u8]> + Send + 'a>,
    target: Target,
) -> BoxFuture<'a, Result<SavedFile, Error>> {
    let saving = async move {
        let mut file = PartialFile::create(&target, None).await?;
        for block in blocks {
            file.write(vec![block.to_vec()]).await?;
        }
        let end = TransferEnd::Confirmed;
        file.finish(None, end, (KeepPolicy::default(), None)).await
    };
    saving.boxed()
}

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
    #[error("this is a directory, not a file")]
    Directory,
    /// The complete file exists already.
    #[error("it exists already")]
    AlreadyComplete,
    /// The directory holds files that did not come from the URL, and the user has to agree to add others.
    #[error("{path} contains other files", path = path.display())]
    Foreign {
        /// The directory.
        path: PathBuf,
    },
    /// What came is, or may be, worse than the file that exists already.
    #[error("{path} was not replaced: {why}", path = path.display())]
    NotReplaced {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: &'static str,
    },
    /// A symbolic link below the directory that the user has named: nothing is written through it.
    #[error("skipped: {path} is a symbolic link", path = path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// Another transfer writes the partial file.
    #[error("{path} is being written by another transfer", path = path.display())]
    Busy {
        /// Path of the partial file.
        path: PathBuf,
    },
    /// The file could not be created.
    #[error("{path} cannot be written: {}", text::system_message(source), path = path.display())]
    Create {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The server sends more than the size that it announced.
    #[error(
        "stopped at the announced size of {size}; the server sends more; partial file: {path}",
        size = text::octets(*size), path = part.display()
    )]
    Oversize {
        /// Announced size in octets.
        size: u64,
        /// Path of the partial file.
        part: PathBuf,
    },
    /// Writing failed; the octets written so far are still in the partial file.
    #[error("{path} cannot be written further; the download so far is in it: {}", text::system_message(source), path = path.display())]
    Write {
        /// Path of the partial file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
}

impl Error {
    /// Creates the error of a load that stopped, with what has come of the file.
    pub fn stopped(stop: impl Into<Stop>, part: Option<PathBuf>) -> Self {
        let stop = Box::new(stop.into());
        Self::Stopped { stop, part }
    }
}

/// Completely saved file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Size in octets.
    pub octets: u64,
    /// End of its transfer.
    pub end: TransferEnd,
    /// Media type with its parameters, if its server told it.
    pub media_type: Option<String>,
    /// Version that its server told.
    pub version: Version,
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
    /// Reaction to more octets than the server announced: [`Error::Oversize`], if it does not announce more when it is
    /// asked again.
    pub oversize: OversizePolicy,
    /// Treatment of a complete file that exists already.
    pub existing: ExistingFilePolicy,
    /// Treatment of a file to be replaced by one whose end is unconfirmed.
    pub shorter: ShorterFilePolicy,
    /// The page that is to be replaced, of a site.
    pub former: Option<FormerPage>,
    /// True if nothing of the target's name, and no partial file, was there when the directory was read. It is not
    /// searched again.
    pub is_new: bool,
    /// Entry in the record of a directory, added before the file gets its name.
    pub entry: Option<RecordEntry>,
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
            shorter: ShorterFilePolicy::default(),
            former: None,
            is_new: false,
            entry: None,
        }
    }
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

/// A page that is to be replaced: neither an empty page nor one that stands in for it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormerPage {
    /// Media type, if its server told it.
    pub media_type: Option<String>,
}

/// When a file stays that is to be replaced.
#[derive(Clone, Copy, Debug, Default)]
struct KeepPolicy {
    shorter: ShorterFilePolicy,
    /// True for a page of a site.
    is_page: bool,
}

impl DownloadOrder {
    fn keep_policy(&self) -> KeepPolicy {
        KeepPolicy {
            shorter: self.shorter,
            is_page: self.former.is_some(),
        }
    }
}

/// Why a file stays where a part of it may have come.
const CUT: &str = "the server did not confirm the end of what came, which may be a part of it";

/// Why a page stays in whose place an empty one came.
const EMPTY: &str = "what came is empty";

/// Why a file or a list stays in whose place a page of HTML came.
const STAND_IN: &str = "it is no page of HTML, and what came is one";

/// Treatment of a file to be replaced by one whose end is unconfirmed: it may be the beginning only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShorterFilePolicy {
    /// Replace it: the user has named the file.
    #[default]
    Replace,
    /// Leave one that is longer: [`Error::NotReplaced`].
    Leave,
    /// Leave it, as it came whole: [`Error::NotReplaced`].
    LeaveWhole,
}

/// Progress event of a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransferEvent {
    /// Octets received so far, and the total size if it is available.
    Octets(u64, Option<u64>),
    /// Octets of the archive that have come, and its size if it is available: the member is still to be found in it.
    Unpacking(u64, Option<u64>),
    /// All octets have come, and the connection is free for another load; the file is still to be synced and renamed.
    Received,
    /// The partial file cannot be resumed: the file is fetched from its start. The partial file keeps its octets until
    /// as many have been received again.
    Restarted,
    /// The server has no free connection for the transfer. A retry follows.
    Busy,
    /// The transfer failed and is retried after this time. Reported once, with the error message.
    Outage(Duration, String),
    /// The time until the retry. Reported every second, with the error message.
    Retry(Duration, String),
}

/// The receiver of the events of a transfer.
pub type EventReport<'a> = dyn FnMut(TransferEvent) + Send + 'a;

/// Returns the error of creating a file.
fn create(path: &Path, source: io::Error) -> Error {
    Error::Create {
        path: path.to_owned(),
        source,
    }
}
