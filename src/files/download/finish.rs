//! How a part ends: it gets its name, or is left to be resumed.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::part::PartFile;
use super::state::{self, State, time};
use super::target::{End, NAMES, create, numbered, take_name, taken};
use super::{Error, Saved};

impl PartFile {
    /// The file is whole: it gets its name, and the time that the server has it from.
    pub(super) async fn finish(mut self, modified: Option<&str>) -> Result<Saved, Error> {
        let path = match self.place(modified).await {
            Ok(path) => path,
            Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {
                // Somebody has made it meanwhile.
                let (End::New(path) | End::Free(path)) = self.end.clone() else {
                    return Err(self.broken(source).await);
                };
                let sentence = match self.left().await {
                    Some(part) => format!("it exists already; what came is in {}", part.display()),
                    None => "it exists already".to_owned(),
                };
                return Err(create(&path, taken(&sentence)));
            }
            Err(source) => return Err(self.broken(source).await),
        };
        if !matches!(self.end, End::Straight) && self.state.is_some() {
            state::remove(&self.path);
        }
        self.end = End::Over;
        Ok(Saved {
            path,
            octets: self.at,
        })
    }

    /// Gives the file its name.
    async fn place(&mut self, modified: Option<&str>) -> io::Result<PathBuf> {
        if let Some(keeping) = self.kept.1.take() {
            keeping.await.map_err(io::Error::other)??;
        }
        if !matches!(self.end, End::Straight) {
            let (file, at) = (Arc::clone(&self.file), self.at);
            let is_shorter = self.known > at;
            let modified = modified.and_then(time);
            let whole = tokio::task::spawn_blocking(move || {
                if is_shorter {
                    file.set_len(at)?;
                }
                if let Some(modified) = modified {
                    // A file system that keeps no times keeps the octets.
                    let _ = file.set_modified(modified);
                }
                // A pipe or a device may have nothing to sync.
                file.sync_all()
            });
            whole.await.map_err(io::Error::other)??;
        }
        match &self.end {
            End::New(path) => {
                take_name(&self.path, path).await?;
                Ok(path.clone())
            }
            End::Free(path) => {
                for number in 1..=NAMES {
                    let path = numbered(path, number);
                    match take_name(&self.path, &path).await {
                        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                        taken => return taken.map(|()| path),
                    }
                }
                Err(taken("all names like it are taken"))
            }
            End::Replace { path, place } => {
                tokio::fs::rename(&self.path, place).await?;
                Ok(path.clone())
            }
            End::Straight | End::Over => Ok(self.path.clone()),
        }
    }

    /// An error of the disk; it names the part only when there is something in it.
    pub(super) async fn broken(&mut self, source: io::Error) -> Error {
        let path = self.path.clone();
        if matches!(self.end, End::Straight) {
            return create(&path, source);
        }
        match tokio::fs::metadata(&path).await {
            Ok(part) if part.len() > 0 => Error::Write { path, source },
            Ok(_) | Err(_) => {
                self.given = 0;
                self.known = 0;
                create(&path, source)
            }
        }
    }

    /// Where what came is left, if anything is: the disk has it, and the state says how much of it.
    pub(super) async fn left(mut self) -> Option<PathBuf> {
        if matches!(self.end, End::Straight | End::Over) || self.here() == 0 {
            return None;
        }
        let (file, path, octets) = (Arc::clone(&self.file), self.path.clone(), self.here());
        let state = self.state.take();
        // The load has failed already; a disk that fails now, too, changes nothing.
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

impl Drop for PartFile {
    fn drop(&mut self) {
        match self.end {
            End::New(_) | End::Free(_) | End::Replace { .. }
                if self.given == 0 && self.known == 0 =>
            {
                // Nothing is left of nothing.
                let _ = std::fs::remove_file(&self.path);
                if self.state.is_some() {
                    state::remove(&self.path);
                }
            }
            End::New(_) | End::Free(_) | End::Replace { .. } | End::Straight | End::Over => {}
        }
    }
}
