//! A file changed in one step: all of the new one, or all of the old.
//!
//! A change holds a lock on the file's directory from before the file is read until it is replaced (temporary file,
//! fsync, rename), so that two Geomys and an editor lose nothing of each other's. The file's mode stays, and so does a
//! symbolic link to it.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How long another Geomys may hold the lock: a write takes milliseconds.
const LOCK: Duration = Duration::from_secs(5);

/// Between two tries to take it.
const TRY: Duration = Duration::from_millis(10);

/// Has `edit` read the file and give its new octets, and replaces it by them; what else `edit` gives is given back.
/// `write` makes an error of one that the system had while it was written.
///
/// # Errors
/// Those of `edit`, and of writing; the file is as it was then.
pub(super) fn change<T, E>(
    path: &Path,
    write: impl Fn(io::Error) -> E,
    edit: impl FnOnce() -> Result<(Vec<u8>, T), E>,
) -> Result<T, E> {
    // Through a symbolic link, so that the link stays and what it leads to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let directory = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory).map_err(&write)?;
    let lock = File::open(directory).map_err(&write)?;
    wait_for(&lock).map_err(&write)?;
    let (octets, made) = edit()?;
    // A rename would replace a file that its owner made read-only; the owner meant it.
    if fs::metadata(&target).is_ok_and(|metadata| metadata.permissions().readonly()) {
        return Err(write(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "the file is read-only",
        )));
    }
    let mut file = atomic_write_file::AtomicWriteFile::open(&target).map_err(&write)?;
    file.write_all(&octets).map_err(&write)?;
    file.commit().map_err(&write)?;
    Ok(made)
}

/// Takes the lock, or says that another Geomys holds it for too long.
fn wait_for(lock: &File) -> io::Result<()> {
    let start = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK => thread::sleep(TRY),
            Err(TryLockError::WouldBlock) => {
                let busy = "another program holds the lock on its directory";
                return Err(io::Error::new(io::ErrorKind::WouldBlock, busy));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}
