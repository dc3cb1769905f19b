//! The rows of a document in the space of a pane, and the movement of the cursor and of the scroll position: by rows,
//! links, screens and lines of wrapped rows.

use std::ops::Range;
use std::sync::Arc;

use geomys_page::document::FoundLink;
use geomys_wire::text;

use crate::view::document_view::{LaidOutRow, RowLayout};
use crate::view::text_area::TextArea;
use crate::view::viewport::Viewport;

/// The rows of a document in the space of a pane.
#[derive(Clone, Copy, Debug)]
pub struct RowsOnScreen<'a> {
    rows: &'a Viewport,
    area: TextArea,
}

impl Viewport {
    /// Returns the rows in the space of a pane.
    pub fn on_screen(&self, area: TextArea) -> RowsOnScreen<'_> {
        RowsOnScreen { rows: self, area }
    }
}

impl RowsOnScreen<'_> {
    /// Returns true if the next or the previous link is on the screen.
    pub fn has_link(&self, forward: bool) -> bool {
        let (found, _) = self.next_link(forward);
        let bottom = self.rows.position.top.0.saturating_add(self.area.height);
        matches!(found, FoundLink::Row(row) if (self.rows.position.top.0..bottom).contains(&row))
    }

    /// Finds the row with the next link, and the index of the link in it.
    pub(super) fn next_link(&self, forward: bool) -> (FoundLink, usize) {
        let document = &self.rows.document;
        let count = document.count();
        let screen =
            self.rows.position.top.0..self.rows.position.top.0.saturating_add(self.area.height);
        let chosen = self
            .rows
            .position
            .link
            .filter(|_| screen.contains(&self.rows.position.cursor));
        if !document.is_list()
            && let Some(chosen) = chosen
        {
            let here = FoundLink::Row(self.rows.position.cursor);
            if forward && chosen + 1 < document.link_count(self.rows.position.cursor) {
                return (here, chosen + 1);
            }
            if !forward && Some(chosen) > document.first_link(self.rows.position.cursor) {
                return (here, chosen - 1);
            }
        }
        let start = match (document.is_list() || chosen.is_some(), forward) {
            (true, _) => self.rows.position.cursor,
            (false, true) => screen.start.checked_sub(1).unwrap_or(usize::MAX),
            (false, false) => screen.end.min(count),
        };
        let found = if forward {
            document.find_link(start.wrapping_add(1)..count)
        } else {
            document.find_link((0..start.min(count)).rev())
        };
        let link = match found {
            FoundLink::Row(row) if !forward && !document.is_list() => {
                document.link_count(row).saturating_sub(1)
            }
            FoundLink::Row(row) => document.first_link(row).unwrap_or_default(),
            FoundLink::None | FoundLink::Beyond(_) => 0,
        };
        (found, link)
    }

    /// Returns at most `most` links on screen: the row, and the index of the link in the row.
    pub fn links(&self, most: usize) -> Vec<(usize, usize)> {
        let mut links = Vec::new();
        let document = &self.rows.document;
        let (top, mut first) = self.rows.position.top;
        let mut room = self.area.height;
        for number in top..document.count() {
            if room == 0 || links.len() >= most {
                break;
            }
            if document.is_list() {
                links.extend(document.is_link(number).then_some((number, 0)));
                room -= 1;
                continue;
            }
            let Some(laid_out) = self.laid_out(number) else {
                break;
            };
            let shown = laid_out.lines.iter().skip(first).take(room);
            room -= shown.len();
            first = 0;
            let start = shown.clone().next().map_or(0, |line| line.start);
            let end = shown.clone().next_back().map_or(0, |line| line.end);
            let shown = self.visible(&laid_out, start..end);
            let starts = laid_out
                .row
                .link_starts()
                .filter(|(at, _)| shown.contains(at));
            // The part of a link on its second row has a label of its own only where the first one is not shown.
            let is_shown_above = number > top && document.continues_link(number);
            let starts = starts.filter(|(_, link)| *link > 0 || !is_shown_above);
            links.extend(starts.map(|(_, link)| (number, link)));
        }
        links.truncate(most);
        links
    }

    /// Returns the range of octets of a text line that is visible.
    fn visible(&self, row: &LaidOutRow, line: Range<usize>) -> Range<usize> {
        if row.is_wrapped {
            return line;
        }
        let text = row.text.as_str();
        text::prefix(text, self.rows.position.left)
            ..text::prefix(text, self.rows.position.left + self.area.columns)
    }

    /// Returns the last row that is at least partly on the screen.
    pub fn last_row(&self) -> usize {
        let (mut row, above) = self.rows.position.top;
        let mut lines = self.height_of(row).saturating_sub(above);
        while lines < self.area.height && row + 1 < self.rows.count() {
            row += 1;
            lines += self.height_of(row);
        }
        row
    }

    /// Returns true if the last row is on the screen.
    pub fn is_at_end(&self) -> bool {
        self.rows.position.top >= self.last_top()
    }

    /// Returns the top position with the last row on the last line.
    pub(super) fn last_top(&self) -> (usize, usize) {
        let mut row = self.rows.count();
        let mut room = self.area.height.saturating_sub(self.area.note).max(1);
        while row > 0 {
            let height = self.height_of(row - 1);
            if height >= room {
                return (row - 1, height - room);
            }
            room -= height;
            row -= 1;
        }
        (0, 0)
    }

    /// Returns the number of lines of a row.
    pub fn height_of(&self, row: usize) -> usize {
        if !self.rows.wrap {
            return 1;
        }
        self.laid_out(row).map_or(1, |row| row.lines.len())
    }

    /// Returns a row with its lines in the width of the space: one line, if lines are not wrapped.
    pub fn laid_out(&self, row: usize) -> Option<Arc<LaidOutRow>> {
        let layout = RowLayout {
            width: self.area.width,
            columns: self.area.columns,
            wraps: self.rows.wrap,
            gutter: self.area.gutter,
        };
        self.rows.document.laid_out(row, layout)
    }

    /// Returns the row at a line of the pane, and the line within the row.
    pub(super) fn row_at(&self, line: usize) -> Option<(usize, usize)> {
        let (mut row, above) = self.rows.position.top;
        let mut line = line + above;
        while row < self.rows.count() {
            let height = self.height_of(row);
            if line < height {
                return Some((row, line));
            }
            line -= height;
            row += 1;
        }
        None
    }

    /// Returns the column in the text of a row's line for a column of the pane; `None` in the gutter or the indentation
    /// of a wrapped line.
    pub(super) fn text_column(
        &self,
        laid_out: &LaidOutRow,
        line: usize,
        column: usize,
    ) -> Option<usize> {
        let column = column.checked_sub(self.area.gutter.width_before(&laid_out.row))?;
        if laid_out.is_wrapped {
            let hang = text::width(&laid_out.row.hang_text(self.area.width));
            column.checked_sub(if line > 0 { hang } else { 0 })
        } else {
            Some(column + self.rows.position.left)
        }
    }

    /// Returns the index of the link at a column of a row's line, with its gutter.
    pub(super) fn link_at(&self, row: usize, line: usize, column: usize) -> Option<usize> {
        let laid_out = self.laid_out(row)?;
        let range = laid_out.lines.get(line)?.clone();
        let column = self.text_column(&laid_out, line, column)?;
        let shown = laid_out.text.get(range.clone())?;
        if column >= text::width(shown) {
            return None;
        }
        let offset = range.start + text::prefix(shown, column);
        let mut end = 0;
        let span = laid_out.row.spans.iter().find(|span| {
            end += span.text.as_str().len();
            offset < end
        });
        span?.link
    }
}

