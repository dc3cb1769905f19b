//! The server's remarks on a directory, folded above the entries.

use std::sync::Arc;

use geomys_wire::text::{self, Text};

use crate::document::raw::LineBuffer;
use crate::document::row::{Fold, Kind, Row};
use crate::document::row::{Remark, SERVER_MESSAGES};
use crate::document::rows::RowSource;

/// The remarks of a listing.
#[derive(Clone, Debug, Default)]
pub(super) struct Remarks(Vec<FoldedRemark>);

#[derive(Clone, Debug)]
struct FoldedRemark {
    title: Text,
    lines: Arc<LineBuffer>,
    fold: Fold,
}

impl Remarks {
    pub(super) fn push(&mut self, remark: Remark) {
        let mut octets = remark.octets;
        octets.truncate(octets.trim_ascii_end().len());
        self.0.push(FoldedRemark {
            title: remark.title,
            lines: Arc::new(LineBuffer::from_octets(&octets)),
            fold: Fold::Closed,
        });
    }

    /// Toggles the fold of a remark.
    pub(super) fn toggle(&mut self, remark: usize) {
        if let Some(remark) = self.0.get_mut(remark) {
            remark.fold = remark.fold.toggled();
        }
    }

    /// The number of rows of all remarks.
    pub(super) fn count(&self) -> usize {
        self.0.iter().map(FoldedRemark::count).sum()
    }

    /// The remark in a row, and its line when the row is not its title.
    pub(super) fn at(&self, mut row: usize) -> Option<(usize, Option<usize>)> {
        for (index, remark) in self.0.iter().enumerate() {
            let count = remark.count();
            if row < count {
                return Some((index, row.checked_sub(1)));
            }
            row -= count;
        }
        None
    }

    /// The row of a remark's title, or of its line; the row of the title when the line is hidden.
    pub(super) fn row_of(&self, remark: usize, line: Option<usize>) -> Option<usize> {
        let before: usize = self.0.iter().take(remark).map(FoldedRemark::count).sum();
        let shown = self.0.get(remark)?.count();
        let line = line.map_or(0, |line| line + 1);
        Some(before + if line < shown { line } else { 0 })
    }

    /// Makes the row of a title.
    pub(super) fn title(&self, source: RowSource<'_>, row: usize) -> Option<Row> {
        let (remark, _) = self.at(row)?;
        Some(self.0.get(remark)?.title(source))
    }

    /// The octets of a row that is a line of a remark.
    pub(super) fn line(&self, row: usize) -> Option<&[u8]> {
        let (remark, line) = self.at(row)?;
        self.0.get(remark)?.lines.piece(line?)
    }

    /// Returns true if a row continues the line of the row before it.
    pub(super) fn continues(&self, row: usize) -> bool {
        let Some((remark, Some(line))) = self.at(row) else {
            return false;
        };
        let remark = self.0.get(remark);
        remark.is_some_and(|remark| remark.lines.continues(line))
    }
}

impl FoldedRemark {
    fn count(&self) -> usize {
        match self.fold {
            Fold::Closed => 1,
            Fold::Open => 1 + self.lines.pieces(),
        }
    }

    /// The title row, as `welcome`, with the number of lines. A folded remark shows its first line too.
    fn title(&self, source: RowSource<'_>) -> Row {
        let count = match self.lines.lines() {
            1 => "1 line".to_owned(),
            lines => format!("{} lines", text::count(lines)),
        };
        let first = || {
            (0..self.lines.lines())
                .filter_map(|line| self.lines.line(line))
                .map(|line| Text::new(line.trim_ascii(), source.charset))
                .find(|line| !line.is_blank())
        };
        let first = match self.fold {
            Fold::Closed if !self.title.as_str().starts_with(SERVER_MESSAGES) => first(),
            Fold::Closed | Fold::Open => None,
        };
        let title = match first {
            Some(first) => Text::of(&format!("{}: {first}", self.title)),
            None => self.title.clone(),
        };
        Row {
            aside: Some(Text::of(&count)),
            ..Row::new(Kind::Remark(self.fold), title)
        }
    }
}
