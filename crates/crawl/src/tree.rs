//! Download of a whole directory, or of the pages of a site: every file below it, breadth first, into a local
//! directory.
//!
//! A complete file that came from the same URL before is skipped (same size, and same time if the listing has times),
//! and one that has changed on the server is replaced, so that a second run resumes or updates the first. Names are
//! made safe, and nothing is written outside of the directory. A link to a directory is entered last, and only if the
//! server reports the real path and that path was not entered yet. A failed file does not end the walk.

mod archived;
mod files;
mod found;
mod job;
mod listing;
mod look;
mod mirror;
mod page;
mod pages;
mod record;
mod site_names;
mod summary;
mod unlinked;

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_load::{FailureCause, GopherRequest, Purpose, Reason, Request, SaveRequest, Stop};
use geomys_wire::net::{Net, TransferEnd};
use geomys_wire::task::blocking;
use geomys_wire::text::{self, Charset, Text};
use rfc1738::Url;

use self::files::TakenNames;
use self::listing::{Ancestor, names_of};
use self::listing::{ItemKind, ParsedListing, RemoteItem, list};
pub(crate) use self::mirror::delete;
pub use self::mirror::{MirrorOptions, NameFilter, RunMode, VanishedFiles};
pub(crate) use self::page::head_of_copy;
use self::page::page_retries;
pub use self::pages::SiteOptions;
use self::pages::SiteWalk;
pub(crate) use self::site_names::served_name;
pub use self::summary::{LeftOut, TreeProgress, TreeSummary};
use crate::archive::Archive;
use crate::hosts::cause_of;
use crate::names::{DirectoryNames, link_below, without_links};
use geomys_store::transfer::download::{Error, OversizePolicy, TransferEvent};
use geomys_store::transfer::records::{DirectoryRecord, DirectoryRecords, MergePolicy, root};
use geomys_store::transfer::retry::RetryPolicy;

/// Maximum nesting depth of directories.
const MAX_DEPTH: usize = 64;

/// Maximum number of entries of a walk.
const ENTRIES: usize = 1_000_000;

/// Number of files that are fetched at once by default.
const AT_ONCE: usize = 2;

/// Number of entries between two yields to other tasks.
const PAUSE: usize = 256;

/// Maximum number of failures, and of notes, in the summary.
const MAX_MESSAGES: usize = 100_000;

/// Directory that is still to be entered.
struct PendingDirectory {
    url: Url,
    path: PathBuf,
    depth: usize,
    route: DirectoryRoute,
    /// Charset of the directory above.
    charset: Option<Charset>,
    /// Directories through which it was reached.
    parent: Option<Arc<Ancestor>>,
    /// URL of the page or directory that links to it.
    via: Option<Url>,
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
    /// Number of files that are fetched at once.
    pub at_once: usize,
    /// Options of a mirror.
    pub mirror: MirrorOptions,
    /// Archive that gets what the server sends; the local directory is temporary then.
    pub archive: Option<Archive>,
}

impl DirectoryOrder {
    /// Creates an order to fetch a directory into a local directory with no other files.
    pub fn new(request: Request, into: PathBuf) -> Self {
        Self {
            request,
            into,
            merge: MergePolicy::default(),
            oversize: OversizePolicy::default(),
            at_once: AT_ONCE,
            mirror: MirrorOptions::default(),
            archive: None,
        }
    }
}

/// Fetches a directory and everything below it, and records the source of each file in `sources`. `report` receives
/// each step.
///
/// # Errors
/// Errors of reading or creating the directory itself, such as [`Error::Foreign`] and [`Stop::Needs`]. Failures below
/// it are in the summary.
pub fn tree<'a>(
    net: &'a Net,
    order: DirectoryOrder,
    sources: &'a DirectoryRecords,
    retry_policy: &'a RetryPolicy,
    report: &'a mut ProgressReport<'a>,
) -> BoxFuture<'a, Result<TreeSummary, Error>> {
    async move {
        let archives = Arc::clone(&order.request.settings.archives);
        let url = order.request.url.clone();
        let walked = walk(net, order, sources, retry_policy, report).await;
        archives.forget_spool(&url);
        walked
    }
    .boxed()
}

