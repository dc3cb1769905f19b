//! The place at which a page is read, and how keys move it: rows, links, screens, lines of wrapped rows.

use std::ops::Range;
use std::sync::Arc;

use super::document_view::LaidOutRow;
use super::page::{Content, Page, State};
use crate::document::FoundLink;
use crate::text;

/// Lines that a failure is scrolled at the most.
const FAILURE: usize = 40;

/// A place in a page. Rows are counted from 0; a wrapped row has several lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The row of the cursor.
    pub cursor: usize,
    /// Which of its links is chosen, where a row can have several.
    pub link: Option<usize>,
    /// The first row on screen, and its first line there.
    pub top: (usize, usize),
    /// Columns scrolled to the right.
    pub left: usize,
}

/// The room that a page's text has on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Columns for the text of a row.
    pub width: usize,
    /// Lines.
    pub height: usize,
}

impl Page {
    /// Moves by `rows`: the cursor of a list, the screen of a text.
    pub fn step(&mut self, rows: isize, view: View) {
        if let Some(session) = self.session_mut() {
            return session.scroll(rows);
        }
        if self.is_list() {
            let last = self.count().saturating_sub(1);
            self.place.cursor = self.place.cursor.saturating_add_signed(rows).min(last);
            self.reveal(view);
        } else {
            self.scroll(rows, view);
        }
    }

    /// Moves by screens, or by parts of one, in lines.
    pub fn page(&mut self, lines: isize, view: View) {
        if let Some(session) = self.session_mut() {
            return session.scroll(lines);
        }
        let before = self.place.top;
        self.scroll(lines, view);
        if self.is_list() {
            let last = self.count().saturating_sub(1);
            let moved = self.place.top.0.abs_diff(before.0);
            self.place.cursor = if self.place.top == before {
                // The screen cannot go further, so the cursor does.
                if lines > 0 { last } else { 0 }
            } else if lines > 0 {
                (self.place.cursor + moved).min(last)
            } else {
                self.place.cursor.saturating_sub(moved)
            };
            self.reveal(view);
        }
    }

    /// To the first row.
    pub fn to_top(&mut self) {
        if let Some(session) = self.session_mut() {
            return session.scroll(isize::MIN);
        }
        self.place = Place {
            left: self.place.left,
            ..Place::default()
        };
    }

    /// To the last row.
    pub fn to_bottom(&mut self, view: View) {
        if let Some(session) = self.session_mut() {
            return session.scroll(isize::MAX);
        }
        self.place.cursor = self.count().saturating_sub(1);
        self.place.link = None;
        self.place.top = self.last_top(view);
    }

    /// Puts the cursor on a row and shows it.
    pub fn go_to(&mut self, row: usize, view: View) {
        self.place.cursor = row.min(self.count().saturating_sub(1));
        self.place.link = None;
        self.reveal(view);
    }

    /// To the next link, or the one before. Where that is out of reach, to the row up to which there is none, so that the
    /// next key goes on from there.
    pub fn step_link(&mut self, forward: bool, view: View) -> FoundLink {
        let (found, link) = self.seek_link(forward, view);
        match found {
            FoundLink::Row(row) => {
                self.place.cursor = row;
                self.place.link = Some(link);
                self.reveal(view);
            }
            FoundLink::Beyond(row) => {
                self.go_to(row, view);
                if !self.is_list() {
                    self.place.top = (row, 0).min(self.last_top(view));
                }
            }
            FoundLink::None => {}
        }
        found
    }

