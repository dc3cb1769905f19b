//! A file on its way: its octets go to a part, and the name appears when all of them are there.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Error;
use super::overlap::{Differing, put};
use super::state::{self, State};
use super::target::{End, NAMES, Place, Target, create, numbered, part_of, taken};
use crate::load::Version;

use tokio::task::JoinHandle;

/// Octets after which the disk is told to keep what came.
const KEEP: u64 = 64 * 1024 * 1024;

/// What came of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// They are in the part.
    Whole,
    /// They differ from what is there.
    Mismatch,
}

/// A file on its way. While it is open nobody else writes it: it is locked.
pub(super) struct PartFile {
    pub(super) file: Arc<File>,
    /// Where the octets go.
    pub(super) path: PathBuf,
    /// Octets in it before those that come now, or that have come: none is lost before another stands in its place.
    pub(super) known: u64,
    /// Where the next ones go. Up to `known` they are compared with what is there.
    pub(super) at: u64,
    /// Octets that were given to the disk, whether it has taken them or not.
    pub(super) given: u64,
    pub(super) end: End,
    /// What stands beside it; nothing where it cannot be resumed.
    pub(super) state: Option<State>,
    /// What the server says of the file now, until what it sends was compared with all that was here.
    pub(super) pending: Option<Version>,
    /// Octets that were here when it was resumed in the middle.
    pub(super) resumed: Option<u64>,
    /// How far the disk was told to keep it, and whether it has.
    pub(super) kept: (u64, Option<JoinHandle<io::Result<()>>>),
}

impl PartFile {
    /// A new file, or what is there and is written to as it is.
    pub(super) async fn create(target: &Target, url: Option<&str>) -> Result<Self, Error> {
        target.check().await?;
        let place = target.place().await?;
        let url = url.map(str::to_owned);
        blocking(move || match place {
            Place::Straight(path) => {
                let opened = OpenOptions::new().write(true).open(&path);
                let file = opened.map_err(|source| create(&path, source))?;
                Ok(Self::new(file, path, End::Straight, None))
            }
            Place::Part {
                base,
                end,
                permissions,
            } => Self::open(&base, end, permissions, url),
        })
        .await
    }

    fn new(file: File, path: PathBuf, end: End, url: Option<String>) -> Self {
        let state = url.map(|url| State {
            url,
            ..State::default()
        });
        Self::of(file, path, end, state, 0)
    }

    pub(super) fn of(
        file: File,
        path: PathBuf,
        end: End,
        state: Option<State>,
        known: u64,
    ) -> Self {
        Self {
            file: Arc::new(file),
            path,
            known,
            at: 0,
            given: 0,
            end,
            state,
            pending: None,
            resumed: None,
            kept: (known, None),
        }
    }

    /// A new part file beside `base`.
    fn open(
        base: &Path,
        end: End,
        permissions: Option<Permissions>,
        url: Option<String>,
    ) -> Result<Self, Error> {
        let directory = base.parent().filter(|above| !above.as_os_str().is_empty());
        if let Some(directory) = directory {
            std::fs::create_dir_all(directory).map_err(|source| create(directory, source))?;
        }
        if base.file_name().is_none() {
            return Err(create(base, io::Error::from(io::ErrorKind::InvalidInput)));
        }
        // A part that is there may be what is left of another download, or somebody's file.
        for number in 1..=NAMES {
            let part = numbered(&part_of(base), number);
            if std::fs::symlink_metadata(&part).is_err() && State::read(&part).is_some() {
                // A crash came between the name of a file and the end of its state.
                state::remove(&part);
            }
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
            // A file system without locks: then there is none.
            let _ = file.try_lock();
            let part = Self::new(file, part, end, url);
            if let Some(permissions) = permissions {
                // Before the first octet: what only its owner may read stays so while it is replaced.
                let set = part.file.set_permissions(permissions);
                set.map_err(|source| create(base, source))?;
            }
            return Ok(part);
        }
        Err(create(base, taken("all names like it are taken")))
    }

    /// Takes it away, and what stands beside it.
    pub(super) fn discard(mut self) -> Result<(), Error> {
        std::fs::remove_file(&self.path).map_err(|source| create(&self.path, source))?;
        state::remove(&self.path);
        self.end = End::Over;
        Ok(())
    }

    /// Octets of the file that are here.
    pub(super) fn here(&self) -> u64 {
        self.known.max(self.at)
    }

    /// The offset of the next octets.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Where the octets go.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it has as many octets as the server announced.
    pub(super) fn is_full(&self) -> bool {
        self.version().size.is_some_and(|size| self.here() >= size)
    }