/// The receiver of the steps of a walk.
pub type ProgressReport<'a> = dyn FnMut(&TreeProgress) + Send + 'a;

async fn walk<'a>(
    net: &'a Net,
    mut order: DirectoryOrder,
    sources: &'a DirectoryRecords,
    retry_policy: &'a RetryPolicy,
    report: &'a mut ProgressReport<'a>,
) -> Result<TreeSummary, Error> {
    // The links of the user are resolved once; below the directory there is none.
    let into = order.into.clone();
    order.into = blocking(move || without_links(&into)).await;
    let first = PendingDirectory {
        charset: order.request.name_hints.prior,
        url: order.request.url.clone(),
        path: order.into.clone(),
        depth: 0,
        route: DirectoryRoute::Direct,
        parent: None,
        via: order.request.reason.namer().page().cloned(),
    };
    let mut walk = TreeWalk {
        net,
        order,
        sources,
        record: None,
        recorded_directories: HashMap::new(),
        retry_policy: *retry_policy,
        report,
        waiting: VecDeque::new(),
        links: VecDeque::new(),
        visited: HashSet::new(),
        entries: 0,
        listed: HashSet::new(),
        hasher: RandomState::new(),
        unlisted: Vec::new(),
        without_hidden: Vec::new(),
        unconfirmed: Vec::new(),
        has_begun: false,
        site: None,
        mirrored: 0,
        received: 0,
        step: TreeProgress::default(),
        summary: TreeSummary::default(),
        stopped: None,
    };
    walk.site = SiteWalk::of(&walk.order.request.url, &walk.order.mirror.site);
    walk.check_archive()?;
    walk.check().await?;
    if walk.site.is_some() {
        walk.retry_policy = page_retries(retry_policy);
        Box::pin(walk.walk_site()).await?;
    } else {
        Box::pin(walk.enter(first)).await?;
    }
    while walk.stopped.is_none()
        && let Some(directory) = walk.waiting.pop_front().or_else(|| walk.links.pop_front())
    {
        let name = Text::of(&directory.url.masked());
        match Box::pin(walk.enter(directory)).await {
            Err(error) if is_local(&error) => walk.stop(&name, &error),
            Err(error) => walk.fail(name, sentence(&error)),
            Ok(()) => {}
        }
    }
    walk.note_unconfirmed();
    walk.delete_vanished().await;
    walk.sync_record().await;
    walk.sync_archive().await;
    Ok(walk.summary)
}

struct TreeWalk<'a> {
    net: &'a Net,
    order: DirectoryOrder,
    sources: &'a DirectoryRecords,
    /// Record of the sources of the files; `None` if it cannot be written.
    record: Option<Arc<Mutex<DirectoryRecord>>>,
    /// Paths below the local directory of the directories that earlier runs have filled, by their URLs.
    recorded_directories: HashMap<String, PathBuf>,
    retry_policy: RetryPolicy,
    report: &'a mut ProgressReport<'a>,
    waiting: VecDeque<PendingDirectory>,
    /// Targets of links: entered after all other directories.
    links: VecDeque<PendingDirectory>,
    /// Real paths, from the server, of the directories that were entered.
    visited: HashSet<Vec<u8>>,
    entries: usize,
    /// Hashes of the URLs of the files that the server has, without passwords. Two URLs with one hash only keep a file.
    listed: HashSet<u64>,
    hasher: RandomState,
    /// URLs of entries that were left out: what is below them is unknown.
    unlisted: Vec<Url>,
    /// Directories whose listings may lack the names that begin with a dot.
    without_hidden: Vec<Url>,
    /// Directories whose listings have an unconfirmed end: entries may be missing.
    unconfirmed: Vec<Text>,
    /// True once a file was requested.
    has_begun: bool,
    /// State of the walk of a site; `None` for one of directories.
    site: Option<SiteWalk>,
    /// Number of files of the mirror when the walk began, if files are deleted.
    mirrored: usize,
    /// Octets of the files that ended.
    received: u64,
    step: TreeProgress,
    summary: TreeSummary,
    /// What this machine lacks: nothing more is requested.
    stopped: Option<String>,
}

