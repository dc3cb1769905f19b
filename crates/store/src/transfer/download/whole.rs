//! A file whose octets have all come before any is written: it is written, synced, recorded and named in one blocking
//! task, as a change of threads costs more than a small file. Before its name it has none, so that a process killed
//! meanwhile leaves nothing.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Weak};

use geomys_wire::net::TransferEnd;
use geomys_wire::task::blocking;

use super::final_name::{CompleteFile, create_nameless, link_as_part, name_taken};
use super::partial_file::length;
use super::state::{self, State, time};
use super::target::{FinalName, Target, partial_path};
use super::{Error, KeepPolicy, SavedFile, Version, create};
use crate::transfer::records::RecordEntry;

/// File with all its octets in memory.
pub(super) struct WholeFile {
    pub(super) target: Target,
    pub(super) blocks: Vec<Vec<u8>>,
    pub(super) modified: Option<String>,
    pub(super) end: TransferEnd,
    pub(super) keep: KeepPolicy,
    pub(super) entry: Option<RecordEntry>,
    /// True if no partial file, and no state of one, was there when the directory was read.
    pub(super) is_new: bool,
    /// State of the partial file that is left if the name is taken meanwhile.
    pub(super) state: State,
}

impl WholeFile {
    /// Saves the file. Returns its blocks if it needs a partial file.
    ///
    /// # Errors
    /// Any [`Error`]. A file whose future is dropped meanwhile gets no name.
    pub(super) async fn save(self) -> Result<Result<SavedFile, Vec<Vec<u8>>>, Error> {
        let owner = Arc::new(());
        let is_wanted = Arc::downgrade(&owner);
        let saved = blocking(move || match self.write(&is_wanted) {
            Ok(Some(saved)) => Ok(Ok(saved)),
            Ok(None) => Ok(Err(self.blocks)),
            Err(error) => Err(error),
        })
        .await;
        drop(owner);
        saved
    }

    fn write(&self, is_wanted: &Weak<()>) -> Result<Option<SavedFile>, Error> {
        let target = self.target.resolve()?;
        if matches!(target.final_name, FinalName::Direct) {
            return Ok(None);
        }
        let octets = length(&self.blocks);
        if let Some((path, why)) = target.kept_file(self.keep, self.end, octets) {
            return Err(Error::NotReplaced { path, why });
        }
        let Some(mut file) = create_nameless(&target.path) else {
            return Ok(None);
        };
        let mut complete = || {
            if let Some(permissions) = &target.permissions {
                // Set before the first octet is written: a private file stays private while it is replaced.
                file.set_permissions(permissions.clone())?;
            }
            for block in &self.blocks {
                file.write_all(block)?;
            }
            if let Some(modified) = self.modified.as_deref().and_then(time) {
                // A file system without modification times still has the octets.
                let _ = file.set_modified(modified);
            }
            file.sync_all()?;
            if is_wanted.strong_count() == 0 {
                return Err(io::Error::from(io::ErrorKind::Interrupted));
            }
            CompleteFile::Nameless(&file).take_final_name(&target, self.entry.as_ref())
        };
        let path = match complete() {
            Ok(path) => path,
            Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {
                return Err(self.leave(&file, &target.path));
            }
            Err(source) => return Err(create(&target.path, source)),
        };
        if !self.is_new {
            state::remove_stale(&partial_path(&target.path));
        }
        let end = self.end;
        Ok(Some(SavedFile {
            path,
            octets,
            end,
            media_type: None,
            version: Version::default(),
        }))
    }

    /// Leaves the octets in a partial file: another process has created the file meanwhile.
    fn leave(&self, file: &File, path: &Path) -> Error {
        let left = link_as_part(file, path).and_then(|part| {
            self.state.write(&part)?;
            Ok(part)
        });
        let sentence = left.map_or("it exists already".to_owned(), |part| {
            format!("it exists already; the download is in {}", part.display())
        });
        create(path, name_taken(&sentence))
    }
}
