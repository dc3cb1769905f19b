//! The rows and links under the pointer of the mouse, and the tabs in their row.

use std::ops::Range;

use geomys_wire::text;
use ratatui::layout::Position;

use crate::app::tabs::tab::Tab;
use crate::app::view::gutter::rows_area;
use crate::app::{Context, Tabs};

impl Tabs {
    /// Places the cursor of the page with the focus on what is at a position of the screen. Returns true if it is a link.
    pub(crate) fn click(&mut self, at: Position, cx: &Context) -> bool {
        let area = self.tab().and_then(|tab| cx.layout.pane(tab.focus()));
        let Some(area) = area.filter(|area| area.contains(at)) else {
            return false;
        };
        let Some((rows, space)) = self.rows_mut(cx) else {
            return false;
        };
        let area = rows_area(rows, area, cx.settings.reading);
        area.contains(at)
            && rows
                .scroller(space)
                .click(usize::from(at.x - area.x), usize::from(at.y - area.y))
    }
}

impl Tab {
    /// Scrolls the page at a position of the screen. The focus stays.
    pub(crate) fn scroll_at(&mut self, at: Position, lines: isize, cx: &Context) {
        let mut pages = self.pages_on_screen(&cx.layout);
        if let Some((page, area)) = pages.find(|(_, area)| area.contains(at)) {
            let area = page.text_area(area, cx.settings.reading);
            page.view.kind_mut().scroll(lines, area);
        }
    }
}

/// Returns the labels of the tabs on a screen of this width, and their columns.
pub fn labels(tabs: &[Tab], width: u16) -> Vec<(String, Range<u16>)> {
    let count = tabs.len().max(1);
    let room = (usize::from(width) / count).clamp(6, 28);
    let mut x = 0_u16;
    let tabs = tabs.iter().enumerate();
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
