//! Which runs of lines are folded, and where that leaves the others.

use super::fold::{Run, Sort};

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// This line.
    Line(usize),
    /// All lines of this run.
    Folded(Run),
}

/// Runs that are folded to a row each, none of which touches another: in their order, and each with the lines that those
/// before it hide, so that a row is found among any number of them at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Folded {
    runs: Vec<(Run, usize)>,
}

impl Folded {
    /// These runs, in any order.
    pub(super) fn new(runs: impl IntoIterator<Item = Run>) -> Self {
        let mut runs: Vec<Run> = runs.into_iter().collect();
        runs.sort_unstable_by_key(|run| run.first);
        let mut hidden = 0;
        let runs = runs.into_iter().map(|run| {
            let before = hidden;
            hidden += run.lines - 1;
            (run, before)
        });
        Self {
            runs: runs.collect(),
        }
    }

    /// The runs, in their order.
    pub(super) fn runs(&self) -> impl Iterator<Item = Run> + '_ {
        self.runs.iter().map(|(run, _)| *run)
    }

    /// Whether a run of this sort is among them.
    pub(super) fn has(&self, sort: Sort) -> bool {
        self.runs().any(|run| run.sort == sort)
    }

    /// Lines that have no row.
    pub(super) fn hidden(&self) -> usize {
        let last = self.runs.last();
        last.map_or(0, |(run, before)| before + run.lines - 1)
    }

    /// The run that hides a line.
    pub(super) fn holding(&self, line: usize) -> Option<Run> {
        let after = self.runs.partition_point(|(run, _)| run.first <= line);
        let (run, _) = self.runs.get(after.checked_sub(1)?)?;
        run.holds(line).then_some(*run)
    }

    /// What a row is.
    pub(super) fn place(&self, row: usize) -> Place {
        let is_before = |(run, hidden): &(Run, usize)| run.first - hidden <= row;
        let after = self.runs.partition_point(is_before);
        let last = after.checked_sub(1).and_then(|at| self.runs.get(at));
        match last {
            Some((run, hidden)) if run.first - hidden == row => Place::Folded(*run),
            Some((run, hidden)) => Place::Line(row + hidden + run.lines - 1),
            None => Place::Line(row),
        }
    }

    /// The row of a line, or of the run that hides it.
    pub(super) fn row_of(&self, line: usize) -> usize {
        let after = self.runs.partition_point(|(run, _)| run.first < line);
        let last = after.checked_sub(1).and_then(|at| self.runs.get(at));
        let hidden = last.map_or(0, |(run, before)| {
            before + (run.lines - 1).min(line - run.first)
        });
        line - hidden
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_line_has_its_row(sizes in prop::collection::vec((0_usize..5, 1_usize..9), 0..6)) {
            let mut at = 0;
            let mut runs = Vec::new();
            for (gap, lines) in sizes {
                at += gap;
                runs.push(Run { sort: Sort::Quotation, first: at, lines });
                at += lines;
            }
            let folded = Folded::new(runs.iter().copied().rev());
            prop_assert_eq!(folded.runs().collect::<Vec<_>>(), runs);
            let mut seen = 0;
            for row in 0..at + 3 - folded.hidden() {
                let line = match folded.place(row) {
                    Place::Line(line) => {
                        prop_assert_eq!(line, seen);
                        prop_assert_eq!(folded.holding(line), None);
                        seen += 1;
                        line
                    }
                    Place::Folded(run) => {
                        prop_assert_eq!(run.first, seen);
                        seen += run.lines;
                        prop_assert_eq!(folded.row_of(run.first + run.lines - 1), row);
                        prop_assert_eq!(folded.holding(run.first + run.lines - 1), Some(run));
                        run.first
                    }
                };
                prop_assert_eq!(folded.row_of(line), row);
            }
            prop_assert_eq!(seen, at + 3);
        }
    }
}
