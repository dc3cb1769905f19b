//! The check that runs: how far it is, and what has come of it.

use crate::load::LoadId;
use crate::load::check::Verdict;
use crate::text::count;

/// A check that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    /// Which one.
    pub load: LoadId,
    /// How many places are asked in all, and of how many the verdict is here.
    pub total: usize,
    /// The verdicts that are here.
    pub done: usize,
    /// Those of them by which something is gone.
    pub gone: usize,
    /// Those by which something has moved, is refused, or does not answer.
    others: [usize; 3],
}

impl Running {
    /// One that has just begun.
    pub(super) fn new(load: LoadId, total: usize) -> Self {
        Self {
            load,
            total,
            done: 0,
            gone: 0,
            others: [0; 3],
        }
    }

    /// What has come of it, in words: what is gone, and of the rest what there is.
    pub(super) fn summary(&self) -> String {
        let mut words = format!("checked {}, {} gone", count(self.done), count(self.gone));
        for (number, name) in self.others.iter().zip(["moved", "refused", "silent"]) {
            if *number > 0 {
                words = format!("{words}, {} {name}", count(*number));
            }
        }
        words
    }

    /// Counts a verdict.
    pub(super) fn hear(&mut self, verdict: &Verdict) {
        let [moved, refused, silent] = &mut self.others;
        self.done += 1;
        match verdict {
            Verdict::Gone(_) => self.gone += 1,
            Verdict::Moved(_) => *moved += 1,
            Verdict::Refused(_) => *refused += 1,
            Verdict::NoAnswer(_) => *silent += 1,
            Verdict::Alive | Verdict::Unasked(_) => {}
        }
    }
}
