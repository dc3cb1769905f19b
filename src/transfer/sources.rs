//! Source URLs of the files in downloaded directories: one record file per directory, in the data directory.
//!
//! ```text
//! record = "geomys sources 1" LF "path" SP path LF *( line LF )
//! line   = "from" SP url / "file" SP url SP name
//! ```
//!
//! The name of a record is the SHA-256 of its directory's path, in hexadecimal digits. `from` is a URL that was downloaded to
//! the directory, `name` a file's path below the directory, as octets. URLs are without their passwords. Lines are only
//! added, under a lock, and a last line without a line end is ignored, so that a crash loses one line at most.
//!
//! Two directories are never merged without a question: the files in a directory without a record may belong to the user.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use ring::digest::{SHA256, digest};

use super::download::lock;
use crate::files::{atomic, regular};
use crate::url::Url;

/// First line of a record.
const HEAD: &[u8] = b"geomys sources 1\n";

/// Maximum size of a record, in octets.
const CAP: u64 = 512 * 1024 * 1024;

/// Maximum number of names that are tried if a name is taken: `NAME`, `NAME (2)`, …
const NAMES: usize = 999;

/// Source URL of each file, by its path below the directory.
type SourceUrls = HashMap<PathBuf, Box<str>>;

/// Treatment of a directory with files that did not come from the URL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MergePolicy {
    /// Write nothing and ask the user.
    #[default]
    Ask,
    /// Write the files to the same directory: the user has agreed.
    Allow,
}

/// Error of opening the record of a directory.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The directory holds files that did not come from the URL.
    #[error("the directory holds other files")]
    Foreign,
    /// Another transfer writes to the directory.
    #[error("another transfer fills it")]
    Busy,
    /// The record could not be read or written.
    #[error("{source} ({path})", path = path.display())]
    Record {
        /// Path of the record.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
}

/// Records of all directories.
#[derive(Clone, Debug)]
pub struct Sources {
    directory: PathBuf,
}

impl Sources {
    /// Creates a store of records in this directory, which need not exist.
    pub fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// Returns the directory for the files of `url`: the directory of an earlier download, or else the first of `base`,
    /// `base (2)`, … that does not exist. Blocks.
    pub fn destination(&self, base: &Path, url: &Url) -> PathBuf {
        let mut free = None;
        for number in 1..=NAMES {
            let path = numbered(base, number);
            if fs::symlink_metadata(&path).is_err() {
                free = free.or(Some(path));
                if number > 1 {
                    break;
                }
            } else if self.is_from(&path, url) {
                return path;
            }
        }
        free.unwrap_or_else(|| base.to_owned())
    }

    /// Returns true if `url` was downloaded to a directory before.
    fn is_from(&self, directory: &Path, url: &Url) -> bool {
        let Ok(directory) = fs::canonicalize(directory) else {
            return false;
        };
        let file = regular::open(&self.path(&directory));
        let parsed = file.and_then(|file| ParsedRecord::read(&file, &directory));
        parsed.is_ok_and(|parsed| parsed.from.contains(&root(url)))
    }

    /// Checks if `url` may be downloaded to a directory. Blocks.
    ///
    /// # Errors
    /// [`Error::Foreign`].
    pub fn check(&self, directory: &Path, url: &Url, merge: MergePolicy) -> Result<(), Error> {
        if merge == MergePolicy::Allow || is_empty(directory) || self.is_from(directory, url) {
            return Ok(());
        }
        Err(Error::Foreign)
    }

    /// Opens and locks the record of an existing directory for a download of `url`. Blocks.
    ///
    /// # Errors
    /// Any [`Error`].
    pub fn open(
        &self,
        directory: &Path,
        url: &Url,
        merge: MergePolicy,
    ) -> Result<SourceRecord, Error> {
        let record_error = |path: &Path, source| Error::Record {
            path: path.to_owned(),
            source,
        };
        let directory =
            fs::canonicalize(directory).map_err(|error| record_error(directory, error))?;
        let path = self.path(&directory);
        let failed = |source| record_error(&path, source);
        if directory.as_os_str().as_bytes().contains(&b'\n') {
            return Err(failed(io::Error::other("its path holds a line break")));
        }
        atomic::create_directory(&self.directory).map_err(failed)?;
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).mode(0o600);
        let file = options.open(&path).map_err(failed)?;
        let kind = file.metadata().map_err(failed)?.file_type();
        regular::check(kind).map_err(failed)?;
        if !lock(&file) {
            return Err(Error::Busy);
        }
        let is_empty = is_empty(&directory);
        let parsed = ParsedRecord::read(&file, &directory).map_err(failed)?;
        // The record may be of a deleted directory with the same path.
        let parsed = if is_empty {
            ParsedRecord::default()
        } else {
            parsed
        };
        let is_recorded = parsed.from.contains(&root(url));
        if merge == MergePolicy::Ask && !is_empty && !is_recorded {
            return Err(Error::Foreign);
        }
        let mut record = SourceRecord {
            file,
            names: HashMap::new(),
            files: parsed.files,
            directory,
        };
        for (name, url) in &record.files {
            let names = record.names.entry(url.clone()).or_default();
            names.push(name.clone());
        }
        record.file.set_len(parsed.length).map_err(failed)?;
        let mut lines = Vec::new();
        if parsed.length == 0 {
            let path = record.directory.as_os_str().as_bytes();
            lines.extend([HEAD, b"path ", path, b"\n"].concat());
        }
        if !is_recorded {
            lines.extend(format!("from {}\n", root(url)).into_bytes());
        }
        record.file.write_all(&lines).map_err(failed)?;
        Ok(record)
    }

    fn path(&self, directory: &Path) -> PathBuf {
        let digest = digest(&SHA256, directory.as_os_str().as_bytes());
        let digits = digest.as_ref().iter().map(|octet| format!("{octet:02x}"));
        self.directory.join(digits.collect::<String>())
    }
}

