//! Download of a whole directory: every file below it, breadth first, into a local directory.
//!
//! A complete file that came from the same URL before is skipped (same size, and same time if the listing has times), so that
//! a second run resumes the first. Names are made safe, and nothing is written outside of the directory. A link to a directory
//! is entered last, and only if the server reports the real path and that path was not entered yet. A failed file does not end
//! the walk.

mod ancestor;
mod listing;
mod record;
mod same;
mod summary;

use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::ancestor::{Ancestor, names_of};
use self::listing::{Item, ItemKind, list};
use self::same::is_same;
pub use self::summary::{TreeProgress, TreeSummary};
use super::download::{
    DownloadOrder, Error, ExistingFilePolicy, OversizePolicy, PartialFilePolicy, Target,
    TransferEvent, is_complete, numbered,
};
use super::retry::{RetryPolicy, transfer};
use super::sources::{MergePolicy, SourceRecord, Sources};
use crate::load::{GopherItem, Purpose, Question, Request, Stop};
use crate::net::Net;
use crate::text::{self, Charset, Text, exact_file_name};
use crate::url::Url;

/// Maximum nesting depth of directories.
const MAX_DEPTH: usize = 64;

/// Maximum number of entries of a walk.
const ENTRIES: usize = 1_000_000;

/// Number of entries between two yields to other tasks.
const PAUSE: usize = 256;

/// Maximum number of failures, and of notes, in the summary.
const MAX_MESSAGES: usize = 1000;

/// Directory that is still to be entered.
struct PendingDirectory {
    url: Url,
    path: PathBuf,
    depth: usize,
    route: DirectoryRoute,
    /// Directories through which it was reached.
    parent: Option<Arc<Ancestor>>,
}

/// Route by which a directory was reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DirectoryRoute {
    /// Through directories alone.
    Direct,
    /// Through at least one link.
    Link,
}

/// Order to download a directory.
#[derive(Clone, Debug)]
pub struct DirectoryOrder {
    /// Request for the remote directory.
    pub request: Request,
    /// Local directory.
    pub into: PathBuf,
    /// Treatment of a local directory with files from other sources.
    pub merge: MergePolicy,
    /// Reaction to a server that sends more of a file than it announced.
    pub oversize: OversizePolicy,
}

impl DirectoryOrder {
    /// Creates an order to fetch a directory into a local directory with no other files.
    pub fn new(request: Request, into: PathBuf) -> Self {
        Self {
            request,
            into,
            merge: MergePolicy::default(),
            oversize: OversizePolicy::default(),
        }
    }
}

/// Fetches a directory and everything below it, and records the source of each file in `sources`. `report` receives each
/// step.
///
/// # Errors
/// Errors of reading or creating the directory itself, such as [`Error::Foreign`] and [`Stop::Needs`]. Failures below it are
/// in the summary.
pub async fn tree(
    net: &Net,
    order: DirectoryOrder,
    sources: &Sources,
    retry_policy: &RetryPolicy,
    report: &mut impl FnMut(&TreeProgress),
) -> Result<TreeSummary, Error> {
    let first = PendingDirectory {
        url: order.request.url.clone(),
        path: order.into.clone(),
        depth: 0,
        route: DirectoryRoute::Direct,
        parent: None,
    };
    let mut walk = TreeWalk {
        net,
        order,
        sources,
        record: None,
        retry_policy,
        report,
        waiting: VecDeque::new(),
        links: VecDeque::new(),
        visited: HashSet::new(),
        entries: 0,
        step: TreeProgress::default(),
        summary: TreeSummary::default(),
    };
    walk.check().await?;
    Box::pin(walk.enter(first)).await?;
    while let Some(directory) = walk.waiting.pop_front().or_else(|| walk.links.pop_front()) {
        let name = Text::of(&directory.url.masked());
        if let Err(error) = Box::pin(walk.enter(directory)).await {
            walk.fail(name, sentence(&error));
        }
    }
    Ok(walk.summary)
}

struct TreeWalk<'a, F> {
    net: &'a Net,
    order: DirectoryOrder,
    sources: &'a Sources,
    /// Record of the sources of the files; `None` if it cannot be written.
    record: Option<SourceRecord>,
    retry_policy: &'a RetryPolicy,
    report: &'a mut F,
    waiting: VecDeque<PendingDirectory>,
    /// Targets of links: entered after all other directories.
    links: VecDeque<PendingDirectory>,
    /// Real paths, from the server, of the directories that were entered.
    visited: HashSet<Vec<u8>>,
    entries: usize,
    step: TreeProgress,
    summary: TreeSummary,
}

