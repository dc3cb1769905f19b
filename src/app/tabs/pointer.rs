//! The rows and links under the pointer of the mouse, and the tabs in their row.

use std::ops::Range;

use geomys_wire::text;
use ratatui::layout::Position;

use crate::app::view::gutter::{Gutter, rows_area, view};
use crate::app::view::position::Viewport;
use crate::app::{Context, Page, Tabs};

impl Tabs {
    /// Returns the labels of the tabs on a screen of this width, and their columns.
    pub fn labels(&self, width: u16) -> Vec<(String, Range<u16>)> {
        let count = self.tabs().len().max(1);
        let room = (usize::from(width) / count).clamp(6, 28);
        let mut x = 0_u16;
        let tabs = self.tabs().iter().enumerate();
        tabs.map(|(index, tab)| {
            let label = format!("{} {}", index + 1, tab.pane().title());
            let taken = text::width(&label).min(room.saturating_sub(3)) + 2;
            let start = x;
            x = x.saturating_add(u16::try_from(taken).unwrap_or(u16::MAX));
            let columns = start..x;
            x = x.saturating_add(1);
            (label, columns)
        })
        .collect()
    }

    /// Places the cursor of the page with the focus on what is at a position of the screen. Returns true if it is a link.
    pub(crate) fn click(&mut self, at: Position, cx: &Context) -> bool {
        let area = self.tab().and_then(|tab| cx.layout.pane(tab.focus()));
        let Some(area) = area.filter(|area| area.contains(at)) else {
            return false;
        };
        let Some((page, view)) = self.page_view(cx) else {
            return false;
        };
        let area = rows_area(page, area, cx.settings.reading);
        if !area.contains(at) {
            return false;
        }
        let (column, line) = (usize::from(at.x - area.x), usize::from(at.y - area.y));
        let Some((row, line)) = page.row_at(line, view) else {
            return false;
        };
        if page.is_list() {
            page.position.cursor = row;
            return page.link().is_some();
        }
        let column = column.checked_sub(Gutter::of(page).width());
        let link = column.and_then(|column| page.link_at(row, line, column, view));
        if let Some(link) = link {
            page.position.cursor = row;
            page.position.link = Some(link);
        }
        link.is_some()
    }

    /// Scrolls the page at a position of the screen. The focus stays.
    pub(crate) fn scroll_at(&mut self, at: Position, lines: isize, cx: &Context) {
        let mut pages = self.pages_on_screen(&cx.layout);
        if let Some((page, area)) = pages.find(|(_, area)| area.contains(at)) {
            page.scroll_with_cursor(lines, view(page, area, cx.settings.reading));
        }
    }
}

impl Page {
    /// Returns the row at a line of the pane, and the line within the row.
    fn row_at(&self, line: usize, view: Viewport) -> Option<(usize, usize)> {
        let (mut row, above) = self.position.top;
        let mut line = line + above;
        while row < self.count() {
            let height = self.height_of(row, view);
            if line < height {
                return Some((row, line));
            }
            line -= height;
            row += 1;
        }
        None
    }

    /// Returns the index of the link at a column of a row's line.
    fn link_at(&self, row: usize, line: usize, column: usize, view: Viewport) -> Option<usize> {
        let laid_out = self.laid_out(row, view.width)?;
        let range = laid_out.lines.get(line)?.clone();
        let column = if self.wrap {
            let hang = text::width(&laid_out.row.hang_text(view.width));
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
    fn scroll_with_cursor(&mut self, lines: isize, view: Viewport) {
        if let Some(session) = self.session_mut() {
            return session.scroll(lines);
        }
        self.scroll(lines, view);
        if self.is_list() {
            let last = self.last_visible_row(view);
            let first = self.position.top.0.min(last);
            self.position.cursor = self.position.cursor.clamp(first, last);
        }
    }
}
