//! One file of a walk: fetched in place of an older version, unless it is here already.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use geomys_load::{FormAnswers, KnownCopy, Question, RedirectPolicy, Request, Stop, Version};
use geomys_wire::net::Net;
use geomys_wire::task::blocking;
use geomys_wire::text::Charset;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use super::event_line;
use super::listing::{ModifiedTime, RemoteItem, is_same};
use super::look::look;
use super::mirror::RunMode;
use super::page::{FormerCopy, MAX_PAGE_BYTES, within_limits};
use super::site_names::lists_others;
use crate::archive::ArchivedPage;
use crate::names::link_below;
use crate::site::links::PageLinks;
use geomys_store::transfer::download::{
    DownloadOrder, Error, ExistingFilePolicy, FormerPage, OversizePolicy, PartialFilePolicy,
    SavedFile, ShorterFilePolicy, Target, TransferEvent, is_complete, numbered,
};
use geomys_store::transfer::records::{RecordEntry, SavedPage, locked};
use geomys_store::transfer::retry::{RetryPolicy, transfer};

/// File that is being fetched.
pub(super) struct TreeFileJob {
    /// Number of the entry in its directory.
    pub(super) number: usize,
    pub(super) item: RemoteItem,
    /// Local path, free or of another file.
    pub(super) path: PathBuf,
    /// Files that came from the same URL before. The first is the one to be replaced.
    pub(super) recorded: Vec<PathBuf>,
    /// True if nothing of this name, and no partial file, was there when the directory was read.
    pub(super) is_new: bool,
    /// Directory of the walk: below it no path leads through a symbolic link.
    pub(super) into: PathBuf,
    /// What the first of them was when it was saved, of a page of a site.
    pub(super) saved: Option<SavedPage>,
    /// Entry in the record of the directory.
    pub(super) entry: Option<RecordEntry>,
    pub(super) request: Request,
    /// Charset that the server declared of the page that was saved.
    pub(super) charset: Option<Charset>,
    /// Media type of that page.
    pub(super) media_type: Option<String>,
    /// True for a page that nothing links to: it is asked whether it is gone, and its copy stays as it is.
    pub(super) is_unlinked: bool,
    pub(super) oversize: OversizePolicy,
    pub(super) run: RunMode,
    /// Page of the archive, if the walk writes one.
    pub(super) archived: Option<ArchivedPage>,
}

/// Result of a [`TreeFileJob`].
pub(super) enum FileOutcome {
    /// The server had no free connection, and other files are being fetched: this one waits until one of them ends.
    Postponed,
    /// The file is there already.
    Existing,
    /// The page that came is the same as its copy, which keeps its time.
    Unchanged(SavedFile),
    /// The file was fetched.
    Saved(SavedFile, ReplacedFile),
    /// The file would be fetched; true if it would replace an older one. A page leads to these.
    Planned(bool, PageLinks),
}

/// Older version that a fetched file replaces.
pub(super) enum ReplacedFile {
    /// There was none.
    None,
    /// The file of an earlier run was replaced.
    Unedited,
    /// The file of an earlier run, of this path, was edited here: it is to be kept.
    Edited(PathBuf),
    /// A directory has the name: it gives way if nobody but Geomys wrote to it.
    Directory,
}

impl ReplacedFile {
    /// Returns true if a file is recorded before it gets its name. One that takes another name first is recorded at the
    /// end.
    pub(super) fn is_recorded_first(&self) -> bool {
        matches!(self, Self::None | Self::Unedited)
    }

    pub(super) fn is_older_version(&self) -> bool {
        matches!(self, Self::Unedited | Self::Edited(_))
    }
}

/// Ended job: its result, and true if the file had changed since a part of it came.
pub(super) struct FinishedJob {
    pub(super) job: TreeFileJob,
    pub(super) outcome: Result<FileOutcome, Error>,
    pub(super) was_changed: bool,
}

/// Event of the job of this number, with its line if it is an outage or a decision.
pub(super) type JobEvent = (usize, TransferEvent, Option<String>);

/// Fetches a file, unless it exists already, or it is postponed by `stop`.
pub(super) async fn fetch(
    net: &Net,
    retry_policy: &RetryPolicy,
    job: TreeFileJob,
    (events, pause): (UnboundedSender<JobEvent>, Duration),
    stop: oneshot::Receiver<()>,
) -> FinishedJob {
    let mut was_changed = false;
    let net = job.archived.as_ref().map_or(net, |page| &page.net);
    if !pause.is_zero() {
        tokio::time::sleep(pause).await;
    }
    let outcome = tokio::select! {
        biased;
        Ok(()) = stop => Ok(FileOutcome::Postponed),
        outcome = fetch_file(net, retry_policy, &job, &events, &mut was_changed) => outcome,
    };
    FinishedJob {
        job,
        outcome,
        was_changed,
    }
}

