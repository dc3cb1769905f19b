//! The scroll position of a page.

/// The cursor and the scroll position in a page. Rows are counted from 0; a wrapped row has several lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScrollPosition {
    /// The row of the cursor.
    pub cursor: usize,
    /// The index of the chosen link in the row, if a row can have several.
    pub link: Option<usize>,
    /// The first row on screen, and the first of its lines there.
    pub top: (usize, usize),
    /// The number of columns scrolled to the right.
    pub left: usize,
}

impl ScrollPosition {
    /// Moves to the first row.
    pub(super) fn go_to_top(&mut self) {
        *self = Self {
            left: self.left,
            ..Self::default()
        };
    }
}
