//! The lock of a sync: one at a time. Its file has no content, and the system drops the lock with its process, so that
//! a killed run leaves none. The file beside it has what the runs before know, see [`SyncState`].

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;

use super::state::SyncState;
use geomys_store::files::locked_file::LockedFile;
use geomys_store::files::{atomic, regular};

/// Name of the file with the state.
const STATE: &str = "sync-state.txt";

/// Locked file; it is unlocked when this value is dropped.
#[derive(Debug)]
pub struct SyncLock {
    file: LockedFile,
    /// Path of the file with the state.
    path: PathBuf,
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
        let file = LockedFile::if_free(file).ok_or(LockError::Running)?;
        let path = path.with_file_name(STATE);
        Ok(Self { file, path })
    }

    /// Returns what the runs before know. Without it everything is asked for. Blocks.
    pub fn state(&self) -> SyncState {
        let content = regular::read(&self.path, regular::LIST).unwrap_or_default();
        SyncState::parse(&String::from_utf8_lossy(&content))
    }

    /// Records what this run knows, and its end by the time of the locked file. Blocks.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn record(&mut self, state: &SyncState) -> io::Result<()> {
        let text = state.to_text(Timestamp::now());
        atomic::replace(&self.path, text.as_bytes())?;
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
        assert_eq!(lock.state(), SyncState::default());
        let now = Timestamp::now();
        let state = SyncState::parse(&format!("asked {now} gopher://a.example/\n"));
        lock.record(&state).unwrap();
        drop(lock);
        // A run that does not end forgets nothing.
        drop(SyncLock::take(&path).unwrap());
        assert_eq!(SyncLock::take(&path).unwrap().state(), state);
        assert_eq!(std::fs::read(&path).unwrap(), b"");
        // Whatever a hand has written into it.
        std::fs::write(&path, "process 1 since ever\n").unwrap();
        std::fs::write(path.with_file_name(STATE), b"asked\n\xff\nother\n").unwrap();
        assert_eq!(SyncLock::take(&path).unwrap().state(), SyncState::default());
    }
}
