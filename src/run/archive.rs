//! A directory or a site into an archive.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use geomys_crawl::archive::{Archive, is_public};
use geomys_crawl::tree::{DirectoryOrder, TreeProgress, tree};
use geomys_crawl::warc::WarcInfo;
use geomys_load::LoadId;
use geomys_store::transfer::records::DirectoryRecords;
use geomys_store::transfer::retry::RetryPolicy;
use geomys_wire::net::Net;
use geomys_wire::task::blocking;
use tokio::sync::mpsc::UnboundedSender;

use super::reports::{ReportThrottle, panic_sentence, sentence};
use geomys_app::transfers::message::ArchiveJob;
use geomys_app::{Message, TransferMessage};

/// Archives, and reports the progress and the end. Nothing is added to a file that is there without the user's consent.
pub(super) async fn run(
    net: Arc<Net>,
    messages: UnboundedSender<Message>,
    id: LoadId,
    job: Box<ArchiveJob>,
    retry_policy: RetryPolicy,
) {
    let path = job.path.clone();
    let is_taken = !job.appends && blocking(move || path.exists()).await;
    let end = if is_taken {
        TransferMessage::ArchiveTaken(id, job)
    } else {
        let url = job.request.url.clone();
        let archiving = AssertUnwindSafe(archive(&net, &messages, id, *job, &retry_policy));
        let done = Box::pin(archiving.catch_unwind()).await;
        let done = done.unwrap_or_else(|_| Err(panic_sentence("archive", &url)));
        TransferMessage::Archived(id, done)
    };
    // The main loop may have ended.
    let _ = messages.send(end.into());
}

async fn archive(
    net: &Net,
    messages: &UnboundedSender<Message>,
    id: LoadId,
    job: ArchiveJob,
    retry_policy: &RetryPolicy,
) -> Result<String, String> {
    let ArchiveJob { request, path, .. } = job;
    if !is_public(&request) {
        return Err("Pages that need a login or an answer are not archived".to_owned());
    }
    let description = format!("geomys archive -r {}", request.url.masked());
    let file = path.clone();
    let opened = blocking(move || {
        if let Some(directory) = file.parent() {
            std::fs::create_dir_all(directory).map_err(|error| error.to_string())?;
        }
        let info = WarcInfo {
            honours_robots: true,
            description: &description,
        };
        let archive = Archive::open(&file, info)?;
        let directory = archive.directory()?;
        Ok::<_, String>((archive, directory))
    });
    let (archive, directory) = opened.await?;
    let sources = DirectoryRecords::new(directory.path().join("sources"));
    let order = DirectoryOrder {
        archive: Some(archive.clone()),
        at_once: 1,
        ..DirectoryOrder::new(*request, directory.path().join("files"))
    };
    let reports = ReportThrottle::new(messages);
    let mut on_progress = |step: &TreeProgress| {
        let size = Some(step.size).filter(|size| *size >= step.octets && *size > 0);
        reports.offer(TransferMessage::DownloadProgress(id, step.octets, size));
    };
    let walk = Box::pin(tree(net, order, &sources, retry_policy, &mut on_progress));
    let summary = reports.during(walk).await;
    let summary = summary.map_err(|error| sentence(&error))?;
    archive.sync().await.map_err(|error| error.to_string())?;
    Ok(format!(
        "Archived in {} ({})",
        path.display(),
        summary.sentence(None)
    ))
}
