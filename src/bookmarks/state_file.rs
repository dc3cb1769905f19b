//! Files of states by URL: one JSON object per line, read whole, and written whole or not at all.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::files::{atomic, regular};

/// Error of reading or writing the file; after a failed write it is unchanged.
#[derive(Debug, thiserror::Error)]
#[error("{sentence}: {source} ({path})", path = path.display())]
pub struct Error {
    sentence: &'static str,
    path: PathBuf,
    source: io::Error,
}

/// Kind of file.
pub(super) struct StateFile {
    /// Beginning of the message if reading fails.
    pub(super) read_error: &'static str,
    /// Beginning of the message if writing fails.
    pub(super) write_error: &'static str,
}

impl StateFile {
    /// Reads the file; a missing file is empty.
    pub(super) fn read(&self, path: &Path) -> Result<Vec<u8>, Error> {
        regular::read_list(path).map_err(error(self.read_error, path))
    }

    /// Replaces the file as it is now by the octets that `edit` returns, and returns the second value of `edit`.
    pub(super) fn change<T>(
        &self,
        path: &Path,
        edit: impl Fn(&[u8]) -> (Vec<u8>, T),
    ) -> Result<T, Error> {
        let write_error = error(self.write_error, path);
        atomic::change(path, write_error, || Ok(edit(&self.read(path)?)))
    }
}

fn error(sentence: &'static str, path: &Path) -> impl Fn(io::Error) -> Error {
    move |source| Error {
        sentence,
        path: path.to_owned(),
        source,
    }
}

/// Parses the lines; damaged ones are ignored.
pub(super) fn parse<L: DeserializeOwned>(octets: &[u8]) -> impl Iterator<Item = L> {
    let lines = octets.split(|&octet| octet == b'\n');
    lines.filter_map(|line| serde_json::from_slice(line).ok())
}

/// Formats the lines.
pub(super) fn format<L: Serialize>(lines: impl Iterator<Item = L>) -> Vec<u8> {
    let mut octets = Vec::new();
    for line in lines {
        // A line holds strings and numbers alone, so serializing cannot fail.
        if serde_json::to_writer(&mut octets, &line).is_ok() {
            octets.push(b'\n');
        }
    }
    octets
}