async fn fetch_file(
    net: &Net,
    retry_policy: &RetryPolicy,
    job: &TreeFileJob,
    events: &UnboundedSender<JobEvent>,
    was_changed: &mut bool,
) -> Result<FileOutcome, Error> {
    let item = &job.item;
    let modified = item.modified.map(ModifiedTime::digits);
    if let Some(page) = &job.archived
        && !lists_others(&item.url)
        && page.is_stored(item.size, modified.as_deref()).await
    {
        return Ok(FileOutcome::Existing);
    }
    // Of a name that was free when its directory was read there is no link.
    if !job.is_new || !job.recorded.is_empty() {
        let own = job.recorded.first().unwrap_or(&job.path).clone();
        let into = job.into.clone();
        if let Some(path) = blocking(move || link_below(&into, &own)).await {
            return Err(Error::Link { path });
        }
    }
    let Some((target, mut replaced)) = target_of(net, job).await else {
        return Ok(FileOutcome::Existing);
    };
    let request = job.versioned_request(&target);
    if job.is_unlinked {
        look(net, request, None).await?;
        return Ok(FileOutcome::Existing);
    }
    if job.run == RunMode::Dry {
        return plan(net, job, request, replaced.is_older_version()).await;
    }
    let is_of_site = job.is_of_site();
    let former = match &target {
        Target::Replace(own) if is_of_site => {
            let own = own.clone();
            blocking(move || FormerCopy::of(&own)).await
        }
        _ => None,
    };
    let mut order = DownloadOrder {
        modified,
        size: item.size,
        oversize: job.oversize,
        shorter: if job.is_whole() {
            ShorterFilePolicy::LeaveWhole
        } else {
            ShorterFilePolicy::Leave
        },
        former: is_of_site.then(|| FormerPage {
            media_type: job.media_type.clone(),
        }),
        existing: if is_of_site {
            // Its server is asked for another version, or the contents are compared.
            ExistingFilePolicy::Fetch
        } else {
            ExistingFilePolicy::Skip(job.recorded.iter().take(1).cloned().collect())
        },
        is_new: job.is_new,
        entry: job.entry.clone().filter(|_| replaced.is_recorded_first()),
        ..DownloadOrder::new(request, target)
    };
    loop {
        match transfer_file(net, retry_policy, job, &order, events).await {
            Ok(saved) => {
                let path = saved.path.clone();
                let is_same = match former {
                    Some(former) => blocking(move || former.restore(&path)).await,
                    None => false,
                };
                return Ok(if is_same {
                    FileOutcome::Unchanged(saved)
                } else {
                    FileOutcome::Saved(saved, replaced)
                });
            }
            Err(Error::AlreadyComplete) => {
                let _ = order.forget().await;
                return Ok(FileOutcome::Existing);
            }
            Err(Error::Stopped { stop, .. })
                if matches!(*stop, Stop::Needs(Question::Changed { .. }))
                    && order.partial == PartialFilePolicy::ResumeUnchanged =>
            {
                *was_changed = true;
                order.is_new = false;
                order.partial = PartialFilePolicy::Restart;
            }
            // A directory gives way only when the file is here.
            Err(Error::Create { path, source })
                if source.kind() == io::ErrorKind::IsADirectory
                    && order.target == Target::Free(job.path.clone())
                    && is_directory(&path).await =>
            {
                order.target = Target::Free(numbered(&path, 2));
                order.is_new = false;
                (order.entry, replaced) = (None, ReplacedFile::Directory);
            }
            Err(error) => {
                if is_of_site && replaced.is_older_version() {
                    // A partial file beside a whole page is of no use.
                    let _ = order.forget().await;
                }
                return Err(error);
            }
        }
    }
}

