//! The cursor of a new page on one of its links: after going up, on the directory that was left.

use geomys_page::document::Shape;
use rfc1738::Url;

use crate::app::requester::{Arrival, NextStep};
use crate::app::tabs::pane::Pane;
use crate::app::view::position::ScrollPosition;
use crate::app::{Context, Page, Tabs};

/// The highest number of rows that are searched for the link.
const MAX_ROWS: usize = 20_000;

impl Tabs {
    /// Replaces the shown page with a newer copy of it. The cursor stays on its link, or on the first one.
    pub(crate) fn refresh(&mut self, page: Page, cx: &mut Context) {
        let height = cx.layout.panes_height();
        let shown = self.page();
        let is_first = shown.is_some_and(|page| {
            let cursor = page.position.cursor;
            cursor == 0 || page.first_link(MAX_ROWS) == Some(cursor)
        });
        let target = shown.and_then(Page::link).and_then(|link| link.target.ok());
        self.arrive(page, Arrival::Reload, cx);
        let Some(page) = self.pane_mut().and_then(Pane::page_mut) else {
            return;
        };
        let same = target
            .filter(|_| !is_first)
            .and_then(|target| page.row_of(&target));
        match same {
            Some(row) => page.position.cursor = row,
            None if is_first || page.position.cursor >= page.count() => {
                page.position = ScrollPosition::default();
                page.choose_first_link(height);
            }
            None => {}
        }
        cx.reveal_all();
    }
}

impl Page {
    /// Puts the cursor of an arriving menu or list of visits on the first link on the screen, unless the user has moved it.
    pub(crate) fn choose_first_link(&mut self, height: usize) {
        let is_menu = matches!(self.shape(), Some(Shape::Menu | Shape::Visits));
        let is_at_top = self.position.cursor == 0 && self.position.top == (0, 0);
        if is_menu
            && is_at_top
            && let Some(row) = self.first_link(height)
        {
            self.position.cursor = row;
        }
    }

    /// Returns the first of this number of rows that has a link.
    fn first_link(&self, rows: usize) -> Option<usize> {
        let document = self.document()?;
        (0..document.count().min(rows)).find(|row| document.is_link(*row))
    }

    /// Puts the cursor on the link that the next step names, unless the user has moved it.
    pub(crate) fn select_link(&mut self) {
        let is_selection = |step: &mut NextStep| matches!(step, NextStep::SelectLink(_));
        let Some(NextStep::SelectLink(url)) = self.next_step.take_if(is_selection) else {
            return;
        };
        let Some(document) = self.document() else {
            return;
        };
        let cursor = self.position.cursor;
        if cursor != document.initial_row() && self.first_link(cursor + 1) != Some(cursor) {
            return;
        }
        if let Some(row) = self.row_of(&url) {
            self.position.cursor = row;
        }
    }

    /// Returns the first row with a link to this entry.
    fn row_of(&self, url: &Url) -> Option<usize> {
        let document = self.document()?;
        let expected = entry(url);
        let is_expected = |row: &usize| {
            let link = document.link(*row, 0);
            link.is_some_and(|link| link.target.is_ok_and(|target| entry(&target) == expected))
        };
        (0..document.count().min(MAX_ROWS)).find(is_expected)
    }
}

/// The URL as text, without the parts in which a link to an entry differs from the page of that entry: the type of an FTP
/// URL, and the slash at its end.
fn entry(url: &Url) -> String {
    let url = url.without_fragment().canonical();
    let text = match url.as_str().rsplit_once(";type=") {
        Some((text, kind)) if kind.len() == 1 => text,
        Some(_) | None => url.as_str(),
    };
    text.trim_end_matches('/').to_owned()
}
