//! The bookmark file on disk: read whole, written whole or not at all.
//!
//! A write holds a lock on the file's directory, reads the file as it is now, applies the change to that, and replaces
//! the file in one step (temporary file, fsync, rename), so that two Geomys and an editor lose nothing of each other's.
//! The file's mode stays, and so does a symbolic link to it.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::{Bookmarks, Change, Conflict};

/// How long another Geomys may hold the lock: a write takes milliseconds.
const LOCK: Duration = Duration::from_secs(5);

/// Between two tries to take it.
const TRY: Duration = Duration::from_millis(10);

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
    // Through a symbolic link, so that the link stays and what it leads to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let directory = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory).map_err(write)?;
    let lock = File::open(directory).map_err(write)?;
    wait_for(&lock).map_err(write)?;
    let mut bookmarks = load(path, shipped)?;
    let back = bookmarks.apply(change)?;
    // A rename would replace a file that its owner made read-only; the owner meant it.
    if fs::metadata(&target).is_ok_and(|metadata| metadata.permissions().readonly()) {
        return Err(write(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "the file is read-only",
        )));
    }
    let mut file = atomic_write_file::AtomicWriteFile::open(&target).map_err(write)?;
    file.write_all(&bookmarks.to_octets()).map_err(write)?;
    file.commit().map_err(write)?;
    Ok((bookmarks, back))
}

/// Takes the lock, or says that another Geomys holds it for too long.
fn wait_for(lock: &File) -> io::Result<()> {
    let start = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK => thread::sleep(TRY),
            Err(TryLockError::WouldBlock) => {
                let busy = "another program holds the lock on the bookmarks";
                return Err(io::Error::new(io::ErrorKind::WouldBlock, busy));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}