/// Returns the target of a file, and what it replaces; `None` if the file is there already.
async fn target_of(net: &Net, job: &TreeFileJob) -> Option<(Target, ReplacedFile)> {
    let item = &job.item;
    let own = job.recorded.first();
    let is_file = match own {
        Some(own) => tokio::fs::symlink_metadata(own).await,
        None => return Some((Target::Free(job.path.clone()), ReplacedFile::None)),
    };
    let Some(own) = own.filter(|_| is_file.is_ok_and(|is| is.is_file())) else {
        return Some((Target::Free(job.path.clone()), ReplacedFile::None));
    };
    let modified = item.modified.map(ModifiedTime::digits);
    if let Some(size) = item.size
        && is_complete(own, size, modified.as_deref()).await
        && (item.modified.is_some() || is_same(net, job.request.clone(), own, size).await)
    {
        forget_partial(job, own).await;
        return None;
    }
    // The record names this URL as the source of the file: it is replaced by its new version.
    let (path, entry) = (own.clone(), job.entry.clone());
    let is_edited = move || {
        let entry = entry?;
        let record = locked(&entry.record);
        let name = path.strip_prefix(record.directory()).ok()?;
        Some(record.is_edited(name))
    };
    Some(if blocking(is_edited).await == Some(true) {
        (Target::Free(own.clone()), ReplacedFile::Edited(own.clone()))
    } else {
        (Target::Replace(own.clone()), ReplacedFile::Unedited)
    })
}

/// Returns what a real run would do with a file: of a site it is looked at.
async fn plan(
    net: &Net,
    job: &TreeFileJob,
    request: Request,
    is_update: bool,
) -> Result<FileOutcome, Error> {
    if !job.is_of_site() {
        return Ok(FileOutcome::Planned(is_update, PageLinks::default()));
    }
    let copy = job.recorded.first().filter(|_| is_update).cloned();
    let seen = look(net, request, copy).await?;
    Ok(if seen.is_same {
        FileOutcome::Existing
    } else {
        FileOutcome::Planned(is_update, seen.links)
    })
}

/// Removes the partial file that an earlier run has left beside a whole file.
async fn forget_partial(job: &TreeFileJob, own: &Path) {
    if !job.is_new && job.run == RunMode::Real {
        let target = Target::Replace(own.to_owned());
        // It is of no use, but does no harm.
        let _ = DownloadOrder::new(job.request.clone(), target)
            .forget()
            .await;
    }
}

impl TreeFileJob {
    /// Returns true for a page of a site.
    fn is_of_site(&self) -> bool {
        matches!(self.request.save.redirects, RedirectPolicy::Report)
    }

    /// Returns true if the file that is here came whole.
    fn is_whole(&self) -> bool {
        self.saved.as_ref().is_some_and(|saved| saved.is_whole)
    }

    /// Returns the request, for another version if the file to be replaced has one and came whole.
    fn versioned_request(&self, target: &Target) -> Request {
        let mut request = self.request.clone();
        if let (Target::Replace(_), Some(saved)) = (target, &self.saved)
            && saved.is_whole
            && saved.version != Version::default()
        {
            // No URL with a version holds a form, which the command line would agree to send.
            request.answers = FormAnswers::default();
            request.save.copy = Some(Box::new(KnownCopy {
                version: saved.version.clone(),
                charset: self.charset,
                ..KnownCopy::none(self.item.url.without_password())
            }));
        }
        request
    }
}

/// Fetches the file of an order, and reports its events. A page with links has limits.
async fn transfer_file(
    net: &Net,
    retry_policy: &RetryPolicy,
    job: &TreeFileJob,
    order: &DownloadOrder,
    events: &UnboundedSender<JobEvent>,
) -> Result<SavedFile, Error> {
    let is_page = job.is_of_site() && lists_others(&job.item.url);
    let (too_long, limit) = oneshot::channel();
    let mut too_long = Some(too_long).filter(|_| is_page);
    let mut on_event = |event| {
        if matches!(event, TransferEvent::Octets(received, _) if received > MAX_PAGE_BYTES)
            && let Some(too_long) = too_long.take()
        {
            let _ = too_long.send(());
        }
        // The walk ends with its receiver.
        let line = event_line(&event, &job.item.url.masked());
        let _ = events.send((job.number, event, line));
    };
    let transferring = transfer(net, order.clone(), retry_policy, &mut on_event);
    if !is_page {
        return transferring.await;
    }
    match within_limits(limit, transferring).await {
        Ok(saved) => saved,
        Err(endless) => {
            // Nobody can complete its partial file.
            let _ = order.forget().await;
            Err(endless)
        }
    }
}

/// Returns true for a directory that is no link to one.
async fn is_directory(path: &Path) -> bool {
    let is = tokio::fs::symlink_metadata(path).await;
    is.is_ok_and(|is| is.is_dir())
}
