//! Transfers: a queue of files and directories on their way to the disk.
//!
//! The queue has the order and the state of the transfers, and selects the next one; it starts none by itself. Only a few
//! run at once, and fewer from one host, to limit the load of a server.

mod binary;
pub(crate) mod pipe;
mod questions;
mod queue;
mod rate;
mod reports;
pub mod save;
mod verbs;

pub use self::binary::BinaryJob;
pub use self::pipe::{PipeInput, PipeJob};
pub use self::rate::{Rate, time};

pub use self::queue::TransferQueue;
use std::path::PathBuf;
use std::time::Duration;

use crate::app::command::TransferCommand;
use crate::app::tabs::external::ask_where;
use crate::app::tabs::page::Progress;
use crate::app::{Context, Credentials, Dialogs, Tabs, TransferMessage};
use crate::files::mailcap::Viewer;
use crate::load::{LoadId, Question, Request};
use crate::text::{Text, octets};
use crate::transfer::download::{DownloadOrder, OversizePolicy, PartialFilePolicy, SavedFile};
use crate::transfer::queue::{Destination, UnfinishedTransfer};
use crate::transfer::retry::RetryPolicy;
use crate::transfer::sources::MergePolicy;
use crate::transfer::tree::{self, TreeSummary};
use crate::url::Url;

/// The state of the downloads.
#[derive(Debug, Default)]
pub struct Transfers {
    /// The transfers of files and directories.
    pub queue: TransferQueue,
    /// Pages that are being saved, and files that are fetched for a viewer.
    downloads: Vec<Download>,
}

/// A page that is being saved, or a file that is fetched for a viewer.
#[derive(Clone, Debug)]
pub struct Download {
    /// The file name.
    pub name: Text,
    /// The progress of the download.
    pub progress: Progress,
    /// The viewer to start when the file has been fetched.
    pub(crate) viewer: Option<ViewerJob>,
}

/// A viewer to start for a file that is being fetched.
#[derive(Clone, Debug)]
pub struct ViewerJob {
    /// The program.
    pub viewer: Viewer,
    /// The file's MIME type.
    pub mime: String,
}

/// The limits for parallel transfers and retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferLimits {
    /// The maximum number of transfers at once.
    pub at_once: usize,
    /// The maximum number of transfers at once from one host.
    pub at_once_per_host: usize,
    /// The maximum number of successive retries without new octets.
    pub tries: u32,
    /// The maximum delay before a retry.
    pub retry_delay: Duration,
    /// The maximum time of successive retries without new octets.
    pub retry_time: Duration,
}

impl Default for TransferLimits {
    fn default() -> Self {
        let retry_policy = RetryPolicy::default();
        Self {
            at_once: 8,
            at_once_per_host: 2,
            tries: retry_policy.tries,
            retry_delay: retry_policy.most,
            retry_time: retry_policy.time,
        }
    }
}

impl TransferLimits {
    /// Returns the retry policy of these limits.
    pub fn retry_policy(&self) -> RetryPolicy {
        RetryPolicy {
            tries: self.tries,
            most: self.retry_delay,
            time: self.retry_time,
            ..RetryPolicy::default()
        }
    }
}

/// The id of a transfer in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransferId(pub u64);

/// A transfer of a file or a directory to the disk.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// The id in the queue.
    pub id: TransferId,
    /// The request, with the user's answers.
    pub request: Request,
    /// The local destination.
    pub to: Destination,
    /// The local name.
    pub name: Text,
    /// The policy for the partial file of an earlier run.
    pub partial: PartialFilePolicy,
    /// The policy for a server that sends more than it announced.
    pub oversize: OversizePolicy,
    /// The policy for a local directory with files from another source.
    pub merge: MergePolicy,
    /// The amount that is on the disk.
    pub amount: TransferAmount,
    /// For a directory: the file that is being fetched.
    pub current: Option<Text>,
    /// The state.
    pub state: State,
}

/// The amount of a transfer that is on the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferAmount {
    /// The number of octets on the disk.
    pub octets: u64,
    /// The full size in octets, if the server sent it.
    pub size: Option<u64>,
    /// For a directory: the number of files on the disk, and the number found so far.
    pub files: Option<(usize, usize)>,
}

