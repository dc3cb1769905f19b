//! Files of a walk: several are fetched at once, each into its place below the local directory.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use geomys_load::{RedirectPolicy, Stop};
use geomys_wire::text::Text;
use rfc1738::Url;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::oneshot;

use super::job::{FileOutcome, FinishedJob, JobEvent, ReplacedFile, TreeFileJob, fetch};
use super::listing::{ItemKind, RemoteItem};
use super::mirror::RunMode;
use super::page::head_of_copy;
use super::unlinked::says_gone;
use super::{DirectoryRoute, PAUSE, PendingDirectory, TreeWalk, is_local, sentence, update_retry};
use geomys_store::transfer::download::{Error, SavedFile, TransferEvent, partial_bases};
use geomys_store::transfer::records::locked;

/// Names in a local directory for which a download is not the first: those of directories and partial files, and what
/// is no file.
#[derive(Default)]
pub(super) struct TakenNames(HashSet<OsString>);

impl TakenNames {
    /// Creates the directory, unless it is there, and reads it. Blocks.
    ///
    /// # Errors
    /// [`Error::Create`].
    pub(super) fn in_new(path: PathBuf) -> Result<Self, Error> {
        let made = std::fs::create_dir_all(&path).and_then(|()| std::fs::read_dir(&path));
        let entries = made.map_err(|source| Error::Create { path, source })?;
        let mut names = HashSet::new();
        for entry in entries.flatten() {
            let name = entry.file_name();
            if entry.file_type().is_ok_and(|kind| kind.is_file()) {
                names.extend(partial_bases(Path::new(&name)).into_iter().flatten());
            } else {
                names.insert(name);
            }
        }
        Ok(Self(names))
    }

    fn has(&self, name: &OsStr) -> bool {
        self.0.contains(name)
    }
}

/// Senders that postpone the running jobs, by their number. A job that is postponed or needs its server no more has
/// none.
type Postponing = HashMap<usize, oneshot::Sender<()>>;

/// Octets of the running jobs, by their number: at the first report, and now.
type RunningOctets = HashMap<usize, (u64, u64)>;

/// Running jobs of a directory, by their number.
#[derive(Default)]
struct RunningJobs {
    octets: RunningOctets,
    postponing: Postponing,
    /// Jobs whose octets have all come: another file is fetched while they are synced.
    received: HashSet<usize>,
    /// Jobs that the server had no free connection for.
    postponed: VecDeque<TreeFileJob>,
    /// True if a job has ended since the last one was postponed or begun again: a connection may be free.
    has_ended: bool,
}

impl RunningJobs {
    /// Returns true if another file may be fetched. Those that are only synced need no connection, but a slow disk
    /// holds up the server.
    fn has_room(&self, at_once: usize) -> bool {
        self.postponing.len() < at_once.max(1) && self.received.len() <= at_once
    }

    /// Notes that all octets of a job have come. One that is postponed or has ended stays so.
    fn receive(&mut self, number: usize) {
        if self.postponing.remove(&number).is_some() {
            self.received.insert(number);
        }
    }

    /// Removes a job that has ended, except its octets.
    fn end(&mut self, number: usize) {
        self.postponing.remove(&number);
        self.received.remove(&number);
        self.has_ended = true;
    }

    /// Keeps a job for the time after another one has ended.
    fn postpone(&mut self, job: TreeFileJob) {
        self.postponed.push_back(job);
        self.has_ended = false;
    }

    /// Returns true if no file may be begun before a running one has ended: `is_idle` if none runs.
    fn waits(&self, is_idle: bool) -> bool {
        !self.postponed.is_empty() && !self.has_ended && !is_idle
    }

    /// Takes a job that was postponed.
    fn take_postponed(&mut self) -> Option<TreeFileJob> {
        let job = self.postponed.pop_front()?;
        self.has_ended = false;
        Some(job)
    }
}

