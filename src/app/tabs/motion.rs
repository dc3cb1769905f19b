//! Moving the cursor by rows, links, screens, panes and tabs; hints.

use geomys_page::document::FoundLink;

use crate::app::motion::{Edge, Motion};
use crate::app::settings::Reading;
use crate::app::view::gutter::view;
use crate::app::view::hints::Hints;
use crate::app::{Command, Context, Focus, Layout, Overlay, Page, Tabs};

impl Tabs {
    pub(crate) fn step_link(&mut self, forward: bool, cx: &mut Context) {
        cx.focus = Focus::Panes;
        let Some((page, view)) = self.page_view(cx) else {
            return;
        };
        match (page.step_link(forward, view), forward) {
            (FoundLink::Row(_), _) => {}
            (FoundLink::None, true) => cx.notify("no more links below"),
            (FoundLink::None, false) => cx.notify("no more links above"),
            (FoundLink::Beyond(_), _) => cx.notify("No link so far. Press again to search on"),
        }
    }

    /// Returns true if the next or the previous link of the page is on the screen.
    pub(crate) fn has_link_on_screen(&mut self, forward: bool, cx: &Context) -> bool {
        let page = self.page_view(cx);
        page.is_some_and(|(page, view)| page.has_link_on_screen(forward, view))
    }

    /// Moves to the link of this number. Returns true if there is one.
    pub(crate) fn go_to_number(&mut self, digits: &str, cx: &mut Context) -> bool {
        let document = self.page().and_then(Page::document);
        let row = document.and_then(|document| document.row_of_link(digits.parse().ok()?));
        match (row, self.page_view(cx)) {
            (Some(row), Some((page, view))) => {
                page.go_to(row, view);
                if !page.is_list() {
                    page.position.link = Some(0);
                }
                true
            }
            _ => {
                cx.report_error(&format!("no link has the number {digits}"));
                false
            }
        }
    }

    pub(crate) fn show_hints(&mut self, cx: &mut Context) {
        cx.focus = Focus::Panes;
        let Some((page, view)) = self.page_view(cx) else {
            return;
        };
        let links = page.visible_links(view, Hints::MAX_LINKS);
        if links.is_empty() {
            cx.notify("no link on this screen");
        } else {
            cx.show(Overlay::Hints(Hints::new(links)));
        }
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
    pub(crate) fn move_cursor(&mut self, motion: Motion, cx: &Context) {
        if self.pan_picture(motion, cx).is_some() {
            return;
        }
        // In an article a form feed on the screen opens first.
        if motion == Motion::Screens(1, 1) && self.open_form_feed(cx).is_some() {
            return;
        }
        let Some((page, view)) = self.page_view(cx) else {
            return;
        };
        match motion {
            Motion::Rows(rows) => page.step(rows, view),
            Motion::Screens(..) => page.page(motion.rows(view.height, 0), view),
            Motion::Edge(Edge::Bottom) => page.to_bottom(view),
            Motion::Edge(Edge::Top) => page.to_top(),
        }
    }

    /// Selects a link of the page.
    pub(crate) fn select_link(&mut self, row: usize, link: usize) {
        if let Some(page) = self.page_mut() {
            page.position.cursor = row;
            page.position.link = Some(link);
        }
    }

    /// Scrolls every pane of the shown tab so that its cursor is on screen.
    pub(crate) fn reveal(&mut self, layout: &Layout, reading: Reading) {
        for (page, area) in self.pages_on_screen(layout) {
            if page.is_list() {
                page.reveal(view(page, area, reading));
            }
        }
    }
}
