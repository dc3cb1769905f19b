//! Moving between rows, pages and tabs.

use crate::app::motion::Motion;
use crate::app::{Command, Context, Focus, Page, Tabs};

impl Tabs {
    /// Returns true if the next or the previous link of the page is on the screen.
    pub(crate) fn has_link_on_screen(&mut self, forward: bool, cx: &Context) -> bool {
        let rows = self.rows_mut(cx);
        rows.is_some_and(|(rows, area)| rows.on_screen(area).has_link(forward))
    }

    /// Returns true if the page with the focus has numbered links.
    pub(crate) fn has_link_numbers(&self, cx: &Context) -> bool {
        let page = self.page().filter(|_| cx.focus == Focus::Panes);
        let document = page.and_then(Page::document);
        document.is_some_and(|document| document.highest_link_number() > 0)
    }

    /// Moves to the link of this number. Returns true if there is one.
    pub(crate) fn go_to_number(&mut self, digits: &str, cx: &mut Context) -> bool {
        let number = digits.parse().ok();
        let rows = self.rows_mut(cx);
        let found = rows.and_then(|(rows, area)| {
            let row = rows.document.row_of_link(number?)?;
            Some((row, rows, area))
        });
        let Some((row, rows, area)) = found else {
            cx.report_error(&format!("no link has the number {digits}"));
            return false;
        };
        rows.scroller(area).go_to(row);
        if !rows.is_list() {
            rows.position.link = Some(0);
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
            cx.notify(&format!("no tab {}", tab + 1));
        }
    }

    pub(crate) fn go_in_history(&mut self, forward: bool, cx: &mut Context) {
        cx.focus = Focus::Panes;
        cx.pages_changed();
        if let Some(page) = self.page_mut() {
            page.next_step = None;
        }
        if let Some(incoming) = self.take_incoming() {
            return cx.cancel([incoming.load]);
        }
        match self.pane_mut().and_then(|pane| pane.go_in_history(forward)) {
            Some(dropped) => {
                cx.reveal_all();
                cx.cancel(dropped);
            }
            None if forward => cx.notify("no page forward"),
            None => cx.notify("no page back"),
        }
    }

    /// Moves the cursor of the page.
    pub(crate) fn move_cursor(&mut self, motion: Motion, cx: &mut Context) {
        self.ask(cx, |view, at| view.move_by(motion, at));
    }

    /// Selects a link of the page.
    pub(crate) fn select_link(&mut self, row: usize, link: usize) {
        if let Some(rows) = self.page_mut().and_then(|page| page.view.rows_mut()) {
            rows.position.cursor = row;
            rows.position.link = Some(link);
        }
    }

    /// Scrolls the page so that a row is the first on the screen, as far as there are rows below.
    pub(crate) fn go_to_row(&mut self, row: usize, cx: &Context) {
        if let Some((rows, area)) = self.rows_mut(cx) {
            rows.scroller(area).show_row(row);
        }
    }
}
