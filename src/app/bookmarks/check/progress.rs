//! The progress of a running link check, and its summary.

use geomys_page::load::LoadId;
use geomys_page::load::check::LinkStatus;
use geomys_wire::text::count;

/// The progress of a running check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkCheckProgress {
    /// The id of the check.
    pub load: LoadId,
    /// The total number of addresses to check.
    pub total: usize,
    /// The number of finished addresses.
    pub done: usize,
    /// The number of dead links.
    pub dead: usize,
    /// The numbers of moved, refused and unreachable links.
    others: [usize; 3],
}

impl LinkCheckProgress {
    /// Creates the progress of a check that has just started.
    pub(crate) fn new(load: LoadId, total: usize) -> Self {
        Self {
            load,
            total,
            done: 0,
            dead: 0,
            others: [0; 3],
        }
    }

    /// Returns the summary in words: the number of dead links, and the other numbers that are not zero.
    pub(crate) fn summary(&self) -> String {
        let mut words = format!("checked {}, {} dead", count(self.done), count(self.dead));
        for (number, name) in self.others.iter().zip(["moved", "refused", "unreachable"]) {
            if *number > 0 {
                words = format!("{words}, {} {name}", count(*number));
            }
        }
        words
    }

    /// Counts the result of one address.
    pub(crate) fn count_status(&mut self, verdict: &LinkStatus) {
        let [moved, refused, silent] = &mut self.others;
        self.done += 1;
        match verdict {
            LinkStatus::Dead(_) => self.dead += 1,
            LinkStatus::Moved(_) => *moved += 1,
            LinkStatus::Refused(_) => *refused += 1,
            LinkStatus::Unreachable(_) => *silent += 1,
            LinkStatus::Alive | LinkStatus::NotChecked(_) => {}
        }
    }
}