impl TreeWalk<'_> {
    /// Fetches the files of a directory, and queues its directories. `items` have their local names.
    pub(super) async fn take(
        &mut self,
        directory: PendingDirectory,
        items: Vec<RemoteItem>,
        taken: &TakenNames,
    ) {
        let (events, mut reports) = unbounded_channel();
        let (net, retry_policy) = (self.net, &self.retry_policy.clone());
        let mut running = FuturesUnordered::new();
        let mut jobs = RunningJobs::default();
        let mut items = items.into_iter().enumerate();
        // Jobs that ended while the one before was recorded.
        let mut ended = VecDeque::new();
        while self.stopped.is_none() {
            while jobs.has_room(self.order.at_once) && !jobs.waits(running.is_empty()) {
                let job = match jobs.take_postponed() {
                    Some(job) => Some(job),
                    None => {
                        let Some((number, item)) = items.next() else {
                            break;
                        };
                        if number % PAUSE == 0 {
                            // A directory of directories alone has no other await.
                            tokio::task::yield_now().await;
                        }
                        let job = self.plan(&directory, number, item, taken);
                        self.unless_silent(job).await
                    }
                };
                if let Some(job) = job {
                    let (postpone, stop) = oneshot::channel();
                    jobs.postponing.insert(job.number, postpone);
                    let pause = self.pause_before_file();
                    running.push(fetch(net, retry_policy, job, (events.clone(), pause), stop));
                }
            }
            let finished = match ended.pop_front() {
                Some(finished) => finished,
                None => tokio::select! {
                    biased;
                    Some(event) = reports.recv() => {
                        self.on_event(event, &mut jobs);
                        continue;
                    }
                    finished = running.next() => match finished {
                        Some(finished) => finished,
                        None => return,
                    },
                },
            };
            self.drain(&mut reports, &mut jobs);
            jobs.end(finished.job.number);
            jobs.octets.remove(&finished.job.number);
            let again = {
                let finishing = self.finish(&directory, finished, &jobs.octets);
                tokio::pin!(finishing);
                loop {
                    // The other jobs go on meanwhile.
                    tokio::select! {
                        biased;
                        again = &mut finishing => break again,
                        Some(finished) = running.next() => ended.push_back(finished),
                    }
                }
            };
            if let Some(job) = again {
                jobs.postpone(job);
            }
        }
    }

    /// Returns the job for a file; a directory is queued.
    fn plan(
        &mut self,
        directory: &PendingDirectory,
        number: usize,
        item: RemoteItem,
        taken: &TakenNames,
    ) -> Option<TreeFileJob> {
        let path = directory.path.join(&*item.name);
        // A dry run reads no local directory.
        let is_read = self.site.is_none() && self.order.mirror.run == RunMode::Real;
        let is_new = is_read && !taken.has(&item.name);
        if item.kind == ItemKind::Directory {
            let below = below_directory(directory, item, path, directory.route);
            self.waiting.push_back(below);
            return None;
        }
        if self.site.is_none() {
            let url = item.url.without_password();
            self.listed.insert(self.hasher.hash_one(url.as_str()));
        }
        let record = self.record.as_deref();
        let recorded = record.map(|record| locked(record).paths(&item.url));
        let recorded = primary_first(recorded.unwrap_or_default(), &path);
        let entry = self.entry(&item.url);
        let first = recorded.first().filter(|_| self.site.is_some());
        let saved = first.and_then(|path| self.saved_page(path));
        let media_type = first.and_then(|path| self.media_type_of(path));
        let charset = head_of_copy(&item.url, media_type.as_deref()).charset;
        self.step.name = Text::of(&path.file_name().unwrap_or_default().to_string_lossy());
        self.report_progress();
        let mut request = self.request_for(item.url.clone());
        request.save.listed = item.version();
        if self.site.is_some() {
            request.save.redirects = RedirectPolicy::Report;
            request.save.decodes = true;
        }
        Some(TreeFileJob {
            archived: self.archived(&item.url),
            number,
            request,
            item,
            path,
            recorded,
            saved,
            charset,
            media_type,
            is_unlinked: self.is_asking_unlinked(),
            into: self.order.into.clone(),
            entry,
            is_new,
            oversize: self.order.oversize,
            run: self.order.mirror.run,
        })
    }

    /// Leaves the job of a page whose host was silent; the pages that its copy leads to are known.
    async fn unless_silent(&mut self, job: Option<TreeFileJob>) -> Option<TreeFileJob> {
        let job = job?;
        if !self.leave_silent(&job.request) {
            return Some(job);
        }
        self.read_former_links(&job).await;
        self.step.done += 1;
        None
    }

    fn on_event(&mut self, (number, event, line): JobEvent, jobs: &mut RunningJobs) {
        if matches!(event, TransferEvent::Received) {
            jobs.receive(number);
        }
        // The last job waits for the server; of several, the refused one waits for the others.
        if matches!(event, TransferEvent::Busy)
            && jobs.postponing.len() + jobs.received.len() > 1
            && let Some(postpone) = jobs.postponing.remove(&number)
        {
            self.order.at_once = jobs.postponing.len().max(1);
            // A job that has ended does not listen.
            let _ = postpone.send(());
        }
        update_retry(&mut self.step, &event);
        self.step.line = line;
        if let TransferEvent::Octets(received, _) = event {
            jobs.octets.entry(number).or_insert((received, 0)).1 = received;
            self.count_octets(&jobs.octets);
        }
        self.report_progress();
        self.step.line = None;
    }

    /// Handles the events that came before the end of a job.
    fn drain(&mut self, reports: &mut UnboundedReceiver<JobEvent>, jobs: &mut RunningJobs) {
        while let Ok(event) = reports.try_recv() {
            self.on_event(event, jobs);
        }
        // What a job has received stays counted after its end.
        self.received = self.step.octets;
        for (first, last) in jobs.octets.values_mut() {
            *first = *last;
        }
    }

    fn count_octets(&mut self, octets: &RunningOctets) {
        let running = octets.values();
        let running: u64 = running
            .map(|(first, last)| last.saturating_sub(*first))
            .sum();
        self.step.octets = self.received.saturating_add(running);
    }

    /// Counts the result of a job, and records the source of its file. Returns a job that is postponed.
    async fn finish(
        &mut self,
        directory: &PendingDirectory,
        finished: FinishedJob,
        octets: &RunningOctets,
    ) -> Option<TreeFileJob> {
        let FinishedJob {
            job,
            outcome,
            was_changed,
        } = finished;
        let shown = Text::of(&job.item.url.masked());
        if was_changed {
            // No question for single files: the current version is fetched.
            self.note(format!(
                "{shown} has changed since the partial download: fetched again"
            ));
        }
        let via = self.via(directory, &job.item.url);
        let mut is_archived = false;
        if let Some(page) = &job.archived
            && !matches!(outcome, Ok(FileOutcome::Postponed))
        {
            is_archived = self.archive_exchanges(page, via.as_ref()).await;
        }
        self.note_answer(&job.request, &outcome);
        match outcome {
            Ok(FileOutcome::Postponed) => {
                self.step.retry = None;
                return Some(TreeFileJob {
                    is_new: false,
                    ..job
                });
            }
            Ok(FileOutcome::Unchanged(saved)) => {
                let path = saved.path.clone();
                self.record(&path, &job.item.url).await;
                self.record_page(&path, &saved);
                self.count_change(&path, &shown, false);
                self.summary.existing += 1;
                self.read_links(&job.item.url, &path, saved.media_type)
                    .await;
            }
            Ok(FileOutcome::Existing) => {
                self.read_former_links(&job).await;
                if let Some(path) = job.recorded.first() {
                    self.count_change(path, &shown, false);
                }
                self.summary.existing += 1;
                self.step.existing = self
                    .step
                    .existing
                    .saturating_add(job.item.size.unwrap_or(0));
            }
            Ok(FileOutcome::Saved(saved, replaced)) => {
                let via = via.as_ref();
                self.keep_saved(&job, saved, &replaced, (via, is_archived))
                    .await;
            }
            Ok(FileOutcome::Planned(is_update, links)) => {
                self.summary.files += 1;
                self.summary.updated += usize::from(is_update);
                self.summary.octets += job.item.size.unwrap_or(0);
                let path = job.recorded.first().filter(|_| is_update);
                let path = path.unwrap_or(&job.path).clone();
                self.plan_line(if is_update { "update" } else { "fetch" }, &path);
                self.add_links(&job.item.url, links).await;
            }
            Err(Error::Directory) => {
                self.step.found = self.step.found.saturating_sub(1);
                self.count_octets(octets);
                let route = DirectoryRoute::Link;
                let below = below_directory(directory, job.item, job.path, route);
                self.links.push_back(below);
                return None;
            }
            Err(error @ Error::NotReplaced { .. }) => {
                self.note(error.to_string());
                self.read_former_links(&job).await;
                self.summary.kept += 1;
            }
            Err(error) if is_local(&error) => self.stop(&shown, &error),
            Err(Error::Stopped { stop, .. }) if self.is_asking_unlinked() => {
                self.judge_unlinked(&job.item.url, &stop);
            }
            Err(Error::Stopped { stop, .. }) if self.site.is_some() => {
                self.note_unfilled(&job.path);
                if !self.add_redirect(&job.item.url, &stop).await {
                    self.note_missing(&job.item.url, &stop);
                    if !matches!(&*stop, Stop::Failed(failure) if says_gone(&job.item.url, failure))
                    {
                        // The pages that it led to are known.
                        self.read_former_links(&job).await;
                    }
                }
            }
            Err(error) => self.fail(shown, sentence(&error)),
        }
        self.step.done += 1;
        self.step.retry = None;
        self.report_progress();
        None
    }
}

