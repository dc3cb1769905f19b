//! Earlier states of the bookmark file, and the difference between two states: each state in a file of its own, written
//! before a change replaces it.
//!
//! ```text
//! name = number "-" time ".txt"      ; 17-20261120T194416Z.txt
//! ```
//!
//! The number always increases, the time is the end of the state. The last [`MAX_STATES`] are stored, and of the
//! [`MAX_DAYS`] days before them that had a change the last state of each day (UTC). They may hold passwords, like the
//! bookmark file: only their owner can read them.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use geomys_wire::text;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

use super::store::{Error, Store};
use super::{Bookmark, Bookmarks};
use crate::files::{atomic, regular};

/// Number of the last states that are stored, whatever their days.
pub const MAX_STATES: usize = 10;

/// Number of days with a change of which the last state is stored. They are counted by the states, not by the clock.
pub const MAX_DAYS: usize = 30;

/// Format of the time in a file name, which is UTC.
const TIME: &str = "%Y%m%dT%H%M%SZ";

/// Earlier state of the bookmark file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Number of the state; a later state has a higher number.
    pub number: u32,
    /// Time when the next state replaced it.
    pub until: Timestamp,
    path: PathBuf,
}

impl State {
    /// Reads the state.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn load(&self) -> Result<Bookmarks, Error> {
        let octets = regular::read(&self.path, regular::LIST);
        let octets = octets.map_err(Error::reading(&self.path))?;
        Ok(Bookmarks::of(octets))
    }

    fn from_path(path: PathBuf) -> Option<Self> {
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
    /// Returns the stored states, the oldest first; empty if none was stored yet.
    ///
    /// # Errors
    /// [`Error::Read`] if their directory cannot be read.
    pub fn states(&self) -> Result<Vec<State>, Error> {
        let Some(directory) = &self.states else {
            return Ok(Vec::new());
        };
        states(directory).map_err(Error::reading(directory))
    }

    /// Returns the state with this number.
    ///
    /// # Errors
    /// [`Error::NoState`] if there is none, [`Error::Read`].
    pub fn state(&self, number: u32) -> Result<State, Error> {
        let mut states = self.states()?.into_iter();
        let found = states.find(|state| state.number == number);
        found.ok_or(Error::NoState(number))
    }

    /// Restores an earlier state; the current state is stored like any other.
    ///
    /// # Errors
    /// Any [`Error`]; the file is unchanged then.
    pub fn restore(&self, state: &State) -> Result<Bookmarks, Error> {
        let bookmarks = state.load()?;
        self.replace(self.shipped.as_bytes(), |_| (bookmarks.clone(), ()))?;
        Ok(bookmarks)
    }

    /// Restores the state with this number. Returns what it has changed.
    ///
    /// # Errors
    /// [`Error::NoState`] if there is none, and any other [`Error`]; the file is unchanged then.
    pub fn restore_number(&self, number: u32) -> Result<Difference, Error> {
        let before = self.load()?;
        let now = self.restore(&self.state(number)?)?;
        Ok(Difference::between(&before, &now))
    }

    /// Describes the earlier states, the newest first: number, end time, number of bookmarks, and the difference to the
    /// next state.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn state_lines(&self) -> Result<Vec<String>, Error> {
        let mut later = self.load()?;
        let mut lines = Vec::new();
        for state in self.states()?.iter().rev() {
            let bookmarks = state.load()?;
            let until = state.until.to_zoned(TimeZone::system());
            let count = bookmarks.bookmarks().count();
            let entries = if count == 1 { "bookmark" } else { "bookmarks" };
            lines.push(format!(
                "{:>4}  until {}  {:>6} {entries}; then {}",
                state.number,
                until.strftime("%Y-%m-%d %H:%M:%S"),
                text::count(count),
                Difference::between(&bookmarks, &later)
            ));
            later = bookmarks;
        }
        Ok(lines)
    }

    /// Stores a state, unless it equals the last stored one.
    pub(super) fn store_state(&self, octets: &[u8]) -> Result<(), Error> {
        let Some(directory) = &self.states else {
            return Ok(());
        };
        store_state(directory, octets).map_err(|source| Error::StoreState {
            path: directory.clone(),
            source,
        })
    }
}

fn store_state(directory: &Path, octets: &[u8]) -> io::Result<()> {
    atomic::create_directory(directory)?;
    atomic::sweep(directory)?;
    let states = states(directory)?;
    let last = states.last();
    if last.is_some_and(|last| is_of(last, octets)) {
        return Ok(());
    }
    let number = last.map_or(1, |last| last.number.saturating_add(1));
    let until = Timestamp::now();
    let now = until.to_zoned(TimeZone::UTC);
    let path = directory.join(format!("{number}-{}.txt", now.strftime(TIME)));
    atomic::replace(&path, octets)?;
    remove_surplus(&states, until)
}

/// Removes the states that are not stored any more when a state until `now` is added to these, the oldest first.
fn remove_surplus(states: &[State], now: Timestamp) -> io::Result<()> {
    let older = (states.len() + 1).saturating_sub(MAX_STATES);
    let later = states.iter().skip(1).map(|state| state.until);
    let later = later.chain([now]);
    let older = states.iter().zip(later).take(older);
    let (repeated, last): (Vec<_>, Vec<_>) =
        older.partition(|(state, later)| day(state.until) == day(*later));
    let surplus = last.len().saturating_sub(MAX_DAYS);
    for (state, _) in repeated.iter().chain(last.iter().take(surplus)) {
        fs::remove_file(&state.path)?;
    }
    Ok(())
}