/// The state of a transfer.
#[derive(Clone, Debug)]
pub enum State {
    /// The transfer waits in the queue.
    Waiting,
    /// The transfer runs at this rate.
    Running(LoadId, Rate),
    /// The connection failed; the next attempt is at this time of the main loop's clock. The text is the error.
    Retrying(LoadId, Duration, Text),
    /// The user stopped the transfer, or has not started it yet.
    Paused,
    /// The transfer waits for the user's answer to this question.
    Asking(Box<TransferQuestion>),
    /// The transfer failed with this error.
    Failed(Text),
    /// The transfer is complete.
    Done(TransferOutcome),
}

/// A question of a transfer to the user.
#[derive(Clone, Debug)]
pub enum TransferQuestion {
    /// The question of its load.
    Load(Question),
    /// The URL is a directory: transfer all its files?
    Directory,
    /// This local directory has files from another source: add the files to it?
    Foreign(PathBuf),
    /// The server sends more than this announced size: transfer the rest?
    Oversize(u64),
}

/// A directory transfer whose destination is being determined.
#[derive(Clone, Debug)]
pub enum DirectoryTransfer {
    /// A transfer that is not in the queue yet.
    New(Box<Request>),
    /// A transfer of a marked row, which goes to the proposed path.
    Marked(Box<Request>),
    /// A transfer in the queue.
    Queued(TransferId),
}

/// The result of a complete transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransferOutcome {
    /// A saved file.
    File(SavedFile),
    /// A file that was there already, and was not downloaded.
    Skipped(PathBuf),
    /// A saved directory: its path, and the counts of files and failures.
    Directory(PathBuf, TreeSummary),
}

/// The reason why a transfer was interrupted.
#[derive(Clone, Debug)]
pub enum TransferInterruption {
    /// A question to the user.
    Question(TransferQuestion),
    /// An error, as a sentence.
    Failed(String),
}

/// A transfer to be carried out, with its policies.
#[derive(Clone, Debug)]
pub enum TransferJob {
    /// The transfer of a file.
    File(DownloadOrder),
    /// The transfer of a directory with all its files.
    Directory(tree::DirectoryOrder),
}

impl Transfer {
    /// Returns the running load of the transfer.
    pub fn load(&self) -> Option<LoadId> {
        match self.state {
            State::Running(load, _) | State::Retrying(load, ..) => Some(load),
            State::Waiting
            | State::Paused
            | State::Asking(_)
            | State::Failed(_)
            | State::Done(_) => None,
        }
    }

    /// Returns the authority of the server, as `host:port`.
    pub fn host(&self) -> String {
        host(&self.request.url)
    }

    /// Returns the job that carries out the transfer.
    pub(crate) fn job(&self) -> TransferJob {
        match &self.to {
            Destination::File(target) => TransferJob::File(DownloadOrder {
                partial: self.partial,
                oversize: self.oversize,
                ..DownloadOrder::new(self.request.clone(), target.clone())
            }),
            Destination::Directory(path) => TransferJob::Directory(tree::DirectoryOrder {
                merge: self.merge,
                oversize: self.oversize,
                ..tree::DirectoryOrder::new(self.request.clone(), path.clone())
            }),
        }
    }

    fn unfinished(&self) -> Option<UnfinishedTransfer> {
        match self.state {
            State::Done(_) => None,
            State::Waiting
            | State::Running(..)
            | State::Retrying(..)
            | State::Paused
            | State::Asking(_)
            | State::Failed(_) => Some(UnfinishedTransfer {
                url: self.request.url.without_password(),
                to: self.to.clone(),
            }),
        }
    }
}

fn host(url: &Url) -> String {
    let parts = url.base_parts();
    let address = parts.address();
    address.map_or(String::new(), |address| address.text.to_ascii_lowercase())
}

/// The totals of several transfers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferTotal {
    /// The number of transfers.
    pub count: usize,
    /// The number of octets on the disk.
    pub octets: u64,
    /// The full size in octets, if the sizes of all transfers are available.
    pub size: Option<u64>,
    /// The rate in octets a second.
    pub rate: Option<u64>,
}

