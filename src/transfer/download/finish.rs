//! End of a partial file: it gets its final name, or stays on disk for a later resume.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::partial_file::PartialFile;
use super::state::{self, State, time};
use super::target::{FinalName, NAMES, create, name_taken, numbered, take_name};
use super::{Error, SavedFile};

impl PartialFile {
    /// Gives the complete file its final name and the modification time from the server.
    pub(super) async fn finish(mut self, modified: Option<&str>) -> Result<SavedFile, Error> {
        let path = match self.rename(modified).await {
            Ok(path) => path,
            Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {
                // Another process has created the file meanwhile.
                let (FinalName::New(path) | FinalName::Free(path)) = self.final_name.clone() else {
                    return Err(self.write_error(source).await);
                };
                let sentence = match self.leave().await {
                    Some(part) => format!("it exists already; what came is in {}", part.display()),
                    None => "it exists already".to_owned(),
                };
                return Err(create(&path, name_taken(&sentence)));
            }
            Err(source) => return Err(self.write_error(source).await),
        };
        if !matches!(self.final_name, FinalName::Direct) && self.state.is_some() {
            state::remove(&self.path);
        }
        self.final_name = FinalName::Done;
        Ok(SavedFile {
            path,
            octets: self.position,
        })
    }

    /// Renames the file to its final name.
    async fn rename(&mut self, modified: Option<&str>) -> io::Result<PathBuf> {
        if let Some(syncing) = self.synced.1.take() {
            syncing.await.map_err(io::Error::other)??;
        }
        if !matches!(self.final_name, FinalName::Direct) {
            let (file, position) = (Arc::clone(&self.file), self.position);
            let is_shorter = self.stored > position;
            let modified = modified.and_then(time);
            let whole = tokio::task::spawn_blocking(move || {
                if is_shorter {
                    file.set_len(position)?;
                }
                if let Some(modified) = modified {
                    // A file system without modification times still has the octets.
                    let _ = file.set_modified(modified);
                }
                // A pipe or a device may have nothing to sync.
                file.sync_all()
            });
            whole.await.map_err(io::Error::other)??;
        }
        match &self.final_name {
            FinalName::New(path) => {
                take_name(&self.path, path).await?;
                Ok(path.clone())
            }
            FinalName::Free(path) => {
                for number in 1..=NAMES {
                    let path = numbered(path, number);
                    match take_name(&self.path, &path).await {
                        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                        taken => return taken.map(|()| path),
                    }
                }
                Err(name_taken("all names like it are taken"))
            }
            FinalName::Replace { path, resolved } => {
                tokio::fs::rename(&self.path, resolved).await?;
                Ok(path.clone())
            }
            FinalName::Direct | FinalName::Done => Ok(self.path.clone()),
        }
    }

    /// Converts an error of writing; the result names the partial file only if it holds octets.
    pub(super) async fn write_error(&mut self, source: io::Error) -> Error {
        let path = self.path.clone();
        if matches!(self.final_name, FinalName::Direct) {
            return create(&path, source);
        }
        match tokio::fs::metadata(&path).await {
            Ok(part) if part.len() > 0 => Error::Write { path, source },
            Ok(_) | Err(_) => {
                self.submitted = 0;
                self.stored = 0;
                create(&path, source)
            }
        }
    }

    /// Leaves the partial file for a later resume: syncs it and writes its length to the state. Returns its path, or `None` if
    /// the file is empty.
    pub(super) async fn leave(mut self) -> Option<PathBuf> {
        if matches!(self.final_name, FinalName::Direct | FinalName::Done) || self.len() == 0 {
            return None;
        }
        let (file, path, octets) = (Arc::clone(&self.file), self.path.clone(), self.len());
        let state = self.state.take();
        // The load has failed already; another error of the disk changes nothing.
        let _ = tokio::task::spawn_blocking(move || {
            file.sync_data()?;
            let Some(state) = state else { return Ok(()) };
            State {
                octets: Some(octets),
                ..state
            }
            .write(&path)
        })
        .await;
        Some(self.path.clone())
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        match self.final_name {
            FinalName::New(_) | FinalName::Free(_) | FinalName::Replace { .. }
                if self.submitted == 0 && self.stored == 0 =>
            {
                // An empty partial file is removed.
                let _ = std::fs::remove_file(&self.path);
                if self.state.is_some() {
                    state::remove(&self.path);
                }
            }
            FinalName::New(_)
            | FinalName::Free(_)
            | FinalName::Replace { .. }
            | FinalName::Direct
            | FinalName::Done => {}
        }
    }
}
