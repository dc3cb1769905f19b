//! Sources of the files of a walk: read before the walk, and recorded file by file.

use std::io;
use std::path::Path;

use super::{TreeProgress, TreeWalk};
use crate::transfer::download::Error;
use crate::transfer::sources;
use crate::url::Url;

impl<F: FnMut(&TreeProgress)> TreeWalk<'_, F> {
    /// Refuses a directory that holds files from other sources, before the server is contacted.
    pub(super) async fn check(&self) -> Result<(), Error> {
        let (sources, order) = (self.sources.clone(), self.order.clone());
        let checked = tokio::task::spawn_blocking(move || {
            sources.check(&order.into, &order.request.url, order.merge)
        });
        match checked.await {
            Ok(Err(sources::Error::Foreign)) => Err(self.foreign()),
            Ok(Ok(()) | Err(sources::Error::Busy | sources::Error::Record { .. })) | Err(_) => {
                Ok(())
            }
        }
    }

    fn foreign(&self) -> Error {
        let path = self.order.into.clone();
        Error::Foreign { path }
    }

    /// Opens the record of the local directory, which must exist.
    pub(super) async fn open_record(&mut self) -> Result<(), Error> {
        let (sources, order) = (self.sources.clone(), self.order.clone());
        let opened = tokio::task::spawn_blocking(move || {
            sources.open(&order.into, &order.request.url, order.merge)
        });
        match opened.await {
            Ok(Ok(record)) => self.record = Some(record),
            Ok(Err(sources::Error::Foreign)) => return Err(self.foreign()),
            Ok(Err(sources::Error::Busy)) => {
                let path = self.order.into.clone();
                return Err(Error::Busy { path });
            }
            Ok(Err(error @ sources::Error::Record { .. })) => self.not_recorded(&error.to_string()),
            Err(error) => self.not_recorded(&error.to_string()),
        }
        Ok(())
    }

    /// Records the source of a file.
    pub(super) async fn record(&mut self, path: &Path, url: Url) {
        let Ok(name) = path.strip_prefix(&self.order.into).map(Path::to_owned) else {
            return;
        };
        let Some(mut record) = self.record.take() else {
            return;
        };
        let adding = tokio::task::spawn_blocking(move || {
            record.add(&name, &url)?;
            Ok::<_, io::Error>(record)
        });
        match adding
            .await
            .unwrap_or_else(|error| Err(io::Error::other(error)))
        {
            Ok(record) => self.record = Some(record),
            Err(error) => self.not_recorded(&error.to_string()),
        }
    }

    fn not_recorded(&mut self, why: &str) {
        self.note(format!(
            "where the files came from is not written down, so that the next run fetches them again: {why}"
        ));
    }
}
