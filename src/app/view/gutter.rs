//! The columns to the left of the text of a page, and the space for its text.

use geomys_page::document::Shape;
use ratatui::layout::Rect;

use crate::app::settings::{Margins, Reading};
use crate::app::view::position::TextArea;
use crate::app::view::viewport::Viewport;

/// The columns to the left of a row's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gutter {
    /// The number of columns for a link's number; 0 if links are not numbered.
    pub number: usize,
    /// True if a glyph shows the kind of the row.
    pub glyph: bool,
}

impl Gutter {
    /// Returns the gutter of a document: lists have glyphs, menus have numbers, and gemtext has both.
    pub fn of(rows: &Viewport) -> Self {
        let number = match rows.document.highest_link_number() {
            0 => 0,
            highest => highest.to_string().len().max(2),
        };
        let glyph = rows.is_list() || rows.document.shape() == Shape::Gemtext;
        Self { number, glyph }
    }

    /// Returns the width in columns: the mark, the number and a blank, the glyph and a blank.
    pub fn width(self) -> usize {
        1 + if self.number > 0 { self.number + 1 } else { 0 } + if self.glyph { 2 } else { 0 }
    }
}

impl Viewport {
    /// Sets the columns of the pane, for which tables are laid out.
    pub(crate) fn fit(&mut self, pane: Rect) {
        let gutter = Gutter::of(self).width();
        let columns = usize::from(pane.width).saturating_sub(gutter).max(1);
        if self.document.is_resized(columns) {
            self.document.set_columns(columns);
        }
    }

    /// Returns the two columns of the rows in a pane that has room for both, and the first row of the second.
    pub fn two_columns(&self, pane: Rect) -> Option<(usize, [Rect; 2])> {
        let count = self.document.count();
        let second = self.second_column.filter(|second| *second <= count)?;
        let height = second.max(count - second);
        let has_room = pane.width >= TWO_COLUMNS && height <= usize::from(pane.height);
        if !has_room || self.document.filter_summary().is_some() {
            return None;
        }
        let width = pane.width / 2;
        let left = Rect { width, ..pane };
        let right = Rect {
            x: pane.x + width,
            width: pane.width - width,
            ..pane
        };
        Some((second, [left, right]))
    }

    /// Returns the space for the text in a pane, without a note below the last row.
    pub fn area(&self, pane: Rect, reading: Reading) -> TextArea {
        if let Some((_, [column, _])) = self.two_columns(pane) {
            let columns = usize::from(column.width).saturating_sub(Gutter::of(self).width());
            return TextArea {
                width: columns.max(1),
                columns: columns.max(1),
                // All rows are on the screen.
                height: self.document.count().max(1),
                note: 0,
            };
        }
        let area = rows_area(self, pane, reading);
        let gutter = Gutter::of(self).width();
        let columns = usize::from(area.width).saturating_sub(gutter).max(1);
        let most = match reading.width {
            0 => columns,
            _ if !self.wrap => columns,
            _ => usize::from(text_columns(self, reading)),
        };
        TextArea {
            width: columns.min(most),
            columns,
            height: usize::from(area.height).max(1),
            note: 0,
        }
    }
}

/// The width of a pane from which rows are shown in two columns.
const TWO_COLUMNS: u16 = 72;

/// The height of a pane below which a list has no column heads.
const HEADS: u16 = 4;

/// Returns true if the first line of the pane is for the column heads of a listing, a list of groups, or a group.
pub fn has_heads(rows: &Viewport, pane: Rect) -> bool {
    let has_columns = match rows.document.shape() {
        Shape::Group | Shape::Groups => rows.document.count() > 0,
        _ => rows.document.listing_columns().is_some(),
    };
    pane.height >= HEADS && has_columns
}

/// Returns the area of the rows in a pane: below the column heads of a listing, between the margins of a text. Rows that
/// are not wrapped, as those of menus and listings, have no margins.
pub fn rows_area(rows: &Viewport, pane: Rect, reading: Reading) -> Rect {
    if has_heads(rows, pane) {
        return Rect {
            y: pane.y + 1,
            height: pane.height - 1,
            ..pane
        };
    }
    if rows.wrap {
        let unwrapped = rows.document.preformatted_columns();
        let unwrapped = u16::try_from(unwrapped).unwrap_or(u16::MAX);
        let width = match reading.width {
            0 => 0,
            _ => text_columns(rows, reading).max(unwrapped),
        };
        between_margins(Gutter::of(rows), pane, Reading { width, ..reading })
    } else {
        pane
    }
}

/// Returns the greatest width of a text: that of the settings, or that of the lines that were wrapped by hand.
pub fn text_columns(rows: &Viewport, reading: Reading) -> u16 {
    let lines = rows.document.hard_wrapped_columns();
    reading.width.max(u16::try_from(lines).unwrap_or(u16::MAX))
}

/// Returns the area of a wrapped text in a pane, with its gutter.
pub fn between_margins(gutter: Gutter, pane: Rect, reading: Reading) -> Rect {
    let gutter = u16::try_from(gutter.width()).unwrap_or(0);
    let widest = reading.width.saturating_add(gutter);
    if reading.width == 0 || pane.width <= widest {
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
