//! The lock of a sync: one at a time. The system drops it with its process, so that a killed run leaves no lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::{io, process};

use jiff::Timestamp;

use crate::files::atomic;

/// Maximum length of what the file says, in octets.
const CAP: u64 = 256;

/// Locked file; it is unlocked when this value is dropped.
#[derive(Debug)]
pub struct SyncLock {
    _file: File,
}

/// Error of locking.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another sync runs; the text says which process, and since when.
    #[error("another sync is running ({0})")]
    Running(String),
    /// The file could not be written.
    #[error("the lock of the sync cannot be written: {0}")]
    System(#[from] io::Error),
}

impl SyncLock {
    /// Locks the file, which need not exist. Blocks.
    ///
    /// # Errors
    /// Any [`LockError`].
    pub fn take(path: &Path) -> Result<Self, LockError> {
        if let Some(above) = path.parent() {
            atomic::create_directory(above)?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.mode(0o600).open(path)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let mut holder = Vec::new();
                file.take(CAP).read_to_end(&mut holder)?;
                let holder = String::from_utf8_lossy(&holder).trim_end().to_owned();
                return Err(LockError::Running(holder));
            }
            // A file system without locks: runs take turns by chance.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        let now = Timestamp::now().strftime("%Y-%m-%d %H:%M:%S UTC");
        writeln!(file, "process {} since {now}", process::id())?;
        Ok(Self { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_sync_is_told_who_runs() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data/sync.lock");
        let lock = SyncLock::take(&path).unwrap();
        let error = SyncLock::take(&path).unwrap_err().to_string();
        let expected = format!("another sync is running (process {} since ", process::id());
        assert!(error.starts_with(&expected), "{error}");
        drop(lock);
        SyncLock::take(&path).unwrap();
    }
}