fn day(time: Timestamp) -> Date {
    time.to_zoned(TimeZone::UTC).date()
}

/// Returns true if a state equals these octets; it is read only if the size is equal.
fn is_of(state: &State, octets: &[u8]) -> bool {
    let size = fs::metadata(&state.path).map(|metadata| metadata.len());
    let is_as_long = size.is_ok_and(|size| u64::try_from(octets.len()) == Ok(size));
    is_as_long && regular::read(&state.path, regular::LIST).is_ok_and(|there| there == octets)
}

fn states(directory: &Path) -> io::Result<Vec<State>> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let paths: Vec<PathBuf> = paths.collect::<io::Result<_>>()?;
    let mut states: Vec<State> = paths.into_iter().filter_map(State::from_path).collect();
    states.sort_by_key(|state| state.number);
    Ok(states)
}

/// Difference between an earlier and a later state. The order of bookmarks does not count, but their folder does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Labels of bookmarks that only the later state has.
    pub added: Vec<String>,
    /// Labels of bookmarks that only the earlier state has.
    pub removed: Vec<String>,
    /// Labels, in the later state, of bookmarks with the same URL or the same title that differ otherwise.
    pub edited: Vec<String>,
    /// True if something else differs: folders, ignored lines, the order.
    pub other: bool,
}

impl Difference {
    /// Compares two states.
    pub fn between(earlier: &Bookmarks, later: &Bookmarks) -> Self {
        let mut before: HashMap<u64, Vec<Bookmark<'_>>> = HashMap::new();
        for (bookmark, hash) in hashes(earlier) {
            before.entry(hash).or_default().push(bookmark);
        }
        let mut is_new = |hash| before.get_mut(&hash).and_then(Vec::pop).is_none();
        let mut added: Vec<Bookmark<'_>> = hashes(later)
            .filter_map(|(bookmark, hash)| is_new(hash).then_some(bookmark))
            .collect();
        let mut removed = in_order(before);
        let is_other = added.is_empty() && removed.is_empty();
        let mut edited = Vec::new();
        for key in [link, title] {
            let mut left: HashMap<Vec<u8>, Vec<Bookmark<'_>>> = HashMap::new();
            for bookmark in removed.into_iter().rev() {
                left.entry(key(&bookmark)).or_default().push(bookmark);
            }
            let mut was =
                |bookmark: &mut Bookmark<'_>| left.get_mut(&key(bookmark)).and_then(Vec::pop);
            edited.extend(added.extract_if(.., |bookmark| was(bookmark).is_some()));
            removed = in_order(left);
        }
        let labels = |bookmarks: Vec<Bookmark<'_>>| -> Vec<String> {
            let labels = bookmarks.iter().map(Bookmark::label);
            labels.map(|label| label.to_string()).collect()
        };
        Self {
            added: labels(added),
            removed: labels(removed),
            edited: labels(edited),
            other: is_other && earlier.octets() != later.octets(),
        }
    }
}

/// Returns bookmarks in the order of the file.
fn in_order<'a, K>(bookmarks: HashMap<K, Vec<Bookmark<'a>>>) -> Vec<Bookmark<'a>> {
    let mut bookmarks: Vec<Bookmark<'a>> = bookmarks.into_values().flatten().collect();
    bookmarks.sort_unstable_by_key(|bookmark| bookmark.index);
    bookmarks
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (&self.added, "added"),
            (&self.removed, "removed"),
            (&self.edited, "edited"),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter_map(|(labels, verb)| {
                let first = labels.first()?;
                let more = if labels.len() > 1 { ", …" } else { "" };
                Some(format!("{} {verb} ({first}{more})", labels.len()))
            })
            .collect();
        if !parts.is_empty() {
            f.write_str(&parts.join(", "))
        } else if self.other {
            f.write_str("folders, order or other lines")
        } else {
            f.write_str("nothing")
        }
    }
}

/// Returns the bookmarks, each with a hash of its line, its notes and its folder.
fn hashes(file: &Bookmarks) -> impl Iterator<Item = (Bookmark<'_>, u64)> {
    let folders = file.folder_hashes();
    file.bookmarks().map(move |bookmark| {
        let mut hasher = DefaultHasher::new();
        folders.get(bookmark.index).hash(&mut hasher);
        bookmark.octets().hash(&mut hasher);
        for note in bookmark.line + 1..file.end_of_notes(bookmark.line) {
            file.line(note).trim_ascii().hash(&mut hasher);
        }
        (bookmark, hasher.finish())
    })
}

fn link(bookmark: &Bookmark<'_>) -> Vec<u8> {
    bookmark.compared_link().into_bytes()
}

/// Returns the title as a key; a bookmark without a title has its own line as key.
fn title(bookmark: &Bookmark<'_>) -> Vec<u8> {
    let title = bookmark.title();
    if title.is_blank() {
        return bookmark.octets().to_vec();
    }
    title.as_str().as_bytes().to_vec()
}
