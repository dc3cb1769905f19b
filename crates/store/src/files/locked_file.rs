//! Files with a lock that other Geomys processes respect.

use std::fs::{File, TryLockError};
use std::io;
use std::ops::{Deref, DerefMut};

/// A file with an exclusive lock, which is released when this is dropped. To close the file is not enough: a program
/// that is being started has all open files until it begins, and would keep the lock so long.
#[derive(Debug)]
pub struct LockedFile(File);

impl LockedFile {
    /// Locks a file.
    ///
    /// # Errors
    /// [`TryLockError`]: another process has the lock, or the file system has no locks.
    pub fn try_new(file: File) -> Result<Self, TryLockError> {
        file.try_lock()?;
        Ok(Self(file))
    }

    /// Locks a file where the file system has locks; elsewhere processes take turns by chance. `None` if another
    /// process has the lock.
    pub fn if_free(file: File) -> Option<Self> {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => None,
            Ok(()) | Err(TryLockError::Error(_)) => Some(Self(file)),
        }
    }

    /// Locks a file, and waits for other processes. Blocks.
    ///
    /// # Errors
    /// Errors of the system.
    pub(crate) fn wait(file: File) -> io::Result<Self> {
        file.lock()?;
        Ok(Self(file))
    }

    /// Locks a file as [`LockedFile::wait`] does, where the file system has locks; elsewhere processes take turns by
    /// chance. Blocks.
    pub(crate) fn wait_if_possible(file: File) -> Self {
        let _ = file.lock();
        Self(file)
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // The last close releases it in any case.
        let _ = self.0.unlock();
    }
}

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl DerefMut for LockedFile {
    fn deref_mut(&mut self) -> &mut File {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_is_released_though_another_process_has_the_open_file() {
        let named = tempfile::NamedTempFile::new().unwrap();
        let open = || File::open(named.path()).unwrap();
        let file = open();
        // As a program that is being started has it.
        let inherited = file.try_clone().unwrap();
        let locked = LockedFile::try_new(file).unwrap();
        assert!(LockedFile::if_free(open()).is_none());
        drop(locked);
        assert!(LockedFile::if_free(open()).is_some());
        drop(inherited);
    }
}
