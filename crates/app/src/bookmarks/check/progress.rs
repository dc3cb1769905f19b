//! The progress of a running job over URLs.

use std::collections::BTreeMap;

use geomys_load::LoadId;
use geomys_wire::text::count;

/// The progress of a running job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkProgress {
    /// The id of the job.
    pub load: LoadId,
    /// The total number to do.
    pub total: usize,
    /// The number that is done.
    pub done: usize,
    /// The numbers that are done by their results.
    counts: BTreeMap<&'static str, usize>,
}

impl BulkProgress {
    /// Creates the progress of a job that has just started.
    pub(crate) fn new(load: LoadId, total: usize) -> Self {
        Self {
            load,
            total,
            done: 0,
            counts: BTreeMap::new(),
        }
    }

    /// Counts a result for so many URLs or bookmarks.
    pub(crate) fn count(&mut self, result: &'static str, number: usize) {
        self.done += number;
        *self.counts.entry(result).or_default() += number;
    }

    /// Returns the number with this result.
    pub fn of(&self, result: &str) -> usize {
        self.counts.get(result).copied().unwrap_or_default()
    }

    /// Returns the progress in words: `3 of 1,000`.
    pub fn words(&self) -> String {
        format!("{} of {}", count(self.done), count(self.total))
    }

    /// Returns the numbers with these results that are not zero, for the end of a summary: `, 1 moved, 2 refused`.
    pub(crate) fn others(&self, results: &[&str]) -> String {
        let numbers = results.iter().map(|result| (self.of(result), result));
        let mut words = String::new();
        for (number, result) in numbers.filter(|(number, _)| *number > 0) {
            words = format!("{words}, {} {result}", count(number));
        }
        words
    }
}
