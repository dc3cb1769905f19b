//! The rows of a document in the space of a pane: their heights, the rows and links on the screen, and the end of the document.

use std::ops::Range;
use std::sync::Arc;

use geomys_page::document::FoundLink;
use geomys_wire::text;

use crate::app::view::document_view::LaidOutRow;
use crate::app::view::position::TextArea;
use crate::app::view::viewport::Viewport;

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
    pub(crate) fn is_at_end(&self) -> bool {
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
        let columns = self.rows.wrap.then_some(self.area.width);
        self.rows.document.laid_out(row, columns)
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

    /// Returns the index of the link at a column of a row's line.
    pub(super) fn link_at(&self, row: usize, line: usize, column: usize) -> Option<usize> {
        let laid_out = self.laid_out(row)?;
        let range = laid_out.lines.get(line)?.clone();
        let column = if laid_out.is_wrapped {
            let hang = text::width(&laid_out.row.hang_text(self.area.width));
            column.checked_sub(if line > 0 { hang } else { 0 })?
        } else {
            column + self.rows.position.left
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
}
