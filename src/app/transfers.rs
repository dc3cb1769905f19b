//! Transfers: a queue of files and directories on their way to the disk.
//!
//! The queue knows who may run and in which order, and how each one is; it starts nothing by itself. A few run at once,
//! and fewer of one host, as a server may not like to be asked for much at a time.

mod asked;
mod rate;
mod reports;
mod verbs;

use std::path::PathBuf;
use std::time::Duration;

pub use self::rate::{Rate, time};
use crate::files::download::{Earlier, Order, PastSize, Saved, Target};
use crate::files::retry::Patience;
use crate::files::sources::Merge;
use crate::files::transfers::{To, Unfinished};
use crate::files::tree::{self, Summary};
use crate::load::{LoadId, Question, Request};
use crate::text::{Text, octets};
use crate::url::Url;

/// How many transfers run at once, and how often one is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// In all.
    pub at_once: usize,
    /// Of one host.
    pub at_once_per_host: usize,
    /// Tries in a row that may bring nothing new.
    pub tries: u32,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            at_once: 8,
            at_once_per_host: 2,
            tries: 6,
        }
    }
}

impl Rules {
    /// How often something is tried again, and when.
    pub fn patience(&self) -> Patience {
        Patience {
            tries: self.tries,
            ..Patience::default()
        }
    }
}

/// Tells one transfer from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransferId(pub u64);

/// Something on its way to the disk.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// Which one it is.
    pub id: TransferId,
    /// What is asked for, with the answers that were given.
    pub request: Request,
    /// Where it goes.
    pub to: To,
    /// What it is called.
    pub name: Text,
    /// What becomes of what an earlier run has left.
    pub earlier: Earlier,
    /// What happens when its server sends more than it announced.
    pub past_size: PastSize,
    /// What happens when its directory holds files from elsewhere.
    pub merge: Merge,
    /// How much of it is here.
    pub amount: Amount,
    /// How it is.
    pub state: State,
}

/// How much of a transfer is here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Octets.
    pub octets: u64,
    /// Octets in all, when that is known.
    pub size: Option<u64>,
    /// Files of a directory that are here, and that were found so far.
    pub files: Option<(usize, usize)>,
}

/// How a transfer is.
#[derive(Clone, Debug)]
pub enum State {
    /// Its turn will come.
    Waiting,
    /// It runs, this fast.
    Running(LoadId, Rate),
    /// Its connection died: it tries again at this time of the loop's clock.
    Retrying(LoadId, Duration, Text),
    /// A person has stopped it, or has not started it yet.
    Paused,
    /// It cannot go on before a person has answered.
    Asks(Box<Asked>),
    /// It has ended early, and why.
    Failed(Text),
    /// It is here.
    Done(Outcome),
}

/// What a transfer asks.
#[derive(Clone, Debug)]
pub enum Asked {
    /// What its load needs to know.
    Load(Question),
    /// It is a directory: is all of it wanted?
    Directory,
    /// This directory holds files from elsewhere: are others added?
    Foreign(PathBuf),
    /// The server sends more than this size, which it announced: is the rest wanted?
    PastSize(u64),
}

/// A directory that is to be saved, once it is known where to.
#[derive(Clone, Debug)]
pub enum DirectoryTransfer {
    /// It is not in the queue yet.
    New(Box<Request>),
    /// It is this one of the queue.
    Queued(TransferId),
}

/// What came of a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A file.
    File(Saved),
    /// A directory.
    Directory(PathBuf, Summary),
}

/// Why a transfer has ended early.
#[derive(Clone, Debug)]
pub enum Ended {
    /// A person is to be asked.
    Asks(Asked),
    /// It failed, in a sentence.
    Failed(String),
}

/// What is to be fetched, and how.
#[derive(Clone, Debug)]
pub enum Job {
    /// A file.
    File(Order),
    /// All of a directory.
    Directory(tree::Order),
}

impl Transfer {
    /// The load of it that runs.
    pub fn load(&self) -> Option<LoadId> {
        match self.state {
            State::Running(load, _) | State::Retrying(load, ..) => Some(load),
            State::Waiting | State::Paused | State::Asks(_) | State::Failed(_) | State::Done(_) => {
                None
            }
        }
    }

    /// Whom it asks: `host:port`.
    pub fn host(&self) -> String {
        host(&self.request.url)
    }

