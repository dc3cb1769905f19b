//! Earlier states of the bookmark file: each is a file of its own, written before a change replaces it.
//!
//! ```text
//! name = number "-" time ".txt"      ; 17-20261120T194416Z.txt
//! ```
//!
//! The number goes up for ever, the time is when the state ended. The last [`KEPT`] are kept. They may hold passwords,
//! as the bookmark file may: only their owner can read them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::Bookmarks;
use super::store::{Error, Store, read};
use crate::files::atomic;

/// How many states are kept.
pub const KEPT: usize = 10;

/// The time in a name, which is UTC.
const TIME: &str = "%Y%m%dT%H%M%SZ";

/// A state that the file was in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// By which it is named; a later state has a higher one.
    pub number: u32,
    /// When another took its place.
    pub until: Timestamp,
    path: PathBuf,
}

impl State {
    /// Reads it.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn load(&self) -> Result<Bookmarks, Error> {
        let octets = read(&self.path).map_err(|source| Error::Read {
            path: self.path.clone(),
            source,
        })?;
        Ok(Bookmarks::of(octets))
    }

    fn named(path: PathBuf) -> Option<Self> {
        let name = path.file_name()?.to_str()?.strip_suffix(".txt")?;
        let (number, time) = name.split_once('-')?;
        let until = DateTime::strptime(TIME, time).ok()?;
        Some(Self {
            number: number.parse().ok()?,
            until: until.to_zoned(TimeZone::UTC).ok()?.timestamp(),
            path,
        })
    }
}

impl Store {
    /// The states that are kept, the oldest first; none where none was kept yet.
    ///
    /// # Errors
    /// [`Error::Read`] when their directory cannot be read.
    pub fn states(&self) -> Result<Vec<State>, Error> {
        let Some(directory) = &self.states else {
            return Ok(Vec::new());
        };
        states(directory).map_err(|source| Error::Read {
            path: directory.clone(),
            source,
        })
    }

    /// The state with this number.
    ///
    /// # Errors
    /// [`Error::NoState`] when there is none, [`Error::Read`].
    pub fn state(&self, number: u32) -> Result<State, Error> {
        let mut states = self.states()?.into_iter();
        let found = states.find(|state| state.number == number);
        found.ok_or(Error::NoState(number))
    }

    /// Makes the file what it was in an earlier state; the state that this ends is kept as any other.
    ///
    /// # Errors
    /// Any [`Error`]; the file is as it was then.
    pub fn restore(&self, state: &State) -> Result<Bookmarks, Error> {
        let bookmarks = state.load()?;
        self.replace(self.shipped.as_bytes(), |_| (bookmarks.clone(), ()))?;
        Ok(bookmarks)
    }

    /// Writes a state down, unless it is the last one that was.
    pub(super) fn keep(&self, octets: &[u8]) -> Result<(), Error> {
        let Some(directory) = &self.states else {
            return Ok(());
        };
        keep(directory, octets).map_err(|source| Error::Keep {
            path: directory.clone(),
            source,
        })
    }
}

fn keep(directory: &Path, octets: &[u8]) -> io::Result<()> {
    atomic::create_directory(directory)?;
    atomic::sweep(directory)?;
    let states = states(directory)?;
    let last = states.last();
    if last.is_some_and(|last| is_of(last, octets)) {
        return Ok(());
    }
    let number = last.map_or(1, |last| last.number.saturating_add(1));
    let now = Timestamp::now().to_zoned(TimeZone::UTC);
    let path = directory.join(format!("{number}-{}.txt", now.strftime(TIME)));
    atomic::replace(&path, octets, &|_| {})?;
    let beyond = (states.len() + 1).saturating_sub(KEPT);
    for old in states.iter().take(beyond) {
        fs::remove_file(&old.path)?;
    }
    Ok(())
}

/// Whether a state is these octets; read only where its size says that it may be.
fn is_of(state: &State, octets: &[u8]) -> bool {
    let size = fs::metadata(&state.path).map(|metadata| metadata.len());
    let is_as_long = size.is_ok_and(|size| u64::try_from(octets.len()) == Ok(size));
    is_as_long && read(&state.path).is_ok_and(|there| there == octets)
}

fn states(directory: &Path) -> io::Result<Vec<State>> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let paths: Vec<PathBuf> = paths.collect::<io::Result<_>>()?;
    let mut states: Vec<State> = paths.into_iter().filter_map(State::named).collect();
    states.sort_by_key(|state| state.number);
    Ok(states)
}
