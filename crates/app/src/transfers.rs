//! Transfers: a queue of files and directories on their way to the disk.
//!
//! The queue has the order and the state of the transfers, and selects the next one; it starts none by itself. Only a
//! few run at once, and fewer from one host, to limit the load of a server.

mod binary;
pub mod message;
pub(crate) mod pipe;
mod progress;
mod questions;
mod queue;
mod rate;
mod reports;
pub mod save;
pub(crate) mod site;
mod update;
pub(crate) mod verbs;

pub use self::progress::Progress;
pub use self::rate::{Rate, time};

pub use self::queue::TransferQueue;
use std::time::Duration;

use geomys_crawl::tree::{self};
use geomys_load::{LoadId, Request};
use geomys_store::transfer::download::{DownloadOrder, OversizePolicy, PartialFilePolicy};
use geomys_store::transfer::queue::{Destination, UnfinishedTransfer};
use geomys_store::transfer::records::MergePolicy;
use geomys_wire::text::{Text, octets};
use rfc1738::Url;

use crate::PendingRequest;
use crate::requester::{Requester, TransferId};
use crate::transfers::message::{TransferJob, TransferOutcome, TransferQuestion, ViewerJob};

/// The state of the downloads.
#[derive(Debug, Default)]
pub struct Transfers {
    /// The transfers of files and directories.
    pub queue: TransferQueue,
    /// Pages that are being saved, and files that are fetched for a viewer.
    downloads: Vec<Download>,
    /// The names of the files that were saved since the last key, and the number of keys until then.
    saved: (u64, Vec<Text>),
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
    /// True for a transfer of an earlier run that the user has not paused: it resumes at a later start, if not before.
    pub resumes: bool,
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

    /// The request with its requester, for a question about it.
    fn pending(&self) -> PendingRequest {
        let requester = Requester::Transfer(self.id);
        PendingRequest::new(self.request.clone(), self.name.clone(), requester)
    }

    fn unfinished(&self) -> Option<UnfinishedTransfer> {
        if self.request.is_private() {
            return None;
        }
        let is_running = match &self.state {
            State::Done(_) => return None,
            State::Waiting | State::Running(..) | State::Retrying(..) | State::Asking(_) => true,
            State::Paused => self.resumes,
            State::Failed(_) => false,
        };
        Some(UnfinishedTransfer {
            url: self.request.url.without_password(),
            namer: self.request.namer_to_store(),
            to: self.to.clone(),
            is_running,
        })
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
    /// The full size in octets, as far as the sizes of the transfers are available.
    pub size: Option<u64>,
    /// True if the size of some transfer is unknown: the full size is larger than `size`.
    pub is_at_least: bool,
    /// The rate in octets a second.
    pub rate: Option<u64>,
}

impl TransferTotal {
    /// Returns the totals of these transfers.
    pub fn of<'a>(items: impl Iterator<Item = &'a Transfer>) -> Self {
        let mut total = Self::default();
        // What has come of files of unknown size.
        let mut unsized_octets: u64 = 0;
        for item in items {
            total.count += 1;
            total.octets = total.octets.saturating_add(item.amount.octets);
            match item.amount.size {
                Some(size) => {
                    total.size = Some(total.size.unwrap_or(0).saturating_add(size));
                }
                None => {
                    total.is_at_least = true;
                    unsized_octets = unsized_octets.saturating_add(item.amount.octets);
                }
            }
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
        total.size = total.size.map(|size| size.saturating_add(unsized_octets));
        total
    }

    /// Returns a text like `45 % of 1.2 GB, 3.1 MB/s, 4 min`, as far as the values are available, or like
    /// `12 MB of at least 1.2 GB, 3.1 MB/s`.
    pub fn words(&self) -> String {
        let mut words = vec![match self.size {
            Some(size) if self.is_at_least => {
                format!("{} of at least {}", octets(self.octets), octets(size))
            }
            size => amount(self.octets, size),
        }];
        words.extend(self.rate.map(|rate| format!("{}/s", octets(rate))));
        let size = self.size.filter(|_| !self.is_at_least);
        let left = size.map(|size| size.saturating_sub(self.octets));
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
