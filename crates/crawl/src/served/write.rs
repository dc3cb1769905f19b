//! Files of a copy: written in place of the former ones, with their record.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rfc1738::Url;

use super::CopySummary;
use super::gophermap::{ChangedRows, OwnServer, gophermap};
use crate::names::link_below;
use crate::tree::delete;
use geomys_store::files::regular;
use geomys_store::transfer::records::{DirectoryRecord, DirectoryRecords, Error, MergePolicy};

/// Mode of the files of a copy: a server may run an executable one.
const FILE_MODE: u32 = 0o644;

/// Mode of its directories: servers refuse those that everybody may write to, or not everybody may read.
const DIRECTORY_MODE: u32 = 0o755;

/// Name of a file that is being written; no server sends it.
const TEMPORARY: &str = ".geomys-new";

/// Maximum size of a menu.
const MAX_MENU_BYTES: u64 = 128 * 1024 * 1024;

/// Contents of a file of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    /// Those of a file of the mirror.
    Copy(PathBuf),
    /// The gophermap of a menu of the mirror.
    Menu(PathBuf),
    /// These octets.
    Octets(Vec<u8>),
}

impl Contents {
    /// Returns true for the contents of another file, if both are of the mirror. Blocks.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Copy(one), Self::Copy(other)) | (Self::Menu(one), Self::Menu(other)) => {
                let read = |path: &Path| regular::read(path, regular::BY_HAND).ok();
                read(one).is_some_and(|one| read(other) == Some(one))
            }
            (_, _) => false,
        }
    }
}

/// A copy that is being written.
pub(super) struct CopyWriter {
    record: DirectoryRecord,
    /// The directory of the mirror, from which its files come.
    source: Url,
    /// Its directory, with symbolic links resolved.
    root: PathBuf,
}

impl CopyWriter {
    /// Creates the directory of a copy, unless it is there, and opens its record. Blocks.
    ///
    /// # Errors
    /// Any [`Error`].
    pub(super) fn open(
        records: &DirectoryRecords,
        mirror: &Path,
        into: &Path,
    ) -> Result<Self, Error> {
        let failed = |source| Error::Record {
            path: into.to_owned(),
            source,
        };
        let source = Url::local_file(mirror.as_os_str().as_encoded_bytes());
        let source = source.map_err(|error| failed(io::Error::other(error)))?;
        create_directory(into).map_err(failed)?;
        let record = records.open(into, &source, MergePolicy::Ask)?;
        let root = record.directory().to_owned();
        Ok(Self {
            record,
            source,
            root,
        })
    }

    /// Returns the directory.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Removes the files of earlier copies that are no part of this one, and writes what has changed. Blocks.
    ///
    /// # Errors
    /// [`Error::Record`] of the first file that cannot be written.
    pub(super) fn write(
        &mut self,
        files: &BTreeMap<PathBuf, Contents>,
        top: &Url,
        summary: &mut CopySummary,
    ) -> Result<(), Error> {
        let gone: Vec<PathBuf> = self
            .record
            .files()
            .map(|(name, _)| name.to_owned())
            .filter(|name| !files.contains_key(name) && self.record.is_unedited(name))
            .collect();
        let own = OwnServer::of(top);
        let mut changed = ChangedRows::default();
        for name in gone {
            let removed = delete(&self.root, &name).and_then(|_| self.record.forget(&name));
            removed.map_err(|source| self.failed(&name, source))?;
        }
        for (name, contents) in files {
            let written = self.write_file(name, contents, own.as_ref(), &mut changed);
            match written.map_err(|source| self.failed(name, source))? {
                FileState::Written => summary.written += 1,
                FileState::Same => {}
                FileState::Edited => {
                    let path = self.root.join(name);
                    summary.note(format!("{} was edited here: it stays", path.display()));
                }
                FileState::Link(link) => {
                    let (path, link) = (self.root.join(name), link.display());
                    summary.skipped += 1;
                    summary.note(format!(
                        "{} skipped: {link} is a symbolic link",
                        path.display()
                    ));
                }
            }
        }
        (summary.texts, summary.fields) = (changed.texts, changed.fields);
        self.record
            .sync()
            .map_err(|source| self.failed(Path::new(""), source))?;
        match self.record.take_failure() {
            Some(source) => Err(self.failed(Path::new(""), source)),
            None => Ok(()),
        }
    }

    fn failed(&self, name: &Path, source: io::Error) -> Error {
        Error::Record {
            path: self.root.join(name),
            source,
        }
    }

    fn write_file(
        &mut self,
        name: &Path,
        contents: &Contents,
        own: Option<&OwnServer>,
        changed: &mut ChangedRows,
    ) -> io::Result<FileState> {
        let path = self.root.join(name);
        if let Some(link) = link_below(&self.root, &path) {
            return Ok(FileState::Link(link));
        }
        let octets = match (contents, own) {
            (Contents::Octets(octets), _) => Some(octets.clone()),
            (Contents::Menu(file), Some(own)) => Some(gophermap(
                &regular::read(file, MAX_MENU_BYTES)?,
                own,
                changed,
            )),
            (Contents::Menu(_), None) | (Contents::Copy(_), _) => None,
        };
        let source = match contents {
            Contents::Copy(file) | Contents::Menu(file) => Some(fs::metadata(file)?),
            Contents::Octets(_) => None,
        };
        let modified = source.as_ref().map(fs::Metadata::modified).transpose()?;
        if let Ok(is) = fs::symlink_metadata(&path) {
            if !self.record.is_unedited(name) {
                return Ok(FileState::Edited);
            }
            let is_same = match &octets {
                Some(octets) => regular::read(&path, MAX_MENU_BYTES).is_ok_and(|is| is == *octets),
                None => {
                    source.is_some_and(|source| source.len() == is.len())
                        && modified == is.modified().ok()
                }
            };
            if is_same {
                return Ok(FileState::Same);
            }
        }
        if let Some(above) = path.parent() {
            create_directory(above)?;
        }
        let temporary = self.root.join(TEMPORARY);
        match fs::remove_file(&temporary) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true).mode(FILE_MODE);
        let mut file = options.open(&temporary)?;
        match (&octets, contents) {
            (Some(octets), _) => file.write_all(octets)?,
            (None, Contents::Copy(from) | Contents::Menu(from)) => {
                io::copy(&mut regular::open(from)?, &mut file)?;
            }
            (None, Contents::Octets(_)) => {}
        }
        // Whatever the mask of the process is.
        file.set_permissions(Permissions::from_mode(FILE_MODE))?;
        if let Some(modified) = modified {
            // A file system without modification times still has the octets.
            let _ = file.set_modified(modified);
        }
        let source = self.source.clone();
        self.record.add_file(name, &source, &file);
        fs::rename(&temporary, &path)?;
        Ok(FileState::Written)
    }
}

/// What became of a file.
enum FileState {
    /// It was written.
    Written,
    /// It is as it should be.
    Same,
    /// It was edited here, or is not of an earlier copy.
    Edited,
    /// This symbolic link is on the way to it, or in its place.
    Link(PathBuf),
}

/// Creates a directory that everybody may read, and those above it, unless they are there.
fn create_directory(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
        create_directory(above)?;
    }
    DirBuilder::new().mode(DIRECTORY_MODE).create(path)?;
    fs::set_permissions(path, Permissions::from_mode(DIRECTORY_MODE))
}
