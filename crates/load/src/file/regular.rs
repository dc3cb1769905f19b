//! Opening regular files only: a named pipe or a device could block forever, or change something when it is read.

use std::fs::{File, FileType, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// Returns the kind of a file that is not a regular file, in words with an article; None for a regular file.
pub(crate) fn other_kind(kind: FileType) -> Option<&'static str> {
    if kind.is_file() {
        None
    } else if kind.is_dir() {
        Some("a directory")
    } else if kind.is_fifo() {
        Some("a named pipe")
    } else if kind.is_socket() {
        Some("a socket")
    } else {
        Some("a device")
    }
}

/// Opens a regular file, or a symbolic link to one, for reading.
///
/// # Errors
/// The system's error, or the kind of the file when it is not a regular one.
pub fn open(path: &Path) -> io::Result<File> {
    // Opening some devices has a side effect.
    check(path.metadata()?.file_type())?;
    // The file may have been replaced by a pipe since the check: opening a pipe would wait for its other end.
    let file = OpenOptions::new()
        .read(true)
        .custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed())
        .open(path)?;
    check(file.metadata()?.file_type())?;
    Ok(file)
}

/// Refuses everything but a regular file.
pub fn check(kind: FileType) -> io::Result<()> {
    match other_kind(kind) {
        None => Ok(()),
        Some(what) => {
            let sentence = format!("it is {what}, not a file");
            Err(io::Error::new(io::ErrorKind::InvalidInput, sentence))
        }
    }
}
