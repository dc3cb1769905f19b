//! Bookmark file on disk: read whole, and written whole or not at all.
//!
//! A write reads the current file and applies the change to it, in one step. The earlier state is stored
//! ([`Store::states`]) before the file is replaced.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use geomys_wire::text::system_message;

use super::checks;
use super::damage::damage;
use super::records::{self, BookmarkRecords, RecordChange};
use super::{AppliedChange, Bookmarks, Change};
use crate::files::atomic::{self, WriteStep};
use crate::files::regular;
use crate::files::user_file::FileError;

/// Error of reading or writing the bookmarks.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Reading failed.
    #[error("the bookmarks cannot be read: {} ({path})", system_message(source), path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// Writing failed; the file is unchanged.
    #[error("the bookmarks were not saved: {}; the file is unchanged ({path})", system_message(source), path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The earlier state could not be stored; the file is unchanged.
    #[error(
        "the bookmarks were not saved: no backup could be written: {}; the file is unchanged ({path})",
        system_message(source),
        path = path.display()
    )]
    StoreState {
        /// Directory of the states.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// No state has this number.
    #[error("no state {0}: `geomys bookmarks history` lists the stored ones")]
    NoState(u32),
}

impl Error {
    /// Returns a conversion of errors of the system while a file is read.
    pub(super) fn reading(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Read {
            path: path.to_owned(),
            source,
        }
    }
}

/// Store of a bookmark file: its path, its default content, and the directory of its earlier states.
#[derive(Clone)]
pub struct Store {
    path: PathBuf,
    pub(super) shipped: String,
    pub(super) states: Option<PathBuf>,
    records: Option<PathBuf>,
    reached: Arc<dyn Fn(WriteStep) + Send + Sync>,
}

impl Store {
    /// Creates a store for the file at `path`; `shipped` is the default content. Earlier states are not stored.
    pub fn new(path: impl Into<PathBuf>, shipped: &str) -> Self {
        Self {
            path: path.into(),
            shipped: shipped.to_owned(),
            states: None,
            records: None,
            reached: Arc::new(|_| {}),
        }
    }

    /// Stores earlier states in a directory of its own, which is created when it is first needed.
    #[must_use]
    pub fn with_history(mut self, states: impl Into<PathBuf>) -> Self {
        self.states = Some(states.into());
        self
    }

    /// Stores the records of bookmarks in a file.
    #[must_use]
    pub fn with_records(mut self, records: impl Into<PathBuf>) -> Self {
        self.records = Some(records.into());
        self
    }

    /// Calls `reached` after every step of a write.
    #[must_use]
    pub fn with_write_observer(
        mut self,
        reached: impl Fn(WriteStep) + Send + Sync + 'static,
    ) -> Self {
        self.reached = Arc::new(reached);
        self
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the records of the bookmarks.
    ///
    /// # Errors
    /// A `FileError` of reading.
    pub fn records(&self) -> Result<BookmarkRecords, FileError> {
        let records = self.records.as_deref().map(records::load);
        records.unwrap_or_else(|| Ok(BookmarkRecords::default()))
    }

    /// Returns a sentence about the file as a whole; `None` if nothing is wrong with it, or it cannot be read.
    pub fn damage(&self) -> Option<String> {
        let sentence = damage(&self.octets().ok()?)?;
        Some(format!("{}: {sentence}", self.path.display()))
    }

    /// Reads the file; a missing file has the shipped bookmarks.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn load(&self) -> Result<Bookmarks, Error> {
        Ok(Bookmarks::of(self.octets()?))
    }

    /// Reads the file again; lines that are unchanged since `earlier` are not parsed again. A missing file counts as
    /// unchanged, as many programs remove a file before they replace it.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn reload(&self, earlier: &Bookmarks) -> Result<Bookmarks, Error> {
        Ok(match self.read()? {
            Some(octets) => earlier.reread(&octets),
            None => earlier.clone(),
        })
    }

    /// Applies a change to the current file; lines that are unchanged since `earlier` are not parsed again. If the file
    /// does not exist, the change is applied to `earlier`: the shipped bookmarks, or those before the file was removed.
    /// A change without effect writes nothing.
    ///
    /// # Errors
    /// Any [`Error`]; nothing is written then.
    pub fn save(&self, earlier: &Bookmarks, change: &Change) -> Result<AppliedChange, Error> {
        // The change is saved: without its date, a bookmark has an unknown one.
        let records = BookmarkRecords::default();
        let (applied, _) = self.save_with_records(earlier, change, RecordChange::Add(&records))?;
        Ok(applied)
    }

    /// Applies a change like [`Store::save`], with the records that it brings: the dates that bookmarks had in another
    /// program, and where moved pages were. Returns the result of storing the records too.
    ///
    /// # Errors
    /// Any [`Error`]; nothing is written then.
    pub fn save_with_records(
        &self,
        earlier: &Bookmarks,
        change: &Change,
        brought: RecordChange<'_>,
    ) -> Result<(AppliedChange, Result<(), FileError>), Error> {
        let (before, applied) = self.replace(earlier.octets(), |octets| {
            let before = earlier.reread(octets);
            let applied = before.apply(change);
            (applied.bookmarks.clone(), (before, applied))
        })?;
        let stored = match &self.records {
            Some(path) => {
                records::record(path, &before, &applied, brought, checks::current_second())
            }
            None => Ok(()),
        };
        Ok((applied, stored))
    }

    /// Replaces the file by the result of `edit` on its octets, or on `missing` if there is no file, and stores the
    /// earlier state.
    pub(super) fn replace<T>(
        &self,
        missing: &[u8],
        edit: impl Fn(&[u8]) -> (Bookmarks, T),
    ) -> Result<T, Error> {
        let write = |source| Error::Write {
            path: self.path.clone(),
            source,
        };
        atomic::change_by(&self.path, &*self.reached, write, || {
            let current = self.read()?;
            let octets = current.as_deref().unwrap_or(missing);
            let (bookmarks, made) = edit(octets);
            if bookmarks.octets() == octets {
                return Ok((None, made));
            }
            if let Some(before) = &current {
                self.store_state(before)?;
            }
            Ok((Some(bookmarks), made))
        })
    }

    /// Reads the file as octets, without an index.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn octets(&self) -> Result<Vec<u8>, Error> {
        let there = self.read()?;
        Ok(there.unwrap_or_else(|| self.shipped.as_bytes().to_vec()))
    }

    /// Reads the octets of the file; `None` if it does not exist.
    fn read(&self) -> Result<Option<Vec<u8>>, Error> {
        regular::read_if_any(&self.path, regular::LIST).map_err(Error::reading(&self.path))
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("path", &self.path)
            .field("states", &self.states)
            .finish_non_exhaustive()
    }
}
