//! Moving the cursor by rows, links, screens, panes and tabs; searching; hints.

use super::action::Action;
use super::browse::OpenIn;
use super::hints::Hints;
use super::tab::Tab;
use super::{App, Effect, Focus, Overlay, layout};
use crate::document::FoundLink;
use crate::document::find::{Direction, SearchText};

impl App {
    pub(super) fn step(&mut self, rows: isize) {
        match self.focus {
            Focus::Bookmarks => {
                let height = self.bookmarks_height();
                self.sidebar.step(rows, height);
            }
            Focus::Transfers => {
                let height = self.transfers_height();
                self.transfers.step(rows, height);
            }
            Focus::Panes => {
                if let Some((page, view)) = self.page_view() {
                    page.step(rows, view);
                }
            }
        }
    }

    /// Moves down by a screen. In an article, opens a form feed on the screen first.
    pub(super) fn page_down(&mut self) {
        if self.focus != Focus::Panes || !self.open_form_feed() {
            self.step_page(1, 1);
        }
    }

    /// Moves by `screens` screens, divided by `part`. A full screen overlaps the last one by one line.
    pub(super) fn step_page(&mut self, screens: isize, part: usize) {
        let lines = |height: usize| {
            let lines = if part == 1 {
                height.saturating_sub(1)
            } else {
                height / part
            };
            screens * isize::try_from(lines.max(1)).unwrap_or(1)
        };
        match self.focus {
            Focus::Bookmarks => {
                let height = self.bookmarks_height();
                self.sidebar.step(lines(height), height);
            }
            Focus::Transfers => {
                let height = self.transfers_height();
                self.transfers.step(lines(height), height);
            }
            Focus::Panes => {
                if let Some((page, view)) = self.page_view() {
                    page.page(lines(view.height), view);
                }
            }
        }
    }

    pub(super) fn go_to_edge(&mut self, bottom: bool) {
        match self.focus {
            Focus::Bookmarks => {
                let height = self.bookmarks_height();
                let rows = isize::try_from(self.sidebar.rows().len()).unwrap_or(isize::MAX);
                self.sidebar.step(if bottom { rows } else { -rows }, height);
            }
            Focus::Transfers => {
                let height = self.transfers_height();
                let rows = isize::try_from(self.transfers.items().len()).unwrap_or(isize::MAX);
                self.transfers
                    .step(if bottom { rows } else { -rows }, height);
            }
            Focus::Panes => {
                if let Some((page, view)) = self.page_view() {
                    if bottom {
                        page.to_bottom(view);
                    } else {
                        page.to_top();
                    }
                }
            }
        }
    }

    pub(super) fn step_link(&mut self, forward: bool) {
        self.focus = Focus::Panes;
        let Some((page, view)) = self.page_view() else {
            return;
        };
        match (page.step_link(forward, view), forward) {
            (FoundLink::Row(_), _) => {}
            (FoundLink::None, true) => self.notify("no link further down"),
            (FoundLink::None, false) => self.notify("no link further up"),
            (FoundLink::Beyond(_), _) => {
                self.notify("No link up to here. Press again to search on");
            }
        }
    }

    /// Moves to the link of this number. Returns true if there is one.
    pub(super) fn go_to_number(&mut self, digits: &str) -> bool {
        let row = digits
            .parse()
            .ok()
            .and_then(|number| self.page()?.document()?.row_of_link(number));
        match (row, self.page_view()) {
            (Some(row), Some((page, view))) => {
                page.go_to(row, view);
                true
            }
            _ => {
                self.report_error(&format!("no link has the number {digits}"));
                false
            }
        }
    }

    pub(super) fn show_hints(&mut self) {
        self.focus = Focus::Panes;
        let Some((page, view)) = self.page_view() else {
            return;
        };
        let links = page.visible_links(view, Hints::MAX_LINKS);
        if links.is_empty() {
            self.notify("no link on this screen");
        } else {
            self.show(Overlay::Hints(Hints::new(links)));
        }
    }

    pub(super) fn open_hint(&mut self, row: usize, link: usize) {
        if let Some(page) = self.page_mut() {
            page.position.cursor = row;
            page.position.link = Some(link);
        }
        self.open_selected(OpenIn::ThisPane);
    }

    pub(super) fn find(&mut self, words: &str) {
        let needle = SearchText::new(words);
        let Some(page) = self.page_mut() else {
            return;
        };
        page.needle = needle;
        self.find_from_here(Direction::Down);
    }

    pub(super) fn find_again(&mut self, direction: Direction) {
        if self.page().is_some_and(|page| page.needle.is_none()) {
            let find = self.key_of(Action::Find);
            self.notify(&format!("nothing to find yet: {find} asks for words"));
            return;
        }
        self.find_from_here(direction);
    }

