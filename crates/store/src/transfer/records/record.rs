//! Record of a downloaded directory: its lines, and the file that they are added to.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use geomys_load::Version;
use rfc1738::Url;

use super::files::RecordedFiles;

/// First line of a record.
pub(super) const HEAD: &[u8] = b"geomys sources 1\n";

/// Maximum size of a record, in octets.
const CAP: u64 = 512 * 1024 * 1024;

/// Maximum number of files that a loss of power may take from the record: a sync for each would cost more than small
/// files.
const MAX_UNSYNCED: usize = 64;

/// Time after which a loss of power may take no file from the record.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// Target of each URL that redirected when it was fetched last.
type Redirects = HashMap<Box<str>, RecordedRedirect>;

/// What a page of a site was when it was saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedPage {
    /// True if nothing tells that it may be cut.
    pub is_whole: bool,
    /// Version, by which its server is asked for another. Its size is not recorded.
    pub version: Version,
}

impl SavedPage {
    /// Formats the page as a word of a record: `whole;20261120184501;"tag"`.
    fn word(&self) -> String {
        let end = if self.is_whole { "whole" } else { "cut" };
        let modified = self.version.modified.as_deref().unwrap_or_default();
        // Another tag is not sent either.
        let is_word = |tag: &&str| tag.bytes().all(|octet| octet.is_ascii_graphic());
        let tag = self.version.tag.as_deref().filter(is_word);
        format!("{end};{modified};{}", tag.unwrap_or_default())
    }

    fn parse(word: &str) -> Option<Self> {
        let mut parts = word.splitn(3, ';');
        let is_whole = parts.next()? == "whole";
        let mut value = || parts.next().filter(|value| !value.is_empty());
        let (modified, tag) = (value().map(str::to_owned), value().map(Box::from));
        Some(Self {
            is_whole,
            version: Version {
                size: None,
                modified,
                tag,
            },
        })
    }
}

/// Redirect of a server, instead of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedRedirect {
    /// URL that it leads to.
    pub url: Box<str>,
    /// True if the server says that it stays.
    pub is_permanent: bool,
}

