//! Files of the user that are read whole and changed atomically, with the sentences of their errors; and the change of one
//! value in settings.toml, which keeps every other line.

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

/// Sets a value above the first table of the file, which is created if there is none.
///
/// # Errors
/// The file cannot be read or written.
pub fn store_setting(path: &Path, name: &str, value: &str) -> io::Result<()> {
    let text = match regular::read(path, regular::BY_HAND) {
        Ok(octets) => String::from_utf8(octets).map_err(io::Error::other)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)?;
    }
    atomic::replace(path, with_value(&text, name, value).as_bytes(), &|_| {})
}

/// The text with a value in place of the one that it has, or as its first line.
fn with_value(text: &str, name: &str, value: &str) -> String {
    let line = format!("{name} = \"{value}\"\n");
    let mut changed = String::with_capacity(text.len() + line.len());
    let mut lines = text.split_inclusive('\n');
    for old in lines.by_ref() {
        if old.trim_start().starts_with('[') {
            return format!("{line}{text}");
        }
        let after = old.trim_start().strip_prefix(name);
        if after.is_some_and(|after| after.trim_start().starts_with('=')) {
            changed.push_str(&line);
            changed.extend(lines);
            return changed;
        }
        changed.push_str(old);
    }
    format!("{line}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_value_replaces_its_line_alone() {
        let with = |text| with_value(text, "theme", "nord");
        assert_eq!(with(""), "theme = \"nord\"\n");
        assert_eq!(
            with("# a\ntheme='x'\nb = 1\n"),
            "# a\ntheme = \"nord\"\nb = 1\n"
        );
        assert_eq!(
            with("themes = 1\n[t]\ntheme = 2\n"),
            "theme = \"nord\"\nthemes = 1\n[t]\ntheme = 2\n"
        );
    }

    #[test]
    fn file_is_created_with_its_directory() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("geomys/settings.toml");
        store_setting(&path, "theme", "mono").unwrap();
        store_setting(&path, "theme", "nord").unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "theme = \"nord\"\n");
    }
}