    /// What is to be done for it.
    pub(super) fn job(&self) -> Job {
        match &self.to {
            To::File(target) => Job::File(Order {
                earlier: self.earlier,
                past_size: self.past_size,
                ..Order::new(self.request.clone(), target.clone())
            }),
            To::Directory(path) => Job::Directory(tree::Order {
                merge: self.merge,
                past_size: self.past_size,
                ..tree::Order::new(self.request.clone(), path.clone())
            }),
        }
    }

    fn unfinished(&self) -> Option<Unfinished> {
        match self.state {
            State::Done(_) => None,
            State::Waiting
            | State::Running(..)
            | State::Retrying(..)
            | State::Paused
            | State::Asks(_)
            | State::Failed(_) => Some(Unfinished {
                url: self.request.url.without_password(),
                to: self.to.clone(),
            }),
        }
    }
}

fn host(url: &Url) -> String {
    let parts = url.reading();
    let address = parts.address();
    address.map_or(String::new(), |address| address.text.to_ascii_lowercase())
}

/// The queue.
#[derive(Clone, Debug, Default)]
pub struct Transfers {
    items: Vec<Transfer>,
    /// Which one has the cursor.
    pub cursor: usize,
    /// The first one on screen.
    pub top: usize,
    last_id: u64,
    /// What the file of unfinished ones holds of ours.
    saved: Vec<Unfinished>,
}

impl Transfers {
    /// All of them, in their order.
    pub fn items(&self) -> &[Transfer] {
        &self.items
    }

    /// The one under the cursor.
    pub fn chosen(&self) -> Option<&Transfer> {
        self.items.get(self.cursor)
    }

    /// Those that run, or are about to try again.
    pub fn running(&self) -> impl Iterator<Item = &Transfer> {
        self.items.iter().filter(|item| item.load().is_some())
    }

    /// Those that wait for an answer.
    pub fn asking(&self) -> impl Iterator<Item = &Transfer> {
        let asks = |item: &&Transfer| matches!(item.state, State::Asks(_));
        self.items.iter().filter(asks)
    }

    /// Puts the cursor on the first one that asks, unless it is on one.
    pub(super) fn go_to_asking(&mut self) {
        let asks = |item: &Transfer| matches!(item.state, State::Asks(_));
        if !self.chosen().is_some_and(asks)
            && let Some(at) = self.items.iter().position(asks)
        {
            self.cursor = at;
        }
    }

    /// Those that an earlier Geomys did not end: paused, with what is here of them.
    pub fn unfinished(found: Vec<Unfinished>) -> Self {
        let mut transfers = Self::default();
        for unfinished in &found {
            let (octets, size) = unfinished.left().unwrap_or_default();
            let id = transfers.add(
                Request {
                    purpose: crate::load::Purpose::Save,
                    ..Request::show(unfinished.url.clone())
                },
                unfinished.to.clone(),
            );
            if let Some(item) = transfers.get_mut(id) {
                item.state = State::Paused;
                item.amount = Amount {
                    octets,
                    size,
                    files: None,
                };
            }
        }
        transfers.saved = found;
        transfers
    }

    /// Puts one at the end, to wait for its turn.
    pub fn add(&mut self, request: Request, to: To) -> TransferId {
        self.last_id += 1;
        let id = TransferId(self.last_id);
        let name = to.path().file_name().unwrap_or_default();
        self.items.push(Transfer {
            id,
            name: Text::of(&name.to_string_lossy()),
            request,
            to,
            earlier: Earlier::default(),
            past_size: PastSize::default(),
            merge: Merge::default(),
            amount: Amount::default(),
            state: State::Waiting,
        });
        id
    }

    /// The one that waits longest of those that may start now.
    fn next(&self, rules: &Rules) -> Option<TransferId> {
        if self.running().count() >= rules.at_once {
            return None;
        }
        let waiting = |item: &&Transfer| matches!(item.state, State::Waiting);
        let may_start = |item: &&Transfer| {
            let host = item.host();
            let of_host = self.running().filter(|running| running.host() == host);
            host.is_empty() || of_host.count() < rules.at_once_per_host
        };
        let mut items = self.items.iter().filter(waiting);
        items.find(may_start).map(|item| item.id)
    }

    fn get_mut(&mut self, id: TransferId) -> Option<&mut Transfer> {
        self.items.iter_mut().find(|item| item.id == id)
    }

