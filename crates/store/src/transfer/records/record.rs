//! Record of a downloaded directory: its lines, and the file that they are added to.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rfc1738::Url;

/// First line of a record.
pub(super) const HEAD: &[u8] = b"geomys sources 1\n";

/// Maximum size of a record, in octets.
const CAP: u64 = 512 * 1024 * 1024;

/// Maximum number of files that a loss of power may take from the record: a sync for each would cost more than small files.
const MAX_UNSYNCED: usize = 64;

/// Time after which a loss of power may take no file from the record.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// Source URL of each file, by its path below the directory.
type SourceUrls = HashMap<PathBuf, Box<str>>;

/// State of each file as it was saved, by its path below the directory.
type FileStates = HashMap<PathBuf, Box<str>>;

/// Locked record of a directory that is being downloaded.
#[derive(Debug)]
pub struct DirectoryRecord {
    /// File of the record; `None` if it is only read.
    pub(super) file: Option<File>,
    files: SourceUrls,
    states: FileStates,
    /// Paths of the files that came from a URL.
    names: HashMap<Box<str>, Vec<PathBuf>>,
    /// Canonical path of the directory.
    directory: PathBuf,
    /// Number of files that were added or changed since the last sync.
    pub(super) unsynced: usize,
    /// Time of the last sync.
    pub(super) synced: Instant,
}

impl DirectoryRecord {
    /// Continues a parsed record with the URL that is downloaded to its directory now.
    pub(super) fn new(
        file: File,
        directory: PathBuf,
        parsed: ParsedRecord,
        root: &str,
    ) -> io::Result<Self> {
        file.set_len(parsed.length)?;
        let (length, is_new) = (parsed.length, !parsed.from.contains(root));
        let mut record = Self::unchanged(directory, parsed);
        let mut lines = Vec::new();
        if length == 0 {
            let path = record.directory.as_os_str().as_bytes();
            lines.extend([HEAD, b"path ", path, b"\n"].concat());
        }
        if is_new {
            lines.extend(format!("from {root}\n").into_bytes());
        }
        if !lines.is_empty() {
            (&file).write_all(&lines)?;
            // Without its first lines all files of the directory would be foreign.
            file.sync_all()?;
        }
        record.file = Some(file);
        Ok(record)
    }

    /// Creates a record that is only read.
    pub(super) fn unchanged(directory: PathBuf, parsed: ParsedRecord) -> Self {
        let mut names: HashMap<Box<str>, Vec<PathBuf>> = HashMap::new();
        for (name, url) in &parsed.files {
            names.entry(url.clone()).or_default().push(name.clone());
        }
        Self {
            file: None,
            names,
            files: parsed.files,
            states: parsed.states,
            directory,
            unsynced: 0,
            synced: Instant::now(),
        }
    }

    /// Returns the paths below the directory of all files that came from below `url`, or from the archive `url`, each with
    /// its URL.
    pub fn files_below(&self, url: &Url) -> Vec<(PathBuf, String)> {
        let above = super::root(url);
        let is_below = |from: &str| {
            let rest = from.strip_prefix(&above);
            rest.is_some_and(|rest| rest.starts_with(['/', '#']))
        };
        let files = self.files.iter();
        let below = files.filter(|(_, from)| is_below(from));
        let mut below: Vec<_> = below
            .map(|(name, from)| (name.clone(), from.to_string()))
            .collect();
        below.sort();
        below
    }

