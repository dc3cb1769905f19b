//! Layout of tables: in columns that fit the pane, where their longest words have room; else as rows of "head: value".
//! A table without heads that has long cells lays out a page: its cells stand one below the other.

mod alignment;

use std::iter;

use geomys_wire::text;

pub(super) use self::alignment::Alignment;
use self::alignment::Columns;
use super::line::Line;
use super::tag::StartTag;
use crate::document::row::Kind;

/// The number of blanks between two columns, and where that is too wide.
const GAPS: [usize; 2] = [2, 1];

/// The maximum number of columns of a table.
pub(super) const COLUMNS: usize = 64;

/// The maximum number of lines of a cell in a table with data that has no heads.
const LINES: usize = 6;

/// The maximum columns of the numbers of lines.
const NUMBER_COLUMNS: usize = 10;

/// The maximum length of a head before each of its values, in columns.
const MAX_HEAD_COLUMNS: usize = 100;

/// A part of a cell.
#[derive(Debug)]
pub(super) enum Block {
    Line(Line),
    Table(WebTable),
}

/// An open table.
#[derive(Debug, Default)]
pub(super) struct WebTable {
    caption: Vec<Block>,
    rows: Vec<Vec<Cell>>,
    /// The number of the following rows that a cell above covers, of each column.
    covered: Vec<usize>,
    /// The position of its start in the text of the page.
    pub(super) at: u32,
    /// True in the part of the table that has its heads.
    pub(super) is_head: bool,
    /// The alignment of the cells that have none of their own: by their row or its part of the table, and by their
    /// column.
    row_alignment: Option<Alignment>,
    group_alignment: Option<Alignment>,
    pub(super) columns: Columns,
    /// True behind a cell that numbers a line of a program: another one of the row has that line.
    pub(super) is_code: bool,
    /// The prefixes of its first line and of the others, by the elements around it.
    pub(super) prefixes: Option<Box<[Line; 2]>>,
    extent: Extent,
}

/// A table cell.
#[derive(Debug, Default)]
pub(super) struct Cell {
    pub(super) blocks: Vec<Block>,
    /// The columns of space at its start. In a cell without text they indent the rest of the row.
    pub(super) indent: usize,
    /// The first column of the cell.
    column: usize,
    /// The number of columns that the cell spans, and of rows.
    span: usize,
    rows: usize,
    is_heading: bool,
    is_caption: bool,
    /// The number of a line of a program, which the page may show by its style sheet alone.
    pub(super) line_number: Option<u32>,
    alignment: Alignment,
    extent: Extent,
}

/// The columns that a content takes.
#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    /// The columns of what cannot be broken: the longest word, and preformatted lines.
    least: usize,
    /// The columns of the longest line.
    most: usize,
}

impl Extent {
    fn of(line: &Line) -> Self {
        let most = line.width();
        let words = line.text.split(' ').map(|word| {
            let width = text::width(word);
            // Between wide characters a line may be broken.
            if width > word.chars().count() {
                2
            } else {
                width
            }
        });
        let least = if line.is_fixed {
            most
        } else {
            line.hang + words.max().unwrap_or(0)
        };
        Self {
            least: least.min(most),
            most,
        }
    }

    fn max(self, other: Self) -> Self {
        Self {
            least: self.least.max(other.least),
            most: self.most.max(other.most),
        }
    }
}

impl WebTable {
    /// Returns the empty table at this position in the text of the page.
    pub(super) fn new(at: u32) -> Self {
        Self {
            at,
            ..Self::default()
        }
    }

    pub(super) fn begin_row(&mut self, alignment: Option<Alignment>) {
        self.row_alignment = alignment.or(self.group_alignment);
        self.is_code = false;
        for rows in &mut self.covered {
            *rows = rows.saturating_sub(1);
        }
        self.rows.push(Vec::new());
    }