    /// The one that waits for an answer, as long as it does.
    fn asking_mut(&mut self, id: TransferId) -> Option<&mut Transfer> {
        let asks = |item: &&mut Transfer| matches!(item.state, State::Asks(_));
        self.get_mut(id).filter(asks)
    }

    fn of_load(&mut self, load: LoadId) -> Option<&mut Transfer> {
        self.items.iter_mut().find(|item| item.load() == Some(load))
    }

    fn chosen_mut(&mut self) -> Option<&mut Transfer> {
        self.items.get_mut(self.cursor)
    }

    /// Takes one out.
    fn remove(&mut self, id: TransferId) -> Option<Transfer> {
        let at = self.items.iter().position(|item| item.id == id)?;
        let item = self.items.remove(at);
        self.cursor = self.cursor.min(self.items.len().saturating_sub(1));
        Some(item)
    }

    /// Changes the places of the one under the cursor and its neighbour; the cursor stays on it.
    fn shift(&mut self, down: bool) -> bool {
        let to = if down {
            Some(self.cursor + 1).filter(|to| *to < self.items.len())
        } else {
            self.cursor.checked_sub(1)
        };
        let Some(to) = to.filter(|_| self.cursor < self.items.len()) else {
            return false;
        };
        self.items.swap(self.cursor, to);
        self.cursor = to;
        true
    }

    /// What has to be written down, as it was and as it is now; nothing while nothing has changed.
    fn changed(&mut self) -> Option<(Vec<Unfinished>, Vec<Unfinished>)> {
        let items = self.items.iter();
        let now: Vec<Unfinished> = items.filter_map(Transfer::unfinished).collect();
        (now != self.saved).then(|| (std::mem::replace(&mut self.saved, now.clone()), now))
    }

    /// Moves the cursor, and scrolls so that it stays among `height` rows.
    pub(super) fn step(&mut self, rows: isize, height: usize) {
        let last = self.items.len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(rows).min(last);
        let lowest = self.cursor.saturating_sub(height.saturating_sub(1));
        self.top = self.top.clamp(lowest, self.cursor);
    }
}

/// What some transfers come to together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// How many they are.
    pub count: usize,
    /// Octets here.
    pub octets: u64,
    /// Octets in all, when that is known of every one.
    pub size: Option<u64>,
    /// Octets a second.
    pub rate: Option<u64>,
}

impl Total {
    /// The total of these.
    pub fn of<'a>(items: impl Iterator<Item = &'a Transfer>) -> Self {
        let mut total = Self {
            size: Some(0),
            ..Self::default()
        };
        for item in items {
            total.count += 1;
            total.octets = total.octets.saturating_add(item.amount.octets);
            let sizes = total.size.zip(item.amount.size);
            total.size = sizes.map(|(all, size)| all.saturating_add(size));
            let rate = match &item.state {
                State::Running(_, rate) => rate.a_second(),
                State::Waiting
                | State::Retrying(..)
                | State::Paused
                | State::Asks(_)
                | State::Failed(_)
                | State::Done(_) => None,
            };
            total.rate = match (total.rate, rate) {
                (Some(all), Some(rate)) => Some(all.saturating_add(rate)),
                (one, other) => one.or(other),
            };
        }
        total
    }

    /// `45 % of 1.2 GB, 3.1 MB/s, 4 min`, as far as it is known.
    pub fn words(&self) -> String {
        let mut words = vec![amount(self.octets, self.size)];
        words.extend(self.rate.map(|rate| format!("{}/s", octets(rate))));
        let left = self.size.map(|size| size.saturating_sub(self.octets));
        let seconds = left.and_then(|left| left.checked_div(self.rate?));
        words.extend(seconds.map(time));
        words.join(", ")
    }
}

/// `31.4 MB`, or `66 % of 147.0 MB`.
pub fn amount(here: u64, size: Option<u64>) -> String {
    match size {
        Some(size) if size > 0 => {
            let hundredths = u128::from(here) * 100 / u128::from(size);
            format!("{} % of {}", hundredths.min(100), octets(size))
        }
        Some(_) | None => octets(here),
    }
}

/// A file on its way to this path, or one like it.
pub(super) fn to_free(path: PathBuf) -> To {
    To::File(Target::Free(path))
}
