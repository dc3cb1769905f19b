//! Files of the user that are read whole and changed atomically, with the sentences of their errors; and the change of a
//! text that the user writes.

use std::io;
use std::path::{Path, PathBuf};

use geomys_wire::text::system_message;

use super::{atomic, regular};

/// Kind of a file: its maximum size, and the beginnings of its error messages.
pub(crate) struct UserFile {
    /// Maximum size, in bytes.
    pub(crate) max_bytes: u64,
    /// Sentence about an error of reading: `the transfers cannot be read`.
    pub(crate) read_failed: &'static str,
    /// Sentence about an error of writing, which leaves the file unchanged.
    pub(crate) write_failed: &'static str,
}

/// Error of reading or writing a file.
#[derive(Debug, thiserror::Error)]
#[error("{sentence}: {} ({path})", system_message(source), path = path.display())]
pub struct FileError {
    sentence: &'static str,
    path: PathBuf,
    source: io::Error,
}

impl UserFile {
    /// Reads a file; a missing file is empty.
    ///
    /// # Errors
    /// Errors of the system; a file that is not a regular file, or is too large.
    pub(crate) fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        let octets = regular::read_if_any(path, self.max_bytes);
        let octets = octets.map_err(|source| self.read_error(path, source))?;
        Ok(octets.unwrap_or_default())
    }

    /// Replaces a file by the octets that `edit` makes of its current ones, and returns the second value of `edit`. `edit`
    /// is called again when another program has written the file meanwhile.
    ///
    /// # Errors
    /// Errors of [`UserFile::read`], of `edit` and of writing; nothing is written then.
    pub(crate) fn change<T>(
        &self,
        path: &Path,
        mut edit: impl FnMut(Vec<u8>) -> io::Result<(Vec<u8>, T)>,
    ) -> Result<T, FileError> {
        let write_error = |source| self.write_error(path, source);
        atomic::change(path, write_error, || {
            edit(self.read(path)?).map_err(write_error)
        })
    }

    /// Returns the message of an error of reading.
    pub(crate) fn read_error(&self, path: &Path, source: io::Error) -> FileError {
        error(self.read_failed, path, source)
    }

    /// Returns the message of an error of writing.
    pub(crate) fn write_error(&self, path: &Path, source: io::Error) -> FileError {
        error(self.write_failed, path, source)
    }
}

fn error(sentence: &'static str, path: &Path, source: io::Error) -> FileError {
    let path = path.to_owned();
    FileError {
        sentence,
        path,
        source,
    }
}

/// Returns lines that another line can be appended to: those of a file, or `head` for an empty file. A last line without a
/// line end would run into the new one.
pub(crate) fn complete_lines(octets: Vec<u8>, head: &[u8]) -> Vec<u8> {
    let mut lines = if octets.is_empty() {
        head.to_vec()
    } else {
        octets
    };
    if lines.last().is_some_and(|&last| last != b'\n') {
        lines.push(b'\n');
    }
    lines
}

/// Replaces the text of a file by what `change` makes of it; a missing file is empty, and is created.
///
/// # Errors
/// The file cannot be read or written, or the error of `change`, which leaves it as it is.
pub fn rewrite(path: &Path, change: impl FnOnce(&str) -> Result<String, String>) -> io::Result<()> {
    let text = match regular::read(path, regular::BY_HAND) {
        Ok(octets) => String::from_utf8(octets).map_err(io::Error::other)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    let changed = change(&text).map_err(io::Error::other)?;
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)?;
    }
    atomic::replace(path, changed.as_bytes(), &|_| {})
}
