//! The cursor of a new page on one of its links: after going up, on the directory that was left.

use crate::app::Page;
use crate::app::requester::NextStep;
use crate::document::Shape;
use crate::url::Url;

/// The highest number of rows that are searched for the link.
const MAX_ROWS: usize = 20_000;

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
        let wanted = entry(&url);
        let is_wanted = |row: &usize| {
            let link = document.link(*row, 0);
            link.is_some_and(|link| link.target.is_ok_and(|target| entry(&target) == wanted))
        };
        if let Some(row) = (0..document.count().min(MAX_ROWS)).find(is_wanted) {
            self.position.cursor = row;
        }
    }
}

/// The URL as text, without the parts in which a link to an entry differs from the page of that entry: the type of an FTP
/// URL, and the slash at its end.
fn entry(url: &Url) -> String {
    let url = url.canonical();
    let text = match url.as_str().rsplit_once(";type=") {
        Some((text, kind)) if kind.len() == 1 => text,
        Some(_) | None => url.as_str(),
    };
    text.trim_end_matches('/').to_owned()
}