    /// What the server said of the file when the part was begun.
    pub(super) fn version(&self) -> Version {
        let state = self.state.as_ref();
        state.map(|state| state.version.clone()).unwrap_or_default()
    }

    /// Forgets its octets: the file is another one now.
    ///
    /// # Errors
    /// [`Error::Create`]
    pub(super) async fn empty(&mut self) -> Result<(), Error> {
        if self.known == 0 {
            return Ok(());
        }
        self.known = 0;
        self.cut(0).await
    }

    /// Leaves it with the octets that were here when it was resumed.
    ///
    /// # Errors
    /// [`Error::Create`]
    pub(super) async fn take_back(self) -> Result<(), Error> {
        match self.resumed {
            Some(known) => self.cut(known).await,
            None => Ok(()),
        }
    }

    async fn cut(&self, length: u64) -> Result<(), Error> {
        let (file, path) = (Arc::clone(&self.file), self.path.clone());
        blocking(move || file.set_len(length).map_err(|source| create(&path, source))).await
    }

    /// The octets that come now begin with this one of the file, of which the server says `version`.
    ///
    /// # Errors
    /// [`Error::Create`]
    pub(super) async fn begin(&mut self, offset: u64, version: Version) -> Result<(), Error> {
        if offset > self.known {
            let sentence = "the server goes on further down than there are octets here";
            return Err(create(&self.path, io::Error::other(sentence)));
        }
        self.at = offset;
        self.resumed = Some(self.known).filter(|_| offset > 0);
        if matches!(self.end, End::Straight) {
            return Ok(());
        }
        // What goes past the octets that are sure is none of the file's.
        self.cut(self.known).await?;
        if let Some(state) = &mut self.state {
            state.octets = None;
        }
        self.pending = Some(version);
        if self.at < self.known {
            return self.write_state().await;
        }
        self.adopt().await
    }

    /// Writes down what the server says of the file, once all that was here has been compared with it.
    async fn adopt(&mut self) -> Result<(), Error> {
        if self.at < self.known {
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

    async fn write_state(&self) -> Result<(), Error> {
        let Some(state) = self.state.clone() else {
            return Ok(());
        };
        let path = self.path.clone();
        blocking(move || state.write(&path).map_err(|source| create(&path, source))).await
    }

    /// Puts blocks at the end, on a blocking task, while the next ones are on their way. Nothing is written where they do
    /// not fit a part that was resumed.
    ///
    /// # Errors
    /// [`Error::Create`], [`Error::Write`]
    pub(super) async fn write(&mut self, blocks: Vec<Vec<u8>>) -> Result<Written, Error> {
        // Counted first: what is dropped while the disk takes it may still get there.
        self.given += blocks.iter().map(|block| block.len() as u64).sum::<u64>();
        let file = Arc::clone(&self.file);
        let is_straight = matches!(self.end, End::Straight);
        let differing = match self.resumed {
            Some(_) => Differing::Refused,
            None => Differing::Replaced,
        };
        let (mut at, mut known) = (self.at, self.known);
        let written = tokio::task::spawn_blocking(move || {
            for block in &blocks {
                if is_straight {
                    (&*file).write_all(block)?;
                    at += block.len() as u64;
                } else if !put(&file, &mut at, &mut known, block, differing)? {
                    return Ok((at, known, Written::Mismatch));
                }
            }
            Ok((at, known, Written::Whole))
        })
        .await;
        match written.unwrap_or_else(|error| Err(io::Error::other(error))) {
            Ok((at, known, written)) => {
                (self.at, self.known) = (at, known);
                if written == Written::Mismatch {
                    return Ok(written);
                }
            }
            Err(source) => return Err(self.broken(source).await),
        }
        self.adopt().await?;
        match self.keep().await {
            Ok(()) => Ok(Written::Whole),
            Err(source) => Err(self.broken(source).await),
        }
    }

    /// Tells the disk from time to time to keep what came, while more comes: else all of that waits for the end.
    async fn keep(&mut self) -> io::Result<()> {
        let (at, keeping) = &mut self.kept;
        if self.at.saturating_sub(*at) < KEEP || matches!(self.end, End::Straight) {
            return Ok(());
        }
        if keeping
            .as_ref()
            .is_some_and(|keeping| !keeping.is_finished())
        {
            return Ok(());
        }
        if let Some(keeping) = keeping.take() {
            // An error of the disk is told once.
            keeping.await.map_err(io::Error::other)??;
        }
        *at = self.at;
        let file = Arc::clone(&self.file);
        *keeping = Some(tokio::task::spawn_blocking(move || file.sync_data()));
        Ok(())
    }
}

/// Runs what waits for the disk where it keeps nobody else waiting.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(create(Path::new(""), io::Error::other(error))),
    }
}
