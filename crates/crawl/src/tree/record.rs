//! Sources of the files of a walk: read before the walk, recorded file by file, and asked before a file is replaced.
//!
//! A file that was edited here is kept as `NAME (2)`. A file becomes a directory, and a directory a file, as on the
//! server; but a directory only where nobody but Geomys wrote.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use geomys_load::Privacy;
use geomys_wire::task::blocking;
use rfc1738::Url;

use super::{RunMode, Text, TreeWalk};
use geomys_store::files::regular;
use geomys_store::transfer::download::{Error, NAMES, SavedFile, numbered, take_name};
use geomys_store::transfer::records;
use geomys_store::transfer::records::{DirectoryRecord, RecordEntry, SavedPage, locked, root};

/// Number of runs in a row with another version each, after which a page is known to change always.
const ALWAYS: u32 = 2;

impl TreeWalk<'_> {
    /// Refuses a directory that holds files from other sources, before the server is contacted.
    // `&mut`: a walk that is shared could not be sent to another thread, as its report cannot be shared.
    pub(super) async fn check(&mut self) -> Result<(), Error> {
        let (sources, order) = (self.sources.clone(), self.order.clone());
        let checked = blocking(move || sources.check(&order.into, &order.request.url, order.merge));
        let refusal = checked.await.err();
        match refusal.and_then(|error| self.refusal(&error)) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Returns the error of a directory that may not be filled; `None` if only its record failed.
    fn refusal(&self, error: &records::Error) -> Option<Error> {
        let path = self.order.into.clone();
        match error {
            records::Error::Foreign => Some(Error::Foreign { path }),
            records::Error::Busy => Some(Error::Busy { path }),
            records::Error::Record { .. } => None,
        }
    }

    /// Opens the record of the local directory, which must exist, except for a dry run. That of a private tab is only
    /// read, and what is added to it lasts as long as the walk.
    pub(super) async fn open_record(&mut self) -> Result<(), Error> {
        let (sources, order) = (self.sources.clone(), self.order.clone());
        let privacy = order.request.settings.privacy;
        let opened = blocking(move || match (order.mirror.run, privacy) {
            (RunMode::Real, Privacy::Recorded) => {
                sources.open(&order.into, &order.request.url, order.merge)
            }
            (RunMode::Real, Privacy::Private) | (RunMode::Dry, _) => sources.read(&order.into),
        });
        match opened.await {
            Ok(record) => {
                self.recorded_directories = directories(&record);
                self.record = Some(Arc::new(Mutex::new(record)));
                self.count_mirrored().await;
            }
            Err(error) => match self.refusal(&error) {
                Some(refusal) => return Err(refusal),
                None => self.not_recorded(&error.to_string()),
            },
        }
        Ok(())
    }

    /// Returns the entry of a file in the record.
    pub(super) fn entry(&self, url: &Url) -> Option<RecordEntry> {
        Some(RecordEntry {
            record: Arc::clone(self.record.as_ref()?),
            into: self.order.into.clone(),
            url: url.clone(),
        })
    }

    /// Records the source of a file that has its name already.
    pub(super) async fn record(&mut self, path: &Path, url: &Url) {
        let Some(entry) = self.entry(url) else {
            return;
        };
        let path = path.to_owned();
        let recording = blocking(move || {
            // A file that is gone already has no source.
            if let Ok(file) = regular::open(&path) {
                entry.add(&path, &file);
            }
        });
        recording.await;
    }

    /// Records the media type, the version and the end of a page of a site.
    pub(super) fn record_page(&self, path: &Path, saved: &SavedFile) {
        let name = path.strip_prefix(&self.order.into);
        let (Some(record), Ok(name), true) = (&self.record, name, self.site.is_some()) else {
            return;
        };
        let mut record = locked(record);
        if let Some(media_type) = &saved.media_type {
            record.set_media_type(name, media_type);
        }
        record.set_page(
            name,
            SavedPage {
                is_whole: !saved.end.may_be_cut(),
                version: saved.version.clone(),
            },
        );
    }

    /// Returns the recorded media type of a file.
    pub(super) fn media_type_of(&self, path: &Path) -> Option<String> {
        let name = path.strip_prefix(&self.order.into).ok()?;
        let record = locked(self.record.as_ref()?);
        record.media_type(name).map(str::to_owned)
    }

    /// Returns what a page was when it was saved, if that is recorded.
    pub(super) fn saved_page(&self, path: &Path) -> Option<SavedPage> {
        let name = path.strip_prefix(&self.order.into).ok()?;
        locked(self.record.as_ref()?).page(name).cloned()
    }

    /// Records whether a page of a site had changed, and notes one that changes in each run.
    pub(super) fn count_change(&mut self, path: &Path, shown: &Text, has_changed: bool) {
        let name = path.strip_prefix(&self.order.into);
        let (Some(record), Ok(name), true) = (&self.record, name, self.site.is_some()) else {
            return;
        };
        if locked(record).count_change(name, has_changed) >= ALWAYS {
            self.summary.changing += 1;
            self.note(format!("{shown} always changes"));
        }
    }

    /// Notes that nothing more can be recorded.
    pub(super) fn note_failure(&mut self) {
        let failure = self.record.as_ref();
        let failure = failure.and_then(|record| locked(record).take_failure());
        if let Some(error) = failure {
            self.record = None;
            self.not_recorded(&error.to_string());
        }
    }

    /// Writes the record to the disk at the end of the walk.
    pub(super) async fn sync_record(&mut self) {
        self.note_failure();
        let Some(record) = self.record.take() else {
            return;
        };
        if let Err(error) = blocking(move || locked(&record).sync()).await {
            self.not_recorded(&error.to_string());
        }
    }

    fn not_recorded(&mut self, why: &str) {
        self.note(format!(
            "sources of the files not saved, so the next run fetches them again: {why}"
        ));
    }
}

