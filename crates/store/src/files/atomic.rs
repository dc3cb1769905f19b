//! Atomic changes of a file: readers see the old content or the new content, never a mixture.
//!
//! A change holds a lock on the file's directory from before the file is read until it is replaced (temporary file,
//! fsync, rename), so that two Geomys processes do not lose each other's changes. An editor takes no lock: right before
//! the rename the file's inode, size and times are compared with those from before it was read; if they differ, the
//! change is applied again to the current file. The file's mode stays, and so does a symbolic link to it; if the link
//! is broken, perhaps because a disk is not mounted, nothing is written.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::process::geteuid;
use tempfile::TempPath;

use super::locked_file::LockedFile;
use super::regular;

/// Maximum time that another Geomys process may hold the lock: a write takes milliseconds.
const LOCK: Duration = Duration::from_secs(5);

/// Maximum number of attempts when the file was written meanwhile: a program that writes without a pause would block a
/// change for ever.
const ATTEMPTS: usize = 20;

/// Step of a change; a crash can happen between any two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteStep {
    /// The lock is taken and the file read; nothing is written.
    Read,
    /// The temporary file is created and empty.
    Opened,
    /// The temporary file has all octets, but they may not be on the disk.
    Written,
    /// The octets are on the disk.
    Synced,
    /// The temporary file has replaced the file.
    Renamed,
}

/// Replaces a file by the octets that `edit` returns, and returns the second value of `edit`. `edit` reads the file; it
/// is called again when another program has written the file meanwhile. `write` converts an error of the system during
/// writing.
///
/// # Errors
/// Errors of `edit`, and of writing; the file is unchanged then.
pub(crate) fn change<O: AsRef<[u8]>, T, E>(
    path: &Path,
    write: impl Fn(io::Error) -> E,
    mut edit: impl FnMut() -> Result<(O, T), E>,
) -> Result<T, E> {
    let edit = || edit().map(|(octets, made)| (Some(octets), made));
    change_by(path, |_| {}, write, edit)
}

/// Like [`change`], but `edit` may leave the file unchanged, and `reached` is called after every step.
///
/// # Errors
/// Errors of `edit`, and of writing; the file is unchanged then.
pub(crate) fn change_by<O: AsRef<[u8]>, T, E>(
    path: &Path,
    reached: impl Fn(WriteStep),
    write: impl Fn(io::Error) -> E,
    mut edit: impl FnMut() -> Result<(Option<O>, T), E>,
) -> Result<T, E> {
    let (target, _lock) = lock(path).map_err(&write)?;
    for _ in 0..ATTEMPTS {
        let before = FileVersion::of(&target).map_err(&write)?;
        let (octets, made) = edit()?;
        let Some(octets) = octets else {
            return Ok(made);
        };
        reached(WriteStep::Read);
        let is_current = || Ok(FileVersion::of(&target)? == before);
        if replace_if(&target, octets.as_ref(), &reached, &is_current).map_err(&write)? {
            return Ok(made);
        }
    }
    Err(write(io::Error::new(
        io::ErrorKind::WouldBlock,
        "another program keeps writing the file",
    )))
}

/// Appends a line, with its line end, to a file that only its owner can read, with one write. A change by another
/// Geomys process happens before or after it. A last line without a line end, which a full disk may leave, is ended
/// first.
///
/// # Errors
/// Errors of the system; a file that is not a regular file.
pub(crate) fn append_line(path: &Path, line: &[u8]) -> io::Result<()> {
    let (target, _lock) = lock(path)?;
    let mut options = OpenOptions::new();
    // A named pipe would block an open for writing alone.
    options.read(true).append(true).create(true).mode(0o600);
    let mut file = options.open(&target)?;
    let metadata = file.metadata()?;
    regular::check(metadata.file_type())?;
    let mut last = [b'\n'];
    if let Some(at) = metadata.len().checked_sub(1) {
        file.read_exact_at(&mut last, at)?;
    }
    if last == [b'\n'] {
        file.write_all(line)
    } else {
        file.write_all(&[b"\n", line].concat())
    }
}

/// Locks the directory of a file, which is created if it is missing. Returns the path to replace, and the lock.
fn lock(path: &Path) -> io::Result<(PathBuf, LockedFile)> {
    let target = target_of(path)?;
    let directory = directory_of(&target);
    create_directory(directory)?;
    let lock = wait_for(File::open(directory)?)?;
    Ok((target, lock))
}

/// Version of a file, found without reading it: device and inode, size, times of the last change of its content and of
/// its inode. `None` if the file does not exist.
#[derive(Debug, PartialEq, Eq)]
struct FileVersion(Option<(u64, u64, u64, [i64; 4])>);

