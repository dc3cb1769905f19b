//! A file changed in one step: all of the new one, or all of the old.
//!
//! A change holds a lock on the file's directory from before the file is read until it is replaced (temporary file,
//! fsync, rename), so that two Geomys lose nothing of each other's. An editor takes no lock: right before the rename the
//! file's inode, size and times are compared with those from before it was read, and where they differ the change is made
//! again, to the file as it is by then. The file's mode stays, and so does a symbolic link to it; where that leads to
//! nothing, perhaps as a disk is not there, nothing is written.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::geteuid;
use tempfile::TempPath;

use super::regular;

/// How long another Geomys may hold the lock: a write takes milliseconds.
const LOCK: Duration = Duration::from_secs(5);

/// Between two tries to take it.
const TRY: Duration = Duration::from_millis(10);

/// How often a change is made again because the file was written meanwhile: a program that writes without a pause would
/// keep it waiting for ever.
const ATTEMPTS: usize = 20;

/// How far a change has come: all that a crash can fall between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The lock is taken and the file read; nothing is written.
    Read,
    /// There is an empty temporary file.
    Opened,
    /// It has all octets, but they may not be on the disk.
    Written,
    /// They are on the disk.
    Synced,
    /// The temporary file has taken the place of the file.
    Renamed,
}

/// Has `edit` read the file and give its new octets, and replaces it by them; what else `edit` gives is given back. `edit`
/// is called again when another program has written the file meanwhile. `write` makes an error of one that the system had while it was written.
///
/// # Errors
/// Those of `edit`, and of writing; the file is as it was then.
pub(super) fn change<O: AsRef<[u8]>, T, E>(
    path: &Path,
    write: impl Fn(io::Error) -> E,
    mut edit: impl FnMut() -> Result<(O, T), E>,
) -> Result<T, E> {
    let edit = || edit().map(|(octets, made)| (Some(octets), made));
    change_by(path, |_| {}, write, edit)
}

/// The same, where `edit` may leave the file as it is, and `reached` hears of every step.
///
/// # Errors
/// Those of `edit`, and of writing; the file is as it was then.
pub(super) fn change_by<O: AsRef<[u8]>, T, E>(
    path: &Path,
    reached: impl Fn(Step),
    write: impl Fn(io::Error) -> E,
    mut edit: impl FnMut() -> Result<(Option<O>, T), E>,
) -> Result<T, E> {
    let target = target_of(path).map_err(&write)?;
    let directory = directory_of(&target);
    create_directory(directory).map_err(&write)?;
    let lock = File::open(directory).map_err(&write)?;
    wait_for(&lock).map_err(&write)?;
    for _ in 0..ATTEMPTS {
        let before = Version::of(&target).map_err(&write)?;
        let (octets, made) = edit()?;
        let Some(octets) = octets else {
            return Ok(made);
        };
        reached(Step::Read);
        let is_current = || Ok(Version::of(&target)? == before);
        if replace_if(&target, octets.as_ref(), &reached, is_current).map_err(&write)? {
            return Ok(made);
        }
    }
    Err(write(io::Error::new(
        io::ErrorKind::WouldBlock,
        "another program keeps writing the file",
    )))
}

/// What tells one version of a file from the next without reading it: device and inode, size, times of the last change of
/// its content and of its inode. Nothing where there is no file.
#[derive(Debug, PartialEq, Eq)]
struct Version(Option<(u64, u64, u64, [i64; 4])>);

impl Version {
    fn of(path: &Path) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(now) => {
                let times = [now.mtime(), now.mtime_nsec(), now.ctime(), now.ctime_nsec()];
                Ok(Self(Some((now.dev(), now.ino(), now.size(), times))))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self(None)),
            Err(error) => Err(error),
        }
    }
}

/// What is replaced: through a symbolic link what it leads to, so that the link stays.
fn target_of(path: &Path) -> io::Result<PathBuf> {
    let error = match fs::canonicalize(path) {
        Ok(target) => return Ok(target),
        Err(error) => error,
    };
    match fs::read_link(path) {
        Ok(target) => {
            let target = target.display();
            // Whoever tells of it names the link.
            let sentence = match error.kind() {
                io::ErrorKind::NotFound => {
                    format!("the file is a link to {target}, and nothing is there")
                }
                _ => format!("the file is a link to {target}, which cannot be reached: {error}"),
            };
            Err(io::Error::new(error.kind(), sentence))
        }
        // No link: it is made.
        Err(_) => Ok(path.to_owned()),
    }
}

/// How the name of a temporary file ends; it begins with a dot and the name of the file.
const TEMPORARY: &str = ".geomys-new";

/// Creates a directory that only its owner can enter, and those above it that do not exist.
pub(super) fn create_directory(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700).create(directory)
}

/// Writes a file that only its owner reads, or replaces one and keeps its mode and owner. Nobody else may write it
/// meanwhile.
///
/// # Errors
/// The system's, and that what is there is read-only or no regular file; it is as it was then.
pub(super) fn replace(path: &Path, octets: &[u8], reached: &impl Fn(Step)) -> io::Result<()> {
    replace_if(path, octets, reached, || Ok(true)).map(drop)
}

/// The same where `is_current` says so right before the rename; else the file stays as it is. Gives whether it was
/// replaced.
fn replace_if(
    path: &Path,
    octets: &[u8],
    reached: &impl Fn(Step),
    is_current: impl FnOnce() -> io::Result<bool>,
) -> io::Result<bool> {
    let old = match path.symlink_metadata() {
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if let Some(old) = &old {
        regular::check(old.file_type())?;
        // A rename would replace a file that its owner made read-only; the owner meant it.
        if old.permissions().readonly() {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the file is read-only",
            ));
        }
    }
    let (temporary, mut file) = create_temporary(path)?;
    reached(Step::Opened);
    file.write_all(octets)?;
    reached(Step::Written);
    if let Some(old) = old {
        match fchown(&file, Some(old.uid()), Some(old.gid())) {
            // Only root can give a file to somebody else.
            Err(error)
                if error.kind() == io::ErrorKind::PermissionDenied && !geteuid().is_root() => {}
            other => other?,
        }
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()?;
    reached(Step::Synced);
    if !is_current()? {
        return Ok(false);
    }
    temporary.persist(path).map_err(|error| error.error)?;
    reached(Step::Renamed);
    // The file is replaced, whether or not a crash could still undo it.
    let _ = File::open(directory_of(path)).and_then(|directory| directory.sync_all());
    Ok(true)
}

/// A temporary file beside `path`, removed when it is dropped. One that a killed process left is removed first.
fn create_temporary(path: &Path) -> io::Result<(TempPath, File)> {
    let mut name = OsString::from(".");
    name.push(path.file_name().ok_or(io::ErrorKind::InvalidInput)?);
    name.push(TEMPORARY);
    let temporary = directory_of(path).join(name);
    match fs::remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut options = OpenOptions::new();
    let file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&temporary)?;
    Ok((TempPath::try_from_path(temporary)?, file))
}

/// Removes all temporary files in a directory that only one process writes to: those that a killed process left.
pub(super) fn sweep(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        if name.starts_with(b".") && name.ends_with(TEMPORARY.as_bytes()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// The directory that a file is in.
fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        Some(_) | None => Path::new("."),
    }
}

/// Takes the lock, or says that another Geomys holds it for too long.
fn wait_for(lock: &File) -> io::Result<()> {
    let start = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if start.elapsed() < LOCK => thread::sleep(TRY),
            Err(TryLockError::WouldBlock) => {
                let busy = "another program holds the lock on its directory";
                return Err(io::Error::new(io::ErrorKind::WouldBlock, busy));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}
