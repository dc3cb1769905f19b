//! Files of the user that are read whole and changed atomically, with the sentences of their errors; and the change of
//! a text that the user writes.

use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;
use std::{fs, io};

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

    /// Replaces a file by the octets that `edit` makes of its current ones, and returns the second value of `edit`.
    /// `edit` is called again when another program has written the file meanwhile.
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

/// Writes a file that the user has named, such as an export: an existing file is replaced atomically, through symbolic
/// links, and keeps its mode and owner. A pipe or a device is written to.
///
/// # Errors
/// Errors of the system. An existing file is unchanged then, and no new one is left, except behind a link.
pub fn write_named(path: &Path, octets: &[u8]) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(is) if is.is_file() => atomic::replace(path, octets),
        Ok(_) => fs::write(path, octets),
        Err(_) => {
            // A link whose target is missing is the user's, and stays.
            let is_new = fs::symlink_metadata(path).is_err();
            fs::write(path, octets).inspect_err(|_| {
                if is_new {
                    // Half an export is of no use.
                    let _ = fs::remove_file(path);
                }
            })
        }
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

/// Returns lines that another line can be appended to: those of a file, or `head` for an empty file. A last line
/// without a line end would run into the new one.
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

const SETTINGS: UserFile = UserFile {
    max_bytes: regular::BY_HAND,
    read_failed: "the settings cannot be read",
    write_failed: "the settings were not written",
};

/// Replaces the text of a settings file by what `change` makes of it; a missing file is empty, and is created. `change`
/// is called again when an editor has written the file meanwhile.
///
/// # Errors
/// A sentence: the file cannot be read or written, has octets that are not UTF-8, or that of `change`. It stays as it
/// is then.
pub fn rewrite(path: &Path, change: impl Fn(&str) -> Result<String, String>) -> Result<(), String> {
    let write_error = |source| SETTINGS.write_error(path, source).to_string();
    atomic::change(path, write_error, || {
        let octets = SETTINGS.read(path).map_err(|error| error.to_string())?;
        let text = String::from_utf8(octets).map_err(|error| not_utf8(path, &error))?;
        Ok((change(&text)?, ()))
    })
}

/// Returns a sentence that names the line of the first octet that is not UTF-8.
fn not_utf8(path: &Path, error: &FromUtf8Error) -> String {
    let before = error.utf8_error().valid_up_to();
    let before = error.as_bytes().iter().take(before);
    let line = 1 + before.filter(|&&octet| octet == b'\n').count();
    format!("{}:{line}: not UTF-8, not changed", path.display())
}
