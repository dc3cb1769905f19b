//! Partial file: receives the octets of a download, and gets its final name when it is complete.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

use geomys_load::Version;
use geomys_wire::task::blocking;
use tokio::task::JoinHandle;

use super::final_name::name_taken;
use super::state::{self, State};
use super::state::{MismatchPolicy, put};
use super::target::{FinalName, NAMES, ResolvedTarget, Target, numbered, partial_path};
use super::{Error, create};

/// Octets between two syncs of the file to the disk.
const SYNC_INTERVAL: u64 = 64 * 1024 * 1024;

/// Result of writing blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteResult {
    /// All blocks are in the partial file.
    Complete,
    /// The blocks differ from the stored octets.
    Mismatch,
}

/// Partial file of a download. It is locked while it is open, so that no other transfer writes it.
pub(super) struct PartialFile {
    pub(super) file: Arc<File>,
    /// Path of the partial file.
    pub(super) path: PathBuf,
    /// Number of valid octets in the file. Stored octets are only replaced, never dropped, by received ones.
    pub(super) stored: u64,
    /// Offset of the next octets to write. Up to `stored` they are compared with the stored octets.
    pub(super) position: u64,
    /// Number of octets submitted to the disk, written or not.
    pub(super) submitted: u64,
    pub(super) target: ResolvedTarget,
    /// Content of the state file; `None` if the file cannot be resumed.
    pub(super) state: Option<State>,
    /// Version that the server reports now, until all stored octets have been compared.
    pub(super) pending: Option<Version>,
    /// Number of stored octets when the file was resumed in the middle.
    pub(super) resumed_len: Option<u64>,
    /// Offset up to which a sync was requested, and the running sync.
    pub(super) synced: (u64, Option<JoinHandle<io::Result<()>>>),
    /// Dropped with this value: a file whose download was cancelled during its last sync gets no final name.
    pub(super) owner: Arc<()>,
}

impl PartialFile {
    /// Creates a partial file, or opens a pipe or a device for direct writing.
    pub(super) async fn create(target: &Target, url: Option<&str>) -> Result<Self, Error> {
        let (target, url) = (target.clone(), url.map(str::to_owned));
        blocking(move || {
            target.check()?;
            let target = target.resolve()?;
            match target.final_name {
                FinalName::Direct => {
                    let path = target.path.clone();
                    let opened = OpenOptions::new().write(true).open(&path);
                    let file = opened.map_err(|source| create(&path, source))?;
                    Ok(Self::new(file, path, target, None, 0))
                }
                FinalName::Named(_) | FinalName::Done => Self::open(target, url),
            }
        })
        .await
    }

    pub(super) fn new(
        file: File,
        path: PathBuf,
        target: ResolvedTarget,
        state: Option<State>,
        stored: u64,
    ) -> Self {
        Self {
            file: Arc::new(file),
            path,
            stored,
            position: 0,
            submitted: 0,
            target,
            state,
            pending: None,
            resumed_len: None,
            synced: (stored, None),
            owner: Arc::new(()),
        }
    }

    /// Creates a partial file next to its target.
    fn open(target: ResolvedTarget, url: Option<String>) -> Result<Self, Error> {
        let base = &target.path;
        let directory = base.parent().filter(|above| !above.as_os_str().is_empty());
        if let Some(directory) = directory {
            std::fs::create_dir_all(directory).map_err(|source| create(directory, source))?;
        }
        if base.file_name().is_none() {
            return Err(create(base, io::Error::from(io::ErrorKind::InvalidInput)));
        }
        // An existing partial file may belong to another download or to another program.
        for number in 1..=NAMES {
            let part = numbered(&partial_path(base), number);
            state::remove_stale(&part);
            if std::fs::symlink_metadata(state::beside(&part)).is_ok() {
                continue;
            }
            let opened = OpenOptions::new()
                .read(true)
                .write(true)
                .create_new(true)
                .open(&part);
            let file = match opened {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(source) => return Err(create(&part, source)),
            };
            // The file system may have no locks: continue without one.
            let _ = file.try_lock();
            let permissions = target.permissions.clone();
            let state = url.map(|url| State {
                url,
                ..State::default()
            });
            let part = Self::new(file, part, target, state, 0);
            if let Some(permissions) = permissions {
                // Set before the first octet is written: a private file stays private while it is replaced.
                let set = part.file.set_permissions(permissions);
                set.map_err(|source| create(&part.target.path, source))?;
            }
            return Ok(part);
        }
        Err(create(base, name_taken("all similar names are taken")))
    }

    /// Removes the partial file and its state.
    pub(super) fn discard(mut self) -> Result<(), Error> {
        std::fs::remove_file(&self.path).map_err(|source| create(&self.path, source))?;
        state::remove(&self.path);
        self.target.final_name = FinalName::Done;
        Ok(())
    }

    /// Returns the number of octets in the file.
    pub(super) fn len(&self) -> u64 {
        self.stored.max(self.position)
    }

    /// Returns true if octets go directly to a pipe or a device.
    pub(super) fn is_direct(&self) -> bool {
        matches!(self.target.final_name, FinalName::Direct)
    }

    /// Returns true if the file has as many octets as the server announced.
    pub(super) fn is_full(&self) -> bool {
        self.version().size.is_some_and(|size| self.len() >= size)
    }

    /// Records the size that the server tells now: the file has grown.
    pub(super) fn set_size(&mut self, size: u64) {
        let pending = self.pending.as_mut();
        let state = self.state.as_mut().map(|state| &mut state.version);
        for version in pending.into_iter().chain(state) {
            version.size = Some(size);
        }
    }

