//! Source URLs of the files in downloaded directories: one record file per directory, in the data directory.
//!
//! ```text
//! record = "geomys sources 1" LF "path" SP path LF *( line LF )
//! line   = "from" SP url / "file" SP url SP name / "deleted" SP url SP name / "state" SP state SP name
//!        / "type" SP media-type SP name / "changed" SP number SP name / ( "moved" / "redirect" ) SP url SP url
//! state  = size ":" seconds ":" nanoseconds                          ; of the file as it was saved, its time since 1970
//! ```
//!
//! The name of a record is the SHA-256 of its directory's path, in hexadecimal digits. `from` is a URL that was
//! downloaded to the directory, `name` a file's path below the directory, as octets. `deleted` ends what a `file` with
//! the same name said. `type` is the media type of a file, as its server told it; `changed` the number of runs in a row
//! in which it had changed; `moved` a permanent redirect, and `redirect` another one, until a `file` comes from its
//! URL. A file in another state than its last two was edited: a line is written before its file gets its name, so that
//! a crash leaves the version before, or none. URLs are without their passwords. Lines are only added, under a lock,
//! and a last line without a line end is ignored, so that a crash loses one line at most. A loss of power may lose the
//! lines of the last second, but never the first ones.
//!
//! Two directories are never merged without a question: the files in a directory without a record may belong to the
//! user.

mod files;
mod record;

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use geomys_wire::text::system_message;
use rfc1738::Url;
use ring::digest::{SHA256, digest};

use self::record::ParsedRecord;
pub use self::record::locked;
pub use self::record::{DirectoryRecord, RecordEntry, RecordedRedirect, SavedPage};
use super::download::lock;
use crate::files::{atomic, regular};

/// Maximum number of names that are tried if a name is taken: `NAME`, `NAME (2)`, …
const NAMES: usize = 999;

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
    #[error("the directory contains other files")]
    Foreign,
    /// Another transfer writes to the directory.
    #[error("another transfer is using it")]
    Busy,
    /// The record could not be read or written.
    #[error("{} ({path})", system_message(source), path = path.display())]
    Record {
        /// Path of the record.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
}

/// Records of all directories.
#[derive(Clone, Debug)]
pub struct DirectoryRecords {
    directory: PathBuf,
}

impl DirectoryRecords {
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
    ) -> Result<DirectoryRecord, Error> {
        let record_error = |path: &Path, source| Error::Record {
            path: path.to_owned(),
            source,
        };
        let directory =
            fs::canonicalize(directory).map_err(|error| record_error(directory, error))?;
        let path = self.path(&directory);
        let failed = |source| record_error(&path, source);
        if directory.as_os_str().as_bytes().contains(&b'\n') {
            return Err(failed(io::Error::other("its path contains a line break")));
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
        let record = DirectoryRecord::new(file, directory, parsed, &root(url)).map_err(failed)?;
        atomic::sync_directory(&self.directory);
        Ok(record)
    }

    /// Reads the record of a directory, which need not exist, without changing it. Blocks.
    ///
    /// # Errors
    /// [`Error::Record`].
    pub fn read(&self, directory: &Path) -> Result<DirectoryRecord, Error> {
        let directory = fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
        let path = self.path(&directory);
        let parsed = match regular::open(&path) {
            Ok(file) => ParsedRecord::read(&file, &directory),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(ParsedRecord::default()),
            Err(error) => Err(error),
        };
        let parsed = parsed.map_err(|source| Error::Record { path, source })?;
        Ok(DirectoryRecord::unchanged(directory, parsed))
    }

    fn path(&self, directory: &Path) -> PathBuf {
        let digest = digest(&SHA256, directory.as_os_str().as_bytes());
        let digits = digest.as_ref().iter().map(|octet| format!("{octet:02x}"));
        self.directory.join(digits.collect::<String>())
    }
}

