//! Orders of downloads, their events, and their errors.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::target::Target;
pub use geomys_page::load::OversizePolicy;
use geomys_page::load::{Request, Stop};
use geomys_wire::net::TransferEnd;
use geomys_wire::text;

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
    /// The file that exists already is longer than what came, which may be the beginning only.
    #[error(
        "{path} was not replaced: it is longer than what came, and the server did not confirm the end",
        path = path.display()
    )]
    NotReplaced {
        /// The file.
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
    pub(in crate::transfer) fn stopped(stop: impl Into<Stop>, part: Option<PathBuf>) -> Self {
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
    /// Reaction to more octets than the server announced: [`Error::Oversize`], if it does not announce more when it is asked again.
    pub oversize: OversizePolicy,
    /// Treatment of a complete file that exists already.
    pub existing: ExistingFilePolicy,
    /// Treatment of a file to be replaced by a shorter one whose end is unconfirmed.
    pub shorter: ShorterFilePolicy,
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

/// Treatment of a file to be replaced by a shorter one whose end is unconfirmed: it may be the beginning only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShorterFilePolicy {
    /// Replace it: the user has named the file.
    #[default]
    Replace,
    /// Leave it: [`Error::NotReplaced`].
    Leave,
}

/// Progress event of a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransferEvent {
    /// Octets received so far, and the total size if it is available.
    Octets(u64, Option<u64>),
    /// The partial file cannot be resumed: the file is fetched from its start. The partial file keeps its octets until as many
    /// have been received again.
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
pub(super) fn create(path: &Path, source: io::Error) -> Error {
    Error::Create {
        path: path.to_owned(),
        source,
    }
}