    /// Returns the version that the server reported when the partial file was started.
    pub(super) fn version(&self) -> Version {
        let state = self.state.as_ref();
        state.map(|state| state.version.clone()).unwrap_or_default()
    }

    /// Empties the partial file: the file on the server is another one now.
    ///
    /// # Errors
    /// [`Error::Create`]
    pub(super) async fn clear(&mut self) -> Result<(), Error> {
        if self.stored == 0 {
            return Ok(());
        }
        self.stored = 0;
        self.truncate(0).await
    }

    /// Truncates the file to its length at the start of the resume.
    ///
    /// # Errors
    /// [`Error::Create`]
    pub(super) async fn revert(self) -> Result<(), Error> {
        match self.resumed_len {
            Some(stored) => self.truncate(stored).await,
            None => Ok(()),
        }
    }

    async fn truncate(&self, length: u64) -> Result<(), Error> {
        let (file, path) = (Arc::clone(&self.file), self.path.clone());
        blocking(move || file.set_len(length).map_err(|source| create(&path, source))).await
    }

    /// Starts receiving octets at `offset` of a file, for which the server reports `version`.
    ///
    /// # Errors
    /// [`Error::Create`]
    pub(super) async fn begin(&mut self, offset: u64, version: Version) -> Result<(), Error> {
        if offset > self.stored {
            let sentence = "the server resumes beyond the end of the partial file";
            return Err(create(&self.path, io::Error::other(sentence)));
        }
        self.position = offset;
        self.resumed_len = Some(self.stored).filter(|_| offset > 0);
        if self.is_direct() {
            return Ok(());
        }
        // Octets after the valid ones do not belong to the file.
        self.truncate(self.stored).await?;
        if let Some(state) = &mut self.state {
            state.octets = None;
        }
        self.pending = Some(version);
        if self.position < self.stored {
            return self.write_state().await;
        }
        self.commit_version().await
    }

    /// Writes the pending version to the state once all stored octets have been compared.
    async fn commit_version(&mut self) -> Result<(), Error> {
        if self.position < self.stored {
            return Ok(());
        }
        let Some(version) = self.pending.take() else {
            return Ok(());
        };
        if let Some(state) = &mut self.state {
            state.version = version;
        }
        self.write_state().await
    }

    async fn write_state(&mut self) -> Result<(), Error> {
        let Some(state) = self.state.clone() else {
            return Ok(());
        };
        let path = self.path.clone();
        blocking(move || state.write(&path).map_err(|source| create(&path, source))).await
    }

    /// Writes blocks on a blocking task, while the next ones are received. Blocks that differ from the octets of a
    /// resumed file are not written.
    ///
    /// # Errors
    /// [`Error::Create`], [`Error::Write`]
    pub(super) async fn write(&mut self, blocks: Vec<Vec<u8>>) -> Result<WriteResult, Error> {
        // Counted first: a write may complete although its future was dropped.
        self.submitted += length(&blocks);
        let file = Arc::clone(&self.file);
        let is_direct = self.is_direct();
        let policy = match self.resumed_len {
            Some(_) => MismatchPolicy::Refuse,
            None => MismatchPolicy::Overwrite,
        };
        let (mut position, mut stored) = (self.position, self.stored);
        let written = blocking(move || {
            for block in &blocks {
                if is_direct {
                    (&*file).write_all(block)?;
                    position += block.len() as u64;
                } else if !put(&file, &mut position, &mut stored, block, policy)? {
                    return Ok((position, stored, WriteResult::Mismatch));
                }
            }
            Ok((position, stored, WriteResult::Complete))
        })
        .await;
        match written {
            Ok((position, stored, written)) => {
                (self.position, self.stored) = (position, stored);
                if written == WriteResult::Mismatch {
                    return Ok(written);
                }
            }
            Err(source) => return Err(self.write_error(source).await),
        }
        self.commit_version().await?;
        match self.sync_periodically().await {
            Ok(()) => Ok(WriteResult::Complete),
            Err(source) => Err(self.write_error(source).await),
        }
    }

    /// Makes a hole in the file behind the octets that were written. What an earlier transfer has left there is
    /// dropped.
    ///
    /// # Errors
    /// [`Error::Write`]
    pub(super) async fn hole(&mut self, length: u64) -> Result<(), Error> {
        let file = Arc::clone(&self.file);
        let (start, end) = (self.position, self.position.saturating_add(length));
        let is_direct = self.is_direct();
        let made = blocking(move || {
            if is_direct {
                return io::copy(&mut io::repeat(0).take(length), &mut &*file).map(drop);
            }
            file.set_len(start)?;
            file.set_len(end)
        });
        if let Err(source) = made.await {
            return Err(self.write_error(source).await);
        }
        (self.position, self.stored) = (end, end);
        Ok(())
    }

    /// Starts a sync from time to time while more octets are received; otherwise the final sync would take long.
    async fn sync_periodically(&mut self) -> io::Result<()> {
        if self.is_direct() || self.position.saturating_sub(self.synced.0) < SYNC_INTERVAL {
            return Ok(());
        }
        let (position, syncing) = &mut self.synced;
        if syncing
            .as_ref()
            .is_some_and(|syncing| !syncing.is_finished())
        {
            return Ok(());
        }
        if let Some(syncing) = syncing.take() {
            // An error of the disk is reported once.
            syncing.await.map_err(io::Error::other)??;
        }
        *position = self.position;
        let file = Arc::clone(&self.file);
        *syncing = Some(tokio::task::spawn_blocking(move || file.sync_data()));
        Ok(())
    }
}

/// Returns the number of octets of blocks.
pub(super) fn length(blocks: &[Vec<u8>]) -> u64 {
    blocks.iter().map(|block| block.len() as u64).sum()
}
