//! The bookmark file on disk: read whole, written whole or not at all.
//!
//! A write reads the file as it is now and applies the change to that, in one step. The state before is kept beside
//! ([`Store::states`]), before anything replaces it.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use super::{Applied, Bookmarks, Change};
use crate::files::atomic::{self, Step};
use crate::files::regular;

/// From so many octets on threads share the reading, so many of them at the most.
const SHARED: u64 = 1 << 20;
const THREADS: usize = 4;

/// Why the bookmarks could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Reading failed.
    #[error("the bookmarks cannot be read: {source} ({path})", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// Writing failed; the file is as it was.
    #[error("the bookmarks were not saved: {source}; the file is as it was ({path})", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// The state before could not be kept; the file is as it was.
    #[error(
        "the bookmarks were not saved, as their state before could not be kept: {source}; the file is as it was ({path})",
        path = path.display()
    )]
    Keep {
        /// The directory of the states.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// No state has this number.
    #[error("there is no state {0}: `geomys bookmarks history` lists those that are kept")]
    NoState(u32),
}

/// A bookmark file: where it is, what stands in for it before it exists, and where its earlier states are kept.
#[derive(Clone)]
pub struct Store {
    path: PathBuf,
    pub(super) shipped: String,
    pub(super) states: Option<PathBuf>,
    reached: Arc<dyn Fn(Step) + Send + Sync>,
}

impl Store {
    /// The file at `path`; `shipped` is what it holds before it exists. No earlier states are kept.
    pub fn new(path: impl Into<PathBuf>, shipped: &str) -> Self {
        Self {
            path: path.into(),
            shipped: shipped.to_owned(),
            states: None,
            reached: Arc::new(|_| {}),
        }
    }

    /// The same, with its earlier states kept in a directory of its own, made when it is first needed.
    #[must_use]
    pub fn keeping(self, states: impl Into<PathBuf>) -> Self {
        Self {
            states: Some(states.into()),
            ..self
        }
    }

    /// The same, with `reached` told of every step of a write.
    #[must_use]
    pub fn telling(self, reached: impl Fn(Step) + Send + Sync + 'static) -> Self {
        Self {
            reached: Arc::new(reached),
            ..self
        }
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the file; the shipped bookmarks stand in for one that does not exist.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn load(&self) -> Result<Bookmarks, Error> {
        Ok(Bookmarks::of(self.octets()?))
    }

    /// Reads the file again; what stands as it did in what is `known` of it costs nothing. A file that is not there is on
    /// its way, as many programs take one away before they put another in its place: it is what it was.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn reload(&self, known: &Bookmarks) -> Result<Bookmarks, Error> {
        Ok(match self.read()? {
            Some(octets) => known.reread(&octets),
            None => known.clone(),
        })
    }

    /// Applies a change to the file as it is now; `known` is an earlier state of it, so that it need not all be read
    /// again. The change to a file that does not exist writes what is known with it: the shipped bookmarks, or those that
    /// it held before it was taken away. A change that leaves every octet as it is writes nothing.
    ///
    /// # Errors
    /// Any [`Error`]; nothing is written then.
    pub fn save(&self, known: &Bookmarks, change: &Change) -> Result<Applied, Error> {
        self.replace(known.octets(), |octets| {
            let applied = known.reread(octets).apply(change);
            (applied.bookmarks.clone(), applied)
        })
    }

    /// Replaces the file by what `edit` makes of its octets, or of those that are `missing` where there is no file, and
    /// keeps the state before.
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
            let there = self.read()?;
            let octets = there.as_deref().unwrap_or(missing);
            let (bookmarks, made) = edit(octets);
            if bookmarks.octets() == octets {
                return Ok((None, made));
            }
            if let Some(before) = &there {
                self.keep(before)?;
            }
            Ok((Some(bookmarks), made))
        })
    }

    /// The same as octets, for who goes through them once.
    ///
    /// # Errors
    /// [`Error::Read`].
    pub fn octets(&self) -> Result<Vec<u8>, Error> {
        let there = self.read()?;
        Ok(there.unwrap_or_else(|| self.shipped.as_bytes().to_vec()))
    }

    /// Nothing when there is no file.
    fn read(&self) -> Result<Option<Vec<u8>>, Error> {
        match read(&self.path) {
            Ok(octets) => Ok(Some(octets)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::Read {
                path: self.path.clone(),
                source,
            }),
        }
    }
}

/// Reads a file of bookmarks whole.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = regular::open(path)?;
    let size = file.metadata()?.len();
    match read_shared(&file, size) {
        Some(octets) => Ok(octets),
        None => regular::read_open(&file, regular::LIST),
    }
}

/// Has threads read a large file, each a part of it: most of the time goes to pages of memory that are new. Nothing where
/// that is not worth it, or the file does not keep its size.
fn read_shared(file: &File, size: u64) -> Option<Vec<u8>> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.min(THREADS);
    if !(SHARED..=regular::LIST).contains(&size) || threads < 2 {
        return None;
    }
    let mut octets = vec![0; usize::try_from(size).ok()?];
    let part = octets.len().div_ceil(threads);
    let is_whole = thread::scope(|scope| {
        let mut at = 0;
        let parts = octets.chunks_mut(part);
        let reading: Vec<_> = parts
            .map(|part| {
                let start = at;
                at += part.len() as u64;
                scope.spawn(move || file.read_exact_at(part, start))
            })
            .collect();
        let mut reading = reading.into_iter();
        reading.all(|part| matches!(part.join(), Ok(Ok(()))))
    });
    let stays = file.metadata().is_ok_and(|now| now.len() == size);
    (is_whole && stays).then_some(octets)
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("path", &self.path)
            .field("states", &self.states)
            .finish_non_exhaustive()
    }
}