impl TreeWalk<'_> {
    /// Records what a listing may lack.
    fn count_missing(&mut self, url: &Url, shown: &Text, listed: &ParsedListing) {
        if listed.lacks_hidden {
            self.without_hidden.push(url.clone());
        }
        if listed.end.is_unconfirmed() {
            self.unconfirmed.push(shown.clone());
            self.summary.end = listed.end;
        }
    }

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
        let page = self.archived(&directory.url);
        let mut request = self.request_for(directory.url.clone());
        request.name_hints.prior = directory.charset;
        request.save.lists_members = true;
        if self.order.mirror.run == RunMode::Real {
            request.save.spool_in = Some(self.order.into.clone());
        }
        let (step, report) = (&mut self.step, &mut self.report);
        let mut on_event = |event| {
            update_retry(step, &event);
            step.line = event_line(&event, shown.as_str());
            report(step);
            step.line = None;
        };
        let mut listed = list(self.net, request, &self.retry_policy, &mut on_event)
            .await
            .map_err(|stop| Error::stopped(stop, None))?;
        // They would stay in memory as long as the files are fetched.
        let octets = std::mem::take(&mut listed.octets);
        if let Some(page) = page {
            let via = directory.via.as_ref();
            self.archive_listing(&page, via, octets.to_vec()).await;
        }
        drop(octets);
        let names = names_of(&listed.items);
        let loop_check = listed.real.as_ref().zip(directory.parent.as_deref());
        if !listed.items.is_empty()
            && loop_check.is_some_and(|(real, parent)| parent.has(real, names))
        {
            self.note(format!(
                "{shown} was not entered: it links to a directory above it"
            ));
            self.unlisted.push(directory.url);
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
                self.unlisted.push(directory.url);
                return Ok(());
            }
            None if is_link => {
                let why = "not entered: the server does not report the target of the link";
                self.fail(shown, why.to_owned());
                return Ok(());
            }
            Some(_) | None => {}
        }
        let (into, path) = (self.order.into.clone(), directory.path.clone());
        if let Some(link) = blocking(move || link_below(&into, &path)).await {
            self.unlisted.push(directory.url);
            self.fail(shown, Error::Link { path: link }.to_string());
            return Ok(());
        }
        let mut taken = TakenNames::default();
        if self.order.mirror.run == RunMode::Real {
            let path = directory.path.clone();
            // What cannot be replaced makes the next step fail.
            let _ = self.replace_file(&path, &directory.url).await;
            taken = blocking(move || TakenNames::in_new(path)).await?;
        }
        if directory.depth == 0 {
            self.open_record().await?;
        }
        self.summary.directories += 1;
        self.count_missing(&directory.url, &shown, &listed);
        for (line, why) in listed.unreadable {
            self.fail(Text::of(&format!("{shown}: {line}")), why);
        }
        let directory = PendingDirectory {
            parent: own.or(directory.parent),
            charset: listed.expected_charset,
            ..directory
        };
        let mut items = listed.items;
        self.set_local_names(&directory, &mut items, listed.charset);
        let items = self.admitted(&directory, items);
        self.take(directory, items, &taken).await;
        Ok(())
    }

    /// Gives each entry a unique local name. A directory that an earlier run has filled keeps its name.
    fn set_local_names(
        &self,
        directory: &PendingDirectory,
        items: &mut [RemoteItem],
        charset: Charset,
    ) {
        let mut names = DirectoryNames::default();
        let recorded = items.iter().enumerate().filter_map(|(number, item)| {
            let is_directory = item.kind == ItemKind::Directory;
            let name = is_directory.then(|| self.recorded_directories.get(&root(&item.url)))?;
            let path = self.order.into.join(name?);
            let name = PathBuf::from(path.file_name()?);
            (path.parent() == Some(&directory.path)).then_some((number, name))
        });
        let mut recorded: HashMap<usize, PathBuf> = recorded.collect();
        for name in recorded.values() {
            names.take(name);
        }
        for (number, item) in items.iter_mut().enumerate() {
            let name = recorded.remove(&number);
            let name = name.unwrap_or_else(|| names.name(item.name.as_bytes(), charset));
            if name.as_os_str() != &*item.name {
                item.name = name.into_os_string().into();
            }
        }
    }

    /// Leaves the entries out that the filter refuses, and those beyond the limit of a walk.
    fn admitted(
        &mut self,
        directory: &PendingDirectory,
        mut items: Vec<RemoteItem>,
    ) -> Vec<RemoteItem> {
        let room = ENTRIES.saturating_sub(self.entries);
        if items.len() > room {
            let name = Text::of(&directory.url.masked());
            let left_out = text::count(items.len() - room);
            self.fail(
                name,
                format!("{left_out} entries were left out: {ENTRIES} are fetched at most"),
            );
        }
        items.truncate(room);
        self.entries += items.len();
        let below = directory.path.strip_prefix(&self.order.into);
        let below = below.unwrap_or(&directory.path);
        let (filter, unlisted) = (&self.order.mirror.filter, &mut self.unlisted);
        items.retain(|item| {
            let is_admitted = filter.admits(&below.join(&*item.name), item.kind);
            if !is_admitted {
                unlisted.push(item.url.clone());
            }
            is_admitted
        });
        let files = items.iter().filter(|item| item.kind == ItemKind::File);
        for item in files {
            self.step.found += 1;
            let size = item.size.unwrap_or(0);
            self.step.size = self.step.size.saturating_add(size);
        }
        items
    }

    /// Adds one note on all listings whose end is unconfirmed.
    fn note_unconfirmed(&mut self) {
        let Some((first, others)) = self.unconfirmed.split_first() else {
            return;
        };
        let others = match others.len() {
            0 => String::new(),
            1 => " and of another listing".to_owned(),
            many => format!(" and of {} more listings", text::count(many)),
        };
        let end = TransferEnd::Unconfirmed;
        let (note, details) = (
            end.note().unwrap_or_default(),
            end.details().unwrap_or_default(),
        );
        self.note(format!("{note} of {first}{others} ({details})"));
    }

    fn request_for(&self, url: Url) -> Request {
        let root = &self.order.request;
        Request {
            // The walk named every URL but the first.
            reason: if url == root.url {
                root.reason.clone()
            } else {
                Reason::Link(root.url.clone())
            },
            url,
            purpose: Purpose::Save,
            gopher: GopherRequest {
                directory: root.gopher.directory.clone(),
                ..GopherRequest::default()
            },
            save: SaveRequest {
                resume: None,
                ..root.save.clone()
            },
            ..root.clone()
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

    /// Ends the walk, as this machine lacks something: no server is blamed, and none is asked further.
    fn stop(&mut self, name: &Text, error: &Error) {
        if self.stopped.is_none() {
            let why = format!("stopped: {}", sentence(error));
            self.fail(name.clone(), why.clone());
            self.stopped = Some(why);
        }
    }

    fn fail(&mut self, name: Text, why: String) {
        self.summary.failures += 1;
        if self.summary.failed.len() < MAX_MESSAGES {
            self.summary.failed.push((name, why));
        }
    }
}

/// Returns true for an error of this machine, which has no space, descriptors or memory.
fn is_local(error: &Error) -> bool {
    match error {
        Error::Stopped { stop, .. } => cause_of(stop) == Some(FailureCause::Local),
        Error::Create { source, .. } | Error::Write { source, .. } => {
            FailureCause::of_io(source) == FailureCause::Local
        }
        _ => false,
    }
}

fn update_retry(step: &mut TreeProgress, event: &TransferEvent) {
    step.retry = match event {
        TransferEvent::Retry(left, why) => Some((*left, why.clone())),
        TransferEvent::Octets(..)
        | TransferEvent::Received
        | TransferEvent::Unpacking(..)
        | TransferEvent::Restarted
        | TransferEvent::Busy
        | TransferEvent::Outage(..) => None,
    };
}

/// Returns an outage or a decision as a line.
fn event_line(event: &TransferEvent, name: &str) -> Option<String> {
    match event {
        TransferEvent::Outage(delay, why) => {
            let seconds = delay.as_secs_f32().ceil();
            Some(format!("{name}: {why}; again in {seconds} s"))
        }
        TransferEvent::Restarted => {
            Some(format!("{name}: cannot resume, downloading the whole file"))
        }
        TransferEvent::Octets(..)
        | TransferEvent::Received
        | TransferEvent::Unpacking(..)
        | TransferEvent::Busy
        | TransferEvent::Retry(..) => None,
    }
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
