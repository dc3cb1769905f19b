//! Lines of the files of states by URL: one JSON object per line.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::checks::UrlKey;
use crate::files::age::{AgeClock, RemovedCopy};
use crate::files::atomic;

/// Retention time of a URL that is neither listed nor fetched any more.
const MEMORY: SignedDuration = SignedDuration::from_hours(365 * 24);

/// A file that is about to be replaced: its path, its present octets, and the clock as its entries judge it.
pub(super) struct StateFile<'a> {
    pub(super) path: &'a Path,
    pub(super) octets: &'a [u8],
    pub(super) now: Timestamp,
    pub(super) clock: AgeClock,
}

impl StateFile<'_> {
    /// Removes the states whose time is a year ago; of more than half of them a copy is stored for a week.
    pub(super) fn forget<S>(
        &self,
        states: &mut BTreeMap<UrlKey, S>,
        time: impl Fn(&S) -> Timestamp,
    ) -> io::Result<()> {
        let copy = RemovedCopy::beside(self.path);
        copy.sweep(&self.clock)?;
        let Some(oldest) = self.clock.oldest(MEMORY) else {
            return Ok(());
        };
        let old = states.values().filter(|state| time(state) <= oldest);
        let write = |to: &Path| atomic::replace(to, self.octets, &|_| {});
        if copy.admits(old.count(), states.len(), self.now, write)? {
            states.retain(|_, state| time(state) > oldest);
        }
        Ok(())
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