    /// Records that the file of this path below the directory was deleted. Blocks.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn forget(&mut self, name: &Path) -> io::Result<()> {
        self.states.remove(name);
        match self.files.remove(name) {
            Some(url) => self.write("deleted", &url, name)?.sync(),
            None => Ok(()),
        }
    }

    /// Returns the canonical path of the directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the URL from which the file of this path below the directory came, without its password.
    pub fn source(&self, name: &Path) -> Option<&str> {
        self.files.get(name).map(|url| &**url)
    }

    /// Returns the state in which the file of this path below the directory was saved, if it is recorded.
    pub fn state(&self, name: &Path) -> Option<&str> {
        self.states.get(name).map(|state| &**state)
    }

    /// Returns true if the file of this path below the directory is as it was saved. Blocks.
    pub fn is_unedited(&self, name: &Path) -> bool {
        let saved = self.state(name);
        saved.is_some() && state_of(&self.directory.join(name)).as_deref() == saved
    }

    fn write(&mut self, what: &str, url: &str, name: &Path) -> io::Result<&mut Self> {
        let octets = name.as_os_str().as_bytes();
        if octets.contains(&b'\n') {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
        if let Some(file) = &mut self.file {
            let line = [what.as_bytes(), b" ", url.as_bytes(), b" ", octets, b"\n"].concat();
            file.write_all(&line)?;
        }
        Ok(self)
    }

    /// Writes the lines that have been added to the disk. Blocks.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn sync(&mut self) -> io::Result<()> {
        self.unsynced = 0;
        self.synced = Instant::now();
        self.file.as_ref().map_or(Ok(()), File::sync_data)
    }

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

    /// Records that the file of this path below the directory came from `url`, and is as it was saved. Blocks.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn add(&mut self, name: &Path, url: &Url) -> io::Result<()> {
        let url = url.without_password();
        let state = state_of(&self.directory.join(name));
        let state = state.filter(|state| self.state(name) != Some(state));
        let is_new = self.source(name) != Some(url.as_str());
        if let Some(state) = &state {
            // Without it an edited file cannot be known later, and one that is not edited is taken for one.
            self.write("state", state, name)?;
            self.states.insert(name.to_owned(), state.as_str().into());
        }
        if is_new {
            self.write("file", url.as_str(), name)?;
            self.files.insert(name.to_owned(), url.as_str().into());
            let names = self.names.entry(url.as_str().into()).or_default();
            names.push(name.to_owned());
        }
        if is_new || state.is_some() {
            self.unsynced += 1;
        }
        if self.unsynced >= MAX_UNSYNCED
            || self.unsynced > 0 && self.synced.elapsed() >= SYNC_INTERVAL
        {
            self.sync()?;
        }
        Ok(())
    }
}

/// Returns the state of a file: its size, and its time of modification.
pub(in crate::transfer) fn state_of(path: &Path) -> Option<String> {
    let is = std::fs::symlink_metadata(path).ok()?;
    let (size, seconds, nanoseconds) = (is.len(), is.mtime(), is.mtime_nsec());
    is.is_file()
        .then(|| format!("{size}:{seconds}:{nanoseconds}"))
}

/// Parsed content of a record.
#[derive(Debug, Default)]
pub(super) struct ParsedRecord {
    pub(super) from: HashSet<String>,
    files: SourceUrls,
    states: FileStates,
    /// Length of the complete lines, in octets.
    length: u64,
}

impl ParsedRecord {
    /// Reads the record of a directory; a record of another directory or in an unknown format counts as empty.
    pub(super) fn read(mut file: &File, directory: &Path) -> io::Result<Self> {
        let is = file.metadata()?;
        if !is.is_file() || is.len() > CAP {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        }
        let mut octets = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.take(CAP).read_to_end(&mut octets)?;
        Ok(Self::parse(&octets, directory).unwrap_or_default())
    }

    pub(super) fn parse(octets: &[u8], directory: &Path) -> Option<Self> {
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
            let (what, url) = (words.next(), words.next());
            let Some(Ok(url)) = url.map(std::str::from_utf8) else {
                continue;
            };
            match (what, words.next()) {
                (Some(b"from"), None) => {
                    parsed.from.insert(url.to_owned());
                }
                (Some(b"file"), Some(name)) => {
                    let name = PathBuf::from(OsStr::from_bytes(name));
                    parsed.files.insert(name, url.into());
                }
                (Some(b"state"), Some(name)) => {
                    let name = PathBuf::from(OsStr::from_bytes(name));
                    parsed.states.insert(name, url.into());
                }
                (Some(b"deleted"), Some(name)) => {
                    let name = Path::new(OsStr::from_bytes(name));
                    parsed.files.remove(name);
                    parsed.states.remove(name);
                }
                (_, _) => {}
            }
        }
        Some(parsed)
    }
}