/// Returns the normalized URL of a directory, or of one in an archive: without its password, a trailing slash and
/// `;type=d`.
pub fn root(url: &Url) -> String {
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

/// Returns the numbered variant of a path: the path itself for 1, then `NAME (2)`, `NAME (3)`, …; a directory has no
/// suffix.
fn numbered(base: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return base.to_owned();
    }
    let mut name = base.file_name().unwrap_or_default().to_owned();
    name.push(format!(" ({number})"));
    base.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use rfc1738::Dialect;
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::record::{HEAD, state_of};
    use super::*;

    fn url(text: &str) -> Url {
        Dialect::Extended.parse(text).unwrap()
    }

    struct RecordsFixture {
        root: tempfile::TempDir,
        sources: DirectoryRecords,
    }

    impl RecordsFixture {
        fn new() -> Self {
            let root = tempfile::tempdir().unwrap();
            let sources = DirectoryRecords::new(root.path().join("data/sources"));
            Self { root, sources }
        }

        /// Creates a directory with a file in it.
        fn filled(&self, name: &str) -> PathBuf {
            let path = self.root.path().join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join("x"), "x").unwrap();
            path
        }
    }

    /// Records a file that has its name already.
    fn add_now(record: &mut DirectoryRecord, name: &str, url: &Url) {
        let state = state_of(&record.directory().join(name));
        record.add(Path::new(name), url, state);
        assert!(record.take_failure().is_none());
    }

    #[test]
    fn directory_is_found_by_its_source_url() {
        let fixture = RecordsFixture::new();
        let (a, b) = (url("ftp://a.example/pub/"), url("ftp://b.example/pub/"));
        let base = fixture.root.path().join("pub-1.0");
        assert_eq!(fixture.sources.destination(&base, &a), base);
        fs::create_dir(&base).unwrap();
        let mut record = fixture.sources.open(&base, &a, MergePolicy::Ask).unwrap();
        fs::write(base.join("x"), "x").unwrap();
        add_now(&mut record, "x", &url("ftp://ada:secret@a.example/pub/x"));
        assert!(matches!(
            fixture.sources.open(&base, &a, MergePolicy::Ask),
            Err(Error::Busy)
        ));
        drop(record);
        let record =
            fixture
                .sources
                .open(&base, &url("ftp://a.example/pub;type=d"), MergePolicy::Ask);
        let record = record.unwrap();
        let paths = record.paths(&url("ftp://ada@a.example/pub/x"));
        assert_eq!(paths, [fs::canonicalize(base.join("x")).unwrap()]);
        assert!(record.paths(&url("ftp://b.example/pub/x")).is_empty());
        drop(record);
        // The directory of another URL is next to it.
        let second = fixture.root.path().join("pub-1.0 (2)");
        assert_eq!(fixture.sources.destination(&base, &a), base);
        assert_eq!(fixture.sources.destination(&base, &b), second);
        assert!(matches!(
            fixture.sources.open(&base, &b, MergePolicy::Ask),
            Err(Error::Foreign)
        ));
        fixture.sources.open(&base, &b, MergePolicy::Allow).unwrap();
        fixture.sources.open(&base, &b, MergePolicy::Ask).unwrap();
        let written = fs::read_dir(fixture.root.path().join("data/sources")).unwrap();
        for entry in written {
            let entry = entry.unwrap();
            let text = fs::read_to_string(entry.path()).unwrap();
            assert!(!text.contains("secret"), "{text}");
            assert_eq!(
                entry.metadata().unwrap().permissions().mode() & 0o777,
                0o600
            );
        }
    }

    #[test]
    fn directory_without_a_record_is_foreign_unless_it_is_empty() {
        let fixture = RecordsFixture::new();
        let a = url("ftp://a.example/pub/");
        let mine = fixture.filled("mine");
        assert!(matches!(
            fixture.sources.check(&mine, &a, MergePolicy::Ask),
            Err(Error::Foreign)
        ));
        assert!(matches!(
            fixture.sources.open(&mine, &a, MergePolicy::Ask),
            Err(Error::Foreign)
        ));
        fs::remove_file(mine.join("x")).unwrap();
        fixture.sources.check(&mine, &a, MergePolicy::Ask).unwrap();
        fixture
            .sources
            .check(&fixture.root.path().join("new"), &a, MergePolicy::Ask)
            .unwrap();
    }

    #[test]
    fn changed_file_waits_for_a_sync_as_a_new_one_does() {
        let fixture = RecordsFixture::new();
        let (a, base) = (url("ftp://a.example/pub/"), fixture.root.path().join("pub"));
        fs::create_dir(&base).unwrap();
        let mut record = fixture.sources.open(&base, &a, MergePolicy::Ask).unwrap();
        let mut add = |content: &str, unsynced: usize| {
            fs::write(base.join("x"), content).unwrap();
            record.synced = Instant::now();
            add_now(&mut record, "x", &url("ftp://a.example/pub/x"));
            assert_eq!(record.unsynced, unsynced, "{content}");
        };
        add("x", 1);
        add("x2", 2);
        for number in 3..64 {
            add(&"x".repeat(number), number);
        }
        add("", 0);
        // A second after the last sync the next file is synced.
        record.synced = Instant::now().checked_sub(Duration::from_secs(1)).unwrap();
        fs::write(base.join("x"), "x").unwrap();
        add_now(&mut record, "x", &url("ftp://a.example/pub/x"));
        assert_eq!(record.unsynced, 0);
    }

    #[test]
    fn version_before_several_crashes_is_unedited() {
        let fixture = RecordsFixture::new();
        let (a, base) = (url("ftp://a.example/pub/"), fixture.root.path().join("pub"));
        fs::create_dir(&base).unwrap();
        let (name, x) = (Path::new("x"), url("ftp://a.example/pub/x"));
        let mut record = fixture.sources.open(&base, &a, MergePolicy::Ask).unwrap();
        // The record names a file before it is there.
        record.add(name, &x, Some("1:7:0".to_owned()));
        assert_eq!(record.source(name), Some(x.as_str()));
        fs::write(base.join("x"), "1").unwrap();
        assert!(record.is_edited(name) && !record.is_unedited(name));
        add_now(&mut record, "x", &x);
        assert!(record.is_unedited(name));
        record.add(name, &x, Some("2:7:0".to_owned()));
        drop(record);
        let mut record = fixture.sources.open(&base, &a, MergePolicy::Ask).unwrap();
        assert!(record.is_unedited(name) && !record.is_edited(name));
        // Each kill before the new version gets the name adds a state.
        for number in 3..9 {
            record.add(name, &x, Some(format!("{number}:7:0")));
            assert!(record.is_unedited(name), "{number}");
        }
        record.add(name, &x, Some("9:7:0".to_owned()));
        assert!(record.is_edited(name));
        assert!(!record.is_edited(Path::new("y")) && !record.is_unedited(Path::new("y")));
    }

    #[test]
    fn types_redirects_and_changes_are_read_again() {
        let fixture = RecordsFixture::new();
        let (a, base) = (url("gemini://a.example/"), fixture.root.path().join("a"));
        fs::create_dir(&base).unwrap();
        let open = || fixture.sources.open(&base, &a, MergePolicy::Ask).unwrap();
        let (name, x) = (Path::new("x"), url("gemini://a.example/x"));
        let old = url("gemini://a.example/old");
        let mut record = open();
        fs::write(base.join("x"), "x").unwrap();
        add_now(&mut record, "x", &x);
        record.set_media_type(name, "text/gemini;lang=en");
        record.set_media_type(name, "two words");
        record.add_redirect(&old, &x, true);
        let counts = [true, false, true, true].map(|is| record.count_change(name, is));
        assert_eq!(counts, [1, 0, 1, 2]);
        drop(record);
        let mut record = open();
        assert_eq!(record.media_type(name), Some("text/gemini;lang=en"));
        let redirects: Vec<_> = record.redirects().collect();
        let expected = RecordedRedirect {
            url: x.as_str().into(),
            is_permanent: true,
        };
        assert_eq!(redirects, [(old.as_str(), &expected)]);
        assert_eq!(record.count_change(name, true), 3);
        fs::write(base.join("old"), "a page now").unwrap();
        add_now(&mut record, "old", &old);
        drop(record);
        let record = open();
        assert_eq!(record.redirects().count(), 0);
        assert!(record.roots().eq(["gemini://a.example"]));
    }

    #[test]
    fn line_that_was_cut_by_a_crash_counts_as_nothing() {
        let fixture = RecordsFixture::new();
        let (a, base) = (url("ftp://a.example/pub/"), fixture.root.path().join("pub"));
        fs::create_dir(&base).unwrap();
        let mut record = fixture.sources.open(&base, &a, MergePolicy::Ask).unwrap();
        fs::write(base.join("x"), "x").unwrap();
        add_now(&mut record, "x", &url("ftp://a.example/pub/x"));
        record
            .file
            .as_mut()
            .unwrap()
            .write_all(b"file ftp://a.example/pub/y yes-and-n")
            .unwrap();
        drop(record);
        let mut record = fixture.sources.open(&base, &a, MergePolicy::Ask).unwrap();
        add_now(&mut record, "z", &url("ftp://a.example/pub/z"));
        drop(record);
        let record = fixture.sources.open(&base, &a, MergePolicy::Ask).unwrap();
        for (name, count) in [("x", 1), ("y", 0), ("z", 1)] {
            let from = url(&format!("ftp://a.example/pub/{name}"));
            assert_eq!(record.paths(&from).len(), count, "{name}");
        }
    }

    proptest! {
        #[test]
        fn no_record_makes_it_stumble(octets in proptest::collection::vec(any::<u8>(), 0..200)) {
            let record = [HEAD, b"path /a\n", octets.as_slice()].concat();
            let _ = ParsedRecord::parse(&record, Path::new("/a"));
            let _ = ParsedRecord::parse(&octets, Path::new("/a"));
        }
    }
}