impl TreeWalk<'_> {
    /// Keeps a file that has come, or leaves a menu that repeats another one. `via` is the page that leads to it;
    /// `is_archived` is true if an archive had it already.
    async fn keep_saved(
        &mut self,
        job: &TreeFileJob,
        saved: SavedFile,
        replaced: &ReplacedFile,
        (via, is_archived): (Option<&Url>, bool),
    ) {
        let octets = saved.octets;
        let (path, is_repeated) = self.on_saved(job, saved, replaced).await;
        self.archive_file(job, via, &path).await;
        if is_repeated && job.archived.is_none() {
            return self.leave_repeated(&path).await;
        }
        self.summary.files += usize::from(!is_archived);
        self.summary.existing += usize::from(is_archived);
        self.summary.octets += octets;
    }

    /// Records a file that has come, and reads its links. Returns its path, and true for a new menu that
    /// repeats another one.
    async fn on_saved(
        &mut self,
        job: &TreeFileJob,
        saved: SavedFile,
        replaced: &ReplacedFile,
    ) -> (PathBuf, bool) {
        let shown = Text::of(&job.item.url.masked());
        if saved.end.is_unconfirmed() {
            self.summary.end = saved.end;
        }
        if let Some(note) = saved.end.sentence() {
            self.note(format!("{shown}: {note}"));
        }
        let path = self.settled(job, &saved.path, replaced).await;
        if !replaced.is_recorded_first() {
            self.record(&path, &job.item.url).await;
        }
        self.record_page(&path, &saved);
        if replaced.is_older_version() {
            self.count_change(&path, &shown, true);
        }
        self.note_failure();
        self.summary.updated += usize::from(replaced.is_older_version());
        let is_repeated = self.read_links(&job.item.url, &path, saved.media_type);
        let is_repeated = is_repeated.await;
        // An older version is what an earlier run had, and stays.
        (path, is_repeated && !replaced.is_older_version())
    }

    /// Reads the links of the copy that is here.
    async fn read_former_links(&mut self, job: &TreeFileJob) {
        if let Some(path) = job.recorded.first() {
            let media_type = self.media_type_of(path);
            self.read_links(&job.item.url, path, media_type).await;
        }
    }

    /// Returns the pause before the next file.
    fn pause_before_file(&mut self) -> Duration {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        if is_first {
            Duration::ZERO
        } else {
            self.order.mirror.pause
        }
    }

    /// Gives a fetched file the name of an older version, or of a directory, that it takes the place of. Returns its
    /// path.
    async fn settled(
        &mut self,
        job: &TreeFileJob,
        saved: &Path,
        replaced: &ReplacedFile,
    ) -> PathBuf {
        match replaced {
            ReplacedFile::Unedited => saved.to_owned(),
            ReplacedFile::Edited(own) if own != saved => self.keep_edited(own, saved).await,
            _ if saved == job.path => saved.to_owned(),
            ReplacedFile::Directory
                if self
                    .replace_directory(&job.path, saved, &job.item.url)
                    .await =>
            {
                job.path.clone()
            }
            ReplacedFile::Edited(_) | ReplacedFile::Directory | ReplacedFile::None => {
                let (shown, here) = (Text::of(&job.item.url.masked()), saved.display());
                self.note(format!("{shown} is saved as {here}: the name is taken"));
                saved.to_owned()
            }
        }
    }
}

