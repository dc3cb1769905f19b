//! A text: plain or gemtext.

use geomys_page::document::{Document, Shape};
use rfc1738::Url;

use crate::Settings;
use crate::action::Action;
use crate::view::context::State;
use crate::view::kind::{KeyHint, ViewKind, has_rows};
use crate::view::viewport::Viewport;

/// The hints of a text, and of the source of any page.
pub(crate) const TEXT_HINTS: [KeyHint; 1] = [(Action::PageDown, "page")];

/// A text in a pane.
#[derive(Debug)]
pub struct TextView {
    /// The document with its cursor.
    pub rows: Viewport,
}

impl From<Document> for TextView {
    fn from(document: Document) -> Self {
        let rows = document.into();
        Self { rows }
    }
}

impl ViewKind for TextView {
    has_rows!();

    fn hints(&self, _: &Url, _: &State, _: &Settings) -> Vec<KeyHint> {
        match self.rows.document.shape() {
            Shape::Attributes | Shape::People => vec![(Action::Hints, "hints")],
            _ => TEXT_HINTS.to_vec(),
        }
    }
}
