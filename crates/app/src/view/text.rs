//! A text: plain or gemtext.

use geomys_page::document::{Document, Shape};
use rfc1738::Url;

use crate::Settings;
use crate::action::Action;
use crate::view::context::State;
use crate::view::kind::{KeyHint, ViewKind, has_rows};
use crate::view::menu::MENU_HINTS;
use crate::view::viewport::Viewport;

/// The hints of a text, and of the source of any page.
pub(crate) const TEXT_HINTS: [KeyHint; 4] = [
    (Action::PageDown, "page"),
    (Action::Find, "find"),
    (Action::MarkRow, "lines"),
    (Action::BookmarkPage, "bookmark"),
];

/// The hints of a text with numbers at its links.
const NUMBERED_HINTS: [KeyHint; 4] = [
    (Action::Open, "open"),
    (Action::NextLink, "link"),
    (Action::Hints, "pick"),
    (Action::BookmarkPage, "bookmark"),
];

impl Viewport {
    /// Returns the hints of the rows as a text, with links or without.
    pub(super) fn text_hints(&self) -> Vec<KeyHint> {
        match self.document.highest_link_number() {
            0 => TEXT_HINTS.to_vec(),
            _ => NUMBERED_HINTS.to_vec(),
        }
    }

    /// Returns the further hints of the rows as a text.
    pub(super) fn more_text_hints(&self) -> &'static [KeyHint] {
        match self.document.highest_link_number() {
            0 => &[(Action::Save, "save")],
            _ => &[
                (Action::OpenTab, "tab"),
                (Action::Save, "save"),
                (Action::SaveForLater, "keep"),
            ],
        }
    }
}

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
            Shape::Attributes | Shape::People => MENU_HINTS.to_vec(),
            _ => self.rows.text_hints(),
        }
    }

    fn more_hints(&self) -> &'static [KeyHint] {
        self.rows.more_text_hints()
    }
}
