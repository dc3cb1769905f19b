//! Moving the cursor by rows, links, screens, panes and tabs; searching; hints.

use crate::app::Command;
use crate::app::action::Action;
use crate::app::tabs::hints::Hints;
use crate::app::tabs::open::OpenIn;
use crate::app::tabs::tab::Tab;
use crate::app::{App, Effect, Focus, Overlay, layout};
use crate::app::{Context, Tabs};
use crate::document::FoundLink;
use crate::document::find::{Direction, SearchText};

impl App {
    pub(crate) fn step(&mut self, rows: isize) {
        match self.cx.focus {
            Focus::Bookmarks => {
                let height = self.cx.bookmarks_height();
                self.bookmarks.sidebar.step(rows, height);
            }
            Focus::Transfers => {
                let height = self.cx.transfers_height();
                self.transfers.queue.step(rows, height);
            }
            Focus::Panes => {
                if let Some((page, view)) = self.tabs.page_view(&self.cx) {
                    page.step(rows, view);
                }
            }
        }
    }

    /// Moves down by a screen. In an article, opens a form feed on the screen first.
    pub(crate) fn page_down(&mut self) {
        if self.cx.focus != Focus::Panes || !self.tabs.open_form_feed(&self.cx) {
            self.step_page(1, 1);
        }
    }

    /// Moves by `screens` screens, divided by `part`. A full screen overlaps the last one by one line.
    pub(crate) fn step_page(&mut self, screens: isize, part: usize) {
        let lines = |height: usize| {
            let lines = if part == 1 {
                height.saturating_sub(1)
            } else {
                height / part
            };
            screens * isize::try_from(lines.max(1)).unwrap_or(1)
        };
        match self.cx.focus {
            Focus::Bookmarks => {
                let height = self.cx.bookmarks_height();
                self.bookmarks.sidebar.step(lines(height), height);
            }
            Focus::Transfers => {
                let height = self.cx.transfers_height();
                self.transfers.queue.step(lines(height), height);
            }
            Focus::Panes => {
                if let Some((page, view)) = self.tabs.page_view(&self.cx) {
                    page.page(lines(view.height), view);
                }
            }
        }
    }

    pub(crate) fn go_to_edge(&mut self, bottom: bool) {
        match self.cx.focus {
            Focus::Bookmarks => {
                let height = self.cx.bookmarks_height();
                let rows =
                    isize::try_from(self.bookmarks.sidebar.rows().len()).unwrap_or(isize::MAX);
                self.bookmarks
                    .sidebar
                    .step(if bottom { rows } else { -rows }, height);
            }
            Focus::Transfers => {
                let height = self.cx.transfers_height();
                let rows =
                    isize::try_from(self.transfers.queue.items().len()).unwrap_or(isize::MAX);
                self.transfers
                    .queue
                    .step(if bottom { rows } else { -rows }, height);
            }
            Focus::Panes => {
                if let Some((page, view)) = self.tabs.page_view(&self.cx) {
                    if bottom {
                        page.to_bottom(view);
                    } else {
                        page.to_top();
                    }
                }
            }
        }
    }

    pub(crate) fn open_hint(&mut self, row: usize, link: usize) {
        if let Some(page) = self.tabs.page_mut() {
            page.position.cursor = row;
            page.position.link = Some(link);
        }
        self.open_selected(OpenIn::ThisPane);
    }

    /// Moves the focus to the next or the previous pane. The bookmarks are the leftmost one.
    pub(crate) fn move_focus(&mut self, forward: bool) {
        let bookmarks = usize::from(self.bookmarks.sidebar.shown);
        let Some(tab) = self.tabs.tab() else {
            return;
        };
        let count = tab.count() + bookmarks;
        let at = match self.cx.focus {
            Focus::Bookmarks => 0,
            Focus::Panes | Focus::Transfers => tab.focus() + bookmarks,
        };
        let to = if forward {
            (at + 1) % count
        } else {
            (at + count - 1) % count
        };
        match to.checked_sub(bookmarks) {
            None => self.cx.focus = Focus::Bookmarks,
            Some(pane) => {
                self.cx.focus = Focus::Panes;
                if let Some(tab) = self.tabs.tab_mut() {
                    tab.set_focus(pane);
                }
            }
        }
        self.reveal_all();
    }

    pub(crate) fn toggle_bookmarks(&mut self) {
        self.bookmarks.sidebar.shown = !self.bookmarks.sidebar.shown;
        self.cx.focus = if self.bookmarks.sidebar.shown {
            Focus::Bookmarks
        } else {
            Focus::Panes
        };
        self.reveal_all();
    }

    /// Closes the pane with the focus; the tab, if it has no other pane. The bookmarks are only hidden.
    pub(crate) fn close_pane(&mut self) {
        if self.cx.focus == Focus::Bookmarks {
            return self.toggle_bookmarks();
        }
        if self.cx.focus == Focus::Transfers {
            return self.transfers.toggle(&mut self.cx);
        }
        match self.tabs.tab_mut().and_then(Tab::close) {
            Some(loads) => {
                self.reveal_all();
                self.cx.effects.extend(loads.into_iter().map(Effect::Drop));
            }
            None => self.tabs.close_tab(&mut self.cx),
        }
    }

