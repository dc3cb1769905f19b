//! A directory or a site into an archive, and the check of its links with its report.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use geomys_crawl::archive::{Archive, is_public};
use geomys_crawl::site::MAX_PAGES;
use geomys_crawl::site::check::{CannotCheck, PageLint, SiteCheck, SiteCheckOptions};
use geomys_crawl::tree::{DirectoryOrder, NameFilter, TreeProgress, tree};
use geomys_crawl::warc::WarcInfo;
use geomys_load::{LoadId, Reason};
use geomys_store::transfer::records::DirectoryRecords;
use geomys_store::transfer::retry::RetryPolicy;
use geomys_wire::net::Net;
use geomys_wire::task::blocking;
use rfc1738::Url;
use tokio::sync::mpsc::UnboundedSender;

use super::reports::{ReportThrottle, panic_sentence, sentence};
use super::sync::request;
use crate::site_report::{self, SiteReport};
use geomys_app::credentials::request_defaults::RequestDefaults;
use geomys_app::name::name_of;
use geomys_app::transfers::message::{SiteFile, SiteJob};
use geomys_app::{Message, TransferMessage};

/// Makes the file of a directory or a site, and reports the progress and the end. A file that is there is not changed
/// without the user's consent.
pub(super) async fn run(
    net: Arc<Net>,
    messages: UnboundedSender<Message>,
    id: LoadId,
    job: Box<SiteJob>,
    retry_policy: RetryPolicy,
) {
    let path = job.path.clone();
    let is_taken = !job.may_change && blocking(move || path.exists()).await;
    let end = if is_taken {
        TransferMessage::SiteFileTaken(id, job)
    } else {
        let (url, verb) = (job.request.url.clone(), job.kind.verb());
        let making = AssertUnwindSafe(make(&net, &messages, id, *job, &retry_policy));
        let done = Box::pin(making.catch_unwind()).await;
        let done = done.unwrap_or_else(|_| Err(panic_sentence(verb, &url)));
        TransferMessage::SiteDone(id, done)
    };
    // The main loop may have ended.
    let _ = messages.send(end.into());
}

async fn make(
    net: &Net,
    messages: &UnboundedSender<Message>,
    id: LoadId,
    job: SiteJob,
    retry_policy: &RetryPolicy,
) -> Result<String, String> {
    let reports = ReportThrottle::new(messages);
    match &job.kind {
        SiteFile::Archive if !is_public(&job.request) => {
            Err("Pages that need a login or an answer are not archived".to_owned())
        }
        SiteFile::Archive => archive(net, (&reports, id), job, retry_policy).await,
        SiteFile::Check(defaults) => check(net, (&reports, id), &job, defaults).await,
    }
}

/// Checks all links of a site, and writes the report.
async fn check(
    net: &Net,
    (reports, id): (&ReportThrottle, LoadId),
    job: &SiteJob,
    defaults: &RequestDefaults,
) -> Result<String, String> {
    let request = |url: Url, reason: Reason| {
        let reason = match reason {
            // The first page is the shown one.
            Reason::CommandLine => job.request.reason.clone(),
            reason => reason,
        };
        let mut request = request(defaults, url, reason);
        request.settings.privacy = job.request.settings.privacy;
        request
    };
    let options = SiteCheckOptions {
        request: &request,
        lint: PageLint::Off,
        ignores_robots: false,
        is_recursive: true,
        pages: MAX_PAGES,
        pause: site_report::PAUSE,
        exclude: (Vec::new(), NameFilter::default()),
    };
    let check = SiteCheck::new(net, &job.request.url, options);
    let mut check = check.map_err(|error| error.to_string())?;
    let mut progress = |done, known| {
        reports.offer(TransferMessage::CheckProgress(id, done, known));
    };
    let checking = Box::pin(check.run(&mut progress));
    reports
        .during(checking)
        .await
        .map_err(|error| match error {
            CannotCheck::NoRobots(why) => format!("robots.txt cannot be read: {why}"),
            CannotCheck::NoSite(_) | CannotCheck::Unreachable(_) | CannotCheck::Local(_) => {
                error.to_string()
            }
        })?;
    let report = SiteReport::of(&check, false);
    let (text, path) = (report.text(), job.path.clone());
    let writing = blocking(move || {
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory)?;
        }
        std::fs::write(&path, text)
    });
    writing.await.map_err(|error| error.to_string())?;
    Ok(format!("{}: {}", name_of(&job.path), report.sentence()))
}

async fn archive(
    net: &Net,
    (reports, id): (&ReportThrottle, LoadId),
    job: SiteJob,
    retry_policy: &RetryPolicy,
) -> Result<String, String> {
    let SiteJob { request, path, .. } = job;
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