    fn find_from_here(&mut self, direction: Direction) {
        let work = self.next_work();
        let Some(page) = self.page_mut() else {
            return;
        };
        let (Some(document), Some(needle)) = (page.document().cloned(), page.needle.clone()) else {
            return;
        };
        page.finding = Some((work, direction));
        let cursor = page.position.cursor;
        self.emit(Effect::Find(work, document, needle, cursor, direction));
    }

    pub(super) fn found(&mut self, work: super::WorkId, row: Option<usize>) {
        let Some((page, view)) = self.page_view() else {
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
                    self.notify("the find went round the end of the page");
                }
            }
            None => self.report_error(&format!("not on this page: {words}")),
        }
    }

    /// Moves the focus to the next or the previous pane. The bookmarks are the leftmost one.
    pub(super) fn move_focus(&mut self, forward: bool) {
        let bookmarks = usize::from(self.sidebar.shown);
        let Some(tab) = self.tab() else {
            return;
        };
        let count = tab.count() + bookmarks;
        let at = match self.focus {
            Focus::Bookmarks => 0,
            Focus::Panes | Focus::Transfers => tab.focus() + bookmarks,
        };
        let to = if forward {
            (at + 1) % count
        } else {
            (at + count - 1) % count
        };
        match to.checked_sub(bookmarks) {
            None => self.focus = Focus::Bookmarks,
            Some(pane) => {
                self.focus = Focus::Panes;
                if let Some(tab) = self.tab_mut() {
                    tab.set_focus(pane);
                }
            }
        }
        self.reveal_all();
    }

    pub(super) fn toggle_bookmarks(&mut self) {
        self.sidebar.shown = !self.sidebar.shown;
        self.focus = if self.sidebar.shown {
            Focus::Bookmarks
        } else {
            Focus::Panes
        };
        self.reveal_all();
    }

    /// Closes the pane with the focus; the tab, if it has no other pane. The bookmarks are only hidden.
    pub(super) fn close_pane(&mut self) {
        if self.focus == Focus::Bookmarks {
            return self.toggle_bookmarks();
        }
        if self.focus == Focus::Transfers {
            return self.toggle_transfers();
        }
        match self.tab_mut().and_then(Tab::close) {
            Some(loads) => {
                self.reveal_all();
                self.effects.extend(loads.into_iter().map(Effect::Drop));
            }
            None => self.close_tab(),
        }
    }

    pub(super) fn new_tab(&mut self) {
        self.tabs
            .insert((self.tab + 1).min(self.tabs.len()), Tab::default());
        self.tab = (self.tab + 1).min(self.tabs.len() - 1);
        self.focus = Focus::Panes;
        self.open_home();
    }

    pub(super) fn close_tab(&mut self) {
        if self.tabs.len() < 2 {
            let quit = self.key_of(Action::Quit);
            self.notify(&format!("this is the last tab; {quit} quits"));
            return;
        }
        let closed = self.tabs.remove(self.tab.min(self.tabs.len() - 1));
        self.tab = self.tab.min(self.tabs.len() - 1);
        self.reveal_all();
        self.effects
            .extend(closed.loads().into_iter().map(Effect::Drop));
    }

    pub(super) fn switch_tab(&mut self, forward: bool) {
        let count = self.tabs.len();
        self.show_tab(if forward {
            (self.tab + 1) % count
        } else {
            (self.tab + count - 1) % count
        });
    }

    pub(super) fn show_tab(&mut self, tab: usize) {
        if tab < self.tabs.len() {
            self.tab = tab;
            self.reveal_all();
        } else {
            self.notify(&format!("there is no tab {}", tab + 1));
        }
    }

    /// Scrolls every pane of the shown tab so that its cursor is on screen, after the size has changed.
    pub(super) fn reveal_all(&mut self) {
        let layout = self.layout();
        if let Some(tab) = self.tab_mut() {
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
        let height = self.bookmarks_height();
        self.sidebar.reveal(height);
    }

    /// Returns the number of lines of the bookmark tree, without its heading and the line for the error under the cursor.
    pub(super) fn bookmarks_height(&self) -> usize {
        self.layout()
            .bookmarks
            .map_or(1, |area| usize::from(area.height).saturating_sub(1).max(1))
    }

    pub(super) fn go_in_history(&mut self, forward: bool) {
        self.focus = Focus::Panes;
        if let Some(page) = self.page_mut() {
            page.next_step = None;
        }
        if let Some(incoming) = self.pane_mut().and_then(|pane| pane.incoming.take()) {
            return self.emit(Effect::Drop(incoming.load));
        }
        let Some(dropped) = self.pane_mut().and_then(|pane| pane.go_in_history(forward)) else {
            self.notify(if forward {
                "no page further on"
            } else {
                "no page before this one"
            });
            return;
        };
        self.reveal_all();
        self.effects.extend(dropped.map(Effect::Drop));
    }
}
