//! Layout of tables: in columns where they contain data, one cell below the other where they lay out a page.

use std::ops::Range;

use geomys_wire::text;

use super::line::Line;
use crate::document::row::Kind;

/// The maximum width of a table: it fits beside the bookmarks on a terminal with 80 columns.
const WIDTH: usize = 56;

/// The number of blanks between two columns.
const GAP: usize = 2;

/// The minimum width of a column that is wrapped.
const NARROW: usize = 8;

/// The maximum number of columns of a table.
const COLUMNS: usize = 24;

/// The maximum number of lines of a cell in a table with data.
const LINES: usize = 6;

/// An open table.
#[derive(Debug, Default)]
pub(super) struct WebTable {
    rows: Vec<Vec<Cell>>,
    /// The number of the following rows that a cell above covers, of each column.
    covered: Vec<usize>,
    /// True if it contains another table. Such a table lays out a page.
    pub(super) is_layout: bool,
}

/// A table cell.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) lines: Vec<Line>,
    /// The first column of the cell.
    pub(super) column: usize,
    /// The number of columns that the cell spans, and of rows.
    pub(super) span: usize,
    pub(super) rows: usize,
    pub(super) is_heading: bool,
}

impl WebTable {
    pub(super) fn begin_row(&mut self) {
        for rows in &mut self.covered {
            *rows = rows.saturating_sub(1);
        }
        self.rows.push(Vec::new());
    }

    /// Appends a cell to the row, in the next column that no cell above covers.
    pub(super) fn push(&mut self, mut cell: Cell) {
        if self.rows.is_empty() {
            self.begin_row();
        }
        let Some(row) = self.rows.last_mut() else {
            return;
        };
        let free = columns(row);
        let covered = self.covered.iter().skip(free);
        cell.column = free + covered.take_while(|rows| **rows > 0).count();
        let after = cell.column + cell.span;
        if cell.rows > 1 && after <= COLUMNS {
            self.covered.resize(after.max(self.covered.len()), 0);
            let own = self.covered.iter_mut().take(after).skip(cell.column);
            own.for_each(|rows| *rows = cell.rows);
        }
        row.push(cell);
    }

    /// Returns the lines of the table.
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

    /// The widths of its columns; nothing where the table lays out a page.
    fn widths(&self) -> Option<Vec<usize>> {
        let cells = || self.rows.iter().flatten();
        let count = self.rows.iter().map(|row| columns(row)).max()?;
        if self.is_layout || !(2..=COLUMNS).contains(&count) {
            return None;
        }
        if cells().any(|cell| cell.lines.len() > LINES) {
            return None;
        }
        let mut widths = vec![1; count];
        for row in &self.rows {
            for cell in row {
                if let Some(width) = widths.get_mut(cell.column).filter(|_| cell.span == 1) {
                    *width = (*width).max(cell.width());
                }
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

/// The number of columns of a row.
fn columns(row: &[Cell]) -> usize {
    row.last().map_or(0, |cell| cell.column + cell.span)
}

/// Narrows the widest columns until all fit. Returns true if they fit.
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

/// Lays out a row in columns.
fn ruled(row: &[Cell], widths: &[usize]) -> Vec<Line> {
    let is_heading = row.iter().all(|cell| cell.is_heading);
    let kind = if is_heading {
        Kind::Heading
    } else {
        Kind::Plain
    };
    let mut lines: Vec<Line> = Vec::new();
    for cell in row {
        let before = widths.iter().take(cell.column);
        let column = before.map(|width| width + GAP).sum();
        let own = widths.get(cell.column..(cell.column + cell.span).min(widths.len()));
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
    }
    lines
}

/// Wraps a line to a width. Returns the ranges of its parts, without trailing blanks.
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

/// Lays out a row without columns: its cells beside each other where each is one short line, else one below the other.
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
