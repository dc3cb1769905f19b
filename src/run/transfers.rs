//! Transfers: files and directories on their way to the disk.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::{FRAME, own_fault, sentence};
use crate::app::Message;
use crate::app::transfers::{Asked, Ended, Job, Outcome};
use crate::files::download::{Error, Order, Report};
use crate::files::retry::{Patience, transfer};
use crate::files::sources::Sources;
use crate::files::tree::{Step, tree};
use crate::load::{LoadId, Stop};
use crate::net::Net;

/// Carries a transfer out, and tells how it goes.
pub(super) async fn run(
    net: Arc<Net>,
    messages: UnboundedSender<Message>,
    id: LoadId,
    job: Job,
    (sources, patience): (Sources, Patience),
) {
    let url = match &job {
        Job::File(order) => order.request.url.clone(),
        Job::Directory(order) => order.request.url.clone(),
    };
    let running = AssertUnwindSafe(carry_out(&net, &messages, id, job, (&sources, &patience)));
    let result = match Box::pin(running.catch_unwind()).await {
        Ok(result) => result.map_err(ended),
        Err(_) => Err(Ended::Failed(own_fault("save", &url))),
    };
    let _ = messages.send(Message::Transferred(id, result));
}

async fn carry_out(
    net: &Net,
    messages: &UnboundedSender<Message>,
    id: LoadId,
    job: Job,
    (sources, patience): (&Sources, &Patience),
) -> Result<Outcome, Error> {
    let mut turn = Turn::default();
    match job {
        Job::File(order) => {
            let mut hear = |report| {
                let is_told = match &report {
                    Report::Octets(octets, size) => *size == Some(*octets) || turn.comes(),
                    Report::Restarted | Report::Again(..) => true,
                };
                if is_told {
                    let _ = messages.send(Message::Transferring(id, report));
                }
            };
            let saved = transfer(net, order, patience, &mut hear).await?;
            Ok(Outcome::File(saved))
        }
        Job::Directory(order) => {
            let path = order.into.clone();
            let mut hear = |step: &Step| {
                if step.again.is_some() || turn.comes() {
                    let _ = messages.send(Message::Walking(id, step.clone()));
                }
            };
            let summary = Box::pin(tree(net, order, sources, patience, &mut hear)).await?;
            Ok(Outcome::Directory(path, summary))
        }
    }
}

/// Tells no more than a few times a second, as the screen shows no more.
#[derive(Default)]
struct Turn(Option<Instant>);

impl Turn {
    fn comes(&mut self) -> bool {
        let now = Instant::now();
        let comes = self
            .0
            .is_none_or(|told| now.duration_since(told) > FRAME * 6);
        if comes {
            self.0 = Some(now);
        }
        comes
    }
}

fn ended(error: Error) -> Ended {
    match error {
        Error::Stopped { stop, part } => match *stop {
            Stop::Needs(question) => Ended::Asks(Asked::Load(question)),
            stop @ (Stop::Failed(_) | Stop::Cut(_) | Stop::Closed) => {
                let stop = Box::new(stop);
                Ended::Failed(sentence(&Error::Stopped { stop, part }))
            }
        },
        Error::Directory => Ended::Asks(Asked::Directory),
        Error::Foreign { path } => Ended::Asks(Asked::Foreign(path)),
        Error::PastSize { size, .. } => Ended::Asks(Asked::PastSize(size)),
        Error::There | Error::Busy { .. } | Error::Create { .. } | Error::Write { .. } => {
            Ended::Failed(sentence(&error))
        }
    }
}

/// Takes away what a transfer has left, once its task has ended.
pub(super) async fn forget(running: Option<JoinHandle<()>>, order: Box<Order>) -> Message {
    if let Some(running) = running {
        running.abort();
        // However it ended, it has ended.
        let _ = running.await;
    }
    let forgotten = order.forget().await;
    Message::TransfersWritten(forgotten.map_err(|error| error.to_string()))
}
