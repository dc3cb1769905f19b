//! Partial file of an earlier transfer.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use geomys_load::Version;
use geomys_wire::net::TransferEnd;
use geomys_wire::task::blocking;

use super::partial_file::PartialFile;
use super::state::proves;
use super::state::{self, State};
use super::target::{FinalName, NAMES, ResolvedTarget, Target, numbered, partial_path};
use super::{Error, SavedFile, create};

/// Octets at the end of a partial file that are fetched again for comparison.
const OVERLAP: u64 = 8 * 1024;

/// Maximum wait for a stopped transfer that still locks its partial file.
const LOCK: Duration = Duration::from_millis(500);

/// Number of consecutive unused names that ends the search for partial files.
const GAP: usize = 8;

/// Interval between two attempts to lock the file.
const TRY: Duration = Duration::from_millis(10);

impl PartialFile {
    /// Opens the partial file of an earlier transfer of `url` to `target`, with its state. Blocks.
    ///
    /// # Errors
    /// [`Error::Busy`] if another transfer writes it.
    pub(super) fn earlier(target: &Target, url: &str) -> Result<Option<Self>, Error> {
        let target = target.resolve()?;
        if matches!(target.final_name, FinalName::Direct) {
            return Ok(None);
        }
        let mut missing = 0;
        for number in 1..=NAMES {
            let path = numbered(&partial_path(&target.path), number);
            if std::fs::symlink_metadata(&path).is_err() {
                // The transfer with the number before may have ended meanwhile.
                missing += 1;
                if missing > GAP {
                    break;
                }
                continue;
            }
            let state = State::read(&path).filter(|state| state.url == url);
            let Some(state) = state else { continue };
            if has_final_name(&path, &target.final_name) {
                // A crash came after the final name was linked and before the partial file was removed: writing would
                // change the complete file.
                std::fs::remove_file(&path).map_err(|source| create(&path, source))?;
                state::remove(&path);
                continue;
            }
            return Self::reopen(path, target, state);
        }
        Ok(None)
    }

    /// Returns the file of an earlier transfer of `url` to `target` that was stopped after the file got its final name,
    /// and before its state was removed. Blocks.
    pub(super) fn finished(target: &Target, url: &str) -> Result<Option<SavedFile>, Error> {
        let target = target.resolve()?;
        if matches!(target.final_name, FinalName::Direct) {
            return Ok(None);
        }
        let directory = target
            .path
            .parent()
            .filter(|path| !path.as_os_str().is_empty());
        let directory = directory.unwrap_or(Path::new("."));
        for number in 1..=GAP {
            let part = numbered(&partial_path(&target.path), number);
            if std::fs::symlink_metadata(&part).is_ok() {
                continue;
            }
            let state = State::read(&part).filter(|state| state.url == url);
            let Some(State {
                whole: Some(whole),
                version,
                ..
            }) = state
            else {
                continue;
            };
            state::remove(&part);
            if let Some((path, octets)) = whole.find(directory) {
                let end = if whole.is_unconfirmed {
                    TransferEnd::Unconfirmed
                } else {
                    TransferEnd::Confirmed
                };
                return Ok(Some(SavedFile {
                    path,
                    octets,
                    end,
                    media_type: None,
                    version,
                }));
            }
        }
        Ok(None)
    }

    fn reopen(path: PathBuf, target: ResolvedTarget, state: State) -> Result<Option<Self>, Error> {
        // A symbolic link that has replaced the file is not followed.
        if !std::fs::symlink_metadata(&path).is_ok_and(|is| is.is_file()) {
            return Ok(None);
        }
        let opened = OpenOptions::new().read(true).write(true).open(&path);
        let file = opened.map_err(|source| create(&path, source))?;
        if !lock(&file) {
            return Err(Error::Busy { path });
        }
        let length = file.metadata().map_err(|source| create(&path, source))?;
        // The previous holder of the lock may have renamed or removed the file.
        let is_still = std::fs::symlink_metadata(&path);
        if !is_still.is_ok_and(|is| (is.dev(), is.ino()) == (length.dev(), length.ino())) {
            return Ok(None);
        }
        let stored = state.octets.unwrap_or(u64::MAX).min(length.len());
        Ok(Some(Self::new(file, path, target, Some(state), stored)))
    }

    /// Returns the offset to request from the server, so that its octets overlap with the partial file; `None` for a
    /// partial file that is too small.
    pub(super) fn resume_at(&self) -> Option<u64> {
        self.len().checked_sub(OVERLAP).filter(|offset| *offset > 0)
    }

    /// Returns true if the partial file may be resumed at `offset` when the overlap is equal. `is` is the version that
    /// the server reports now.
    ///
    /// # Errors
    /// [`Error::Create`]
    pub(super) async fn may_resume(
        &self,
        offset: u64,
        is: &Version,
        is_trusted: bool,
    ) -> Result<bool, Error> {
        let (was, is, stored) = (self.version(), is.clone(), self.stored);
        if is.size.is_some_and(|size| size < stored) {
            return Ok(false);
        }
        // The user has seen both versions.
        let was = if is_trusted { is.clone() } else { was };
        let (file, path) = (Arc::clone(&self.file), self.path.clone());
        blocking(move || {
            let is_proven = proves(&file, (offset, stored), (&was, &is));
            is_proven.map_err(|source| create(&path, source))
        })
        .await
    }

    /// Returns true if all octets from before the resume have been compared with those from the server.
    pub(super) fn is_verified(&self) -> bool {
        self.resumed_len.is_none_or(|len| self.position >= len)
    }
}

/// Returns true if the final name and the partial file are links to the same file.
fn has_final_name(part: &Path, final_name: &FinalName) -> bool {
    let inode = |path: &Path| {
        let is = std::fs::symlink_metadata(path).ok()?;
        Some((is.dev(), is.ino(), is.nlink()))
    };
    let Some(own @ (.., links)) = inode(part) else {
        return false;
    };
    let is_own = |path: &Path| inode(path) == Some(own);
    links > 1
        && match final_name {
            FinalName::Named(Target::New(path) | Target::Skip(path)) => is_own(path),
            // The server or the next free number may have given it another name.
            FinalName::Named(Target::Free(_) | Target::Suggested(_) | Target::Resume(_)) => {
                let above = part.parent().filter(|above| !above.as_os_str().is_empty());
                let beside = std::fs::read_dir(above.unwrap_or(Path::new(".")));
                let mut names = beside.into_iter().flatten().flatten();
                names.any(|entry| {
                    Some(&*entry.file_name()) != part.file_name() && is_own(&entry.path())
                })
            }
            FinalName::Named(Target::Replace(_)) | FinalName::Direct | FinalName::Done => false,
        }
}

/// Returns the size of the partial file of `url` for `base`, and the expected total size, in octets.
pub(super) fn partial_size(base: &Path, url: &str) -> Option<(u64, Option<u64>)> {
    for number in 1..=NAMES {
        let path = numbered(&partial_path(base), number);
        let length = std::fs::symlink_metadata(&path).ok()?.len();
        if let Some(state) = State::read(&path).filter(|state| state.url == url) {
            let octets = state.octets.unwrap_or(u64::MAX).min(length);
            return Some((octets, state.version.size));
        }
    }
    None
}

/// Locks a partial file. A transfer that has just been stopped may hold the lock for a moment, until its last octets
/// are written.
pub(in crate::transfer) fn lock(file: &File) -> bool {
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK => std::thread::sleep(TRY),
            Err(TryLockError::WouldBlock) => return false,
            // The file system has no locks: continue without one.
            Ok(()) | Err(TryLockError::Error(_)) => return true,
        }
    }
}
