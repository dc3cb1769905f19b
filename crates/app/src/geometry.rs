//! Cells of the screen.

/// A cell of the screen, from the top left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The column.
    pub x: u16,
    /// The line.
    pub y: u16,
}

/// An area of cells of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rect {
    /// The leftmost column.
    pub x: u16,
    /// The topmost line.
    pub y: u16,
    /// The columns.
    pub width: u16,
    /// The lines.
    pub height: u16,
}

impl Rect {
    /// An area whose top left corner is the cell `x`, `y`.
    pub fn new(x: u16, y: u16, width: u16, height: u16) -> Self {
        Self {
            x,
            y,
            width,
            height,
        }
    }

    /// The first column right of the area.
    pub fn right(self) -> u16 {
        self.x.saturating_add(self.width)
    }

    /// The first line below the area.
    pub fn bottom(self) -> u16 {
        self.y.saturating_add(self.height)
    }

    /// True if the cell is in the area.
    pub fn contains(self, at: Position) -> bool {
        (self.x..self.right()).contains(&at.x) && (self.y..self.bottom()).contains(&at.y)
    }
}
