//! The movement of the cursor and of the scroll position of a page: by rows, links, screens and lines of wrapped rows.

use geomys_page::document::FoundLink;

use crate::app::view::gutter::Gutter;
use crate::app::view::position::TextArea;
use crate::app::view::rows_on_screen::RowsOnScreen;
use crate::app::view::viewport::Viewport;

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
        let column = column.checked_sub(Gutter::of(self.rows).width());
        let link = column.and_then(|column| self.on_screen().link_at(row, line, column));
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
