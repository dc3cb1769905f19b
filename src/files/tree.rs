//! Whole directories: every file below one, breadth first, into a directory here.
//!
//! What came from the same URL before and is whole (the same size, and time where a listing tells it) is passed over, so
//! that a second run resumes the first. Names are made safe, and nothing is written outside of the directory. A link that leads to a
//! directory is entered last, and only where the server says what the directory is called and nobody has been there. A
//! file that fails does not end the walk.

mod above;
mod listing;
mod record;
mod same;
mod summary;

use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::above::{Above, names_of};
use self::listing::{Item, What, list};
use self::same::is_same;
pub use self::summary::{Step, Summary};
use super::download::{
    Earlier, Error, Order as FileOrder, PastSize, Report, Target, There, is_whole, numbered,
};
use super::retry::{Patience, transfer};
use super::sources::{Merge, Record, Sources};
use crate::load::{GopherItem, Purpose, Question, Request, Stop};
use crate::net::Net;
use crate::text::{self, Text};
use crate::url::Url;

/// How deep directories may stand in each other.
const DEEP: usize = 64;

/// How many entries a walk takes in all.
const ENTRIES: usize = 1_000_000;

/// Entries between two looks for anything else that is to be done.
const PAUSE: usize = 256;

/// How many failures, and how many notes, are kept to be told.
const TOLD: usize = 1000;

/// A directory to be entered.
struct Directory {
    url: Url,
    path: PathBuf,
    depth: usize,
    way: Way,
    /// The directories that it was come to by.
    above: Option<Arc<Above>>,
}

/// How a directory was come to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// By names alone.
    Straight,
    /// Through a link, somewhere on the way.
    Link,
}

/// What is fetched, and to where.
#[derive(Clone, Debug)]
pub struct Order {
    /// The directory.
    pub request: Request,
    /// The directory here.
    pub into: PathBuf,
    /// What happens when that holds files that came from elsewhere.
    pub merge: Merge,
    /// What happens when the server sends more of a file than it announced.
    pub past_size: PastSize,
}

impl Order {
    /// To fetch a directory into another one that holds nothing else.
    pub fn new(request: Request, into: PathBuf) -> Self {
        Self {
            request,
            into,
            merge: Merge::default(),
            past_size: PastSize::default(),
        }
    }
}

/// Fetches a directory and all below it, and writes down in `sources` where each file came from. `report` is told each
/// step.
///
/// # Errors
/// Where the directory itself cannot be read or made; [`Error::Foreign`] and [`Stop::Needs`] among them. What fails below
/// it is in the summary.
pub async fn tree(
    net: &Net,
    order: Order,
    sources: &Sources,
    patience: &Patience,
    report: &mut impl FnMut(&Step),
) -> Result<Summary, Error> {
    let first = Directory {
        url: order.request.url.clone(),
        path: order.into.clone(),
        depth: 0,
        way: Way::Straight,
        above: None,
    };
    let mut walk = Walk {
        net,
        order,
        sources,
        record: None,
        patience,
        report,
        waiting: VecDeque::new(),
        links: VecDeque::new(),
        visited: HashSet::new(),
        entries: 0,
        step: Step::default(),
        summary: Summary::default(),
    };
    walk.check().await?;
    walk.enter(first).await?;
    while let Some(directory) = walk.waiting.pop_front().or_else(|| walk.links.pop_front()) {
        let name = Text::of(&directory.url.masked());
        if let Err(error) = walk.enter(directory).await {
            walk.fail(name, sentence(&error));
        }
    }
    Ok(walk.summary)
}

struct Walk<'a, F> {
    net: &'a Net,
    order: Order,
    sources: &'a Sources,
    /// Where the files came from; nothing where it cannot be written down.
    record: Option<Record>,
    patience: &'a Patience,
    report: &'a mut F,
    waiting: VecDeque<Directory>,
    /// Those that links lead to: entered when all others have been.
    links: VecDeque<Directory>,
    /// What the server calls the directories that were entered.
    visited: HashSet<Vec<u8>>,
    entries: usize,
    step: Step,
    summary: Summary,
}

