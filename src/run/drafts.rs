//! Jobs for drafts: files, the editor, and the outbox.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use geomys_load::{LoadId, Part, Sink, posting_groups};
use geomys_store::files::draft;
use geomys_store::files::draft::{DraftOrigin, SendRecord};
use geomys_store::outbox::{self, Outgoing, Sender};
use geomys_wire::net::Net;
use geomys_wire::task;
use tokio::sync::mpsc;

use geomys_app::Message;
use geomys_app::compose::message::{DraftJob, DraftOutcome};

/// The files and services for draft jobs.
#[derive(Clone)]
pub(super) struct DraftContext {
    /// The directory of the drafts.
    pub(super) drafts: PathBuf,
    /// The file of the secret for Cancel-Locks.
    pub(super) secret: PathBuf,
    /// The access to the network.
    pub(super) net: Arc<Net>,
    /// The channel for the phases of loads, which belong to no page.
    pub(super) parts: mpsc::Sender<(LoadId, Part)>,
}

/// Returns the load that cancels a job.
pub(super) fn load_of(job: &DraftJob) -> Option<LoadId> {
    match job {
        DraftJob::List(load, ..) | DraftJob::Send(load, ..) => Some(*load),
        DraftJob::Create(..)
        | DraftJob::Edit(_)
        | DraftJob::Read(_)
        | DraftJob::ListDrafts
        | DraftJob::Remove(_)
        | DraftJob::Queue(..)
        | DraftJob::QueueUpload(..)
        | DraftJob::Hold(_) => None,
    }
}

/// Carries out a job. The main loop runs the editor itself, as it owns the terminal.
pub(super) async fn carry_out(context: DraftContext, job: DraftJob) -> Message {
    let DraftContext {
        drafts,
        secret,
        net,
        parts,
    } = context;
    let outcome = match job {
        DraftJob::Create(draft, author, origin) => {
            let origin = DraftOrigin { secret, ..origin };
            let created = blocking(move || draft::create(&drafts, *draft, &author, &origin)).await;
            DraftOutcome::Created(created.flatten())
        }
        DraftJob::Edit(_) => DraftOutcome::Edited(Err("editing needs a terminal".to_owned())),
        DraftJob::Read(path) => {
            let read = blocking(move || (draft::read(&path), SendRecord::load(&path))).await;
            let (read, record) = read.unwrap_or_else(|lost| (Err(lost), SendRecord::default()));
            DraftOutcome::Read(read, record)
        }
        DraftJob::ListDrafts => {
            let stored = blocking(move || draft::list_stored(&drafts)).await;
            DraftOutcome::DraftsListed(stored.flatten())
        }
        DraftJob::Remove(path) => {
            let file = path.clone();
            let removed = blocking(move || draft::remove(&file)).await;
            DraftOutcome::Removed(path, removed.flatten())
        }
        DraftJob::List(load, request, groups) => {
            let sink = Sink::new(load, parts);
            DraftOutcome::Listed(load, posting_groups(&net, &request, &groups, sink).await)
        }
        DraftJob::Send(load, request, draft, path, author) => {
            let outgoing = Outgoing {
                draft: *draft,
                path,
            };
            let sender = Sender {
                author: *author,
                secret,
            };
            let sink = Sink::new(load, parts);
            let sent = outgoing.send(&sender, &net, &request, sink).await;
            DraftOutcome::Sent(load, sent)
        }
        DraftJob::Queue(path, server, namer) => {
            let queued = blocking(move || outbox::queue(&path, &server, namer)).await;
            DraftOutcome::Queued(queued.flatten())
        }
        DraftJob::QueueUpload(draft, namer) => {
            let queued = blocking(move || outbox::queue_upload(&drafts, *draft, namer)).await;
            DraftOutcome::Queued(queued.flatten())
        }
        DraftJob::Hold(path) => {
            let held = blocking(move || outbox::hold(&path).map(|()| path)).await;
            DraftOutcome::Created(held.flatten())
        }
    };
    Message::Compose(outcome)
}

pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let done = AssertUnwindSafe(task::blocking(work)).catch_unwind().await;
    done.map_err(|_| "the draft was lost: a bug in Geomys".to_owned())
}
