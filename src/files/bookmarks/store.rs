//! The bookmark file on disk: read whole, written whole or not at all.
//!
//! A write reads the file as it is now and applies the change to that, in one step.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Bookmarks, Change, Conflict};
use crate::files::one_step;

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
    /// The lines to change have changed.
    #[error("the bookmarks were not saved: {0}")]
    Conflict(#[from] Conflict),
}

/// Reads the file; the shipped bookmarks stand in for one that does not exist.
///
/// # Errors
/// [`Error::Read`].
pub fn load(path: &Path, shipped: &str) -> Result<Bookmarks, Error> {
    match fs::read(path) {
        Ok(octets) => Ok(Bookmarks::parse(&octets)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(Bookmarks::parse(shipped.as_bytes()))
        }
        Err(source) => Err(Error::Read {
            path: path.to_owned(),
            source,
        }),
    }
}

/// Applies a change to the file as it is now; gives the bookmarks as they are then, and the change that takes it back.
/// The first change to a file that does not exist writes the shipped bookmarks with it.
///
/// # Errors
/// Any [`Error`]; nothing is written then.
pub fn save(path: &Path, shipped: &str, change: &Change) -> Result<(Bookmarks, Change), Error> {
    let write = |source| Error::Write {
        path: path.to_owned(),
        source,
    };
    one_step::change(path, write, || {
        let mut bookmarks = load(path, shipped)?;
        let back = bookmarks.apply(change)?;
        Ok((bookmarks.to_octets(), (bookmarks, back)))
    })
}
