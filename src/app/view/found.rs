//! The pages that a search of the stored copies has found: the cursor moves from page to page.

use geomys_page::document::Document;
use rfc1738::Url;

use crate::app::Settings;
use crate::app::action::Action;
use crate::app::motion::Motion;
use crate::app::view::context::{State, ViewContext};
use crate::app::view::kind::{KeyHint, ViewKind, has_rows};
use crate::app::view::viewport::Viewport;

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
    /// Returns true if the cursor is on the line below a title.
    fn is_below_title(&self) -> bool {
        self.rows.link().is_some() && !self.rows.document.is_link(self.rows.position.cursor)
    }
}

impl ViewKind for FoundView {
    has_rows!();

    /// A page has two rows: its title, which the cursor stands on, and the line with the words, which stays on the screen.
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