    pub(super) fn begin_group(&mut self, is_head: bool, alignment: Option<Alignment>) {
        self.is_head = is_head;
        self.group_alignment = alignment;
    }

    /// The alignment of a cell that begins: its own, else that of its column, its row or their part of the table.
    pub(super) fn alignment_of(&self, element: &StartTag<'_>) -> Alignment {
        let row = self.rows.last().map_or(&[][..], Vec::as_slice);
        let column = free_column(row, &self.covered);
        let own = Alignment::of(element);
        let of_column = || self.columns.alignment(column);
        own.or_else(of_column)
            .or(self.row_alignment)
            .unwrap_or_default()
    }

    /// Appends a cell to the row, in the next column that no cell above covers.
    pub(super) fn push(&mut self, mut cell: Cell) {
        let extents = cell.blocks.iter().map(|block| match block {
            Block::Line(line) => Extent::of(line),
            Block::Table(table) => table.extent,
        });
        cell.extent = extents.fold(Extent::default(), Extent::max);
        cell.extent.least += cell.indent;
        cell.extent.most += cell.indent;
        if cell.is_caption {
            return self.caption.append(&mut cell.blocks);
        }
        if self.rows.is_empty() {
            self.begin_row(None);
        }
        let Some(row) = self.rows.last_mut() else {
            return;
        };
        cell.is_heading |= self.is_head;
        cell.column = free_column(row, &self.covered);
        let after = cell.column + cell.span;
        if cell.rows > 1 && after <= COLUMNS {
            self.covered.resize(after.max(self.covered.len()), 0);
            let own = self.covered.iter_mut().take(after).skip(cell.column);
            own.for_each(|rows| *rows = cell.rows);
        }
        row.push(cell);
    }

    /// Completes the table at its end: drops empty rows, and measures the others.
    pub(super) fn finish(mut self) -> Self {
        self.rows.retain(|row| row.iter().any(Cell::has_text));
        let extents = self.extents(GAPS[0]);
        let cells = self.rows.iter().flatten().map(|cell| cell.extent.least);
        let gaps = GAPS[0] * extents.len().saturating_sub(1);
        self.extent = Extent {
            least: cells.max().unwrap_or(0),
            most: extents.iter().map(|column| column.most).sum::<usize>() + gaps,
        };
        self
    }