impl<F: FnMut(&TreeProgress)> TreeWalk<'_, F> {
    /// Lists a directory, creates it locally, fetches its files, and queues its directories.
    async fn enter(&mut self, directory: PendingDirectory) -> Result<(), Error> {
        let shown = Text::of(&directory.url.masked());
        if directory.depth > MAX_DEPTH {
            self.fail(
                shown,
                format!("not entered: it is more than {MAX_DEPTH} deep"),
            );
            return Ok(());
        }
        self.step.name = shown.clone();
        self.report_progress();
        let request = self.request_for(directory.url.clone());
        let (step, report) = (&mut self.step, &mut self.report);
        let mut on_event = |event| {
            update_retry(step, &event);
            report(step);
        };
        let listed = list(self.net, request, self.retry_policy, &mut on_event)
            .await
            .map_err(|stop| Error::stopped(stop, None))?;
        let names = names_of(&listed.items);
        let loop_check = listed.real.as_ref().zip(directory.parent.as_deref());
        if !listed.items.is_empty()
            && loop_check.is_some_and(|(real, parent)| parent.has(real, names))
        {
            self.note(format!(
                "{shown} was not entered: it leads back to a directory above it"
            ));
            return Ok(());
        }
        let own = listed.real.clone().map(|real| {
            let parent = directory.parent.clone();
            Arc::new(Ancestor {
                real,
                names,
                parent,
            })
        });
        let is_link = directory.route == DirectoryRoute::Link;
        match &listed.real {
            Some(real) if !self.visited.insert(real.clone()) && is_link => {
                self.note(format!(
                    "{shown} was not entered: it is a directory that was entered already"
                ));
                return Ok(());
            }
            None if is_link => {
                let why = "not entered: the server does not say where that link leads";
                self.fail(shown, why.to_owned());
                return Ok(());
            }
            Some(_) | None => {}
        }
        let path = directory.path.clone();
        let made = tokio::fs::create_dir_all(&path).await;
        made.map_err(|source| Error::Create { path, source })?;
        if directory.depth == 0 {
            self.open_record().await?;
        }
        self.summary.directories += 1;
        for (line, why) in listed.unreadable {
            self.fail(Text::of(&format!("{shown}: {line}")), why);
        }
        let directory = PendingDirectory {
            parent: own.or(directory.parent),
            ..directory
        };
        let names = local_names(&listed.items, listed.charset);
        self.take(directory, listed.items, names).await;
        Ok(())
    }

    async fn take(&mut self, directory: PendingDirectory, items: Vec<Item>, names: Vec<PathBuf>) {
        let room = ENTRIES.saturating_sub(self.entries);
        if items.len() > room {
            let name = Text::of(&directory.url.masked());
            let left_out = text::count(items.len() - room);
            self.fail(
                name,
                format!("{left_out} entries were left out: {ENTRIES} are fetched at most"),
            );
        }
        self.entries += items.len().min(room);
        let is_file = |item: &&Item| item.kind != ItemKind::Directory;
        self.step.found += items.iter().take(room).filter(is_file).count();
        for (number, (item, name)) in items.into_iter().zip(names).take(room).enumerate() {
            if number % PAUSE == 0 {
                // A directory of directories alone has no other await.
                tokio::task::yield_now().await;
            }
            let path = directory.path.join(name);
            let below = |route| PendingDirectory {
                url: item.url.clone(),
                path: path.clone(),
                depth: directory.depth + 1,
                route,
                parent: directory.parent.clone(),
            };
            if item.kind == ItemKind::Directory {
                self.waiting.push_back(below(directory.route));
                continue;
            }
            match self.fetch(&item, &path).await {
                Ok(()) => self.step.done += 1,
                Err(Error::Directory) => {
                    self.step.found = self.step.found.saturating_sub(1);
                    self.links.push_back(below(DirectoryRoute::Link));
                }
                Err(error) => {
                    self.step.done += 1;
                    self.fail(Text::of(&item.url.masked()), sentence(&error));
                }
            }
            self.step.retry = None;
            self.report_progress();
        }
    }

    /// Fetches a file, unless it exists already.
    async fn fetch(&mut self, item: &Item, path: &Path) -> Result<(), Error> {
        let record = self.record.as_ref();
        let recorded = record.map(|record| record.paths(&item.url));
        let recorded = recorded.unwrap_or_default();
        for path in &recorded {
            if let Some(size) = item.size
                && is_complete(path, size, item.modified.as_deref()).await
                && (item.modified.is_some()
                    || is_same(self.net, self.request_for(item.url.clone()), path, size).await)
            {
                self.summary.existing += 1;
                return Ok(());
            }
        }
        self.step.name = Text::of(&path.file_name().unwrap_or_default().to_string_lossy());
        self.report_progress();
        let mut order = DownloadOrder {
            modified: item.modified.clone(),
            size: item.size,
            oversize: self.order.oversize,
            existing: ExistingFilePolicy::Skip(recorded),
            ..DownloadOrder::new(
                self.request_for(item.url.clone()),
                Target::Free(path.to_owned()),
            )
        };
        let before = self.step.octets;
        loop {
            let (step, report) = (&mut self.step, &mut self.report);
            let mut first = None;
            let mut on_event = |event| {
                update_retry(step, &event);
                if let TransferEvent::Octets(received, _) = event {
                    let already = *first.get_or_insert(received);
                    step.octets = before.saturating_add(received.saturating_sub(already));
                }
                report(step);
            };
            match transfer(self.net, order.clone(), self.retry_policy, &mut on_event).await {
                Ok(saved) => {
                    if saved.path != path {
                        let name = Text::of(&item.url.masked());
                        let here = saved.path.display();
                        self.note(format!(
                            "{name} is in {here}, as another file has its name here"
                        ));
                    }
                    self.record(&saved.path, item.url.clone()).await;
                    self.summary.files += 1;
                    self.summary.octets += saved.octets;
                    return Ok(());
                }
                Err(Error::AlreadyComplete) => {
                    self.summary.existing += 1;
                    return Ok(());
                }
                Err(Error::Stopped { stop, .. })
                    if matches!(*stop, Stop::Needs(Question::Changed { .. }))
                        && order.partial == PartialFilePolicy::ResumeUnchanged =>
                {
                    // No question for single files: the current version is fetched.
                    let name = Text::of(&item.url.masked());
                    self.note(format!(
                        "{name} has changed since a part of it came: it was fetched again from the start"
                    ));
                    order.partial = PartialFilePolicy::Restart;
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn request_for(&self, url: Url) -> Request {
        Request {
            url,
            purpose: Purpose::Save,
            mirrors: Vec::new(),
            gopher_item: GopherItem::Plain,
            resume: None,
            ..self.order.request.clone()
        }
    }

    fn report_progress(&mut self) {
        (self.report)(&self.step);
    }

    fn note(&mut self, sentence: String) {
        if self.summary.notes.len() < MAX_MESSAGES {
            self.summary.notes.push(sentence);
        }
    }

    fn fail(&mut self, name: Text, why: String) {
        self.summary.failures += 1;
        if self.summary.failed.len() < MAX_MESSAGES {
            self.summary.failed.push((name, why));
        }
    }
}

fn update_retry(step: &mut TreeProgress, event: &TransferEvent) {
    step.retry = match event {
        TransferEvent::Retry(left, why) => Some((*left, why.clone())),
        TransferEvent::Octets(..) | TransferEvent::Restarted => None,
    };
}

/// Returns a unique local name for each entry. The directory holds nothing but these, so that names stay as they are.
fn local_names(items: &[Item], charset: Charset) -> Vec<PathBuf> {
    let mut taken = HashSet::new();
    // Last number that was tried for each name: many entries may get the same local name.
    let mut tried: HashMap<PathBuf, usize> = HashMap::new();
    let free = |item: &Item| {
        let name = exact_file_name(&item.name, charset).unwrap_or_else(|| "unnamed".to_owned());
        let name = PathBuf::from(name);
        let number = tried.entry(name.clone()).or_default();
        loop {
            *number += 1;
            let free = numbered(&name, *number);
            if taken.insert(free.clone()) {
                return free;
            }
        }
    };
    items.iter().map(free).collect()
}

/// Returns the error message of a failed fetch.
fn sentence(error: &Error) -> String {
    let Error::Stopped { stop, .. } = error else {
        return error.to_string();
    };
    match &**stop {
        Stop::Failed(failure) => failure.sentence.clone(),
        Stop::Needs(question) => question.unanswered(),
        Stop::Truncated(_) => "the listing is too long".to_owned(),
        Stop::Closed => io::Error::from(io::ErrorKind::Interrupted).to_string(),
    }
}
