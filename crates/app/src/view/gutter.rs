//! The space for the text of a page, and what the text leaves for the columns beside it: decided here alone.

use crate::Rect;
use geomys_page::document::Shape;

use crate::settings::{Margins, Reading};
use crate::view::text_area::{Gutter, GutterPlace, TextArea};
use crate::view::viewport::Viewport;

impl Viewport {
    /// Sets the columns of the pane, for which tables are laid out.
    pub(crate) fn fit(&mut self, pane: Rect, reading: Reading) {
        // The width of the tables themselves does not count, as it follows from this.
        let gutter = gutter_in(self, pane, needed_columns(self, reading)).width();
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
        let whole = pane.width.min(MAX_TWO_COLUMNS);
        let width = whole / 2;
        let left = Rect { width, ..pane };
        let right = Rect {
            x: pane.x + width,
            width: whole - width,
            ..pane
        };
        Some((second, [left, right]))
    }

    /// Returns the space for the text in a pane, without a note below the last row.
    pub fn area(&self, pane: Rect, reading: Reading) -> TextArea {
        let (area, gutter) = rows_and_gutter(self, pane, reading);
        if let Some((_, [column, _])) = self.two_columns(pane) {
            let columns = usize::from(column.width).saturating_sub(gutter.width());
            return TextArea {
                gutter,
                width: columns.max(1),
                columns: columns.max(1),
                // All rows are on the screen.
                height: self.document.count().max(1),
                note: 0,
            };
        }
        let columns = usize::from(area.width).saturating_sub(gutter.width());
        let columns = columns.max(1);
        let most = match reading.width {
            0 => columns,
            _ if !self.wrap => columns,
            _ => usize::from(text_columns(self, reading)),
        };
        TextArea {
            gutter,
            width: columns.min(most),
            columns,
            height: usize::from(area.height).max(1),
            note: 0,
        }
    }
}

/// The width of a pane from which rows are shown in two columns.
const TWO_COLUMNS: u16 = 72;

/// The most columns that rows in two columns take together.
const MAX_TWO_COLUMNS: u16 = 100;

/// The columns that a text keeps before its gutter has any, where the settings have no greatest width.
const TEXT_COLUMNS: u16 = 80;

/// The height of a pane below which a list has no column heads.
const HEADS: u16 = 4;

/// Returns true if the first line of the pane is for the column heads of a listing, a list of groups, or a group, or
/// for the status of an error.
pub fn has_heads(rows: &Viewport, pane: Rect) -> bool {
    let has_columns = rows.error_status.is_some() || has_column_heads(rows);
    pane.height >= HEADS && has_columns
}

fn has_column_heads(rows: &Viewport) -> bool {
    match rows.document.shape() {
        Shape::Group | Shape::Groups => rows.document.count() > 0,
        _ => rows.document.listing_columns().is_some(),
    }
}

/// Returns the area of the rows in a pane, and the gutter in it: below the column heads of a listing, between the
/// margins of a text. Rows that are not wrapped, as those of menus and listings, have no margins.
///
/// The gutter takes what the text leaves. No line that its writer has wrapped is broken for it, and at 80 columns it
/// takes none from any text.
fn rows_and_gutter(rows: &Viewport, pane: Rect, reading: Reading) -> (Rect, Gutter) {
    let unwrapped = rows.document.preformatted_columns();
    let unwrapped = u16::try_from(unwrapped).unwrap_or(u16::MAX);
    // A row that the pane cannot show whole needs no more columns than the others.
    let fitting = Some(unwrapped).filter(|columns| *columns <= pane.width);
    let needed = needed_columns(rows, reading).max(fitting.unwrap_or(0));
    let gutter = gutter_in(rows, pane, needed);
    let has_column_heads = has_column_heads(rows);
    let pane = if has_heads(rows, pane) {
        Rect {
            y: pane.y + 1,
            height: pane.height - 1,
            ..pane
        }
    } else {
        pane
    };
    let area = if rows.wrap && !has_column_heads {
        let width = match reading.width {
            0 => 0,
            _ => text_columns(rows, reading).max(unwrapped),
        };
        between_margins(gutter, pane, Reading { width, ..reading })
    } else {
        pane
    };
    (area, gutter)
}

/// Returns the gutter in a pane whose text needs this number of columns: lists have glyphs, menus have numbers, and
/// gemtext has both.
fn gutter_in(rows: &Viewport, pane: Rect, text: u16) -> Gutter {
    let number = match rows.document.highest_link_number() {
        0 => 0,
        highest => highest.to_string().len().max(2),
    };
    let beside = Gutter {
        number,
        glyph: rows.is_list() || rows.document.shape() == Shape::Gemtext,
        place: GutterPlace::Beside,
    };
    let needed = usize::from(text).saturating_add(beside.width());
    let place = if rows.is_list() || needed <= usize::from(pane.width) {
        GutterPlace::Beside
    } else {
        GutterPlace::InText
    };
    Gutter { place, ..beside }
}

/// Returns the area of the rows in a pane.
pub fn rows_area(rows: &Viewport, pane: Rect, reading: Reading) -> Rect {
    rows_and_gutter(rows, pane, reading).0
}

/// Returns the columns that a text needs before its gutter has any: those of the settings, and those of lines that were
/// wrapped by hand.
fn needed_columns(rows: &Viewport, reading: Reading) -> u16 {
    let width = match reading.width {
        0 => TEXT_COLUMNS,
        width => width,
    };
    text_columns(rows, Reading { width, ..reading })
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
