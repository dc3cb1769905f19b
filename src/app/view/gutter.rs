//! The columns to the left of the text of a page, and the space for its text.

use geomys_page::document::{Document, Shape};
use ratatui::layout::Rect;

use crate::app::Page;
use crate::app::settings::{Margins, Reading};
use crate::app::tabs::page::Content;
use crate::app::view::position::Viewport;

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

/// The height of a pane below which a listing has no column heads.
const HEADS: u16 = 4;

/// Returns true if the first line of the pane is for the column heads of a listing.
pub fn has_heads(page: &Page, pane: Rect) -> bool {
    let columns = page.document().and_then(Document::listing_columns);
    pane.height >= HEADS && columns.is_some()
}

/// Returns the area of a page's rows in a pane: below the column heads of a listing, between the margins of a text. Rows
/// that are not wrapped, as those of menus and listings, have no margins.
pub fn rows_area(page: &Page, pane: Rect, reading: Reading) -> Rect {
    if has_heads(page, pane) {
        return Rect {
            y: pane.y + 1,
            height: pane.height - 1,
            ..pane
        };
    }
    let is_wrapped = match page.content {
        Content::Document(_) | Content::Failure(_) => page.wrap,
        Content::Form(_) | Content::Session(_) | Content::Dropped => false,
    };
    let gutter = u16::try_from(Gutter::of(page).width()).unwrap_or(0);
    let widest = reading.width.saturating_add(gutter);
    if !is_wrapped || reading.width == 0 || pane.width <= widest {
        return pane;
    }
    let margin = match reading.margins {
        Margins::Centred => (pane.width - widest) / 2,
        Margins::Left => 0,
    };
    Rect {
        x: pane.x + margin,
        width: widest,
        ..pane
    }
}

/// Returns the space for a page's text in a pane.
pub fn view(page: &Page, pane: Rect, reading: Reading) -> Viewport {
    let area = rows_area(page, pane, reading);
    let gutter = Gutter::of(page).width();
    Viewport {
        width: usize::from(area.width).saturating_sub(gutter).max(1),
        height: usize::from(area.height).max(1),
    }
}
