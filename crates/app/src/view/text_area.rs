//! The size of a page's text on the screen, and the columns beside it.

use geomys_page::document::{Kind, Row};

/// The size of a page's text area on screen, and where its furniture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextArea {
    /// The columns to the left of the text.
    pub gutter: Gutter,
    /// The number of columns for the text of a row that is wrapped.
    pub width: usize,
    /// The number of columns for a row that is not wrapped, which are at least as many.
    pub columns: usize,
    /// The number of lines.
    pub height: usize,
    /// The number of lines below the last row, which tell why the page ends there.
    pub note: usize,
}

/// The columns to the left of a row's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gutter {
    /// The number of columns for a link's number; 0 if links are not numbered.
    pub number: usize,
    /// True if a glyph shows the kind of the row.
    pub glyph: bool,
    /// Where the gutter is.
    pub place: GutterPlace,
}

/// Where a gutter is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GutterPlace {
    /// Beside all rows, in columns that the text leaves.
    #[default]
    Beside,
    /// Nowhere, as the text needs all columns: the numbers are in the text, and only a row that is a link as a whole
    /// has its number and its glyph before it.
    InText,
}

impl Gutter {
    /// Returns the columns that it takes from all rows.
    pub fn width(self) -> usize {
        match self.place {
            GutterPlace::Beside => self.columns(),
            GutterPlace::InText => 0,
        }
    }

    /// Returns true if the row has it.
    pub fn is_before(self, row: &Row) -> bool {
        match self.place {
            GutterPlace::Beside => true,
            GutterPlace::InText => self.glyph && (row.number.is_some() || is_fold(row)),
        }
    }

    /// Returns the columns that it takes from a row.
    pub fn width_before(self, row: &Row) -> usize {
        if self.is_before(row) {
            self.columns()
        } else {
            0
        }
    }

    /// Returns the columns of the mark, the number and a blank, the glyph and a blank.
    fn columns(self) -> usize {
        1 + if self.number > 0 { self.number + 1 } else { 0 } + if self.glyph { 2 } else { 0 }
    }
}

fn is_fold(row: &Row) -> bool {
    matches!(row.kind, Kind::Remark(_))
}