    /// Returns true if a complete table has nothing to show.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.caption.is_empty()
    }

    /// Returns the lines of the table for a pane of this many columns.
    pub(super) fn lines(mut self, room: usize) -> Vec<Line> {
        let prefixes = self.prefixes.take();
        let indent = prefixes.as_deref().map_or(0, |[_, other]| other.width());
        let room = room.saturating_sub(indent).max(1);
        let caption = std::mem::take(&mut self.caption).into_iter();
        let mut lines: Vec<Line> = caption.flat_map(|block| block.lines(room)).collect();
        lines.append(&mut self.row_lines(room));
        if let Some([first, other]) = prefixes.as_deref() {
            for (line, prefix) in lines
                .iter_mut()
                .zip(iter::once(first).chain(iter::repeat(other)))
            {
                line.indent(prefix);
            }
        }
        lines
    }

    fn row_lines(self, room: usize) -> Vec<Line> {
        let count = self.rows.iter().map(|row| columns(row)).max().unwrap_or(0);
        let heads = self.rows.iter().take_while(|row| is_head(row)).count();
        if self.has_line_numbers() {
            // The lines stay beside their numbers, and the pane scrolls.
            let widths = self.extents(GAPS[1]).into_iter();
            let widths: Vec<usize> = widths.map(|column| column.most).collect();
            let rows = self.rows.into_iter();
            return rows
                .flat_map(|row| ruled(row, &widths, GAPS[1], room))
                .collect();
        }
        let has_heads = self.rows.iter().flatten().any(|cell| cell.is_heading);
        let is_long = |cell: &Cell| cell.blocks.iter().map(Block::height).sum::<usize>() > LINES;
        let lays_out_page = !has_heads && self.rows.iter().flatten().any(is_long);
        let fitted = if (2..=COLUMNS).contains(&count) && !lays_out_page {
            GAPS.into_iter().find_map(|gap| {
                let free = room.checked_sub(gap * (count - 1))?;
                Some((fitted(&self.extents(gap), free)?, gap))
            })
        } else {
            None
        };
        let rows = self.rows;
        match fitted {
            Some((widths, gap)) => {
                let rows = rows.into_iter();
                rows.flat_map(|row| ruled(row, &widths, gap, room))
                    .collect()
            }
            None if count > 1 && (1..rows.len()).contains(&heads) => records(rows, heads, room),
            None => rows.into_iter().flat_map(|row| below(row, room)).collect(),
        }
    }

    /// Returns true if the rows have numbers beside lines that are never wrapped, as the source of a program has.
    fn has_line_numbers(&self) -> bool {
        let has_numbers = |row: &Vec<Cell>| {
            let cells: Vec<&Cell> = row.iter().filter(|cell| cell.has_text()).collect();
            let Some((lines, numbers)) = cells.split_last() else {
                return false;
            };
            let height = lines.blocks.len();
            // Two versions of a program have two numbers.
            let is_beside =
                |cell: &&Cell| cell.is_numbers() && cell.blocks.len().abs_diff(height) <= 1;
            !numbers.is_empty() && numbers.iter().all(is_beside) && lines.is_fixed()
        };
        let mut rows = self.rows.iter();
        let is_empty = |row: &Vec<Cell>| {
            let mut cells = row.iter().filter(|cell| cell.has_text());
            cells.all(Cell::is_numbers)
        };
        let is_code = |row: &Vec<Cell>| has_numbers(row) || is_empty(row);
        rows.any(has_numbers) && self.rows.iter().all(is_code)
    }

    /// The extents of the columns; those of cells over several columns are divided among these.
    fn extents(&self, gap: usize) -> Vec<Extent> {
        let count = self.rows.iter().map(|row| columns(row)).max();
        let mut columns = vec![Extent { least: 1, most: 1 }; count.unwrap_or(0).min(COLUMNS)];
        let cells = || self.rows.iter().flatten();
        for cell in cells().filter(|cell| cell.span == 1) {
            if let Some(column) = columns.get_mut(cell.column) {
                *column = column.max(cell.extent);
            }
        }
        for cell in cells().filter(|cell| cell.span > 1) {
            let end = (cell.column + cell.span).min(columns.len());
            let Some(own) = columns.get_mut(cell.column..end) else {
                continue;
            };
            let gaps = gap * own.len().saturating_sub(1);
            let least = own.iter().map(|column| column.least).sum::<usize>() + gaps;
            let most = own.iter().map(|column| column.most).sum::<usize>() + gaps;
            let share =
                |wanted: usize, had: usize| (wanted.saturating_sub(had)).div_ceil(own.len().max(1));
            let (least, most) = (
                share(cell.extent.least, least),
                share(cell.extent.most, most),
            );
            for column in own {
                column.least += least;
                column.most = (column.most + most).max(column.least);
            }
        }
        columns
    }
}

impl Cell {
    /// Returns the empty cell of an element, over this many columns and rows.
    pub(super) fn new(
        element: &StartTag<'_>,
        span: usize,
        rows: usize,
        alignment: Alignment,
    ) -> Self {
        Self {
            span,
            rows,
            is_heading: element.name() == "th",
            is_caption: element.name() == "caption",
            line_number: element
                .value("data-line-number")
                .and_then(|number| number.parse().ok()),
            alignment,
            ..Self::default()
        }
    }

    /// Completes the cell at its end: the number of a line is its text if it has none.
    pub(super) fn finish(mut self, at: u32) -> Self {
        if let Some(number) = self.line_number.filter(|_| !self.has_text()) {
            let line = Line::new(Kind::Plain, number.to_string());
            self.blocks = vec![Block::Line(Line { at, ..line })];
        }
        self
    }

