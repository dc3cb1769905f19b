//! The columns beside the text of a row: author and thread on the left, size, date and the like on the right.

use std::fmt::Write as _;

use geomys_page::document::{Kind, ListOrder, ListingColumns, Row, Shape, SortColumn};
use geomys_wire::text::{self, Text};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::{Rows, VisibleRow};
use crate::ui::screen::Screen;
use crate::ui::theme::{Glyph, Role, Theme};

/// The limits of the width of an article's author, in columns.
const LEAD: (usize, usize) = (6, 20);

/// The width that the text of a row needs before anything is drawn beside it, in columns.
const TEXT: usize = 24;

/// The pane width below which the columns on the right of a row's text are left out.
const COLUMNS: u16 = 46;

/// The fewest columns in which a remark is drawn.
const NOTE: usize = 8;

/// The blanks before the columns on the right, and behind them.
const GAP: (usize, usize) = (2, 1);

impl Rows<'_> {
    /// Draws the author of an article, in a narrow pane too. Returns the width in columns.
    pub(super) fn lead(
        &self,
        row: &Row,
        first: bool,
        room: usize,
        line: &mut Line<'static>,
    ) -> usize {
        let lead = row.lead.as_ref().filter(|_| first);
        let Some((lead, columns)) = lead.zip(lead_columns(room)) else {
            return 0;
        };
        let needle = self.view.search.needle.as_ref();
        let is_found = needle.is_some_and(|needle| !needle.matches(lead.as_str()).is_empty());
        let role = if is_found { Role::Match } else { Role::Dim };
        let lead = self.screen.shorten(lead.as_str(), columns);
        let pad = " ".repeat(columns.saturating_sub(text::width(&lead)) + 1);
        line.push_span(self.screen.span(lead, role));
        line.push_span(pad);
        columns + 1
    }

    /// Draws the lines of a thread before a reply, or the indentation of a continued line. Returns the width in
    /// columns.
    pub(super) fn indent(
        &self,
        row: &Row,
        first: bool,
        room: usize,
        line: &mut Line<'static>,
    ) -> usize {
        if !first {
            let hang = row.hang_text(room);
            let columns = text::width(&hang);
            line.push_span(self.screen.span(hang, Theme::text_role(row.kind)));
            return columns;
        }
        if row.indent == 0 {
            return 0;
        }
        // Even in a deep thread there is room for the text: a reply that is too deep for its lines states its depth
        // instead.
        let levels = row.indent.min(room / 6).max(1);
        let depth = (levels < row.indent).then(|| row.indent.to_string());
        let glyph = |level: usize| {
            let bit = u32::try_from(level).ok();
            let bits = bit.and_then(|bit| row.branches.checked_shr(bit));
            match (level, bits.unwrap_or(0) & 1 == 1) {
                (0, true) => self.screen.glyph(Glyph::Branch),
                (0, false) => self.screen.glyph(Glyph::Answer),
                (_, true) => self.screen.glyph(Glyph::Trunk),
                (_, false) => " ",
            }
        };
        let lines: String = match depth {
            Some(depth) => {
                let columns = (levels * 2).saturating_sub(3);
                format!("{depth:>columns$} {} ", glyph(0))
            }
            None => {
                let levels = (0..levels).rev();
                levels.flat_map(|level| [glyph(level), " "]).collect()
            }
        };
        let columns = text::width(&lines);
        line.push_span(self.screen.span(lines, Role::Dim));
        columns
    }

    /// The text on the right of a row: a column goes before the end of the text, anything longer uses the space that
    /// the text leaves. In a narrow pane only a short text remains.
    pub(super) fn aside(&self, visible: &VisibleRow<'_>, first: bool, room: usize) -> String {
        let row = visible.row;
        let is_wide = self.area.width >= COLUMNS;
        let aside = if is_wide {
            &row.aside
        } else {
            &row.short_aside
        };
        let Some(aside) = aside.as_ref().filter(|_| first).map(Text::as_str) else {
            return String::new();
        };
        let width = text::width_within(aside, room);
        // The title of a visit is more important than its URL.
        let is_column = self.view.document.shape() != Shape::Visits && width <= room * 3 / 5;
        let left = if is_column {
            room
        } else {
            room.saturating_sub(visible.width)
        };
        let left = left.saturating_sub(GAP.0 + GAP.1);
        let is_narrow = is_wide && room < TEXT + width.min(left) && row.lead.is_some();
        if left < 8 || is_narrow {
            return String::new();
        }
        let (before, behind) = (" ".repeat(GAP.0), " ".repeat(GAP.1));
        format!("{before}{}{behind}", self.screen.shorten(aside, left))
    }

    /// Draws the remark of a row in the columns that all others leave.
    pub(super) fn note(&self, row: &Row, line: &mut Line<'static>) {
        let room = usize::from(self.area.width).saturating_sub(line.width() + GAP.0);
        if let Some(note) = row.note.as_ref().filter(|_| room >= NOTE) {
            let note = self.screen.shorten(note.as_str(), room);
            line.push_span(" ".repeat(GAP.1));
            line.push_span(self.screen.span(note, Role::Dim));
        }
    }

    /// The width of the names of a listing, of the columns that the other columns leave.
    pub(super) fn name_width(&self, row: &Row, room: usize) -> Option<usize> {
        let columns = self.view.document.listing_columns()?;
        // The title of a remark is not a name.
        (!matches!(row.kind, Kind::Remark(_))).then_some(columns.name.min(room))
    }

    /// Draws the heads of the columns, the sorted one with a mark for the direction.
    pub(in crate::ui) fn heads(&self, area: Rect, buffer: &mut Buffer) {
        if let Some(status) = &self.view.error_status {
            let status = self
                .screen
                .shorten(status.as_str(), usize::from(area.width));
            let line = self.screen.line(status, Role::Error);
            return self.screen.write(buffer, area, &line);
        }
        match self.view.document.listing_columns() {
            Some(columns) => self.listing_heads(columns, area, buffer),
            None => self.news_heads(area, buffer),
        }
    }

    /// Draws the heads of a list of groups, or of the articles of a group.
    fn news_heads(&self, area: Rect, buffer: &mut Buffer) {
        let screen = self.screen;
        let start = self.space.gutter.width();
        let room = usize::from(area.width).saturating_sub(start);
        let order = self.view.document.order();
        let mut line = " ".repeat(start);
        let last = if self.view.document.shape() == Shape::Groups {
            // Writing to a string cannot fail.
            let columns = self.view.document.group_name_columns();
            let _ = write!(line, "{:columns$}About", "Group");
            "Articles".to_owned()
        } else {
            if let Some(columns) = lead_columns(room) {
                let author = head(screen, "Author", order, SortColumn::Author);
                let _ = write!(line, "{:columns$} ", screen.shorten(&author, columns));
            }
            // Threads are rows of subjects.
            let is_threaded = order.is_some_and(|order| order.column == SortColumn::Thread);
            let subject = if is_threaded {
                SortColumn::Thread
            } else {
                SortColumn::Subject
            };
            line.push_str(&head(screen, "Subject", order, subject));
            head(screen, "Date", order, SortColumn::Date)
        };
        let used = text::width(&line) + text::width(&last) + GAP.0 + GAP.1;
        if area.width >= COLUMNS && used <= usize::from(area.width) {
            line.push_str(&" ".repeat(usize::from(area.width) - used + GAP.0));
            line.push_str(&last);
        }
        let line = screen.shorten(&line, usize::from(area.width));
        screen.write(buffer, area, &screen.line(line, Role::Dim));
    }

    fn listing_heads(&self, columns: ListingColumns, area: Rect, buffer: &mut Buffer) {
        let screen = self.screen;
        let order = self.view.document.order();
        let head = |name: &str, column| head(screen, name, order, column);
        let start = self.space.gutter.width();
        let beside = GAP.0 + columns.size + 2 + columns.date + GAP.1;
        let room = usize::from(area.width).saturating_sub(start);
        let mut line = format!("{}{}", " ".repeat(start), head("Name", SortColumn::Name));
        if area.width >= COLUMNS && beside <= room * 3 / 5 + GAP.0 + GAP.1 {
            let name = columns.name.min(room - beside);
            let pad = (start + name + GAP.0).saturating_sub(text::width(&line));
            line.push_str(&" ".repeat(pad));
            let size = head("Size", SortColumn::Size);
            let pad = columns.size.saturating_sub(text::width(&size));
            line.push_str(&" ".repeat(pad));
            line.push_str(&size);
            line.push_str("  ");
            line.push_str(&head("Modified", SortColumn::Date));
        }
        screen.write(buffer, area, &screen.line(line, Role::Dim));
    }
}

/// The columns for the author in a row of `room` columns; `None` in a narrow one.
fn lead_columns(room: usize) -> Option<usize> {
    let is_wide = room >= LEAD.0 + TEXT / 2;
    is_wide.then(|| (room / 4).clamp(LEAD.0, LEAD.1))
}

/// The head of a column, with a mark if the rows are sorted by it.
fn head(screen: &Screen<'_>, name: &str, order: Option<ListOrder>, column: SortColumn) -> String {
    let mark = match order.filter(|order| order.column == column) {
        None => return name.to_owned(),
        Some(order) if order.reverse == ListOrder::new(column).reverse => Glyph::Sorted,
        Some(_) => Glyph::SortedReverse,
    };
    format!("{name} {}", screen.glyph(mark))
}
