//! A file on its way: its octets go to a part, and the name appears when all of them are there.

use std::fs::{File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::state::{self, State, time};
use super::target::{End, NAMES, Place, Target, create, numbered, part_of, take_name, taken};
use super::{Error, Saved};
use crate::load::Version;

use tokio::task::JoinHandle;

/// Octets after which the disk is told to keep what came.
const KEEP: u64 = 64 * 1024 * 1024;

/// How long a transfer that was stopped may still hold its part.
const LOCK: Duration = Duration::from_millis(500);

/// Names in a row that no part has, before no more are looked at.
const GAP: usize = 8;

/// Between two tries to lock it.
const TRY: Duration = Duration::from_millis(10);

/// A file on its way. While it is open nobody else writes it: it is locked.
pub(super) struct PartFile {
    file: Arc<File>,
    /// Where the octets go.
    path: PathBuf,
    /// Octets in it before those that come now, or that have come: none is lost before another stands in its place.
    known: u64,
    /// Where the next ones go. Up to `known` they are compared with what is there.
    at: u64,
    /// Octets that were given to the disk, whether it has taken them or not.
    given: u64,
    end: End,
    /// What stands beside it; nothing where it cannot be gone on with.
    state: Option<State>,
    /// How far the disk was told to keep it, and whether it has.
    kept: (u64, Option<JoinHandle<io::Result<()>>>),
}

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
                if let Some(state) = state {
                    return Self::reopen(path, end, state);
                }
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
        Ok(Some(Self {
            file: Arc::new(file),
            path,
            known,
            at: 0,
            given: 0,
            end,
            state: Some(state),
            kept: (known, None),
        }))
    }

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
        Self {
            file: Arc::new(file),
            path,
            known: 0,
            at: 0,
            given: 0,
            end,
            state,
            kept: (0, None),
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

    /// What the server said of the file when the part was begun.
    pub(super) fn version(&self) -> Version {
        let state = self.state.as_ref();
        state.map(|state| state.version.clone()).unwrap_or_default()
    }

    /// The octets that come now begin with this one of the file, which is `version` from now on.
    ///
    /// # Errors
    /// [`Error::Create`]
    pub(super) async fn begin(&mut self, offset: u64, version: Version) -> Result<(), Error> {
        if offset > self.known {
            let sentence = "the server goes on further down than there are octets here";
            return Err(create(&self.path, io::Error::other(sentence)));
        }
        self.at = offset;
        let Some(state) = &mut self.state else {
            return Ok(());
        };
        state.version = version;
        state.octets = None;
        let (state, path, file) = (state.clone(), self.path.clone(), Arc::clone(&self.file));
        let known = self.known;
        blocking(move || {
            // What goes past the octets that are sure is none of the file's.
            let cut = match file.metadata() {
                Ok(is) if is.len() > known => file.set_len(known),
                Ok(_) => Ok(()),
                Err(error) => Err(error),
            };
            cut.and_then(|()| state.write(&path))
                .map_err(|source| create(&path, source))
        })
        .await
    }

    /// Puts blocks at the end, on a blocking task, while the next ones are on their way.
    pub(super) async fn write(&mut self, blocks: Vec<Vec<u8>>) -> Result<(), Error> {
        // Counted first: what is dropped while the disk takes it may still get there.
        self.given += blocks.iter().map(|block| block.len() as u64).sum::<u64>();
        let file = Arc::clone(&self.file);
        let is_straight = matches!(self.end, End::Straight);
        let (mut at, mut known) = (self.at, self.known);
        let written = tokio::task::spawn_blocking(move || {
            for block in &blocks {
                if is_straight {
                    (&*file).write_all(block)?;
                    at += block.len() as u64;
                } else {
                    put(&file, &mut at, &mut known, block)?;
                }
            }
            Ok((at, known))
        })
        .await;
        match written.unwrap_or_else(|error| Err(io::Error::other(error))) {
            Ok((at, known)) => {
                (self.at, self.known) = (at, known);
            }
            Err(source) => return Err(self.broken(source).await),
        }
        match self.keep().await {
            Ok(()) => Ok(()),
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

    /// The file is whole: it gets its name, and the time that the server has it from.
    pub(super) async fn finish(mut self, modified: Option<&str>) -> Result<Saved, Error> {
        let path = match self.place(modified).await {
            Ok(path) => path,
            Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {
                // Somebody has made it meanwhile.
                let (End::New(path) | End::Free(path)) = self.end.clone() else {
                    return Err(self.broken(source).await);
                };
                let sentence = match self.left().await {
                    Some(part) => format!("it exists already; what came is in {}", part.display()),
                    None => "it exists already".to_owned(),
                };
                return Err(create(&path, taken(&sentence)));
            }
            Err(source) => return Err(self.broken(source).await),
        };
        if !matches!(self.end, End::Straight) && self.state.is_some() {
            state::remove(&self.path);
        }
        self.end = End::Over;
        Ok(Saved {
            path,
            octets: self.at,
        })
    }

    /// Gives the file its name.
    async fn place(&mut self, modified: Option<&str>) -> io::Result<PathBuf> {
        if let Some(keeping) = self.kept.1.take() {
            keeping.await.map_err(io::Error::other)??;
        }
        if !matches!(self.end, End::Straight) {
            let (file, at) = (Arc::clone(&self.file), self.at);
            let is_shorter = self.known > at;
            let modified = modified.and_then(time);
            let whole = tokio::task::spawn_blocking(move || {
                if is_shorter {
                    file.set_len(at)?;
                }
                if let Some(modified) = modified {
                    // A file system that keeps no times keeps the octets.
                    let _ = file.set_modified(modified);
                }
                // A pipe or a device may have nothing to sync.
                file.sync_all()
            });
            whole.await.map_err(io::Error::other)??;
        }
        match &self.end {
            End::New(path) => {
                take_name(&self.path, path).await?;
                Ok(path.clone())
            }
            End::Free(path) => {
                for number in 1..=NAMES {
                    let path = numbered(path, number);
                    match take_name(&self.path, &path).await {
                        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                        taken => return taken.map(|()| path),
                    }
                }
                Err(taken("all names like it are taken"))
            }
            End::Replace { path, place } => {
                tokio::fs::rename(&self.path, place).await?;
                Ok(path.clone())
            }
            End::Straight | End::Over => Ok(self.path.clone()),
        }
    }

    /// An error of the disk; it names the part only when there is something in it.
    async fn broken(&mut self, source: io::Error) -> Error {
        let path = self.path.clone();
        if matches!(self.end, End::Straight) {
            return create(&path, source);
        }
        match tokio::fs::metadata(&path).await {
            Ok(part) if part.len() > 0 => Error::Write { path, source },
            Ok(_) | Err(_) => {
                self.given = 0;
                self.known = 0;
                create(&path, source)
            }
        }
    }

    /// Where what came is left, if anything is: the disk has it, and the state says how much of it.
    pub(super) async fn left(mut self) -> Option<PathBuf> {
        if matches!(self.end, End::Straight | End::Over) || self.here() == 0 {
            return None;
        }
        let (file, path, octets) = (Arc::clone(&self.file), self.path.clone(), self.here());
        let state = self.state.take();
        // The load has failed already; a disk that fails now, too, changes nothing.
        let _ = tokio::task::spawn_blocking(move || {
            file.sync_data()?;
            let Some(state) = state else { return Ok(()) };
            State {
                octets: Some(octets),
                ..state
            }
            .write(&path)
        })
        .await;
        Some(self.path.clone())
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        match self.end {
            End::New(_) | End::Free(_) | End::Replace { .. }
                if self.given == 0 && self.known == 0 =>
            {
                // Nothing is left of nothing.
                let _ = std::fs::remove_file(&self.path);
                if self.state.is_some() {
                    state::remove(&self.path);
                }
            }
            End::New(_) | End::Free(_) | End::Replace { .. } | End::Straight | End::Over => {}
        }
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
fn lock(file: &File) -> bool {
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

/// Puts a block at `at`. Where octets are already (up to `known`), it is compared with them: while they are the same
/// nothing is lost when this ends early, and from the first that differs on the new ones stand in their place.
fn put(file: &File, at: &mut u64, known: &mut u64, block: &[u8]) -> io::Result<()> {
    let overlap = usize::try_from(known.saturating_sub(*at)).unwrap_or(usize::MAX);
    let (old, mut rest) = block.split_at(overlap.min(block.len()));
    if !old.is_empty() {
        let mut here = vec![0; old.len()];
        file.read_exact_at(&mut here, *at)?;
        let same = here.iter().zip(old).take_while(|(one, two)| one == two);
        let same = same.count();
        *at += same as u64;
        if same < old.len() {
            file.set_len(*at)?;
            *known = *at;
            rest = block.get(same..).unwrap_or_default();
        }
    }
    file.write_all_at(rest, *at)?;
    *at += rest.len() as u64;
    *known = (*known).max(*at);
    Ok(())
}

/// Runs what waits for the disk where it keeps nobody else waiting.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(create(Path::new(""), io::Error::other(error))),
    }
}
