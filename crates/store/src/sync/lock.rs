//! The lock of a sync: one at a time. Its file has no content, and the system drops the lock with its process, so that a killed run
//! leaves none. A file beside it has the keys of the sources that failed in the last run that ended, each on a line.

use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::files::{atomic, regular};

/// Maximum size of the file with the sources that failed, in octets.
const MAX_FAILED_BYTES: u64 = 1 << 20;

/// Name of that file.
const FAILED: &str = "sync-failed.txt";

/// Locked file; it is unlocked when this value is dropped.
#[derive(Debug)]
pub struct SyncLock {
    file: File,
    /// Path of the file with the sources that failed.
    path: PathBuf,
    failed: HashSet<String>,
}

/// Error of locking.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another sync runs.
    #[error("another sync is running")]
    Running,
    /// The file could not be opened.
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
        options.write(true).create(true).truncate(false);
        let file = options.mode(0o600).open(path)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(LockError::Running),
            // A file system without locks: runs take turns by chance.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let path = path.with_file_name(FAILED);
        // What cannot be read is fetched with everything else.
        let content = regular::read(&path, MAX_FAILED_BYTES).unwrap_or_default();
        let content = String::from_utf8_lossy(&content);
        Ok(Self {
            file,
            failed: content.lines().map(str::to_owned).collect(),
            path,
        })
    }

    /// Returns the keys of the sources that failed in the last run that ended.
    pub fn failed(&self) -> &HashSet<String> {
        &self.failed
    }

    /// Records the keys of the sources that have failed in this run, and its end by the time of the locked file. Blocks.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn record(&mut self, failed: HashSet<String>) -> io::Result<()> {
        let mut keys: Vec<&str> = failed.iter().map(String::as_str).collect();
        keys.sort_unstable();
        let lines = keys.iter().map(|key| format!("{key}\n"));
        atomic::replace(&self.path, lines.collect::<String>().as_bytes())?;
        self.failed = failed;
        // Without it a browser that starts meanwhile looks once more.
        let _ = self.file.set_modified(SystemTime::now());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_sync_is_refused_and_the_lock_has_no_content() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data/sync.lock");
        let lock = SyncLock::take(&path).unwrap();
        let error = SyncLock::take(&path).unwrap_err().to_string();
        assert_eq!(error, "another sync is running");
        drop(lock);
        let mut lock = SyncLock::take(&path).unwrap();
        assert!(lock.failed().is_empty());
        let failed: HashSet<String> = ["saved".to_owned(), "other".to_owned()].into();
        lock.record(failed.clone()).unwrap();
        drop(lock);
        // A run that does not end forgets nothing.
        drop(SyncLock::take(&path).unwrap());
        assert_eq!(*SyncLock::take(&path).unwrap().failed(), failed);
        assert_eq!(std::fs::read(&path).unwrap(), b"");
        // Whatever a hand has written into it.
        std::fs::write(&path, "process 1 since ever\n").unwrap();
        let sources = path.with_file_name(FAILED);
        std::fs::write(sources, b"saved\n\xff\nother\n").unwrap();
        assert!(SyncLock::take(&path).unwrap().failed().is_superset(&failed));
    }
}