    /// The row with the next link, and which of its links that is.
    fn seek_link(&self, forward: bool, view: View) -> (FoundLink, usize) {
        let Some(document) = self.document() else {
            return (FoundLink::None, 0);
        };
        let count = document.count();
        let screen = self.place.top.0..self.place.top.0.saturating_add(view.height);
        let chosen = self
            .place
            .link
            .filter(|_| screen.contains(&self.place.cursor));
        if !document.is_list()
            && let Some(chosen) = chosen
        {
            let here = FoundLink::Row(self.place.cursor);
            if forward && chosen + 1 < document.link_count(self.place.cursor) {
                return (here, chosen + 1);
            }
            if !forward && chosen > 0 {
                return (here, chosen - 1);
            }
        }
        let start = match (document.is_list() || chosen.is_some(), forward) {
            (true, _) => self.place.cursor,
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
            FoundLink::Row(_) | FoundLink::None | FoundLink::Beyond(_) => 0,
        };
        (found, link)
    }

    /// The links that are on screen, each by its row and which of the row's links it is; no more than `most`.
    pub fn visible_links(&self, view: View, most: usize) -> Vec<(usize, usize)> {
        let mut links = Vec::new();
        let Some(document) = self.document() else {
            return links;
        };
        let (top, mut first) = self.place.top;
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
            links.extend(starts.map(|(_, link)| (number, link)));
        }
        links.truncate(most);
        links
    }

    /// The octets of a line of a text that stand in a pane of this many columns.
    fn visible(&self, text: &str, line: Range<usize>, columns: usize) -> Range<usize> {
        if self.wrap {
            return line;
        }
        text::prefix(text, self.place.left)..text::prefix(text, self.place.left + columns)
    }

    /// Scrolls until the cursor is on screen.
    pub fn reveal(&mut self, view: View) {
        let cursor = self.place.cursor;
        if cursor < self.place.top.0 || (cursor == self.place.top.0 && self.place.top.1 > 0) {
            self.place.top = (cursor, 0);
            return;
        }
        // Walk back from the cursor: no more rows than a screen has lines.
        let last = cursor + 1 >= self.count();
        let note = if last { self.note_height() } else { 0 };
        let mut lines = (self.height_of(cursor, view) + note).min(view.height);
        let mut row = cursor;
        while row > self.place.top.0 {
            let above = self.height_of(row - 1, view);
            if lines + above > view.height {
                self.place.top = (row, 0);
                return;
            }
            lines += above;
            row -= 1;
        }
    }

    /// Scrolls by lines, no further than the last screen.
    pub fn scroll(&mut self, lines: isize, view: View) {
        if let Content::Failure(_) = self.content {
            // The screen knows where its sentences end.
            self.place.top.0 = self.place.top.0.saturating_add_signed(lines).min(FAILURE);
            return;
        }
        let mut left = lines.unsigned_abs();
        let (mut row, mut line) = self.place.top;
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
            self.place.top = (row, line);
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
            // Every row has a line, so that no screen below is the last where so many rows follow.
            self.place.top = if row.saturating_add(view.height) < count {
                (row, line)
            } else {
                let last = self.last_top(view);
                (row, line).min(last).max(self.place.top.min(last))
            };
        }
        if !self.is_list() && self.place.link.is_none() {
            self.place.cursor = self.place.top.0;
        }
    }

    /// The place at which the last row stands on the last line.
    fn last_top(&self, view: View) -> (usize, usize) {
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

    /// Lines below the last row that say why the page ends there.
    fn note_height(&self) -> usize {
        match self.state {
            State::Arriving(_) | State::Held(_) | State::Whole => 0,
            State::Stopped | State::Left | State::Cut(_) | State::Broken(_) => 1,
        }
    }

    /// Lines that a row takes.
    pub fn height_of(&self, row: usize, view: View) -> usize {
        if !self.wrap {
            return 1;
        }
        self.laid_out(row, view.width)
            .map_or(1, |row| row.lines.len())
    }

    /// A row with the lines that it takes in so many columns: one, where lines are not wrapped.
    pub fn laid_out(&self, row: usize, width: usize) -> Option<Arc<LaidOutRow>> {
        let columns = self.wrap.then_some(width);
        self.document_view()?.laid_out(row, columns)
    }
}