impl TransferTotal {
    /// Returns the totals of these transfers.
    pub fn of<'a>(items: impl Iterator<Item = &'a Transfer>) -> Self {
        let mut total = Self {
            size: Some(0),
            ..Self::default()
        };
        for item in items {
            total.count += 1;
            total.octets = total.octets.saturating_add(item.amount.octets);
            let sizes = total.size.zip(item.amount.size);
            total.size = sizes.map(|(all, size)| all.saturating_add(size));
            let rate = match &item.state {
                State::Running(_, rate) => rate.octets_per_second(),
                State::Waiting
                | State::Retrying(..)
                | State::Paused
                | State::Asking(_)
                | State::Failed(_)
                | State::Done(_) => None,
            };
            total.rate = match (total.rate, rate) {
                (Some(all), Some(rate)) => Some(all.saturating_add(rate)),
                (one, other) => one.or(other),
            };
        }
        total
    }

    /// Returns a text like `45 % of 1.2 GB, 3.1 MB/s, 4 min`, as far as the values are available.
    pub fn words(&self) -> String {
        let mut words = vec![amount(self.octets, self.size)];
        words.extend(self.rate.map(|rate| format!("{}/s", octets(rate))));
        let left = self.size.map(|size| size.saturating_sub(self.octets));
        let seconds = left.and_then(|left| left.checked_div(self.rate?));
        words.extend(seconds.map(time));
        words.join(", ")
    }
}

/// Returns a text like `31.4 MB`, or `66 % of 147.0 MB`.
pub fn amount(here: u64, size: Option<u64>) -> String {
    match size {
        Some(size) if size > 0 => {
            let hundredths = u128::from(here) * 100 / u128::from(size);
            format!("{} % of {}", hundredths.min(100), octets(size))
        }
        Some(_) | None => octets(here),
    }
}

impl Transfers {
    /// Handles a message.
    pub(crate) fn update(
        &mut self,
        message: TransferMessage,
        dialogs: &mut Dialogs,
        credentials: &mut Credentials,
        cx: &mut Context,
    ) {
        match message {
            TransferMessage::DownloadProgress(load, octets, size) => {
                self.download_progress(load, octets, size, cx);
            }
            TransferMessage::Downloaded(load, result) => self.download_ended(load, result, cx),
            TransferMessage::Piped(load, result) => self.piped(load, result, cx),
            TransferMessage::Joined(load, result) => self.binary_saved(load, result, cx),
            TransferMessage::Fetched(load, result) => self.fetched(load, result, cx),
            TransferMessage::Destination(DirectoryTransfer::Marked(request), path) => {
                self.transfer_all(*request, path, cx);
            }
            TransferMessage::Destination(directory, path) => {
                dialogs.ask_destination(directory, path, cx);
            }
            TransferMessage::Progress(load, report) => self.transfer_progress(load, report, cx),
            TransferMessage::DirectoryProgress(load, step) => {
                self.directory_progress(load, step, cx);
            }
            TransferMessage::Ended(load, result) => {
                self.transfer_ended(load, result, credentials, cx);
            }
            TransferMessage::ListWritten(written) => cx.report_failure(written),
        }
    }

    /// Carries out a command of another part.
    pub(crate) fn carry_out(
        &mut self,
        command: TransferCommand,
        tabs: &Tabs,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        match command {
            TransferCommand::Download(request) => self.download(*request, cx),
            TransferCommand::Add(request, to) => self.transfer(*request, to, cx),
            TransferCommand::AskPath(pending, name) => ask_where(*pending, name, "", cx),
            TransferCommand::View(request, name, viewing) => {
                tabs.fetch_to_view(*request, name, viewing, self, credentials, cx);
            }
            TransferCommand::SetPartial(id, policy) => self.set_partial_policy(id, policy),
            TransferCommand::FindDestination(id) => self.find_destination(id, cx),
            TransferCommand::Merge(id) => self.merge(id),
            TransferCommand::AcceptOversize(id) => self.accept_oversize(id),
            TransferCommand::Erase(id) => self.erase(id, cx),
            TransferCommand::SaveReply(document, path) => self.save_reply(*document, path, cx),
        }
    }
}