/// Moves the cursor and the scroll position in the space of a pane.
#[derive(Debug)]
pub struct Scroller<'a> {
    pub(super) rows: &'a mut Viewport,
    pub(super) area: TextArea,
}

impl Viewport {
    /// Returns what moves the cursor and the scroll position in the space of a pane.
    pub fn scroller(&mut self, area: TextArea) -> Scroller<'_> {
        Scroller { rows: self, area }
    }
}

impl Scroller<'_> {
    /// Returns the rows in the space of the pane.
    pub(super) fn on_screen(&self) -> RowsOnScreen<'_> {
        self.rows.on_screen(self.area)
    }

    /// Moves by `rows`: the cursor in a list, the view in a text.
    pub fn step(&mut self, rows: isize) {
        if self.rows.is_list() {
            let last = self.rows.count().saturating_sub(1);
            self.rows.position.cursor = self
                .rows
                .position
                .cursor
                .saturating_add_signed(rows)
                .min(last);
            self.reveal();
        } else {
            self.scroll(rows);
        }
    }

    /// Moves by screens or parts of a screen, given in lines.
    pub fn page(&mut self, lines: isize) {
        let before = self.rows.position.top;
        self.scroll(lines);
        if self.rows.is_list() {
            let last = self.rows.count().saturating_sub(1);
            let moved = self.rows.position.top.0.abs_diff(before.0);
            self.rows.position.cursor = if self.rows.position.top == before {
                // The view is at the edge, so only the cursor moves.
                if lines > 0 { last } else { 0 }
            } else if lines > 0 {
                (self.rows.position.cursor + moved).min(last)
            } else {
                self.rows.position.cursor.saturating_sub(moved)
            };
            self.reveal();
        }
    }

    /// Moves to the last row.
    pub fn to_bottom(&mut self) {
        self.rows.position.cursor = self.rows.count().saturating_sub(1);
        self.rows.position.link = None;
        self.rows.position.top = self.on_screen().last_top();
    }

    /// Moves the cursor to a row, and scrolls to it.
    pub fn go_to(&mut self, row: usize) {
        self.rows.position.cursor = row.min(self.rows.count().saturating_sub(1));
        self.rows.position.link = None;
        self.reveal();
    }

    /// Moves to the next or the previous link. If the search limit is reached before, moves to the row where the search
    /// ended, so that the next key continues from there.
    pub fn step_link(&mut self, forward: bool) -> FoundLink {
        let (found, link) = self.on_screen().next_link(forward);
        match found {
            FoundLink::Row(row) => {
                self.rows.position.cursor = row;
                self.rows.position.link = Some(link);
                self.reveal();
            }
            FoundLink::Beyond(row) => {
                self.go_to(row);
                if !self.rows.is_list() {
                    self.rows.position.top = (row, 0).min(self.on_screen().last_top());
                }
            }
            FoundLink::None => {}
        }
        found
    }

    /// Scrolls until the cursor is on screen.
    pub fn reveal(&mut self) {
        let cursor = self.rows.position.cursor;
        if cursor < self.rows.position.top.0
            || (cursor == self.rows.position.top.0 && self.rows.position.top.1 > 0)
        {
            self.rows.position.top = (cursor, 0);
            return;
        }
        // Go back from the cursor by at most the rows that fit on a screen.
        let last = cursor + 1 >= self.rows.count();
        let note = if last { self.area.note } else { 0 };
        let mut lines = (self.on_screen().height_of(cursor) + note).min(self.area.height);
        let mut row = cursor;
        while row > self.rows.position.top.0 {
            let above = self.on_screen().height_of(row - 1);
            if lines + above > self.area.height {
                self.rows.position.top = (row, 0);
                return;
            }
            lines += above;
            row -= 1;
        }
    }

    /// After a resize, scrolls back so far that the rows fill the screen; the cursor of a list stays on it.
    pub(crate) fn follow_resize(&mut self) {
        let rows = &mut *self.rows;
        let is_moving = rows.saved.is_some() || rows.finishing.is_some();
        if is_moving || rows.laying_out.is_some() || rows.document.wants_layout() {
            return;
        }
        let size = (self.area.width, self.area.height);
        let before = rows.fitted.replace(size);
        if before.is_none_or(|before| before == size) {
            return;
        }
        let (row, line) = rows.position.top;
        let line = line.min(self.on_screen().height_of(row).saturating_sub(1));
        self.rows.position.top = (row, line).min(self.on_screen().last_top());
        if self.rows.is_list() {
            self.reveal();
        } else if self.rows.position.link.is_none() {
            self.rows.position.cursor = self.rows.position.top.0;
        }
    }

    /// Scrolls by lines, at most to the last screen.
    pub fn scroll(&mut self, lines: isize) {
        let mut left = lines.unsigned_abs();
        let (mut row, mut line) = self.rows.position.top;
        if lines < 0 {
            while left > 0 && (row, line) != (0, 0) {
                if line > 0 {
                    let step = line.min(left);
                    line -= step;
                    left -= step;
                } else {
                    row -= 1;
                    line = self.on_screen().height_of(row);
                }
            }
            self.rows.position.top = (row, line);
        } else {
            let count = self.rows.count();
            while left > 0 && row < count {
                let height = self.on_screen().height_of(row);
                let step = height.saturating_sub(line).min(left);
                line += step;
                left -= step;
                if line >= height {
                    row += 1;
                    line = 0;
                }
            }
            // Every row has at least one line. With this many rows below, the last screen is not reached.
            self.rows.position.top = if row.saturating_add(self.area.height) < count {
                (row, line)
            } else {
                let last = self.on_screen().last_top();
                (row, line).min(last).max(self.rows.position.top.min(last))
            };
        }
        if !self.rows.is_list() && self.rows.position.link.is_none() {
            self.rows.position.cursor = self.rows.position.top.0;
        }
    }

    /// Places the cursor on what is at a line and a column of the rows. Returns true if it is a link.
    pub(crate) fn click(&mut self, column: usize, line: usize) -> bool {
        let Some((row, line)) = self.on_screen().row_at(line) else {
            return false;
        };
        if self.rows.is_list() {
            self.rows.position.cursor = row;
            return self.rows.link().is_some();
        }
        let link = self.on_screen().link_at(row, line, column);
        if let Some(link) = link {
            self.rows.position.cursor = row;
            self.rows.position.link = Some(link);
        }
        link.is_some()
    }

    /// Scrolls by lines; the cursor of a list stays on the screen.
    pub(crate) fn scroll_with_cursor(&mut self, lines: isize) {
        self.scroll(lines);
        if self.rows.is_list() {
            let last = self.on_screen().last_row();
            let first = self.rows.position.top.0.min(last);
            self.rows.position.cursor = self.rows.position.cursor.clamp(first, last);
        }
    }

    /// Scrolls so that a row is the first on the screen, as far as there are rows below.
    pub(crate) fn show_row(&mut self, row: usize) {
        self.rows.position.top = (row, 0);
        self.go_to(row);
    }
}
