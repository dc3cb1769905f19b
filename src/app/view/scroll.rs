//! The movement of the cursor and of the scroll position of a page: by rows, links, screens and lines of wrapped rows.

use std::sync::Arc;

use geomys_page::document::FoundLink;

use crate::app::view::document_view::LaidOutRow;
use crate::app::view::gutter::Gutter;
use crate::app::view::position::{ScrollPosition, TextArea};
use crate::app::view::viewport::Viewport;

impl Viewport {
    /// Moves by `rows`: the cursor in a list, the view in a text.
    pub fn step(&mut self, rows: isize, area: TextArea) {
        if self.is_list() {
            let last = self.count().saturating_sub(1);
            self.position.cursor = self.position.cursor.saturating_add_signed(rows).min(last);
            self.reveal(area);
        } else {
            self.scroll(rows, area);
        }
    }

    /// Moves by screens or parts of a screen, given in lines.
    pub fn page(&mut self, lines: isize, area: TextArea) {
        let before = self.position.top;
        self.scroll(lines, area);
        if self.is_list() {
            let last = self.count().saturating_sub(1);
            let moved = self.position.top.0.abs_diff(before.0);
            self.position.cursor = if self.position.top == before {
                // The view is at the edge, so only the cursor moves.
                if lines > 0 { last } else { 0 }
            } else if lines > 0 {
                (self.position.cursor + moved).min(last)
            } else {
                self.position.cursor.saturating_sub(moved)
            };
            self.reveal(area);
        }
    }

    /// Moves to the first row.
    pub fn to_top(&mut self) {
        self.position = ScrollPosition {
            left: self.position.left,
            ..ScrollPosition::default()
        };
    }

    /// Moves to the last row.
    pub fn to_bottom(&mut self, area: TextArea) {
        self.position.cursor = self.count().saturating_sub(1);
        self.position.link = None;
        self.position.top = self.on_screen(area).last_top();
    }

    /// Moves the cursor to a row, and scrolls to it.
    pub fn go_to(&mut self, row: usize, area: TextArea) {
        self.position.cursor = row.min(self.count().saturating_sub(1));
        self.position.link = None;
        self.reveal(area);
    }

    /// Moves to the next or the previous link. If the search limit is reached before, moves to the row where the search
    /// ended, so that the next key continues from there.
    pub fn step_link(&mut self, forward: bool, area: TextArea) -> FoundLink {
        let (found, link) = self.on_screen(area).next_link(forward);
        match found {
            FoundLink::Row(row) => {
                self.position.cursor = row;
                self.position.link = Some(link);
                self.reveal(area);
            }
            FoundLink::Beyond(row) => {
                self.go_to(row, area);
                if !self.is_list() {
                    self.position.top = (row, 0).min(self.on_screen(area).last_top());
                }
            }
            FoundLink::None => {}
        }
        found
    }

    /// Scrolls until the cursor is on screen.
    pub fn reveal(&mut self, area: TextArea) {
        let cursor = self.position.cursor;
        if cursor < self.position.top.0
            || (cursor == self.position.top.0 && self.position.top.1 > 0)
        {
            self.position.top = (cursor, 0);
            return;
        }
        // Go back from the cursor by at most the rows that fit on a screen.
        let last = cursor + 1 >= self.count();
        let note = if last { area.note } else { 0 };
        let mut lines = (self.on_screen(area).height_of(cursor) + note).min(area.height);
        let mut row = cursor;
        while row > self.position.top.0 {
            let above = self.on_screen(area).height_of(row - 1);
            if lines + above > area.height {
                self.position.top = (row, 0);
                return;
            }
            lines += above;
            row -= 1;
        }
    }

    /// Scrolls by lines, at most to the last screen.
    pub fn scroll(&mut self, lines: isize, area: TextArea) {
        let mut left = lines.unsigned_abs();
        let (mut row, mut line) = self.position.top;
        if lines < 0 {
            while left > 0 && (row, line) != (0, 0) {
                if line > 0 {
                    let step = line.min(left);
                    line -= step;
                    left -= step;
                } else {
                    row -= 1;
                    line = self.on_screen(area).height_of(row);
                }
            }
            self.position.top = (row, line);
        } else {
            let count = self.count();
            while left > 0 && row < count {
                let height = self.on_screen(area).height_of(row);
                let step = height.saturating_sub(line).min(left);
                line += step;
                left -= step;
                if line >= height {
                    row += 1;
                    line = 0;
                }
            }
            // Every row has at least one line. With this many rows below, the last screen is not reached.
            self.position.top = if row.saturating_add(area.height) < count {
                (row, line)
            } else {
                let last = self.on_screen(area).last_top();
                (row, line).min(last).max(self.position.top.min(last))
            };
        }
        if !self.is_list() && self.position.link.is_none() {
            self.position.cursor = self.position.top.0;
        }
    }

    /// Returns a row with its lines at this width: one line, if lines are not wrapped.
    pub fn laid_out(&self, row: usize, width: usize) -> Option<Arc<LaidOutRow>> {
        let columns = self.wrap.then_some(width);
        self.document.laid_out(row, columns)
    }

    /// Places the cursor on what is at a line and a column of the rows. Returns true if it is a link.
    pub(crate) fn click(&mut self, column: usize, line: usize, area: TextArea) -> bool {
        let Some((row, line)) = self.on_screen(area).row_at(line) else {
            return false;
        };
        if self.is_list() {
            self.position.cursor = row;
            return self.link().is_some();
        }
        let column = column.checked_sub(Gutter::of(self).width());
        let link = column.and_then(|column| self.on_screen(area).link_at(row, line, column));
        if let Some(link) = link {
            self.position.cursor = row;
            self.position.link = Some(link);
        }
        link.is_some()
    }

    /// Scrolls by lines; the cursor of a list stays on the screen.
    pub(crate) fn scroll_with_cursor(&mut self, lines: isize, area: TextArea) {
        self.scroll(lines, area);
        if self.is_list() {
            let last = self.on_screen(area).last_row();
            let first = self.position.top.0.min(last);
            self.position.cursor = self.position.cursor.clamp(first, last);
        }
    }
}