impl FileVersion {
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

/// Returns the path to replace: the target of a symbolic link, so that the link stays.
fn target_of(path: &Path) -> io::Result<PathBuf> {
    let error = match fs::canonicalize(path) {
        Ok(target) => return Ok(target),
        Err(error) => error,
    };
    match fs::read_link(path) {
        Ok(target) => {
            let target = target.display();
            // The caller adds the name of the link.
            let sentence = match error.kind() {
                io::ErrorKind::NotFound => {
                    format!("the file is a symlink to {target}, which does not exist")
                }
                _ => format!("the file is a symlink to {target}, which is unreachable: {error}"),
            };
            Err(io::Error::new(error.kind(), sentence))
        }
        // Not a link: the file is created.
        Err(_) => Ok(path.to_owned()),
    }
}

/// Suffix of a temporary file; its name begins with a dot and the name of the file.
const TEMPORARY: &str = ".geomys-new";

/// Creates a directory that only its owner can enter, and its missing parents.
pub fn create_directory(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700).create(directory)
}

/// Writes a file that only its owner can read, or replaces a file and preserves its mode and owner, and a symbolic link
/// to it. No other process may write the file meanwhile.
///
/// # Errors
/// Errors of the system; a file that is read-only or not a regular file, a broken link. The file is unchanged then.
pub fn replace(path: &Path, octets: &[u8]) -> io::Result<()> {
    replace_unlinked(&target_of(path)?, octets)
}

/// Like [`replace`], but a symbolic link is an error: nobody but Geomys has made the file.
///
/// # Errors
/// Errors of [`replace`], and a link.
pub(crate) fn replace_unlinked(path: &Path, octets: &[u8]) -> io::Result<()> {
    replace_if(path, octets, &|_| {}, &|| Ok(true)).map(drop)
}

/// Like [`replace_unlinked`], but only if `is_current` returns true right before the rename. Returns true if the file
/// was replaced.
fn replace_if(
    path: &Path,
    octets: &[u8],
    reached: &dyn Fn(WriteStep),
    is_current: &dyn Fn() -> io::Result<bool>,
) -> io::Result<bool> {
    let old = match path.symlink_metadata() {
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if let Some(old) = &old {
        regular::check(old.file_type())?;
        // A rename would replace a read-only file, against the intention of its owner.
        if old.permissions().readonly() {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the file is read-only",
            ));
        }
    }
    let (temporary, mut file) = create_temporary(path)?;
    reached(WriteStep::Opened);
    file.write_all(octets)?;
    reached(WriteStep::Written);
    if let Some(old) = old {
        match fchown(&file, Some(old.uid()), Some(old.gid())) {
            // Only root can change the owner of a file.
            Err(error)
                if error.kind() == io::ErrorKind::PermissionDenied && !geteuid().is_root() => {}
            other => other?,
        }
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()?;
    reached(WriteStep::Synced);
    if !is_current()? {
        return Ok(false);
    }
    temporary.persist(path).map_err(|error| error.error)?;
    reached(WriteStep::Renamed);
    sync_directory(directory_of(path));
    Ok(true)
}

/// Writes the names in a directory to the disk. Errors are ignored: a file has its name, even if a crash could still
/// undo it.
pub(crate) fn sync_directory(directory: &Path) {
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
}

/// Creates a temporary file next to `path`, which is removed when it is dropped. A temporary file of a killed process
/// is removed first.
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

/// Removes the temporary files of killed processes in a directory that only one process writes to.
pub(crate) fn sweep(directory: &Path) -> io::Result<()> {
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

/// Returns the directory of a file.
fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        Some(_) | None => Path::new("."),
    }
}

/// Takes the lock, or returns an error if another Geomys process holds it for too long.
fn wait_for(directory: File) -> io::Result<LockedFile> {
    let waiting = directory.try_clone()?;
    match LockedFile::try_new(directory) {
        Ok(locked) => return Ok(locked),
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(error)) => return Err(error),
    }
    // The system gives the lock to those that wait for it in turn. An attempt from time to time would never succeed
    // beside a program that writes without a pause.
    let (sender, locked) = mpsc::channel();
    thread::Builder::new().spawn(move || sender.send(LockedFile::wait(waiting)))?;
    locked.recv_timeout(LOCK).unwrap_or_else(|_| {
        // The thread drops the lock when it gets it.
        let busy = "another program has locked its directory";
        Err(io::Error::new(io::ErrorKind::WouldBlock, busy))
    })
}
