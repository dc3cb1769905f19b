//! The folded runs of lines, and the mapping between rows and lines.

use super::fold::{LineRun, RunKind};

/// The content of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArticleRow {
    /// The line with this number.
    Line(usize),
    /// A folded run of lines.
    Run(LineRun),
}

/// Disjoint runs of lines, each folded to one row. They are sorted, and each has the number of lines hidden by the runs
/// before it, so that a row is found by binary search.
#[derive(Clone, Debug, Default)]
pub(super) struct FoldedRuns {
    runs: Vec<(LineRun, usize)>,
}

impl FoldedRuns {
    /// Takes these runs, in any order.
    pub(super) fn new(runs: impl IntoIterator<Item = LineRun>) -> Self {
        let mut runs: Vec<LineRun> = runs.into_iter().collect();
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

    /// The runs, in ascending order.
    pub(super) fn runs(&self) -> impl Iterator<Item = LineRun> + '_ {
        self.runs.iter().map(|(run, _)| *run)
    }

    /// Returns true if a run of this kind is folded.
    pub(super) fn has(&self, kind: RunKind) -> bool {
        self.runs().any(|run| run.kind == kind)
    }

    /// The number of lines that have no row.
    pub(super) fn hidden(&self) -> usize {
        let last = self.runs.last();
        last.map_or(0, |(run, before)| before + run.lines - 1)
    }

    /// The run that contains a line.
    pub(super) fn holding(&self, line: usize) -> Option<LineRun> {
        let after = self.runs.partition_point(|(run, _)| run.first <= line);
        let (run, _) = self.runs.get(after.checked_sub(1)?)?;
        run.contains(line).then_some(*run)
    }

    /// The content of a row.
    pub(super) fn row(&self, row: usize) -> ArticleRow {
        let is_before = |(run, hidden): &(LineRun, usize)| run.first - hidden <= row;
        let after = self.runs.partition_point(is_before);
        let last = after.checked_sub(1).and_then(|at| self.runs.get(at));
        match last {
            Some((run, hidden)) if run.first - hidden == row => ArticleRow::Run(*run),
            Some((run, hidden)) => ArticleRow::Line(row + hidden + run.lines - 1),
            None => ArticleRow::Line(row),
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
                runs.push(LineRun { kind: RunKind::Quotation, first: at, lines });
                at += lines;
            }
            let folded = FoldedRuns::new(runs.iter().copied().rev());
            prop_assert_eq!(folded.runs().collect::<Vec<_>>(), runs);
            let mut seen = 0;
            for row in 0..at + 3 - folded.hidden() {
                let line = match folded.row(row) {
                    ArticleRow::Line(line) => {
                        prop_assert_eq!(line, seen);
                        prop_assert_eq!(folded.holding(line), None);
                        seen += 1;
                        line
                    }
                    ArticleRow::Run(run) => {
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
