//! End of a partial file: it gets its final name, or stays on disk for a later resume.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use geomys_wire::net::TransferEnd;
use geomys_wire::task::blocking;

use super::partial_file::PartialFile;
use super::state::{self, time};
use super::target::is_beginning;
use super::target::{FinalName, NAMES, Target, name_taken, numbered, take_name};
use super::{Error, SavedFile, ShorterFilePolicy, create};

impl PartialFile {
    /// Gives the complete file its final name and the modification time from the server.
    pub(super) async fn finish(
        mut self,
        modified: Option<&str>,
        end: TransferEnd,
        shorter: ShorterFilePolicy,
    ) -> Result<SavedFile, Error> {
        if end.is_unconfirmed()
            && shorter == ShorterFilePolicy::Leave
            && let Some(path) = self.longer_file().await
        {
            self.discard()?;
            return Err(Error::NotReplaced { path });
        }
        let path = match self.rename(modified).await {
            Ok(path) => path,
            Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {
                // Another process has created the file meanwhile.
                let FinalName::Named(target) = self.target.final_name.clone() else {
                    return Err(self.write_error(source).await);
                };
                let sentence = match self.leave().await {
                    Some(part) => {
                        format!("it exists already; the download is in {}", part.display())
                    }
                    None => "it exists already".to_owned(),
                };
                return Err(create(target.path(), name_taken(&sentence)));
            }
            Err(source) => return Err(self.write_error(source).await),
        };
        if !self.is_direct() && self.state.is_some() && !self.is_state_due {
            state::remove(&self.path);
        }
        self.target.final_name = FinalName::Done;
        Ok(SavedFile {
            path,
            octets: self.position,
            end,
        })
    }

    /// Returns the path of the file that is to be replaced, if it is longer than this one.
    async fn longer_file(&self) -> Option<PathBuf> {
        let FinalName::Named(Target::Replace(path)) = &self.target.final_name else {
            return None;
        };
        let is = tokio::fs::metadata(path).await.ok()?;
        (is.len() > self.position).then(|| path.clone())
    }

    /// Renames the file to its final name.
    async fn rename(&mut self, modified: Option<&str>) -> io::Result<PathBuf> {
        if let Some(syncing) = self.synced.1.take() {
            syncing.await.map_err(io::Error::other)??;
        }
        if !self.is_direct() {
            let (file, position) = (Arc::clone(&self.file), self.position);
            let is_shorter = self.stored > position;
            let modified = modified.and_then(time);
            let whole = blocking(move || {
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
            whole.await?;
        }
        match &self.target.final_name {
            FinalName::Named(Target::New(path) | Target::Skip(path)) => {
                take_name(&self.path, path).await?;
                Ok(path.clone())
            }
            FinalName::Named(Target::Resume(path)) if self.continues(path).await => {
                tokio::fs::rename(&self.path, path).await?;
                Ok(path.clone())
            }
            FinalName::Named(
                Target::Free(path) | Target::Suggested(path) | Target::Resume(path),
            ) => {
                for number in 1..=NAMES {
                    let path = numbered(path, number);
                    match take_name(&self.path, &path).await {
                        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                        taken => return taken.map(|()| path),
                    }
                }
                Err(name_taken("all similar names are taken"))
            }
            FinalName::Named(Target::Replace(path)) => {
                tokio::fs::rename(&self.path, &self.target.path).await?;
                Ok(path.clone())
            }
            FinalName::Direct | FinalName::Done => Ok(self.path.clone()),
        }
    }

    /// Returns true if the complete file begins with the existing file of this path, which loses nothing by it.
    async fn continues(&self, path: &Path) -> bool {
        let (own, path) = (self.path.clone(), path.to_owned());
        let compared = blocking(move || is_beginning(&path, &own)).await;
        matches!(compared, Ok(true))
    }

    /// Converts an error of writing; the result names the partial file only if it holds octets.
    pub(super) async fn write_error(&mut self, source: io::Error) -> Error {
        let path = self.path.clone();
        if self.is_direct() {
            return create(&path, source);
        }
        match tokio::fs::metadata(&path).await {
            Ok(part) if part.len() > 0 && !self.is_state_due => Error::Write { path, source },
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
        if !matches!(self.target.final_name, FinalName::Named(_)) || self.len() == 0 {
            return None;
        }
        let (file, path, octets) = (Arc::clone(&self.file), self.path.clone(), self.len());
        let state = self.state.take();
        self.is_state_due = false;
        // The load has failed already; another error of the disk changes nothing.
        let _ = blocking(move || {
            file.sync_data()?;
            let Some(mut state) = state else {
                return Ok(());
            };
            state.octets = Some(octets);
            state.write(&path)
        })
        .await;
        Some(self.path.clone())
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        let is_partial = matches!(self.target.final_name, FinalName::Named(_));
        if is_partial && (self.submitted == 0 && self.stored == 0 || self.is_state_due) {
            // An empty partial file is removed, and one that nobody could resume.
            let _ = std::fs::remove_file(&self.path);
            if self.state.is_some() {
                state::remove(&self.path);
            }
        }
    }
}
