//! End of a partial file: it gets its final name, or stays on disk for a later resume.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::SystemTime;
use std::{fs, io};

use geomys_wire::net::TransferEnd;
use geomys_wire::task::blocking;

use super::final_name::{CompleteFile, name_taken};
use super::partial_file::PartialFile;
use super::state::{self, State, WholeFileId, time};
use super::target::{FinalName, ResolvedTarget};
use super::{Error, KeepPolicy, SavedFile, Version, create};
use crate::transfer::records::RecordEntry;

impl PartialFile {
    /// Gives the complete file its final name and the modification time from the server, after it has been recorded.
    pub(super) async fn finish(
        mut self,
        modified: Option<&str>,
        end: TransferEnd,
        (keep, entry): (KeepPolicy, Option<&RecordEntry>),
    ) -> Result<SavedFile, Error> {
        if end.may_be_cut() || self.position == 0 {
            let (target, length) = (self.target.clone(), self.position);
            let kept = blocking(move || target.kept_file(keep, end, length));
            if let Some((path, why)) = kept.await {
                self.discard()?;
                return Err(Error::NotReplaced { path, why });
            }
        }
        let path = match self.complete(modified, end, entry).await {
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
        if !self.is_direct() && self.state.is_some() {
            state::remove(&self.path);
        }
        self.target.final_name = FinalName::Done;
        Ok(SavedFile {
            path,
            octets: self.position,
            end,
            media_type: None,
            version: Version::default(),
        })
    }

    /// Syncs the file, and renames it to its final name.
    async fn complete(
        &mut self,
        modified: Option<&str>,
        end: TransferEnd,
        entry: Option<&RecordEntry>,
    ) -> io::Result<PathBuf> {
        if let Some(syncing) = self.synced.1.take() {
            syncing.await.map_err(io::Error::other)??;
        }
        let completion = self.completion(modified, end, entry);
        blocking(move || completion.run()).await
    }

    /// Returns the last step of the file.
    fn completion(
        &self,
        modified: Option<&str>,
        end: TransferEnd,
        entry: Option<&RecordEntry>,
    ) -> Completion {
        Completion {
            state: self.state.clone(),
            is_unconfirmed: end.is_unconfirmed(),
            file: Arc::clone(&self.file),
            path: self.path.clone(),
            target: self.target.clone(),
            entry: entry.cloned(),
            length: Some(self.position).filter(|&position| self.stored > position),
            modified: modified.and_then(time),
            owner: Arc::downgrade(&self.owner),
        }
    }

    /// Converts an error of writing; the result names the partial file only if it holds octets.
    pub(super) async fn write_error(&mut self, source: io::Error) -> Error {
        let path = self.path.clone();
        if self.is_direct() {
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

    /// Leaves the partial file for a later resume: syncs it and writes its length to the state. Returns its path, or
    /// `None` if the file is empty.
    pub(super) async fn leave(mut self) -> Option<PathBuf> {
        if !matches!(self.target.final_name, FinalName::Named(_)) || self.len() == 0 {
            return None;
        }
        let (file, path, octets) = (Arc::clone(&self.file), self.path.clone(), self.len());
        let state = self.state.take();
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

/// Last step of a complete file, in one blocking task.
struct Completion {
    file: Arc<File>,
    /// Path of the partial file.
    path: PathBuf,
    target: ResolvedTarget,
    /// State of the partial file, if it has one.
    state: Option<State>,
    /// True if the server did not confirm the end.
    is_unconfirmed: bool,
    entry: Option<RecordEntry>,
    /// Length of the complete file, if the partial file has more octets.
    length: Option<u64>,
    modified: Option<SystemTime>,
    owner: Weak<()>,
}

impl Completion {
    /// Syncs the file, records and renames it, unless the download was cancelled meanwhile. Returns the final path.
    /// Blocks.
    fn run(self) -> io::Result<PathBuf> {
        if matches!(self.target.final_name, FinalName::Direct) {
            // A pipe or a device may have nothing to sync.
            return Ok(self.path);
        }
        if let Some(length) = self.length {
            self.file.set_len(length)?;
        }
        if let Some(modified) = self.modified {
            // A file system without modification times still has the octets.
            let _ = self.file.set_modified(modified);
        }
        self.file.sync_all()?;
        if self.owner.strong_count() == 0 {
            return Err(io::Error::from(io::ErrorKind::Interrupted));
        }
        if let Some(mut state) = self.state {
            state.whole = Some(WholeFileId::of(&self.file, self.is_unconfirmed)?);
            state.write(&self.path)?;
        }
        CompleteFile::Part(&self.path, &self.file)
            .take_final_name(&self.target, self.entry.as_ref())
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        let is_partial = matches!(self.target.final_name, FinalName::Named(_));
        if is_partial && self.submitted == 0 && self.stored == 0 {
            // An empty partial file is removed.
            let _ = fs::remove_file(&self.path);
            if self.state.is_some() {
                state::remove(&self.path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use geomys_load::Version;

    use super::super::target::Target;
    use super::*;

    #[tokio::test]
    async fn file_of_cancelled_download_gets_no_final_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        for is_cancelled in [false, true] {
            let target = Target::New(path(&format!("{is_cancelled}")));
            let url = Some("ftp://h.example/a");
            let mut file = PartialFile::create(&target, url).await.unwrap();
            file.begin(0, Version::default()).await.unwrap();
            file.write(vec![b"01".to_vec()]).await.unwrap();
            let completion = file.completion(None, TransferEnd::Confirmed, None);
            if is_cancelled {
                drop(file);
                let error = completion.run().unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::Interrupted);
                assert!(!target.path().exists());
                assert_eq!(fs::read(path("true.part")).unwrap(), b"01");
            } else {
                assert_eq!(completion.run().unwrap(), target.path());
                assert_eq!(fs::read(target.path()).unwrap(), b"01");
            }
        }
    }
}