    /// Returns true for lines that are never wrapped: those of a program, or of preformatted text.
    fn is_fixed(&self) -> bool {
        self.has_text()
            && self.blocks.iter().all(|block| match block {
                Block::Line(line) => line.is_fixed || line.is_blank(),
                Block::Table(_) => false,
            })
    }

    /// Returns true for the numbers of lines.
    fn is_numbers(&self) -> bool {
        self.has_text()
            && self.extent.most <= NUMBER_COLUMNS
            && self.blocks.iter().all(|block| match block {
                Block::Line(line) => line.text.trim().bytes().all(|octet| octet.is_ascii_digit()),
                Block::Table(_) => false,
            })
    }

    fn has_text(&self) -> bool {
        self.blocks.iter().any(|block| match block {
            Block::Line(line) => !line.is_blank(),
            Block::Table(_) => true,
        })
    }

    /// The lines of the cell, wrapped to a width.
    fn wrapped(self, width: usize) -> impl Iterator<Item = Line> {
        let lines = self.lines(width).into_iter();
        lines.flat_map(move |line| line.wrapped(width))
    }

    /// The lines of the cell, which the pane wraps.
    fn lines(self, room: usize) -> Vec<Line> {
        let room = room.saturating_sub(self.indent).max(1);
        let blocks = self.blocks.into_iter();
        let mut lines: Vec<Line> = blocks.flat_map(|block| block.lines(room)).collect();
        indent(&mut lines, self.indent);
        lines
    }
}

impl Block {
    /// The number of its lines, at least.
    fn height(&self) -> usize {
        match self {
            Self::Line(_) => 1,
            Self::Table(table) => table.rows.len(),
        }
    }

    /// The lines of the part, for this many columns.
    pub(super) fn lines(self, room: usize) -> Vec<Line> {
        match self {
            Self::Line(line) => vec![line],
            Self::Table(table) => table.lines(room),
        }
    }
}

/// Indents lines that have text.
fn indent(lines: &mut [Line], columns: usize) {
    for line in lines.iter_mut().filter(|line| !line.is_blank()) {
        line.hang += columns;
        line.prefix(&" ".repeat(columns));
    }
}

/// The next column of a row that no cell above covers.
fn free_column(row: &[Cell], covered: &[usize]) -> usize {
    let free = columns(row);
    free + covered
        .iter()
        .skip(free)
        .take_while(|rows| **rows > 0)
        .count()
}

/// The number of columns of a row.
fn columns(row: &[Cell]) -> usize {
    row.last().map_or(0, |cell| cell.column + cell.span)
}

/// Returns true for a row of heads.
fn is_head(row: &[Cell]) -> bool {
    !row.is_empty() && row.iter().all(|cell| cell.is_heading)
}

/// The widths of columns that share this room: the widest become narrower first, none below its least. Nothing where
/// they do not fit.
fn fitted(columns: &[Extent], room: usize) -> Option<Vec<usize>> {
    let widths = |limit: usize| {
        let columns = columns.iter();
        columns.map(move |column| column.most.min(limit).max(column.least))
    };
    let limit = (0..=room)
        .rev()
        .find(|&limit| widths(limit).sum::<usize>() <= room)?;
    let mut rest = room - widths(limit).sum::<usize>();
    let widths = widths(limit).zip(columns).map(|(width, column)| {
        let more = usize::from(rest > 0 && width < column.most);
        rest -= more;
        width + more
    });
    Some(widths.collect())
}

