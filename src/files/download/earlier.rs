//! The part that an earlier transfer has left.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::Error;
use super::part::{PartFile, blocking};
use super::state::{self, State};
use super::target::{End, NAMES, Place, Target, create, numbered, part_of};

/// How long a transfer that was stopped may still hold its part.
const LOCK: Duration = Duration::from_millis(500);

/// Names in a row that no part has, before no more are looked at.
const GAP: usize = 8;

/// Between two tries to lock it.
const TRY: Duration = Duration::from_millis(10);

impl PartFile {
    /// The part that an earlier transfer of `url` to `target` has left, and what the server said then.
    ///
    /// # Errors
    /// [`Error::Busy`] where somebody writes it.
    pub(super) async fn earlier(target: &Target, url: &str) -> Result<Option<Self>, Error> {
        let Place::Part { base, end, .. } = target.place().await? else {
            return Ok(None);
        };
        let url = url.to_owned();
        blocking(move || {
            let mut missing = 0;
            for number in 1..=NAMES {
                let path = numbered(&part_of(&base), number);
                if std::fs::symlink_metadata(&path).is_err() {
                    // The one before it may have ended meanwhile.
                    missing += 1;
                    if missing > GAP {
                        break;
                    }
                    continue;
                }
                let state = State::read(&path).filter(|state| state.url == url);
                let Some(state) = state else { continue };
                if has_name(&path, &end) {
                    // A crash came between the name and the end of the part: writing on would change the file.
                    std::fs::remove_file(&path).map_err(|source| create(&path, source))?;
                    state::remove(&path);
                    continue;
                }
                return Self::reopen(path, end, state);
            }
            Ok(None)
        })
        .await
    }

    fn reopen(path: PathBuf, end: End, state: State) -> Result<Option<Self>, Error> {
        // A link that somebody has put in its place is not followed.
        if !std::fs::symlink_metadata(&path).is_ok_and(|is| is.is_file()) {
            return Ok(None);
        }
        let opened = OpenOptions::new().read(true).write(true).open(&path);
        let file = opened.map_err(|source| create(&path, source))?;
        if !lock(&file) {
            return Err(Error::Busy { path });
        }
        let length = file.metadata().map_err(|source| create(&path, source))?;
        // Whoever held the lock may have given it its name, or taken it away.
        let is_still = std::fs::symlink_metadata(&path);
        if !is_still.is_ok_and(|is| (is.dev(), is.ino()) == (length.dev(), length.ino())) {
            return Ok(None);
        }
        let known = state.octets.unwrap_or(u64::MAX).min(length.len());
        Ok(Some(Self::of(file, path, end, Some(state), known)))
    }
}

/// Whether the file of a part has its name already: both are one file of the disk.
fn has_name(part: &Path, end: &End) -> bool {
    let inode = |path: &Path| {
        let is = std::fs::symlink_metadata(path).ok()?;
        Some((is.dev(), is.ino(), is.nlink()))
    };
    let Some(own @ (.., links)) = inode(part) else {
        return false;
    };
    let is_own = |path: &Path| inode(path) == Some(own);
    links > 1
        && match end {
            End::New(path) => is_own(path),
            End::Free(path) => (1..=NAMES)
                .map(|number| numbered(path, number))
                .take_while(|path| std::fs::symlink_metadata(path).is_ok())
                .any(|path| is_own(&path)),
            End::Replace { .. } | End::Straight | End::Over => false,
        }
}

/// Octets in the part of `url` beside `base`, and how many it is to have.
pub(super) fn left(base: &Path, url: &str) -> Option<(u64, Option<u64>)> {
    for number in 1..=NAMES {
        let path = numbered(&part_of(base), number);
        let length = std::fs::symlink_metadata(&path).ok()?.len();
        if let Some(state) = State::read(&path).filter(|state| state.url == url) {
            let octets = state.octets.unwrap_or(u64::MAX).min(length);
            return Some((octets, state.version.size));
        }
    }
    None
}

/// Locks a part. A transfer that has just been stopped may hold it for a moment, until the disk has its last octets.
pub(in crate::files) fn lock(file: &File) -> bool {
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK => std::thread::sleep(TRY),
            Err(TryLockError::WouldBlock) => return false,
            // A file system without locks: then there is none.
            Ok(()) | Err(TryLockError::Error(_)) => return true,
        }
    }
}
