//! Quotations folded to a row each.

use super::super::Raw;
use super::decode::Section;
use super::quotation;
use crate::document::Kind;

/// Quoted lines in a row that stay as they are, where they are not deep.
const LINES: usize = 6;

/// How deep a quotation may be and stay as it is, however short.
const DEPTH: u8 = 2;

/// Quoted lines in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The first of them.
    pub(super) first: usize,
    /// How many.
    pub(super) lines: usize,
}

/// What a row is, some runs folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// This line.
    Line(usize),
    /// All lines of this run.
    Folded(Run),
}

/// The runs that may be folded.
pub(super) fn runs(raw: &Raw, section: impl Fn(usize) -> Section) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut current: Option<(Run, u8)> = None;
    let mut end = |current: &mut Option<(Run, u8)>| {
        if let Some((run, deepest)) = current.take()
            && (run.lines > LINES || deepest > DEPTH && run.lines > 1)
        {
            runs.push(run);
        }
    };
    for number in 0..raw.lines() {
        let line = raw.line(number).unwrap_or_default();
        match (section(number), quotation(line)) {
            (Section::Text, Kind::Quote(depth)) => {
                let new = Run {
                    first: number,
                    lines: 0,
                };
                let (run, deepest) = current.get_or_insert((new, 0));
                run.lines += 1;
                *deepest = depth.max(*deepest);
            }
            (_, _) => end(&mut current),
        }
    }
    end(&mut current);
    runs
}

/// What row `row` is while `folded` are folded: some of the runs, in their order.
pub(super) fn place(folded: &[Run], row: usize) -> Place {
    let mut hidden = 0;
    for run in folded {
        match row.checked_sub(run.first - hidden) {
            None => break,
            Some(0) => return Place::Folded(*run),
            Some(_) => hidden += run.lines - 1,
        }
    }
    Place::Line(row + hidden)
}

/// The row of a line, or of the run that hides it.
pub(super) fn row_of(folded: &[Run], line: usize) -> usize {
    let mut hidden = 0;
    for run in folded.iter().take_while(|run| run.first < line) {
        hidden += (run.lines - 1).min(line - run.first);
    }
    line - hidden
}

/// A letter of ROT13.
pub(super) fn rot13(octet: u8) -> u8 {
    match octet {
        b'a'..=b'm' | b'A'..=b'M' => octet + 13,
        b'n'..=b'z' | b'N'..=b'Z' => octet - 13,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_line_has_its_row(sizes in prop::collection::vec((0_usize..5, 2_usize..9), 0..6)) {
            let mut at = 0;
            let mut folded = Vec::new();
            for (gap, lines) in sizes {
                at += gap;
                folded.push(Run { first: at, lines });
                at += lines;
            }
            let hidden: usize = folded.iter().map(|run| run.lines - 1).sum();
            let mut seen = 0;
            for row in 0..at + 3 - hidden {
                let line = match place(&folded, row) {
                    Place::Line(line) => {
                        prop_assert_eq!(line, seen);
                        seen += 1;
                        line
                    }
                    Place::Folded(run) => {
                        prop_assert_eq!(run.first, seen);
                        seen += run.lines;
                        prop_assert_eq!(row_of(&folded, run.first + run.lines - 1), row);
                        run.first
                    }
                };
                prop_assert_eq!(row_of(&folded, line), row);
            }
            prop_assert_eq!(seen, at + 3);
        }
    }
}