impl TreeWalk<'_> {
    /// Exchanges an edited file with its new version, which has the next free name. Returns the path of the new
    /// version.
    pub(super) async fn keep_edited(&mut self, own: &Path, new: &Path) -> PathBuf {
        let (shown, kept) = (own.display(), new.display());
        if exchange(own, new).await.is_ok() {
            self.note(format!("{shown} was edited here: kept as {kept}"));
            return own.to_owned();
        }
        self.note(format!(
            "{shown} was edited here: the new version is {kept}"
        ));
        new.to_owned()
    }

    /// Makes room for a directory where an earlier run has saved a file from its URL.
    pub(super) async fn replace_file(&mut self, path: &Path, url: &Url) -> io::Result<()> {
        let name = path.strip_prefix(&self.order.into).map(Path::to_owned);
        let (Ok(name), Some(record)) = (name, self.record.clone()) else {
            return Ok(());
        };
        let (path, above) = (path.to_owned(), root(url));
        let replacing = blocking(move || {
            let mut record = locked(&record);
            let is_file = std::fs::symlink_metadata(&path).is_ok_and(|is| is.is_file());
            let is_from_here = record.source(&name).is_some_and(|from| from == above);
            let is_own = record.is_unedited(&name);
            if !is_file || !is_from_here {
                return Ok(None);
            }
            let removed = if is_own {
                std::fs::remove_file(&path)
            } else {
                Ok(())
            };
            let forgotten = removed.and_then(|()| record.forget(&name));
            forgotten.map(|()| (!is_own).then_some(path))
        });
        if let Some(edited) = replacing.await? {
            let kept = set_aside(&edited).await?;
            let (shown, kept) = (edited.display(), kept.display());
            self.note(format!("{shown} was edited here: kept as {kept}"));
        }
        Ok(())
    }

    /// Replaces a directory by the file `new`, if all files in it came from below the file's URL and nobody has edited
    /// them. Returns false if it stays.
    pub(super) async fn replace_directory(&mut self, path: &Path, new: &Path, url: &Url) -> bool {
        let below = path.strip_prefix(&self.order.into).map(Path::to_owned);
        let (Ok(below), Some(record)) = (below, self.record.clone()) else {
            return false;
        };
        let (into, directory, url) = (self.order.into.clone(), path.to_owned(), url.clone());
        let replacing = blocking(move || {
            let is_removed = remove_own(&mut locked(&record), &into, &below, &url).is_ok();
            is_removed && std::fs::symlink_metadata(directory).is_err()
        });
        replacing.await && take_name(new, path).await.is_ok()
    }
}

/// Returns the paths of the directories of a record, by their URLs as [`root`] writes them: those above its files.
fn directories(record: &DirectoryRecord) -> HashMap<String, PathBuf> {
    let mut directories = HashMap::new();
    for (path, url) in record.files() {
        let (mut path, mut url) = (path, url);
        while let (Some(above), Some((url_above, _))) = (path.parent(), url.rsplit_once('/')) {
            if above.as_os_str().is_empty() || directories.contains_key(url_above) {
                break;
            }
            directories.insert(url_above.to_owned(), above.to_owned());
            (path, url) = (above, url_above);
        }
    }
    directories
}

/// Exchanges the names of two files. After an error both exist, each under one of the names that it had or may have.
async fn exchange(own: &Path, new: &Path) -> io::Result<()> {
    let aside = set_aside(own).await?;
    if let Err(error) = take_name(new, own).await {
        take_name(&aside, own).await?;
        return Err(error);
    }
    take_name(&aside, new).await
}

/// Renames a file to the next free name, and returns that.
async fn set_aside(path: &Path) -> io::Result<PathBuf> {
    for number in 2..=NAMES {
        let aside = numbered(path, number);
        match take_name(path, &aside).await {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            taken => return taken.map(|()| aside),
        }
    }
    Err(io::Error::from(io::ErrorKind::AlreadyExists))
}

/// Removes a directory if it holds nothing but unedited files from below this URL.
fn remove_own(
    record: &mut DirectoryRecord,
    into: &Path,
    directory: &Path,
    url: &Url,
) -> io::Result<()> {
    let above = format!("{}/", root(url));
    let (mut directories, mut files) = (vec![directory.to_owned()], Vec::new());
    let mut next = 0;
    while let Some(below) = directories.get(next).cloned() {
        next += 1;
        for entry in std::fs::read_dir(into.join(&below))? {
            let entry = entry?;
            let name = below.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                directories.push(name);
                continue;
            }
            let is_from_here = record
                .source(&name)
                .is_some_and(|from| from.starts_with(&above));
            if !is_from_here || !record.is_unedited(&name) {
                return Err(io::Error::from(io::ErrorKind::DirectoryNotEmpty));
            }
            files.push(name);
        }
    }
    for name in files {
        std::fs::remove_file(into.join(&name))?;
        record.forget(&name)?;
    }
    for directory in directories.iter().rev() {
        std::fs::remove_dir(into.join(directory))?;
    }
    Ok(())
}
