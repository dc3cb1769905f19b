//! The progress of one load: a page that arrives, a page that is saved, a file for a viewer.

use std::time::Duration;

use geomys_load::LoadId;
use geomys_wire::text;

use super::{Rate, TransferTotal};

/// The progress of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The id of the load.
    pub load: LoadId,
    /// The number of octets so far.
    pub octets: u64,
    /// The full size in octets, if the server sent it.
    pub size: Option<u64>,
    /// Of a check: the number of URLs that were requested, and of those that are known.
    pub(super) urls: Option<(usize, usize)>,
    rate: Rate,
    /// True if the octets are those of an archive, not of what it contains.
    is_packed: bool,
}

impl Progress {
    /// Creates the progress of a load that begins `now`, by the clock of the main loop.
    pub(crate) fn new(load: LoadId, size: Option<u64>, now: Duration) -> Self {
        let mut rate = Rate::default();
        rate.record(now, 0);
        Self {
            load,
            octets: 0,
            size,
            urls: None,
            rate,
            is_packed: false,
        }
    }

    /// Records the number of octets so far.
    pub(crate) fn record(&mut self, octets: u64, now: Duration) {
        self.octets = octets;
        self.rate.record(now, octets);
    }

    /// Adds octets of a page, unless those of its archive are counted.
    pub(crate) fn add(&mut self, octets: u64, now: Duration) {
        if !self.is_packed {
            self.record(self.octets + octets, now);
        }
    }

    /// Records the number of octets of an archive so far.
    pub(crate) fn record_packed(&mut self, octets: u64, size: Option<u64>, now: Duration) {
        (self.is_packed, self.size) = (true, size);
        self.record(octets, now);
    }

    /// Returns the amount, with the rate and the remaining time where they are available.
    pub fn words(&self) -> String {
        if let Some((done, known)) = self.urls {
            return format!("{} of {} URLs", text::count(done), text::count(known));
        }
        let total = TransferTotal {
            count: 1,
            octets: self.octets,
            size: self.size,
            is_at_least: false,
            rate: self.rate.octets_per_second(),
        };
        total.words()
    }
}
