//! The scroll position and the cursor of a page, and their movement by rows, links, screens and lines of wrapped rows.

use std::ops::Range;
use std::sync::Arc;

use geomys_page::document::FoundLink;
use geomys_wire::text;

use crate::app::Page;
use crate::app::tabs::page::{Content, State};
use crate::app::view::document_view::LaidOutRow;
use crate::app::view::position::{ScrollPosition, Viewport};

/// The maximum number of lines that the page of a failure scrolls.
const FAILURE: usize = 40;

impl Page {
    /// Moves by `rows`: the cursor in a list, the view in a text.
    pub fn step(&mut self, rows: isize, view: Viewport) {
        if let Some(session) = self.session_mut() {
            return session.scroll(rows);
        }
        if self.is_list() {
            let last = self.count().saturating_sub(1);
            self.position.cursor = self.position.cursor.saturating_add_signed(rows).min(last);
            self.reveal(view);
        } else {
            self.scroll(rows, view);
        }
    }

    /// Moves by screens or parts of a screen, given in lines.
    pub fn page(&mut self, lines: isize, view: Viewport) {
        if let Some(session) = self.session_mut() {
            return session.scroll(lines);
        }
        let before = self.position.top;
        self.scroll(lines, view);
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
            self.reveal(view);
        }
    }

    /// Moves to the first row.
    pub fn to_top(&mut self) {
        if let Some(session) = self.session_mut() {
            return session.scroll(isize::MIN);
        }
        self.position = ScrollPosition {
            left: self.position.left,
            ..ScrollPosition::default()
        };
    }

    /// Moves to the last row.
    pub fn to_bottom(&mut self, view: Viewport) {
        if let Some(session) = self.session_mut() {
            return session.scroll(isize::MAX);
        }
        self.position.cursor = self.count().saturating_sub(1);
        self.position.link = None;
        self.position.top = self.last_top(view);
    }

    /// Moves the cursor to a row, and scrolls to it.
    pub fn go_to(&mut self, row: usize, view: Viewport) {
        self.position.cursor = row.min(self.count().saturating_sub(1));
        self.position.link = None;
        self.reveal(view);
    }

    /// Moves to the next or the previous link. If the search limit is reached before, moves to the row where the search
    /// ended, so that the next key continues from there.
    pub fn step_link(&mut self, forward: bool, view: Viewport) -> FoundLink {
        let (found, link) = self.find_next_link(forward, view);
        match found {
            FoundLink::Row(row) => {
                self.position.cursor = row;
                self.position.link = Some(link);
                self.reveal(view);
            }
            FoundLink::Beyond(row) => {
                self.go_to(row, view);
                if !self.is_list() {
                    self.position.top = (row, 0).min(self.last_top(view));
                }
            }
            FoundLink::None => {}
        }
        found
    }

    /// Returns true if the next or the previous link is on the screen.
    pub fn has_link_on_screen(&self, forward: bool, view: Viewport) -> bool {
        let (found, _) = self.find_next_link(forward, view);
        let bottom = self.position.top.0.saturating_add(view.height);
        matches!(found, FoundLink::Row(row) if (self.position.top.0..bottom).contains(&row))
    }

    /// Finds the row with the next link, and the index of the link in it.
    fn find_next_link(&self, forward: bool, view: Viewport) -> (FoundLink, usize) {
        let Some(document) = self.document() else {
            return (FoundLink::None, 0);
        };
        let count = document.count();
        let screen = self.position.top.0..self.position.top.0.saturating_add(view.height);
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
    pub fn visible_links(&self, view: Viewport, most: usize) -> Vec<(usize, usize)> {
        let mut links = Vec::new();
        let Some(document) = self.document() else {
            return links;
        };
        let (top, mut first) = self.position.top;
        let mut room = view.height;
        for number in top..document.count() {
            if room == 0 || links.len() >= most {
                break;
            }
            if document.is_list() {
                links.extend(document.is_link(number).then_some((number, 0)));
                room -= 1;
                continue;
            }
            let Some(laid_out) = self.laid_out(number, view.width) else {
                break;
            };
            let shown = laid_out.lines.iter().skip(first).take(room);
            room -= shown.len();
            first = 0;
            let start = shown.clone().next().map_or(0, |line| line.start);
            let end = shown.clone().next_back().map_or(0, |line| line.end);
            let shown = self.visible(&laid_out.text, start..end, view.width);
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
    fn visible(&self, text: &str, line: Range<usize>, columns: usize) -> Range<usize> {
        if self.wrap {
            return line;
        }
        text::prefix(text, self.position.left)..text::prefix(text, self.position.left + columns)
    }

    /// Scrolls until the cursor is on screen.
    pub fn reveal(&mut self, view: Viewport) {
        let cursor = self.position.cursor;
        if cursor < self.position.top.0
            || (cursor == self.position.top.0 && self.position.top.1 > 0)
        {
            self.position.top = (cursor, 0);
            return;
        }
        // Go back from the cursor by at most the rows that fit on a screen.
        let last = cursor + 1 >= self.count();
        let note = if last { self.note_height() } else { 0 };
        let mut lines = (self.height_of(cursor, view) + note).min(view.height);
        let mut row = cursor;
        while row > self.position.top.0 {
            let above = self.height_of(row - 1, view);
            if lines + above > view.height {
                self.position.top = (row, 0);
                return;
            }
            lines += above;
            row -= 1;
        }
    }

    /// Scrolls by lines, at most to the last screen.
    pub fn scroll(&mut self, lines: isize, view: Viewport) {
        if let Content::Failure(_) = self.content {
            // The drawing code limits the value to the lines of the failure.
            self.position.top.0 = self
                .position
                .top
                .0
                .saturating_add_signed(lines)
                .min(FAILURE);
            return;
        }
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
                    line = self.height_of(row, view);
                }
            }
            self.position.top = (row, line);
        } else {
            let count = self.count();
            while left > 0 && row < count {
                let height = self.height_of(row, view);
                let step = height.saturating_sub(line).min(left);
                line += step;
                left -= step;
                if line >= height {
                    row += 1;
                    line = 0;
                }
            }
            // Every row has at least one line. With this many rows below, the last screen is not reached.
            self.position.top = if row.saturating_add(view.height) < count {
                (row, line)
            } else {
                let last = self.last_top(view);
                (row, line).min(last).max(self.position.top.min(last))
            };
        }
        if !self.is_list() && self.position.link.is_none() {
            self.position.cursor = self.position.top.0;
        }
    }

    /// Returns the last row that is at least partly on the screen.
    pub fn last_visible_row(&self, view: Viewport) -> usize {
        let (mut row, above) = self.position.top;
        let mut lines = self.height_of(row, view).saturating_sub(above);
        while lines < view.height && row + 1 < self.count() {
            row += 1;
            lines += self.height_of(row, view);
        }
        row
    }

    /// Returns true if the last row is on the screen.
    pub(crate) fn is_at_end(&self, view: Viewport) -> bool {
        self.position.top >= self.last_top(view)
    }

    /// Returns the top position with the last row on the last line.
    fn last_top(&self, view: Viewport) -> (usize, usize) {
        let mut row = self.count();
        let mut room = view.height.saturating_sub(self.note_height()).max(1);
        while row > 0 {
            let height = self.height_of(row - 1, view);
            if height >= room {
                return (row - 1, height - room);
            }
            room -= height;
            row -= 1;
        }
        (0, 0)
    }

    /// Returns the number of lines below the last row, which tell why the page ends there.
    fn note_height(&self) -> usize {
        let is_running = self.load().is_some();
        let has_note = self.state != State::Whole || self.end.note().is_some();
        usize::from(!is_running && has_note)
    }

    /// Returns the number of lines of a row.
    pub fn height_of(&self, row: usize, view: Viewport) -> usize {
        if !self.wrap {
            return 1;
        }
        self.laid_out(row, view.width)
            .map_or(1, |row| row.lines.len())
    }

    /// Returns a row with its lines at this width: one line, if lines are not wrapped.
    pub fn laid_out(&self, row: usize, width: usize) -> Option<Arc<LaidOutRow>> {
        let columns = self.wrap.then_some(width);
        self.document_view()?.laid_out(row, columns)
    }
}