/// Lays out a row in columns. Lines that are wider than the room are not padded beyond it.
fn ruled(row: Vec<Cell>, widths: &[usize], gap: usize, room: usize) -> Vec<Line> {
    let kind = if is_head(&row) {
        Kind::Heading(0)
    } else {
        Kind::Plain
    };
    let mut lines: Vec<Line> = Vec::new();
    let mut at = 0;
    for cell in row {
        let before = widths.iter().take(cell.column);
        let column = before.map(|width| width + gap).sum::<usize>();
        let own = widths.iter().skip(cell.column).take(cell.span);
        let width = own.map(|width| width + gap).sum::<usize>();
        let width = width.saturating_sub(gap);
        let alignment = cell.alignment;
        for (number, line) in cell.wrapped(width).enumerate() {
            if at == 0 {
                at = line.at;
            }
            if lines.len() <= number {
                lines.push(Line {
                    at,
                    is_fixed: true,
                    ..Line::new(kind, String::new())
                });
            }
            if let Some(into) = lines.get_mut(number).filter(|_| !line.is_blank()) {
                let start = column + alignment.blanks(line.width(), width);
                let least = if into.is_blank() {
                    0
                } else {
                    into.width() + gap
                };
                into.pad(start.min(room).max(least));
                into.push(&line, 0..line.text.len());
            }
        }
    }
    lines
}

/// Lays out rows without columns, each as lines of "head: value". The first rows are the heads.
fn records(mut rows: Vec<Vec<Cell>>, heads: usize, room: usize) -> Vec<Line> {
    let rest = rows.split_off(heads);
    let count = rows.iter().map(|row| columns(row)).max().unwrap_or(0);
    let mut names = vec![String::new(); count];
    for cell in rows.into_iter().flatten() {
        let own = cell.column..cell.column + cell.span;
        let lines = cell.lines(room).into_iter();
        let short = |text: &str| text::shorten(text, MAX_HEAD_COLUMNS, "…");
        let words: Vec<String> = lines.map(|line| short(&line.text)).collect();
        for name in names.get_mut(own).unwrap_or_default() {
            for words in words.iter().filter(|words| !words.is_empty()) {
                if !name.is_empty() {
                    name.push(' ');
                }
                name.push_str(words);
                *name = short(name);
            }
        }
    }
    let mut lines: Vec<Line> = Vec::new();
    for row in rest {
        let start = lines.len();
        for cell in row {
            // A cell below all heads is a heading of the rows that follow.
            let is_part = cell.span < count;
            let name = names.get(cell.column);
            let name = name.filter(|name| is_part && !name.is_empty());
            let mut own = cell.lines(room).into_iter();
            if let Some(name) = name {
                lines.extend(own.next().map(|first| first.after(&format!("{name}: "))));
            }
            lines.extend(own);
        }
        if start > 0
            && let Some(first) = lines.get(start)
        {
            let at = first.at.saturating_sub(1);
            let blank = Line::new(Kind::Plain, String::new());
            lines.insert(start, Line { at, ..blank });
        }
    }
    lines
}

/// Lays out a row without columns: its cells beside each other where each is one short line, else one below the other.
fn below(row: Vec<Cell>, room: usize) -> Vec<Line> {
    let spaces = row.iter().filter(|cell| !cell.has_text());
    let space = spaces.map(|cell| cell.indent).sum::<usize>().min(room / 2);
    let room = room - space;
    let cells = row.into_iter().map(|cell| cell.lines(room));
    let cells: Vec<Vec<Line>> = cells.filter(|lines| !lines.is_empty()).collect();
    let gaps = GAPS[0] * cells.len().saturating_sub(1);
    let width = cells.iter().flatten().map(Line::width).sum::<usize>() + gaps;
    let is_short = width <= room && cells.iter().all(|lines| lines.len() == 1);
    let mut lines = cells.into_iter().flatten();
    let mut lines: Vec<Line> = if is_short {
        let first = lines.next().map(|first| {
            lines.fold(first, |mut all, line| {
                all.pad(all.width() + GAPS[0]);
                all.push(&line, 0..line.text.len());
                all
            })
        });
        first.into_iter().collect()
    } else {
        lines.collect()
    };
    indent(&mut lines, space);
    lines
}