/// Returns an entry of a directory as a directory to be entered.
fn below_directory(
    directory: &PendingDirectory,
    item: RemoteItem,
    path: PathBuf,
    route: DirectoryRoute,
) -> PendingDirectory {
    PendingDirectory {
        url: item.url,
        path,
        depth: directory.depth + 1,
        route,
        charset: directory.charset,
        parent: directory.parent.clone(),
        via: Some(directory.url.clone()),
    }
}

/// Puts the file first that has the name of its URL, before those that were saved beside another file.
fn primary_first(mut recorded: Vec<PathBuf>, path: &Path) -> Vec<PathBuf> {
    let is_primary = |one: &PathBuf| one.file_name() == path.file_name();
    if let Some(at) = recorded.iter().position(is_primary) {
        recorded.swap(0, at);
    }
    recorded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn received_file_makes_room_until_the_disk_is_slow() {
        let mut jobs = RunningJobs::default();
        let start = |jobs: &mut RunningJobs, number| {
            jobs.postponing.insert(number, oneshot::channel().0);
        };
        start(&mut jobs, 0);
        assert!(jobs.has_room(2));
        start(&mut jobs, 1);
        assert!(!jobs.has_room(2));
        for number in 2..4 {
            jobs.receive(number - 2);
            assert!(jobs.has_room(2), "{number}");
            start(&mut jobs, number);
            assert!(!jobs.has_room(2), "{number}");
        }
        jobs.receive(2);
        assert!(!jobs.has_room(2), "three wait for the disk");
        jobs.end(0);
        assert!(jobs.has_room(2));
        // One that has ended does not come back.
        jobs.receive(0);
        assert_eq!(jobs.received.len(), 2);
    }
}
