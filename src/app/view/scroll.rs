//! The scroll position and the cursor of a page, and their movement by rows, links, screens and lines of wrapped rows.

use std::ops::Range;
use std::sync::Arc;

use geomys_page::document::FoundLink;
use geomys_wire::text;

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
        self.position.top = self.last_top(area);
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
        let (found, link) = self.find_next_link(forward, area);
        match found {
            FoundLink::Row(row) => {
                self.position.cursor = row;
                self.position.link = Some(link);
                self.reveal(area);
            }
            FoundLink::Beyond(row) => {
                self.go_to(row, area);
                if !self.is_list() {
                    self.position.top = (row, 0).min(self.last_top(area));
                }
            }
            FoundLink::None => {}
        }
        found
    }

    /// Returns true if the next or the previous link is on the screen.
    pub fn has_link_on_screen(&self, forward: bool, area: TextArea) -> bool {
        let (found, _) = self.find_next_link(forward, area);
        let bottom = self.position.top.0.saturating_add(area.height);
        matches!(found, FoundLink::Row(row) if (self.position.top.0..bottom).contains(&row))
    }

    /// Finds the row with the next link, and the index of the link in it.
    fn find_next_link(&self, forward: bool, area: TextArea) -> (FoundLink, usize) {
        let document = &self.document;
        let count = document.count();
        let screen = self.position.top.0..self.position.top.0.saturating_add(area.height);
        let chosen = self
            .position
            .link
            .filter(|_| screen.contains(&self.position.cursor));
        if !document.is_list()
            && let Some(chosen) = chosen
        {
            let here = FoundLink::Row(self.position.cursor);
            if forward && chosen + 1 < document.link_count(self.position.cursor) {
                return (here, chosen + 1);
            }
            if !forward && Some(chosen) > document.first_link(self.position.cursor) {
                return (here, chosen - 1);
            }
        }
        let start = match (document.is_list() || chosen.is_some(), forward) {
            (true, _) => self.position.cursor,
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
    pub fn visible_links(&self, area: TextArea, most: usize) -> Vec<(usize, usize)> {
        let mut links = Vec::new();
        let document = &self.document;
        let (top, mut first) = self.position.top;
        let mut room = area.height;
        for number in top..document.count() {
            if room == 0 || links.len() >= most {
                break;
            }
            if document.is_list() {
                links.extend(document.is_link(number).then_some((number, 0)));
                room -= 1;
                continue;
            }
            let Some(laid_out) = self.laid_out(number, area.width) else {
                break;
            };
            let shown = laid_out.lines.iter().skip(first).take(room);
            room -= shown.len();
            first = 0;
            let start = shown.clone().next().map_or(0, |line| line.start);
            let end = shown.clone().next_back().map_or(0, |line| line.end);
            let shown = self.visible(&laid_out, start..end, area.columns);
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

    /// Returns the range of octets of a text line that is visible in a pane with this number of columns.
    fn visible(&self, row: &LaidOutRow, line: Range<usize>, columns: usize) -> Range<usize> {
        if row.is_wrapped {
            return line;
        }
        let text = row.text.as_str();
        text::prefix(text, self.position.left)..text::prefix(text, self.position.left + columns)
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
        let mut lines = (self.height_of(cursor, area) + note).min(area.height);
        let mut row = cursor;
        while row > self.position.top.0 {
            let above = self.height_of(row - 1, area);
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
                    line = self.height_of(row, area);
                }
            }
            self.position.top = (row, line);
        } else {
            let count = self.count();
            while left > 0 && row < count {
                let height = self.height_of(row, area);
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
                let last = self.last_top(area);
                (row, line).min(last).max(self.position.top.min(last))
            };
        }
        if !self.is_list() && self.position.link.is_none() {
            self.position.cursor = self.position.top.0;
        }
    }

    /// Returns the last row that is at least partly on the screen.
    pub fn last_visible_row(&self, area: TextArea) -> usize {
        let (mut row, above) = self.position.top;
        let mut lines = self.height_of(row, area).saturating_sub(above);
        while lines < area.height && row + 1 < self.count() {
            row += 1;
            lines += self.height_of(row, area);
        }
        row
    }

    /// Returns true if the last row is on the screen.
    pub(crate) fn is_at_end(&self, area: TextArea) -> bool {
        self.position.top >= self.last_top(area)
    }

    /// Returns the top position with the last row on the last line.
    fn last_top(&self, area: TextArea) -> (usize, usize) {
        let mut row = self.count();
        let mut room = area.height.saturating_sub(area.note).max(1);
        while row > 0 {
            let height = self.height_of(row - 1, area);
            if height >= room {
                return (row - 1, height - room);
            }
            room -= height;
            row -= 1;
        }
        (0, 0)
    }

    /// Returns the number of lines of a row.
    pub fn height_of(&self, row: usize, area: TextArea) -> usize {
        if !self.wrap {
            return 1;
        }
        self.laid_out(row, area.width)
            .map_or(1, |row| row.lines.len())
    }

    /// Returns a row with its lines at this width: one line, if lines are not wrapped.
    pub fn laid_out(&self, row: usize, width: usize) -> Option<Arc<LaidOutRow>> {
        let columns = self.wrap.then_some(width);
        self.document.laid_out(row, columns)
    }

    /// Places the cursor on what is at a line and a column of the rows. Returns true if it is a link.
    pub(crate) fn click(&mut self, column: usize, line: usize, area: TextArea) -> bool {
        let Some((row, line)) = self.row_at(line, area) else {
            return false;
        };
        if self.is_list() {
            self.position.cursor = row;
            return self.link().is_some();
        }
        let column = column.checked_sub(Gutter::of(self).width());
        let link = column.and_then(|column| self.link_at(row, line, column, area));
        if let Some(link) = link {
            self.position.cursor = row;
            self.position.link = Some(link);
        }
        link.is_some()
    }

    /// Returns the row at a line of the pane, and the line within the row.
    fn row_at(&self, line: usize, area: TextArea) -> Option<(usize, usize)> {
        let (mut row, above) = self.position.top;
        let mut line = line + above;
        while row < self.count() {
            let height = self.height_of(row, area);
            if line < height {
                return Some((row, line));
            }
            line -= height;
            row += 1;
        }
        None
    }

    /// Returns the index of the link at a column of a row's line.
    fn link_at(&self, row: usize, line: usize, column: usize, area: TextArea) -> Option<usize> {
        let laid_out = self.laid_out(row, area.width)?;
        let range = laid_out.lines.get(line)?.clone();
        let column = if laid_out.is_wrapped {
            let hang = text::width(&laid_out.row.hang_text(area.width));
            column.checked_sub(if line > 0 { hang } else { 0 })?
        } else {
            column + self.position.left
        };
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

    /// Scrolls by lines; the cursor of a list stays on the screen.
    pub(crate) fn scroll_with_cursor(&mut self, lines: isize, area: TextArea) {
        self.scroll(lines, area);
        if self.is_list() {
            let last = self.last_visible_row(area);
            let first = self.position.top.0.min(last);
            self.position.cursor = self.position.cursor.clamp(first, last);
        }
    }
}
