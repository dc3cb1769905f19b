//! The columns to the left of the text of a page, and the space for its text.

use ratatui::layout::Rect;

use crate::app::Page;
use crate::app::tabs::position::Viewport;
use crate::document::{Document, Shape};

/// The columns to the left of a row's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gutter {
    /// The number of columns for a link's number; 0 if links are not numbered.
    pub number: usize,
    /// True if a glyph shows the kind of the row.
    pub glyph: bool,
}

impl Gutter {
    /// Returns the gutter of a page: lists have glyphs, menus have numbers, and gemtext has both.
    pub fn of(page: &Page) -> Self {
        let document = page.document();
        let number = match document.map_or(0, Document::highest_link_number) {
            0 => 0,
            highest => highest.to_string().len().max(2),
        };
        let glyph = document
            .is_some_and(|document| document.is_list() || document.shape() == Shape::Gemtext);
        Self { number, glyph }
    }

    /// Returns the width in columns: the mark, the number and a blank, the glyph and a blank.
    pub fn width(self) -> usize {
        1 + if self.number > 0 { self.number + 1 } else { 0 } + if self.glyph { 2 } else { 0 }
    }
}

/// Returns the space for a page's text in a pane.
pub fn view(page: &Page, pane: Rect) -> Viewport {
    let gutter = Gutter::of(page).width();
    Viewport {
        width: usize::from(pane.width).saturating_sub(gutter).max(1),
        height: usize::from(pane.height).max(1),
    }
}
