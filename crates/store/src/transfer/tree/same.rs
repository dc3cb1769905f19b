//! Comparison of a local file with the file on the server.

use std::path::Path;

use geomys_page::load::{Part, Request, ResumeRequest, Version};
use geomys_wire::net::Net;

use crate::transfer::parts::load_parts;

/// Returns true if the server reports the time and the size of the local file. Used when the listing has no time in UTC: only
/// the time of this file is requested; nothing is fetched.
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
        resume: Some(ResumeRequest {
            offset: size,
            version,
        }),
        ..request
    };
    load_parts(net, request, async |mut parts| {
        let mut offset = None;
        while let Some(part) = parts.recv().await {
            match part {
                Part::Head(begin) => offset = Some(begin.offset),
                // The server sends the file: it has ignored the offset.
                Part::Octets(_) => return false,
                Part::End(end) => return end.is_ok() && offset == Some(size),
                Part::Phase(_)
                | Part::Terminal(_)
                | Part::Remark(_)
                | Part::Clock(_)
                | Part::Size(_)
                | Part::Covered(_) => {}
            }
        }
        false
    })
    .await
}

/// Returns the modification time of a local file, in the format of servers.
async fn modified_of(path: &Path) -> Option<String> {
    let modified = tokio::fs::metadata(path).await.ok()?.modified().ok()?;
    let instant = jiff::Timestamp::try_from(modified).ok()?;
    Some(instant.strftime("%Y%m%d%H%M%S").to_string())
}
