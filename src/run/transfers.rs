//! Tasks of transfers of files and directories to the disk.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use geomys_page::load::{LoadId, Stop};
use geomys_store::transfer::download::{DownloadOrder, Error, TransferEvent};
use geomys_store::transfer::records::DirectoryRecords;
use geomys_store::transfer::retry::{RetryPolicy, transfer};
use geomys_store::transfer::tree::{TreeProgress, tree};
use geomys_wire::net::Net;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;

use super::reports::{ReportThrottle, panic_sentence, sentence};
use crate::app::transfers::message::{
    TransferInterruption, TransferJob, TransferOutcome, TransferQuestion,
};
use crate::app::{Message, TransferMessage};

/// Carries out a transfer, and reports its progress.
pub(super) async fn run(
    net: Arc<Net>,
    messages: UnboundedSender<Message>,
    id: LoadId,
    job: TransferJob,
    (sources, retry_policy): (DirectoryRecords, RetryPolicy),
) {
    let url = match &job {
        TransferJob::File(order) => order.request.url.clone(),
        TransferJob::Directory(order) => order.request.url.clone(),
    };
    let running = AssertUnwindSafe(carry_out(
        &net,
        &messages,
        id,
        job,
        (&sources, &retry_policy),
    ));
    let result = match Box::pin(running.catch_unwind()).await {
        Ok(result) => result.map_err(interruption),
        Err(_) => Err(TransferInterruption::Failed(panic_sentence("save", &url))),
    };
    let _ = messages.send(TransferMessage::Ended(id, result).into());
}

async fn carry_out(
    net: &Net,
    messages: &UnboundedSender<Message>,
    id: LoadId,
    job: TransferJob,
    (sources, retry_policy): (&DirectoryRecords, &RetryPolicy),
) -> Result<TransferOutcome, Error> {
    let mut throttle = ReportThrottle::default();
    match job {
        TransferJob::File(order) => {
            let mut on_progress = |report| {
                let is_reported = match &report {
                    TransferEvent::Octets(octets, size) => {
                        *size == Some(*octets) || throttle.is_due()
                    }
                    TransferEvent::Restarted | TransferEvent::Busy | TransferEvent::Retry(..) => {
                        true
                    }
                    // The remaining time follows.
                    TransferEvent::Outage(..) => false,
                };
                if is_reported {
                    let _ = messages.send(TransferMessage::Progress(id, report).into());
                }
            };
            let path = order.target.path().to_owned();
            match transfer(net, order, retry_policy, &mut on_progress).await {
                Err(Error::AlreadyComplete) => Ok(TransferOutcome::Skipped(path)),
                saved => saved.map(TransferOutcome::File),
            }
        }
        TransferJob::Directory(order) => {
            let path = order.into.clone();
            let mut on_progress = |step: &TreeProgress| {
                if step.retry.is_some() || throttle.is_due() {
                    let _ =
                        messages.send(TransferMessage::DirectoryProgress(id, step.clone()).into());
                }
            };
            let summary =
                Box::pin(tree(net, order, sources, retry_policy, &mut on_progress)).await?;
            Ok(TransferOutcome::Directory(path, summary))
        }
    }
}

fn interruption(error: Error) -> TransferInterruption {
    match error {
        Error::Stopped { stop, part } => match *stop {
            Stop::Needs(question) => {
                TransferInterruption::Question(TransferQuestion::Load(question))
            }
            stop @ (Stop::Failed(_) | Stop::Truncated(_) | Stop::Closed) => {
                let stop = Box::new(stop);
                TransferInterruption::Failed(sentence(&Error::Stopped { stop, part }))
            }
        },
        Error::Directory => TransferInterruption::Question(TransferQuestion::Directory),
        Error::Foreign { path } => TransferInterruption::Question(TransferQuestion::Foreign(path)),
        Error::Oversize { size, .. } => {
            TransferInterruption::Question(TransferQuestion::Oversize(size))
        }
        Error::AlreadyComplete
        | Error::Busy { .. }
        | Error::NotReplaced { .. }
        | Error::Create { .. }
        | Error::Write { .. } => TransferInterruption::Failed(sentence(&error)),
    }
}

/// Removes the partial file of a transfer, after its task has ended.
pub(super) async fn remove_partial(
    running: Option<JoinHandle<()>>,
    order: Box<DownloadOrder>,
) -> Message {
    if let Some(running) = running {
        running.abort();
        // The result of the task does not matter.
        let _ = running.await;
    }
    let forgotten = order.forget().await;
    Message::Written(forgotten.map_err(|error| error.to_string()))
}