/// Locked record of a directory that is being downloaded.
#[derive(Debug)]
pub struct SourceRecord {
    file: File,
    files: SourceUrls,
    /// Paths of the files that came from a URL.
    names: HashMap<Box<str>, Vec<PathBuf>>,
    /// Canonical path of the directory.
    directory: PathBuf,
}

impl SourceRecord {
    /// Returns the paths of the files that came from `url`; they may have been deleted since.
    pub fn paths(&self, url: &Url) -> Vec<PathBuf> {
        let url = url.without_password();
        let names = self.names.get(url.as_str()).into_iter().flatten();
        let is_still = |name: &&PathBuf| {
            let from = self.files.get(*name);
            from.is_some_and(|from| **from == *url.as_str())
        };
        let names = names.filter(is_still);
        names.map(|name| self.directory.join(name)).collect()
    }

    /// Records that the file of this path below the directory came from `url`. Blocks.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn add(&mut self, name: &Path, url: &Url) -> io::Result<()> {
        let octets = name.as_os_str().as_bytes();
        if octets.contains(&b'\n') {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        let url = url.without_password();
        let line = [b"file ", url.as_str().as_bytes(), b" ", octets, b"\n"].concat();
        self.file.write_all(&line)?;
        self.file.sync_data()?;
        self.files.insert(name.to_owned(), url.as_str().into());
        let names = self.names.entry(url.as_str().into()).or_default();
        names.push(name.to_owned());
        Ok(())
    }
}

/// Parsed content of a record.
#[derive(Debug, Default)]
struct ParsedRecord {
    from: HashSet<String>,
    files: SourceUrls,
    /// Length of the complete lines, in octets.
    length: u64,
}

impl ParsedRecord {
    /// Reads the record of a directory; a record of another directory or in an unknown format counts as empty.
    fn read(mut file: &File, directory: &Path) -> io::Result<Self> {
        let is = file.metadata()?;
        if !is.is_file() || is.len() > CAP {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        }
        let mut octets = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.take(CAP).read_to_end(&mut octets)?;
        Ok(Self::parse(&octets, directory).unwrap_or_default())
    }

    fn parse(octets: &[u8], directory: &Path) -> Option<Self> {
        let end = memchr::memrchr(b'\n', octets)? + 1;
        let whole = octets.get(..end)?;
        let path = directory.as_os_str().as_bytes();
        let lines = whole.strip_prefix(HEAD)?.strip_prefix(b"path ")?;
        let lines = lines.strip_prefix(path)?.strip_prefix(b"\n")?;
        let mut parsed = Self {
            length: end as u64,
            ..Self::default()
        };
        for line in lines.split(|&octet| octet == b'\n') {
            let mut words = line.splitn(3, |&octet| octet == b' ');
            let (Some(what), Some(url)) = (words.next(), words.next()) else {
                continue;
            };
            let Ok(url) = std::str::from_utf8(url) else {
                continue;
            };
            match (what, words.next()) {
                (b"from", None) => {
                    parsed.from.insert(url.to_owned());
                }
                (b"file", Some(name)) => {
                    let name = PathBuf::from(OsStr::from_bytes(name));
                    parsed.files.insert(name, url.into());
                }
                (_, _) => {}
            }
        }
        Some(parsed)
    }
}

/// Returns the normalized URL of a directory: without its password, a trailing slash and `;type=d`.
fn root(url: &Url) -> String {
    let url = url.without_password();
    let text = url.as_str();
    let text = text.strip_suffix(";type=d").unwrap_or(text);
    text.trim_end_matches('/').to_owned()
}

/// Returns true if a directory is empty or does not exist.
fn is_empty(directory: &Path) -> bool {
    match fs::read_dir(directory) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// Returns the numbered variant of a path: the path itself for 1, then `NAME (2)`, `NAME (3)`, …; a directory has no suffix.
fn numbered(base: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return base.to_owned();
    }
    let mut name = base.file_name().unwrap_or_default().to_owned();
    name.push(format!(" ({number})"));
    base.with_file_name(name)
}

#[cfg(test)]
mod tests;