impl<F: FnMut(&Step)> Walk<'_, F> {
    /// Lists a directory, makes it here, fetches its files, and keeps its directories for later.
    async fn enter(&mut self, directory: Directory) -> Result<(), Error> {
        let shown = Text::of(&directory.url.masked());
        if directory.depth > DEEP {
            self.fail(shown, format!("not entered: it is more than {DEEP} deep"));
            return Ok(());
        }
        self.step.name = shown.clone();
        self.tell();
        let request = self.request_for(directory.url.clone());
        let (step, report) = (&mut self.step, &mut self.report);
        let mut hear = |told| {
            waits(step, &told);
            report(step);
        };
        let listed = list(self.net, request, self.patience, &mut hear)
            .await
            .map_err(|stop| Error::Stopped {
                stop: Box::new(stop),
                part: None,
            })?;
        let names = names_of(&listed.items);
        let round = listed.real.as_ref().zip(directory.above.as_deref());
        if !listed.items.is_empty() && round.is_some_and(|(real, above)| above.has(real, names)) {
            self.note(format!(
                "{shown} was not entered: it leads back to a directory above it"
            ));
            return Ok(());
        }
        let here = listed.real.clone().map(|real| {
            let next = directory.above.clone();
            Arc::new(Above { real, names, next })
        });
        let is_new = match (listed.real, directory.way) {
            (Some(real), _) => self.visited.insert(real),
            (None, Way::Straight) => true,
            (None, Way::Link) => {
                let why = "not entered: the server does not say where that link leads";
                self.fail(shown, why.to_owned());
                return Ok(());
            }
        };
        if !is_new && directory.way == Way::Link {
            self.note(format!(
                "{shown} was not entered: it is a directory that was entered already"
            ));
            return Ok(());
        }
        let path = directory.path.clone();
        let made = tokio::fs::create_dir_all(&path).await;
        made.map_err(|source| Error::Create { path, source })?;
        if directory.depth == 0 {
            self.open_record().await?;
        }
        self.summary.directories += 1;
        for (line, why) in listed.left_out {
            self.fail(Text::of(&format!("{shown}: {line}")), why);
        }
        let directory = Directory {
            above: here.or(directory.above),
            ..directory
        };
        self.take(directory, listed.items).await;
        Ok(())
    }

    async fn take(&mut self, directory: Directory, items: Vec<Item>) {
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
        let is_file = |item: &&Item| item.what != What::Directory;
        self.step.found += items.iter().take(room).filter(is_file).count();
        let names = names(&items);
        for (number, (item, name)) in items.into_iter().zip(names).take(room).enumerate() {
            if number % PAUSE == 0 {
                // A directory of nothing but directories is gone through without a wait.
                tokio::task::yield_now().await;
            }
            let path = directory.path.join(name);
            let below = |way| Directory {
                url: item.url.clone(),
                path: path.clone(),
                depth: directory.depth + 1,
                way,
                above: directory.above.clone(),
            };
            if item.what == What::Directory {
                self.waiting.push_back(below(directory.way));
                continue;
            }
            match self.fetch(&item, &path).await {
                Ok(()) => self.step.done += 1,
                Err(Error::Directory) => {
                    self.step.found = self.step.found.saturating_sub(1);
                    self.links.push_back(below(Way::Link));
                }
                Err(error) => {
                    self.step.done += 1;
                    self.fail(Text::of(&item.url.masked()), sentence(&error));
                }
            }
            self.step.again = None;
            self.tell();
        }
    }

    /// Fetches a file, unless it is there.
    async fn fetch(&mut self, item: &Item, path: &Path) -> Result<(), Error> {
        let record = self.record.as_ref();
        let known = record.map(|record| record.paths(&item.url));
        let known = known.unwrap_or_default();
        for path in &known {
            if let Some(size) = item.size
                && is_whole(path, size, item.modified.as_deref()).await
                && (item.modified.is_some()
                    || is_same(self.net, self.request_for(item.url.clone()), path, size).await)
            {
                self.summary.there += 1;
                return Ok(());
            }
        }
        self.step.name = Text::of(&path.file_name().unwrap_or_default().to_string_lossy());
        self.tell();
        let mut order = FileOrder {
            modified: item.modified.clone(),
            size: item.size,
            past_size: self.order.past_size,
            there: There::PassedOver(known),
            ..FileOrder::new(
                self.request_for(item.url.clone()),
                Target::Free(path.to_owned()),
            )
        };
        let before = self.step.octets;
        loop {
            let (step, report) = (&mut self.step, &mut self.report);
            let mut came = None;
            let mut hear = |told| {
                waits(step, &told);
                if let Report::Octets(here, _) = told {
                    let already = *came.get_or_insert(here);
                    step.octets = before.saturating_add(here.saturating_sub(already));
                }
                report(step);
            };
            match transfer(self.net, order.clone(), self.patience, &mut hear).await {
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
                Err(Error::There) => {
                    self.summary.there += 1;
                    return Ok(());
                }
                Err(Error::Stopped { stop, .. })
                    if matches!(*stop, Stop::Needs(Question::Changed { .. }))
                        && order.earlier == Earlier::Checked =>
                {
                    // Nobody is asked file by file: the one that is there now is wanted.
                    let name = Text::of(&item.url.masked());
                    self.note(format!(
                        "{name} has changed since a part of it came: it was fetched anew"
                    ));
                    order.earlier = Earlier::Replaced;
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

    fn tell(&mut self) {
        (self.report)(&self.step);
    }

    fn note(&mut self, sentence: String) {
        if self.summary.notes.len() < TOLD {
            self.summary.notes.push(sentence);
        }
    }

    fn fail(&mut self, name: Text, why: String) {
        self.summary.failures += 1;
        if self.summary.failed.len() < TOLD {
            self.summary.failed.push((name, why));
        }
    }
}

fn waits(step: &mut Step, told: &Report) {
    step.again = match told {
        Report::Again(left, why) => Some((*left, why.clone())),
        Report::Octets(..) | Report::Restarted => None,
    };
}

/// A name here for each of these entries, no two of them alike.
fn names(items: &[Item]) -> Vec<PathBuf> {
    let mut taken = HashSet::new();
    // How far the numbers behind a name have been tried: many entries may come to the same one.
    let mut tried: HashMap<PathBuf, usize> = HashMap::new();
    let free = |item: &Item| {
        let name = PathBuf::from(text::file_name(&item.name, "unnamed"));
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

/// Why something was not fetched.
fn sentence(error: &Error) -> String {
    let Error::Stopped { stop, .. } = error else {
        return error.to_string();
    };
    match &**stop {
        Stop::Failed(failure) => failure.sentence.clone(),
        Stop::Needs(question) => question.unanswered(),
        Stop::Cut(_) => "the listing is too long".to_owned(),
        Stop::Closed => io::Error::from(io::ErrorKind::Interrupted).to_string(),
    }
}
