//! Downloads to the disk: single files, whole directories, retries, and the stored queue of unfinished transfers.

pub mod download;
pub mod queue;
pub mod records;
pub mod retry;
pub mod view;

use geomys_load::{Part, PartSender, Request, Sink, load};
use geomys_wire::net::Net;
use tokio::sync::mpsc;
use tokio::sync::mpsc::Receiver;

/// Maximum number of parts that wait to be read.
const WAITING: usize = 16;

/// Loads a request, and passes its parts to `read`. The load is dropped with its socket when `read` ends before it.
pub async fn load_parts<T, F: Future<Output = T>>(
    net: &Net,
    request: Request,
    read: impl FnOnce(Receiver<Part>) -> F,
) -> T {
    let (sender, parts) = mpsc::channel(WAITING);
    let loading = load(net, request, Sink::of(PartSender::Own(sender)));
    let reading = read(parts);
    tokio::pin!(loading, reading);
    tokio::select! {
        biased;
        result = &mut reading => result,
        () = &mut loading => reading.await,
    }
}
