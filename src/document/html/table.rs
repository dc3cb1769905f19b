//! Tables: in columns where they hold data, one cell below the other where they lay a page out.

use std::ops::Range;

use super::line::Line;
use crate::document::Kind;
use crate::text;

/// Columns that a table takes at the most: what fits beside the bookmarks on a terminal of 80.
const WIDTH: usize = 56;

/// What stands between two columns.
const GAP: usize = 2;

/// The narrowest column that is wrapped.
const NARROW: usize = 8;

/// Columns of a table at the most.
const COLUMNS: usize = 24;

/// Lines of a cell in a table of data, at the most.
const LINES: usize = 6;

/// A table that is open.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Vec<Cell>>,
    /// Another table stands in it: it lays out a page.
    pub(super) holds_table: bool,
}

/// A cell of it.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) lines: Vec<Line>,
    /// Columns that it spans.
    pub(super) span: usize,
    pub(super) is_heading: bool,
}

impl Table {
    pub(super) fn begin_row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub(super) fn push(&mut self, cell: Cell) {
        if self.rows.is_empty() {
            self.begin_row();
        }
        if let Some(row) = self.rows.last_mut() {
            row.push(cell);
        }
    }

    /// Its lines.
    pub(super) fn lines(mut self) -> Vec<Line> {
        self.rows.retain(|row| {
            let mut lines = row.iter().flat_map(|cell| &cell.lines);
            lines.any(|line| !line.is_blank())
        });
        match self.widths() {
            Some(widths) => self
                .rows
                .iter()
                .flat_map(|row| ruled(row, &widths))
                .collect(),
            None => self.rows.into_iter().flat_map(below).collect(),
        }
    }

    /// How wide its columns are; none where it lays out a page.
    fn widths(&self) -> Option<Vec<usize>> {
        let cells = || self.rows.iter().flatten();
        let count = self.rows.iter().map(|row| columns(row)).max()?;
        if self.holds_table || !(2..=COLUMNS).contains(&count) {
            return None;
        }
        if cells().any(|cell| cell.lines.len() > LINES) {
            return None;
        }
        let mut widths = vec![1; count];
        for row in &self.rows {
            let mut at = 0;
            for cell in row {
                if let Some(width) = widths.get_mut(at).filter(|_| cell.span == 1) {
                    *width = (*width).max(cell.width());
                }
                at += cell.span;
            }
        }
        narrowed(&mut widths).then_some(widths)
    }
}

impl Cell {
    fn width(&self) -> usize {
        self.lines.iter().map(Line::width).max().unwrap_or(0)
    }
}

/// Columns that a row has.
fn columns(row: &[Cell]) -> usize {
    row.iter().map(|cell| cell.span).sum()
}

/// Takes from the widest until all fit; whether they do.
fn narrowed(widths: &mut [usize]) -> bool {
    let room = WIDTH.saturating_sub(GAP * (widths.len() - 1));
    let mut sum: usize = widths.iter().sum();
    while sum > room {
        let widest = widths.iter().copied().max().unwrap_or(0);
        let next = widths.iter().copied().filter(|&width| width < widest).max();
        let next = next.unwrap_or(0).max(NARROW);
        if widest <= NARROW {
            return false;
        }
        let many = widths.iter().filter(|&&width| width == widest).count();
        let less = (widest - next).min((sum - room).div_ceil(many));
        for width in widths.iter_mut().filter(|width| **width == widest) {
            *width -= less;
        }
        sum = widths.iter().sum();
    }
    true
}

/// A row in columns.
fn ruled(row: &[Cell], widths: &[usize]) -> Vec<Line> {
    let is_heading = row.iter().all(|cell| cell.is_heading);
    let kind = if is_heading {
        Kind::Heading
    } else {
        Kind::Plain
    };
    let mut lines: Vec<Line> = Vec::new();
    let (mut at, mut column) = (0, 0);
    for cell in row {
        let own = widths.get(at..(at + cell.span).min(widths.len()));
        let own = own.unwrap_or_default();
        let width = own.iter().sum::<usize>() + GAP * own.len().saturating_sub(1);
        let pieces = cell.lines.iter().flat_map(|line| {
            let pieces = pieces(line, width).into_iter();
            pieces.map(move |piece| (line, piece))
        });
        for (number, (line, piece)) in pieces.enumerate() {
            if lines.len() <= number {
                lines.push(Line::new(kind, String::new()));
            }
            if let Some(into) = lines.get_mut(number) {
                into.pad(column);
                into.push(line, piece);
            }
        }
        at += cell.span;
        column += width + GAP;
    }
    lines
}

/// The parts of a line that fit a width, without the blanks at their ends.
fn pieces(line: &Line, width: usize) -> Vec<Range<usize>> {
    let starts = text::breaks(&line.text, width);
    let ends = starts.iter().skip(1).copied();
    let ends = ends.chain(std::iter::once(line.text.len()));
    starts
        .iter()
        .zip(ends)
        .map(|(&start, end)| {
            let part = line.text.get(start..end).unwrap_or_default();
            start..start + part.trim_end().len()
        })
        .collect()
}

/// A row of a layout: its cells beside each other where each is one short line, else one below the other.
fn below(row: Vec<Cell>) -> Vec<Line> {
    let filled = || row.iter().filter(|cell| !cell.lines.is_empty());
    let is_short = filled().all(|cell| cell.lines.len() == 1);
    let width: usize = filled().map(|cell| cell.width() + GAP).sum();
    if !is_short || width > WIDTH + GAP {
        return row.into_iter().flat_map(|cell| cell.lines).collect();
    }
    let mut all: Option<Line> = None;
    for line in filled().flat_map(|cell| &cell.lines) {
        match &mut all {
            None => all = Some(line.clone()),
            Some(all) => {
                all.pad(all.width() + GAP);
                all.push(line, 0..line.text.len());
            }
        }
    }
    all.into_iter().collect()
}
