//! The progress of one load: a page that arrives, a page that is saved, a file for a viewer.

use std::time::Duration;

use geomys_load::LoadId;

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
    rate: Rate,
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
            rate,
        }
    }

    /// Records the number of octets so far.
    pub(crate) fn record(&mut self, octets: u64, now: Duration) {
        self.octets = octets;
        self.rate.record(now, octets);
    }

    /// Returns the amount, with the rate and the remaining time where they are available.
    pub fn words(&self) -> String {
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
