//! Octets that a run may fetch: the pages in flight count, so that a run never fetches much more than its size.
//!
//! The sources are asked in stages, and each stage has a share of what is left, so that no source takes all of it in
//! every run. Where a share is used up, the pages in flight are stopped. If no page of the stage has come whole by
//! then, the first of them goes on to its end: else two large pages would stop each other in every run.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Octets of a run.
#[derive(Debug)]
pub(super) struct Budget {
    /// Maximum number of octets of the run.
    size: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    came: u64,
    /// The octets of the run after which the pages of this stage are stopped.
    limit: u64,
    /// True if a page of this stage has come whole.
    has_page: bool,
    /// True if a page was left because nothing remained.
    has_left: bool,
    /// The pages in flight, in the order of their beginning.
    open: BTreeSet<u64>,
    next: u64,
    /// The only page in flight that goes on.
    survivor: Option<u64>,
}

impl Budget {
    pub(super) fn new(size: u64) -> Self {
        let state = State {
            limit: size,
            ..State::default()
        };
        Self {
            size,
            state: Mutex::new(state),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a stage, before so many others.
    pub(super) fn begin_stage(&self, others: u64) {
        let mut state = self.state();
        let left = self.size.saturating_sub(state.came);
        state.limit = state.came + left / (others + 1);
        (state.has_page, state.survivor) = (false, None);
    }

    /// Returns true if no page may begin in this stage.
    pub(super) fn is_full(&self) -> bool {
        let state = self.state();
        state.came >= state.limit
    }

    /// Returns true if a page was left because nothing remained.
    pub(super) fn has_left(&self) -> bool {
        self.state().has_left
    }

    /// Returns the octets that came.
    pub(super) fn came(&self) -> u64 {
        self.state().came
    }

    /// Begins a page; `None` if nothing remains for it.
    pub(super) fn begin(&self) -> Option<Share<'_>> {
        let mut state = self.state();
        if state.came >= state.limit {
            state.has_left = true;
            return None;
        }
        let number = state.next;
        state.next += 1;
        state.open.insert(number);
        Some(Share {
            budget: self,
            number,
        })
    }
}

/// A page in flight.
#[derive(Debug)]
pub(super) struct Share<'b> {
    budget: &'b Budget,
    number: u64,
}

impl Share<'_> {
    /// Returns false for a page whose size, as its server says it, does not fit any more.
    pub(super) fn fits(&self, size: Option<u64>) -> bool {
        let mut state = self.budget.state();
        let fits = !state.has_page || state.came + size.unwrap_or(0) <= state.limit;
        state.has_left |= !fits;
        fits
    }

    /// Counts octets that came. Returns false if no more may come.
    pub(super) fn take(&self, octets: usize) -> bool {
        let mut state = self.budget.state();
        state.came += octets as u64;
        if state.came <= state.limit {
            return true;
        }
        if !state.has_page && state.survivor.is_none() {
            state.survivor = state.open.first().copied();
        }
        let goes_on = state.survivor == Some(self.number);
        state.has_left |= !goes_on;
        goes_on
    }

    /// Notes that the page has come whole.
    pub(super) fn finish(self) {
        self.budget.state().has_page = true;
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.budget.state().open.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_in_flight_count_and_one_of_them_comes_whole() {
        let budget = Budget::new(100);
        let (one, two) = (budget.begin().unwrap(), budget.begin().unwrap());
        assert!(one.take(50) && two.take(50));
        assert!(budget.begin().is_none(), "nothing remains");
        assert!(!two.take(10) && one.take(10), "the first one goes on");
        one.finish();
        assert!(budget.has_left() && budget.is_full());
        assert!(!two.take(1));
        assert_eq!(budget.came(), 121);
    }

    #[test]
    fn each_stage_has_a_share_and_a_page_must_fit() {
        let budget = Budget::new(100);
        budget.begin_stage(1);
        let page = budget.begin().unwrap();
        assert!(page.take(40));
        page.finish();
        assert!(!budget.begin().unwrap().fits(Some(11)));
        assert!(budget.begin().unwrap().fits(Some(10)));
        budget.begin_stage(0);
        assert!(budget.begin().unwrap().take(60));
        assert!(budget.is_full());
    }
}