/// Locked record of a directory that is being downloaded.
#[derive(Debug)]
pub struct DirectoryRecord {
    /// File of the record; `None` if it is only read.
    pub(super) file: Option<File>,
    roots: HashSet<String>,
    files: RecordedFiles,
    redirects: Redirects,
    /// Canonical path of the directory.
    directory: PathBuf,
    /// Number of files that were added or changed since the last sync.
    pub(super) unsynced: usize,
    /// Time of the last sync.
    pub(super) synced: Instant,
    /// Error after which nothing more is recorded.
    failure: Option<io::Error>,
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
        Self {
            file: None,
            roots: parsed.from,
            files: parsed.files,
            redirects: parsed.redirects,
            directory,
            unsynced: 0,
            synced: Instant::now(),
            failure: None,
        }
    }

    /// Returns the paths below the directory of all files that came from below `url`, or from the archive `url`, each
    /// with its URL.
    pub fn files_below(&self, url: &Url) -> Vec<(PathBuf, String)> {
        let above = super::root(url);
        let is_below = |from: &str| {
            let rest = from.strip_prefix(&above);
            rest.is_some_and(|rest| rest.starts_with(['/', '#']))
        };
        let below = self.files().filter(|(_, from)| is_below(from));
        let mut below: Vec<_> = below
            .map(|(name, from)| (name.to_owned(), from.to_owned()))
            .collect();
        below.sort();
        below
    }

    /// Returns the URLs that were downloaded to the directory, as they are recorded.
    pub fn roots(&self) -> impl Iterator<Item = &str> {
        self.roots.iter().map(String::as_str)
    }

    /// Returns the paths below the directory of all files, each with its URL.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.files.sources()
    }

    /// Returns the media type of the file of this path below the directory, with its parameters, if its server told it.
    pub fn media_type(&self, name: &Path) -> Option<&str> {
        self.files.media_type(name)
    }

    /// Returns the URLs that redirected when they were fetched last.
    pub fn redirects(&self) -> impl Iterator<Item = (&str, &RecordedRedirect)> {
        self.redirects.iter().map(|(url, to)| (&**url, to))
    }

    /// Records the media type of the file of this path below the directory. After an error nothing more is recorded.
    /// Blocks.
    pub fn set_media_type(&mut self, name: &Path, media_type: &str) {
        let is_word = !media_type.is_empty() && !media_type.contains([' ', '\n']);
        if is_word && self.media_type(name) != Some(media_type) {
            let written = line("type", media_type, name).and_then(|line| self.write(&line));
            self.note(written);
            self.files.set_media_type(name, media_type);
        }
    }

    /// Returns what the page of this path below the directory was when it was saved, if that is recorded.
    pub fn page(&self, name: &Path) -> Option<&SavedPage> {
        self.files.page(name)
    }

    /// Records what the page of this path below the directory was when it was saved. After an error nothing more is
    /// recorded. Blocks.
    pub fn set_page(&mut self, name: &Path, page: SavedPage) {
        let word = page.word();
        if self.page(name).map(SavedPage::word).as_ref() != Some(&word) {
            let written = line("page", &word, name).and_then(|line| self.write(&line));
            self.note(written);
            self.files.set_page(name, page);
        }
    }

    /// Records whether the file of this path below the directory had changed when it was fetched again. Returns the
    /// number of runs in a row in which it had. After an error nothing more is recorded. Blocks.
    pub fn count_change(&mut self, name: &Path, has_changed: bool) -> u32 {
        let before = self.files.changes(name);
        let now = if has_changed {
            before.saturating_add(1)
        } else {
            0
        };
        if now != before {
            let count = now.to_string();
            let written = line("changed", &count, name).and_then(|line| self.write(&line));
            self.note(written);
            self.files.set_changes(name, now);
        }
        now
    }

    /// Records that a URL redirects. After an error nothing more is recorded. Blocks.
    pub fn add_redirect(&mut self, url: &Url, to: &Url, is_permanent: bool) {
        let (url, to) = (url.without_password(), to.without_password());
        let redirect = RecordedRedirect {
            url: to.as_str().into(),
            is_permanent,
        };
        if self.redirects.get(url.as_str()) != Some(&redirect) {
            let what = if is_permanent { "moved" } else { "redirect" };
            let line = format!("{what} {} {}\n", url.as_str(), redirect.url);
            let written = self.write(line.as_bytes());
            self.note(written);
            self.redirects.insert(url.as_str().into(), redirect);
        }
    }

    /// Notes the error after which nothing more is recorded.
    fn note(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            (self.file, self.failure) = (None, Some(error));
        }
    }

    /// Records that the file of this path below the directory was deleted. Blocks.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn forget(&mut self, name: &Path) -> io::Result<()> {
        let deleted = self.source(name).map(|url| line("deleted", url, name));
        self.files.remove(name);
        match deleted {
            Some(line) => {
                self.write(&line?)?;
                self.sync()
            }
            None => Ok(()),
        }
    }

    /// Returns the canonical path of the directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the URL from which the file of this path below the directory came, without its password.
    pub fn source(&self, name: &Path) -> Option<&str> {
        self.files.source(name)
    }

    /// Returns true if the file of this path below the directory is not as it was saved, or is not there. Blocks.
    pub fn is_edited(&self, name: &Path) -> bool {
        if self.files.states(name).next().is_none() {
            return false;
        }
        let state = state_of(&self.directory.join(name));
        state.is_none_or(|state| !self.files.states(name).any(|saved| saved == state))
    }

    /// Returns true if the file of this path below the directory is known to be as it was saved. Blocks.
    pub fn is_unedited(&self, name: &Path) -> bool {
        self.files.states(name).next().is_some() && !self.is_edited(name)
    }

    fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        self.file
            .as_mut()
            .map_or(Ok(()), |file| file.write_all(lines))
    }

    /// Returns the error after which nothing more was recorded, once.
    pub fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
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
        let names = self.files.names_from(url.as_str()).into_iter();
        names.map(|name| self.directory.join(name)).collect()
    }

    /// Records that this open file, which comes from `url`, gets this path below the directory. Blocks.
    pub fn add_file(&mut self, name: &Path, url: &Url, file: &File) {
        let state = file.metadata().ok().map(|is| state(&is));
        self.add(name, url, state);
    }

    /// Records that the file of this path below the directory comes from `url`, and has this state when it is saved.
    /// After an error nothing more is recorded. Blocks.
    pub fn add(&mut self, name: &Path, url: &Url, state: Option<String>) {
        let added = self.try_add(name, url, state);
        self.note(added);
    }

    fn try_add(&mut self, name: &Path, url: &Url, state: Option<String>) -> io::Result<()> {
        let url = url.without_password();
        let saved = self.files.states(name).next_back();
        let state = state.filter(|state| saved != Some(state.as_str()));
        let has_moved = self.redirects.remove(url.as_str()).is_some();
        let is_new = has_moved || self.source(name) != Some(url.as_str());
        let mut lines = Vec::new();
        if let Some(state) = &state {
            // Without it an edited file cannot be known later, and one that is not edited is taken for one.
            lines.extend(line("state", state, name)?);
        }
        if is_new {
            lines.extend(line("file", url.as_str(), name)?);
        }
        self.write(&lines)?;
        if let Some(state) = &state {
            self.files.add_state(name, state);
        }
        if is_new {
            self.files.set_source(name, url.as_str());
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

/// Returns a line of a record.
fn line(what: &str, url: &str, name: &Path) -> io::Result<Vec<u8>> {
    let octets = name.as_os_str().as_bytes();
    if octets.contains(&b'\n') {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    Ok([what.as_bytes(), b" ", url.as_bytes(), b" ", octets, b"\n"].concat())
}

/// Returns the state of a file: its size, and its time of modification.
pub(super) fn state_of(path: &Path) -> Option<String> {
    let is = std::fs::symlink_metadata(path).ok()?;
    is.is_file().then(|| state(&is))
}

/// Returns the state of a file that has this metadata.
fn state(is: &Metadata) -> String {
    format!("{}:{}:{}", is.len(), is.mtime(), is.mtime_nsec())
}

/// Entry of a record for a file that is being downloaded. It is added before the file gets its name: a process killed
/// meanwhile leaves no file without a known source.
#[derive(Clone, Debug)]
pub struct RecordEntry {
    /// Record, shared by the files that are downloaded at once.
    pub record: Arc<Mutex<DirectoryRecord>>,
    /// Path of the directory, as it begins the path of the file.
    pub into: PathBuf,
    /// URL of the file.
    pub url: Url,
}

impl RecordEntry {
    /// Records that a complete file gets this path. Blocks.
    pub fn add(&self, path: &Path, file: &File) {
        self.with_name(path, |record, name| {
            record.add_file(name, &self.url, file);
        });
    }

    /// Records that the file did not get this path. Blocks.
    pub(in crate::transfer) fn forget(&self, path: &Path) {
        self.with_name(path, |record, name| {
            // The failure is noticed with the next file.
            let _ = record.forget(name);
        });
    }

    fn with_name(&self, path: &Path, change: impl FnOnce(&mut DirectoryRecord, &Path)) {
        let mut record = locked(&self.record);
        let name = path
            .strip_prefix(&self.into)
            .or_else(|_| path.strip_prefix(&record.directory));
        if let Ok(name) = name.map(Path::to_owned) {
            change(&mut record, &name);
        }
    }
}

/// Locks a shared record.
pub fn locked(record: &Mutex<DirectoryRecord>) -> MutexGuard<'_, DirectoryRecord> {
    // A line that a panic has cut counts as nothing.
    record.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Parsed content of a record.
#[derive(Debug, Default)]
pub(super) struct ParsedRecord {
    pub(super) from: HashSet<String>,
    files: RecordedFiles,
    redirects: Redirects,
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
                    parsed.redirects.remove(url);
                    parsed.files.set_source(path_of(name), url);
                }
                (Some(b"state"), Some(name)) => parsed.files.add_state(path_of(name), url),
                (Some(b"type"), Some(name)) => parsed.files.set_media_type(path_of(name), url),
                (Some(b"page"), Some(name)) => {
                    let page = SavedPage::parse(url).unwrap_or_default();
                    parsed.files.set_page(path_of(name), page);
                }
                (Some(b"changed"), Some(name)) => {
                    let changes = url.parse().unwrap_or_default();
                    parsed.files.set_changes(path_of(name), changes);
                }
                (Some(what @ (b"moved" | b"redirect")), Some(to)) => {
                    if let Ok(to) = std::str::from_utf8(to) {
                        let redirect = RecordedRedirect {
                            url: to.into(),
                            is_permanent: what == b"moved",
                        };
                        parsed.redirects.insert(url.into(), redirect);
                    }
                }
                (Some(b"deleted"), Some(name)) => parsed.files.remove(path_of(name)),
                (_, _) => {}
            }
        }
        Some(parsed)
    }
}

/// Returns the octets of a line of a record as a path.
pub(super) fn path_of(name: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(name))
}
