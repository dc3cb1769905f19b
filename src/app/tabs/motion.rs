//! Moving between rows, pages and tabs.

use crate::app::motion::Motion;
use crate::app::{Command, Context, Focus, Page, Tabs};

impl Tabs {
    /// Moves to the link of this number. Returns true if there is one.
    pub(crate) fn go_to_number(&mut self, digits: &str, cx: &mut Context) -> bool {
        let number = digits.parse().ok();
        let rows = self.rows_mut(cx);
        let found = rows.and_then(|(rows, area)| {
            let row = rows.document.row_of_link(number?)?;
            Some((row, rows, area))
        });
        let Some((row, rows, area)) = found else {
            cx.report_error(&format!("No link has the number {digits}"));
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
    /// Returns true if the page has numbered links.
    pub(crate) fn has_link_numbers(&self) -> bool {
        let document = self.document();
        document.is_some_and(|document| document.highest_link_number() > 0)
    }
}
