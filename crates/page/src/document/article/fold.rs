//! Runs of lines that can be folded to one row: quotations, and text behind form feeds.
//!
//! A form feed (octet 12) hides the following text until the user unfolds it, as in other newsreaders: up to the next
//! form feed, or to the end of the text. It ends a quotation, so that runs are nested but never overlap.
//!
//! The folded runs map rows to lines.

use super::decode::ArticleSection;
use crate::document::raw::LineBuffer;
use crate::document::row::Kind;

/// The number of consecutive quoted lines up to which a shallow quotation is not folded.
const LINES: usize = 6;

/// The depth up to which a short quotation is not folded.
const DEPTH: u8 = 2;

/// The octet that hides the following text.
const FORM_FEED: u8 = 12;

/// The reason why consecutive lines can be folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunKind {
    /// Quoted lines.
    Quotation,
    /// Lines behind a form feed.
    FormFeed,
    /// Headers below the subject, the author and the date.
    Headers,
}

/// Consecutive lines that are folded together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineRun {
    /// The reason for folding.
    pub(super) kind: RunKind,
    /// The number of the first line.
    pub(super) first: usize,
    /// The number of lines.
    pub(super) lines: usize,
}

impl LineRun {
    /// Returns true if the run contains this line.
    pub(super) fn contains(&self, line: usize) -> bool {
        (self.first..self.first + self.lines).contains(&line)
    }
}

