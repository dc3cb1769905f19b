//! The lock of a sync: one at a time. The system drops it with its process, so that a killed run leaves no lock. Its file names
//! the process, and the sources that failed in the last run that ended.
//!
//! ```text
//! file = "process " id " since " time LF *( "failed " key LF )
//! ```

use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::{io, process};

use jiff::Timestamp;

use crate::files::atomic;

/// Maximum length of the file, in octets.
const CAP: u64 = 1 << 20;

/// Word before a source that failed.
const FAILED: &str = "failed ";

/// Locked file; it is unlocked when this value is dropped.
#[derive(Debug)]
pub struct SyncLock {
    file: File,
    failed: HashSet<String>,
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
                let content = read(&mut file)?;
                let holder = content.lines().next().unwrap_or_default();
                return Err(LockError::Running(holder.to_owned()));
            }
            // A file system without locks: runs take turns by chance.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let content = read(&mut file)?;
        let failed = content.lines().filter_map(|line| line.strip_prefix(FAILED));
        let failed = failed.map(str::to_owned).collect();
        let mut lock = Self { file, failed };
        lock.write()?;
        Ok(lock)
    }

    /// Returns the keys of the sources that failed in the last run that ended.
    pub fn failed(&self) -> &HashSet<String> {
        &self.failed
    }

    /// Records the keys of the sources that have failed in this run. Blocks.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn record(&mut self, failed: HashSet<String>) -> io::Result<()> {
        self.failed = failed;
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        let now = Timestamp::now().strftime("%Y-%m-%d %H:%M:%S UTC");
        let mut content = format!("process {} since {now}\n", process::id());
        for key in &self.failed {
            content.extend([FAILED, key, "\n"]);
        }
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(content.as_bytes())
    }
}

fn read(file: &mut File) -> io::Result<String> {
    let mut content = Vec::new();
    file.take(CAP).read_to_end(&mut content)?;
    Ok(String::from_utf8_lossy(&content).into_owned())
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
        let mut lock = SyncLock::take(&path).unwrap();
        assert!(lock.failed().is_empty());
        let failed: HashSet<String> = ["saved".to_owned()].into();
        lock.record(failed.clone()).unwrap();
        drop(lock);
        // A run that does not end forgets nothing.
        drop(SyncLock::take(&path).unwrap());
        assert_eq!(*SyncLock::take(&path).unwrap().failed(), failed);
    }
}
