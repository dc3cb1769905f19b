//! Whether a file that is here is the one that a server has.

use std::path::Path;

use tokio::sync::mpsc;

use crate::load::{LoadId, Part, Request, Resume, Sink, Version, load};
use crate::net::Net;

/// Whether the server, too, says that a file here is as it has it. Where the listing tells no time that counts
/// everywhere, it is asked for that of the file alone: nothing is fetched.
pub(super) async fn is_same(net: &Net, request: Request, path: &Path, size: u64) -> bool {
    let Some(modified) = modified_of(path).await else {
        return false;
    };
    let version = Version {
        size: Some(size),
        modified: Some(modified),
        tag: None,
    };
    let request = Request {
        resume: Some(Resume {
            offset: size,
            version,
        }),
        ..request
    };
    let (sender, mut parts) = mpsc::channel(1);
    let asking = load(net, request, Sink::new(LoadId(0), sender));
    let hearing = async {
        let mut begun = None;
        while let Some((_, part)) = parts.recv().await {
            match part {
                Part::Begin(begin) => begun = Some(begin.offset),
                // It sends the file: it has not understood.
                Part::Octets(_) => return false,
                Part::End(end) => return end.is_ok() && begun == Some(size),
                Part::Phase(_) | Part::Session(_) | Part::Remark(_) | Part::Clock(_) => {}
            }
        }
        false
    };
    tokio::pin!(asking);
    tokio::pin!(hearing);
    tokio::select! {
        biased;
        same = &mut hearing => same,
        () = &mut asking => hearing.await,
    }
}

/// When a file here was changed last, as servers say it.
async fn modified_of(path: &Path) -> Option<String> {
    let modified = tokio::fs::metadata(path).await.ok()?.modified().ok()?;
    let instant = jiff::Timestamp::try_from(modified).ok()?;
    Some(instant.strftime("%Y%m%d%H%M%S").to_string())
}