/// Finds the quotations that may be folded.
pub(super) fn quotations(
    raw: &LineBuffer,
    section: impl Fn(usize) -> ArticleSection,
) -> Vec<LineRun> {
    let mut runs: Vec<LineRun> = Vec::new();
    let mut current: Option<(LineRun, u8)> = None;
    let mut end = |current: &mut Option<(LineRun, u8)>| {
        if let Some((run, deepest)) = current.take()
            && (run.lines > LINES || deepest > DEPTH && run.lines > 1)
        {
            runs.push(run);
        }
    };
    for number in 0..raw.pieces() {
        let line = raw.piece(number).unwrap_or_default();
        if raw.continues(number) && !has_form_feed(line) {
            if let Some((run, _)) = &mut current {
                run.lines += 1;
            }
            continue;
        }
        match (section(number), quotation(line)) {
            (ArticleSection::Text, Kind::Quote(depth)) if !has_form_feed(line) => {
                let new = LineRun {
                    kind: RunKind::Quotation,
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

/// Finds the text behind form feeds. A line with text before the form feed is shown, a line with text behind it is
/// hidden.
pub(super) fn form_feeds(
    raw: &LineBuffer,
    section: impl Fn(usize) -> ArticleSection,
) -> Vec<LineRun> {
    let mut runs: Vec<LineRun> = Vec::new();
    let mut current: Option<LineRun> = None;
    // A run of blank lines is not folded.
    let hides = |run: &LineRun| {
        (run.first..run.first + run.lines)
            .any(|line| !is_blank(raw.piece(line).unwrap_or_default()))
    };
    for number in 0..raw.pieces() {
        let line = raw.piece(number).unwrap_or_default();
        let is_text = section(number) == ArticleSection::Text;
        let begins = hides_from(line, number).filter(|_| is_text);
        if let Some(run) = current
            .as_mut()
            .filter(|_| is_text && begins != Some(number))
        {
            run.lines += 1;
        }
        if begins.is_some() || !is_text {
            runs.extend(current.take().filter(hides));
        }
        if let Some(first) = begins {
            current = Some(LineRun {
                kind: RunKind::FormFeed,
                first,
                lines: usize::from(first == number),
            });
        }
    }
    runs.extend(current.filter(hides));
    runs
}

/// The first line that a form feed in line `number` hides; nothing where the line has none. Text behind the form feed
/// is hidden together with its line.
pub(super) fn hides_from(line: &[u8], number: usize) -> Option<usize> {
    let at = memchr::memchr(FORM_FEED, line)?;
    let (before, behind) = line.split_at_checked(at)?;
    Some(number + usize::from(!is_blank(before) && is_blank(behind)))
}

/// Returns true if a line is blank. A form feed counts as a blank.
fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

fn has_form_feed(line: &[u8]) -> bool {
    memchr::memchr(FORM_FEED, line).is_some()
}

/// The quotation depth of a line: the number of `>`, with at most one blank between two.
pub(super) fn quotation(line: &[u8]) -> Kind {
    let mut depth = 0_u8;
    let mut rest = line;
    while let Some(after) = rest
        .strip_prefix(b">")
        .or_else(|| rest.strip_prefix(b" >").filter(|_| depth > 0))
    {
        depth = depth.saturating_add(1);
        rest = after;
    }
    match depth {
        0 => Kind::Plain,
        depth => Kind::Quote(depth),
    }
}

/// The number of octets before the text of a quoted line: the marks and the blanks behind them.
pub(super) fn quote_prefix(line: &[u8]) -> usize {
    let is_prefix = |octet: &&u8| matches!(**octet, b'>' | b' ');
    line.iter().take_while(is_prefix).count()
}

/// Applies ROT13 to an octet.
pub(super) fn rot13(octet: u8) -> u8 {
    match octet {
        b'a'..=b'm' | b'A'..=b'M' => octet + 13,
        b'n'..=b'z' | b'N'..=b'Z' => octet - 13,
        other => other,
    }
}

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

    #[test]
    fn form_feeds_hide_what_follows() {
        for (text, expected) in [
            ("a\nb\n", vec![]),
            ("a\n\x0c\nb\nc\n", vec![(1, 3)]),
            // Text before a form feed is shown, text behind it is hidden.
            ("a\x0c\nb\n", vec![(1, 1)]),
            ("a\x0c \r\nb\n", vec![(1, 1)]),
            ("\x0cb\nc\n", vec![(0, 2)]),
            ("a\x0cb\nc\n", vec![(0, 2)]),
            // Several form feeds.
            ("a\n\x0c\nb\n\x0c\nc\n", vec![(1, 2), (3, 2)]),
            ("a\x0c\nb\x0c\nc\n", vec![(1, 1), (2, 1)]),
            ("\x0c\x0c\n\n\x0c\nb\n", vec![(2, 2)]),
            // Nothing follows.
            ("a\x0c\n", vec![]),
            ("a\n\x0c", vec![]),
        ] {
            let mut raw = LineBuffer::default();
            raw.append(text.as_bytes());
            let runs = form_feeds(&raw, |_| ArticleSection::Text);
            let runs: Vec<_> = runs.iter().map(|run| (run.first, run.lines)).collect();
            assert_eq!(runs, expected, "{text:?}");
        }
        // A form feed in the signature hides nothing.
        let mut raw = LineBuffer::default();
        raw.append(b"\x0c\na\n-- \nAda\x0c\nx\n");
        let section = |line| {
            if line < 2 {
                ArticleSection::Text
            } else {
                ArticleSection::Signature
            }
        };
        let runs = form_feeds(&raw, section);
        assert_eq!(runs.len(), 1);
        assert_eq!((runs[0].first, runs[0].lines), (0, 2));
    }

    #[test]
    fn a_form_feed_ends_a_quotation() {
        let mut raw = LineBuffer::default();
        raw.append("> a\n".repeat(8).as_bytes());
        raw.append(b"> \x0c\n");
        raw.append("> b\n".repeat(8).as_bytes());
        let quotations = quotations(&raw, |_| ArticleSection::Text);
        let found: Vec<_> = quotations
            .iter()
            .map(|run| (run.first, run.lines))
            .collect();
        assert_eq!(found, [(0, 8), (9, 8)]);
        let feeds = form_feeds(&raw, |_| ArticleSection::Text);
        assert_eq!((feeds[0].first, feeds[0].lines), (9, 8));
    }

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
