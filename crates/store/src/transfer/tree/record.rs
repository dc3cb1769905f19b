//! Sources of the files of a walk: read before the walk, and recorded file by file.

use std::io;
use std::path::Path;

use geomys_wire::task::blocking;
use rfc1738::Url;

use super::{RunMode, TreeWalk};
use crate::transfer::download::Error;
use crate::transfer::sources;

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
    fn refusal(&self, error: &sources::Error) -> Option<Error> {
        let path = self.order.into.clone();
        match error {
            sources::Error::Foreign => Some(Error::Foreign { path }),
            sources::Error::Busy => Some(Error::Busy { path }),
            sources::Error::Record { .. } => None,
        }
    }

    /// Opens the record of the local directory, which must exist, except for a dry run.
    pub(super) async fn open_record(&mut self) -> Result<(), Error> {
        let (sources, order) = (self.sources.clone(), self.order.clone());
        let opened = blocking(move || match order.mirror.run {
            RunMode::Real => sources.open(&order.into, &order.request.url, order.merge),
            RunMode::Dry => sources.read(&order.into),
        });
        match opened.await {
            Ok(record) => self.record = Some(record),
            Err(error) => match self.refusal(&error) {
                Some(refusal) => return Err(refusal),
                None => self.not_recorded(&error.to_string()),
            },
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
        let adding = blocking(move || {
            record.add(&name, &url)?;
            Ok::<_, io::Error>(record)
        });
        match adding.await {
            Ok(record) => self.record = Some(record),
            Err(error) => self.not_recorded(&error.to_string()),
        }
    }

    fn not_recorded(&mut self, why: &str) {
        self.note(format!(
            "sources of the files not saved, so the next run fetches them again: {why}"
        ));
    }
}
