//! The pages that a search of the stored copies has found: the cursor moves from page to page.

use geomys_page::document::Document;
use rfc1738::Url;

use crate::Settings;
use crate::action::Action;
use crate::motion::Motion;
use crate::view::context::{State, ViewContext};
use crate::view::kind::{KeyHint, ViewKind, has_rows};
use crate::view::viewport::Viewport;

/// A list of found pages in a pane.
#[derive(Debug)]
pub struct FoundView {
    /// The document with its cursor.
    pub rows: Viewport,
}

impl From<Document> for FoundView {
    fn from(document: Document) -> Self {
        let rows = document.into();
        Self { rows }
    }
}

impl FoundView {
    /// The number of pages in the list.
    pub fn pages(&self) -> usize {
        let document = &self.rows.document;
        // The rows below the last page are notes.
        let last = (0..document.count())
            .rev()
            .find(|&row| document.link_count(row) > 0);
        last.map_or(0, |row| row / 2 + 1)
    }

    /// The number of the page under the cursor, from 0; that of the last page below the list.
    pub fn page(&self) -> usize {
        let page = self.rows.position.cursor / 2;
        page.min(self.pages().saturating_sub(1))
    }

    /// Returns true if the cursor is on the line below a title.
    fn is_below_title(&self) -> bool {
        self.rows.link().is_some() && !self.rows.document.is_link(self.rows.position.cursor)
    }
}

impl ViewKind for FoundView {
    has_rows!();

    /// A page has two rows: its title, which the cursor stands on, and the line with the words, which stays on the
    /// screen.
    fn move_by(&mut self, motion: Motion, at: &mut ViewContext<'_>) {
        let motion = match motion {
            Motion::Rows(pages) => Motion::Rows(pages.saturating_mul(2)),
            Motion::Screens(..) | Motion::Edge(_) => motion,
        };
        self.rows.move_by(motion, at.area);
        if self.rows.document.is_link(self.rows.position.cursor) {
            self.rows.move_by(Motion::Rows(1), at.area);
        }
        if self.is_below_title() {
            self.rows.move_by(Motion::Rows(-1), at.area);
        }
    }

    fn hints(&self, _: &Url, state: &State, _: &Settings) -> Vec<KeyHint> {
        let stop = state.is_arriving().then_some((Action::Stop, "stop"));
        let keys = [(Action::Search, "search again"), (Action::Back, "back")];
        stop.into_iter().chain(keys).collect()
    }
}