    /// Scrolls every pane of the shown tab so that its cursor is on screen, after the size has changed.
    pub(crate) fn reveal_all(&mut self) {
        let layout = self.layout();
        if let Some(tab) = self.tabs.tab_mut() {
            for (index, pane) in tab.panes_mut().enumerate() {
                let area = layout.panes.iter().find(|(shown, _)| *shown == index);
                if let (Some(page), Some((_, area))) = (pane.page_mut(), area)
                    && page.is_list()
                {
                    let view = layout::view(page, *area);
                    page.reveal(view);
                }
            }
        }
        let height = self.cx.bookmarks_height();
        self.bookmarks.sidebar.reveal(height);
    }
}

impl Tabs {
    pub(crate) fn step_link(&mut self, forward: bool, cx: &mut Context) {
        cx.focus = Focus::Panes;
        let Some((page, view)) = self.page_view(cx) else {
            return;
        };
        match (page.step_link(forward, view), forward) {
            (FoundLink::Row(_), _) => {}
            (FoundLink::None, true) => cx.notify("no link further down"),
            (FoundLink::None, false) => cx.notify("no link further up"),
            (FoundLink::Beyond(_), _) => {
                cx.notify("No link up to here. Press again to search on");
            }
        }
    }

    /// Moves to the link of this number. Returns true if there is one.
    pub(crate) fn go_to_number(&mut self, digits: &str, cx: &mut Context) -> bool {
        let row = digits
            .parse()
            .ok()
            .and_then(|number| self.page()?.document()?.row_of_link(number));
        match (row, self.page_view(cx)) {
            (Some(row), Some((page, view))) => {
                page.go_to(row, view);
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

    pub(crate) fn find(&mut self, words: &str, cx: &mut Context) {
        let needle = SearchText::new(words);
        let Some(page) = self.page_mut() else {
            return;
        };
        page.needle = needle;
        self.find_from_here(Direction::Down, cx);
    }

    pub(crate) fn find_again(&mut self, direction: Direction, cx: &mut Context) {
        if self.page().is_some_and(|page| page.needle.is_none()) {
            let find = cx.key_of(Action::Find);
            cx.notify(&format!("nothing to find yet: {find} asks for words"));
            return;
        }
        self.find_from_here(direction, cx);
    }

    fn find_from_here(&mut self, direction: Direction, cx: &mut Context) {
        let work = cx.next_work();
        let Some(page) = self.page_mut() else {
            return;
        };
        let (Some(document), Some(needle)) = (page.document().cloned(), page.needle.clone()) else {
            return;
        };
        page.finding = Some((work, direction));
        let cursor = page.position.cursor;
        cx.emit(Effect::Find(work, document, needle, cursor, direction));
    }

    pub(crate) fn found(&mut self, work: crate::app::WorkId, row: Option<usize>, cx: &mut Context) {
        let Some((page, view)) = self.page_view(cx) else {
            return;
        };
        let Some((_, direction)) = page.finding.take_if(|(finding, _)| *finding == work) else {
            return;
        };
        let words = page
            .needle
            .as_ref()
            .map_or(String::new(), |needle| needle.words().to_owned());
        match row {
            Some(row) => {
                let wrapped = match direction {
                    Direction::Down => row <= page.position.cursor,
                    Direction::Up => row >= page.position.cursor,
                };
                page.go_to(row, view);
                if wrapped {
                    cx.notify("the find went round the end of the page");
                }
            }
            None => cx.report_error(&format!("not on this page: {words}")),
        }
    }

    pub(crate) fn new_tab(&mut self, cx: &mut Context) {
        self.list
            .insert((self.index + 1).min(self.list.len()), Tab::default());
        self.index = (self.index + 1).min(self.list.len() - 1);
        cx.focus = Focus::Panes;
        cx.command(Command::OpenHome);
    }

    pub(crate) fn close_tab(&mut self, cx: &mut Context) {
        if self.list.len() < 2 {
            let quit = cx.key_of(Action::Quit);
            cx.notify(&format!("this is the last tab; {quit} quits"));
            return;
        }
        let closed = self.list.remove(self.index.min(self.list.len() - 1));
        self.index = self.index.min(self.list.len() - 1);
        cx.reveal_all();
        cx.effects
            .extend(closed.loads().into_iter().map(Effect::Drop));
    }

    pub(crate) fn switch_tab(&mut self, forward: bool, cx: &mut Context) {
        let count = self.list.len();
        self.show_tab(
            if forward {
                (self.index + 1) % count
            } else {
                (self.index + count - 1) % count
            },
            cx,
        );
    }

    pub(crate) fn show_tab(&mut self, tab: usize, cx: &mut Context) {
        if tab < self.list.len() {
            self.index = tab;
            cx.reveal_all();
        } else {
            cx.notify(&format!("there is no tab {}", tab + 1));
        }
    }

    pub(crate) fn go_in_history(&mut self, forward: bool, cx: &mut Context) {
        cx.focus = Focus::Panes;
        if let Some(page) = self.page_mut() {
            page.next_step = None;
        }
        if let Some(incoming) = self.pane_mut().and_then(|pane| pane.incoming.take()) {
            return cx.emit(Effect::Drop(incoming.load));
        }
        let Some(dropped) = self.pane_mut().and_then(|pane| pane.go_in_history(forward)) else {
            cx.notify(if forward {
                "no page further on"
            } else {
                "no page before this one"
            });
            return;
        };
        cx.reveal_all();
        cx.effects.extend(dropped.map(Effect::Drop));
    }
}
