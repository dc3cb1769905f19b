//! Moving between rows, pages and tabs, by keys and by the pointer of the mouse.

use std::ops::Range;

use crate::Position;
use geomys_wire::text;

use crate::motion::Motion;
use crate::tabs::tab::Tab;
use crate::view::gutter::rows_area;
use crate::{Command, Context, Focus, Page, Tabs};

impl Tabs {
    /// Moves to the link of this number. Returns true if there is one.
    pub(crate) fn go_to_number(&mut self, digits: &str, cx: &mut Context) -> bool {
        let number = digits.parse().ok();
        let rows = self.rows_mut(cx);
        let found = rows.and_then(|(rows, area)| {
            let (row, link) = rows.document.numbered_link(number?)?;
            Some((row, link, rows, area))
        });
        let Some((row, link, rows, area)) = found else {
            cx.report_error(&format!("No link has the number {digits}"));
            return false;
        };
        rows.scroller(area).go_to(row);
        if !rows.is_list() {
            rows.position.link = Some(link);
        }
        true
    }

    pub(crate) fn new_tab(&mut self, cx: &mut Context) {
        self.add_next();
        cx.focus = Focus::Panes;
        cx.command(Command::OpenHome);
    }

    /// Opens a tab of whose pages nothing is stored.
    pub(crate) fn new_private_tab(&mut self, cx: &mut Context) {
        self.new_tab(cx);
        if let Some(tab) = self.tab_mut() {
            tab.is_private = true;
        }
        cx.notify("Private tab: no visits, no copies on the disk");
    }

    pub(crate) fn switch_tab(&mut self, forward: bool, cx: &mut Context) {
        let count = self.list.len();
        let step = if forward { 1 } else { count - 1 };
        self.show_tab((self.index + step) % count, cx);
    }

    pub(crate) fn show_tab(&mut self, tab: usize, cx: &mut Context) {
        if tab < self.list.len() {
            self.index = tab;
            if cx.layout.is_drawer && cx.focus == Focus::Bookmarks {
                cx.focus = Focus::Panes;
            }
            cx.reveal_all();
            cx.pages_changed();
        } else {
            cx.notify(&format!("No tab {}", tab + 1));
        }
    }

    pub(crate) fn go_in_history(&mut self, forward: bool, cx: &mut Context) {
        cx.focus = Focus::Panes;
        cx.pages_changed();
        if let Some(page) = self.page_mut() {
            page.next_step = None;
        }
        if let Some(incoming) = self.pane_mut().and_then(|pane| pane.incoming.take()) {
            return cx.cancel([incoming.load]);
        }
        match self.pane_mut().and_then(|pane| pane.go_in_history(forward)) {
            Some(dropped) => {
                cx.reveal_all();
                cx.cancel(dropped);
            }
            None if forward => cx.notify("No page forward"),
            None => cx.notify("No page back"),
        }
    }

    /// Moves the cursor of the page.
    pub(crate) fn move_cursor(&mut self, motion: Motion, cx: &mut Context) {
        self.ask(cx, |view, at| view.move_by(motion, at));
    }
}

impl Page {
    /// Returns true if the page is a text with numbers at its links.
    pub fn has_text_numbers(&self) -> bool {
        self.rows().is_some_and(|rows| !rows.is_list()) && self.has_link_numbers()
    }

    /// Returns true if the page has numbered links.
    pub(crate) fn has_link_numbers(&self) -> bool {
        let document = self.document();
        document.is_some_and(|document| document.highest_link_number() > 0)
    }
}

impl Tabs {
    /// Marks the text between two positions of the pane with the focus. Returns false outside of a text.
    pub(crate) fn select(&mut self, from: Position, to: Position, cx: &Context) -> bool {
        let area = self.tab().and_then(|tab| cx.layout.pane(tab.focus()));
        let Some(area) = area.filter(|area| area.contains(from)) else {
            return false;
        };
        let Some((rows, space)) = self.rows_mut(cx) else {
            return false;
        };
        let area = rows_area(rows, area, cx.settings.reading);
        // In a table, cells stand between the texts.
        if !rows.document.columns().is_empty() || rows.two_columns(area).is_some() {
            return false;
        }
        let cell = |at: Position| {
            let (x, y) = (at.x.saturating_sub(area.x), at.y.saturating_sub(area.y));
            (
                usize::from(x),
                usize::from(y.min(area.height.saturating_sub(1))),
            )
        };
        rows.select(cell(from), cell(to), space);
        true
    }

    /// Copies the marked text of the pane with the focus.
    pub(crate) fn copy_selection(&mut self, cx: &mut Context) -> bool {
        self.rows_mut(cx)
            .is_some_and(|(rows, area)| rows.copy_selection(area, cx))
    }

    /// Places the cursor of the page with the focus on what is at a position of the screen. Returns true if it is a
    /// link.
    pub(crate) fn click(&mut self, at: Position, cx: &Context) -> bool {
        let area = self.tab().and_then(|tab| cx.layout.pane(tab.focus()));
        let Some(area) = area.filter(|area| area.contains(at)) else {
            return false;
        };
        let Some((rows, space)) = self.rows_mut(cx) else {
            return false;
        };
        let area = rows_area(rows, area, cx.settings.reading);
        let Some((x, y)) = area.contains(at).then(|| (at.x - area.x, at.y - area.y)) else {
            return false;
        };
        let (x, y) = (usize::from(x), usize::from(y));
        let (x, y) = match rows.two_columns(area) {
            Some((second, [_, right])) if at.x >= right.x => {
                (usize::from(at.x - right.x), y + second)
            }
            // Below the first column.
            Some((second, _)) if y >= second => return false,
            Some(_) | None => (x, y),
        };
        rows.scroller(space).click(x, y)
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
